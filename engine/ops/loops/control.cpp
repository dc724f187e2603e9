#include "engine/ops/loops/control.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/runtime/plan/branches.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

/// Copies the side that is chosen; the other one may hold anything.
class ChooseThunk final : public Thunk {
public:
    explicit ChooseThunk(const ThunkSpec &spec)
        : m_inputs(spec.inputs.begin(), spec.inputs.end()), m_outputs(spec.outputs.begin(), spec.outputs.end())
    {
        for (std::size_t i = 1; i < m_inputs.size(); ++i)
            m_copies.push_back(copyOnSameDevice(m_inputs[i], m_outputs[(i - 1) % m_outputs.size()]));
    }

    void run(Slots slots) override
    {
        const std::size_t first = isTrue(viewOf(m_inputs[0], slots)) ? 1 : 1 + m_outputs.size();
        for (std::size_t o = 0; o < m_outputs.size(); ++o) {
            const View from = viewOf(m_inputs[first + o], slots), to = viewOf(m_outputs[o], slots);
            if (!(m_inputs[first + o].shape == m_outputs[o].shape))
                throw InternalError("a branch of shape " + m_inputs[first + o].shape.text() + " was planned as " +
                                    m_outputs[o].shape.text());
            if (from.data == to.data) continue;
            if (Thunk *const copy = m_copies[first + o - 1].get()) copy->run(slots);
            else copyConverted(from, to);
        }
    }

private:
    /// None on the host, nor where the sides have other sizes: there this one is not chosen.
    static std::unique_ptr<Thunk> copyOnSameDevice(const SlotOperand &from, const SlotOperand &to)
    {
        if (to.device == DeviceId::Host || !(from.shape == to.shape)) return nullptr;
        const auto isDense = [](const SlotOperand &array) {
            return View{nullptr, array.dtype, array.shape.rank(), array.shape.data(), array.strides.data()}.isContiguous();
        };
        if (!isDense(from) || !isDense(to)) return copyThunk({from}, {to}, "the side that is chosen");
        return transferThunk({{&from, 1}, {&to, 1}});
    }

    std::vector<SlotOperand> m_inputs, m_outputs;
    std::vector<std::unique_ptr<Thunk>> m_copies; // by value of the two sides
};

} // namespace

std::vector<Type> IfElse::outputTypes(std::span<const Operand> inputs) const
{
    const auto count = static_cast<std::size_t>(m_count);
    if (inputs.size() != 1 + 2 * count)
        throw TypeMismatch("[ifelse] takes a condition and two branches of " + std::to_string(m_count) + ", got " +
                           std::to_string(inputs.size()) + " inputs");
    const Type condition = inputs[0].type;
    if (!condition.isTensor() || condition.rank() != 0)
        throw TypeMismatch("[ifelse] the condition must be a scalar, got " + condition.text(), "take its all() or any()");
    std::vector<Type> result;
    for (std::size_t i = 0; i < count; ++i) {
        const Type then = inputs[1 + i].type, otherwise = inputs[1 + count + i].type;
        if (!(then == otherwise))
            throw TypeMismatch("[ifelse] The two branches should have identical types, but they are " + then.text() + " and " +
                               otherwise.text() + " respectively");
        if (!then.isTensor()) {
            result.push_back(then);
            continue;
        }
        // A size is known where both sides know the same.
        std::vector<std::int64_t> shape(then.shape().begin(), then.shape().end());
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (shape[axis] != otherwise.shape()[axis]) shape[axis] = kUnknownDim;
        result.push_back(then.withShape(shape));
    }
    return result;
}

bool IfElse::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs.clear();
    for (int i = 0; i < m_count; ++i) {
        SymShape shape;
        for (int axis = 0; axis < shapes.inputRank(1 + i); ++axis) {
            const Sym then = shapes.dim(1 + i, axis), otherwise = shapes.dim(1 + m_count + i, axis);
            const auto condition = then == otherwise ? std::nullopt : shapes.value(0);
            if (then != otherwise && !condition) return false;
            shape.push_back(condition ? shapes.select(*condition, then, otherwise) : then);
        }
        outputs.push_back(std::move(shape));
    }
    return true;
}

// A small change of the condition changes nothing.
std::vector<VarRef> IfElse::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const auto count = static_cast<std::size_t>(m_count);
    std::vector<VarRef> terms(node.inputs().size(), disconnected());
    const VarRef &condition = node.input(0);
    terms[0] = zerosLike(condition, isDiscrete(condition->type().dtype()) ? floatX() : condition->type().dtype());
    for (std::size_t side = 0; side < 2; ++side) {
        std::vector<VarRef> reached, zeros;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < count; ++i) {
            const VarRef &value = node.inputs()[1 + side * count + i];
            if (isDisconnected(outputGrads[i]) || !value->type().isTensor()) continue;
            if (isUndefined(outputGrads[i])) {
                terms[1 + side * count + i] = outputGrads[i];
                continue;
            }
            reached.push_back(outputGrads[i]);
            zeros.push_back(zerosLike(value, outputGrads[i]->type().dtype()));
            places.push_back(1 + side * count + i);
        }
        if (reached.empty()) continue;
        // Zeros have the pattern of the value, as the gradient should.
        for (std::size_t i = 0; i < reached.size(); ++i)
            if (!(reached[i]->type() == zeros[i]->type())) zeros[i] = fill(reached[i], constantOf(reached[i]->type().dtype(), 0));
        const std::vector<VarRef> made = ifElse(condition, side ? zeros : reached, side ? reached : zeros, m_title);
        for (std::size_t i = 0; i < places.size(); ++i) terms[places[i]] = made[i];
    }
    return terms;
}

