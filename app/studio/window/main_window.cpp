#include "app/studio/window/main_window.h"

#include "app/studio/run/program.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/window/bottom_area.h"
#include "app/studio/window/menus.h"
#include "app/studio/window/status_line.h"
#include "app/studio/window/system_theme.h"
#include "profiler/lessons/view_ids.h"
#include "views/common/focus_ring.h"
#include "views/common/icons.h"
#include "views/common/node_notes.h"
#include "views/common/palette.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QVBoxLayout>

namespace app {

using namespace views;
namespace view = profiler::view;

namespace {

constexpr int kKeepMs = 1500;

StatusLine *statusLineOf(QMainWindow &window)
{
    auto *line = new StatusLine;
    window.setStatusBar(line);
    return line;
}

} // namespace

MainWindow::MainWindow(const ViewTable &views, QWidget *parent)
    : QMainWindow(parent), m_parts(views), m_runBar(new RunBar), m_strip(new NoticeStrip), m_notices(*m_strip, m_parts.hub),
      m_workspaces(*this, m_parts, m_notices, *m_runBar), m_editor(m_parts, m_notices, m_workspaces),
      m_runs(m_parts, m_notices, m_workspaces, m_editor, *m_runBar), m_files(*this, m_parts, m_notices, m_workspaces, m_runs),
      m_guide(*this, m_parts, m_notices, m_workspaces, m_runs, [this] { return isReady(); }),
      m_requests(*this, m_parts, {m_notices, m_workspaces, m_editor, m_runs, m_files, m_guide}),
      m_title(*this, m_parts, {m_workspaces, m_runs, m_files, *m_runBar, *statusLineOf(*this)})
{
    setObjectName(QStringLiteral("studio"));
    setWindowTitle(tr("Croton Studio"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(960, 600);
    arrange();
    buildMenus();
    connectControllers();
    connectState();
    new FocusRing(this);
    m_parts.hub.reset({.workspace = QString::fromLatin1(view::welcome)});
    m_runs.processes().probeDevices();
}

MainWindow::~MainWindow() = default;

void MainWindow::arrange()
{
    setDockOptions(AnimatedDocks | AllowNestedDocks);
    for (auto [corner, area] :
         {std::pair{Qt::TopLeftCorner, Qt::LeftDockWidgetArea}, std::pair{Qt::BottomLeftCorner, Qt::LeftDockWidgetArea},
          std::pair{Qt::TopRightCorner, Qt::RightDockWidgetArea}, std::pair{Qt::BottomRightCorner, Qt::RightDockWidgetArea}})
        setCorner(corner, area);
    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_workspaces.area(), 1);
    setCentralWidget(centre);
    m_workspaces.begin();
    m_editor.begin();
}

void MainWindow::buildMenus()
{
    menuBar()->setNativeMenuBar(false);
    menuBar()->setFixedHeight(Theme::current().size(Size::MenuBar));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        if (!m_workspaces.isPresenting()) menuBar()->setFixedHeight(Theme::current().size(Size::MenuBar));
    });
    auto *menus = new Menus(menuBar(), m_parts.views, [this](const QString &id) { return m_workspaces.isShown(id); });
    menus->setRecent([this] { return m_parts.preferences.recentFiles(); });
    connect(menus, &Menus::commandTriggered, &m_requests, &Requests::handle);
    connect(menus, &Menus::viewTriggered, &m_workspaces, &Workspaces::toggle);
    connect(menus, &Menus::recentTriggered, &m_files, &FileOpener::open);
}

void MainWindow::connectControllers()
{
    connect(&m_parts.keeper, &SessionKeeper::changed, this, &MainWindow::takeChange);
    connect(&m_parts.host, &ViewHost::noteChanged, &m_title, &WindowTitle::refresh);
    connect(&m_notices, &Notices::failed, &m_title, &WindowTitle::refresh);
    connect(&m_workspaces, &Workspaces::changed, &m_title, &WindowTitle::refresh);
    connect(&m_runs, &RunController::changed, &m_title, &WindowTitle::refresh);
    connect(&m_runs, &RunController::canRunChanged, this, [this] { feed(FeedPart::Run); });
    connect(&m_runs, &RunController::progressed, static_cast<StatusLine *>(statusBar()), &StatusLine::showProgress);
    connect(&m_files, &FileOpener::changed, &m_title, &WindowTitle::refresh);
    connect(&m_guide, &TourGuide::sampleWanted, &m_files, [this](const QString &name) { m_files.openSample(name, false); });
    connect(&m_requests, &Requests::newWindowWanted, this, &MainWindow::openWindow);
    connect(&m_requests, &Requests::preferencesChanged, this, &MainWindow::applyPreferences);
}

