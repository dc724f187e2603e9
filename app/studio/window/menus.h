#pragma once

#include "app/studio/window/view_table.h"

#include <QHash>
#include <QObject>

#include <functional>

class QAction;
class QMenu;
class QMenuBar;

namespace app {

/// The menus of the window, made from the tables of commands and views. Each action carries its id as its name.
class Menus : public QObject {
    Q_OBJECT
public:
    Menus(QMenuBar *bar, const ViewTable &views, std::function<bool(const QString &)> isShown);

    /// The submenu that "Open recent" opens is filled when it is shown.
    void setRecent(std::function<QStringList()> files);

Q_SIGNALS:
    void commandTriggered(views::Command command);
    void viewTriggered(const QString &id);
    void recentTriggered(const QString &path);

private:
    void addViews(QMenu *menu, const ViewTable &views);
    void fillRecent();

    std::function<bool(const QString &)> m_isShown;
    std::function<QStringList()> m_recentFiles;
    QMenu *m_recent = nullptr;
    QHash<QString, QAction *> m_toggles; ///< of docks and panels, checked while they are open
};

} // namespace app
