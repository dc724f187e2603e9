// Sorting on a device: numbers that have the order of the elements are put in order together with their places.
#include "engine/codegen/ir/builder.h"
#include "engine/device/device.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/reductions/topk.h"
#include "engine/runtime/device/device_order.h"
#include "engine/tensor/errors.h"

#include <cstdlib>
#include <optional>

namespace engine {
namespace {

/// A key without a sign that has the order of the elements: NaN last, 0 and -0 the same.
ir::Value keyOf(ir::Builder &k, DType dtype, const ir::Value &element)
{
    const int width = static_cast<int>(8 * sizeOf(dtype));
    const std::uint64_t ones = ~std::uint64_t(0) >> (64 - width);
    const auto number = [](std::uint64_t value) { return ir::literal(DType::UInt64, value); };
    const ir::Value bits = k.let("bits", ir::cast(DType::UInt64, element)), top = number(std::uint64_t(1) << (width - 1));
    if (!isFloat(dtype)) return isSignedInteger(dtype) ? bits ^ top : bits;
    const int mantissa = dtype == DType::Float16 ? 10 : dtype == DType::Float32 ? 23 : 52;
    const ir::Value size = k.let("size", bits & number(ones >> 1)), inf = number(ones >> (1 + mantissa) << mantissa);
    return ir::select(size > inf, number(ones), ir::select(size == 0, top, bits ^ ir::select((bits & top) != 0, number(ones), top)));
}

/// Lines of an array with the places of their elements in order.
class OrderOnDevice {
public:
    OrderOnDevice(const SlotOperand &given, int axis, const std::string &name)
        : m_device(deviceOf(given.device)), m_name(name), m_dtype(given.dtype), m_length(given.shape[static_cast<std::size_t>(axis)])
    {
        const SlotOperand turned = withAxesLast(given, {&axis, 1});
        m_x.emplace(turned, turned.shape, m_name);
        const std::int64_t all = given.shape.product();
        m_lines = all / m_length;
        for (int k = axis + 1; k < given.shape.rank(); ++k) m_inner *= given.shape[static_cast<std::size_t>(k)];
        ir::Builder k(m_name);
        const ir::Array x = k.reads("x", ir::bitsOf(m_dtype)), keys = k.writes("keys", DType::UInt64),
                        places = k.writes("places", DType::Int64);
        const ir::Value length = k.number("length", m_length);
        keys[k.item()] = keyOf(k, m_dtype, x[k.item()]);
        places[k.item()] = k.item() % length;
        m_keys.emplace(m_device, k.finish(), all);
        m_order.emplace(m_device, m_lines, m_length, static_cast<int>(8 * sizeOf(m_dtype)), m_name);
    }
    void run(Slots slots)
    {
        m_now = m_x->data(slots);
        void *const keys[] = {m_now, m_order->keys(), m_order->places()};
        m_keys->run(keys);
        m_order->run();
    }
    /// Puts `count` elements of each line from the `first` one in order on into an array with lines of that length: values, or places of
    /// that dtype.
    DeviceLaunch putter(std::int64_t first, std::int64_t count, std::optional<DType> places) const
    {
        ir::Builder k(m_name);
        const ir::Array from = k.reads("places", DType::Int64), y = k.writes("y", ir::bitsOf(places.value_or(m_dtype)));
        const auto x = places ? std::nullopt : std::optional(k.reads("x", ir::bitsOf(m_dtype)));
        const ir::Value length = k.number("length", m_length), inner = k.number("inner", m_inner), taken = k.number("count", count);
        const ir::Value line = k.let("line", k.item() / taken), at = k.let("at", k.item() % taken);
        const ir::Value place = k.let("place", from[line * length + k.number("first", first) + at]);
        y[(line / inner * taken + at) * inner + line % inner] = x ? (*x)[line * length + place] : place;
        return {m_device, k.finish(), m_lines * count};
    }
    void put(DeviceLaunch &putter, void *to, bool isPlaces) const
    {
        std::vector<void *> arrays{m_order->orderedPlaces(), to};
        if (!isPlaces) arrays.push_back(m_now);
        putter.run(arrays);
    }

private:
    Device &m_device;
    std::string m_name;
    DType m_dtype;
    std::int64_t m_length, m_lines = 0, m_inner = 1;
    std::optional<DenseArray> m_x; ///< the axis last
    std::optional<DeviceOrder> m_order;
    std::optional<DeviceLaunch> m_keys;
    void *m_now = nullptr;
};

class SortOnDevice final : public Thunk {
public:
    SortOnDevice(const ThunkSpec &spec, bool isArg, const std::string &name)
        : m_given(spec.inputs[0]), m_axisIn(spec.inputs[1]), m_out(spec.outputs[0].slot), m_isArg(isArg), m_name(name)
    {}
    void run(Slots slots) override
    {
        const std::int64_t value = scalarInt(viewOf(m_axisIn, slots)), rank = m_given.shape.rank();
        const std::int64_t axis = value < 0 ? value + rank : value;
        if (axis < 0 || axis >= rank)
            throw ShapeMismatch("[sort] axis " + std::to_string(value) + " is out of range for shape " + m_given.shape.text());
        if (m_given.shape.product() == 0) return;
        if (axis != m_axis) {
            m_axis = axis;
            m_order.emplace(m_given, static_cast<int>(axis), m_name);
            m_put.emplace(
                m_order->putter(0, m_given.shape[static_cast<std::size_t>(axis)], m_isArg ? std::optional(DType::Int64) : std::nullopt));
        }
        m_order->run(slots);
        m_order->put(*m_put, slots[m_out], m_isArg);
    }

private:
    SlotOperand m_given, m_axisIn;
    Slot m_out;
    bool m_isArg;
    std::string m_name;
    std::int64_t m_axis = -1;
    std::optional<OrderOnDevice> m_order;
    std::optional<DeviceLaunch> m_put;
};

class TopKOnDevice final : public Thunk {
public:
    TopKOnDevice(const ThunkSpec &spec, const TopKOp &op, int axis)
        : m_given(spec.inputs[0]), m_k(spec.inputs[1]), m_placesDType(op.placesDType()),
          m_length(m_given.shape[static_cast<std::size_t>(axis)])
    {
        if (op.hasValues()) m_values = spec.outputs[0].slot;
        if (op.hasPlaces()) m_places = spec.outputs[op.hasValues() ? 1 : 0].slot;
        if (m_given.shape.product() > 0) m_order.emplace(m_given, axis, op.name());
    }
    void run(Slots slots) override
    {
        const std::int64_t k = scalarInt(viewOf(m_k, slots));
        wantTop(k, m_length);
        if (!m_order) return;
        if (k != m_putFor) {
            const std::int64_t count = std::abs(k), first = k > 0 ? m_length - count : 0;
            if (m_values) m_putValues.emplace(m_order->putter(first, count, std::nullopt));
            if (m_places) m_putPlaces.emplace(m_order->putter(first, count, m_placesDType));
            m_putFor = k;
        }
        m_order->run(slots);
        if (m_values) m_order->put(*m_putValues, slots[*m_values], false);
        if (m_places) m_order->put(*m_putPlaces, slots[*m_places], true);
    }

private:
    SlotOperand m_given, m_k;
    DType m_placesDType;
    std::int64_t m_length, m_putFor = 0;
    std::optional<Slot> m_values, m_places;
    std::optional<OrderOnDevice> m_order;
    std::optional<DeviceLaunch> m_putValues, m_putPlaces;
};

} // namespace

bool SortOp::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::unique_ptr<Thunk> SortOp::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<SortOnDevice>(spec, m_arg, name()) : nullptr;
}

bool TopKOp::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::unique_ptr<Thunk> TopKOp::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<TopKOnDevice>(spec, *this, static_cast<int>(axisIn(spec.inputs[0].shape.size()))) : nullptr;
}

} // namespace engine
