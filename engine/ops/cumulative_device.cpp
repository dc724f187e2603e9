// Running sums and products on a device: an item runs along a line, or along a part of one, behind what the parts before it come to.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/cumulative.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

/// How many items share a line.
std::int64_t partsOfLine(Dialect dialect, std::int64_t lines, std::int64_t length)
{
    const std::int64_t items = isOfCards(dialect) ? 16384 : 64, least = isOfCards(dialect) ? 64 : 16384;
    return std::max<std::int64_t>(std::min(length / least, items / lines), 1);
}

class RunningOnDevice final : public Thunk {
public:
    RunningOnDevice(const ThunkSpec &spec, std::optional<int> axis, bool isProduct, const std::string &name)
        : m_x(spec.inputs[0], spec.inputs[0].shape, name), m_out(spec.outputs[0].slot)
    {
        const Dims &shape = spec.inputs[0].shape;
        if (shape.product() == 0) return;
        std::int64_t lines = 1, inner = 1;
        const std::int64_t length = axis ? shape[static_cast<std::size_t>(*axis)] : shape.product();
        for (int k = 0; axis && k < shape.rank(); ++k) {
            if (k == *axis) continue;
            lines *= shape[static_cast<std::size_t>(k)];
            if (k > *axis) inner *= shape[static_cast<std::size_t>(k)];
        }
        Device &device = deviceOf(spec.outputs[0].device);
        const Dialect dialect = device.info().dialect;
        const DType dtype = spec.outputs[0].dtype;
        const std::int64_t parts = partsOfLine(dialect, lines, length);
        const bool isHalf = dtype == DType::Float16;
        const std::string type = deviceMemory(dtype);
        // Whole numbers wrap around when they are put back.
        const std::string work = isHalf ? "float" : isFloat(dtype) ? type : "i64", sign = isProduct ? " * " : " + ";
        const std::string read = isHalf ? "th_fromHalf(x[at])" : "(" + work + ")x[at]";
        const std::string store = isHalf ? "th_toHalf(sum)" : "(" + type + ")sum";
        const std::string line =
            "        const i64 line = i / parts, part = i % parts, share = (length + parts - 1) / parts;\n"
            "        const i64 begin = part * share < length ? part * share : length, end = begin + share < length ? begin + share : length;\n"
            "        i64 at = (line / inner * length + begin) * inner + line % inner;\n";
        if (parts > 1) {
            m_sums.emplace(device.id(), !isFloat(dtype) ? DType::Int64 : isHalf ? DType::Float32 : dtype, Dims{lines * parts});
            const KernelParameter parameters[] = {{"x", "const " + type}, {"sums", work}, {"length", ""}, {"parts", ""}, {"inner", ""}};
            const std::string body = line + "        " + work + " sum = " + (isProduct ? "1" : "0") +
                                     ";\n        for (i64 j = begin; j < end; ++j, at += inner) sum = sum" + sign + read +
                                     ";\n        sums[i] = sum;\n";
            m_part.emplace(device, KernelSource{name, kernelUnit(dialect, parameters, body), {}},
                           std::vector<std::int64_t>{length, parts, inner}, lines * parts, (length + parts - 1) / parts);
        }
        std::vector<KernelParameter> parameters{{"x", "const " + type}, {"y", type}};
        std::string text = line + "        " + work + " sum = 0;\n        i64 j = begin;\n";
        if (parts > 1) {
            parameters.push_back({"sums", "const " + work});
            text +=
                "        if (part > 0) {\n            sum = sums[i - part];\n            for (i64 k = i - part + 1; k < i; ++k) sum = sum" +
                sign + "sums[k];\n        } else {\n";
        } else {
            text += "        {\n";
        }
        text +=
            "            sum = " + read + ";\n            y[at] = " + store +
            ";\n            ++j;\n            at += inner;\n        }\n        for (; j < end; ++j, at += inner) {\n            sum = sum" +
            sign + read + ";\n            y[at] = " + store + ";\n        }\n";
        for (const char *number : {"length", "parts", "inner"}) parameters.push_back({number, ""});
        m_run.emplace(device, KernelSource{name, kernelUnit(dialect, parameters, text), {}},
                      std::vector<std::int64_t>{length, parts, inner}, lines * parts, (length + parts - 1) / parts);
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
    DenseArray m_x;
    Slot m_out;
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
