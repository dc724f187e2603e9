#include "views/compare/compare_job.h"

#include "profiler/session/model/model.h"
#include "views/compare/compare_rows.h"

#include <QThread>

namespace views {

CompareJob::CompareJob(QObject *parent) : QObject(parent) {}

CompareJob::~CompareJob()
{
    for (const auto &thread : m_threads) thread->wait();
}

void CompareJob::start(const QString &pathA, const QString &pathB)
{
    std::erase_if(m_threads, [](const auto &thread) { return thread->isFinished(); });
    m_running = true;
    m_threads.emplace_back(QThread::create([this, id = ++m_id, pathA, pathB] { run(id, pathA, pathB); }));
    m_threads.back()->start();
}

void CompareJob::cancel()
{
    ++m_id;
    m_running = false;
}

void CompareJob::run(quint64 id, const QString &pathA, const QString &pathB)
{
    std::shared_ptr<const CompareRows> rows;
    QString problem;
    try {
        rows = std::make_shared<const CompareRows>(pathA.toStdString(), pathB.toStdString());
    } catch (const profiler::SessionError &error) {
        problem = QString::fromStdString(error.hint().empty() ? error.what() : error.what() + (' ' + error.hint()));
    } catch (const std::exception &error) {
        problem = tr("The sessions could not be compared: %1").arg(QString::fromUtf8(error.what()));
    }
    QMetaObject::invokeMethod(
        this,
        [this, id, rows, problem] {
            if (id != m_id) return;
            m_running = false;
            if (rows) Q_EMIT compared(rows);
            else Q_EMIT failed(problem);
        },
        Qt::QueuedConnection);
}

} // namespace views
