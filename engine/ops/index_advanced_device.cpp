// Indexing with arrays on a device. The index is read on the host, which finds where its elements lie and sends their places.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/index_places.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace engine {
namespace {

/// The index of one call.
class PlacesOfCall {
public:
    PlacesOfCall(const char *symbol, std::vector<AdvancedEntry> entries, const SlotOperand &x, std::span<const SlotOperand> indices)
        : m_symbol(symbol), m_entries(std::move(entries)), m_x(x), m_indices(indices.begin(), indices.end())
    {}
    ResolvedIndex of(Slots slots) const
    {
        std::vector<View> indices;
        for (const SlotOperand &one : m_indices) indices.push_back(viewOf(one, slots));
        return resolveIndex(m_symbol, m_entries, viewOf(m_x, slots), indices);
    }
    const SlotOperand &x() const { return m_x; }

private:
    const char *m_symbol;
    std::vector<AdvancedEntry> m_entries;
    SlotOperand m_x;
    std::vector<SlotOperand> m_indices;
};

/// Whole numbers that a call sends: room for as many as ever.
class SentNumbers {
public:
    explicit SentNumbers(DeviceId device) : m_device(device) {}
    void *send(const std::vector<std::int64_t> &numbers)
    {
        const auto count = static_cast<std::int64_t>(numbers.size());
        if (!m_memory || count > m_room) m_memory.emplace(m_device, DType::Int64, Dims{m_room = std::max<std::int64_t>(count, 1)});
        if (count > 0) deviceOf(m_device).stream().copyIn(m_memory->data(), numbers.data(), numbers.size() * sizeof(std::int64_t));
        return m_memory->data();
    }

private:
    DeviceId m_device;
    std::int64_t m_room = 0;
    std::optional<DeviceScratch> m_memory;
};

std::vector<std::int64_t> elementsOf(std::span<const std::int64_t> bytes, DType dtype)
{
    std::vector<std::int64_t> result(bytes.begin(), bytes.end());
    for (std::int64_t &one : result) one /= static_cast<std::int64_t>(sizeOf(dtype));
    return result;
}

/// The text that finds, for number r among the elements of the axes that the arrays do not touch, where it lies in the array (`in`) and in
/// the other one (`to`); and its parameters, two strides and a size an axis.
struct RestText {
    explicit RestText(std::size_t axes)
    {
        text = "        i64 in = 0, to = 0;\n";
        for (std::size_t a = axes; a-- > 0;) {
            const std::string n = std::to_string(a);
            text += "        { const i64 c = r % n" + n + "; r /= n" + n + "; in += c * s" + n + "; to += c * t" + n + "; }\n";
        }
        for (std::size_t a = 0; a < axes; ++a)
            for (const char *letter : {"n", "s", "t"}) parameters.push_back({letter + std::to_string(a), ""});
    }
    std::string text;
    std::vector<KernelParameter> parameters;
};

/// For each axis that the arrays do not touch its size and the elements from one to the next, here and in an array of the result's shape.
void appendRest(std::vector<std::int64_t> &numbers, const ResolvedIndex &index, DType dtype, const Dims &others, DType other)
{
    const std::vector<std::int64_t> own = elementsOf(index.restStrides, dtype), steps = elementsOf(others, other);
    for (std::size_t a = 0; a < index.restShape.size(); ++a)
        numbers.insert(numbers.end(), {index.restShape[a], own[a], steps[a < index.place ? a : a + index.arrayShape.size()]});
}

/// The launch for one layout of the index: made anew where it is another than before.
class ChangingLaunch {
public:
    template <class Source>
    void run(Device &device, const std::vector<std::int64_t> &numbers, std::int64_t items, std::int64_t length,
             std::span<void *const> arrays, Source source)
    {
        if (items == 0) return;
        if (!m_launch || numbers != m_numbers || items != m_items) {
            m_launch.emplace(device, source(), numbers, items, length);
            m_numbers = numbers;
            m_items = items;
        }
        m_launch->run(arrays);
    }

private:
    std::vector<std::int64_t> m_numbers;
    std::int64_t m_items = 0;
    std::optional<DeviceLaunch> m_launch;
};

class GatherOnDevice final : public Thunk {
public:
    GatherOnDevice(PlacesOfCall places, const ThunkSpec &spec, const std::string &name)
        : m_places(std::move(places)), m_out(spec.outputs[0]), m_device(deviceOf(m_out.device)), m_sent(m_out.device), m_name(name)
    {}
    void run(Slots slots) override
    {
        const ResolvedIndex index = m_places.of(slots);
        const DType dtype = m_out.dtype;
        const auto count = static_cast<std::int64_t>(index.offsets.size());
        ENGINE_ASSERT(index.resultShape() == m_out.shape, m_name + " makes another shape than planned");
        std::vector<std::int64_t> numbers{count};
        appendRest(numbers, index, dtype, contiguousStrides(m_out.shape, sizeOf(dtype)), dtype);
        numbers.push_back(contiguousStrides(m_out.shape, sizeOf(dtype))[index.place + index.arrayShape.size() - 1] /
                          static_cast<std::int64_t>(sizeOf(dtype)));
        void *const arrays[] = {index.base, m_sent.send(elementsOf(index.offsets, dtype)), slots[m_out.slot]};
        m_launch.run(m_device, numbers, m_out.shape.product(), 1, arrays, [&] { return source(index.restShape.size()); });
    }

private:
    KernelSource source(std::size_t axes) const
    {
        const std::string type = bitsType(m_out.dtype);
        const RestText rest(axes);
        std::vector<KernelParameter> parameters{{"x", "const " + type}, {"places", "const i64"}, {"y", type}, {"count", ""}};
        parameters.insert(parameters.end(), rest.parameters.begin(), rest.parameters.end());
        parameters.push_back({"step", ""});
        // Neighbours are neighbours of the result where the arrays' axes stand first, as they mostly do.
        const std::string body = "        const i64 rests = n / count, k = i / rests;\n        i64 r = i % rests;\n" + rest.text +
                                 "        y[to + k * step] = x[in + places[k]];\n";
        return {m_name, kernelUnit(m_device.info().dialect, parameters, body), {}};
    }

