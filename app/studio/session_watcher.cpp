#include "app/studio/session_watcher.h"

#include "profiler/session/reader.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace app {

using views::SessionData;

namespace {

constexpr unsigned long kPollMs = 100;
constexpr qint64 kMostScriptBytes = 16 << 20;
constexpr qsizetype kMostSessionsAsked = 20;
constexpr int kWaitForFilePolls = 300; // a worker that imports much needs some seconds to its first write

} // namespace

/// The body of the reading thread. It owns its reader and shares only the two flags and what it emits.
class SessionWatcher::Job : public QThread {
public:
    Job(SessionWatcher *owner, quint64 id, QString path, How how, QString sessions, std::shared_ptr<const SessionData> shown,
        std::shared_ptr<std::atomic<bool>> cancel, std::shared_ptr<std::atomic<bool>> lastRound, Prepare prepare)
        : m_owner(owner), m_id(id), m_path(std::move(path)), m_growing(how == How::Growing), m_preparesFirst(how == How::Prepared),
          m_sessions(std::move(sessions)), m_shown(std::move(shown)), m_cancel(std::move(cancel)), m_lastRound(std::move(lastRound)),
          m_prepare(std::move(prepare))
    {}

protected:
    void run() override
    {
        std::shared_ptr<const SessionData> last;
        try {
            if (!m_sessions.isEmpty() && !findSession()) {
                deliverScript();
                return;
            }
            std::unique_ptr<profiler::SessionReader> reader = openReader();
            if (!reader) return;
            if (m_shown) {
                last = read(*reader, m_shown.get());
                deliver([last](SessionWatcher *owner) { Q_EMIT owner->updated(last); });
                return;
            }
            last = views::readSession(*reader, nullptr);
            if (m_preparesFirst && m_prepare) m_prepare(*last);
            last->isPrepared = !m_prepare || m_preparesFirst;
            deliver([path = m_path, last](SessionWatcher *owner) {
                owner->m_path = path;
                Q_EMIT owner->opened(last, path);
            });
            if (!last->isPrepared && !m_cancel->load()) {
                m_prepare(*last);
                last->isPrepared = true;
                deliver([](SessionWatcher *owner) { Q_EMIT owner->prepared(); });
            }
            while (!m_cancel->load()) {
                const bool ended = m_lastRound->load();
                if (last->info.state != profiler::SessionState::Running) return;
                if (!ended) QThread::msleep(kPollMs);
                if (m_cancel->load() || (reader->dataVersion() == last->version && !ended)) continue;
                if (ended) reader = profiler::SessionReader::open(m_path.toStdString());
                last = read(*reader, last.get());
                deliver([last](SessionWatcher *owner) { Q_EMIT owner->updated(last); });
                if (ended) return;
            }
        } catch (const profiler::SessionError &error) {
            fail(QString::fromStdString(error.what()), QString::fromStdString(error.hint()));
        } catch (const std::exception &error) {
            fail(QObject::tr("The session could not be read: %1").arg(error.what()), {});
        }
    }

private:
    std::shared_ptr<const SessionData> read(profiler::SessionReader &reader, const SessionData *last) const
    {
        std::shared_ptr<const SessionData> data = views::readSession(reader, last);
        if (m_prepare) m_prepare(*data);
        return data;
    }

