#include "views/common/show_in_menu.h"

#include "views/common/icons.h"
#include "views/common/selection_hub.h"

#include <QMenu>

namespace views {

QMenu *showInMenu(SelectionHub &hub, QWidget *parent)
{
    auto *menu = new QMenu(parent);
    menu->setObjectName(QStringLiteral("showIn"));
    QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, &hub] {
        menu->clear();
        for (const ViewName &view : hub.viewNames())
            menu->addAction(themedIcon(view.icon), view.title, menu, [&hub, id = view.id] { hub.showIn(id); });
    });
    return menu;
}

} // namespace views
