#include "engine/ops/loops/graph_op.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/ir/clone.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/nested_shapes.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

namespace engine {

OpFromGraph::OpFromGraph(std::vector<VarRef> inputs, std::vector<VarRef> outputs, std::string name, bool isInline)
    : m_inner{std::move(inputs), std::move(outputs)}, m_title(std::move(name)), m_inline(isInline)
{
    std::unordered_set<const Variable *> given;
    for (const VarRef &input : m_inner.inputs) {
        if (!given.insert(input.get()).second) throw UserError("[OpFromGraph] the input " + input->displayName() + " is given twice");
        if (input->kind() == Variable::Kind::Constant || input->kind() == Variable::Kind::Shared)
            throw TypeMismatch("[OpFromGraph] an input must be a plain variable, " + input->displayName() + " is not");
    }
    for (const VarRef &leaf : leaves(m_inner.outputs, m_inner.inputs)) {
        if (given.count(leaf.get()) || leaf->kind() == Variable::Kind::Constant) continue;
        if (leaf->kind() == Variable::Kind::Shared)
            throw UserError("[OpFromGraph] the shared variable " + leaf->displayName() + " is used inside", "pass it as an input");
        throw MissingInput("[OpFromGraph] the outputs depend on " + leaf->displayName() + ", which is not among the inputs");
    }
}

std::string OpFromGraph::exactName() const
{
    return (m_title.empty() ? "OpFromGraph" : m_title) + (m_inline ? "{inline=True}" : "{inline=False}");
}

std::string OpFromGraph::shortName() const { return m_title.empty() ? "OpFromGraph" : m_title; }

std::vector<Type> OpFromGraph::outputTypes(std::span<const Operand> inputs) const
{
    if (inputs.size() != m_inner.inputs.size())
        throw TypeMismatch("[" + shortName() + "] takes " + std::to_string(m_inner.inputs.size()) + " inputs, got " +
                           std::to_string(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Type wanted = m_inner.inputs[i]->type();
        if (inputs[i].type == wanted || inputs[i].type.convertibleTo(wanted)) continue;
        throw TypeMismatch("[" + shortName() + "] input " + std::to_string(i) + " must be " + wanted.text() + ", got " +
                           inputs[i].type.text());
    }
    std::vector<Type> result;
    for (const VarRef &output : m_inner.outputs) result.push_back(output->type());
    return result;
}

bool OpFromGraph::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    auto result = nestedShapes(m_inner, shapes);
    if (!result) return false;
    outputs = std::move(*result);
    return true;
}

std::vector<std::vector<bool>> OpFromGraph::connectionPattern(const Apply &) const { return connections(m_inner.inputs, m_inner.outputs); }

std::vector<VarRef> OpFromGraph::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    // The gradient is a graph of its own: inputs and arriving gradients in, one term per connected input out.
    GradOptions options;
    options.onDisconnected = OnDisconnected::Ignore;
    options.disconnectedResult = DisconnectedResult::Disconnected;
    options.raiseOnNull = false;
    options.addNames = false;
    std::vector<VarRef> innerInputs = m_inner.inputs;
    std::vector<VarRef> outerInputs(node.inputs().begin(), node.inputs().end());
    for (std::size_t o = 0; o < outputGrads.size(); ++o) {
        if (isDisconnected(outputGrads[o])) continue;
        innerInputs.push_back(Variable::input(outputGrads[o]->type(), "g" + std::to_string(o)));
        outerInputs.push_back(outputGrads[o]);
        options.knownGrads.push_back({m_inner.outputs[o], innerInputs.back()});
    }
    std::vector<VarRef> terms = grad(nullptr, m_inner.inputs, options);
    std::vector<VarRef> wanted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (!terms[i]->type().isTensor()) continue;
        places.push_back(i);
        wanted.push_back(terms[i]);
    }
    if (wanted.empty()) return terms;
    const OpRef op = opFromGraph(innerInputs, wanted, "grad of " + shortName(), m_inline);
    const ApplyRef apply = Apply::create(op, outerInputs);
    for (std::size_t k = 0; k < places.size(); ++k) terms[places[k]] = VarRef(apply->output(static_cast<int>(k)));
    return terms;
}

std::vector<VarRef> OpFromGraph::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    std::vector<VarRef> points;
    for (std::size_t i = 0; i < evalPoints.size(); ++i)
        points.push_back(evalPoints[i] ? Variable::input(m_inner.inputs[i]->type()) : VarRef());
    std::vector<VarRef> wrt, directions, from = m_inner.inputs, to(node.inputs().begin(), node.inputs().end());
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i]) continue;
        wrt.push_back(m_inner.inputs[i]);
        directions.push_back(points[i]);
        from.push_back(points[i]);
        to.push_back(evalPoints[i]);
    }
    return substitute(forwardDerivatives(m_inner.outputs, wrt, directions), from, to);
}

namespace {

GraphEvaluator (*g_makeEvaluator)(const InnerGraph &, const std::string &) = nullptr;

} // namespace

bool setEvaluatorMaker(GraphEvaluator (*make)(const InnerGraph &, const std::string &))
{
    g_makeEvaluator = make;
    return true;
}

// Inside a compiled function the inner graph is compiled with it; this serves evaluation outside of one (constant
// folding, test values).
void OpFromGraph::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    static ProcessMutex mutex; // guards every m_evaluator
    std::unique_lock lock(mutex);
    std::shared_ptr<const GraphEvaluator> evaluator = m_evaluator;
    if (!evaluator) {
        lock.unlock(); // compiling takes its time, and may call the host language
        evaluator = std::make_shared<GraphEvaluator>(g_makeEvaluator(m_inner, shortName()));
        lock.lock();
        if (!m_evaluator) m_evaluator = evaluator;
    }
    lock.unlock();
    (*evaluator)(inputs, outputs);
}

OpRef opFromGraph(std::vector<VarRef> inputs, std::vector<VarRef> outputs, std::string name, bool isInline)
{
    return sealOp(std::make_unique<OpFromGraph>(std::move(inputs), std::move(outputs), std::move(name), isInline));
}

OP_CARD(
    OpFromGraph, Nested,
    [](const Op &op) {
        const std::size_t count = op.inner()->inputs.size();
        return Arity{count, count};
    },
    WholeOp{[](const OpFromGraph &op, JsonWriter &out) {
                if (op.friendlyName() != "OpFromGraph") out.member("title", op.friendlyName());
                out.member("inline", op.isInline());
                out.key("graph");
                writeInnerGraph(out, *op.inner());
            },
            [](const OpParameters &from) {
                InnerGraph inner = from.graph("graph");
                const std::string title = from.has("title") ? from.text("title") : "";
                return opFromGraph(std::move(inner.inputs), std::move(inner.outputs), title, from.flag("inline"));
            }});

// Everything the expression reads becomes an input of the inner graph.
NOTATION("OpFromGraph(expression, inline=False)", [](NotationCall &call) -> NotationValue {
    const VarRef expression = call.variable("expression");
    const bool isInline = call.flag("inline", false);
    std::vector<VarRef> outer, inner;
    for (const VarRef &leaf : leaves(std::vector<VarRef>{expression}))
        if (leaf->kind() == Variable::Kind::Input) {
            outer.push_back(leaf);
            inner.push_back(Variable::input(leaf->type(), leaf->name()));
        }
    const std::vector<VarRef> body = substitute(std::vector<VarRef>{expression}, outer, inner);
    return engine::apply(opFromGraph(inner, body, {}, isInline), outer);
});

} // namespace engine
