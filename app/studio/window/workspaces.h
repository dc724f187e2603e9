#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>

class QMainWindow;
class QStackedWidget;
class QToolBar;

namespace app {

class BottomArea;
class DockLayout;
class Notices;
class RunBar;

/// Which workspace and which views of it are shown: the page in the middle, docks around it, the panel below, the run bar on top.
class Workspaces : public QObject {
    Q_OBJECT
public:
    Workspaces(QMainWindow &window, StudioParts &parts, Notices &notices, RunBar &runBar);

    /// The page, the strip under it and the panel below: the middle of the window.
    BottomArea *area() const { return m_bottom; }
    QToolBar *runToolBar() const { return m_runToolBar; }
    QWidget *page() const;
    QString current() const { return m_workspace; }
    bool isIn(const char *workspace) const { return m_workspace == QLatin1String(workspace); }
    /// Whether the page is about a session: it has run bar and docks around it.
    bool showsSessions() const { return m_parts.views.pageOf(m_workspace).feed; }

    /// Makes the docks; the window has its centre by now.
    void begin();
    /// Brings a view to front, in this workspace or in its own; tells what is wrong with it.
    void present(const QString &id);
    /// Follows the selection to its workspace and, while the person goes back and forward, to its place.
    void follow(views::SelectionParts selected);
    /// Shows a view that is hidden, and hides a dock or panel that is shown.
    void toggle(const QString &id);
    /// A dock, without the keys.
    void showDock(const QString &id);
    void setDockWidth(const QString &id, int width);
    bool isShown(const QString &view) const;
    std::vector<QWidget *> panes() const;
    void resetLayout();
    void keepDocks();
    /// The whole screen for the picture, with larger letters, until it is called again.
    void setPresenting(bool on);
    bool isPresenting() const { return m_presents; }

Q_SIGNALS:
    /// Another page, or the same one was asked for that cannot be left.
    void changed();

private:
    void enter(const QString &workspace);
    /// Shows a view of the workspace and gives it the keys; empty: the page.
    void bring(const QString &place);
    void makeRoomFor(const QString &view);
    void leave(const QString &place);
    /// What goes along from workspace to workspace comes to front here, too.
    void showStaying();

    QMainWindow &m_window;
    StudioParts &m_parts;
    Notices &m_notices;
    RunBar &m_runBar;
    QToolBar *m_runToolBar;
    QStackedWidget *m_pages;
    BottomArea *m_bottom;
    DockLayout *m_docks = nullptr;
    QString m_workspace; ///< the one that was entered
    QString m_place;     ///< the view in it that was asked for last
    bool m_presents = false;
};

} // namespace app
