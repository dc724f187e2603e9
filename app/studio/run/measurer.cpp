#include "app/studio/run/measurer.h"

#include "app/studio/run/program.h"

#include <QRegularExpression>

#include <csignal>

namespace app {

using views::ChildEnd, views::ChildEvent, views::ChildProcess, views::Measuring;

namespace {

constexpr int kMeasurerPatienceMs = 2000;

/// What follows the last "croton: ", line by line; without one the last line.
QString lastSentence(const QByteArray &errors)
{
    const QString said = QString::fromUtf8(errors).trimmed();
    static const QRegularExpression kOurs(QStringLiteral("^croton: "), QRegularExpression::MultilineOption);
    const qsizetype at = said.lastIndexOf(kOurs);
    return at < 0 ? said.section(u'\n', -1).trimmed() : said.mid(at + 8);
}

} // namespace

Measurer::Measurer(Measuring &state, QObject *parent) : QObject(parent), m_state(state)
{
    connect(&m_child, &ChildProcess::event, this, &Measurer::hear);
    connect(&m_child, &ChildProcess::ended, this, &Measurer::takeEnd);
}

void Measurer::prepare(const QStringList &words, const QString &text, double share) { m_state.set({words, text, share, true, {}, {}}); }

void Measurer::fail(const QStringList &words, const QString &sentence) { m_state.set({words, {}, -1, false, sentence, {}}); }

bool Measurer::start(const QStringList &words, const QString &session)
{
    const QString program = Program::instance().path();
    if (program.isEmpty()) {
        fail(words, Program::instance().whyNot());
        return false;
    }
    m_out.clear();
    m_session = session;
    QStringList arguments = words;
    for (QString &word : arguments)
        if (word == QLatin1String("%out")) word = m_out = m_folder.filePath(QStringLiteral("%1.croton").arg(++m_files));
    arguments.insert(1, session);
    m_state.set({words, tr("Measuring"), -1, true, {}, {}});
    m_child.start({.program = program,
                   .arguments = arguments,
                   .output = ChildProcess::Output::Discard, // what it finds is in the session
                   .hasEvents = true,
                   .endSignal = SIGTERM});
    return true;
}

void Measurer::stop() { m_child.stop(kMeasurerPatienceMs); }

void Measurer::hear(const ChildEvent &event)
{
    Measuring::State now = m_state.now();
    now.text = event.text;
    now.share = event.total > 0 ? event.done / event.total : -1;
    m_state.set(now);
}

void Measurer::takeEnd(const ChildEnd &end)
{
    if (end.kind == ChildEnd::Kind::NotStarted) return finish(Program::whyNotStarted(m_child.program(), end.reason));
    if (m_child.wasStopped()) return finish(tr("It was stopped; nothing was kept."));
    if (end.isGood()) return finish({});
    const QString said = lastSentence(m_child.errors());
    finish(end.kind == ChildEnd::Kind::Crashed ? tr("The program croton crashed while it measured.")
           : said.isEmpty()                    ? tr("The program croton ended with status %1.").arg(end.code)
                                               : said);
}

void Measurer::finish(const QString &failure)
{
    Measuring::State now = m_state.now();
    now.isRunning = false;
    now.failure = failure;
    if (failure.isEmpty()) now.out = m_out;
    m_state.set(now);
    Q_EMIT ended(failure.isEmpty() ? m_session : QString());
}

} // namespace app
