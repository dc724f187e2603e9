// What is measured afterwards for a view: whether the session has what it takes, and what has to be done first.
#include "app/studio/main_window.h"
#include "app/studio/program.h"
#include "app/studio/welcome_page.h"
#include "views/session/tried.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace app {

using namespace views;

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

} // namespace

void MainWindow::connectMeasurer()
{
    connect(&m_measurer, &Measurer::measured, this, [this](const QString &session) {
        if (session == m_keeper.path() && writesSession(Measuring::of(m_hub).now().words)) m_keeper.readAgain();
        refreshRun();
    });
    connect(&m_processes, &ProcessKeeper::progressed, this, [this](const QString &text, double share) {
        if (!m_measureNext.isEmpty()) m_measurer.prepare(m_measureNext, tr("First the script is run: %1").arg(text), share);
    });
    connect(&m_processes, &ProcessKeeper::runEnded, this, [this](const RunEnd &end, bool written) {
        if (m_measureNext.isEmpty()) return;
        const QStringList words = std::exchange(m_measureNext, {});
        const bool good = end.kind == RunEnd::Kind::Good || end.kind == RunEnd::Kind::Warned;
        if (good && written) m_measurer.start(words, m_keeper.path());
        else m_measurer.fail(words, end.sentence.isEmpty() ? tr("The run left no session.") : end.sentence);
    });
    connect(&m_keeper, &SessionKeeper::opened, this, [this] {
        if (m_processes.isRunning()) return;                                                               // it is recorded for this
        if (!m_measureNext.isEmpty()) m_measurer.start(std::exchange(m_measureNext, {}), m_keeper.path()); // a copy
        else if (!m_measurer.isRunning()) Measuring::of(m_hub).forget();
    });
}

QString MainWindow::problemOfMeasuring() const
{
    if (!session() || !session()->isRecorded()) return tr("There is no recording to measure anything of: run the script first.");
    if (Program::instance().isBeingBuilt()) return Program::instance().whyNot();
    if (m_processes.isRunning()) return tr("The script runs: this can be measured when it has ended.");
    if (m_measurer.isRunning()) return tr("Something else is being measured: wait for it, or stop it.");
    return {};
}

void MainWindow::measure(const QStringList &words)
{
    if (const QString problem = problemOfMeasuring(); !problem.isEmpty()) {
        if (m_measurer.isRunning() || !m_measureNext.isEmpty()) showError(problem, {}, true); // what runs keeps its strip
        else m_measurer.fail(words, problem);
        return;
    }
    const profiler::SessionInfo &info = session()->info;
    const QString recorded = QDir(QString::fromStdString(info.directory)).filePath(QString::fromStdString(session()->script.path));
    const bool hasValues = !session()->derived<Tried>().captured.empty();
    const bool ours = isOurs(m_keeper.path());
    const bool hasAll = (!runsCalls(words) || hasValues) && (!runsScript(words) || QFileInfo(recorded).isFile());
    if (hasAll && (ours || !writesSession(words))) {
        m_measurer.start(words, m_keeper.path());
    } else if (hasAll && !runsScript(words)) {
        const QString copy = Worker::newSessionPath(m_keeper.path());
        if (!QFile::copy(m_keeper.path(), copy) || !QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner)) {
            m_measurer.fail(words, tr("%1 cannot be written, and no copy of it could be made: is the disk full?").arg(m_keeper.path()));
            return;
        }
        m_measureNext = words;
        m_keeper.open(copy, false);
    } else if (m_canRun) {
        m_measureNext = words;
        m_measurer.prepare(words, tr("First the script is run"));
        runScript(runsCalls(words));
        if (!m_processes.isRunning()) stopMeasuring(); // it says why
    } else {
        m_measurer.fail(words, runsCalls(words)
                                   ? tr("This recording kept no values of calls, and its script is not on this machine: record it with "
                                        "croton profile --capture.")
                                   : tr("The script of this recording is not on this machine, so nothing can be run."));
    }
}

void MainWindow::stopMeasuring()
{
    if (m_measureNext.isEmpty()) return m_measurer.stop();
    const QStringList words = std::exchange(m_measureNext, {});
    if (m_processes.isRunning()) m_processes.stop();
    m_measurer.fail(words, tr("It was stopped; nothing was kept."));
}

} // namespace app
