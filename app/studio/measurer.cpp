#include "app/studio/measurer.h"

#include "app/studio/event_child.h"
#include "app/studio/program.h"
#include "app/studio/worker.h"

#include <QRegularExpression>
#include <QSocketNotifier>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace app {

using views::Measuring;

namespace {

constexpr int kMeasurerPatienceMs = 2000;
constexpr qsizetype kErrorTail = 16 * 1024;

/// What follows the last "croton: ", line by line; without one the last line.
QString lastSentence(const QByteArray &errors)
{
    const QString said = QString::fromUtf8(errors).trimmed();
    static const QRegularExpression kOurs(QStringLiteral("^croton: "), QRegularExpression::MultilineOption);
    const qsizetype at = said.lastIndexOf(kOurs);
    return at < 0 ? said.section(u'\n', -1).trimmed() : said.mid(at + 8);
}

} // namespace

Measurer::Measurer(views::Measuring &state, QObject *parent) : QObject(parent), m_state(state) {}

Measurer::~Measurer() { close(); }

bool Measurer::isRunning() const { return m_process && m_process->state() != QProcess::NotRunning; }

void Measurer::prepare(const QStringList &words, const QString &text, double share) { m_state.set({words, text, share, true, {}, {}}); }

void Measurer::fail(const QStringList &words, const QString &sentence) { m_state.set({words, {}, -1, false, sentence, {}}); }

void Measurer::start(const QStringList &words, const QString &session)
{
    close();
    const QString program = Program::instance().path();
    if (program.isEmpty()) return fail(words, Program::instance().whyNot());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(words, tr("No pipe could be made; close some programs and try again."));
    m_readEnd = ends[0];
    ::fcntl(m_readEnd, F_SETFL, O_NONBLOCK);
    m_notifier = std::make_unique<QSocketNotifier>(m_readEnd, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Measurer::readEvents);
    m_events.clear();
    m_errors.clear();
    m_out.clear();
    m_stopped = false;
    m_session = session;
    QStringList arguments = words;
    for (QString &word : arguments)
        if (word == QLatin1String("%out")) word = m_out = m_folder.filePath(QStringLiteral("%1.croton").arg(++m_files));
    arguments.insert(1, session);
    arguments << "--events-fd" << QString::number(kEventDescriptor);
    m_process = std::make_unique<QProcess>();
    m_process->setStandardOutputFile(QProcess::nullDevice()); // what it finds is in the session
    m_process->setChildProcessModifier(tellingInto(ends[1]));
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &Measurer::readErrors);
    connect(m_process.get(), &QProcess::finished, this, &Measurer::ended);
    onFailureToStart(*m_process, [this](const QString &sentence) { finish(sentence); });
    m_state.set({words, tr("Measuring"), -1, true, {}, {}});
    m_process->start(program, arguments);
    ::close(ends[1]);
}

void Measurer::stop()
{
    if (!isRunning()) return;
    m_stopped = true;
    endOrKill(*m_process, kMeasurerPatienceMs);
}

void Measurer::readEvents()
{
    char block[4096];
    for (;;) {
        const ssize_t got = ::read(m_readEnd, block, sizeof block);
        if (got <= 0) {
            if (got == 0 && m_notifier) m_notifier->setEnabled(false);
            break;
        }
        m_events.append(block, static_cast<qsizetype>(got));
    }
    const std::vector<WorkerEvent> events = Worker::parseEvents(m_events);
    if (events.empty()) return;
    Measuring::State now = m_state.now();
    now.text = events.back().text;
    now.share = events.back().total > 0 ? events.back().done / events.back().total : -1;
    m_state.set(now);
}

void Measurer::readErrors()
{
    m_errors += m_process->readAllStandardError();
    if (m_errors.size() > kErrorTail) m_errors = m_errors.right(kErrorTail);
}

void Measurer::ended(int code, QProcess::ExitStatus status)
{
    readErrors();
    if (m_stopped) return finish(tr("It was stopped; nothing was kept."));
    if (status == QProcess::NormalExit && code == 0) return finish({});
    const QString said = lastSentence(m_errors);
    finish(status == QProcess::CrashExit ? tr("The program croton crashed while it measured.")
           : said.isEmpty()              ? tr("The program croton ended with status %1.").arg(code)
                                         : said);
}

void Measurer::finish(const QString &failure)
{
    Measuring::State now = m_state.now();
    now.isRunning = false;
    now.failure = failure;
    if (failure.isEmpty()) now.out = m_out;
    m_state.set(now);
    if (failure.isEmpty()) Q_EMIT measured(m_session);
}

void Measurer::close()
{
    if (m_process) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(1000);
        m_process.reset();
    }
    m_notifier.reset();
    if (m_readEnd >= 0) ::close(std::exchange(m_readEnd, -1));
}

} // namespace app
