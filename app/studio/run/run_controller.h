#pragma once

#include "app/studio/run/measurer.h"
#include "app/studio/run/process_keeper.h"
#include "app/studio/run/run_outcome.h"
#include "app/studio/window/status_line.h"
#include "app/studio/window/studio_parts.h"

#include <QObject>

#include <functional>
#include <optional>
#include <variant>

namespace app {

class Notices;
class RunBar;
class ScriptEditor;
class Workspaces;

/// What follows when a run has ended.
struct ThenCompare {};
struct ThenMeasure {
    QStringList words;
};
using AfterRun = std::variant<std::monostate, ThenCompare, ThenMeasure>;

/// The current activity with programs. Only one at a time.
struct Idle {};
struct WaitsForBuild { ///< Croton itself is still being built
    struct Script {
        bool keepsValues = false;
        AfterRun after;
    };
    struct Document {
        QString path;
    };
    std::variant<Script, Document> then;
};
struct Runs {
    AfterRun after;
};
struct RunsInBackground { ///< a sample that is shown as it was recorded
    QString recorded;
};
struct CopiesSession { ///< copies a session that cannot be written, to measure in the copy
    QStringList words;
    QString copy;
};
struct Measures {};
using RunState = std::variant<Idle, WaitsForBuild, Runs, RunsInBackground, CopiesSession, Measures>;

/// Whether the sample that is shown ran, or is to run, on this machine.
struct AwaitsRun {
    QString recorded;
};
struct RunOffered {
    QString recorded, session;
};
struct RunShown {};
struct RunFailed {
    QString problem;
};
using SampleRun = std::variant<std::monostate, AwaitsRun, RunOffered, RunShown, RunFailed>;

/// Runs scripts and measures sessions: holds the state, updates the run bar, and reports the end of a run.
class RunController : public QObject {
    Q_OBJECT
public:
    RunController(StudioParts &parts, Notices &notices, Workspaces &workspaces, ScriptEditor &editor, RunBar &runBar);

    ProcessKeeper &processes() { return m_processes; }
    const RunState &state() const { return m_state; }
    bool isRunning() const { return std::holds_alternative<Runs>(m_state); }
    bool isMeasuring() const { return std::holds_alternative<Measures>(m_state); }
    bool canRun() const { return m_canRun; }

    /// Runs the script. `keepsValues`: of some calls, so that they can be run again.
    void run(bool keepsValues = false, AfterRun after = {});
    void stop() { m_processes.stop(); }
    /// Runs the script with a flag set, and compares.
    void tryFlag(const QString &flag);
    /// A command of `croton` on the session that is shown; where that lacks something, its script runs first.
    void measure(const QStringList &words);
    void stopMeasuring();
    /// Makes a session of a graph document, once Croton is built.
    void importDocument(const QString &path);

    /// Cancels a run that waits for the build and a run in the background. Called before another file opens.
    void forget();
    /// What is shown next was not run here.
    void forgetEnd() { m_runEnd.reset(); }
    /// Runs the sample of a recorded session, too, when that is open and nothing else runs; the new run takes its place.
    void runSampleInBackground(const QString &recorded);
    /// How a session is copied that cannot be written; tests make copies that fail.
    using CopySession = std::function<bool(const QString &from, const QString &to)>;
    void setCopySession(CopySession copy) { m_copySession = std::move(copy); }

    /// Settings and rewrites that a session brings along.
    void takeSession(views::FeedParts changed);
    /// Script, command line and buttons, as they are now.
    void refresh();
    /// Shows once how the run ended.
    void showOutcome();
    RunOutcome outcome() const;
    /// What the status bar says of it.
    void describe(StatusFacts &facts) const;

Q_SIGNALS:
    void changed();
    void canRunChanged();
    void progressed(const QString &text);
    /// Croton is built, and this document can be opened.
    void documentWanted(const QString &path);

private:
    void connectRunBar();
    void connectProcesses();
    void connectProgram();
    void become(RunState state);
    void endRun(const RunEnd &end, bool written);
    void startMeasuring(const QStringList &words);
    void finishMeasuring(const QString &measured);
    void takeOpened();
    QString problemOfMeasuring() const;
    /// Warns and returns true if a run would disturb a measurement.
    bool isDisturbing();
    bool waitsForProgram(bool keepsValues, const AfterRun &after);
    void beginAwaited();
    void offerFreshRun(const QString &session);
    bool canExchange(const QString &recorded) const;
    void setSample(SampleRun run);

    StudioParts &m_parts;
    Notices &m_notices;
    Workspaces &m_workspaces;
    ScriptEditor &m_editor;
    RunBar &m_runBar;
    ProcessKeeper m_processes;
    Measurer m_measurer;
    CopySession m_copySession;
    RunState m_state;
    SampleRun m_sample;
    std::optional<RunEnd> m_runEnd; ///< of the run whose session is shown
    RunOutcome m_toldOutcome;
    bool m_canRun = false;
};

} // namespace app
