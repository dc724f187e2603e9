// Sorting on a device: numbers that have the order of the elements are put in order together with their places.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/index_canonical.h"
#include "engine/ops/sort.h"
#include "engine/runtime/device_order.h"
#include "engine/tensor/errors.h"

#include <optional>

namespace engine {
namespace {

/// The text of a key without a sign that has the order of the elements: NaN last, 0 and -0 the same.
std::string keyText(DType dtype)
{
    const int bits = static_cast<int>(8 * sizeOf(dtype));
    const std::string all = "(~(u64)0 >> " + std::to_string(64 - bits) + ")", top = "((u64)1 << " + std::to_string(bits - 1) + ")";
    std::string text = "        const u64 bits = (u64)x[i];\n";
    if (!isFloat(dtype)) return text + "        keys[i] = bits" + (isSignedInteger(dtype) ? " ^ " + top : "") + ";\n";
    const int mantissa = dtype == DType::Float16 ? 10 : dtype == DType::Float32 ? 23 : 52;
    const std::string inf = "((~(u64)0 >> " + std::to_string(65 - bits + mantissa) + ") << " + std::to_string(mantissa) + ")";
    return text + "        const u64 size = bits & (" + top + " - 1);\n        keys[i] = size > " + inf + " ? " + all + " : size == 0 ? " +
           top + " : bits & " + top + " ? bits ^ " + all + " : bits ^ " + top + ";\n";
}

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
        if (axis != m_axis) build(static_cast<int>(axis));
        void *const x = m_x->data(slots);
        void *const keys[] = {x, m_order->keys(), m_order->places()};
        m_keys->run(keys);
        m_order->run();
        m_arrays = {m_order->orderedPlaces(), slots[m_out]};
        if (!m_isArg) m_arrays.push_back(x);
        m_put->run(m_arrays);
    }

private:
    void build(int axis)
    {
        m_axis = axis;
        Device &device = deviceOf(m_given.device);
        const Dialect dialect = device.info().dialect;
        const SlotOperand turned = withAxesLast(m_given, {&axis, 1});
        m_x.emplace(turned, turned.shape, m_name);
        const std::int64_t length = m_given.shape[static_cast<std::size_t>(axis)], all = m_given.shape.product();
        std::int64_t inner = 1;
        for (int k = axis + 1; k < m_given.shape.rank(); ++k) inner *= m_given.shape[static_cast<std::size_t>(k)];
        const std::string type = bitsType(m_given.dtype);
        const KernelParameter ofKeys[] = {{"x", "const " + type}, {"keys", "u64"}, {"places", "i64"}, {"length", ""}};
        m_keys.emplace(device,
                       KernelSource{m_name, kernelUnit(dialect, ofKeys, keyText(m_given.dtype) + "        places[i] = i % length;\n"), {}},
                       std::vector<std::int64_t>{length}, all);
        m_order.emplace(device, all / length, length, static_cast<int>(8 * sizeOf(m_given.dtype)), m_name);
        std::vector<KernelParameter> ofResult{{"places", "const i64"}, {"y", m_isArg ? "i64" : type}};
        if (!m_isArg) ofResult.push_back({"x", "const " + type});
        ofResult.push_back({"length", ""});
        ofResult.push_back({"inner", ""});
        const std::string body = "        const i64 line = i / length, to = (line / inner * length + i % length) * inner + line % inner;\n"
                                 "        y[to] = " +
                                 std::string(m_isArg ? "places[i]" : "x[line * length + places[i]]") + ";\n";
        m_put.emplace(device, KernelSource{m_name, kernelUnit(dialect, ofResult, body), {}}, std::vector<std::int64_t>{length, inner}, all);
    }

    SlotOperand m_given, m_axisIn;
    Slot m_out;
    bool m_isArg;
    std::string m_name;
    std::int64_t m_axis = -1;
    std::optional<DenseArray> m_x; ///< the axis last
    std::optional<DeviceOrder> m_order;
    std::optional<DeviceLaunch> m_keys, m_put;
    std::vector<void *> m_arrays;
};

} // namespace

bool SortOp::readsOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::unique_ptr<Thunk> SortOp::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<SortOnDevice>(spec, m_arg, name()) : nullptr;
}

} // namespace engine
