#include "app/studio/run/worker.h"

#include "app/studio/run/program.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <csignal>
#include <cstring>

namespace app {

using views::ChildEnd, views::ChildEvent, views::ChildProcess;

namespace {

constexpr int kWorkerPatienceMs = 6000; // the launcher gives the script five seconds to end its recording

} // namespace

Worker::Worker(QObject *parent) : QObject(parent)
{
    connect(&m_child, &ChildProcess::event, this, &Worker::hear);
    connect(&m_child, &ChildProcess::ended, this, &Worker::ended);
}

QString Worker::sessionFolder()
{
    QString base = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    if (base.isEmpty()) base = QDir::tempPath();
    const QString folder = base + "/croton/sessions";
    QDir().mkpath(folder);
    return folder;
}

QString Worker::newSessionPath(const QString &script)
{
    const QString stem = QFileInfo(script).completeBaseName();
    const QString stamp = QDateTime::currentDateTime().toString("yyyyMMdd-HHmmss");
    const QDir folder(sessionFolder());
    QString path = folder.filePath(QStringLiteral("%1-%2.croton").arg(stem, stamp));
    for (int n = 2; QFileInfo::exists(path); ++n) path = folder.filePath(QStringLiteral("%1-%2-%3.croton").arg(stem, stamp).arg(n));
    return path;
}

bool Worker::start(const QString &script, const QString &session, const RunSettings &settings, QString *error)
{
    const QString program = Program::instance().path();
    if (program.isEmpty()) {
        *error = Program::instance().whyNot();
        return false;
    }
    m_warning.clear();
    m_error = {};
    m_script = script;
    m_session = session;
    // What the script prints is kept in the session; its end here, for runs that leave none.
    m_child.start({.program = program,
                   .arguments = profileArguments(settings, QFileInfo(script).absoluteFilePath(), session),
                   .folder = QFileInfo(script).absolutePath(),
                   .output = ChildProcess::Output::Merge,
                   .hasEvents = true,
                   .endSignal = SIGTERM});
    return true;
}

void Worker::stop() { m_child.stop(kWorkerPatienceMs); }

void Worker::hear(const ChildEvent &event)
{
    if (event.kind == "warning") m_warning = event.text;
    if (event.kind == "error")
        m_error = {RunEnd::Kind::Failed, event.text, {}, event.raw.value("file").toString(), event.raw.value("line").toInt()};
    Q_EMIT this->event(event);
}

RunEnd Worker::endOf(const ChildEnd &end, bool stopped)
{
    using Kind = RunEnd::Kind;
    const int code = end.code;
    if (stopped) return {Kind::Stopped, tr("The run was stopped; what was recorded until then is shown."), {}, {}, 0};
    constexpr int kSignals = 128; // of an exit status, as shells count
    const int signal = end.kind == ChildEnd::Kind::Crashed ? code : code > kSignals && code < kSignals + SIGRTMAX ? code - kSignals : 0;
    switch (signal) {
    case 0: break;
    case SIGKILL: return {Kind::Killed, tr("The worker was killed, often for want of memory; what it had recorded is shown."), {}, {}, 0};
    case SIGINT:
    case SIGHUP:
    case SIGTERM:
        return {
            Kind::Stopped, tr("The run was ended by SIG%1; what was recorded until then is shown.").arg(sigabbrev_np(signal)), {}, {}, 0};
    default:
        return {Kind::Killed,
                tr("The worker crashed (%1); what it had recorded until then is shown.").arg(QString::fromLatin1(strsignal(signal))),
                {},
                {},
                0};
    }
    if (code == 0) return {};
    if (code == 2) return {Kind::NotStarted, tr("The worker did not understand its command line."), {}, {}, 0};
    return {Kind::Failed, tr("The script ended with an error (exit status %1).").arg(code), {}, {}, 0};
}

void Worker::ended(const ChildEnd &child)
{
    if (child.kind == ChildEnd::Kind::NotStarted) {
        Q_EMIT finished({RunEnd::Kind::NotStarted, Program::whyNotStarted(m_child.program(), child.reason), {}, {}, 0});
        return;
    }
    RunEnd end = endOf(child, m_child.wasStopped());
    end.output = QString::fromUtf8(m_child.output()).trimmed();
    if (end.kind == RunEnd::Kind::Good && !m_warning.isEmpty()) {
        end.kind = RunEnd::Kind::Warned;
        end.sentence = m_warning;
    } else if (end.kind == RunEnd::Kind::Failed && m_error.kind == RunEnd::Kind::Failed) {
        end.sentence = tr("The script ended with an error: %1").arg(m_error.sentence);
        end.file = m_error.file;
        end.line = m_error.line;
    } else if (end.kind == RunEnd::Kind::Failed || end.kind == RunEnd::Kind::NotStarted) {
        // The launcher says in its last line what it could not do.
        static const QString kLauncher = QStringLiteral("croton: ");
        const QString last = end.output.section(u'\n', -1);
        if (last.startsWith(kLauncher)) {
            end.kind = RunEnd::Kind::NotStarted;
            end.sentence = tr("The script was not run: %1.").arg(last.mid(kLauncher.size()));
        }
    }
    Q_EMIT finished(end);
}

} // namespace app
