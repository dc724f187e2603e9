#include "engine/compile/blame.h"

#include "engine/tensor/errors.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/order.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

// float16 and float32 lose more digits than a reordered sum of float64 does.
double toleranceOf(DType dtype)
{
    return realPart(dtype) == DType::Float64 ? 1e-6 : 1e-4;
}

bool agreeAt(double before, double after, double tolerance)
{
    if (!std::isfinite(before)) return true;
    return std::abs(before - after) <= tolerance * (std::abs(before) + 0.1);
}

std::string numberText(double value)
{
    return Tensor::scalar(DType::Float64, value).text();
}

struct Outcome {
    std::vector<Value> values;
    std::string error;
};

struct Difference {
    std::size_t output = 0;
    std::string text;
};

Outcome valuesAt(FunctionGraph &graph, std::size_t step, std::span<const Value> inputs)
{
    graph.goTo(step);
    std::vector<Value> copies;
    for (const Value &value : inputs) copies.push_back(value.isTensor() ? Value(value.tensor().copy()) : value);
    ApplyFailure failure{kNoApply, {}};
    try {
        const std::vector<ApplyId> order = executionOrder(graph);
        return {interpret(graph, order, graph.inputs(), copies, graph.outputs(), {}, failure), {}};
    } catch (const UserError &error) {
        return {{}, error.what()};
    }
}

std::optional<Difference> differenceOf(const Outcome &before, const Outcome &after)
{
    if (!before.error.empty()) return std::nullopt; // nothing to hold the later graphs against
    if (!after.error.empty()) return Difference{0, "it ends with: " + after.error};
    for (std::size_t i = 0; i < before.values.size(); ++i) {
        const Value &a = before.values[i], &b = after.values[i];
        if (agree(a, b)) continue;
        if (!a.isTensor() || !b.isTensor()) return Difference{i, "another kind of value"};
        const Tensor &x = a.tensor(), &y = b.tensor();
        if (x.dtype() != y.dtype()) return Difference{i, std::string(nameOf(x.dtype())) + " became " + std::string(nameOf(y.dtype()))};
        if (x.shape() != y.shape()) return Difference{i, "shape " + x.shape().text() + " became " + y.shape().text()};
        for (std::int64_t k = 0; k < x.size(); ++k)
            if (!agreeAt(x.at(k), y.at(k), toleranceOf(x.dtype())))
                return Difference{i, numberText(x.at(k)) + " became " + numberText(y.at(k))};
        return Difference{i, "the values differ"};
    }
    return std::nullopt;
}

} // namespace

bool agree(const Value &before, const Value &after)
{
    if (!before.isTensor() || !after.isTensor()) return before.isTensor() == after.isTensor();
    const Tensor &a = before.tensor(), &b = after.tensor();
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    if (isDiscrete(a.dtype())) return a.sameAs(b);
    const double tolerance = toleranceOf(a.dtype());
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!agreeAt(a.at(i), b.at(i), tolerance)) return false;
    return true;
}

std::optional<Blame> findGuiltyStep(FunctionGraph &graph, std::span<const Value> inputs)
{
    const std::size_t here = graph.position();
    struct Return {
        FunctionGraph &graph;
        std::size_t step;
        ~Return() { graph.goTo(step); }
    } back{graph, here};

    const Outcome wanted = valuesAt(graph, 0, inputs);
    // An op whose values change from run to run would make any step look guilty.
    if (differenceOf(wanted, valuesAt(graph, 0, inputs))) return std::nullopt;
    std::size_t right = 0, wrong = here;
    std::optional<Difference> difference = differenceOf(wanted, valuesAt(graph, wrong, inputs));
    if (!difference) return std::nullopt;
    // Two neighbours of which the first is right and the second is not: the step between them did it.
    while (wrong - right > 1) {
        const std::size_t middle = right + (wrong - right) / 2;
        if (auto found = differenceOf(wanted, valuesAt(graph, middle, inputs))) {
            wrong = middle;
            difference = std::move(found);
        } else {
            right = middle;
        }
    }
    const Step &step = graph.journal().steps[wrong - 1];
    return Blame{wrong, std::string(step.phase), std::string(step.rewrite), std::string(step.reason), difference->output,
                 std::move(difference->text)};
}

} // namespace engine
