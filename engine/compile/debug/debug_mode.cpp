#include "engine/compile/debug/debug_mode.h"

#include "engine/compile/debug/blame.h"
#include "engine/compile/request/past_values.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/runtime/plan/interpreter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace engine {
namespace {

constexpr std::string_view kNames[] = {"BadOptimization", "BadThunkOutput",    "BadViewMap",
                                       "BadDestroyMap",   "InvalidValueError", "StochasticOrder"};
constexpr unsigned kDisturbedRuns = 24; // most need two or three

thread_local int t_debugging = 0;

struct Debugging {
    Debugging() { ++t_debugging; }
    ~Debugging() { --t_debugging; }
};

std::vector<Value> copiesOf(std::span<const Value> values)
{
    std::vector<Value> copies;
    for (const Value &value : values) copies.push_back(copyOf(value));
    return copies;
}

// The graph goes back to where it was.
class Travel {
public:
    explicit Travel(FunctionGraph &graph) : m_graph(graph), m_home(graph.position()) {}
    ~Travel() { m_graph.goTo(m_home); }

private:
    FunctionGraph &m_graph;
    std::size_t m_home;
};

/// Every result off by a rounding or two, but what is only looked at otherwise.
class Disturbance final : public ApplyListener {
public:
    Disturbance(const FunctionGraph &graph, unsigned seed) : m_graph(graph), m_random(seed) {}
    void after(ApplyId id, std::span<const Value>, std::span<Value> outputs) override
    {
        if (!m_graph.apply(id).op->viewMap().empty()) return;
        for (Value &value : outputs)
            if (!value.isTensor() || value.tensor().device() == DeviceId::Host) value = roundedOtherwise(value, m_random);
    }

private:
    const FunctionGraph &m_graph;
    std::mt19937 m_random;
};

/// What is too large for its dtype is the largest number instead.
class Bound final : public ApplyListener {
public:
    /// The first apply whose result was too large.
    ApplyId overflowed = kNoApply;

    void after(ApplyId id, std::span<const Value> inputs, std::span<Value> outputs) override
    {
        const auto isOnHost = [](const Value &value) { return !value.isTensor() || value.tensor().device() == DeviceId::Host; };
        const auto isPlain = [&](const Value &value) { return isOnHost(value) && isFinite(value); };
        if (!std::all_of(inputs.begin(), inputs.end(), isPlain)) return;
        for (Value &value : outputs) {
            if (!isOnHost(value) || isFinite(value)) continue;
            value = withoutInfinity(value);
            if (overflowed == kNoApply) overflowed = id;
        }
    }
};

bool mayDiffer(const Value &wanted, const Value &value)
{
    if (!wanted.isTensor() || !value.isTensor()) return false;
    const Tensor &a = wanted.tensor(), &b = value.tensor();
    return a.dtype() == b.dtype() && a.shape() == b.shape() && !isDiscrete(a.dtype());
}

} // namespace

std::string_view nameOf(DebugFault fault) { return kNames[static_cast<std::size_t>(fault)]; }

std::optional<DebugFault> debugFault(std::string_view name)
{
    const auto found = std::find(std::begin(kNames), std::end(kNames), name);
    if (found == std::end(kNames)) return std::nullopt;
    return static_cast<DebugFault>(found - std::begin(kNames));
}

bool isDebugging() { return t_debugging > 0; }

std::vector<Value> DebugRun::run(std::span<const Value> inputs, ApplyFailure &failure)
{
    const Debugging debugging;
    DebugWalk walk(m_graph, m_checks, m_left);
    std::vector<Value> copies = copiesOf(inputs);
    std::vector<Value> results = interpret(m_graph, m_order, m_graph.inputs(), copies, m_graph.outputs(), m_nested, failure, &walk);
    if (m_kernels) walk.compareKernels();
    comparePhases(inputs, results);
    return results;
}

std::vector<Value> DebugRun::valuesAt(std::size_t step, std::span<const Value> inputs) const
{
    m_graph.goTo(step);
    return seen(pastValues(m_graph, copiesOf(inputs)));
}

