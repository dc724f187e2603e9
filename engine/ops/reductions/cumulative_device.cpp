// Running sums and products on a device. Each item processes a line or a part of one. A part starts from the total of the parts before it.
#include "engine/codegen/ir/builder.h"
#include "engine/codegen/kernel_target.h"
#include "engine/device/device.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <optional>

namespace engine {
namespace {

class RunningOnDevice final : public Thunk {
public:
    RunningOnDevice(const ThunkSpec &spec, std::optional<int> axis, bool isProduct, const std::string &name)
        : m_x(spec.inputs[0], spec.inputs[0].shape, name), m_out(spec.outputs[0].slot), m_dtype(spec.outputs[0].dtype),
          m_work(workType(m_dtype)), m_isProduct(isProduct)
    {
        const Dims &shape = spec.inputs[0].shape;
        if (shape.product() == 0) return;
        std::int64_t lines = 1;
        m_length = axis ? shape[static_cast<std::size_t>(*axis)] : shape.product();
        for (int k = 0; axis && k < shape.rank(); ++k) {
            if (k == *axis) continue;
            lines *= shape[static_cast<std::size_t>(k)];
            if (k > *axis) m_inner *= shape[static_cast<std::size_t>(k)];
        }
        Device &device = deviceOf(spec.outputs[0].device);
        m_parts = KernelTarget(device).partsOf(lines, m_length, 64);
        const std::int64_t items = lines * m_parts, elements = (m_length + m_parts - 1) / m_parts;
        if (m_parts > 1) {
            m_sums.emplace(device.id(), m_work, Dims{items});
            m_part.emplace(device, totals(name), items, elements);
        }
        m_run.emplace(device, running(name), items, elements);
    }
    void run(Slots slots) override
    {
        if (!m_run) return;
        void *const x = m_x.data(slots);
        m_arrays = {x, slots[m_out]};
        if (m_part) {
            void *const arrays[] = {x, m_sums->data()};
            m_part->run(arrays);
            m_arrays.push_back(m_sums->data());
        }
        m_run->run(m_arrays);
    }

private:
    // Whole numbers wrap around when they are put back.
    static DType workType(DType dtype) { return !isFloat(dtype) ? DType::Int64 : dtype == DType::Float16 ? DType::Float32 : dtype; }

    /// An item's part of its line, and the offset of its first element.
    struct Part {
        ir::Value part, inner;
        ir::Range range;
        ir::Place at;
    };
    Part partOf(ir::Builder &k) const
    {
        const ir::Value length = k.number("length", m_length), parts = k.number("parts", m_parts), inner = k.number("inner", m_inner);
        const ir::Value line = k.let("line", k.item() / parts), part = k.let("part", k.item() % parts);
        const ir::Range range = k.share(length, parts, part);
        return {part, inner, range, k.variable("at", (line / inner * length + range.begin) * inner + line % inner)};
    }
    ir::Value added(const ir::Value &sum, const ir::Value &x) const { return m_isProduct ? sum * x : sum + x; }

    ir::Kernel totals(const std::string &name) const
    {
        ir::Builder k(name);
        const ir::Array x = k.reads("x", m_dtype), sums = k.writes("sums", m_work);
        const Part part = partOf(k);
        const ir::Place sum = k.variable("sum", m_work, m_isProduct ? 1 : 0);
        k.loop("j", part.range, [&](const ir::Value &) {
            sum = added(sum, ir::cast(m_work, x[part.at]));
            part.at += part.inner;
        });
        sums[k.item()] = sum;
        return k.finish();
    }

    ir::Kernel running(const std::string &name) const
    {
        ir::Builder k(name);
        const ir::Array x = k.reads("x", m_dtype), y = k.writes("y", m_dtype);
        const std::optional<ir::Array> sums = m_parts > 1 ? std::optional(k.reads("sums", m_work)) : std::nullopt;
        const Part part = partOf(k);
        const ir::Place sum = k.variable("sum", m_work, 0), from = k.variable("from", part.range.begin);
        const auto put = [&](const ir::Value &value) {
            sum = value;
            y[part.at] = sum;
            part.at += part.inner;
        };
        // The first element of a line is itself: a sum with 0 would lose the sign of -0.
        const auto begin = [&] {
            put(ir::cast(m_work, x[part.at]));
            from += 1;
        };
        const auto continueSum = [&] {
            const ir::Value first = k.let("first", k.item() - part.part);
            sum = (*sums)[first];
            k.loop("k", {first + 1, k.item()}, [&](const ir::Value &before) { sum = added(sum, (*sums)[before]); });
        };
        if (sums) k.when(part.part > 0, continueSum, begin);
        else begin();
        k.loop("j", {from, part.range.end}, [&](const ir::Value &) { put(added(sum, ir::cast(m_work, x[part.at]))); });
        return k.finish();
    }

    DenseArray m_x;
    Slot m_out;
    DType m_dtype, m_work;
    bool m_isProduct;
    std::int64_t m_length = 0, m_inner = 1, m_parts = 1;
    std::optional<DeviceScratch> m_sums;
    std::optional<DeviceLaunch> m_part, m_run;
    std::vector<void *> m_arrays;
};

} // namespace

std::unique_ptr<Thunk> CumOp::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<RunningOnDevice>(spec, m_axis, m_product, name()) : nullptr;
}

} // namespace engine
