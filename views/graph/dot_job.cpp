#include "views/graph/dot_job.h"

#include "views/common/child_process.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcessEnvironment>

namespace views {

DotJob::DotJob(const Scene &scene, const Picture &picture, const Theme &theme, QObject *parent)
    : QObject(parent), m_scene(scene), m_question(askDot(scene, picture, theme))
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] { finish({}, tr("Graphviz took too long")); });
    connect(&m_process, &QProcess::finished, this, &DotJob::readAnswer);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        QMetaObject::invokeMethod( // whoever calls start() does not expect an answer from within
            this, [this] { finish({}, tr("the layout program did not start")); }, Qt::QueuedConnection);
    });
}

DotJob::~DotJob()
{
    m_done = true;
    m_process.disconnect(this);
    if (m_process.state() != QProcess::NotRunning) {
        m_process.kill();
        m_process.waitForFinished(200); // gone within some ms; without it Qt warns and waits longer
    }
}

QString DotJob::findProgram()
{
    const QString here = QCoreApplication::applicationDirPath();
    for (const QString &path : {here + QStringLiteral("/croton-dot"), here + QStringLiteral("/../libexec/croton/croton-dot")})
        if (QFileInfo(path).isExecutable()) return path;
    return {};
}

void DotJob::start(const QString &program, int timeoutMs)
{
    const QString path = program.isEmpty() ? findProgram() : program;
    if (path.isEmpty()) {
        QMetaObject::invokeMethod(
            this, [this] { finish({}, tr("Graphviz is not installed")); }, Qt::QueuedConnection);
        return;
    }
    m_limit.start(timeoutMs);
    m_process.setStandardErrorFile(QProcess::nullDevice());
    m_process.setChildProcessModifier([us = ::getpid()] { endWith(us, SIGKILL); });
    m_process.start(path, QStringList());
    const std::string request = dot::encode(m_question.request);
    m_process.write(request.data(), static_cast<qint64>(request.size()));
    m_process.closeWriteChannel();
}

void DotJob::cancel() { finish({}, tr("cancelled")); }

void DotJob::readAnswer(int exitCode, QProcess::ExitStatus status)
{
    if (status != QProcess::NormalExit || exitCode != 0) {
        finish({}, tr("Graphviz failed"));
        return;
    }
    const QByteArray bytes = m_process.readAllStandardOutput();
    const auto answer = dot::decodeAnswer({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (!answer || answer->centers.size() != m_question.nodes.size())
        finish({}, tr("the layout program gave an answer of another version"));
    else finish(memoryOf(m_scene, m_question, *answer), {});
}

void DotJob::finish(const PictureMemory &memory, const QString &reason)
{
    if (m_done) return;
    m_done = true;
    m_limit.stop();
    if (m_process.state() != QProcess::NotRunning) m_process.kill();
    Q_EMIT finished(memory, reason);
}

} // namespace views
