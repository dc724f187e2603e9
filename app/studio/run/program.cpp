#include "app/studio/run/program.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTimer>

#include <cerrno>
#include <csignal>

namespace app {

namespace {

constexpr int kLookMs = 500;
constexpr int kBeginMs = 60000; // until then a build has said something

bool isAlive(qint64 process) { return process > 0 && (::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM); }

} // namespace

Program &Program::instance()
{
    static Program program;
    return program;
}

Program::Program() : m_timer(new QTimer(this))
{
    m_timer->setInterval(kLookMs);
    connect(m_timer, &QTimer::timeout, this, &Program::look);
}

QString Program::path() const
{
    if (m_state != State::Whole) return {};
    const QString beside = QCoreApplication::applicationDirPath() + "/croton";
    if (QFileInfo(beside).isExecutable()) return beside;
    return QStandardPaths::findExecutable("croton");
}

QString Program::whyNot() const
{
    switch (m_state) {
    case State::Building: return tr("%1. When that is done this works.").arg(building());
    case State::Failed: return tr("Croton could not be built, and without that nothing runs: the terminal of app/run says why.");
    case State::Whole: break;
    }
    return tr("The program croton was found neither beside the studio nor on the PATH; build or install it to run scripts.");
}

QString Program::whyNotStarted(const QString &program, const QString &reason)
{
    if (!QFileInfo::exists(program))
        return tr("%1 could not be started: it is no longer there. Build or install Croton again.").arg(program);
    return tr("%1 could not be started (%2). Close some programs and try again, or build or install Croton again.").arg(program, reason);
}

QString Program::building() const
{
    if (m_state != State::Building) return {};
    return m_text.isEmpty() ? tr("Croton is being built") : tr("Croton is being built: %1").arg(m_text);
}

void Program::watchBuild(const QString &file)
{
    m_file = file;
    m_text.clear();
    m_state = State::Building;
    m_silence.start();
    m_timer->start();
    look();
}

// "building PROCESS DONE TOTAL M:SS", "built" or "failed", as it is written there.
void Program::look()
{
    static const QRegularExpression kBuilding(QStringLiteral("^building (\\d+) (\\d+) (\\d+) (\\d+:\\d\\d)$"));
    QFile file(m_file);
    const QString said = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.read(200)).trimmed() : QString();
    if (said == QLatin1String("built")) return end(State::Whole);
    if (said == QLatin1String("failed")) return end(State::Failed);
    const QRegularExpressionMatch now = kBuilding.match(said);
    if (!now.hasMatch()) {
        if (m_silence.elapsed() > kBeginMs) end(State::Failed);
        return;
    }
    if (!isAlive(now.captured(1).toLongLong())) return end(State::Failed);
    m_silence.start();
    const QString text = tr("%1 of %2 parts, %3 so far").arg(now.captured(2), now.captured(3), now.captured(4));
    if (std::exchange(m_text, text) != text) Q_EMIT grew();
}

void Program::end(State state)
{
    m_timer->stop();
    m_state = state;
    Q_EMIT built();
}

} // namespace app
