#include "engine/compile/debug/blame.h"

#include "engine/compile/debug/debug_walk.h"
#include "engine/compile/debug/differences.h"
#include "engine/compile/request/past_values.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

struct Outcome {
    std::vector<Value> values;
    std::string error;
};

struct Mismatch {
    std::size_t output = 0;
    std::string text;
};

Outcome valuesAt(FunctionGraph &graph, std::size_t step, std::span<const Value> inputs)
{
    graph.goTo(step);
    std::vector<Value> copies;
    for (const Value &value : inputs) copies.push_back(copyOf(value));
    try {
        return {seen(pastValues(graph, copies)), {}};
    } catch (const UserError &error) {
        return {{}, error.what()};
    }
}

std::optional<Mismatch> differenceOf(const Outcome &before, const Outcome &after, std::optional<std::size_t> output)
{
    if (!before.error.empty()) return std::nullopt; // nothing to hold the later graphs against
    if (!after.error.empty()) return Mismatch{0, "it ends with: " + after.error};
    for (std::size_t i = 0; i < before.values.size(); ++i) {
        const Value &a = before.values[i], &b = after.values[i];
        if ((output && i != *output) || agree(a, b)) continue;
        return Mismatch{i, differenceText(a, b)};
    }
    return std::nullopt;
}

} // namespace

std::optional<Blame> findGuiltyStep(FunctionGraph &graph, std::span<const Value> inputs, std::optional<std::size_t> output)
{
    const std::size_t here = graph.position();
    struct Return {
        FunctionGraph &graph;
        std::size_t step;
        ~Return() { graph.goTo(step); }
    } back{graph, here};

    const Outcome wanted = valuesAt(graph, 0, inputs);
    // An op whose values change from run to run would make any step look guilty.
    if (differenceOf(wanted, valuesAt(graph, 0, inputs), output)) return std::nullopt;
    std::size_t right = 0, wrong = here;
    std::optional<Mismatch> difference = differenceOf(wanted, valuesAt(graph, wrong, inputs), output);
    if (!difference) return std::nullopt;
    // Two neighbours of which the first is right and the second is not: the step between them did it.
    while (wrong - right > 1) {
        const std::size_t middle = right + (wrong - right) / 2;
        if (auto found = differenceOf(wanted, valuesAt(graph, middle, inputs), output)) {
            wrong = middle;
            difference = std::move(found);
        } else {
            right = middle;
        }
    }
    const Step &step = graph.journal().steps[wrong - 1];
    return Blame{wrong,
                 std::string(step.phase),
                 std::string(step.rewrite),
                 std::string(step.reason),
                 difference->output,
                 std::move(difference->text)};
}

} // namespace engine
