#include "engine/ops/reductions/fused_reduce.h"

#include "engine/codegen/loop_writer.h"
#include "engine/graph/op/op_card.h"
#include "engine/runtime/device/device_reduce_thunk.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/runtime/thunks/fused_reduce_thunk.h"
#include "engine/runtime/thunks/reduce_thunk.h"

namespace engine {

std::unique_ptr<Thunk> FusedReduce::prepare(const ThunkSpec &spec) const
{
    std::vector<DType> dtypes;
    for (const SlotOperand &input : spec.inputs) dtypes.push_back(input.dtype);
    const ScalarOpPtr function = elements().scalar();
    const DType element = function->resultType(dtypes), accumulator = reduce().accumulatorDType(element);
    const std::vector<int> axes = reduce().axesFor(spec.inputs[0].shape.rank());
    reduce().needElements(broadcastShape(spec.inputs));
    if (isOnDevice()) {
        const ArraysOfDevice operands = withoutConstants(function, spec.inputs);
        return deviceReduceThunk(operands.function, element, reduce().primitive(), axes, accumulator, {operands.arrays, spec.outputs},
                                 name());
    }
    return fusedReduceThunk(function, element, reduce().primitive(), axes, accumulator, spec);
}

void FusedReduce::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) args.allocate(0, reduce().keptShape(broadcastShape(operandsOf(args.inputs, 0))));
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

ROW_AXES(FusedReduce, [](const FusedReduce &op, std::span<const Type> inputs) {
    std::vector<Operand> operands;
    for (const Type &type : inputs) operands.push_back({type});
    const Type elements = op.elements().outputTypes(operands)[0];
    return rowAxesOf(op.reduce(), {&elements, 1});
});

IN_LOOPS(FusedReduce, [](const FusedReduce &op, LoopWriter &writer) {
    std::vector<DType> in;
    for (std::size_t i = 0; i < writer.inputCount(); ++i) in.push_back(writer.input(i).dtype);
    const ScalarOpPtr function = op.elements().scalar();
    const DType element = function->resultType(in);
    const ScalarProgram program(function, in, {&element, 1});
    const RtReduce reduce = op.reduce().primitive();
    return writer.writeFold(&program, reduce, op.reduce().axesFor(writer.input(0).shape.rank()),
                            accumulatorKind(reduce, op.reduce().accumulatorDType(element)));
})

} // namespace engine
