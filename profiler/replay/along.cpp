#include "profiler/replay/along.h"

#include "engine/ops/loops/graph_op.h"
#include "engine/ops/loops/scan.h"
#include "engine/tensor/errors.h"
#include "profiler/compare/significance.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>
#include <bit>

namespace profiler {
namespace {

// The ends of passes, or every so many steps; the first and the last graph always.
std::vector<int> chosenSteps(const engine::Journal &journal, int every)
{
    const int last = static_cast<int>(journal.steps.size());
    std::vector<int> steps{0};
    for (int step = 1; step <= last; ++step) {
        const auto at = static_cast<std::size_t>(step);
        const bool isEnd =
            step == last || journal.steps[at].pass != journal.steps[at - 1].pass || journal.steps[at].phase != journal.steps[at - 1].phase;
        if (step == last || (every > 0 ? step % every == 0 : isEnd)) steps.push_back(step);
    }
    return steps;
}

// The last and the first, then between them by halving: what was tried when time is up lies evenly.
std::vector<std::size_t> evenly(std::size_t count)
{
    std::vector<std::size_t> places{count - 1, 0};
    for (std::size_t stride = std::bit_ceil(count); stride >= 2; stride /= 2)
        for (std::size_t at = stride / 2; at + 1 < count; at += stride) places.push_back(at);
    if (count == 1) places.pop_back();
    return places;
}

bool hasBodies(const engine::Function &function)
{
    return std::ranges::any_of(function.order(), [&](engine::ApplyId id) {
        const engine::OpRef &op = function.graph().apply(id).op;
        return engine::opCast<engine::OpFromGraph>(op) || engine::opCast<engine::Scan>(op);
    });
}

class StepTrials {
public:
    StepTrials(const LoadedCall &call, const AlongRequest &request, const Watch &watch, Journey &journey, Along &result)
        : m_call(call), m_request(request), m_watch(watch), m_journey(journey), m_result(result),
          m_together(mostInTurns(journey.whole().graph().liveApplyCount()))
    {
        watch.say("computing what is right");
        m_reference = referenceOf(call);
        result.reference = m_reference.text;
        result.notes.insert(result.notes.end(), m_reference.notes.begin(), m_reference.notes.end());
    }

    void tryOut(std::size_t place)
    {
        AlongRow &row = m_result.rows[place];
        const bool isWhole = place + 1 == m_result.rows.size();
        if (!isWhole && m_watch.ended()) {
            row.error = kNotTried;
            return;
        }
        m_watch.say("the graph after step " + std::to_string(row.step) + " of " + std::to_string(m_journey.steps()),
                    static_cast<std::size_t>(m_result.tried), m_result.rows.size());
        ++m_result.tried;
        try {
            const std::shared_ptr<engine::Function> function = m_journey.functionAt(row.step);
            const ValueDifference worst = worstOf(callCaptured(m_call, *function), m_reference);
            row.ulp = worst.ulp;
            row.notFinite = worst.notFinite;
            row.applies = static_cast<std::int64_t>(function->order().size());
            row.peakBytes = peakOfCall(m_call, *function);
            row.plannedBytes = static_cast<std::int64_t>(function->arenaBytes());
            if (isWhole) m_whole = function;
            else m_waiting.push_back({place, function});
        } catch (const std::exception &error) { // one that fails is a row like others
            row.error = error.what();
        }
        if (m_waiting.size() >= m_together) measure();
    }

    // Those that wait, beside the function as it is.
    void measure()
    {
        if (!m_whole || (m_waiting.empty() && m_result.rows.back().ns > 0)) return;
        std::vector<std::shared_ptr<engine::Function>> functions{m_whole};
        for (const Waiting &one : m_waiting) functions.push_back(one.function);
        TurnOptions turns = m_request.trial.turns;
        turns.seconds *= std::min(1.0, static_cast<double>(functions.size()) / static_cast<double>(m_result.rows.size()));
        const TurnTimes turnTimes = timesInTurns(m_call, functions, turns, m_watch);
        const std::vector<std::vector<double>> &times = turnTimes.of;
        if (const std::string busy = busyText(turnTimes.load); !busy.empty()) m_result.busy = busy;
        AlongRow &last = m_result.rows.back();
        const double now = middleOf(times.front());
        if (last.ns == 0) last.ns = now;
        for (std::size_t i = 0; i < m_waiting.size(); ++i) {
            AlongRow &row = m_result.rows[m_waiting[i].place];
            if (times[i + 1].empty()) row.error = kNotTried, --m_result.tried;
            else row.ns = middleOf(times[i + 1]) * (last.ns / now);
        }
        m_waiting.clear();
    }

private:
    struct Waiting {
        std::size_t place;
        std::shared_ptr<engine::Function> function;
    };
    const LoadedCall &m_call;
    const AlongRequest &m_request;
    const Watch &m_watch;
    Journey &m_journey;
    Along &m_result;
    Reference m_reference;
    const std::size_t m_together;
    std::shared_ptr<engine::Function> m_whole;
    std::vector<Waiting> m_waiting;
};

} // namespace

Along along(SessionReader &reader, const AlongRequest &request)
{
    const LoadedCall call = loadCall(reader, request.trial.function, request.trial.call);
    Along result;
    result.view = call.view;
    result.notes = call.placeholders;
    std::string note;
    const engine::Mode mode = modeOf(call.view.function, {}, &note);
    if (!note.empty()) result.notes.push_back(note);
    result.mode = inWords(mode);
    const Watch watch = request.trial.watch.within(request.trial.limit);
    watch.say("compiling " + call.view.functionName);
    Journey journey(call, mode);
    if (hasBodies(journey.whole()))
        result.notes.emplace_back("graphs inside of applies (the body of a scan) are those of the function as it is in all rows");
    const engine::Journal &journal = journey.whole().graph().journal();
    for (const int step : chosenSteps(journal, request.every)) {
        AlongRow row;
        row.function = call.view.function.function;
        row.call = call.view.call.call;
        row.step = step;
        if (step > 0) {
            const engine::Step &made = journal.steps[static_cast<std::size_t>(step) - 1];
            row.phase = made.phase;
            row.rewrite = made.rewrite;
        }
        result.rows.push_back(std::move(row));
    }
    result.all = static_cast<int>(result.rows.size());
    StepTrials trials(call, request, watch, journey, result);
    for (const std::size_t place : evenly(result.rows.size())) trials.tryOut(place);
    trials.measure();
    if (result.tried < result.all)
        result.notes.push_back(std::to_string(result.tried) + " of " + std::to_string(result.all) +
                               " graphs were tried until the time was up");
    return result;
}

TrialRow trialOf(const Along &along)
{
    const AlongRow &first = along.rows.front();
    std::vector<std::string> notes = along.notes;
    if (!along.busy.empty()) notes.push_back(along.busy + kTimesMayBeOff);
    return {first.function, first.call, "along", along.mode, along.reference, notes, along.tried, along.all};
}

} // namespace profiler
