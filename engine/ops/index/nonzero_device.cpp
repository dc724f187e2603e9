// Where a mask is set, on a device: parts of it are counted, then each writes its places behind those of the parts before.
#include "engine/codegen/ir/builder.h"
#include "engine/codegen/kernel_target.h"
#include "engine/device/device.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/runtime/device/device_order.h"

#include <optional>
#include <vector>

namespace engine {
namespace {

class PlacesOfMask final : public Thunk {
public:
    PlacesOfMask(const ThunkSpec &spec, const std::string &name) : m_mask(spec.inputs[0], spec.inputs[0].shape, name)
    {
        const Dims &shape = spec.inputs[0].shape;
        const std::int64_t all = shape.product(), count = spec.outputs[0].shape[0];
        for (const SlotOperand &out : spec.outputs) m_places.push_back(out.slot);
        m_isEmpty = count == 0;
        if (all == 0) return;
        Device &device = deviceOf(spec.inputs[0].device);
        const std::int64_t parts = KernelTarget(device).partsOf(1, all, 256), share = (all + parts - 1) / parts;
        m_counts.emplace(device.id(), DType::Int64, Dims{parts});
        m_before.emplace(device, 1, 1, parts, name);
        for (const bool isCount : {true, false}) {
            ir::Builder k(name);
            const ir::Array mask = k.reads("mask", DType::Bool), counts = k.writes("counts", DType::Int64);
            std::vector<ir::Array> places;
            for (std::size_t axis = 0; axis < shape.size() && !isCount; ++axis)
                places.push_back(k.writes("y" + std::to_string(axis), DType::Int64));
            const ir::Value length = k.number("share", share), end = k.number("all", all), most = k.number("count", count);
            const ir::Value begin = k.let("begin", k.item() * length);
            const ir::Range range{begin, k.let("end", ir::least(begin + length, end))};
            const ir::Place to = k.variable("to", isCount ? ir::Value(0) : counts[k.item()]);
            const auto put = [&](const ir::Value &j) {
                const ir::Place rest = k.variable("rest", j);
                for (std::size_t axis = shape.size(); axis-- > 0;) {
                    const ir::Value size = k.number("n" + std::to_string(axis), shape[axis]);
                    places[axis][to] = rest % size;
                    rest = rest / size;
                }
                to += 1;
            };
            if (isCount) k.loop("j", range, [&](const ir::Value &j) { to += mask[j] != 0; });
            else
                k.loopWhile(
                    "j", range, [&](const ir::Value &) { return to < most; },
                    [&](const ir::Value &j) { k.when(mask[j], [&] { put(j); }); });
            if (isCount) counts[k.item()] = to;
            (isCount ? m_count : m_put).emplace(device, k.finish(), parts, share);
        }
    }
    void run(Slots slots) override
    {
        if (m_isEmpty) return;
        m_arrays = {m_mask.data(slots), m_counts->data()};
        m_count->run(m_arrays);
        m_before->run(m_counts->data());
        for (Slot place : m_places) m_arrays.push_back(slots[place]);
        m_put->run(m_arrays);
    }

private:
    DenseArray m_mask;
    std::vector<Slot> m_places;
    bool m_isEmpty;
    std::optional<DeviceScratch> m_counts;
    std::optional<DevicePrefix> m_before;
    std::optional<DeviceLaunch> m_count, m_put;
    std::vector<void *> m_arrays;
};

} // namespace

bool Nonzero::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::string Nonzero::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return inputs[0].dtype() == DType::Bool ? std::string() : "devices look for what is set in masks of bool only";
}

std::unique_ptr<Thunk> Nonzero::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<PlacesOfMask>(spec, name()) : nullptr;
}

} // namespace engine
