#include "app/studio/run/run_controller.h"

#include "app/studio/pages/welcome_page.h"
#include "app/studio/run/program.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/script_editor.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
#include "views/code/source_panel.h"
#include "views/common/text.h"
#include "views/session/tried.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace app {

using namespace views;
namespace view = profiler::view;

namespace {

bool runsCalls(const QStringList &words) { return QStringList{"ablate", "along", "replay"}.contains(words.value(0)); }
bool runsScript(const QStringList &words) { return words.contains(QLatin1String("--verify")); }
bool writesSession(const QStringList &words) { return words.value(0) != QLatin1String("replay"); }

/// A sample is everybody's, and what cannot be written can take nothing in.
bool isOurs(const QString &session)
{
    const QString folder = QFileInfo(session).canonicalPath();
    const QString samples = QFileInfo(samplesFolder()).canonicalFilePath();
    return (samples.isEmpty() || !folder.startsWith(samples)) && QFileInfo(session).isWritable() && QFileInfo(folder).isWritable();
}

bool copyWritable(const QString &from, const QString &to)
{
    return QFile::copy(from, to) && QFile::setPermissions(to, QFile::ReadOwner | QFile::WriteOwner);
}

const QStringList *wordsAfter(const RunState &state)
{
    const auto *run = std::get_if<Runs>(&state);
    const auto *measure = run ? std::get_if<ThenMeasure>(&run->after) : nullptr;
    return measure ? &measure->words : nullptr;
}

} // namespace

RunController::RunController(StudioParts &parts, Notices &notices, Workspaces &workspaces, ScriptEditor &editor, RunBar &runBar)
    : m_parts(parts), m_notices(notices), m_workspaces(workspaces), m_editor(editor), m_runBar(runBar),
      m_measurer(Measuring::of(parts.hub)), m_copySession(copyWritable)
{
    connectRunBar();
    connectProcesses();
    connectProgram();
    connect(&m_measurer, &Measurer::ended, this, &RunController::finishMeasuring);
    connect(&parts.keeper, &SessionKeeper::opened, this, &RunController::takeOpened);
    connect(&parts.keeper, &SessionKeeper::exchanged, this, [this] { setSample(RunShown{}); });
    connect(&parts.keeper, &SessionKeeper::failed, this, [this](const QString &sentence) {
        const auto *copies = std::get_if<CopiesSession>(&m_state);
        if (!copies) return;
        const QStringList words = copies->words;
        become(Idle{});
        m_measurer.fail(words, sentence);
    });
}

void RunController::connectRunBar()
{
    SelectionHub &hub = m_parts.hub;
    connect(&m_runBar, &RunBar::backRequested, &hub, &SelectionHub::goBack);
    connect(&m_runBar, &RunBar::forwardRequested, &hub, &SelectionHub::goForward);
    connect(&hub, &SelectionHub::historyChanged, &m_runBar, &RunBar::setHistory);
    connect(&m_runBar, &RunBar::runRequested, this, [this] { run(); });
    connect(&m_runBar, &RunBar::stopRequested, this, &RunController::stop);
    connect(&m_runBar, &RunBar::settingsChanged, this, [this](const RunSettings &settings) {
        m_parts.preferences.setRunSettings(m_parts.keeper.script(), settings);
        refresh();
    });
}