// What the next start finds as it was, also after a crash.
void MainWindow::connectState()
{
    m_keepSoon.setSingleShot(true);
    m_keepSoon.setInterval(kKeepMs);
    connect(&m_keepSoon, &QTimer::timeout, this, &MainWindow::keepState);
    connect(&m_parts.hub, &SelectionHub::selectionChanged, &m_keepSoon, qOverload<>(&QTimer::start));
    connect(&SystemTheme::instance(), &SystemTheme::changed, this, [this] {
        if (m_parts.preferences.theme() == Preferences::ThemeChoice::System) applyPreferences();
    });
}

void MainWindow::takeChange(FeedParts changed, SelectionParts selected)
{
    m_runs.takeSession(changed);
    if (changed & FeedPart::Opened)
        NodeNotes::of(m_parts.hub)
            .setSession(session() && session()->isRecorded() ? QString::number(session()->info.createdUnixMs) : QString());
    feed(changed, selected);
    m_workspaces.follow(selected);
    if (!(changed & FeedPart::Session)) return;
    m_runs.refresh();
    m_runs.showOutcome();
}

void MainWindow::feed(FeedParts changed, SelectionParts selected)
{
    ViewFeed feed = m_parts.keeper.feed();
    feed.canRun = m_runs.canRun();
    feed.changed = changed;
    feed.selected = selected;
    m_parts.host.feed(feed);
    m_title.refresh();
}

void MainWindow::showView(const QString &id)
{
    m_parts.views.at(id);
    m_workspaces.present(id);
}

bool MainWindow::isReady() const
{
    return !m_parts.keeper.isReading() && (!session() || session()->isPrepared) && !m_runs.isRunning() && !m_runs.isMeasuring() &&
           m_parts.host.isSettled();
}

bool MainWindow::follow(const Options &options, QString *error)
{
    SelectionHub &hub = m_parts.hub;
    try {
        if (!options.view.isEmpty()) {
            hub.selectWorkspace(m_parts.views.workspaceFor(m_parts.views.at(options.view), m_workspaces.current()),
                                SelectionHub::History::Replace);
            m_workspaces.present(options.view);
        }
    } catch (const ViewError &unknown) {
        *error = QString::fromUtf8(unknown.what());
        return false;
    }
    SessionKeeper &keeper = m_parts.keeper;
    if (!options.lesson.isEmpty()) m_requests.handle(ShowLesson{options.lesson});
    if (!options.function.isEmpty() && !keeper.selectFunction(options.function, error)) return false;
    if (!options.step.isEmpty() && !keeper.selectStep(options.step, error)) return false;
    if (!options.select.isEmpty() && !keeper.select(options.select, error)) return false;
    if (!options.colours.isEmpty()) m_requests.handle(ShowColours{options.colours});
    if (!options.compared.isEmpty()) m_requests.handle(ShowCompared{options.compared});
    if (!options.picture.name.isEmpty()) m_requests.handle(options.picture);
    if (options.link.isEmpty()) return true;
    const auto selection = SelectionHub::fromLink(options.link);
    if (selection) return keeper.select(*selection, error);
    *error = tr("“%1” is no link to a view.").arg(options.link);
    return false;
}

void MainWindow::openWindow()
{
    auto *window = new MainWindow(m_parts.views);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->resize(size());
    window->move(pos() + QPoint(32, 32));
    window->show();
}

void MainWindow::applyPreferences()
{
    m_workspaces.keepDocks(); // other letters may leave less room
    applyTheme(*qApp, m_parts.preferences.effectiveTheme());
    m_title.refresh();
}

void MainWindow::keepState()
{
    if (m_workspaces.isPresenting()) return;
    m_workspaces.keepDocks();
    m_parts.preferences.setWindowGeometry(saveGeometry());
    if (session() && session()->isRecorded() && !m_workspaces.isIn(view::welcome))
        m_parts.preferences.setLastView(SelectionHub::toLink(m_parts.hub.selection(), m_parts.keeper.path()));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_workspaces.isPresenting()) m_workspaces.setPresenting(false);
    keepState();
    m_editor.keepUnsaved();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile() && FileOpener::canOpen(url.toLocalFile())) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile() && FileOpener::canOpen(url.toLocalFile())) {
            m_files.open(url.toLocalFile());
            event->acceptProposedAction();
            return;
        }
    }
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    m_title.place();
    m_keepSoon.start();
}

void MainWindow::moveEvent(QMoveEvent *event)
{
    QMainWindow::moveEvent(event);
    m_keepSoon.start();
}

} // namespace app