    PlacesOfCall m_places;
    SlotOperand m_out;
    Device &m_device;
    SentNumbers m_sent;
    std::string m_name;
    ChangingLaunch m_launch;
};

// Positions that name the same place are taken one after another, in their order: a place is one item's.
class ScatterOnDevice final : public Thunk {
public:
    ScatterOnDevice(const char *symbol, PlacesOfCall places, const ThunkSpec &spec, bool isSet, const std::string &name)
        : m_symbol(symbol), m_places(std::move(places)), m_y(spec.inputs[1]), m_out(spec.outputs[0]), m_device(deviceOf(m_out.device)),
          m_sent(m_out.device), m_isSet(isSet), m_name(name)
    {
        const SlotOperand &x = spec.inputs[0];
        const bool isInPlace = x.root != kNoSlot && x.root == m_out.root && x.strides == m_out.strides;
        if (!isInPlace && x.shape.product() > 0) m_copy = copyThunk({x}, {m_out}, name);
    }
    void run(Slots slots) override
    {
        const ResolvedIndex index = m_places.of(slots);
        const Dims shape = index.resultShape();
        const Dims steps = stepsOfY(shape);
        if (m_copy) m_copy->run(slots);
        const auto count = static_cast<std::int64_t>(index.offsets.size());
        const std::int64_t rests = index.restShape.product();
        if (count == 0 || rests == 0) return;

        std::vector<std::int64_t> order(index.offsets.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return index.offsets[static_cast<std::size_t>(a)] < index.offsets[static_cast<std::size_t>(b)];
        });
        // Where each position's place and value lie, and where the positions of a place begin.
        const std::vector<std::int64_t> places = elementsOf(index.offsets, m_out.dtype), values = valuesOf(index, steps);
        std::vector<std::int64_t> numbers, begins;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
            if (i == 0 || places[at] != numbers[numbers.size() - 2]) begins.push_back(i);
            numbers.push_back(places[at]);
            numbers.push_back(values[at]);
        }
        const auto groups = static_cast<std::int64_t>(begins.size());
        begins.push_back(count);
        begins.insert(begins.end(), numbers.begin(), numbers.end());

