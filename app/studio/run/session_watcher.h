#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/session_data.h"
#endif

#include <QObject>
#include <QThread>

#include <atomic>
#include <functional>
#include <memory>

namespace app {

/// Reads a session in a thread of its own and follows it while it grows. The window gets immutable snapshots.
class SessionWatcher : public QObject {
    Q_OBJECT
public:
    /// What is done with every snapshot in the reading thread: the first is handed over before, later ones behind that.
    using Prepare = std::function<void(const views::SessionData &)>;
    explicit SessionWatcher(Prepare prepare = {}, QObject *parent = nullptr);
    ~SessionWatcher() override;

    /// Starts reading; snapshots of an earlier file are dropped by id. `growing` waits for the file to appear.
    void open(const QString &path, bool growing = false);
    /// One that is whole, handed over when all is prepared.
    void openPrepared(const QString &path);
    /// The newest session in a folder that was recorded of a script's very text, else the text alone.
    void openScript(const QString &script, const QString &sessions);
    /// What is shown once more: something was added to its file. Comes as `updated`.
    void readAgain(std::shared_ptr<const views::SessionData> shown);
    /// The writer has ended: read once more, then stop asking.
    void finishFollowing();
    /// What is being read is not wanted any more: as where it cannot be read.
    void breakOff();
    void close();
    /// What is being read, else what is shown: where reading fails, what was shown before.
    QString path() const { return m_path; }

Q_SIGNALS:
    void opened(std::shared_ptr<const views::SessionData> data, const QString &path);
    void updated(std::shared_ptr<const views::SessionData> data);
    void prepared(); ///< what was opened
    void failed(const QString &sentence, const QString &hint);

private:
    class Job;
    enum class How : std::uint8_t { Whole, Growing, Prepared, Again, Resumed };
    void start(const QString &path, How how, const QString &sessions, std::shared_ptr<const views::SessionData> shown = nullptr);
    void show(const std::shared_ptr<const views::SessionData> &data, const QString &path);
    void resume();
    Prepare m_prepare;
    QString m_path;
    QString m_shownPath;
    std::weak_ptr<const views::SessionData> m_shown; ///< the newest that was handed over
    quint64 m_jobId = 0;
    std::unique_ptr<QThread> m_thread;
    std::vector<std::unique_ptr<QThread>> m_retired; ///< cancelled, perhaps still in a last read
    std::shared_ptr<std::atomic<bool>> m_cancel;
    std::shared_ptr<std::atomic<bool>> m_lastRound;
};

} // namespace app

Q_DECLARE_METATYPE(std::shared_ptr<const views::SessionData>)