std::vector<VarRef> IfElse::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const auto count = static_cast<std::size_t>(m_count);
    std::vector<VarRef> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        const VarRef &then = evalPoints[1 + i], &otherwise = evalPoints[1 + count + i];
        if (!then && !otherwise) continue;
        const VarRef sides[] = {then ? then : zerosLike(node.input(static_cast<int>(1 + i))),
                                otherwise ? otherwise : zerosLike(node.input(static_cast<int>(1 + count + i)))};
        result[i] = ifElse(node.input(0), std::span(sides).first(1), std::span(sides).last(1), m_title).front();
    }
    return result;
}

std::unique_ptr<Thunk> IfElse::prepare(const ThunkSpec &spec) const { return std::make_unique<ChooseThunk>(spec); }

void IfElse::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    const std::size_t first = isTrue(inputs[0].tensor().view()) ? 1 : 1 + outputs.size();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const Value &chosen = inputs[first + o];
        if (!chosen.isTensor()) outputs[o] = chosen;
        else if (outputs[o].isTensor() && outputs[o].tensor().shape() == chosen.tensor().shape()) {
            if (outputs[o].tensor().data() == chosen.tensor().data()) continue;
            if (isOnDevice()) copyOnDevice(chosen.tensor(), outputs[o].tensor());
            else copyConverted(chosen.tensor().view(), outputs[o].tensor().view());
        } else outputs[o] = Value(isOnDevice() ? denseCopy(chosen.tensor()) : chosen.tensor().copy());
    }
}

bool IfElse::readsInputOnHost(std::size_t input, const Operand &) const { return input == 0; }
std::string IfElse::deviceName() const
{
    std::string name = exactName();
    name.insert(name.size() - 1, name.ends_with("{}") ? "gpu" : ",gpu");
    return name;
}
std::string IfElse::deviceClass() const { return "IfElse"; }

bool IfElse::inplace() const
{
    return std::any_of(m_over.begin(), m_over.end(), [](int input) { return input != 0; });
}

std::vector<Alias> IfElse::destroyMap() const
{
    std::vector<Alias> result;
    for (std::uint32_t o = 0; o < m_over.size(); ++o)
        if (const int input = m_over[o]) result.push_back({o, static_cast<std::uint32_t>(input)});
    return result;
}

std::string IfElse::exactName() const { return "if{" + m_title + (!inplace() ? "}" : m_title.empty() ? "inplace}" : ",inplace}"); }
std::string IfElse::identity() const
{
    std::string result = exactName() + std::to_string(m_count);
    for (const int input : m_over) result += " " + std::to_string(input);
    return result;
}

std::vector<VarRef> ifElse(const VarRef &condition, std::span<const VarRef> then, std::span<const VarRef> otherwise, std::string name)
{
    std::vector<VarRef> inputs{condition};
    inputs.insert(inputs.end(), then.begin(), then.end());
    inputs.insert(inputs.end(), otherwise.begin(), otherwise.end());
    const ApplyRef made = Apply::create(makeOp<IfElse>(static_cast<int>(then.size()), std::move(name)), inputs);
    std::vector<VarRef> result;
    for (int o = 0; o < made->outputCount(); ++o) result.push_back(VarRef(made->output(o)));
    return result;
}

PRECISE_FORM(IfElse, [](PreciseCall &call) {
    const std::size_t count = call.outputs.size(), first = call.values[0].tensor().at(0) != 0 ? 1 : 1 + count;
    for (std::size_t o = 0; o < count; ++o) call.outputs[o] = call.inputs[first + o];
});
OP_CARD(
    IfElse, Choice,
    [](const Op &op) {
        const auto count = static_cast<std::size_t>(1 + 2 * static_cast<const IfElse &>(op).count());
        return Arity{count, count};
    },
    WholeOp{[](const IfElse &op, JsonWriter &out) {
                out.member("count", op.count());
                out.member("title", op.title());
                out.key("over");
                out.beginArray();
                for (const int input : op.over()) out.value(input);
                out.endArray();
            },
            [](const OpParameters &from) -> OpRef {
                const int count = static_cast<int>(from.integer("count", 1, 1 << 20));
                std::vector<int> over;
                if (from.has("over"))
                    for (const std::int64_t input : from.integers("over", 0, 2 * count)) over.push_back(static_cast<int>(input));
                return makeOp<IfElse>(count, from.text("title"), std::move(over));
            }})
    .shown("n_outs", &IfElse::count)
    .shown("as_view", [](const IfElse &op) { return std::ranges::any_of(op.over(), [](int input) { return input != 0; }); });

/// over: 1 takes the memory of `then`, 2 of `else_`.
NOTATION("ifelse(condition, then, else_, over=0)", [](NotationCall &call) -> NotationValue {
    const VarRef condition = call.variable("condition"), then = call.variable("then"), otherwise = call.variable("else_");
    const auto over = static_cast<int>(call.integer("over", 0));
    if (over < 0 || over > 2) call.fail("over is 0, 1 or 2");
    return engine::apply(makeOp<IfElse>(1, std::string(), std::vector<int>{over}), {condition, then, otherwise});
});

} // namespace engine
