#include "app/studio/main_window.h"

#include "app/studio/graph_page.h"
#include "app/studio/graph_pane.h"
#include "app/studio/run_bar.h"
#include "app/studio/side_panels.h"
#include "app/studio/welcome_page.h"
#include "views/common/controls.h"
#include "views/common/focus_ring.h"
#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/inspector/inspector_view.h"
#include "views/profile/functions_view.h"
#include "views/profile/operations_view.h"
#include "views/profile/summary_view.h"
#include "views/steps/steps_view.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr int kNarrowWindow = 1240;
constexpr int kLayoutVersion = 3;

bool canOpen(const QString &path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == "py" || suffix == "croton" || suffix == "json";
}

} // namespace

MainWindow::MainWindow(QWidget *parent) : QMainWindow(parent) {
    setObjectName(QStringLiteral("studio"));
    setWindowTitle(tr("Croton Studio"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(960, 600);
    setDockOptions(AnimatedDocks | AllowNestedDocks);
    for (auto [corner, area] : {std::pair{Qt::TopLeftCorner, Qt::LeftDockWidgetArea},
                                std::pair{Qt::BottomLeftCorner, Qt::LeftDockWidgetArea},
                                std::pair{Qt::TopRightCorner, Qt::RightDockWidgetArea},
                                std::pair{Qt::BottomRightCorner, Qt::RightDockWidgetArea}})
        setCorner(corner, area);

    m_runBar = new RunBar;
    auto *bar = new QToolBar;
    bar->setObjectName(QStringLiteral("runBar"));
    bar->setWindowTitle(tr("Run bar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->addWidget(m_runBar);
    addToolBar(Qt::TopToolBarArea, bar);

    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_notice = new NoticeStrip;
    layout->addWidget(m_notice);
    m_pages = new QStackedWidget;
    m_welcome = new WelcomePage;
    m_graphPage = new GraphPage(m_hub);
    m_profilePage = new QWidget;
    auto *profile = new QVBoxLayout(m_profilePage);
    profile->setContentsMargins(0, 0, 0, 0);
    m_profileTables = new OperationsView(m_hub);
    profile->addWidget(m_profileTables);
    m_pages->addWidget(m_welcome);
    m_pages->addWidget(m_graphPage);
    m_pages->addWidget(m_profilePage);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);

    buildDocks();
    buildMenus();
    buildStatusBar();
    connectParts();
    m_runBar->setSettings(m_preferences.runSettings());
    m_welcome->setSamples(readSamples(samplesFolder()));
    m_welcome->setCapabilities({{tr("CPU, %1 threads").arg(QThread::idealThreadCount()), true, {}}});
    new FocusRing(this);
    showWelcome();
    probeDevices();
}

MainWindow::~MainWindow() = default;

QDockWidget *MainWindow::addDock(const QString &id, const QString &title, QWidget *content, Qt::DockWidgetArea area) {
    auto *dock = new QDockWidget(title);
    dock->setObjectName(id);
    dock->setWidget(content);
    dock->setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildDocks() {
    auto titled = [](QDockWidget *dock) {
        auto *box = new QWidget;
        auto *layout = new QVBoxLayout(box);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        auto *header = new PanelHeader(dock->windowTitle());
        layout->addWidget(header);
        layout->addWidget(new Hairline);
        dock->setTitleBarWidget(box);
        return header;
    };
    m_functions = new FunctionsView(m_hub);
    m_source = new SourcePanel(m_hub);
    m_key = new KeyPanel;
    m_inspector = new InspectorView(m_hub);
    m_summary = new SummaryView;
    m_steps = new StepsView(m_hub);
    auto *functions = new QWidget;
    setSurface(functions, "panel");
    auto *functionsLayout = new QVBoxLayout(functions);
    functionsLayout->setContentsMargins(0, Theme::current().px(4), 0, Theme::current().px(4));
    functionsLayout->addWidget(m_functions);
    functions->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);

    m_functionsDock = addDock(QStringLiteral("functions"), tr("Functions"), functions, Qt::LeftDockWidgetArea);
    m_sourceDock = addDock(QStringLiteral("source"), tr("Source"), m_source, Qt::LeftDockWidgetArea);
    m_keyDock = addDock(QStringLiteral("key"), tr("Graph key"), m_key, Qt::LeftDockWidgetArea);
    m_stepsDock = addDock(QStringLiteral("steps"), tr("Steps"), m_steps, Qt::LeftDockWidgetArea);
    m_summaryDock = addDock(QStringLiteral("summary"), tr("Summary"), m_summary, Qt::LeftDockWidgetArea);
    m_inspectorDock = addDock(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    PanelHeader *functionsHeader = titled(m_functionsDock);
    auto *more = iconButton(QStringLiteral("rewrites"), tr("Show the steps of the rewriting"));
    connect(more, &QToolButton::clicked, this, [this] { setWorkspace(QStringLiteral("steps")); });
    functionsHeader->addWidget(more);
    PanelHeader *sourceHeader = titled(m_sourceDock);
    connect(m_source, &SourcePanel::fileShown, this, [this, sourceHeader](const QString &file) {
        sourceHeader->setSubtitle(QFileInfo(file).fileName());
        refreshTables();
    });
    titled(m_keyDock);
    m_summaryHeader = titled(m_summaryDock);
    // These two bring their own headers.
    m_stepsDock->setTitleBarWidget(new QWidget);
    m_inspectorDock->setTitleBarWidget(new QWidget);
    m_inspector->setShowIn({{"graph", tr("Graph")},
                            {"steps", tr("Steps")},
                            {"table", tr("Operations")},
                            {"source", tr("Source")},
                            {"profile", tr("Profile")},
                            {"code", tr("Code")}});
}

void MainWindow::buildStatusBar() {
    const Theme &theme = Theme::current();
    QStatusBar *bar = statusBar();
    bar->setSizeGripEnabled(false);
    m_statusIcon = new QLabel;
    m_statusText = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_machineIcon = new QLabel;
    m_machineText = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_outsideText = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_nodesText = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_scaleText = new TextLabel(QString(), FontRole::Cell, "secondary");
    auto *left = new QWidget;
    auto *layout = new QHBoxLayout(left);
    layout->setContentsMargins(theme.px(10), 0, 0, 0);
    layout->setSpacing(theme.px(6));
    layout->addWidget(m_statusIcon);
    layout->addWidget(m_statusText);
    layout->addSpacing(theme.px(12));
    layout->addWidget(m_machineIcon);
    layout->addWidget(m_machineText);
    layout->addStretch();
    bar->addWidget(left, 1);
    auto *right = new QWidget;
    auto *rightLayout = new QHBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, theme.px(10), 0);
    rightLayout->setSpacing(theme.px(14));
    for (TextLabel *label : {m_outsideText, m_nodesText, m_scaleText})
        rightLayout->addWidget(label);
    bar->addPermanentWidget(right);
    bar->setFixedHeight(theme.size(Size::StatusBar));
}

void MainWindow::connectParts() {
    connect(m_runBar, &RunBar::backRequested, &m_hub, &SelectionHub::goBack);
    connect(m_runBar, &RunBar::forwardRequested, &m_hub, &SelectionHub::goForward);
    connect(&m_hub, &SelectionHub::historyChanged, m_runBar, &RunBar::setHistory);
    connect(m_runBar, &RunBar::workspaceChanged, this, &MainWindow::setWorkspace);
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::runScript);
    connect(m_runBar, &RunBar::stopRequested, &m_worker, &Worker::stop);
    connect(m_runBar, &RunBar::settingsChanged, this, [this](const RunSettings &settings) {
        m_preferences.setRunSettings(settings);
        refreshRunBar();
    });
    connect(&m_hub, &SelectionHub::selectionChanged, this,
            [this](const Selection &, SelectionParts changed) { followSelection(changed); });
    connect(&m_hub, &SelectionHub::linkedChanged, m_graphPage, &GraphPage::followLinked);
    connect(&m_hub, &SelectionHub::showInRequested, this, [this](const QString &view) {
        if (view == "graph")
            setWorkspace(QStringLiteral("graph"));
        else if (view == "steps" || view == "profile")
            setWorkspace(view);
        else if (view == "source")
            m_sourceDock->show();
        else
            openBottom(view == "table" ? QStringLiteral("operations") : view);
    });
    connect(m_graphPage, &GraphPage::scaleChanged, this, &MainWindow::refreshStatus);
    connect(m_graphPage, &GraphPage::runRequested, this, &MainWindow::runScript);
    connect(m_profileTables, &OperationsView::emptyActionTriggered, this, &MainWindow::runScript);
    connect(m_inspector, &InspectorView::codeRequested, this, [this] { openBottom(QStringLiteral("code")); });
    connect(m_inspector, &InspectorView::whyNotRequested, this, &MainWindow::showWhyNot);
    connect(m_inspector, &InspectorView::copyLinkRequested, this, &MainWindow::copyLink);
    connect(m_inspector, &InspectorView::pinToggled, this, [this](bool pinned) {
        m_pinned = pinned;
        if (!pinned)
            refreshInspector();
    });
    connect(m_summary, &SummaryView::evidenceRequested, this, [this](qint64 apply) {
        m_hub.selectNode({Side::Optimized, NodeKind::Apply, apply});
    });
    connect(m_notice, &NoticeStrip::showLineRequested, this, [this] { m_sourceDock->show(); });
    connect(&m_watcher, &SessionWatcher::opened, this,
            [this](std::shared_ptr<const SessionData> session) { sessionOpened(std::move(session)); });
    connect(&m_watcher, &SessionWatcher::updated, this, &MainWindow::sessionUpdated);
    connect(&m_watcher, &SessionWatcher::failed, this, [this](const QString &sentence, const QString &hint) {
        m_reading = false;
        showError(hint.isEmpty() ? sentence : sentence + QLatin1Char(' ') + hint);
    });
    connect(&m_worker, &Worker::event, this, &MainWindow::workerEvent);
    connect(&m_worker, &Worker::finished, this, &MainWindow::workerFinished);
    connect(m_welcome, &WelcomePage::fileChosen, this, &MainWindow::openFile);
    connect(m_welcome, &WelcomePage::expressionRequested, this, &MainWindow::runExpression);
}

void MainWindow::arrangeDefault(const QString &workspace) {
    const Theme &theme = Theme::current();
    const bool narrow = width() < theme.px(kNarrowWindow);
    const bool graph = workspace == "graph";
    const bool steps = workspace == "steps";
    const bool profile = workspace == "profile";
    for (QDockWidget *dock : {m_functionsDock, m_sourceDock, m_keyDock, m_stepsDock, m_summaryDock})
        addDockWidget(Qt::LeftDockWidgetArea, dock);
    addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    m_functionsDock->setVisible(graph);
    m_sourceDock->setVisible(graph);
    m_keyDock->setVisible(graph && !narrow);
    m_stepsDock->setVisible(steps);
    m_summaryDock->setVisible(profile);
    m_inspectorDock->setVisible((graph && (!narrow || m_hub.selection().node.isValid())) || steps);
    const int left = steps ? 304 : profile ? 320 : narrow ? 216 : 248;
    if (graph)
        resizeDocks({m_functionsDock}, {theme.px(left)}, Qt::Horizontal);
    if (steps)
        resizeDocks({m_stepsDock}, {theme.px(left)}, Qt::Horizontal);
    if (profile)
        resizeDocks({m_summaryDock}, {theme.px(left)}, Qt::Horizontal);
    resizeDocks({m_inspectorDock}, {theme.px(narrow ? 280 : 320)}, Qt::Horizontal);
    if (graph)
        resizeDocks({m_functionsDock, m_sourceDock, m_keyDock}, {10, 1000, 10}, Qt::Vertical);
}

void MainWindow::setWorkspace(const QString &workspace) {
    if (workspace == "welcome" || !m_session) {
        showWelcome();
        return;
    }
    if (m_workspace != "welcome" && m_workspace != workspace)
        m_preferences.setDockState(m_workspace, saveState(kLayoutVersion));
    const bool same = m_workspace == workspace;
    m_workspace = workspace;
    m_runBar->parentWidget()->show();
    const QSignalBlocker blocker(m_runBar->workspaces());
    m_runBar->setWorkspace(workspace == "profile" ? workspace : QStringLiteral("graph"));
    m_pages->setCurrentWidget(workspace == "profile" ? m_profilePage : m_graphPage);
    if (m_graphPage->stepsMode() != (workspace == "steps"))
        m_graphPage->setStepsMode(workspace == "steps");
    if (!same) {
        const QByteArray state = m_preferences.dockState(workspace);
        if (state.isEmpty() || !restoreState(state, kLayoutVersion))
            arrangeDefault(workspace);
        if (workspace == "profile")
            m_profileTables->setFocus();
        else
            m_graphPage->optimizedPane()->canvas()->setFocus();
    }
    refreshInspector();
    refreshStatus();
}

void MainWindow::showWelcome() {
    if (m_workspace != "welcome" && m_session)
        m_preferences.setDockState(m_workspace, saveState(kLayoutVersion));
    m_workspace = QStringLiteral("welcome");
    for (QDockWidget *dock : {m_functionsDock, m_sourceDock, m_keyDock, m_stepsDock, m_summaryDock, m_inspectorDock})
        dock->hide();
    m_runBar->parentWidget()->hide();
    m_welcome->setRecent(m_preferences.recentFiles());
    m_pages->setCurrentWidget(m_welcome);
    refreshStatus();
}

void MainWindow::resetLayout() {
    m_preferences.clearDockStates();
    if (m_workspace != "welcome")
        arrangeDefault(m_workspace);
    m_graphPage->openBottom({});
}

void MainWindow::openBottom(const QString &panel) {
    if (m_workspace == "profile")
        setWorkspace(QStringLiteral("graph"));
    m_graphPage->openBottom(panel);
}

void MainWindow::applyPreferences() {
    applyTheme(*qApp, m_preferences.effectiveTheme());
    refreshStatus();
}

bool MainWindow::isReady() const {
    return !m_reading && !m_worker.isRunning() && (!m_session || m_workspace == "welcome" || m_graphPage->isSettled());
}

void MainWindow::settle() { m_graphPage->settle(); }

void MainWindow::closeEvent(QCloseEvent *event) {
    if (m_workspace != "welcome")
        m_preferences.setDockState(m_workspace, saveState(kLayoutVersion));
    m_preferences.setWindowGeometry(saveGeometry());
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event) {
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile() && canOpen(url.toLocalFile()))
            event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event) {
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile() && canOpen(url.toLocalFile())) {
            openFile(url.toLocalFile());
            event->acceptProposedAction();
            return;
        }
    }
}

void MainWindow::resizeEvent(QResizeEvent *event) {
    QMainWindow::resizeEvent(event);
    m_titleText->setGeometry(menuBar()->rect());
}

} // namespace app
