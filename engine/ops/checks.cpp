#include "engine/ops/checks.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/notation_call.h"
#include "engine/graph/op_document.h"
#include "engine/graph/precise_form.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/run_support.h"
#include "engine/tensor/fork.h"

#include <mutex>

namespace engine {
namespace {

ProcessMutex s_sinkMutex; // guards sink()
std::function<void(const PrintEvent &)> &sink()
{
    static auto *instance = new std::function<void(const PrintEvent &)>;
    return *instance;
}

} // namespace

std::vector<Type> Assert::outputTypes(std::span<const Operand> inputs) const
{
    for (const Operand &condition : inputs.subspan(1))
        if (!condition.type.isTensor() || condition.type.rank() != 0)
            throw ShapeMismatch("[assert] a condition must be a scalar, got " + condition.type.text(), "take its all()");
    return {inputs[0].type};
}

std::vector<VarRef> Assert::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    std::vector<VarRef> terms(node.inputs().size(), disconnected());
    const VarRef &x = node.input(0);
    terms[0] = x->type().isTensor() && isDiscrete(x->type().dtype()) ? zerosLike(x, floatX()) : outputGrads[0];
    return terms;
}

std::vector<VarRef> Assert::rop(const Apply &, std::span<const VarRef> evalPoints) const { return {evalPoints[0]}; }

std::string Assert::identity() const { return exactName() + (m_asValue ? " ValueError" : ""); }

void Assert::perform(PerformArgs &args) const
{
    for (const View &condition : args.inputs.subspan(1)) {
        const bool holds = withStorageType(condition.dtype, [&]<class T>() { return convertElement<bool>(*condition.as<T>()); });
        if (holds) continue;
        if (m_asValue) throw ShapeMismatch(m_message);
        throw AssertionFailed(m_message);
    }
    copyConverted(args.inputs[0], output(args, 0, shapeOfView(args.inputs[0])));
}

void setPrintSink(std::function<void(const PrintEvent &)> newSink)
{
    std::lock_guard lock(s_sinkMutex);
    sink() = std::move(newSink);
}

std::vector<VarRef> Print::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    return {isDiscrete(x->type().dtype()) ? zerosLike(x, floatX()) : outputGrads[0]};
}
std::vector<VarRef> Print::rop(const Apply &, std::span<const VarRef> evalPoints) const { return {evalPoints[0]}; }

std::string Print::exactName() const
{
    std::string attributes;
    for (const std::string &attribute : m_attributes) attributes += "'" + attribute + "', ";
    if (m_attributes.size() > 1) attributes.resize(attributes.size() - 2);
    else if (!attributes.empty()) attributes.pop_back();
    return "Print{message='" + m_message + "', attrs=(" + attributes + ")}";
}

void Print::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    std::function<void(const PrintEvent &)> target;
    {
        std::lock_guard lock(s_sinkMutex);
        target = sink();
    }
    if (target) {
        Tensor value = Tensor::empty(x.dtype, shapeOfView(x));
        copyConverted(x, value.view());
        for (const std::string &attribute : m_attributes) target({m_message, attribute, value});
    }
    copyConverted(x, output(args, 0, shapeOfView(x)));
}

VarRef assertTrue(const VarRef &x, std::span<const VarRef> conditions, std::string message, bool asValue)
{
    std::vector<VarRef> inputs{x};
    inputs.insert(inputs.end(), conditions.begin(), conditions.end());
    return engine::apply(makeOp<Assert>(std::move(message), asValue), inputs);
}

VarRef print(const VarRef &x, std::string message, std::vector<std::string> attributes)
{
    return engine::apply(makeOp<Print>(std::move(message), std::move(attributes)), {x});
}

PRECISE_MOVES(Assert, 0, 1);
OP_DOCUMENT(Assert, arity(1, kAnyNumber), parameter("message", &Assert::message),
            OpField{[](const Assert &op, JsonWriter &out) {
                        if (op.asValue()) out.member("asValue", true);
                    },
                    [](const OpParameters &from) { return from.has("asValue") && from.flag("asValue"); }});
OP_DOCUMENT(Print, arity(1), parameter("message", &Print::message), parameter("attributes", &Print::attributes));

NOTATION("assert_(x, condition, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return assertTrue(x, call.variables());
});

} // namespace engine
