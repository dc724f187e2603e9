#include "profiler/replay/along.h"

#include "engine/tensor/errors.h"
#include "profiler/compare/significance.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>

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

} // namespace

Along along(SessionReader &reader, const AlongRequest &request)
{
    const LoadedCall call = loadCall(reader, request.function, request.call);
    Along result;
    result.view = call.view;
    result.notes = call.standIns;
    std::string note;
    const engine::Mode mode = modeOf(call.view.function, {}, &note);
    if (!note.empty()) result.notes.push_back(note);
    result.mode = inWords(mode);
    const Reference reference = referenceOf(call);
    result.reference = reference.text;
    Journey journey(call, mode);
    const engine::Journal &journal = journey.whole().graph().journal();
    std::vector<std::shared_ptr<engine::Function>> functions;
    std::vector<std::size_t> places;
    const std::vector<int> steps = chosenSteps(journal, request.every);
    const auto tell = [&](const std::string &what) {
        if (request.told) request.told(what, static_cast<double>(result.rows.size()), 1.5 * static_cast<double>(steps.size()));
    };
    for (const int step : steps) {
        tell("The graph after step " + std::to_string(step));
        AlongRow row;
        row.function = call.view.function.function;
        row.call = call.view.call.call;
        row.step = step;
        if (step > 0) {
            const engine::Step &made = journal.steps[static_cast<std::size_t>(step) - 1];
            row.phase = made.phase;
            row.rewrite = made.rewrite;
        }
        try {
            const std::shared_ptr<engine::Function> function = journey.functionAt(step);
            const ValueDifference worst = worstOf(callCaptured(call, *function), reference);
            row.ulp = worst.ulp;
            row.notFinite = worst.notFinite;
            row.applies = static_cast<std::int64_t>(function->order().size());
            row.peakBytes = peakOfCall(call, *function);
            row.plannedBytes = static_cast<std::int64_t>(function->arenaBytes());
            functions.push_back(function);
            places.push_back(result.rows.size());
        } catch (const engine::UserError &error) {
            row.error = error.what();
        }
        result.rows.push_back(std::move(row));
    }
    tell("Calls of all of them in turns");
    const std::vector<std::vector<double>> times = timesInTurns(call, functions, request.turns);
    for (std::size_t i = 0; i < times.size(); ++i) result.rows[places[i]].ns = middleOf(times[i]);
    return result;
}

} // namespace profiler
