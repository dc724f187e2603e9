// What the tests of rewrites share: graphs from text, graphs as text, values.
#pragma once

#include "engine/compile/request/mode.h"
#include "engine/graph/ir/editor.h"
#include "engine/graph/ir/lineage.h"
#include "engine/ops/elements/random.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/plan/order.h"
#include "engine/runtime/sizes/size_checks.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"
#include "tests/engine/graph/canonical_dump.h"

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace rewrite_test {

using namespace engine;

inline std::unique_ptr<FunctionGraph> graphOf(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs)
{
    return std::make_unique<FunctionGraph>(inputs, outputs);
}

inline std::unique_ptr<FunctionGraph> parseGraph(const std::string &text)
{
    const ParsedExpression parsed = parseExpression(text);
    return graphOf(parsed.inputs, parsed.outputs);
}

/// The outputs as nested calls, constants by value: equal texts = equal graphs up to ids.
inline std::string textOf(const FunctionGraph &graph)
{
    std::map<std::uint32_t, std::string> texts;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i)
        texts[raw(graph.inputs()[i])] = graph.name(graph.inputs()[i]).empty() ? "in" + std::to_string(i) : graph.name(graph.inputs()[i]);
    const auto text = [&](VarId id) {
        const VarNode &node = graph.var(id);
        // The dtype of a literal is left out: `2` is an int8 where a person writes it.
        if (node.kind == Variable::Kind::Constant) {
            const auto value = VarHandle(graph, id).uniformConstant();
            if (!value) return node.leaf->value().text();
            char number[32];
            std::snprintf(number, sizeof number, "%.6g", *value);
            return std::string(number) + "[" + std::to_string(node.type.rank()) + "d]";
        }
        return texts[raw(id)];
    };
    int count = 0;
    std::string definitions;
    for (ApplyId id : graph.toposort()) {
        const ApplyNode &node = graph.apply(id);
        std::string call = node.op->name() + "(";
        for (std::size_t i = 0; i < node.inputs.size(); ++i) call += (i ? ", " : "") + text(node.inputs[i].var);
        call += ")";
        const bool shared = graph.var(node.outputs[0]).clients.size() > 1 || call.size() > 2000;
        if (shared) {
            definitions += "t" + std::to_string(count) + " = " + call + "; ";
            call = "t" + std::to_string(count++);
        }
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            texts[raw(node.outputs[o])] = node.outputs.size() == 1 ? call : call + "." + std::to_string(o);
    }
    std::string result = definitions;
    for (std::size_t i = 0; i < graph.outputCount(); ++i) result += (i ? " | " : "") + text(graph.output(i));
    return result;
}

inline std::vector<std::string> opNames(const FunctionGraph &graph)
{
    std::vector<std::string> names;
    for (ApplyId id : executionOrder(graph)) names.push_back(graph.apply(id).op->name());
    return names;
}

inline int countOps(const FunctionGraph &graph, const std::string &part)
{
    int count = 0;
    for (const std::string &name : opNames(graph)) count += name.find(part) != std::string::npos;
    return count;
}

/// Stands for a generator of the host language: all that it draws are halves.
inline const bool k_draws = [] {
    setRandomDraw([](const RandomFunction &op, std::span<const Value> inputs, std::span<Value> outputs) {
        const Tensor &sizes = inputs[1].tensor();
        Dims shape;
        for (std::int64_t i = 0; i < sizes.size(); ++i) shape.push_back(sizes.intAt(i));
        outputs[0] = inputs[0];
        outputs[1] = Value(Tensor::full(op.dtype(), shape, 0.5));
    });
    return true;
}();

/// Values of all variables of a graph, one apply after the other.
inline std::vector<Value> evaluate(const FunctionGraph &graph, const std::vector<Value> &inputs)
{
    std::vector<Value> copies;
    for (const Value &input : inputs) copies.push_back(input.isTensor() ? Value(input.tensor().copy()) : input);
    ApplyFailure failure{kNoApply, {}};
    return interpret(graph, executionOrder(graph), graph.inputs(), copies, graph.outputs(), {}, failure);
}

/// The same as a function does it: sizes that rewrites dropped are checked first.
inline std::vector<Value> evaluateChecked(const FunctionGraph &graph, const std::vector<Value> &inputs)
{
    std::vector<View> views;
    for (const Value &input : inputs) views.push_back(input.isTensor() ? input.tensor().view() : View{});
    SizeChecks checks(graph);
    ApplyFailure failure{kNoApply, {}};
    if (!checks.isEmpty()) checks.run(views, failure);
    return evaluate(graph, inputs);
}