        std::vector<std::int64_t> sizes{groups};
        appendRest(sizes, index, m_out.dtype, steps, m_y.dtype);
        char *const base = index.base;
        void *const arrays[] = {slots[m_y.slot], m_sent.send(begins), base};
        m_launch.run(m_device, sizes, groups * rests, 1, arrays, [&] { return source(index.restShape.size()); });
    }

private:
    // As NumPy broadcasts the value to the part.
    Dims stepsOfY(const Dims &shape) const
    {
        Dims strides(shape.size(), 0);
        for (int axis = 0; axis < m_y.shape.rank(); ++axis) {
            const auto from = static_cast<std::size_t>(axis), to = static_cast<std::size_t>(shape.rank() - m_y.shape.rank() + axis);
            if (m_y.shape[from] == shape[to]) strides[to] = m_y.strides[from];
            else if (m_y.shape[from] != 1)
                throw ShapeMismatch(std::string("[") + m_symbol + "] cannot broadcast a value of shape " + m_y.shape.text() +
                                    " to the part of shape " + shape.text());
        }
        return strides;
    }
    std::vector<std::int64_t> valuesOf(const ResolvedIndex &index, const Dims &steps) const
    {
        std::vector<std::int64_t> values(index.offsets.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto rest = static_cast<std::int64_t>(i);
            for (std::size_t axis = index.arrayShape.size(); axis-- > 0; rest /= index.arrayShape[axis])
                values[i] += rest % index.arrayShape[axis] * steps[index.place + axis];
        }
        return elementsOf(values, m_y.dtype);
    }
    KernelSource source(std::size_t axes) const
    {
        const std::string to = deviceMemory(m_out.dtype), from = deviceMemory(m_y.dtype);
        const RestText rest(axes);
        std::vector<KernelParameter> parameters{{"y", "const " + from}, {"places", "const i64"}, {"x", to}, {"groups", ""}};
        parameters.insert(parameters.end(), rest.parameters.begin(), rest.parameters.end());
        const auto read = [](DType dtype, const std::string &x) { return dtype == DType::Float16 ? "th_fromHalf(" + x + ")" : x; };
        const std::string given = read(m_y.dtype, "y[to + pairs[2 * p + 1]]");
        const std::string sum = m_isSet ? given : read(m_out.dtype, "x[at]") + " + " + given;
        const std::string stored = m_out.dtype == DType::Bool      ? "(" + sum + ") != 0"
                                   : m_out.dtype == DType::Float16 ? "th_toHalf((float)(" + sum + "))"
                                                                   : "(" + to + ")(" + sum + ")";
        const char *const memory = isOpenCl(m_device.info().dialect) ? "__global " : "";
        const std::string body = "        const i64 rests = n / groups, g = i / rests;\n        i64 r = i % rests;\n" + rest.text +
                                 "        " + memory +
                                 "const i64 *pairs = places + groups + 1;\n        const i64 at = in + pairs[2 * places[g]];\n" +
                                 "        for (i64 p = places[g]; p < places[g + 1]; ++p) x[at] = " + stored + ";\n";
        return {m_name, kernelUnit(m_device.info().dialect, parameters, body), {}};
    }

    const char *m_symbol;
    PlacesOfCall m_places;
    SlotOperand m_y, m_out;
    Device &m_device;
    SentNumbers m_sent;
    bool m_isSet;
    std::string m_name;
    std::unique_ptr<Thunk> m_copy;
    ChangingLaunch m_launch;
};

} // namespace

bool AdvancedSubtensor::readsOnHost(std::size_t input, const Operand &) const { return input > 0; }
bool AdvancedIncSubtensor::readsOnHost(std::size_t input, const Operand &) const { return input > 1; }

std::unique_ptr<Thunk> AdvancedSubtensor::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<GatherOnDevice>(PlacesOfCall("subtensor", m_entries, spec.inputs[0], spec.inputs.subspan(1)), spec, name());
}

std::unique_ptr<Thunk> AdvancedIncSubtensor::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    const char *const symbol = m_set ? "set_subtensor" : "inc_subtensor";
    return std::make_unique<ScatterOnDevice>(symbol, PlacesOfCall(symbol, m_entries, spec.outputs[0], spec.inputs.subspan(2)), spec, m_set,
                                             name());
}

} // namespace engine
