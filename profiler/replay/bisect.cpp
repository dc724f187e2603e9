#include "engine/graph/ir/source.h"
#include "engine/tensor/errors.h"
#include "profiler/export/format.h"
#include "profiler/replay/along.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace profiler {
namespace {

struct Question {
    enum class Kind : std::uint8_t { Time, Error, Nan } kind = Kind::Nan;
    double limit = 0;
    std::string text;
};

[[noreturn]] void notUnderstood(const std::string &until)
{
    throw SessionError("--until does not say '" + until + "'", "it says \"time > 1.05 x\", \"error > 1e-6\" or \"nan\"");
}

Question questionOf(const std::string &until)
{
    std::string text;
    for (const char c : until)
        if (c != ' ') text += c;
    if (text == "nan") return {Question::Kind::Nan, 0, "an output has nan or infinity where the reference has none"};
    const std::size_t greater = text.find('>');
    if (greater == std::string::npos) notUnderstood(until);
    const std::string what = text.substr(0, greater), number = text.substr(greater + 1);
    char *end = nullptr;
    const double limit = std::strtod(number.c_str(), &end);
    const std::string unit = end;
    if (end == number.c_str() || !(limit > 0) || !std::isfinite(limit)) notUnderstood(until);
    if (what == "time" && unit == "x" && limit >= 1)
        return {Question::Kind::Time, limit, format("a call takes more than %g times what it took at best before", limit)};
    if (what == "error" && unit.empty())
        return {Question::Kind::Error, limit, format("an output is off by more than %g of its value", limit)};
    notUnderstood(until);
}

class Search {
public:
    Search(const LoadedCall &call, Question question, Journey &journey, const BisectRequest &request)
        : m_call(call), m_question(std::move(question)), m_journey(journey), m_watch(request.watch), m_judgesBusy(request.judgesBusy)
    {
        if (m_question.kind == Question::Kind::Time) return;
        m_watch.say("computing what is right");
        m_reference = referenceOf(call);
    }

    struct Answer {
        bool holds = false;
        std::string text; ///< what was measured
        double ns = 0;
    };

    // `best`: the step that time is held against.
    Answer ask(int step, int best)
    {
        if (m_watch.ended()) throw SessionError("ended before the step was found", counted(tried, "graph") + " were run");
        m_watch.say("the graph after step " + std::to_string(step) + " of " + std::to_string(m_journey.steps()));
        ++tried;
        try {
            const std::shared_ptr<engine::Function> function = m_journey.functionAt(step);
            if (m_question.kind == Question::Kind::Time) {
                const std::shared_ptr<engine::Function> other = m_journey.functionAt(best);
                if (other == function) return {};
                const std::vector<std::shared_ptr<engine::Function>> both{other, function};
                const TurnOptions turns{.seconds = 0.5, .leastRounds = 15, .mostRounds = 200, .judgesBusy = m_judgesBusy};
                const TurnTimes times = timesInTurns(m_call, both, turns, m_watch);
                if (!isJudged(times.load, turns))
                    throw SessionError(busyText(times.load) + ", so no step can be called slower",
                                       "try again when it is quiet, or with --anyway");
                const TimeDifference difference = differenceOf(times.of[1], times.of[0]);
                const double ratio = difference.otherNs > 0 ? difference.ns / difference.otherNs : 1;
                return {difference.counts && ratio > m_question.limit, timeText(difference.ns) + " a call", difference.ns};
            }
            const ValueDifference worst = worstOf(callCaptured(m_call, *function), m_reference);
            if (m_question.kind == Question::Kind::Nan) return {worst.notFinite > 0, textOf(worst), 0};
            return {worst.relative > m_question.limit || worst.notFinite > 0, format("off by %.2g of the value", worst.relative), 0};
        } catch (const engine::UserError &error) {
            return {m_question.kind != Question::Kind::Time, std::string("it ends with: ") + error.what(), 0};
        }
    }