void DebugRun::comparePhases(std::span<const Value> inputs, std::span<const Value> results)
{
    if (!m_graph.keepsJournal()) return;
    const auto &steps = m_graph.journal().steps;
    if (steps.empty()) return;
    const Travel travel(m_graph);
    std::vector<Value> wanted;
    try {
        wanted = valuesAt(0, inputs);
    } catch (const UserError &) {
        return; // as it was written it fails: nothing to hold the others against
    }
    for (std::size_t step = 1; step <= steps.size(); ++step) {
        const bool isLast = step == steps.size();
        if (!isLast && steps[step].phase == steps[step - 1].phase) continue;
        std::vector<Value> values;
        try {
            if (isLast) values = seen(results);
            else values = valuesAt(step, inputs);
        } catch (const UserError &) {
            accuse(inputs, 0);
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) m_largest.widen(differenceOf(wanted[i], values[i]));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (!agree(wanted[i], values[i]) && !isRounding(inputs, wanted[i], values[i], i) &&
                !isOverflow(inputs, wanted[i], values[i], i))
                accuse(inputs, i);
    }
}

Tensor DebugRun::firstOutput(std::span<const Value> inputs, std::size_t output, ApplyListener &listener) const
{
    m_graph.goTo(0);
    const std::vector<Value> values = pastValues(m_graph, copiesOf(inputs), &listener);
    return fetched(values[output].tensor());
}

bool DebugRun::isRounding(std::span<const Value> inputs, const Value &wanted, const Value &value, std::size_t output)
{
    if (!mayDiffer(wanted, value)) return false;
    RoundingDoubt doubt(wanted.tensor(), value.tensor());
    for (unsigned seed = 0; seed < kDisturbedRuns && !doubt.isRounding(); ++seed) {
        Disturbance disturbance(m_graph, seed);
        doubt.widen(firstOutput(inputs, output, disturbance));
    }
    return doubt.isRounding();
}

// Where another number in the place of one that is too large gives another output, the output was never right: exp(x - log(sum(exp(x))))
// is 0 for large x, as log(infinity) is infinite, and its rewriting is there to give what it should be.
bool DebugRun::isOverflow(std::span<const Value> inputs, const Value &wanted, const Value &value, std::size_t output)
{
    if (!mayDiffer(wanted, value)) return false;
    RoundingDoubt doubt(wanted.tensor(), value.tensor());
    Bound bound;
    doubt.widen(firstOutput(inputs, output, bound));
    if (bound.overflowed == kNoApply || !doubt.isRounding()) return false;
    reportOverflow(inputs, output, bound.overflowed);
    return true;
}

void DebugRun::reportOverflow(std::span<const Value> inputs, std::size_t output, ApplyId overflowed)
{
    if (!m_checks.warn || std::exchange(m_toldOverflow, true)) return;
    m_graph.goTo(0);
    const std::string text = "output " + std::to_string(output) + ": " + textOf(m_graph, overflowed) +
                             " is too large for its dtype on these inputs, so what the graph as it was written makes of it is wrong";
    m_graph.goTo(m_graph.journal().steps.size());
    const auto blame = findGuiltyStep(m_graph, inputs, output);
    m_checks.warn(text +
                  (blame ? ", and is no measure of the rewrite " + blame->rewrite + " (step " + std::to_string(blame->step) + ", phase " +
                               blame->phase + (blame->reason.empty() ? "" : ", " + blame->reason) + "): " + blame->difference
                         : ""));
}

void DebugRun::accuse(std::span<const Value> inputs, std::size_t output)
{
    const std::string text = "output " + std::to_string(output) + " differs from what the graph gave before it was rewritten";
    m_graph.goTo(m_graph.journal().steps.size());
    const auto blame = findGuiltyStep(m_graph, inputs, output);
    if (!blame)
        throw DebugModeError(DebugFault::BadOptimization,
                             text + "; the rewrites agree with each other, so an op gives different values from run to run");
    DebugModeError error(DebugFault::BadOptimization,
                         text + ".\nThe rewrite " + blame->rewrite + " did it (step " + std::to_string(blame->step) + ", phase " +
                             blame->phase + (blame->reason.empty() ? "" : ", " + blame->reason) + "): " + blame->difference + ".",
                         "optimizer_excluding=" + blame->rewrite + " leaves it out.");
    error.step = blame->step;
    throw error;
}

void DebugRun::compare(std::span<const Value> wanted, std::span<const Value> found)
{
    const std::vector<Value> expected = seen(wanted), given = seen(found);
    for (std::size_t i = 0; i < given.size(); ++i) m_largest.widen(differenceOf(expected[i], given[i]));
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!agree(expected[i], given[i]))
            throw DebugModeError(DebugFault::BadThunkOutput, "output " + std::to_string(i) +
                                                                 " of the function differs from what its applies give one by one: " +
                                                                 differenceText(expected[i], given[i]));
}

} // namespace engine
