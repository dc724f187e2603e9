// Indexing with arrays that are on the device. Kernels read the indices there and record an index that is out of bounds. The next wait on
// the stream reports it.
#include "engine/ops/index/index_launch.h"
#include "engine/runtime/device/device_order.h"
#include "engine/tensor/errors.h"

#include <bit>
#include <deque>

namespace engine {
namespace {

/// An index array as kernels read it: on its own device, or sent from the host with each run, or once if it is a constant.
class IndexArray {
public:
    explicit IndexArray(const SlotOperand &array, DeviceId device)
        : dtype(array.dtype), shape(array.shape), strides(array.strides), m_array(array)
    {
        if (array.device != DeviceId::Host) return;
        strides = contiguousStrides(shape, sizeOf(dtype));
        m_sent.emplace(device, dtype, shape);
        if (array.constantData) send(const_cast<void *>(array.constantData));
    }
    void *data(Slots slots)
    {
        if (!m_sent) return slots[m_array.slot];
        if (!m_array.constantData) send(slots[m_array.slot]);
        return m_sent->data();
    }

    DType dtype;
    Dims shape, strides; ///< on the device

private:
    void send(void *from)
    {
        const Tensor given(m_array.dtype, m_array.shape, m_array.strides, from, nullptr);
        m_sent->fill(given.isContiguous() ? from : given.copy().data());
    }

    SlotOperand m_array;
    std::optional<DeviceScratch> m_sent;
};

/// The index of an op's apply.
class DeviceIndex {
public:
    DeviceIndex(Finding symbol, std::span<const AdvancedEntry> entries, const SlotOperand &x, std::span<const SlotOperand> indices)
        : m_symbol(symbol), m_entries(entries.begin(), entries.end()), m_x(x), m_indices(indices.begin(), indices.end())
    {
        std::size_t next = 0;
        for (const AdvancedEntry &entry : m_entries) {
            if (entry.isArray) m_arrays.emplace_back(indices[next], x.device);
            for (int k = 0; k < entry.inputCount(); ++k, ++next) m_hasNumbers |= !entry.isArray && !indices[next].constantData;
        }
    }
    /// Of this call; `isNew`: another one than before.
    const IndexLayout &layout(Slots slots, bool &isNew)
    {
        char *const x = static_cast<char *>(slots[m_x.slot]);
        isNew = !m_layout;
        if (m_layout && !m_hasNumbers) {
            m_layout->base = x + m_offset;
            return *m_layout;
        }
        std::vector<View> indices;
        for (const SlotOperand &one : m_indices) indices.push_back(viewOf(one, slots));
        IndexLayout now = layoutOfIndex(nameOf(m_symbol), m_entries, viewOf(m_x, slots), indices);
        isNew = !m_layout || !now.isAs(*m_layout);
        m_layout = std::move(now);
        m_offset = m_layout->base - x;
        return *m_layout;
    }
    /// The arrays of a kernel that reads the index, behind its own.
    void append(std::vector<void *> &arrays, Slots slots)
    {
        for (IndexArray &one : m_arrays) arrays.push_back(one.data(slots));
    }
    /// For kernels: notes what is out of bounds. `idOf`: gets which of all places it is, or how many there are.
    IndexReader reader(const std::function<void(const ir::Value &position, const ir::Value &id)> &idOf = {}) const
    {
        return [this, idOf](ir::Builder &k) {
            std::vector<ir::Array> arrays;
            for (std::size_t j = 0; j < m_arrays.size(); ++j) arrays.push_back(k.reads("j" + std::to_string(j), m_arrays[j].dtype));
            return [this, idOf, &k, arrays](const ir::Value &position) -> IndexPlace {
                const std::vector<ir::Value> at = walked(k, "k", position, arrayAxes());
                const ir::Place element = k.variable("at", 0), id = k.variable("id", 0), isOut = k.variable("isOut", DType::Int32, 0);
                for (std::size_t j = 0; j < arrays.size(); ++j) {
                    const IndexLayout::Axis &axis = m_layout->axes[j];
                    const std::string n = std::to_string(j);
                    const ir::Value size = k.number("z" + n, axis.size),
                                    given = k.let("given" + n, ir::cast(DType::Int64, arrays[j][at[j]]));
                    const ir::Value place = k.let("place" + n, ir::select(given < 0, given + size, given));
                    k.when(place < 0 || place >= size, [&] {
                        isOut = 1;
                        k.find(m_symbol, given, axis.axis, size);
                    });
                    element += place * k.number("w" + n, axis.stride / static_cast<std::int64_t>(sizeOf(m_x.dtype)));
                    if (idOf) id = id * size + place;
                }
                if (idOf) idOf(position, ir::select(isOut, k.number("places", places()), id));
                return {element, isOut};
            };
        };
    }
    std::int64_t places() const
    {
        std::int64_t all = 1;
        for (const IndexLayout::Axis &axis : m_layout->axes) all *= axis.size;
        return all;
    }
    DeviceLaunch launchOf(const IndexKernel &one) const { return {deviceOf(m_x.device), one.kernel, one.items, one.elements}; }
    Finding symbol() const { return m_symbol; }

private:
    WalkedAxes arrayAxes() const
    {
        std::vector<Dims> strides;
        std::vector<DType> dtypes;
        for (const IndexArray &one : m_arrays) {
            Dims stretched(m_layout->arrayShape.size(), 0);
            for (std::size_t axis = 0; axis < one.shape.size(); ++axis)
                if (one.shape[axis] != 1) stretched[stretched.size() - one.shape.size() + axis] = one.strides[axis];
            strides.push_back(stretched);
            dtypes.push_back(one.dtype);
        }
        return {m_layout->arrayShape, strides, dtypes};
    }

