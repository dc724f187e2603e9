#include "engine/ops/reductions/softmax_passes.h"

#include "engine/codegen/kernel_target.h"
#include "engine/runtime/device/device_elementwise_thunk.h"
#include "engine/runtime/device/device_reduce_thunk.h"
#include "engine/runtime/device/device_windows.h"

#include <array>

namespace engine {
namespace {

/// A scalar function of x and of what its row has in common, step by step.
class Steps {
public:
    Steps(DType dtype, std::uint32_t inputs) : m_dtype(dtype)
    {
        m_body.inputCount = inputs;
        m_body.inputTypes.assign(inputs, dtype);
    }
    std::uint32_t add(ScalarCode code, std::vector<std::uint32_t> arguments)
    {
        m_body.instructions.push_back({scalarOp(code), std::move(arguments), m_dtype, 0});
        return m_body.inputCount + static_cast<std::uint32_t>(m_body.instructions.size()) - 1;
    }
    ScalarOpPtr finish(std::uint32_t result)
    {
        m_body.outputs = {result};
        return compositeOp(std::move(m_body));
    }

private:
    DType m_dtype;
    ScalarBody m_body;
};

class SoftmaxPasses final : public Thunk {
public:
    SoftmaxPasses(SoftmaxForm form, const ThunkSpec &spec, const std::string &name)
        : m_given(spec.inputs[0].slot), m_made(spec.outputs[0].slot), m_tops(spec.outputs[0].device, spec.inputs[0].dtype, rowsOf(spec)),
          m_totals(spec.outputs[0].device, spec.inputs[0].dtype, rowsOf(spec))
    {
        const DType dtype = spec.inputs[0].dtype;
        constexpr int kAlongRows[] = {1};
        SlotOperand x = spec.inputs[0], y = spec.outputs[0];
        x.slot = Slot{0}, y.slot = Slot{1};
        x.root = y.root = kNoSlot;
        const SlotOperand tops = m_tops.in(Slot{2}), totals = m_totals.in(Slot{3});
        const SlotOperand top = forRows(tops), total = forRows(totals);
        m_passes[0] = deviceReduceThunk(nullptr, dtype, RT_MAX, kAlongRows, dtype, {{&x, 1}, {&tops, 1}}, name);
        Steps shifted(dtype, 2);
        const SlotOperand known[] = {x, top, total};
        m_passes[1] = deviceReduceThunk(shifted.finish(shifted.add(ScalarCode::Exp, {shifted.add(ScalarCode::Sub, {0, 1})})), dtype, RT_SUM,
                                        kAlongRows, dtype, {{known, 2}, {&totals, 1}}, name);
        Steps last(dtype, 3);
        const std::uint32_t result =
            form == SoftmaxForm::Log ? last.add(ScalarCode::Sub, {last.add(ScalarCode::Sub, {0, 1}), last.add(ScalarCode::Log, {2})})
                                     : last.add(ScalarCode::TrueDiv, {last.add(ScalarCode::Exp, {last.add(ScalarCode::Sub, {0, 1})}), 2});
        m_passes[2] = deviceElementwiseThunk(last.finish(result), {known, {&y, 1}}, name);
    }

    void run(Slots slots) override
    {
        std::array<void *, 4> own{slots[m_given], slots[m_made], m_tops.data(), m_totals.data()};
        for (const std::unique_ptr<Thunk> &pass : m_passes) pass->run(own.data());
    }

private:
    static Dims rowsOf(const ThunkSpec &spec) { return {spec.inputs[0].shape[0]}; }
    static SlotOperand forRows(SlotOperand array)
    {
        array.shape = {array.shape[0], 1};
        array.strides = {array.strides[0], 0};
        return array;
    }

    Slot m_given, m_made;
    DeviceScratch m_tops, m_totals;
    std::array<std::unique_ptr<Thunk>, 3> m_passes;
};

} // namespace

bool softmaxTakesPasses(const ThunkSpec &spec)
{
    constexpr std::int64_t kLongRow = 128, kMany = 1 << 16;
    const Dims &shape = spec.inputs[0].shape;
    return KernelTarget(deviceOf(spec.outputs[0].device)).hasManyItems() && shape[1] >= kLongRow && shape.product() >= kMany;
}

std::unique_ptr<Thunk> softmaxInPasses(SoftmaxForm form, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<SoftmaxPasses>(form, spec, name);
}

} // namespace engine
