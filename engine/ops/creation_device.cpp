// Ranges that are made where they are read: nothing is sent but their two numbers, with the launch.
#include "engine/codegen/device_writer.h"
#include "engine/ops/creation.h"
#include "engine/ops/index_canonical.h"
#include "engine/runtime/device_launch.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

class RangeOnDevice final : public Thunk {
public:
    RangeOnDevice(const ThunkSpec &spec, const std::string &name)
        : m_start(spec.inputs[0]), m_step(spec.inputs[2]), m_out(spec.outputs[0].slot)
    {
        const std::int64_t items = spec.outputs[0].shape.product();
        if (items == 0) return;
        Device &device = deviceOf(spec.outputs[0].device);
        const std::string type = deviceMemory(spec.outputs[0].dtype);
        const KernelParameter parameters[] = {{"y", type}, {"start", ""}, {"step", ""}};
        m_launch.emplace(
            device,
            KernelSource{name, kernelUnit(device.info().dialect, parameters, "        y[i] = (" + type + ")(start + i * step);\n"), {}},
            std::vector<std::int64_t>{0, 0}, items);
    }
    void run(Slots slots) override
    {
        const std::int64_t given[] = {scalarInt(viewOf(m_start, slots)), scalarInt(viewOf(m_step, slots))};
        if (given[1] == 0) throw ShapeMismatch("[arange] the step is 0");
        void *const arrays[] = {slots[m_out]};
        if (m_launch) m_launch->run(arrays, given);
    }

private:
    SlotOperand m_start, m_step;
    Slot m_out;
    std::optional<DeviceLaunch> m_launch;
};

} // namespace

bool ARange::readsOnHost(std::size_t, const Operand &) const { return true; }

std::string ARange::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    for (std::span<const Type> types : {inputs, outputs})
        if (!std::ranges::all_of(types, [](Type type) { return isInteger(type.dtype()); })) return "devices count in whole numbers only";
    return {};
}

std::unique_ptr<Thunk> ARange::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<RangeOnDevice>(spec, name()) : nullptr;
}

} // namespace engine
