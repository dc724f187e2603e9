#pragma once

#include "app/studio/run_settings.h"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QProcess>

#include <memory>

class QSocketNotifier;

namespace app {

/// One line of the worker's event descriptor: {"event": "progress", "activity": "running", "done": 1240, "total": 10000 …}.
struct WorkerEvent {
    QString kind; ///< "progress", "state", "error"
    QString text; ///< a sentence, or what goes on
    double done = -1;
    double total = -1;
    QJsonObject raw;
};

/// How the process of a run ended.
struct RunEnd {
    enum class Kind { Good, Warned, Stopped, Killed, Failed, NotStarted };
    Kind kind = Kind::Good;
    QString sentence; ///< empty when all is well
    QString output;   ///< the last that it printed, both streams
    QString file;     ///< of the script's error, where that is known
    int line = 0;
};

/// Runs `croton profile` for a script and tells what becomes of it. One run at a time; GUI thread.
class Worker : public QObject {
    Q_OBJECT
public:
    explicit Worker(QObject *parent = nullptr);
    ~Worker() override;

    /// Starts; false with a sentence in `error` when the program is missing. Ends a running one first.
    bool start(const QString &script, const QString &session, const RunSettings &settings, QString *error);
    /// Asks it to end, and kills it when it has not after six seconds.
    void stop();
    bool isRunning() const;
    QString session() const { return m_session; }
    QString script() const { return m_script; }
    double elapsedSeconds() const;

    /// Folder for sessions of scripts that were run here, made when missing.
    static QString sessionFolder();
    /// A fresh name for the session of a script.
    static QString newSessionPath(const QString &script);
    /// What an exit status means. A launcher passes on as 128 + n which signal ended the script.
    static RunEnd endOf(QProcess::ExitStatus status, int code, bool stopped);
    /// Splits and parses the lines of the event descriptor; broken lines are skipped, an endless one is cut.
    static std::vector<WorkerEvent> parseEvents(QByteArray &buffer);

Q_SIGNALS:
    void event(const app::WorkerEvent &event);
    void finished(const app::RunEnd &end);

private:
    void readEvents();
    void readOutput();
    void ended(int code, QProcess::ExitStatus status);
    void closeDescriptors();

    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QSocketNotifier> m_notifier;
    int m_readEnd = -1;
    QByteArray m_buffer;
    QByteArray m_output; ///< the end of what it printed
    QString m_warning;   ///< it told meanwhile
    RunEnd m_error;      ///< that it told of the script
    QString m_session;
    QString m_script;
    bool m_stopped = false;
    QElapsedTimer m_clock;
};

} // namespace app

Q_DECLARE_METATYPE(app::RunEnd)
