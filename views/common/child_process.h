#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <vector>

class QSocketNotifier;

namespace views {

/// One line of a program's event descriptor: {"event": "progress", "activity": "running", "done": 1240, "total": 10000 …}.
struct ChildEvent {
    QString kind; ///< "progress", "state", "warning", "error"
    QString text; ///< a sentence, or the current activity
    double done = -1;
    double total = -1;
    QJsonObject raw;
};

/// How a program ended.
struct ChildEnd {
    enum class Kind { Exited, Crashed, NotStarted, TookTooLong };
    Kind kind = Kind::Exited;
    int code = 0;   ///< exit status, or the signal of a crash
    QString reason; ///< why it could not be started
    bool isGood() const { return kind == Kind::Exited && code == 0; }
};

/// Runs one program at a time, on the GUI thread, which never waits for it. The program ends with this object and with this process.
class ChildProcess : public QObject {
    Q_OBJECT
public:
    enum class Output { Discard, Separate, Merge };
    struct Start {
        QString program;
        QStringList arguments;
        QString folder = {}; ///< its working directory; empty: ours
        Output output = Output::Separate;
        bool hasErrors = true;  ///< false: what it prints on stderr is discarded
        bool hasEvents = false; ///< adds "--events-fd N" and reports the lines that come there
        QByteArray input = {};  ///< written to its stdin
        int endSignal = 9;      ///< that it gets when this process ends; SIGTERM closes a recording properly
        int limitMs = 0;        ///< after which it is ended; 0: none
    };

    explicit ChildProcess(QObject *parent = nullptr);
    ~ChildProcess() override;

    /// Ends one that runs, without a signal. `ended` comes once, never from within this call.
    void start(const Start &start);
    /// Asks it to end, and kills it if it has not ended after a while.
    void stop(int patienceMs);
    /// Kills it. No signal follows.
    void drop();
    bool isRunning() const { return m_process && m_process->state() != QProcess::NotRunning; }
    bool wasStopped() const { return m_wasStopped; }
    double elapsedSeconds() const;
    /// What it printed: all of stdout, the end of stderr; of merged output the end.
    const QByteArray &output() const { return m_output; }
    const QByteArray &errors() const { return m_errors; }
    QString program() const { return m_program; }
    QStringList arguments() const { return m_arguments; }

    /// Parses whole lines of the event descriptor and takes them out of the buffer. Broken lines are skipped, an endless one is cut.
    static std::vector<ChildEvent> parseEvents(QByteArray &buffer);

Q_SIGNALS:
    void event(const views::ChildEvent &event);
    void ended(const views::ChildEnd &end);

private:
    bool openEvents(int &writeEnd);
    void closeEvents();
    void readEvents();
    void readOutput();
    void readErrors();
    void finish(const ChildEnd &end);

    QProcess *m_process = nullptr; ///< null: none was started, or it was dropped
    std::unique_ptr<QSocketNotifier> m_notifier;
    int m_readEnd = -1;
    QByteArray m_buffer, m_output, m_errors;
    QString m_program;
    QStringList m_arguments;
    bool m_wasStopped = false;
    QElapsedTimer m_clock;
    QTimer m_limit;
};

} // namespace views
