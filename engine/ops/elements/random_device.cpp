// Random numbers drawn where they are read: an item has a stream, and its states stay on the device.
#include "engine/codegen/ir/builder.h"
#include "engine/ops/elements/random.h"
#include "engine/ops/index/index_launch.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

class DrawOnDevice final : public Thunk {
public:
    DrawOnDevice(const MrgUniform &op, const ThunkSpec &spec)
        : m_copy(copyUnlessInPlace(spec, op.name())), m_states(spec.outputs[0].slot), m_samples(spec.outputs[1].slot)
    {
        const SlotOperand &states = spec.outputs[0];
        ENGINE_ASSERT(states.strides == contiguousStrides(states.shape, sizeOf(states.dtype)),
                      op.name() + " writes into an array with gaps");
        const std::int64_t count = op.samplesOf(states.shape, spec.outputs[1].shape), streams = states.shape[0];
        if (count == 0) return;
        ir::Builder k(op.name());
        const ir::Array from = k.writes("states", DType::Int32), y = k.writes("y", op.dtype()), x = k.local("x", DType::Int32, 6);
        const ir::Value every = k.number("streams", streams), end = k.number("count", count);
        k.loop("part", {0, 6}, [&](const ir::Value &part) { x[part] = from[6 * k.item() + part]; });
        const double unit = op.dtype() == DType::Float32 ? 4.6566126e-10 : 4.656612873077392578125e-10; // the largest stays below 1
        k.loop(
            "at", {k.item(), end}, [&](const ir::Value &at) { y[at] = ir::cast(op.dtype(), k.draw(x)) * ir::realNumber(op.dtype(), unit); },
            ir::LoopKind::Plain, every);
        k.loop("part", {0, 6}, [&](const ir::Value &part) { from[6 * k.item() + part] = x[part]; });
        const std::int64_t items = std::min(streams, count);
        m_launch.emplace(deviceOf(states.device), k.finish(), items, (count + items - 1) / items);
    }
    void run(Slots slots) override
    {
        if (m_copy) m_copy->run(slots);
        void *const arrays[] = {slots[m_states], slots[m_samples]};
        if (m_launch) m_launch->run(arrays);
    }

private:
    std::unique_ptr<Thunk> m_copy;
    Slot m_states, m_samples;
    std::optional<DeviceLaunch> m_launch;
};

} // namespace

bool MrgUniform::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::string MrgUniform::whyNotOnDevice(std::span<const Type>, std::span<const Type>) const
{
    return m_dtype == DType::Float16 ? "devices draw float32 and float64 only" : std::string();
}

std::string MrgUniform::deviceName() const { return "GPUA_" + exactName(); }
std::string MrgUniform::deviceClass() const { return "GPUA_mrg_uniform"; }

std::unique_ptr<Thunk> MrgUniform::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<DrawOnDevice>(*this, spec) : nullptr;
}

} // namespace engine
