#include "views/profile/table_export.h"

#include "profiler/export/csv_export.h"
#include "views/common/text.h"
#include "views/profile/cost_table_model.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QSaveFile>
#include <QTableView>

namespace views {
namespace {

QString cell(const QVariant &value)
{
    const QString shown = value.typeId() == QMetaType::Double ? QString::number(value.toDouble(), 'g', 9) : value.toString();
    return text(profiler::csvCell(shown.toStdString()));
}

} // namespace

QString tableAsCsv(const QTableView &table)
{
    const QAbstractItemModel &model = *table.model();
    std::vector<int> columns;
    for (int place = 0; place < model.columnCount(); ++place)
        if (const int column = table.horizontalHeader()->logicalIndex(place); !table.isColumnHidden(column)) columns.push_back(column);
    QString text;
    const auto line = [&](auto valueOf) {
        QStringList cells;
        for (int column : columns) cells << cell(valueOf(column));
        text += cells.join(u',') + u'\n';
    };
    line([&](int column) { return model.headerData(column, Qt::Horizontal, kRawRole); });
    for (int row = 0; row < model.rowCount(); ++row) line([&](int column) { return model.index(row, column).data(kRawRole); });
    return text;
}

QString saveTableAsCsv(QTableView &table, const QString &name)
{
    const QString path = QFileDialog::getSaveFileName(&table, tr("Save the table"), name, tr("Comma-separated values (*.csv)"));
    if (path.isEmpty()) return {};
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(tableAsCsv(table).toUtf8()) >= 0 && file.commit()) return {};
    return tr("%1 could not be written: %2.").arg(path, file.errorString());
}

} // namespace views
