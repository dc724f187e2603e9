#include "views/common/context_menu.h"

#include "views/common/icons.h"
#include "views/common/selection_hub.h"
#include "views/common/text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace views {
namespace {

void fillShowIn(QMenu *menu, SelectionHub &hub)
{
    for (const ViewName &view : hub.viewNames())
        menu->addAction(themedIcon(view.icon), view.title, menu, [&hub, id = view.id] { hub.showIn(id); });
}

} // namespace

QMenu *showInMenu(SelectionHub &hub, QWidget *parent)
{
    auto *menu = new QMenu(tr("Show in"), parent);
    menu->setObjectName(QStringLiteral("showIn"));
    QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, &hub] {
        menu->clear();
        fillShowIn(menu, hub);
    });
    return menu;
}

QMenu *openContextMenu(SelectionHub &hub, QWidget *over, const QPoint &at, const std::vector<MenuItem> &own)
{
    auto *menu = new QMenu(over);
    menu->setObjectName(QStringLiteral("contextMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    for (const MenuItem &item : own) {
        if (item.text.isEmpty()) {
            menu->addSeparator();
            continue;
        }
        QAction *action = menu->addAction(item.text, menu, item.act);
        action->setEnabled(item.enabled);
        action->setToolTip(item.enabled ? QString() : item.reason);
    }
    if (!own.empty()) menu->addSeparator();
    QMenu *places = menu->addMenu(tr("Show in"));
    fillShowIn(places, hub);
    menu->addAction(tr("Copy link to this view"), menu, [&hub] { hub.request(Command::CopyLink); });
    menu->popup(at);
    return menu;
}

void copyText(const QString &text) { QGuiApplication::clipboard()->setText(text); }

} // namespace views
