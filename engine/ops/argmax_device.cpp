// Where the largest element is, on a device: each item looks through a stretch of one result's elements, then one through what those found.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/argmax.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

constexpr std::int64_t kItems = std::int64_t(1) << 14, kLeastElements = 64;

class PlacesOnDevice final : public Thunk {
public:
    /// `maximum` may be null: nobody asks for it.
    PlacesOnDevice(const SlotOperand &given, const std::vector<int> &axes, const SlotOperand *maximum, const SlotOperand &place,
                   const char *symbol, const std::string &name)
        : m_x(withAxesLast(given, axes), withAxesLast(given, axes).shape, name), m_place(place.slot)
    {
        if (maximum) m_maximum = maximum->slot;
        for (int axis = 0; axis < given.shape.rank(); ++axis)
            if (!std::binary_search(axes.begin(), axes.end(), axis)) m_results *= given.shape[static_cast<std::size_t>(axis)];
        if (m_results == 0) return;
        const std::int64_t elements = given.shape.product() / m_results;
        if (elements == 0)
            throw ShapeMismatch(std::string("[") + symbol + "] an axis of size 0 has no largest element: the input's shape is " +
                                given.shape.text());
        Device &device = deviceOf(given.device);
        const std::int64_t parts = std::max<std::int64_t>(std::min(elements / kLeastElements, kItems / m_results), 1);
        const std::string type = deviceMemory(given.dtype);
        const auto read = [&](const std::string &x) { return given.dtype == DType::Float16 ? "th_fromHalf(" + x + ")" : x; };
        const std::string larger = "const i64 isLarger = v > top || (v != v && top == top); if (isLarger) { top = v; at = j; }";
        const std::string registerType = given.dtype == DType::Float16 ? "float" : type;
        // A stretch of a result's elements.
        const std::string stretch =
            "        const i64 o = i / parts, p = i % parts, share = (m + parts - 1) / parts;\n"
            "        const i64 begin = p * share < m ? p * share : m - 1, over = begin + share, end = over < m ? over : m;\n"
            "        " +
            registerType + " top = " + read("x[o * m + begin]") +
            ";\n        i64 at = begin;\n"
            "        for (i64 j = begin + 1; j < end; ++j) { const " +
            registerType + " v = " + read("x[o * m + j]") + "; " + larger + " }\n        places[i] = at;\n";
        std::vector<KernelParameter> parameters{{"x", "const " + type}, {"places", "i64"}};
        std::string text = stretch;
        const bool isWhole = parts == 1;
        if (isWhole && maximum) parameters.push_back({"most", type}), text += "        most[i] = x[o * m + at];\n";
        parameters.push_back({"m", ""});
        parameters.push_back({"parts", ""});
        m_find.emplace(device, KernelSource{name, kernelUnit(device.info().dialect, parameters, text), {}},
                       std::vector<std::int64_t>{elements, parts}, m_results * parts, (elements + parts - 1) / parts);
        if (isWhole) return;
        // What the stretches found, in their order: of equals the first one stays.
        m_found.emplace(device.id(), DType::Int64, Dims{m_results * parts});
        std::vector<KernelParameter> second{{"x", "const " + type}, {"found", "const i64"}, {"places", "i64"}};
        std::string choose = "        i64 at = found[i * parts];\n        " + registerType + " top = " + read("x[i * m + at]") +
                             ";\n        for (i64 p = 1; p < parts; ++p) { const i64 j = found[i * parts + p]; const " + registerType +
                             " v = " + read("x[i * m + j]") + "; " + larger + " }\n        places[i] = at;\n";
        if (maximum) second.push_back({"most", type}), choose += "        most[i] = x[i * m + at];\n";
        second.push_back({"m", ""});
        second.push_back({"parts", ""});
        m_choose.emplace(device, KernelSource{name, kernelUnit(device.info().dialect, second, choose), {}},
                         std::vector<std::int64_t>{elements, parts}, m_results, parts);
    }

    void run(Slots slots) override
    {
        if (!m_find) return;
        void *const x = m_x.data(slots);
        m_arrays = {x, m_found ? m_found->data() : slots[m_place]};
        if (!m_found && m_maximum) m_arrays.push_back(slots[*m_maximum]);
        m_find->run(m_arrays);
        if (!m_found) return;
        m_arrays = {x, m_found->data(), slots[m_place]};
        if (m_maximum) m_arrays.push_back(slots[*m_maximum]);
        m_choose->run(m_arrays);
    }

private:
    std::int64_t m_results = 1;
    DenseArray m_x;
    Slot m_place;
    std::optional<Slot> m_maximum;
    std::optional<DeviceScratch> m_found;
    std::optional<DeviceLaunch> m_find, m_choose;
    std::vector<void *> m_arrays;
};

} // namespace

std::unique_ptr<Thunk> Argmax::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<PlacesOnDevice>(spec.inputs[0], m_axes, nullptr, spec.outputs[0], "argmax", name());
}

std::unique_ptr<Thunk> MaxAndArgmax::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<PlacesOnDevice>(spec.inputs[0], m_axes, &spec.outputs[0], spec.outputs[1], "max_and_argmax", name());
}

} // namespace engine
