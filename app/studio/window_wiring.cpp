// Who of the window hears whom: hub, keepers, run bar, first page.
#include "app/studio/bottom_area.h"
#include "app/studio/dock_layout.h"
#include "app/studio/main_window.h"
#include "app/studio/status_line.h"
#include "app/studio/system_theme.h"
#include "views/common/long_work.h"
#include "views/common/node_notes.h"
#include "views/common/panels.h"
#include "views/compare/compare_view.h"

#include <QTimer>

#include <utility>

namespace app {

using namespace views;

namespace {

constexpr int kKeepMs = 1500;

}

void MainWindow::connectHub()
{
    connect(&m_hub, &SelectionHub::showInRequested, this, &MainWindow::present);
    connect(&m_hub, &SelectionHub::commandRequested, this, &MainWindow::command);
    connect(&m_hub, &SelectionHub::noticed, this, [this](const QString &sentence, bool warning) { showError(sentence, {}, warning); });
    connect(&m_host, &ViewHost::noteChanged, this, &MainWindow::refreshWords);
    connect(m_bottom, &BottomArea::panelChosen, this, [this](const QString &id) {
        if (id.isEmpty()) m_bottom->closePanel();
        else present(id);
    });
    connect(&LongWork::of(m_hub), &LongWork::changed, this, &MainWindow::showLongWork);
    connect(&LongWork::of(m_hub), &LongWork::ended, this, &MainWindow::endLongWork);
    connect(m_notice, &NoticeStrip::dismissed, this, [this] { m_hidesWork = std::exchange(m_offer, Offer::None) == Offer::CallOffWork; });
    connect(m_notice, &NoticeStrip::actionTriggered, this, [this] {
        if (m_offer == Offer::BreakOffReading) return breakOffReading();
        if (m_offer == Offer::CallOffWork) return LongWork::of(m_hub).callOff();
        if (m_offer == Offer::ShowFreshRun) return showFresh();
        if (m_offer == Offer::DoNotRun) return callOffWaiting();
        m_hub.showIn(QStringLiteral("source"));
        m_hub.selectSource(m_noticeLine);
    });
}

void MainWindow::showNotice(NoticeStrip::Kind kind, const QString &sentence, const QString &details, const QString &action, Offer offer)
{
    m_offer = offer;
    m_notice->show(kind, sentence, details, action);
}

void MainWindow::clearNotice()
{
    m_offer = Offer::None;
    m_notice->clear();
}

void MainWindow::showLongWork()
{
    const LongWork &work = LongWork::of(m_hub);
    if (!work.isLong() || (m_offer != Offer::CallOffWork && (m_hidesWork || m_notice->isVisible()))) return;
    showNotice(NoticeStrip::Kind::Info, work.sentence(), {}, tr("Cancel"), Offer::CallOffWork);
}

void MainWindow::endLongWork(const QString &result)
{
    m_hidesWork = false;
    if (m_offer == Offer::CallOffWork) clearNotice();
    if (!result.isEmpty() && !m_notice->isVisible()) showNotice(NoticeStrip::Kind::Info, result);
}

void MainWindow::connectKeepers()
{
    connect(&m_keeper, &SessionKeeper::changed, this, [this](FeedParts changed, SelectionParts selected) {
        // A session that grows names its rewrites only when they are written; until then those of before are offered.
        if (changed & FeedPart::Session && !session()->rewrites.empty() && session()->rewrites.size() != m_runBar->rewrites().size())
            m_runBar->setRewrites(m_keeper.rewrites());
        if (changed & FeedPart::Opened) {
            if (m_offer == Offer::BreakOffReading) clearNotice();
            // A run that was started here keeps what it was started with; else each script has its own.
            if (!m_keeper.isGrowing()) m_runBar->setSettings(m_keeper.recordedSettings(m_preferences.runSettings(m_keeper.script())));
            m_toldOutcome = {};
            NodeNotes::of(m_hub).setSession(session() && session()->isRecorded() ? QString::number(session()->info.createdUnixMs)
                                                                                 : QString());
        }
        if (changed & FeedPart::Session) m_runBar->setGiven(m_keeper.givenFlags());
        feed(changed, selected);
        if (selected & SelectionPart::Workspace) enter(m_hub.selection().workspace);
        if (selected & SelectionPart::Place && m_hub.isTravelling()) {
            leave(m_place);
            bring(m_hub.selection().place);
        }
        if (selected & SelectionPart::Node && m_hub.selection().node.isValid()) m_docks->openForNode(m_workspace);
        if (changed & FeedPart::Session) {
            refreshRun();
            showOutcome();
        }
    });
    connect(&m_keeper, &SessionKeeper::opened, this, [this] {
        if (m_workspace == QLatin1String("welcome")) m_hub.selectWorkspace(QStringLiteral("graph"), SelectionHub::History::Replace);
        if (!m_pendingLink.isEmpty()) openLink(std::exchange(m_pendingLink, {}));
        Q_EMIT sessionShown();
    });
    connect(&m_keeper, &SessionKeeper::failed, this, [this](const QString &sentence) {
        if (session()) m_file = m_keeper.path(); // what was shown stays
        showError(sentence);
    });
    connect(&m_processes, &ProcessKeeper::sessionMade, this, [this](const QString &path, bool growing) {
        m_keeper.open(path, growing);
        refreshRun();
    });
    connect(&m_processes, &ProcessKeeper::progressed, this, [this](const QString &text, double share) {
        m_status->showProgress(text);
        m_runBar->setProgress(share);
    });
    connect(&m_processes, &ProcessKeeper::failed, this, &MainWindow::showError);
    connect(&m_processes, &ProcessKeeper::handoutWritten, this,
            [this](const QString &path) { showNotice(NoticeStrip::Kind::Info, tr("The handout is written: %1").arg(path)); });
    connect(&m_processes, &ProcessKeeper::runEnded, this, [this](const RunEnd &end, bool written) {
        m_runEnd = end;
        m_keeper.finishFollowing();
        if (!written) m_keeper.giveUp();
        refreshRun();
        showOutcome();
        if (std::exchange(m_comparesNext, false) && written) present(QStringLiteral("compare"));
    });
    connect(&m_processes, &ProcessKeeper::devicesFound, m_runBar, &RunBar::setDevices);
    connect(&m_processes, &ProcessKeeper::devicesFound, this, [this](const std::vector<DeviceChoice> &devices) {
        std::vector<Measuring::Device> known;
        for (const DeviceChoice &device : devices) known.push_back({device.name, device.reason, device.available});
        Measuring::of(m_hub).setDevices(std::move(known));
    });
}

void MainWindow::connectRunBar()
{
    connect(m_runBar, &RunBar::backRequested, &m_hub, &SelectionHub::goBack);
    connect(m_runBar, &RunBar::forwardRequested, &m_hub, &SelectionHub::goForward);
    connect(&m_hub, &SelectionHub::historyChanged, m_runBar, &RunBar::setHistory);
    connect(m_runBar, &RunBar::workspaceChanged, this, &MainWindow::showView);
    connect(m_runBar, &RunBar::runRequested, this, [this] { runScript(); });
    connect(m_runBar, &RunBar::stopRequested, &m_processes, &ProcessKeeper::stop);
    connect(m_runBar, &RunBar::settingsChanged, this, [this](const RunSettings &settings) {
        m_preferences.setRunSettings(m_keeper.script(), settings);
        refreshRun();
    });
}

void MainWindow::connectWelcome()
{
    auto *welcome = qobject_cast<WelcomePage *>(m_host.widget(QStringLiteral("welcome")));
    if (!welcome) return;
    welcome->setSamples(readSamples(samplesFolder()));
    welcome->setCapabilities({ProcessKeeper::cpu()});
    connect(welcome, &WelcomePage::openRequested, this, &MainWindow::openDialog);
    connect(welcome, &WelcomePage::profileRequested, this, &MainWindow::profileDialog);
    connect(welcome, &WelcomePage::compareRequested, this, [this] { present(QStringLiteral("compare")); });
    connect(welcome, &WelcomePage::learnRequested, this, [this] { present(QStringLiteral("lessons")); });
    connect(welcome, &WelcomePage::fileChosen, this, &MainWindow::openFile);
    connect(welcome, &WelcomePage::sampleChosen, this, &MainWindow::openSample);
    connect(welcome, &WelcomePage::runRequested, this, [this](const QString &script) {
        openFile(script);
        runScript();
    });
    connect(welcome, &WelcomePage::expressionRequested, this, [this](const QString &text) {
        m_file.clear();
        m_processes.compileExpression(text);
    });
    connect(welcome, &WelcomePage::valuesRequested, &m_processes, &ProcessKeeper::evaluateExpression);
    connect(&m_processes, &ProcessKeeper::expressionEvaluated, welcome,
            [welcome](const QString &text) { welcome->setExpressionResult(text, true); });
    connect(&m_processes, &ProcessKeeper::expressionFailed, welcome,
            [welcome](const QString &sentence) { welcome->setExpressionResult(sentence, false); });
    connect(&m_processes, &ProcessKeeper::devicesFound, welcome,
            [welcome](const auto &, const std::vector<Capability> &capabilities) { welcome->setCapabilities(capabilities); });
}

// The comparison is made when it is first shown, which may be long after the first runs: it hears of all of them.
void MainWindow::connectCompare()
{
    connect(&m_host, &ViewHost::widgetMade, this, [this](const QString &id, QWidget *widget) {
        auto *view = id == QLatin1String("compare") ? qobject_cast<CompareView *>(widget) : nullptr;
        if (!view) return;
        view->setNames(m_preferences.sessionNames());
        for (const QString &path : std::as_const(m_seenSessions)) view->keep(path);
        connect(view, &CompareView::named, this,
                [this](const QString &path, const QString &name) { m_preferences.nameSession(path, name); });
        connect(this, &MainWindow::sessionKept, view, &CompareView::keep);
    });
    connect(&m_keeper, &SessionKeeper::changed, this, [this](FeedParts changed) {
        if (!(changed & FeedPart::Session) || !session()->isRecorded() || session()->info.state == profiler::SessionState::Running) return;
        const QString path = QString::fromStdString(session()->info.path);
        if (!m_seenSessions.isEmpty() && m_seenSessions.last() == path) return;
        m_seenSessions << path;
        Q_EMIT sessionKept(path);
    });
}

// What the next start finds as it was, also after a crash.
void MainWindow::connectState()
{
    m_keepSoon->setSingleShot(true);
    m_keepSoon->setInterval(kKeepMs);
    connect(m_keepSoon, &QTimer::timeout, this, &MainWindow::keepState);
    connect(&m_hub, &SelectionHub::selectionChanged, m_keepSoon, qOverload<>(&QTimer::start));
    connect(&SystemTheme::instance(), &SystemTheme::changed, this, [this] {
        if (m_preferences.theme() == Preferences::ThemeChoice::System) applyPreferences();
    });
}

} // namespace app
