#include "profiler/replay/ablate.h"

#include "engine/rewrite/registry.h"
#include "engine/tensor/errors.h"
#include "profiler/compare/significance.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace profiler {
namespace {

constexpr std::size_t kPaired = 5; // of those that matter most, each with each

struct Fired {
    std::int64_t times = 0;
    int firstStep = -1;
};

// What can be left out, and how often it fired: what steps the journal has of it.
std::map<std::string, Fired> firedIn(const engine::Function &function, AblateBy by)
{
    std::map<std::string, Fired> result;
    const auto &steps = function.graph().journal().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const engine::RewriteInfo *info = engine::findRewrite(steps[i].rewrite);
        if (!info) continue; // an edit that every compile needs
        std::vector<std::string> names;
        if (by == AblateBy::Rewrite) names = {info->name};
        else if (by == AblateBy::Pass) names = {std::string(steps[i].phase)};
        else names = info->tags;
        for (const std::string &name : names) {
            Fired &fired = result[name];
            ++fired.times;
            if (fired.firstStep < 0) fired.firstStep = static_cast<int>(i) + 1;
        }
    }
    return result;
}

const char *nameOfBy(AblateBy by) { return by == AblateBy::Rewrite ? "rewrite" : by == AblateBy::Pass ? "pass" : "tag"; }

// Compiles variants, measures each graph once, and lets their calls take turns.
class Trials {
public:
    Trials(const LoadedCall &call, const AblateRequest &request, const CapturedFunction &captured)
        : m_call(call), m_request(request), m_captured(captured), m_reference(referenceOf(call))
    {}

    std::size_t add(AblationKind kind, std::vector<std::string> leftOut, Fired fired = {})
    {
        AblationRow row;
        row.function = m_captured.function;
        row.call = m_call.view.call.call;
        row.by = nameOfBy(m_request.by);
        row.position = static_cast<int>(m_rows.size());
        row.kind = kind;
        row.leftOut = leftOut;
        row.fired = fired.times;
        row.firstStep = fired.firstStep;
        row.reference = m_reference.text;
        std::shared_ptr<engine::Function> function;
        try {
            ModeChanges changes;
            changes.excluding = std::move(leftOut);
            function = compileCaptured(m_call, modeOf(m_captured, changes));
            row.compileNs = static_cast<std::int64_t>(function->times().totalNs);
            row.applies = static_cast<std::int64_t>(function->order().size());
            const auto [known, isNew] = m_structures.emplace(structureOf(*function), row.position);
            if (!isNew) {
                row.sameAs = known->second;
                function.reset();
            } else {
                const ValueDifference worst = worstOf(callCaptured(m_call, *function), m_reference);
                row.ulp = worst.ulp;
                row.notFinite = worst.notFinite;
                row.peakBytes = peakOfCall(m_call, *function);
            }
        } catch (const engine::UserError &error) {
            row.error = error.what();
            function.reset();
        }
        m_rows.push_back(std::move(row));
        m_functions.push_back(std::move(function));
        return m_rows.size() - 1;
    }

    const std::shared_ptr<engine::Function> &function(std::size_t place) const { return m_functions[place]; }

    // All graphs, in turns: those of an earlier time once more, so that all have the same conditions.
    void measure()
    {
        std::vector<std::shared_ptr<engine::Function>> functions;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_functions.size(); ++i)
            if (m_functions[i]) functions.push_back(m_functions[i]), places.push_back(i);
        std::vector<std::vector<double>> times = timesInTurns(m_call, functions, m_request.turns);
        const std::vector<double> base = times.front();
        const std::vector<TimeDifference> differences = differencesOf(std::span(times).subspan(1), base);
        m_rows.front().ns = middleOf(base);
        for (std::size_t i = 0; i < differences.size(); ++i) {
            AblationRow &row = m_rows[places[i + 1]];
            row.ns = differences[i].ns;
            row.p = differences[i].p;
            row.counts = differences[i].counts;
        }
        for (AblationRow &row : m_rows) {
            if (row.sameAs < 0) continue;
            const AblationRow &same = m_rows[static_cast<std::size_t>(row.sameAs)];
            row.ns = same.ns;
            row.p = same.p;
            row.counts = same.counts;
            row.peakBytes = same.peakBytes;
            row.ulp = same.ulp;
            row.notFinite = same.notFinite;
        }
    }

    std::vector<AblationRow> &rows() { return m_rows; }