    /// Names the session of the script; false when there is none.
    bool findSession()
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(file.errorString().toStdString());
        m_text = file.read(kMostScriptBytes).toStdString();
        const QString names = QFileInfo(m_path).completeBaseName() + QStringLiteral("-*.croton");
        const QFileInfoList found = QDir(m_sessions).entryInfoList({names}, QDir::Files, QDir::Time);
        for (const QFileInfo &each : found.mid(0, kMostSessionsAsked)) {
            try {
                if (profiler::SessionReader::open(each.filePath().toStdString())->script().text != m_text) continue;
                m_path = each.filePath();
                return true;
            } catch (const profiler::SessionError &) {
                // damaged, or of another version: an older one may do
            }
        }
        return false;
    }

    void deliverScript()
    {
        auto data = std::make_shared<SessionData>();
        data->info.state = profiler::SessionState::Finished;
        data->script.path = m_path.toStdString();
        data->script.text = std::move(m_text);
        data->costs = std::make_shared<const profiler::Costs>(data->profile);
        if (m_prepare) m_prepare(*data);
        deliver([path = m_path, data](SessionWatcher *owner) { Q_EMIT owner->opened(data, path); });
    }

    std::unique_ptr<profiler::SessionReader> openReader()
    {
        for (int tries = 0; !m_cancel->load(); ++tries) {
            const bool there = QFileInfo(m_path).size() > 0;
            if (there || !m_growing) {
                try {
                    return profiler::SessionReader::open(m_path.toStdString());
                } catch (const profiler::SessionError &) {
                    // A file that is just being made has no schema yet.
                    if (!m_growing || tries >= kWaitForFilePolls || m_lastRound->load()) throw;
                }
            } else if (m_lastRound->load() || tries >= kWaitForFilePolls) {
                return nullptr; // the window already says how the worker ended
            }
            QThread::msleep(kPollMs);
        }
        return nullptr;
    }

    template <class Action>
    void deliver(Action action)
    {
        QMetaObject::invokeMethod(
            m_owner,
            [owner = m_owner, id = m_id, action] {
                if (owner->m_jobId == id) action(owner);
            },
            Qt::QueuedConnection);
    }

    void fail(const QString &sentence, const QString &hint)
    {
        deliver([sentence, hint](SessionWatcher *owner) { Q_EMIT owner->failed(sentence, hint); });
    }

    SessionWatcher *m_owner;
    quint64 m_id;
    QString m_path;
    bool m_growing;
    bool m_preparesFirst;
    QString m_sessions;                         ///< folder in which the session of the script m_path is looked for
    std::shared_ptr<const SessionData> m_shown; ///< of the same file, a moment ago
    std::string m_text;
    std::shared_ptr<std::atomic<bool>> m_cancel;
    std::shared_ptr<std::atomic<bool>> m_lastRound;
    Prepare m_prepare;
};

SessionWatcher::SessionWatcher(Prepare prepare, QObject *parent) : QObject(parent), m_prepare(std::move(prepare))
{
    qRegisterMetaType<std::shared_ptr<const SessionData>>();
}

SessionWatcher::~SessionWatcher()
{
    close();
    for (const auto &thread : m_retired) thread->wait();
}

void SessionWatcher::open(const QString &path, bool growing) { start(path, growing ? How::Growing : How::Whole, {}); }

void SessionWatcher::openPrepared(const QString &path) { start(path, How::Prepared, {}); }

void SessionWatcher::openScript(const QString &script, const QString &sessions) { start(script, How::Whole, sessions); }

void SessionWatcher::readAgain(std::shared_ptr<const SessionData> shown) { start(m_path, How::Whole, {}, std::move(shown)); }

void SessionWatcher::start(const QString &path, How how, const QString &sessions, std::shared_ptr<const SessionData> shown)
{
    close();
    m_path = path;
    m_cancel = std::make_shared<std::atomic<bool>>(false);
    m_lastRound = std::make_shared<std::atomic<bool>>(false);
    m_thread = std::make_unique<Job>(this, m_jobId, path, how, sessions, std::move(shown), m_cancel, m_lastRound, m_prepare);
    m_thread->start();
}

void SessionWatcher::finishFollowing()
{
    if (m_lastRound) m_lastRound->store(true);
}

void SessionWatcher::close()
{
    ++m_jobId;
    if (m_cancel) m_cancel->store(true);
    // One read of a large session may still run; it ends by itself and its answer is dropped by id.
    std::erase_if(m_retired, [](const auto &thread) { return thread->isFinished(); });
    if (m_thread) m_retired.push_back(std::move(m_thread));
}

} // namespace app
