#include "app/studio/run/run_outcome.h"

#include "views/common/text.h"

namespace app {

using views::text;
using views::tr;

namespace {

using OutcomeKind = RunOutcome::Kind;

constexpr std::size_t kLastPieces = 200;
constexpr qsizetype kLastLines = 40;

QString lastLines(const QString &all)
{
    const QStringList lines = all.trimmed().split(u'\n');
    return lines.mid(std::max<qsizetype>(0, lines.size() - kLastLines)).join(u'\n');
}

/// What the script printed last: as it was kept, else as it came through the pipes.
QString lastOutput(const views::SessionData *session, const std::optional<RunEnd> &end)
{
    QString kept;
    if (session) {
        const auto &all = *session->outputs;
        for (std::size_t i = all.size() > kLastPieces ? all.size() - kLastPieces : 0; i < all.size(); ++i) kept += text(all[i].text);
    }
    // The launcher speaks behind the script, when nobody records any more.
    if (end && (kept.trimmed().isEmpty() || end->kind == RunEnd::Kind::Killed)) return lastLines(end->output);
    return lastLines(kept);
}

const profiler::Message *newest(const views::SessionData *session, profiler::Severity severity)
{
    if (!session) return nullptr;
    for (auto it = session->messages.rbegin(); it != session->messages.rend(); ++it)
        if (it->severity == severity) return &*it;
    return nullptr;
}

QString withHint(const profiler::Message &message) { return text(message.hint.empty() ? message.text : message.text + ' ' + message.hint); }

RunOutcome ofScript(const profiler::Message &error)
{
    const QString what = withHint(error);
    return {OutcomeKind::Failed,
            tr("Script failed: %1").arg(what),
            tr("The script ended with an error: %1").arg(what),
            {},
            {text(error.source.file), error.source.line}};
}

RunOutcome ofEnd(const RunEnd &end)
{
    switch (end.kind) {
    case RunEnd::Kind::Good: return {};
    case RunEnd::Kind::Warned: return {OutcomeKind::Warning, tr("Run finished, but not recorded as a whole"), end.sentence, {}, {}};
    case RunEnd::Kind::Stopped: return {OutcomeKind::Warning, tr("Run stopped"), end.sentence, {}, {}};
    case RunEnd::Kind::Killed: return {OutcomeKind::Failed, tr("Run killed"), end.sentence, {}, {}};
    case RunEnd::Kind::NotStarted: return {OutcomeKind::Failed, tr("Run not started"), end.sentence, {}, {}};
    case RunEnd::Kind::Failed: break;
    }
    return {OutcomeKind::Failed, tr("Script failed"), end.sentence, {}, {end.file, end.line}};
}

RunOutcome decide(const views::SessionData *session, const std::optional<RunEnd> &end)
{
    if (end && (end->kind == RunEnd::Kind::Stopped || end->kind == RunEnd::Kind::Killed || end->kind == RunEnd::Kind::NotStarted))
        return ofEnd(*end);
    if (const profiler::Message *error = newest(session, profiler::Severity::Error)) return ofScript(*error);
    if (end && end->kind != RunEnd::Kind::Good) return ofEnd(*end);
    if (!session) return {};
    if (session->info.state == profiler::SessionState::CutOff && !session->warning.empty())
        return {OutcomeKind::Warning, tr("Cut off"), text(session->warning), {}, {}};
    if (session->info.state == profiler::SessionState::Finished && session->info.exitStatus != 0)
        return ofEnd(Worker::endOf({views::ChildEnd::Kind::Exited, session->info.exitStatus, {}}, false));
    if (const profiler::Message *warning = newest(session, profiler::Severity::Warning))
        return {OutcomeKind::Warning, {}, withHint(*warning), {}, {text(warning->source.file), warning->source.line}};
    return {};
}

} // namespace

RunOutcome outcomeOf(const views::SessionData *session, const std::optional<RunEnd> &end)
{
    RunOutcome outcome = decide(session, end);
    if (outcome.kind != OutcomeKind::Good) outcome.details = lastOutput(session, end);
    return outcome;
}

} // namespace app
