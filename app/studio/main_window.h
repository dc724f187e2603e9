#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/costs.h"
#include "app/studio/graph_scenes.h"
#include "app/studio/links.h"
#include "app/studio/session_watcher.h"
#endif
#include "app/studio/options.h"
#include "app/studio/preferences.h"
#include "app/studio/worker.h"
#include "views/common/selection_hub.h"

#include <QMainWindow>
#include <QTimer>

#include <memory>

class QDockWidget;
class QLabel;
class QStackedWidget;

namespace views {
class ElidedLabel;
class FunctionsView;
class InspectorView;
class NoticeStrip;
class OperationsView;
class PanelHeader;
class StepsView;
class SummaryView;
class TextLabel;
} // namespace views

namespace app {

class GraphPage;
class KeyPanel;
class RunBar;
class SourcePanel;
class WelcomePage;

/// The studio: assembles the views around one selection hub, follows one session, owns the worker.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens a script, session or graph by its ending; tells in a strip what is wrong with it.
    void openFile(const QString &path);
    void showWelcome();
    void setWorkspace(const QString &workspace); ///< "graph", "steps", "profile", "welcome"
    void openBottom(const QString &panel);
    void applyPreferences();

    views::SelectionHub &hub() { return m_hub; }
    const SessionData *session() const { return m_session.get(); }
    bool isReady() const; ///< nothing is being read, laid out or run
    void settle();
    QString lastError() const { return m_lastError; }
    GraphPage *graphPage() const { return m_graphPage; }
    RunBar *runBar() const { return m_runBar; }
    /// Selects what --select names; false with a sentence when there is no such thing.
    bool selectByName(const QString &what, QString *error);
    bool selectFunctionByName(const QString &name, QString *error);
    void runScript();
    void resetLayout();

Q_SIGNALS:
    void sessionShown();
    void failed(const QString &sentence);

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    // assembling (main_window.cpp)
    void buildDocks();
    void buildStatusBar();
    QDockWidget *addDock(const QString &id, const QString &title, QWidget *content, Qt::DockWidgetArea area);
    void arrangeDefault(const QString &workspace);
    void connectParts();

    // menus and keys (main_window_actions.cpp)
    void buildMenus();
    void fillRecentMenu();
    void showShortcuts();
    void exportPicture();
    void copyLink();
    void openLink();
    void findInGraph();

    // following a session (main_window_session.cpp)
    void openSession(const QString &path, bool growing);
    void openScript(const QString &path);
    void sessionOpened(std::shared_ptr<const SessionData> session);
    void sessionUpdated(std::shared_ptr<const SessionData> session);
    void adopt(std::shared_ptr<const SessionData> session, bool first);
    void takeSettings(const SessionData &data);
    void selectBusiestFunction(const SessionData &data);
    void showFunction(bool fresh);
    void followSelection(views::SelectionParts changed);

    // what the panels say (main_window_refresh.cpp)
    void refreshInspector();
    void refreshTables();
    void refreshStatus();
    void refreshTitle();
    void refreshRunBar();
    void refreshStrip();
    void showWhyNot();

    // programs that the studio starts (main_window_programs.cpp)
    void openDocument(const QString &path);
    void workerEvent(const WorkerEvent &event);
    void workerFinished(const QString &sentence, const QString &details);
    void runExpression(const QString &text);
    void probeDevices();
    void showError(const QString &sentence, const QString &details = {}, bool warning = false);
    const profiler::FunctionInfo *currentFunction() const;

    Preferences m_preferences;
    views::SelectionHub m_hub;
    SessionWatcher m_watcher;
    Worker m_worker;
    std::unique_ptr<QProcess> m_expressionRun;
    std::unique_ptr<QProcess> m_deviceProbe;

    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    std::shared_ptr<Links> m_links;
    QString m_file;   ///< what the person opened
    QString m_script; ///< what Run starts
    QString m_lastError;
    QString m_workspace = "welcome";
    bool m_reading = false;
    bool m_pinned = false;

    RunBar *m_runBar;
    QStackedWidget *m_pages;
    WelcomePage *m_welcome;
    GraphPage *m_graphPage;
    QWidget *m_profilePage;
    views::OperationsView *m_profileTables;
    views::NoticeStrip *m_notice;
    views::FunctionsView *m_functions;
    SourcePanel *m_source;
    KeyPanel *m_key;
    views::InspectorView *m_inspector;
    views::SummaryView *m_summary;
    views::StepsView *m_steps;
    QDockWidget *m_functionsDock;
    QDockWidget *m_sourceDock;
    QDockWidget *m_keyDock;
    QDockWidget *m_stepsDock;
    QDockWidget *m_summaryDock;
    QDockWidget *m_inspectorDock;
    views::PanelHeader *m_summaryHeader;
    QLabel *m_statusIcon;
    views::TextLabel *m_statusText;
    QLabel *m_machineIcon;
    views::TextLabel *m_machineText;
    views::TextLabel *m_outsideText;
    views::TextLabel *m_nodesText;
    views::TextLabel *m_scaleText;
    views::TextLabel *m_titleText;
    QMenu *m_recentMenu;
};

} // namespace app
