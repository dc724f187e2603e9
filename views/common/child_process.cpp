#include "views/common/child_process.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QPointer>
#include <QSocketNotifier>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace views {
namespace {

constexpr int kEventDescriptor = 3;
constexpr qsizetype kMostBuffered = 1 << 20;
constexpr qsizetype kMergedTail = 64 * 1024, kErrorTail = 16 * 1024;
constexpr int kLastWaitMs = 1000;

void keepTail(QByteArray &text, qsizetype most)
{
    if (text.size() > most) text = text.right(most);
}

std::vector<QPointer<QProcess>> &droppedProcesses()
{
    static std::vector<QPointer<QProcess>> processes;
    return processes;
}

/// Runs after the event loop and its windows are gone.
void reapDropped()
{
    for (const QPointer<QProcess> &process : std::exchange(droppedProcesses(), {})) {
        if (process && process->state() != QProcess::NotRunning) process->waitForFinished(kLastWaitMs);
        delete process.data();
    }
}

/// Kills a process; its object goes when it has ended.
void reapLater(QProcess *process)
{
    [[maybe_unused]] static const bool registered = (qAddPostRoutine(reapDropped), true);
    process->disconnect();
    std::erase_if(droppedProcesses(), [](const QPointer<QProcess> &each) { return !each; });
    droppedProcesses().emplace_back(process);
    QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
    if (process->state() == QProcess::NotRunning) process->deleteLater();
    else process->kill();
}

} // namespace

ChildProcess::ChildProcess(QObject *parent) : QObject(parent)
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] { finish({ChildEnd::Kind::TookTooLong, 0, {}}); });
}

ChildProcess::~ChildProcess() { drop(); }

double ChildProcess::elapsedSeconds() const { return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000.0 : 0.0; }

bool ChildProcess::openEvents(int &writeEnd)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    m_readEnd = ends[0];
    writeEnd = ends[1];
    ::fcntl(m_readEnd, F_SETFL, O_NONBLOCK);
    m_notifier = std::make_unique<QSocketNotifier>(m_readEnd, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &ChildProcess::readEvents);
    return true;
}

void ChildProcess::closeEvents()
{
    m_notifier.reset();
    if (m_readEnd >= 0) ::close(std::exchange(m_readEnd, -1));
}

void ChildProcess::start(const Start &start)
{
    drop();
    m_buffer.clear();
    m_output.clear();
    m_errors.clear();
    m_wasStopped = false;
    m_program = start.program;
    m_arguments = start.arguments;
    m_process = new QProcess;
    const auto failLater = [this](const QString &reason) {
        QMetaObject::invokeMethod(
            this,
            [this, reason, process = QPointer(m_process)] {
                if (process && process == m_process) finish({ChildEnd::Kind::NotStarted, 0, reason});
            },
            Qt::QueuedConnection);
    };
    m_clock.start();
    int writeEnd = -1;
    if (start.hasEvents) {
        if (!openEvents(writeEnd)) return failLater(QString::fromLocal8Bit(std::strerror(errno)));
        m_arguments << QStringLiteral("--events-fd") << QString::number(kEventDescriptor);
    }
    m_process->setWorkingDirectory(start.folder);
    if (start.output == Output::Merge) m_process->setProcessChannelMode(QProcess::MergedChannels);
    if (start.output == Output::Discard) m_process->setStandardOutputFile(QProcess::nullDevice());
    if (!start.hasErrors) m_process->setStandardErrorFile(QProcess::nullDevice());
    m_process->setChildProcessModifier([writeEnd, parent = ::getpid(), signal = start.endSignal] {
        ::prctl(PR_SET_PDEATHSIG, signal);
        if (::getppid() != parent) ::_exit(1); // it was gone before
        if (writeEnd == kEventDescriptor) ::fcntl(writeEnd, F_SETFD, 0);
        else if (writeEnd >= 0) ::dup2(writeEnd, kEventDescriptor);
    });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &ChildProcess::readOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &ChildProcess::readErrors);
    connect(m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        finish({status == QProcess::CrashExit ? ChildEnd::Kind::Crashed : ChildEnd::Kind::Exited, code, {}});
    });
    connect(m_process, &QProcess::errorOccurred, this, [this, failLater](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) failLater(m_process->errorString());
    });
    if (start.limitMs > 0) m_limit.start(start.limitMs);
    m_process->start(start.program, m_arguments);
    if (writeEnd >= 0) ::close(writeEnd);
    if (!start.input.isEmpty()) m_process->write(start.input);
    m_process->closeWriteChannel();
}

void ChildProcess::stop(int patienceMs)
{
    if (!isRunning()) return;
    m_wasStopped = true;
    m_process->terminate();
    QTimer::singleShot(patienceMs, m_process, [process = m_process] {
        if (process->state() != QProcess::NotRunning) process->kill();
    });
}

void ChildProcess::drop()
{
    m_limit.stop();
    closeEvents();
    if (m_process) reapLater(std::exchange(m_process, nullptr));
}

void ChildProcess::readEvents()
{
    char block[16384];
    while (m_readEnd >= 0) {
        const ssize_t got = ::read(m_readEnd, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            if (got == 0 && m_notifier) m_notifier->setEnabled(false);
            break;
        }
        m_buffer.append(block, static_cast<qsizetype>(got));
    }
    const QPointer<QProcess> process = m_process; // who hears of an event may start another program
    for (const ChildEvent &each : parseEvents(m_buffer)) {
        if (process != m_process) return;
        Q_EMIT event(each);
    }
}

void ChildProcess::readOutput()
{
    m_output += m_process->readAllStandardOutput();
    if (m_process->processChannelMode() == QProcess::MergedChannels) keepTail(m_output, kMergedTail);
}

void ChildProcess::readErrors()
{
    m_errors += m_process->readAllStandardError();
    keepTail(m_errors, kErrorTail);
}

void ChildProcess::finish(const ChildEnd &end)
{
    m_limit.stop();
    const QPointer<QProcess> process = m_process;
    readEvents();
    if (process != m_process) return;
    readOutput();
    readErrors();
    if (end.kind == ChildEnd::Kind::TookTooLong) drop();
    closeEvents();
    Q_EMIT ended(end);
}

std::vector<ChildEvent> ChildProcess::parseEvents(QByteArray &buffer)
{
    std::vector<ChildEvent> events;
    qsizetype from = 0;
    for (qsizetype end; (end = buffer.indexOf('\n', from)) >= 0; from = end + 1) {
        const QJsonDocument document = QJsonDocument::fromJson(buffer.mid(from, end - from));
        if (!document.isObject()) continue;
        ChildEvent event;
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

} // namespace views
