// Indexing on a device with scalars, or with rows by their numbers. What lies on the host is read there: it is checked, and known when a
// kernel is launched.
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/index/index_launch.h"
#include "engine/runtime/device/device_halves.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

/// The window that the scalars of this call choose, and the work on it: made anew where its shape is another one.
class WindowWork {
public:
    WindowWork(std::vector<IndexEntry> entries, const SlotOperand &array, std::span<const SlotOperand> scalars)
        : m_entries(std::move(entries)), m_array(array), m_scalars(scalars.begin(), scalars.end())
    {}
    /// Has `make` the work for a window of another shape than before.
    template <class Make>
    void run(Slots slots, Make make)
    {
        std::vector<View> scalars;
        for (const SlotOperand &scalar : m_scalars) scalars.push_back(viewOf(scalar, slots));
        const Window window = windowOf(m_entries, viewOf(m_array, slots), scalars);
        const std::int64_t offset = static_cast<char *>(window.data) - static_cast<char *>(slots[m_array.slot]);
        if (!m_isMade || !(m_window.array.shape == window.shape) || !(m_window.array.strides == window.strides) ||
            m_window.offset != offset) {
            m_window = {m_array, offset};
            m_window.array.shape = window.shape;
            m_window.array.strides = window.strides;
            m_work = window.shape.product() > 0 ? make(m_window) : nullptr;
            m_isMade = true;
        }
        if (m_work) m_work->run(slots);
    }

private:
    std::vector<IndexEntry> m_entries;
    SlotOperand m_array;
    std::vector<SlotOperand> m_scalars;
    DeviceWindow m_window;
    bool m_isMade = false;
    std::unique_ptr<Thunk> m_work;
};

class SubtensorThunk final : public Thunk {
public:
    SubtensorThunk(const Subtensor &op, const ThunkSpec &spec)
        : m_work(op.entries(), spec.inputs[0], spec.inputs.subspan(1)), m_out(spec.outputs[0]), m_name(op.name())
    {}
    void run(Slots slots) override
    {
        m_work.run(slots, [&](const DeviceWindow &window) { return copyThunk(window, {m_out}, m_name); });
    }

private:
    WindowWork m_work;
    SlotOperand m_out;
    std::string m_name;
};

class IncSubtensorThunk final : public Thunk {
public:
    IncSubtensorThunk(const IncSubtensor &op, const ThunkSpec &spec)
        : m_copy(copyUnlessInPlace(spec, op.name())), m_work(op.entries(), spec.outputs[0], spec.inputs.subspan(2)), m_y(spec.inputs[1]),
          m_isSet(op.isSet()), m_name(op.name())
    {}
    void run(Slots slots) override
    {
        if (m_copy) m_copy->run(slots);
        m_work.run(slots, [&](const DeviceWindow &window) {
            checkFits(m_y, window.array.shape, m_name);
            const DeviceWindow y = paddedTo({m_y}, window.array.shape.rank());
            if (m_isSet) return copyThunk(y, window, m_name);
            const DeviceWindow operands[] = {window, y};
            return windowThunk(scalarOp(ScalarCode::Add), operands, window, m_name);
        });
    }

private:
    std::unique_ptr<Thunk> m_copy;
    WindowWork m_work;
    SlotOperand m_y;
    bool m_isSet;
    std::string m_name;
};

/// Rows by their numbers, which the host checks and sends.
class RowNumbers {
public:
    RowNumbers(Finding symbol, const SlotOperand &numbers, std::int64_t size, DeviceId device)
        : m_symbol(symbol), m_numbers(numbers), m_size(size), m_sent(device, DType::Int64, numbers.shape)
    {}
    void *send(Slots slots)
    {
        if (m_isThere) return m_sent.data();
        const Tensor given(m_numbers.dtype, m_numbers.shape, m_numbers.strides, slots[m_numbers.slot], nullptr);
        const Tensor checked = given.converted(DType::Int64);
        for (std::int64_t i = 0; i < checked.size(); ++i) {
            std::int64_t &place = checked.as<std::int64_t>()[i];
            if (place < -m_size || place >= m_size)
                throw OutOfBounds(std::string("[") + nameOf(m_symbol) + "] index " + std::to_string(place) +
                                  " is out of bounds for axis 0 with size " + std::to_string(m_size));
            if (place < 0) place += m_size;
        }
        m_sent.fill(checked.data());
        m_isThere = m_numbers.constantData != nullptr;
        return m_sent.data();
    }

private:
    Finding m_symbol;
    SlotOperand m_numbers;
    std::int64_t m_size;
    DeviceScratch m_sent;
    bool m_isThere = false; ///< a constant that was sent
};

std::int64_t rowLength(const Dims &shape)
{
    std::int64_t length = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) length *= shape[axis];
    return length;
}