void RunController::connectProcesses()
{
    connect(&m_processes, &ProcessKeeper::sessionMade, this, [this](const QString &path, bool growing) {
        m_parts.keeper.open(path, growing);
        refresh();
    });
    connect(&m_processes, &ProcessKeeper::progressed, this, [this](const QString &text, double share) {
        Q_EMIT progressed(text);
        m_runBar.setProgress(share);
        if (const QStringList *words = wordsAfter(m_state)) m_measurer.prepare(*words, tr("First the script is run: %1").arg(text), share);
    });
    connect(&m_processes, &ProcessKeeper::runEnded, this, &RunController::endRun);
    connect(&m_processes, &ProcessKeeper::failed, this, [this](const QString &sentence, const QString &details, bool isWarning) {
        isWarning ? m_notices.warning(sentence, details) : m_notices.error(sentence, details);
    });
    connect(&m_processes, &ProcessKeeper::handoutWritten, this,
            [this](const QString &path) { m_notices.info(tr("The handout is written: %1").arg(path)); });
    connect(&m_processes, &ProcessKeeper::backgroundRunFinished, this, &RunController::offerFreshRun);
    connect(&m_processes, &ProcessKeeper::backgroundRunFailed, this, [this](const QString &sentence) {
        become(Idle{});
        setSample(RunFailed{sentence});
    });
    connect(&m_processes, &ProcessKeeper::devicesFound, this, [this](const std::vector<DeviceChoice> &devices) {
        m_runBar.setDevices(devices);
        std::vector<Measuring::Device> known;
        for (const DeviceChoice &device : devices) known.push_back({device.name, device.reason, device.available});
        Measuring::of(m_parts.hub).setDevices(std::move(known));
    });
}

// app/run opens the window while Croton is still being built. Recorded sessions can be viewed; runs wait for the build.
void RunController::connectProgram()
{
    Program &program = Program::instance();
    connect(&program, &Program::grew, this, [this] {
        Q_EMIT changed();
        const auto *waits = std::get_if<WaitsForBuild>(&m_state);
        const auto *script = waits ? std::get_if<WaitsForBuild::Script>(&waits->then) : nullptr;
        if (script && m_notices.offers(Notices::Offer::DoNotRun)) waitsForProgram(script->keepsValues, AfterRun(script->after));
    });
    connect(&program, &Program::built, this, [this] {
        m_notices.takeBack(Notices::Offer::DoNotRun);
        std::optional<WaitsForBuild> waited;
        if (auto *waits = std::get_if<WaitsForBuild>(&m_state)) waited = std::move(*waits);
        if (waited) become(Idle{});
        Q_EMIT changed();
        if (Program::instance().path().isEmpty()) {
            m_notices.error(Program::instance().whyNot());
            return;
        }
        m_processes.probeDevices();
        if (!waited) return beginAwaited();
        if (const auto *document = std::get_if<WaitsForBuild::Document>(&waited->then)) return documentWanted(document->path);
        const auto &script = std::get<WaitsForBuild::Script>(waited->then);
        run(script.keepsValues, script.after);
    });
}

void RunController::become(RunState state)
{
    m_state = std::move(state);
    Q_EMIT changed();
}

bool RunController::waitsForProgram(bool keepsValues, const AfterRun &after)
{
    if (!Program::instance().isBeingBuilt()) return false;
    become(WaitsForBuild{WaitsForBuild::Script{keepsValues, after}});
    m_notices.offer(Notices::Offer::DoNotRun, tr("%1. The script runs when that is done.").arg(Program::instance().building()),
                    tr("Do not run"), [this] {
                        become(Idle{});
                        m_notices.clear();
                    });
    return true;
}

bool RunController::isDisturbing()
{
    if (!isMeasuring()) return false;
    m_notices.warning(tr("Something is being measured, and a run would disturb it. Wait for it, or stop it."));
    return true;
}

void RunController::run(bool keepsValues, AfterRun after)
{
    if (m_parts.keeper.script().isEmpty() || !m_editor.save() || waitsForProgram(keepsValues, after)) return;
    if (isDisturbing()) return;
    // A run that is started again keeps what was to follow the first.
    if (const auto *running = std::get_if<Runs>(&m_state); running && std::holds_alternative<std::monostate>(after)) {
        after = running->after;
        if (const auto *measure = std::get_if<ThenMeasure>(&after)) keepsValues = keepsValues || runsCalls(measure->words);
    }
    m_notices.forgetError();
    m_notices.clear();
    forget();
    m_runEnd.reset();
    m_toldOutcome = {};
    RunSettings settings = m_runBar.settings();
    settings.capture = settings.capture || keepsValues;
    become(Runs{std::move(after)});
    if (!m_processes.run(m_parts.keeper.script(), settings)) become(Idle{});
    refresh();
}

