#include "engine/ops/elements/checks.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/shapes/transfer.h"
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

/// An identity on an array of a device: `act` does on the host what it is for, before the array goes on.
class DeviceCheckThunk final : public Thunk {
public:
    DeviceCheckThunk(const ThunkSpec &spec, std::function<void(Slots)> act)
        : m_act(std::move(act)), m_copy(transferThunk({spec.inputs.first(1), spec.outputs}))
    {}
    void run(Slots slots) override
    {
        m_act(slots);
        m_copy->run(slots);
    }
    bool actsOnHost() const override { return true; }

private:
    std::function<void(Slots)> m_act;
    std::unique_ptr<Thunk> m_copy;
};

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

bool Assert::readsInputOnHost(std::size_t input, const Operand &) const { return input > 0; }
std::string Assert::deviceName() const { return exactName(); }
std::string Assert::deviceClass() const { return std::string(className()); }

void Assert::check(std::span<const View> conditions) const
{
    for (const View &condition : conditions) {
        const bool holds = withStorageType(condition.dtype, [&]<class T>() { return convertElement<bool>(*condition.as<T>()); });
        if (holds) continue;
        if (m_asValue) throw ShapeMismatch(m_message);
        throw AssertionFailed(m_message);
    }
}

std::unique_ptr<Thunk> Assert::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<DeviceCheckThunk>(spec,
                                              [this, conditions = std::vector(spec.inputs.begin() + 1, spec.inputs.end())](Slots slots) {
                                                  std::vector<View> views;
                                                  for (const SlotOperand &condition : conditions) views.push_back(viewOf(condition, slots));
                                                  check(views);
                                              });
}

void Assert::perform(PerformArgs &args) const
{
    check(args.inputs.subspan(1));
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

std::string Print::deviceName() const { return exactName(); }
std::string Print::deviceClass() const { return std::string(className()); }

void Print::say(const std::function<Tensor()> &value) const
{
    std::function<void(const PrintEvent &)> target;
    {
        std::lock_guard lock(s_sinkMutex);
        target = sink();
    }
    if (!target) return;
    const Tensor shown = value();
    for (const std::string &attribute : m_attributes) target({m_message, attribute, shown});
}

std::unique_ptr<Thunk> Print::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    SlotOperand there = spec.inputs[0], here = there;
    there.slot = Slot{0};
    here.slot = Slot{1};
    here.device = DeviceId::Host;
    here.strides = contiguousStrides(there.shape, sizeOf(there.dtype));
    const std::shared_ptr<Thunk> fetch = transferThunk({{&there, 1}, {&here, 1}});
    return std::make_unique<DeviceCheckThunk>(spec, [this, fetch, from = spec.inputs[0]](Slots slots) {
        say([&] {
            Tensor value = Tensor::empty(from.dtype, from.shape);
            void *const own[] = {slots[from.slot], value.data()};
            fetch->run(own);
            return value;
        });
    });
}

void Print::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    say([&] {
        Tensor value = Tensor::empty(x.dtype, shapeOfView(x));
        copyConverted(x, value.view());
        return value;
    });
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
OP_CARD(Assert, Check, arity(1, kAnyNumber), parameter("message", &Assert::message),
        OpField{"asValue",
                [](const Assert &op, JsonWriter &out) {
                    if (op.asValue()) out.member("asValue", true);
                },
                [](const OpParameters &from) { return from.has("asValue") && from.flag("asValue"); }});
OP_CARD(Print, Check, arity(1), parameter("message", &Print::message), parameter("attributes", &Print::attributes));

NOTATION("assert_(x, condition, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return assertTrue(x, call.variables());
});

} // namespace engine
