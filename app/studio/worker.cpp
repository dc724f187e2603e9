#include "app/studio/worker.h"

#include "app/studio/event_child.h"
#include "app/studio/program.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSocketNotifier>
#include <QStandardPaths>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace app {
namespace {

constexpr int kWorkerPatienceMs = 6000; // the launcher gives the script five seconds to end its recording
constexpr qsizetype kMostBuffered = 1 << 20;
constexpr qsizetype kOutputTail = 64 * 1024;

} // namespace

Worker::Worker(QObject *parent) : QObject(parent) {}

Worker::~Worker()
{
    if (m_process) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(1000);
    }
    closeDescriptors();
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

bool Worker::isRunning() const { return m_process && m_process->state() != QProcess::NotRunning; }

double Worker::elapsedSeconds() const { return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000.0 : 0.0; }

bool Worker::start(const QString &script, const QString &session, const RunSettings &settings, QString *error)
{
    const QString program = Program::instance().path();
    if (program.isEmpty()) {
        *error = Program::instance().whyNot();
        return false;
    }
    if (isRunning()) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(1000);
    }
    closeDescriptors();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        *error = tr("No pipe for the worker's events could be made; close some programs and try again.");
        return false;
    }
    m_readEnd = ends[0];
    ::fcntl(m_readEnd, F_SETFL, O_NONBLOCK);
    m_notifier = std::make_unique<QSocketNotifier>(m_readEnd, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Worker::readEvents);
    m_buffer.clear();
    m_output.clear();
    m_warning.clear();
    m_error = {};
    m_stopped = false;
    m_script = script;
    m_session = session;

    m_process = std::make_unique<QProcess>();
    m_process->setProgram(program);
    m_process->setArguments(profileArguments(settings, QFileInfo(script).absoluteFilePath(), session) +
                            QStringList{"--events-fd", QString::number(kEventDescriptor)});
    m_process->setWorkingDirectory(QFileInfo(script).absolutePath());
    // What the script prints is kept in the session; its end here, for runs that leave none.
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setChildProcessModifier(tellingInto(ends[1]));
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &Worker::readOutput);
    connect(m_process.get(), &QProcess::finished, this, &Worker::ended);
    onFailureToStart(*m_process, [this](const QString &sentence) {
        closeDescriptors();
        Q_EMIT finished({RunEnd::Kind::NotStarted, sentence, {}, {}, 0});
    });
    m_clock.start();
    m_process->start();
    ::close(ends[1]);
    return true;
}

void Worker::stop()
{
    if (!isRunning()) return;
    m_stopped = true;
    endOrKill(*m_process, kWorkerPatienceMs);
}

void Worker::readEvents()
{
    char block[16384];
    for (;;) {
        const ssize_t got = ::read(m_readEnd, block, sizeof block);
        if (got <= 0) {
            if (got == 0 && m_notifier) m_notifier->setEnabled(false);
            break;
        }
        m_buffer.append(block, static_cast<qsizetype>(got));
    }
    for (const WorkerEvent &each : parseEvents(m_buffer)) {
        if (each.kind == "warning") m_warning = each.text;
        if (each.kind == "error")
            m_error = {RunEnd::Kind::Failed, each.text, {}, each.raw.value("file").toString(), each.raw.value("line").toInt()};
        Q_EMIT event(each);
    }
}

void Worker::readOutput()
{
    m_output += m_process->readAllStandardOutput();
    if (m_output.size() > kOutputTail) m_output = m_output.right(kOutputTail);
}

std::vector<WorkerEvent> Worker::parseEvents(QByteArray &buffer)
{
    std::vector<WorkerEvent> events;
    qsizetype from = 0;
    for (qsizetype end; (end = buffer.indexOf('\n', from)) >= 0; from = end + 1) {
        const QJsonDocument document = QJsonDocument::fromJson(buffer.mid(from, end - from));
        if (!document.isObject()) continue;
        WorkerEvent event;
        event.raw = document.object();
        event.kind = event.raw.value("event").toString();
        event.text = event.raw.value("text").toString(event.raw.value("message").toString());
        if (event.text.isEmpty()) event.text = event.raw.value("activity").toString();
        event.done = event.raw.value("done").toDouble(-1);
        event.total = event.raw.value("total").toDouble(-1);
        events.push_back(std::move(event));
    }
    buffer.remove(0, from);
    if (buffer.size() > kMostBuffered) buffer.clear();
    return events;
}

RunEnd Worker::endOf(QProcess::ExitStatus status, int code, bool stopped)
{
    using Kind = RunEnd::Kind;
    if (stopped) return {Kind::Stopped, tr("The run was stopped; what was recorded until then is shown."), {}, {}, 0};
    constexpr int kSignals = 128; // of an exit status, as shells count
    const int signal = status == QProcess::CrashExit ? code : code > kSignals && code < kSignals + SIGRTMAX ? code - kSignals : 0;
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

void Worker::ended(int code, QProcess::ExitStatus status)
{
    readEvents();
    readOutput();
    RunEnd end = endOf(status, code, m_stopped);
    end.output = QString::fromUtf8(m_output).trimmed();
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
    closeDescriptors();
    Q_EMIT finished(end);
}

void Worker::closeDescriptors()
{
    m_notifier.reset();
    if (m_readEnd >= 0) ::close(m_readEnd);
    m_readEnd = -1;
}

} // namespace app