void RunController::endRun(const RunEnd &end, bool written)
{
    m_runEnd = end;
    m_parts.keeper.finishFollowing();
    if (!written) m_parts.keeper.giveUp();
    const bool isShown = written && m_parts.keeper.path() == m_processes.session(); // else another file was opened meanwhile
    AfterRun after;
    if (auto *run = std::get_if<Runs>(&m_state)) after = std::move(run->after);
    become(Idle{});
    refresh();
    showOutcome();
    if (std::holds_alternative<ThenCompare>(after) && isShown) m_workspaces.present(QString::fromLatin1(view::compare));
    if (const auto *measure = std::get_if<ThenMeasure>(&after)) {
        const bool isGood = end.kind == RunEnd::Kind::Good || end.kind == RunEnd::Kind::Warned;
        if (isGood && isShown) startMeasuring(measure->words);
        else if (isGood && written) m_measurer.fail(measure->words, tr("Another session was opened during the run."));
        else m_measurer.fail(measure->words, end.sentence.isEmpty() ? tr("The run left no session.") : end.sentence);
    }
    beginAwaited();
}

void RunController::tryFlag(const QString &flag)
{
    RunSettings settings = m_runBar.settings();
    if (!m_canRun || isDisturbing() || !applyFlag(settings, flag)) return;
    m_runBar.setSettings(settings);
    m_parts.preferences.setRunSettings(m_parts.keeper.script(), settings);
    m_workspaces.present(QString::fromLatin1(view::compare)); // it takes what is open now as A, and what is opened next as B
    run(false, ThenCompare{});
}

void RunController::importDocument(const QString &path)
{
    if (Program::instance().isBeingBuilt()) become(WaitsForBuild{WaitsForBuild::Document{path}});
    m_processes.importDocument(path);
}

void RunController::forget()
{
    m_processes.discardBackgroundRun();
    if (std::holds_alternative<WaitsForBuild>(m_state) || std::holds_alternative<RunsInBackground>(m_state)) m_state = Idle{};
    setSample({});
}

QString RunController::problemOfMeasuring() const
{
    const SessionData *session = m_parts.session();
    if (!session || !session->isRecorded()) return tr("There is no recording to measure anything of: run the script first.");
    if (Program::instance().isBeingBuilt()) return Program::instance().whyNot();
    if (isRunning()) return tr("The script runs: this can be measured when it has ended.");
    if (isMeasuring() || std::holds_alternative<CopiesSession>(m_state))
        return tr("Something else is being measured: wait for it, or stop it.");
    return {};
}

void RunController::measure(const QStringList &words)
{
    if (const QString problem = problemOfMeasuring(); !problem.isEmpty()) {
        const bool isTaken = isMeasuring() || wordsAfter(m_state) || std::holds_alternative<CopiesSession>(m_state);
        if (isTaken) m_notices.warning(problem); // what runs keeps its strip
        else m_measurer.fail(words, problem);
        return;
    }
    const SessionData *session = m_parts.session();
    const QString path = m_parts.keeper.path();
    const QString recorded = QDir(QString::fromStdString(session->info.directory)).filePath(QString::fromStdString(session->script.path));
    const bool hasValues = !session->derived<Tried>().captured.empty();
    const bool hasAll = (!runsCalls(words) || hasValues) && (!runsScript(words) || QFileInfo(recorded).isFile());
    if (hasAll && (isOurs(path) || !writesSession(words))) {
        startMeasuring(words);
    } else if (hasAll && !runsScript(words)) {
        const QString copy = Worker::newSessionPath(path);
        if (!m_copySession(path, copy)) {
            m_measurer.fail(words, tr("%1 cannot be written, and no copy of it could be made: is the disk full?").arg(path));
            return;
        }
        forget();
        become(CopiesSession{words, copy});
        m_parts.keeper.open(copy, false);
    } else if (m_canRun) {
        m_measurer.prepare(words, tr("First the script is run"));
        run(runsCalls(words), ThenMeasure{words});
        if (!isRunning()) m_measurer.fail(words, tr("It was stopped; nothing was kept.")); // the strip says why
    } else {
        m_measurer.fail(words, runsCalls(words)
                                   ? tr("This recording kept no values of calls, and its script is not on this machine: record it with "
                                        "croton profile --capture.")
                                   : tr("The script of this recording is not on this machine, so nothing can be run."));
    }
}

