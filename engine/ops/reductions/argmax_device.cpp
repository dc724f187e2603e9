// Where the largest element is, on a device: each item looks through a stretch of one result's elements, then one through what those found.
#include "engine/codegen/ir/builder.h"
#include "engine/codegen/kernel_target.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

class PlacesOnDevice final : public Thunk {
public:
    /// `maximum` may be null if it is not needed.
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
        const std::int64_t parts = KernelTarget(device).partsOf(m_results, elements, 64);
        m_find.emplace(device, stretches(given.dtype, parts == 1 && maximum, elements, parts, name), m_results * parts,
                       (elements + parts - 1) / parts);
        if (parts == 1) return;
        m_found.emplace(device.id(), DType::Int64, Dims{m_results * parts});
        m_choose.emplace(device, choosing(given.dtype, maximum, elements, parts, name), m_results, parts);
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
    // Looks at places in their order, beginning with the first: of equals that one stays, and the first nan.
    static ir::Value largest(ir::Builder &k, const ir::Array &x, const ir::Value &row, const ir::Value &first, const ir::Range &range,
                             const std::function<ir::Value(const ir::Value &)> &placeOf)
    {
        const ir::Place top = k.variable("top", x[row + first]), at = k.variable("at", first);
        k.loop("p", range, [&](const ir::Value &p) {
            const ir::Value j = k.let("j", placeOf(p)), v = k.let("v", x[row + j]);
            k.when(v > top || (v != v && top == top), [&] { top = v, at = j; });
        });
        return at;
    }

    // A stretch of a result's elements.
    static ir::Kernel stretches(DType dtype, bool withMaximum, std::int64_t elements, std::int64_t count, const std::string &name)
    {
        ir::Builder k(name);
        const ir::Array x = k.reads("x", dtype), places = k.writes("places", DType::Int64);
        const auto most = withMaximum ? std::optional(k.writes("most", dtype)) : std::nullopt;
        const ir::Value m = k.number("m", elements), parts = k.number("parts", count);
        const ir::Value row = k.let("row", k.item() / parts * m);
        const ir::Range range = k.share(m, parts, k.let("part", k.item() % parts));
        const ir::Value first = k.let("j", ir::least(range.begin, m - 1)); // there may be nothing left for the last parts
        const ir::Value at = largest(k, x, row, first, {first + 1, range.end}, [](const ir::Value &p) { return p; });
        places[k.item()] = at;
        if (most) (*most)[k.item()] = x[row + at];
        return k.finish();
    }

    // Of what the stretches found.
    static ir::Kernel choosing(DType dtype, bool withMaximum, std::int64_t elements, std::int64_t count, const std::string &name)
    {
        ir::Builder k(name);
        const ir::Array x = k.reads("x", dtype), found = k.reads("those", DType::Int64), places = k.writes("places", DType::Int64);
        const auto most = withMaximum ? std::optional(k.writes("most", dtype)) : std::nullopt;
        const ir::Value m = k.number("m", elements), parts = k.number("parts", count), row = k.let("row", k.item() * m);
        const auto placeOf = [&](const ir::Value &p) -> ir::Value { return found[k.item() * parts + p]; };
        const ir::Value at = largest(k, x, row, k.let("first", placeOf(0)), {1, parts}, placeOf);
        places[k.item()] = at;
        if (most) (*most)[k.item()] = x[row + at];
        return k.finish();
    }

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
