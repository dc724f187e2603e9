#include "views/inspector/why_not_dialog.h"

#include "views/common/theme.h"
#include "views/common/tips.h"

#include <QTreeWidget>
#include <QVBoxLayout>

namespace views {

WhyNotDialog::WhyNotDialog(const std::vector<WhyNotRow> &rows, QWidget *parent) : QDialog(parent)
{
    const Theme &theme = Theme::current();
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Why not?"));
    resize(theme.px(720), theme.px(360));
    auto *layout = new QVBoxLayout(this);
    auto *tree = new QTreeWidget;
    tree->setRootIsDecorated(false);
    tree->setHeaderLabels({tr("Rewrite"), tr("Why it declined"), tr("Step")});
    for (const WhyNotRow &row : rows) {
        auto *item = new QTreeWidgetItem(tree, {row.rewrite, row.reason, QString::number(row.step)});
        item->setFont(0, theme.font(FontRole::Mono));
        item->setToolTip(1, tipText(row.reason));
    }
    tree->resizeColumnToContents(0);
    tree->setColumnWidth(1, theme.px(360));
    layout->addWidget(tree);
}

} // namespace views
