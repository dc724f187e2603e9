#include "app/studio/main_window.h"

#include "app/studio/bottom_area.h"
#include "app/studio/dock_layout.h"
#include "app/studio/menus.h"
#include "app/studio/palette_entries.h"
#include "app/studio/pane_cycle.h"
#include "app/studio/program.h"
#include "app/studio/status_line.h"
#include "views/code/source_panel.h"
#include "views/common/controls.h"
#include "views/common/focus_ring.h"
#include "views/common/icons.h"
#include "views/common/long_work.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/common/view_words.h"
#include "views/compare/compare_view.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

const QString kWelcome = QStringLiteral("welcome");

bool canOpen(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == "py" || suffix == "croton" || suffix == "json";
}

SessionWatcher::Prepare prepareAll(const ViewTable &views)
{
    return [&views](const SessionData &session) {
        for (const ViewEntry &entry : views.entries())
            if (entry.prepare) entry.prepare(session);
        preparePalette(session);
    };
}

} // namespace

MainWindow::MainWindow(const ViewTable &views, QWidget *parent)
    : QMainWindow(parent), m_views(views), m_host(views, m_hub), m_keeper(m_hub, prepareAll(views)), m_measurer(Measuring::of(m_hub))
{
    setObjectName(QStringLiteral("studio"));
    setWindowTitle(tr("Croton Studio"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(960, 600);
    setDockOptions(AnimatedDocks | AllowNestedDocks);
    for (auto [corner, area] :
         {std::pair{Qt::TopLeftCorner, Qt::LeftDockWidgetArea}, std::pair{Qt::BottomLeftCorner, Qt::LeftDockWidgetArea},
          std::pair{Qt::TopRightCorner, Qt::RightDockWidgetArea}, std::pair{Qt::BottomRightCorner, Qt::RightDockWidgetArea}})
        setCorner(corner, area);
    m_hub.setViewNames(m_views.showIn());
    buildCentre();
    m_keepSoon = new QTimer(this);
    m_readsLong = new QTimer(this);
    m_readsLong->setObjectName(QStringLiteral("readsLong"));
    m_readsLong->setSingleShot(true);
    m_readsLong->setInterval(LongWork::kLongMs);
    connect(m_readsLong, &QTimer::timeout, this, &MainWindow::offerToBreakOff);
    m_docks = new DockLayout(*this, m_host, m_hub, m_preferences);
    m_status = new StatusLine;
    setStatusBar(m_status);
    bindCommands();
    buildMenus();
    connectHub();
    connectKeepers();
    connectRunBar();
    connectWelcome();
    connectCompare();
    connectSource();
    connectState();
    connectFresh();
    connectMeasurer();
    connectProgram();
    new FocusRing(this);
    m_hub.reset({.workspace = kWelcome});
    m_processes.probeDevices();
    // The first session finds its page made.
    QTimer::singleShot(0, this, [this] {
        for (const ViewEntry &entry : m_views.entries())
            if (entry.id == QLatin1String("graph") && !entry.missing) m_pages->addWidget(m_host.widget(entry.id));
    });
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre()
{
    m_runBar = new RunBar;
    std::vector<WorkspaceChoice> workspaces;
    for (const ViewEntry &entry : m_views.entries())
        if (entry.place.area == Area::Page && entry.inShowIn)
            workspaces.push_back({entry.id, entry.titleText(), QString::fromLatin1(entry.icon),
                                  entry.missing ? QCoreApplication::translate("Views", entry.missing) : QString()});
    m_runBar->setWorkspaces(workspaces);
    m_runToolBar = new QToolBar;
    m_runToolBar->setObjectName(QStringLiteral("runBar"));
    m_runToolBar->setWindowTitle(tr("Run bar"));
    m_runToolBar->setMovable(false);
    m_runToolBar->setFloatable(false);
    m_runToolBar->addWidget(m_runBar);
    addToolBar(Qt::TopToolBarArea, m_runToolBar);
    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_notice = new NoticeStrip;
    layout->addWidget(m_notice);
    m_pages = new QStackedWidget;
    m_bottom = new BottomArea(m_pages, m_views);
    layout->addWidget(m_bottom, 1);
    setCentralWidget(centre);
}

void MainWindow::buildMenus()
{
    menuBar()->setNativeMenuBar(false);
    menuBar()->setFixedHeight(Theme::current().size(Size::MenuBar));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        if (!m_presents) menuBar()->setFixedHeight(Theme::current().size(Size::MenuBar));
    });
    m_titleText = new ElidedLabel(QString(), FontRole::Body, "muted", Qt::ElideMiddle, menuBar());
    m_titleText->setAlignment(Qt::AlignCenter);
    m_titleText->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto *menus = new Menus(menuBar(), m_views, [this](const QString &id) { return isShown(id); });
    menus->setRecent([this] { return m_preferences.recentFiles(); });
    connect(menus, &Menus::commandTriggered, this, &MainWindow::command);
    connect(menus, &Menus::viewTriggered, this, &MainWindow::toggleView);
    connect(menus, &Menus::recentTriggered, this, &MainWindow::openFile);
}

void MainWindow::openFile(const QString &path)
{
    const QFileInfo info(path);
    m_lastError.clear();
    clearNotice();
    forgetFresh();
    m_runsWhenBuilt.reset();
    m_opensWhenBuilt.clear();
    if (!info.exists() || !info.isFile()) {
        showError(tr("There is no file %1.").arg(path));
        return;
    }
    const QString suffix = info.suffix().toLower();
    m_file = info.absoluteFilePath();
    if (suffix == "json") {
        if (Program::instance().isBeingBuilt()) m_opensWhenBuilt = m_file;
        m_processes.importDocument(m_file);
        return;
    }
    m_preferences.addRecentFile(m_file);
    m_runEnd.reset();
    m_readsLong->start();
    if (suffix == "py") m_keeper.openScript(m_file, Worker::sessionFolder());
    else m_keeper.open(m_file, false);
    refreshRun();
}

void MainWindow::offerToBreakOff()
{
    if (!m_keeper.isReading() || m_processes.isRunning()) return;
    showNotice(NoticeStrip::Kind::Info, tr("Reading %1…").arg(QFileInfo(m_file).fileName()), {}, tr("Cancel"), Offer::BreakOffReading);
}

// What was shown stays.
void MainWindow::breakOffReading()
{
    clearNotice();
    m_keeper.breakOff();
    m_file = session() ? m_keeper.path() : QString();
    refreshRun();
    refreshWords();
}

void MainWindow::runScript(bool keepsValues)
{
    if (m_keeper.script().isEmpty() || !saveScript() || waitsForProgram(keepsValues)) return;
    m_lastError.clear();
    clearNotice();
    forgetFresh();
    m_runEnd.reset();
    m_toldOutcome = {};
    RunSettings settings = m_runBar->settings();
    settings.capture = settings.capture || keepsValues;
    m_processes.run(m_keeper.script(), settings);
}

void MainWindow::compareSessions(const QString &a, const QString &b)
{
    const auto whole = [](const QString &path) { return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath(); };
    if (auto *view = qobject_cast<CompareView *>(m_host.widget(QStringLiteral("compare")))) view->setPaths(whole(a), whole(b));
    present(QStringLiteral("compare"));
}

void MainWindow::openLink(const QString &link)
{
    const auto selection = SelectionHub::fromLink(link);
    if (!selection) {
        showError(tr("This is no link to a view: it must begin with croton:view?"));
        return;
    }
    const QString file = SelectionHub::sessionOfLink(link);
    if (!file.isEmpty() && file != m_keeper.path()) {
        m_pendingLink = link;
        openFile(file);
        return;
    }
    QString error;
    if (!session()) showError(tr("This link names no session, and none is open."));
    else if (!m_keeper.select(*selection, &error)) showError(error);
}

void MainWindow::showView(const QString &id)
{
    m_views.at(id);
    present(id);
}

void MainWindow::present(const QString &id)
{
    try {
        const ViewEntry &entry = m_views.at(id);
        if (entry.feed && !session() && !entry.worksAlone) { // there is nothing that it could show
            refreshWords();
            return;
        }
        const QString workspace = m_views.workspaceFor(entry, m_workspace);
        const QString place = m_views.isWorkspace(id) ? QString() : id;
        m_hub.selectPlace(workspace, place);
        bring(place); // also when it is the place already: it may have been closed
    } catch (const ViewError &error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::bring(const QString &place)
{
    m_place = place;
    const ViewEntry *entry = place.isEmpty() ? &m_views.pageOf(m_workspace) : m_views.find(place);
    if (!entry || entry->missing) return;
    QWidget *widget = m_host.widget(entry->id);
    if (!place.isEmpty()) {
        const bool comes = m_docks->has(place) && !m_docks->isShown(place);
        m_docks->show(place);
        if (comes) makeRoomFor(place);
        if (entry->place.area == Area::Bottom) m_bottom->openPanel(place, widget);
    }
    if (focusWidget() != widget && !widget->isAncestorOf(focusWidget())) focusFirst(*widget, Qt::OtherFocusReason);
}

void MainWindow::showStaying()
{
    for (const ViewEntry &entry : m_views.entries())
        if (const QWidget *view = m_host.made(entry.id); view && view->property(kStaysProperty).toBool() && entry.standsIn(m_workspace))
            m_docks->show(entry.id);
}

void MainWindow::leave(const QString &place)
{
    if (m_bottom->isOpen(place)) m_bottom->closePanel();
}

void MainWindow::toggleView(const QString &id)
{
    if (m_views.isWorkspace(id) || !isShown(id)) {
        present(id);
        return;
    }
    if (m_docks->has(id)) m_docks->show(id, false);
    else m_bottom->closePanel();
    if (m_place == id) m_place.clear();
}

std::vector<QWidget *> MainWindow::panes() const
{
    std::vector<QWidget *> all{m_runBar};
    const std::vector<QWidget *> left = m_docks->shown(Qt::LeftDockWidgetArea), right = m_docks->shown(Qt::RightDockWidgetArea);
    all.insert(all.end(), left.begin(), left.end());
    if (QWidget *page = m_pages->currentWidget()) {
        const auto *parts = dynamic_cast<const HasPanes *>(page);
        const std::vector<QWidget *> middle = parts ? parts->panes() : std::vector<QWidget *>{page};
        all.insert(all.end(), middle.begin(), middle.end());
    }
    all.insert(all.end(), right.begin(), right.end());
    if (QWidget *panel = m_bottom->panel()) all.push_back(panel);
    return all;
}

bool MainWindow::isShown(const QString &view) const
{
    return m_views.isWorkspace(view) ? m_workspace == view : m_docks->isShown(view) || m_bottom->isOpen(view);
}

void MainWindow::enter(const QString &workspace)
{
    if (workspace == m_workspace) return;
    if (!m_views.isWorkspace(workspace)) {
        showError(tr("There is no view “%1”; the views are %2.").arg(workspace, m_views.ids().join(", ")));
        return;
    }
    const ViewEntry &entry = m_views.pageOf(workspace);
    QWidget *page = m_host.widget(entry.id);
    m_workspace = workspace;
    m_pages->addWidget(page);
    if (auto *welcome = qobject_cast<WelcomePage *>(page)) welcome->setRecent(m_preferences.recentFiles());
    // A page that is fed with sessions has run bar and docks around it.
    if (entry.feed) m_runToolBar->show();
    m_pages->setCurrentWidget(page);
    m_bottom->enter(workspace);
    m_docks->enter(entry.feed ? workspace : QString());
    showStaying();
    m_runToolBar->setVisible(entry.feed);
    page->setFocus();
    refreshWords();
}

void MainWindow::feed(FeedParts changed, SelectionParts selected)
{
    ViewFeed feed = m_keeper.feed();
    feed.canRun = m_canRun;
    feed.changed = changed;
    feed.selected = selected;
    m_host.feed(feed);
    refreshWords();
}

void MainWindow::refreshRun()
{
    const QString script = m_keeper.script();
    const QFileInfo file(script);
    if (SourcePanel *panel = sourcePanel()) panel->setScript(script);
    m_runBar->setScript(script, tr("This session does not name a script that is on this machine"));
    m_runBar->setRunning(m_processes.isRunning());
    m_runBar->setCommandLine(script.isEmpty() ? (session() ? views::text(session()->info.command) : QString())
                                              : commandLine(m_runBar->settings(), file.fileName(), file.completeBaseName() + ".croton"));
    const bool canRun = !script.isEmpty() && !m_processes.isRunning();
    if (std::exchange(m_canRun, canRun) != canRun) feed(FeedPart::Run);
    else refreshWords();
}

void MainWindow::refreshWords()
{
    ViewFeed feed = m_keeper.feed();
    const QWidget *page = m_pages->currentWidget();
    {
        const QSignalBlocker blocker(m_runBar->workspaces()); // also when another one was clicked that cannot be entered
        if (!m_workspace.isEmpty()) m_runBar->setWorkspace(m_views.pageOf(m_workspace).id);
    }
    StatusFacts facts;
    facts.reading = m_keeper.isReading();
    facts.readingName = QFileInfo(m_keeper.path()).fileName();
    facts.running = m_processes.isRunning();
    facts.elapsedSeconds = m_processes.elapsedSeconds();
    facts.welcome = m_workspace == kWelcome;
    facts.outcome = outcome();
    facts.fresh = m_fresh.state;
    facts.freshProblem = m_fresh.problem;
    facts.building = Program::instance().building();
    facts.note = page ? page->property(kNoteProperty).toString() : QString();
    m_status->setTexts(statusTexts(feed, facts));
    m_bottom->strip()->setShares(sharesText(feed));
    if (facts.welcome) feed.session.reset();
    const QStringList files{m_keeper.script(), m_file, m_keeper.path()};
    const auto named = std::find_if(files.begin(), files.end(), [](const QString &file) { return !file.isEmpty(); });
    const QString title = titleText(feed, named == files.end() ? QString() : QFileInfo(*named).fileName());
    setWindowTitle(title);
    m_titleText->setText(title);
    placeTitle();
}

RunOutcome MainWindow::outcome() const
{
    if (m_processes.isRunning()) return {};
    return outcomeOf(m_keeper.isReading() ? nullptr : session(), m_runEnd);
}

void MainWindow::showOutcome()
{
    RunOutcome now = outcome();
    if (now == m_toldOutcome) return; // the person may have closed the strip
    m_toldOutcome = now;
    if (now.kind == RunOutcome::Kind::Good) {
        clearNotice();
        return;
    }
    m_noticeLine = now.line;
    const bool failed = now.kind == RunOutcome::Kind::Failed;
    showNotice(failed ? NoticeStrip::Kind::Error : NoticeStrip::Kind::Warning, now.sentence, now.details,
               now.line.isValid() ? tr("Show line") : QString());
    refreshWords();
    if (!failed) return;
    m_lastError = now.sentence;
    Q_EMIT this->failed(now.sentence);
}

void MainWindow::showError(const QString &sentence, const QString &details, bool warning)
{
    if (!warning) m_lastError = sentence;
    showNotice(warning ? NoticeStrip::Kind::Warning : NoticeStrip::Kind::Error, sentence, details);
    refreshWords();
    if (!warning) Q_EMIT failed(sentence);
}

void MainWindow::resetLayout()
{
    m_docks->reset();
    m_bottom->closePanel();
}

void MainWindow::applyPreferences()
{
    m_docks->keep(); // other letters may leave less room
    applyTheme(*qApp, m_preferences.effectiveTheme());
    refreshWords();
}

bool MainWindow::isReady() const
{
    return !m_keeper.isReading() && (!session() || session()->isPrepared) && !m_processes.isRunning() && !m_measurer.isRunning() &&
           m_host.isSettled();
}

bool MainWindow::follow(const Options &options, QString *error)
{
    try {
        if (!options.view.isEmpty()) {
            m_hub.selectWorkspace(m_views.workspaceFor(m_views.at(options.view), m_workspace), SelectionHub::History::Replace);
            present(options.view);
        }
    } catch (const ViewError &unknown) {
        *error = QString::fromUtf8(unknown.what());
        return false;
    }
    if (!options.lesson.isEmpty()) leads(QStringLiteral("lesson ") + options.lesson);
    if (!options.function.isEmpty() && !m_keeper.selectFunction(options.function, error)) return false;
    if (!options.step.isEmpty() && !m_keeper.selectStep(options.step, error)) return false;
    if (!options.select.isEmpty() && !m_keeper.select(options.select, error)) return false;
    if (!options.colours.isEmpty()) Q_EMIT m_hub.commandIssued(QStringLiteral("colours ") + options.colours);
    if (!options.compared.isEmpty()) Q_EMIT m_hub.commandIssued(QStringLiteral("compared ") + options.compared);
    if (!options.picture.isEmpty()) Q_EMIT m_hub.commandIssued(QStringLiteral("picture ") + options.picture);
    if (options.link.isEmpty()) return true;
    const auto selection = SelectionHub::fromLink(options.link);
    if (selection) return m_keeper.select(*selection, error);
    *error = tr("“%1” is no link to a view.").arg(options.link);
    return false;
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_presents) setPresenting(false);
    keepState();
    if (const SourcePanel *panel = sourcePanel(); panel && panel->isDirty()) m_preferences.setUnsaved(panel->script(), panel->text());
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile() && canOpen(url.toLocalFile())) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile() && canOpen(url.toLocalFile())) {
            openFile(url.toLocalFile());
            event->acceptProposedAction();
            return;
        }
    }
}

// In the middle, where that leaves the menus free.
void MainWindow::placeTitle()
{
    const int gap = Theme::current().px(12);
    int menus = 0;
    for (QAction *action : menuBar()->actions()) menus = std::max(menus, menuBar()->actionGeometry(action).right());
    const QRect bar = menuBar()->rect();
    const int width = QFontMetrics(m_titleText->font()).horizontalAdvance(m_titleText->text());
    const bool central = (bar.width() - width) / 2 > menus + gap;
    m_titleText->setGeometry(central ? bar : bar.adjusted(menus + gap, 0, -gap, 0));
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    placeTitle();
    m_keepSoon->start();
}

void MainWindow::moveEvent(QMoveEvent *event)
{
    QMainWindow::moveEvent(event);
    m_keepSoon->start();
}

} // namespace app