// A run in the background would disturb the measurement. It starts again afterwards.
void RunController::startMeasuring(const QStringList &words)
{
    if (const auto *background = std::get_if<RunsInBackground>(&m_state)) {
        m_sample = AwaitsRun{background->recorded};
        m_processes.discardBackgroundRun();
    }
    become(Measures{});
    if (!m_measurer.start(words, m_parts.keeper.path())) become(Idle{});
}

void RunController::finishMeasuring(const QString &measured)
{
    become(Idle{});
    if (!measured.isEmpty()) {
        if (measured == m_parts.keeper.path() && writesSession(Measuring::of(m_parts.hub).now().words)) m_parts.keeper.readAgain();
        refresh();
    }
    beginAwaited();
}

void RunController::stopMeasuring()
{
    if (isMeasuring()) return m_measurer.stop();
    QStringList words;
    if (const QStringList *after = wordsAfter(m_state)) {
        words = *after;
        m_state = Runs{};
        m_processes.stop();
    } else if (const auto *copies = std::get_if<CopiesSession>(&m_state)) {
        words = copies->words;
        become(Idle{});
    } else return;
    m_measurer.fail(words, tr("It was stopped; nothing was kept."));
}

void RunController::takeOpened()
{
    if (isRunning()) return; // it is recorded for this
    if (const auto *copies = std::get_if<CopiesSession>(&m_state)) {
        const CopiesSession wanted = *copies;
        if (m_parts.keeper.path() == wanted.copy) return startMeasuring(wanted.words);
        become(Idle{}); // another file was opened instead
    }
    if (!isMeasuring()) Measuring::of(m_parts.hub).forget();
    beginAwaited();
}

void RunController::setSample(SampleRun run)
{
    m_sample = std::move(run);
    Q_EMIT changed();
}

void RunController::runSampleInBackground(const QString &recorded) { m_sample = AwaitsRun{recorded}; }

// Runs the sample only if its script is unchanged. A changed script belongs to the person.
void RunController::beginAwaited()
{
    const auto *awaited = std::get_if<AwaitsRun>(&m_sample);
    if (!awaited || !std::holds_alternative<Idle>(m_state) || m_parts.keeper.path() != awaited->recorded || !m_parts.session()) return;
    const SessionData *session = m_parts.session();
    const QString recorded = awaited->recorded;
    QFile script(m_parts.keeper.script());
    if (m_parts.keeper.script().isEmpty() || !script.open(QIODevice::ReadOnly) || script.readAll().toStdString() != session->script.text) {
        m_sample = {};
        return;
    }
    if (Program::instance().isBeingBuilt()) return; // and comes again
    if (const QString why = m_processes.whyNo(QStringLiteral("compiler")); !why.isEmpty()) return setSample(RunFailed{why});
    if (session->info.ranks > 1) return setSample(RunFailed{tr("it is a job of %1 processes").arg(session->info.ranks)});
    m_sample = {};
    become(RunsInBackground{recorded});
    m_processes.runInBackground(m_parts.keeper.script(), m_parts.keeper.recordedSettings(RunSettings()));
}