private:
    const LoadedCall &m_call;
    const AblateRequest &m_request;
    const CapturedFunction &m_captured;
    const Reference m_reference;
    std::vector<AblationRow> m_rows;
    std::vector<std::shared_ptr<engine::Function>> m_functions; // null: it is another one's graph, or failed
    std::unordered_map<std::string, int> m_structures;
};

// Singles by what they are worth; the numbers that rows have of each other follow.
void sort(std::vector<AblationRow> &rows)
{
    const double base = rows.front().ns;
    std::stable_sort(rows.begin() + 1, rows.end(), [base](const AblationRow &a, const AblationRow &b) {
        const auto rank = [base](const AblationRow &row) {
            const bool isEqual = row.sameAs == 0 || !row.error.empty();
            return std::tuple(row.kind, isEqual, -(row.ns - base));
        };
        return rank(a) < rank(b);
    });
    std::map<int, int> places;
    for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i].position] = static_cast<int>(i);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].position = static_cast<int>(i);
        if (rows[i].sameAs >= 0) rows[i].sameAs = places[rows[i].sameAs];
    }
}

} // namespace

Ablation ablate(SessionReader &reader, const AblateRequest &request)
{
    const LoadedCall call = loadCall(reader, request.function, request.call);
    Ablation result;
    result.view = call.view;
    result.notes = call.standIns;
    std::string note;
    result.mode = inWords(modeOf(call.view.function, {}, &note));
    if (!note.empty()) result.notes.push_back(note);
    Trials trials(call, request, call.view.function);
    trials.add(AblationKind::Nothing, {});
    if (const AblationRow &first = trials.rows().front(); !first.error.empty())
        throw SessionError(call.view.functionName + " cannot be run as it was recorded: " + first.error);
    const std::map<std::string, Fired> fired = firedIn(*trials.function(0), request.by);
    if (fired.empty())
        throw SessionError("no rewrite fired in " + call.view.functionName + ", so there is none to leave out",
                           "it was compiled as " + result.mode);
    std::vector<std::string> all;
    const double whole = static_cast<double>(fired.size()) * (request.pairs ? 3 : 2); // measuring takes about as long as compiling
    const auto tell = [&](const std::string &what, double done) {
        if (request.told) request.told(what, done, whole);
    };
    for (const auto &[name, times] : fired) {
        tell("Without " + name, static_cast<double>(all.size()));
        trials.add(AblationKind::Single, {name}, times);
        all.push_back(name);
    }
    trials.add(AblationKind::All, all);
    tell("Calls of all of them in turns", static_cast<double>(fired.size()));
    trials.measure();
    if (request.pairs) {
        std::vector<AblationRow> singles;
        for (const AblationRow &row : trials.rows())
            if (row.kind == AblationKind::Single && row.error.empty() && row.sameAs != 0) singles.push_back(row);
        const double base = trials.rows().front().ns;
        std::ranges::stable_sort(singles, {}, [base](const AblationRow &row) { return -std::fabs(row.ns - base); });
        if (singles.size() > kPaired) singles.resize(kPaired);
        tell("Those that matter most, two at a time", static_cast<double>(2 * fired.size()));
        for (std::size_t i = 0; i < singles.size(); ++i)
            for (std::size_t k = i + 1; k < singles.size(); ++k)
                trials.add(AblationKind::Pair, {singles[i].leftOut[0], singles[k].leftOut[0]});
        trials.measure();
    }
    result.rows = std::move(trials.rows());
    sort(result.rows);
    return result;
}

std::vector<Ablation> storedAblations(SessionReader &reader)
{
    std::vector<Ablation> result;
    const std::vector<CallView> views = capturedCalls(reader);
    for (AblationRow &row : reader.ablations()) {
        const bool isNext = result.empty() || result.back().nothing().function != row.function ||
                            result.back().nothing().call != row.call || result.back().nothing().by != row.by;
        if (isNext) {
            result.emplace_back();
            for (const CallView &view : views)
                if (view.function.function == row.function && view.call.call == row.call) result.back().view = view;
        }
        result.back().rows.push_back(std::move(row));
    }
    return result;
}

} // namespace profiler