class RowsThunk final : public Thunk {
public:
    RowsThunk(const ThunkSpec &spec, const std::string &name)
        : m_x(spec.inputs[0], spec.inputs[0].shape, name),
          m_rows(Finding::Subtensor, spec.inputs[1], spec.inputs[0].shape[0], spec.inputs[0].device), m_out(spec.outputs[0].slot)
    {
        const std::int64_t items = spec.outputs[0].shape.product();
        if (items == 0) return;
        Device &device = deviceOf(spec.inputs[0].device);
        const DType type = ir::bitsOf(spec.inputs[0].dtype);
        ir::Builder k(name);
        const ir::Array x = k.reads("x", type), rows = k.reads("rows", DType::Int64), y = k.writes("y", type);
        const ir::Value length = k.number("length", rowLength(spec.inputs[0].shape));
        y[k.item()] = x[rows[k.item() / length] * length + k.item() % length];
        m_launch.emplace(device, k.finish(), items);
    }
    void run(Slots slots) override
    {
        void *const rows = m_rows.send(slots);
        if (!m_launch) return;
        void *const arrays[] = {m_x.data(slots), rows, slots[m_out]};
        m_launch->run(arrays);
    }

private:
    DenseArray m_x;
    RowNumbers m_rows;
    Slot m_out;
    std::optional<DeviceLaunch> m_launch;
};

// Rows that come twice are added up in their order: each item has a column.
class WriteRowsThunk final : public Thunk {
public:
    WriteRowsThunk(const AdvancedIncSubtensor1 &op, const ThunkSpec &spec)
        : m_copy(copyUnlessInPlace(spec, op.name())), m_y(spec.inputs[1], partOf(spec), op.name()),
          m_rows(op.isSet() ? Finding::SetSubtensor : Finding::IncSubtensor, spec.inputs[2], spec.inputs[0].shape[0],
                 spec.inputs[0].device),
          m_out(spec.outputs[0].slot)
    {
        const SlotOperand &out = spec.outputs[0];
        ENGINE_ASSERT(out.strides == contiguousStrides(out.shape, sizeOf(out.dtype)), op.name() + " writes into an array with gaps");
        const std::int64_t length = rowLength(out.shape), count = spec.inputs[2].shape[0];
        if (length == 0 || count == 0) return;
        Device &device = deviceOf(out.device);
        ir::Builder k(op.name());
        const ir::Array y = k.reads("y", spec.inputs[1].dtype), rows = k.reads("rows", DType::Int64), x = k.writes("x", out.dtype);
        const ir::Value end = k.number("count", count), width = k.number("length", length);
        k.loop("r", {0, end}, [&](const ir::Value &r) {
            const ir::Place to = x[rows[r] * width + k.item()];
            const ir::Value given = y[r * width + k.item()];
            to = op.isSet() ? given : to + given;
        });
        m_launch.emplace(device, k.finish(), length);
    }
    void run(Slots slots) override
    {
        void *const rows = m_rows.send(slots);
        if (m_copy) m_copy->run(slots);
        if (!m_launch) return;
        void *const arrays[] = {m_y.data(slots), rows, slots[m_out]};
        m_launch->run(arrays);
    }

private:
    static Dims partOf(const ThunkSpec &spec)
    {
        Dims shape = spec.inputs[0].shape;
        shape[0] = spec.inputs[2].shape[0];
        return shape;
    }

    std::unique_ptr<Thunk> m_copy;
    DenseArray m_y;
    RowNumbers m_rows;
    Slot m_out;
    std::optional<DeviceLaunch> m_launch;
};

} // namespace

bool Subtensor::readsInputOnHost(std::size_t input, const Operand &) const { return input > 0; }
bool IncSubtensor::readsInputOnHost(std::size_t input, const Operand &) const { return input > 1; }
bool AdvancedSubtensor1::readsInputOnHost(std::size_t input, const Operand &operand) const
{
    return input == 1 && operand.type.device() == DeviceId::Host;
}
bool AdvancedIncSubtensor1::readsInputOnHost(std::size_t input, const Operand &operand) const
{
    return input == 2 && operand.type.device() == DeviceId::Host;
}

std::string AdvancedIncSubtensor1::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    for (int i = 0; i < 2; ++i)
        if (const DType dtype = inputs[i].dtype(); dtype == DType::Bool || isComplex(dtype))
            return "devices add rows of floats and integers only";
    return {};
}

std::unique_ptr<Thunk> Subtensor::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<SubtensorThunk>(*this, spec) : nullptr;
}
std::unique_ptr<Thunk> IncSubtensor::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<IncSubtensorThunk>(*this, spec) : nullptr;
}
std::unique_ptr<Thunk> AdvancedSubtensor1::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    if (readsIndexOnDevice(oneArray(), spec.inputs.subspan(1))) return gatherOnDevice(oneArray(), spec, name());
    return std::make_unique<RowsThunk>(spec, name());
}
std::unique_ptr<Thunk> AdvancedIncSubtensor1::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    if (readsIndexOnDevice(oneArray(), spec.inputs.subspan(2))) return scatterOnDevice(m_set, oneArray(), spec, name());
    return inSingles(
        spec, [this](const ThunkSpec &singles) { return std::make_unique<WriteRowsThunk>(*this, singles); }, name());
}

} // namespace engine
