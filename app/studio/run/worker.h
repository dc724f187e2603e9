#pragma once

#include "app/studio/run/run_settings.h"
#include "views/common/child_process.h"

#include <QObject>

namespace app {

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

    /// Starts; false with a sentence in `error` when the program is missing. Ends a running one first.
    bool start(const QString &script, const QString &session, const RunSettings &settings, QString *error);
    /// Asks it to end, and kills it when it has not after six seconds.
    void stop();
    /// Kills it at once; `finished` follows.
    void kill() { m_child.stop(0); }
    bool isRunning() const { return m_child.isRunning(); }
    QString session() const { return m_session; }
    QString script() const { return m_script; }
    double elapsedSeconds() const { return m_child.elapsedSeconds(); }

    /// Folder for sessions of scripts that were run here, made when missing.
    static QString sessionFolder();
    /// A fresh name for the session of a script.
    static QString newSessionPath(const QString &script);
    /// What an exit status means. A launcher passes on as 128 + n which signal ended the script.
    static RunEnd endOf(const views::ChildEnd &end, bool stopped);

Q_SIGNALS:
    void event(const views::ChildEvent &event);
    void finished(const app::RunEnd &end);

private:
    void hear(const views::ChildEvent &event);
    void ended(const views::ChildEnd &end);

    views::ChildProcess m_child;
    QString m_warning; ///< it told meanwhile
    RunEnd m_error;    ///< that it told of the script
    QString m_session;
    QString m_script;
};

} // namespace app

Q_DECLARE_METATYPE(app::RunEnd)
