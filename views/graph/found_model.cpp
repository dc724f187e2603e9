#include "views/graph/found_model.h"

#include "views/common/formats.h"
#include "views/graph/graph_canvas.h"

namespace views {

void FoundModel::renew()
{
    beginResetModel();
    m_rows = m_canvas.matchCount() - m_canvas.hiddenMatchCount(); // what closed groups hide comes last
    endResetModel();
}

QVariant FoundModel::data(const QModelIndex &index, int role) const
{
    if (role != Qt::DisplayRole || index.row() >= m_canvas.matchCount()) return {};
    const SceneNode *node = m_canvas.scene().node(m_canvas.matches()[static_cast<std::size_t>(index.row())]);
    if (!node) return {};
    QStringList parts;
    if (node->number >= 0) parts << QString::number(node->number);
    parts << node->title;
    if (node->cost.seconds >= 0) parts << formats::time(node->cost.seconds);
    if (node->line > 0) parts << tr("line %1").arg(node->line);
    if (!node->type.isEmpty()) parts << node->type;
    return parts.join(QStringLiteral("  ·  "));
}

} // namespace views
