// Ranges, unit matrices and triangles that are made where they are read: nothing is sent but their numbers, with the launch. Diagonals are
// windows.
#include "engine/codegen/ir/builder.h"
#include "engine/ops/index/index_launch.h"
#include "engine/ops/shapes/creation.h"
#include "engine/runtime/device/device_launch.h"
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
        ir::Builder k(name);
        const ir::Array y = k.writes("y", spec.outputs[0].dtype);
        const ir::Value start = k.given("start"), step = k.given("step");
        y[k.item()] = start + k.item() * step;
        m_launch.emplace(device, k.finish(), items);
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

class EyeOnDevice final : public Thunk {
public:
    EyeOnDevice(const ThunkSpec &spec, bool isTriangle, const std::string &name) : m_k(spec.inputs[2]), m_out(spec.outputs[0].slot)
    {
        const SlotOperand &out = spec.outputs[0];
        const std::int64_t items = out.shape.product();
        if (items == 0) return;
        Device &device = deviceOf(out.device);
        ir::Builder k(name);
        const ir::Array y = k.writes("y", out.dtype);
        const ir::Value diagonal = k.given("k"), columns = k.number("columns", out.shape[1]);
        const ir::Value column = k.item() % columns, place = k.item() / columns + diagonal;
        y[k.item()] = isTriangle ? column <= place : column == place;
        m_launch.emplace(device, k.finish(), items);
    }
    void run(Slots slots) override
    {
        const std::int64_t given[] = {scalarInt(viewOf(m_k, slots))};
        void *const arrays[] = {slots[m_out]};
        if (m_launch) m_launch->run(arrays, given);
    }

private:
    SlotOperand m_k;
    Slot m_out;
    std::optional<DeviceLaunch> m_launch;
};

DeviceWindow diagonalOf(const SlotOperand &array, int offset, int axis1, int axis2)
{
    const View view{nullptr, array.dtype, array.shape.rank(), array.shape.data(), array.strides.data()};
    const Window window = diagWindow(view, offset, axis1, axis2);
    DeviceWindow result{array, static_cast<char *>(window.data) - static_cast<char *>(nullptr)};
    result.array.shape = window.shape;
    result.array.strides = window.strides;
    result.array.type = Type();
    return result;
}

/// On a copy of the first input, unless it is the output.
class AddToDiagonal final : public Thunk {
public:
    AddToDiagonal(const ThunkSpec &spec, const DeviceWindow &window, const std::string &name) : m_copy(copyUnlessInPlace(spec, name))
    {
        checkFits(spec.inputs[1], window.array.shape, name);
        if (window.array.shape.product() == 0) return;
        const DeviceWindow operands[] = {window, paddedTo({spec.inputs[1]}, window.array.shape.rank())};
        m_add = windowThunk(scalarOp(ScalarCode::Add), operands, window, name);
    }
    void run(Slots slots) override
    {
        if (m_copy) m_copy->run(slots);
        if (m_add) m_add->run(slots);
    }

private:
    std::unique_ptr<Thunk> m_copy, m_add;
};

/// No work.
class Nothing final : public Thunk {
public:
    void run(Slots) override {}
};

} // namespace

bool ARange::readsInputOnHost(std::size_t, const Operand &) const { return true; }

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

bool Eye::readsInputOnHost(std::size_t, const Operand &) const { return true; }

std::unique_ptr<Thunk> Eye::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<EyeOnDevice>(spec, m_triangle, name()) : nullptr;
}

std::unique_ptr<Thunk> ExtractDiag::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    if (spec.outputs[0].shape.product() == 0) return std::make_unique<Nothing>();
    return copyThunk(diagonalOf(spec.inputs[0], m_offset, m_axis1, m_axis2), {spec.outputs[0]}, name());
}

std::unique_ptr<Thunk> AddToDiag::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<AddToDiagonal>(spec, diagonalOf(spec.outputs[0], m_offset, m_axis1, m_axis2), name());
}

} // namespace engine
