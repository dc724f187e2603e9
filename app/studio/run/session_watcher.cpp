#include "app/studio/run/session_watcher.h"

#include "profiler/session/store/reader.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace app {

using views::SessionData;

namespace {

constexpr unsigned long kSessionPollMs = 100;
constexpr qint64 kMostShownBytes = 16 << 20;
constexpr qsizetype kMostSessionsAsked = 20;
constexpr int kWaitForFilePolls = 300; // a worker that imports much needs some seconds to its first write

} // namespace

/// The body of the reading thread. It owns its reader and shares only the two flags and what it emits.
class SessionWatcher::Job : public QThread {
public:
    Job(SessionWatcher *owner, quint64 id, QString path, How how, QString sessions, std::shared_ptr<const SessionData> shown,
        std::shared_ptr<std::atomic<bool>> cancel, std::shared_ptr<std::atomic<bool>> lastRound, Prepare prepare)
        : m_owner(owner), m_id(id), m_path(std::move(path)), m_how(how), m_sessions(std::move(sessions)), m_shown(std::move(shown)),
          m_cancel(std::move(cancel)), m_lastRound(std::move(lastRound)), m_prepare(std::move(prepare))
    {}

protected:
    void run() override
    {
        try {
            if (!m_sessions.isEmpty() && !findSession()) {
                deliverScript();
                return;
            }
            if (m_how == How::Resumed) {
                prepareShown(*m_shown);
                if (m_shown->info.state != profiler::SessionState::Running) return;
            }
            std::unique_ptr<profiler::SessionReader> reader = openReader();
            if (!reader) return;
            if (m_how == How::Again) {
                readMore(*reader, *m_shown);
                return;
            }
            std::shared_ptr<const SessionData> last = m_shown ? m_shown : readFirst(*reader);
            while (!m_cancel->load()) {
                const bool ended = m_lastRound->load();
                if (last->info.state != profiler::SessionState::Running) return;
                if (!ended) QThread::msleep(kSessionPollMs);
                if (m_cancel->load() || (reader->dataVersion() == last->version && !ended)) continue;
                if (ended) reader = profiler::SessionReader::open(m_path.toStdString());
                last = readMore(*reader, *last);
                if (ended) return;
            }
        } catch (const profiler::SessionError &error) {
            fail(QString::fromStdString(error.what()), QString::fromStdString(error.hint()));
        } catch (const std::exception &error) {
            fail(QObject::tr("The session could not be read: %1").arg(error.what()), {});
        }
    }

private:
    std::shared_ptr<const SessionData> readFirst(profiler::SessionReader &reader)
    {
        std::shared_ptr<const SessionData> data = views::readSession(reader, nullptr);
        const bool preparesFirst = m_how == How::Prepared;
        if (preparesFirst && m_prepare) m_prepare(*data);
        data->isPrepared = !m_prepare || preparesFirst;
        m_hasShown = true;
        deliver([path = m_path, data](SessionWatcher *owner) {
            owner->show(data, path);
            Q_EMIT owner->opened(data, path);
        });
        prepareShown(*data);
        return data;
    }

    std::shared_ptr<const SessionData> readMore(profiler::SessionReader &reader, const SessionData &last)
    {
        std::shared_ptr<const SessionData> data = views::readSession(reader, &last);
        if (m_prepare) m_prepare(*data);
        deliver([path = m_path, data](SessionWatcher *owner) {
            owner->show(data, path);
            Q_EMIT owner->updated(data);
        });
        return data;
    }

    /// What was handed over before all of it was prepared. Who asks for another session meanwhile breaks it off.
    void prepareShown(const SessionData &data)
    {
        if (data.isPrepared || m_cancel->load()) return;
        m_prepare(data);
        data.isPrepared = true;
        deliver([](SessionWatcher *owner) { Q_EMIT owner->prepared(); });
    }

    /// Names the session of the script; false when there is none.
    bool findSession()
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(file.errorString().toStdString());
        m_text = file.read(kMostShownBytes).toStdString();
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
        deliver([path = m_path, data](SessionWatcher *owner) {
            owner->show(data, path);
            Q_EMIT owner->opened(data, path);
        });
    }

    std::unique_ptr<profiler::SessionReader> openReader()
    {
        for (int tries = 0; !m_cancel->load(); ++tries) {
            const bool there = QFileInfo(m_path).size() > 0;
            const bool isGrowing = m_how == How::Growing;
            if (there || !isGrowing) {
                try {
                    return profiler::SessionReader::open(m_path.toStdString());
                } catch (const profiler::SessionError &) {
                    // A file that is just being made has no schema yet.
                    if (!isGrowing || tries >= kWaitForFilePolls || m_lastRound->load()) throw;
                }
            } else if (m_lastRound->load() || tries >= kWaitForFilePolls) {
                return nullptr; // the window already says how the worker ended
            }
            QThread::msleep(kSessionPollMs);
        }
        return nullptr;
    }

    template <class Action>
    void deliver(Action action)
    {
        QMetaObject::invokeMethod(
            m_owner,
            [owner = m_owner, id = m_id, action = std::move(action)] {
                if (owner->m_jobId == id) action(owner);
            },
            Qt::QueuedConnection);
    }

    void fail(const QString &sentence, const QString &hint)
    {
        deliver([sentence, hint, hasShown = m_hasShown](SessionWatcher *owner) {
            if (!hasShown) owner->resume();
            Q_EMIT owner->failed(sentence, hint);
        });
    }

    SessionWatcher *m_owner;
    quint64 m_id;
    QString m_path;
    How m_how;
    QString m_sessions;                         ///< folder in which the session of the script m_path is looked for
    std::shared_ptr<const SessionData> m_shown; ///< Again, Resumed: of the same file, a moment ago
    bool m_hasShown = m_how == How::Resumed;    ///< what is shown comes from this job
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

void SessionWatcher::readAgain(std::shared_ptr<const SessionData> shown) { start(m_path, How::Again, {}, std::move(shown)); }

void SessionWatcher::show(const std::shared_ptr<const SessionData> &data, const QString &path)
{
    m_shown = data;
    m_path = m_shownPath = path;
}

// What was asked for cannot be read: what is shown is followed again, and prepared if that was broken off.
void SessionWatcher::resume()
{
    std::shared_ptr<const SessionData> shown = m_shown.lock();
    if (!shown) return;
    start(m_shownPath, How::Resumed, {}, std::move(shown));
    Q_EMIT prepared(); // also if that was done when nobody listened
}

void SessionWatcher::start(const QString &path, How how, const QString &sessions, std::shared_ptr<const SessionData> shown)
{
    close();
    m_path = path;
    m_cancel = std::make_shared<std::atomic<bool>>(false);
    m_lastRound = std::make_shared<std::atomic<bool>>(false);
    m_thread = std::make_unique<Job>(this, m_jobId, path, how, sessions, std::move(shown), m_cancel, m_lastRound, m_prepare);
    m_thread->start();
}

void SessionWatcher::breakOff()
{
    close();
    m_path = m_shownPath;
    resume();
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
