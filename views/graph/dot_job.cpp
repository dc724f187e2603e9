#include "views/graph/dot_job.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace views {

DotJob::DotJob(const Scene &scene, const Picture &picture, const Theme &theme, QObject *parent)
    : QObject(parent), m_scene(scene), m_question(askDot(scene, picture, theme))
{
    connect(&m_process, &ChildProcess::ended, this, &DotJob::readAnswer);
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
    const std::string request = dot::encode(m_question.request);
    m_process.start({.program = path,
                     .hasErrors = false,
                     .input = QByteArray(request.data(), static_cast<qsizetype>(request.size())),
                     .limitMs = timeoutMs});
}

void DotJob::cancel() { finish({}, tr("cancelled")); }

void DotJob::readAnswer(const ChildEnd &end)
{
    if (!end.isGood()) {
        finish({}, end.kind == ChildEnd::Kind::NotStarted    ? tr("the layout program did not start")
                   : end.kind == ChildEnd::Kind::TookTooLong ? tr("Graphviz took too long")
                                                             : tr("Graphviz failed"));
        return;
    }
    const QByteArray &bytes = m_process.output();
    const auto answer = dot::decodeAnswer({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (!answer || answer->centers.size() != m_question.nodes.size())
        finish({}, tr("the layout program gave an answer of another version"));
    else finish(memoryOf(m_scene, m_question, *answer), {});
}

void DotJob::finish(const PictureMemory &memory, const QString &reason)
{
    if (m_done) return;
    m_done = true;
    m_process.drop();
    Q_EMIT finished(memory, reason);
}

} // namespace views