    Finding m_symbol;
    std::vector<AdvancedEntry> m_entries;
    SlotOperand m_x;
    std::vector<SlotOperand> m_indices;
    std::deque<IndexArray> m_arrays;
    bool m_hasNumbers = false; ///< of slices: they may change
    std::optional<IndexLayout> m_layout;
    std::int64_t m_offset = 0;
};

class DeviceGather final : public Thunk {
public:
    DeviceGather(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
        : m_index(Finding::Subtensor, entries, spec.inputs[0], spec.inputs.subspan(1)), m_out(spec.outputs[0]), m_name(name)
    {}
    void run(Slots slots) override
    {
        bool isNew = false;
        const IndexLayout &index = m_index.layout(slots, isNew);
        ENGINE_ASSERT(index.resultShape() == m_out.shape, m_name + " makes another shape than planned");
        if (index.arrayShape.product() == 0) return;
        if (isNew) m_launch.emplace(m_index.launchOf(gatherKernel(m_name, index, m_out, m_index.reader())));
        m_arrays = {index.base, slots[m_out.slot]};
        m_index.append(m_arrays, slots);
        m_launch->run(m_arrays);
    }
    bool mayFind() const override { return true; }

private:
    DeviceIndex m_index;
    SlotOperand m_out;
    std::string m_name;
    std::vector<void *> m_arrays;
    std::optional<DeviceLaunch> m_launch;
};

// In the order of places stand together, by position, those that name the same one. One item writes them. An index out of bounds is a place
// behind all others; where there is one, nothing is written.
class DeviceScatter final : public Thunk {
public:
    DeviceScatter(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
        : m_index(isSet ? Finding::SetSubtensor : Finding::IncSubtensor, entries, spec.outputs[0], spec.inputs.subspan(2)),
          m_y(spec.inputs[1]), m_out(spec.outputs[0]), m_isSet(isSet), m_name(name), m_copy(copyUnlessInPlace(spec, name))
    {}
    void run(Slots slots) override
    {
        bool isNew = false;
        const IndexLayout &index = m_index.layout(slots, isNew);
        const Dims steps = stridesOfPart(m_index.symbol(), m_y, index.resultShape());
        if (m_copy) m_copy->run(slots);
        if (index.arrayShape.product() == 0) return;
        if (isNew) build(index, steps);
        m_arrays = {m_order->keys(), m_order->places()};
        m_index.append(m_arrays, slots);
        m_find->run(m_arrays);
        if (!m_write) return;
        m_order->run();
        void *const write[] = {slots[m_y.slot], m_order->orderedKeys(), m_order->orderedPlaces(), index.base};
        m_write->run(write);
    }
    bool mayFind() const override { return true; }

private:
    void build(const IndexLayout &index, const Dims &steps)
    {
        const std::int64_t count = index.arrayShape.product(), places = m_index.places();
        ir::Builder k(m_name);
        const ir::Array ids = k.writes("ids", DType::UInt64), positions = k.writes("positions", DType::Int64);
        m_index.reader([&](const ir::Value &position, const ir::Value &id) { ids[position] = id, positions[position] = position; })(k)(
            k.item());
        m_find.emplace(m_index.launchOf({k.finish(), count}));
        if (!m_order) m_order.emplace(deviceOf(m_out.device), 1, count, std::bit_width(static_cast<std::uint64_t>(places)), m_name);
        m_write.reset();
        if (index.restShape.product() == 0 || places == 0) return;
        m_write.emplace(m_index.launchOf(scatterKernel(m_name, m_isSet, false, index, count, steps, m_y, m_out)));
    }

    DeviceIndex m_index;
    SlotOperand m_y, m_out;
    bool m_isSet;
    std::string m_name;
    std::unique_ptr<Thunk> m_copy;
    std::vector<void *> m_arrays;
    std::optional<DeviceOrder> m_order;
    std::optional<DeviceLaunch> m_find, m_write; ///< no m_write: there is nothing to write to
};

} // namespace

std::unique_ptr<Thunk> gatherOnDevice(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<DeviceGather>(entries, spec, name);
}

std::unique_ptr<Thunk> scatterOnDevice(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<DeviceScatter>(isSet, entries, spec, name);
}

} // namespace engine
