#include "app/studio/window/menus.h"

#include "app/studio/window/commands.h"

#include <QCoreApplication>
#include <QMenuBar>

namespace app {

Menus::Menus(QMenuBar *bar, const ViewTable &views, std::function<bool(const QString &)> isShown)
    : QObject(bar), m_isShown(std::move(isShown))
{
    QHash<QString, QMenu *> menus;
    for (const MenuRow &command : menuRows()) {
        QMenu *&menu = menus[QString::fromLatin1(command.menu)];
        if (!menu) {
            menu = bar->addMenu(command.menuText());
            menu->setToolTipsVisible(true);
            if (qstrcmp(command.menu, kViewMenu) == 0) addViews(menu, views);
        }
        if (command.isLine()) {
            menu->addSeparator();
            continue;
        }
        if (command.command == views::Command::OpenRecent) {
            m_recent = menu->addMenu(command.title());
            connect(m_recent, &QMenu::aboutToShow, this, &Menus::fillRecent);
            continue;
        }
        QAction *action = menu->addAction(command.title());
        action->setObjectName(QString::fromLatin1(command.id));
        action->setShortcuts(command.sequences());
        connect(action, &QAction::triggered, this, [this, what = command.command] { Q_EMIT commandTriggered(what); });
    }
}

void Menus::addViews(QMenu *menu, const ViewTable &views)
{
    // Workspaces, then what opens below, then docks.
    const auto group = [&views](const ViewEntry &entry) {
        return views.isWorkspace(entry.id) ? 0 : entry.place.area == Area::Bottom ? 1 : 2;
    };
    for (int wanted : {0, 1, 2}) {
        for (const ViewEntry &entry : views.entries()) {
            if (group(entry) != wanted) continue;
            QAction *action = menu->addAction(entry.titleText());
            action->setObjectName(QStringLiteral("view.") + entry.id);
            action->setShortcuts(entry.sequences());
            action->setEnabled(!entry.missing);
            if (entry.missing) action->setToolTip(QCoreApplication::translate("Views", entry.missing));
            connect(action, &QAction::triggered, this, [this, id = entry.id] { Q_EMIT viewTriggered(id); });
            if (wanted > 0) {
                action->setCheckable(true);
                m_toggles.insert(entry.id, action);
            }
        }
        menu->addSeparator();
    }
    connect(menu, &QMenu::aboutToShow, this, [this] {
        for (auto it = m_toggles.cbegin(); it != m_toggles.cend(); ++it) it.value()->setChecked(m_isShown(it.key()));
    });
}

void Menus::setRecent(std::function<QStringList()> files) { m_recentFiles = std::move(files); }

void Menus::fillRecent()
{
    m_recent->clear();
    for (const QString &path : m_recentFiles()) m_recent->addAction(path, this, [this, path] { Q_EMIT recentTriggered(path); });
    if (m_recent->isEmpty()) m_recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

} // namespace app
