#include "engine/ops/shapes/shape.h"

#include "engine/codegen/loop_writer.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <cstring>

namespace engine {
namespace {

// The shape stands in the plan already: all that is left is to write it down.
class IntegersThunk final : public Thunk {
public:
    IntegersThunk(const SlotOperand &out, Dims values) : m_slot(out.slot), m_step(out.shape.rank() ? out.strides[0] : 0), m_values(values)
    {}
    void run(Slots slots) override
    {
        char *place = static_cast<char *>(slots[m_slot]);
        for (std::size_t i = 0; i < m_values.size(); ++i, place += m_step) {
            const std::int64_t value = m_values[i];
            std::memcpy(place, &value, sizeof value);
        }
    }

private:
    Slot m_slot;
    std::int64_t m_step;
    Dims m_values;
};

} // namespace

std::unique_ptr<Thunk> Shape::prepare(const ThunkSpec &spec) const
{
    return std::make_unique<IntegersThunk>(spec.outputs[0], spec.inputs[0].shape);
}
void Shape::perform(PerformArgs &args) const
{
    const View &from = args.inputs[0];
    if (!args.outputs[0].data) args.allocate(0, {from.rank});
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Shape_i::prepare(const ThunkSpec &spec) const
{
    return std::make_unique<IntegersThunk>(spec.outputs[0], Dims{spec.inputs[0].shape[m_axis]});
}
void Shape_i::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) args.allocate(0, {});
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

void MakeVector::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) args.allocate(0, {static_cast<std::int64_t>(args.inputs.size())});
    const View &out = args.outputs[0];
    for (std::size_t i = 0; i < args.inputs.size(); ++i)
        copyConverted(args.inputs[i], {out.as<char>() + static_cast<std::int64_t>(i) * out.strides[0], out.dtype, 0, nullptr, nullptr});
}

IN_LOOPS(Shape, [](const Shape &, LoopWriter &writer) { return writer.writeIntegers(writer.input(0).shape); })
IN_LOOPS(Shape_i, [](const Shape_i &op, LoopWriter &writer) {
    const std::int64_t size = writer.input(0).shape[static_cast<std::size_t>(op.axis())];
    return writer.writeIntegers({&size, 1});
})
IN_LOOPS(MakeVector, [](const MakeVector &, LoopWriter &writer) {
    for (std::size_t i = 0; i < writer.inputCount(); ++i)
        if (!writer.writeCopy({writer.outputArray(0), static_cast<std::int64_t>(i), {}}, writer.all(writer.inputArray(i)), {}))
            return false;
    return true;
})

} // namespace engine