void RunController::offerFreshRun(const QString &session)
{
    const auto *background = std::get_if<RunsInBackground>(&m_state);
    if (!background) return;
    const QString recorded = background->recorded;
    m_state = Idle{};
    setSample(RunOffered{recorded, session});
    const auto show = [this] {
        const auto *offered = std::get_if<RunOffered>(&m_sample);
        if (!offered) return;
        m_notices.clear();
        m_parts.keeper.exchange(QString(offered->session));
    };
    if (canExchange(recorded)) return show();
    m_notices.offer(Notices::Offer::ShowFreshRun, tr("This sample has run on this machine meanwhile."), tr("Show that run"), show);
}

// Returns false while the person works with numbers of the shown session. Then the window asks first.
bool RunController::canExchange(const QString &recorded) const
{
    const Selection &selection = m_parts.hub.selection();
    return m_parts.keeper.path() == recorded && m_workspaces.showsSessions() && !m_workspaces.isIn(view::compare) &&
           !m_workspaces.isIn(view::history) && !m_workspaces.isShown(QString::fromLatin1(view::lessons)) && !selection.range.isValid() &&
           selection.call < 0 && !m_editor.isDirty();
}

void RunController::takeSession(FeedParts changed)
{
    const SessionData *session = m_parts.session();
    const SessionKeeper &keeper = m_parts.keeper;
    // A session that grows names its rewrites only when they are written; until then those of before are offered.
    if (changed & FeedPart::Session && !session->rewrites.empty() && session->rewrites.size() != m_runBar.rewrites().size())
        m_runBar.setRewrites(keeper.rewrites());
    if (changed & FeedPart::Opened) {
        m_notices.takeBack(Notices::Offer::BreakOffReading);
        // A run that was started here keeps what it was started with; else each script has its own.
        if (!keeper.isGrowing()) m_runBar.setSettings(keeper.recordedSettings(m_parts.preferences.runSettings(keeper.script())));
        m_toldOutcome = {};
    }
    if (changed & FeedPart::Session) m_runBar.setGiven(keeper.givenFlags());
}

void RunController::refresh()
{
    const QString script = m_parts.keeper.script();
    const QFileInfo file(script);
    const SessionData *session = m_parts.session();
    if (SourcePanel *panel = m_editor.panel()) panel->setScript(script);
    m_runBar.setScript(script, tr("This session does not name a script that is on this machine"));
    m_runBar.setRunning(isRunning());
    m_runBar.setCommandLine(script.isEmpty() ? (session ? views::text(session->info.command) : QString())
                                             : commandLine(m_runBar.settings(), file.fileName(), file.completeBaseName() + ".croton"));
    const bool canRun = !script.isEmpty() && !isRunning();
    if (std::exchange(m_canRun, canRun) != canRun) Q_EMIT canRunChanged();
    else Q_EMIT changed();
}

RunOutcome RunController::outcome() const
{
    if (isRunning()) return {};
    return outcomeOf(m_parts.keeper.isReading() ? nullptr : m_parts.session(), m_runEnd);
}

void RunController::showOutcome()
{
    RunOutcome now = outcome();
    if (now == m_toldOutcome) return; // the person may have closed the strip
    m_toldOutcome = now;
    if (now.kind == RunOutcome::Kind::Good) return m_notices.clear();
    const auto kind = now.kind == RunOutcome::Kind::Failed ? Notices::Kind::Error : Notices::Kind::Warning;
    m_notices.outcome(kind, now.sentence, now.details, now.line);
    Q_EMIT changed();
}

void RunController::describe(StatusFacts &facts) const
{
    facts.running = isRunning();
    facts.elapsedSeconds = m_processes.elapsedSeconds();
    facts.outcome = outcome();
    if (std::holds_alternative<RunsInBackground>(m_state)) facts.fresh = FreshRun::Going;
    if (std::holds_alternative<RunOffered>(m_sample)) facts.fresh = FreshRun::Offered;
    if (std::holds_alternative<RunShown>(m_sample)) facts.fresh = FreshRun::Shown;
    if (const auto *failed = std::get_if<RunFailed>(&m_sample)) {
        facts.fresh = FreshRun::Failed;
        facts.freshProblem = failed->problem;
    }
}

} // namespace app