    int tried = 0;

private:
    const LoadedCall &m_call;
    const Question m_question;
    Journey &m_journey;
    const Watch &m_watch;
    const bool m_judgesBusy;
    Reference m_reference;
};

void name(Guilt &guilt, const engine::FunctionGraph &graph)
{
    const engine::Journal &journal = graph.journal();
    const engine::Step &step = journal.steps[static_cast<std::size_t>(guilt.step) - 1];
    guilt.phase = step.phase;
    guilt.rewrite = step.rewrite;
    guilt.reason = step.reason;
    for (const engine::ApplyId id : journal.region(step)) guilt.region.push_back(graph.apply(id).op->name());
    for (const engine::ApplyId id : journal.produced(step)) guilt.produced.push_back(graph.apply(id).op->name());
    // What the region stems from: applies made by steps have the lines of those that they stem from.
    const engine::Lineage lineage = engine::traceLineage(graph);
    std::set<std::string> seen;
    for (const engine::ApplyId id : journal.region(step))
        for (const engine::TraceId trace : lineage.sources(graph, id)) {
            const engine::SourceLine &source = engine::sourceLine(trace);
            if (source.file.empty()) continue;
            std::string line = source.file + ":" + std::to_string(source.line) + (source.text.empty() ? "" : "  " + source.text);
            if (seen.insert(line).second) guilt.lines.push_back(std::move(line));
        }
}

} // namespace

void checkQuestion(const std::string &until) { (void)questionOf(until); }

Guilt bisect(SessionReader &reader, const BisectRequest &request)
{
    const Question question = questionOf(request.until);
    const LoadedCall call = loadCall(reader, request.function, request.call);
    request.watch.say("compiling " + call.view.functionName);
    Journey journey(call, modeOf(call.view.function, {}));
    Search search(call, question, journey, request);
    Guilt guilt;
    guilt.view = call.view;
    guilt.until = question.text;
    guilt.steps = journey.steps();
    int right = 0, wrong = 0, best = 0;
    Search::Answer before = search.ask(0, 0), after;
    if (before.holds) {
        guilt.verdict = "it is so in the graph as it was written: no rewrite made it (" + before.text + ")";
    } else {
        // Ends of passes first: what begins and ends in between is found, too, where it is larger than a pass.
        const auto &steps = journey.whole().graph().journal().steps;
        double bestNs = HUGE_VAL;
        for (int step = 1; step <= guilt.steps && wrong == 0; ++step) {
            const auto at = static_cast<std::size_t>(step);
            if (step < guilt.steps && steps[at].pass == steps[at - 1].pass && steps[at].phase == steps[at - 1].phase) continue;
            const Search::Answer answer = search.ask(step, best);
            if (answer.holds) {
                wrong = step;
                after = answer;
            } else {
                right = step;
                before = answer;
                if (answer.ns > 0 && answer.ns < bestNs) bestNs = answer.ns, best = step;
            }
        }
        if (wrong == 0) guilt.verdict = "no step made it so";
        while (wrong - right > 1) {
            const int middle = right + (wrong - right) / 2;
            const Search::Answer answer = search.ask(middle, best);
            (answer.holds ? wrong : right) = middle;
            (answer.holds ? after : before) = answer;
        }
    }
    guilt.tried = search.tried;
    guilt.step = wrong;
    guilt.before = before.text;
    guilt.after = after.text;
    if (wrong > 0) {
        name(guilt, journey.whole().graph());
        guilt.verdict = "step " + std::to_string(wrong) + " made it so: " + guilt.rewrite + " in " + guilt.phase;
    }
    return guilt;
}

std::string guiltText(const Guilt &guilt)
{
    std::string out = format("%s, call %lld: the first step after which %s\n", guilt.view.functionName.c_str(),
                             static_cast<long long>(guilt.view.call.call), guilt.until.c_str());
    out +=
        format("  %s; %s of %s run\n", guilt.verdict.c_str(), counted(guilt.tried, "graph").c_str(), counted(guilt.steps, "step").c_str());
    if (guilt.step == 0) return out;
    const auto list = [](const std::vector<std::string> &names) {
        std::string text;
        for (const std::string &one : names) text += (text.empty() ? "" : ", ") + one;
        return text.empty() ? std::string("none") : text;
    };
    out += "  before  " + (guilt.before.empty() ? "it is the best of all before" : guilt.before) + "\n";
    out += "  after   " + guilt.after + "\n";
    out += "  matched " + list(guilt.region) + "\n";
    out += "  made    " + list(guilt.produced) + "\n";
    if (!guilt.reason.empty()) out += "  because " + guilt.reason + "\n";
    for (const std::string &line : guilt.lines) out += "  at      " + line + "\n";
    return out + format("  croton passes shows the step; croton replay --exclude %s runs it without.\n", guilt.rewrite.c_str());
}

} // namespace profiler