/// `nasty`: half of the values are such at which formulas break; without infinities where `finite`.
inline Tensor randomTensor(std::mt19937 &random, DType dtype, const Dims &shape, bool nasty, bool finite = false)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    std::uniform_real_distribution<double> spread(-2, 2);
    static constexpr double kNasty[] = {1e-20, -1e-20, 800, -800, 0, -0.0, 1, -1, 40, -40, 1e-8, NAN, INFINITY, -INFINITY};
    for (std::int64_t i = 0; i < result.size(); ++i) {
        double value = spread(random);
        if (nasty && random() % 2) value = kNasty[random() % (std::size(kNasty) - (finite ? 2 : 0))];
        if (isDiscrete(dtype)) value = static_cast<double>(random() % 3);
        result.as<double>()[i] = value;
    }
    return result.converted(dtype);
}

inline bool close(double a, double b, double tolerance)
{
    if (std::isnan(a) && std::isnan(b)) return true;
    if (a == b) return true;
    return std::fabs(a - b) <= tolerance * (1 + std::max(std::fabs(a), std::fabs(b)));
}

/// Differences where `before` is finite; `exact`: everywhere. Empty: none.
inline std::string difference(const Value &before, const Value &after, double tolerance, bool exact = false)
{
    if (!before.isTensor() || !after.isTensor()) return before.isTensor() == after.isTensor() ? "" : "one is no tensor";
    const Tensor &a = before.tensor(), &b = after.tensor();
    if (a.dtype() != b.dtype()) return "dtype " + std::string(nameOf(a.dtype())) + " became " + std::string(nameOf(b.dtype()));
    if (!(a.shape() == b.shape())) return "shape " + a.shape().text() + " became " + b.shape().text();
    for (std::int64_t i = 0; i < a.size(); ++i)
        if ((exact || std::isfinite(a.at(i))) && !close(a.at(i), b.at(i), tolerance))
            return "element " + std::to_string(i) + ": " + std::to_string(a.at(i)) + " became " + std::to_string(b.at(i));
    return "";
}

inline bool holds(const std::vector<Value> &values, bool (*wanted)(double))
{
    for (const Value &value : values)
        for (std::int64_t i = 0; i < value.tensor().size(); ++i)
            if (wanted(value.tensor().at(i))) return true;
    return false;
}
/// Every element, nan and infinities too, but for what the rewrite says it changes on purpose.
inline std::string nastyDifference(const Value &before, const Value &after, double tolerance, ValueChange allowed)
{
    const Tensor &a = before.tensor(), &b = after.tensor();
    if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return "the type changed";
    for (std::int64_t i = 0; i < a.size(); ++i) {
        if (close(a.at(i), b.at(i), tolerance)) continue;
        if (has(allowed, ValueChange::DropsNan) && std::isnan(a.at(i))) continue;
        if (has(allowed, ValueChange::Improves) && (!std::isfinite(a.at(i)) || !std::isnan(b.at(i)))) continue;
        return "element " + std::to_string(i) + ": " + std::to_string(a.at(i)) + " became " + std::to_string(b.at(i));
    }
    return "";
}

inline Mode onlyMode(std::vector<std::string> names)
{
    Mode mode;
    mode.level = OptimizerLevel::None;
    mode.including = std::move(names);
    return mode;
}

inline std::uint64_t timesFired(const RewriteReport &report, const std::string &name)
{
    for (const RewriteCounts &counts : report.rewrites)
        if (counts.info->name == name) return counts.fired;
    return 0;
}

/// Replays back and forth and compares dumps; checks fates and origins. Empty: all well.
inline std::string checkJournal(FunctionGraph &graph)
{
    const std::string final = canonicalDump(graph);
    const Lineage lineage = traceLineage(graph);
    if (lineage.fates.size() != graph.originalApplyCount()) return "a fate is missing";
    for (std::size_t i = 0; i < lineage.fates.size(); ++i) {
        const FinalFate &fate = lineage.fates[i];
        if (raw(fate.apply) != i) return "fates are out of order";
        if (fate.kind != FateKind::Dead && fate.to.empty() && fate.leaves.empty() && fate.kind != FateKind::Constant)
            return "apply " + std::to_string(i) + " went, and nothing came for it";
    }
    for (ApplyId id : graph.liveApplies())
        if (lineage.origins[raw(id)].empty()) return "the apply " + graph.apply(id).op->name() + " comes from nowhere";
    const std::size_t last = graph.position();
    graph.goTo(0);
    const std::string original = canonicalDump(graph);
    graph.goTo(last);
    if (canonicalDump(graph) != final) return "replay back and forth changed the graph";
    for (std::size_t step = last; step-- > 0;) graph.goTo(step);
    if (canonicalDump(graph) != original) return "stepping back differs from jumping back";
    for (std::size_t step = 0; step <= last; ++step) graph.goTo(step);
    if (canonicalDump(graph) != final) return "stepping forth differs";
    return "";
}

} // namespace rewrite_test
