#pragma once

#include "app/studio/pages/welcome_page.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/run/worker.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <memory>

namespace app {

/// Starts and ends every program of the studio: the worker of a script, an expression, a graph document, the question for
/// devices. They write sessions; nothing of theirs runs in the window.
class ProcessKeeper : public QObject {
    Q_OBJECT
public:
    explicit ProcessKeeper(QObject *parent = nullptr);
    ~ProcessKeeper() override { discardBackgroundRun(); }

    /// Runs a script; its session grows from now on. Tells in `failed` when it cannot start.
    bool run(const QString &script, const RunSettings &settings);
    void stop() { m_worker.stop(); }
    bool isRunning() const { return m_worker.isRunning(); }
    double elapsedSeconds() const { return m_worker.elapsedSeconds(); }
    /// The session of the last run.
    QString session() const { return m_worker.session(); }
    /// Runs a script in the background: only its end is reported.
    void runInBackground(const QString &script, const RunSettings &settings);
    /// Ends that run, and removes its session once its process has ended and can write no more.
    void discardBackgroundRun();
    /// Why this machine has no such part ("compiler"); empty: it has it, or nobody knows yet.
    QString whyNo(const QString &part) const { return m_lacking.value(part); }
    /// Compiles one expression.
    void compileExpression(const QString &text);
    /// Calls it once with these values ("x = [1, 2]"; what is not named is random) and tells what came out.
    void evaluateExpression(const QString &text, const QString &values);
    /// Makes a session of a graph document.
    void importDocument(const QString &path);
    /// Writes a lesson as a PDF, in a program of its own.
    void printHandout(const QString &lesson, const QString &out, bool withAnswers);
    /// Starts an editor that outlives the window; `command` has %f and %l. False with a sentence.
    static bool openEditor(const QString &command, const QString &file, int line, QString *error);
    /// For every program instead of its own limit; 0: that. Tests do not wait for long.
    void setLimit(int ms) { m_limitMs = ms; }
    /// What is known of this machine before anybody asks.
    static Capability cpu();
    /// Asks the `croton` program what this machine can run on; without an answer, `devicesFound` says why.
    void probeDevices();

Q_SIGNALS:
    /// A session is there, or is being written.
    void sessionMade(const QString &path, bool growing);
    void progressed(const QString &text, double share); ///< 0 … 1; below 0 where the amount is unknown
    /// The run is over; `written` says whether it left a session.
    void runEnded(const app::RunEnd &end, bool written);
    /// The run in the background has ended and left this session; or it left none, and why.
    void backgroundRunFinished(const QString &session);
    void backgroundRunFailed(const QString &sentence);
    /// What is to be told at once, and of other programs than runs.
    void failed(const QString &sentence, const QString &details, bool warning);
    void handoutWritten(const QString &path);
    void expressionFailed(const QString &sentence);
    void expressionEvaluated(const QString &text);
    void devicesFound(const std::vector<app::DeviceChoice> &choices, const std::vector<app::Capability> &capabilities);

private:
    /// Gets what went wrong, in a sentence; empty: nothing did.
    using Then = std::function<void(const QString &failure)>;
    /// Starts `croton`. `then` is called once whatever becomes of it, unless the next program takes its place.
    void start(views::ChildProcess &process, const QStringList &arguments, int limitMs, Then then);
    void start(views::ChildProcess &process, const QString &program, const QStringList &arguments, int limitMs, Then then);
    void readDevices();
    void setDevicesUnknown(const QString &reason);

    Worker m_worker;
    std::unique_ptr<Worker> m_background; ///< while it runs
    QHash<QString, QString> m_lacking;
    views::ChildProcess m_maker; ///< of an expression or a document
    views::ChildProcess m_probe;
    views::ChildProcess m_printer;
    int m_limitMs = 0;
};

} // namespace app
