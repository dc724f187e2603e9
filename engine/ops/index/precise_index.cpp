// Writing into a part of an array with more digits than its dtype has.
#include "engine/graph/op/precise_form.h"
#include "engine/ops/index/index.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/runtime/plan/interpreter.h"

namespace engine {
namespace {

// `getter` reads from where the op writes: asked for places, it says where. Inputs are x, y and the index.
void write(PreciseCall &call, const OpRef &getter, bool isSet)
{
    if (!call.inputs[0] || !call.inputs[1]) throw NotPrecise(call.op.friendlyName() + " reads what has no precise form");
    PreciseArray out = call.input(0);
    Tensor all = Tensor::empty(DType::Int64, out.shape);
    for (std::int64_t i = 0; i < all.size(); ++i) all.as<std::int64_t>()[i] = i;
    std::vector<Value> values{Value(all)};
    std::vector<Operand> operands{{Type::tensor(DType::Int64, out.shape)}};
    for (std::size_t i = 2; i < call.values.size(); ++i) {
        values.push_back(call.values[i]);
        operands.push_back({call.inputTypes[i]});
    }
    const std::vector<Type> types = getter->outputTypes(operands);
    const Tensor places = evaluateOp(*getter, values, types)[0].tensor().copy();
    const PreciseArray &y = call.input(1);
    // y is stretched to what it is written into; axes that it lacks come first.
    Dims given(places.shape().size(), 1);
    for (std::size_t axis = 0; axis < y.shape.size(); ++axis) given[given.size() - y.shape.size() + axis] = y.shape[axis];
    Dims at(given.size(), 0);
    for (std::int64_t i = 0; i < places.size(); ++i) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < given.size(); ++axis) from = from * given[axis] + (given[axis] == 1 ? 0 : at[axis]);
        Precise &target = out.values[places.as<std::int64_t>()[i]];
        const Precise &value = y.values[from];
        target = isSet ? value : target + value;
        for (std::size_t axis = given.size(); axis-- > 0;) {
            if (++at[axis] < places.shape()[axis]) break;
            at[axis] = 0;
        }
    }
    call.set(0, std::move(out));
}

PRECISE_MOVES(Subtensor, 0, 1);
PRECISE_MOVES(AdvancedSubtensor, 0, 1);
PRECISE_MOVES(AdvancedSubtensor1, 0, 1);
PRECISE_FORM(IncSubtensor, [](PreciseCall &call) {
    const auto &op = static_cast<const IncSubtensor &>(call.op);
    write(call, makeOp<Subtensor>(op.entries()), op.isSet());
});
PRECISE_FORM(AdvancedIncSubtensor, [](PreciseCall &call) {
    const auto &op = static_cast<const AdvancedIncSubtensor &>(call.op);
    write(call, makeOp<AdvancedSubtensor>(op.entries()), op.isSet());
});
PRECISE_FORM(AdvancedIncSubtensor1, [](PreciseCall &call) {
    write(call, makeOp<AdvancedSubtensor1>(), static_cast<const AdvancedIncSubtensor1 &>(call.op).isSet());
});

} // namespace
} // namespace engine
