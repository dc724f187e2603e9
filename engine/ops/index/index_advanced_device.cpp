// Indexing with arrays on a device whose index lies on the host: that finds where its elements lie and sends their places.
#include "engine/ops/index/index_launch.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

/// The index of one call.
class PlacesOfCall {
public:
    PlacesOfCall(Finding symbol, std::span<const AdvancedEntry> entries, const SlotOperand &x, std::span<const SlotOperand> indices)
        : m_symbol(symbol), m_entries(entries.begin(), entries.end()), m_x(x), m_indices(indices.begin(), indices.end()),
          m_isFixed(std::ranges::all_of(indices, [](const SlotOperand &one) { return one.constantData; }))
    {}
    /// `isNew`: it may be another than before.
    const ResolvedIndex &of(Slots slots, bool &isNew)
    {
        char *const x = static_cast<char *>(slots[m_x.slot]);
        isNew = !m_isFixed || !m_resolved;
        if (!isNew) {
            m_resolved->base = x + m_offset;
            return *m_resolved;
        }
        std::vector<View> indices;
        for (const SlotOperand &one : m_indices) indices.push_back(viewOf(one, slots));
        m_resolved = resolveIndex(nameOf(m_symbol), m_entries, viewOf(m_x, slots), indices);
        m_offset = m_resolved->base - x;
        return *m_resolved;
    }

private:
    Finding m_symbol;
    std::vector<AdvancedEntry> m_entries;
    SlotOperand m_x;
    std::vector<SlotOperand> m_indices;
    bool m_isFixed; ///< a constant
    std::optional<ResolvedIndex> m_resolved;
    std::int64_t m_offset = 0;
};

/// Whole numbers that a call sends: room for as many as ever.
class SentNumbers {
public:
    explicit SentNumbers(DeviceId device) : m_device(device) {}
    void send(const std::vector<std::int64_t> &numbers)
    {
        const auto count = static_cast<std::int64_t>(numbers.size());
        if (!m_memory || count > m_room) m_memory.emplace(m_device, DType::Int64, Dims{m_room = std::max<std::int64_t>(count, 1)});
        if (count > 0) deviceOf(m_device).stream().copyIn(m_memory->data(), numbers.data(), numbers.size() * sizeof(std::int64_t));
    }
    /// From the `first` one on.
    void *data(std::int64_t first = 0) const { return static_cast<std::int64_t *>(m_memory->data()) + first; }

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

/// The launch for one layout of the index: made anew where it is another than before.
class ChangingLaunch {
public:
    explicit ChangingLaunch(Device &device) : m_device(device) {}
    /// `make` gives the kernel for an index of so many positions.
    template <class Make>
    void run(const IndexLayout &index, std::int64_t count, std::span<void *const> arrays, Make make)
    {
        if (count == 0 || index.restShape.product() == 0) return;
        if (!m_launch || count != m_count || !index.isAs(m_index)) {
            const IndexKernel one = make();
            m_launch.emplace(m_device, one.kernel, one.items, one.elements);
            m_index = index;
            m_count = count;
        }
        m_launch->run(arrays);
    }

private:
    Device &m_device;
    IndexLayout m_index;
    std::int64_t m_count = 0;
    std::optional<DeviceLaunch> m_launch;
};

class GatherOnDevice final : public Thunk {
public:
    GatherOnDevice(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
        : m_places(Finding::Subtensor, entries, spec.inputs[0], spec.inputs.subspan(1)), m_out(spec.outputs[0]), m_sent(m_out.device),
          m_name(name), m_launch(deviceOf(m_out.device))
    {}
    void run(Slots slots) override
    {
        bool isNew = false;
        const ResolvedIndex &index = m_places.of(slots, isNew);
        ENGINE_ASSERT(index.resultShape() == m_out.shape, m_name + " makes another shape than planned");
        if (isNew) m_sent.send(elementsOf(index.offsets, m_out.dtype));
        void *const arrays[] = {index.base, slots[m_out.slot], m_sent.data()};
        m_launch.run(index, static_cast<std::int64_t>(index.offsets.size()), arrays, [&] {
            return gatherKernel(m_name, index, m_out, [](ir::Builder &k) {
                const ir::Array places = k.reads("places", DType::Int64);
                return [places](const ir::Value &position) { return IndexPlace{places[position], std::nullopt}; };
            });
        });
    }

private:
    PlacesOfCall m_places;
    SlotOperand m_out;
    SentNumbers m_sent;
    std::string m_name;
    ChangingLaunch m_launch;
};

// Positions that name the same place are taken one after another, in their order: a place is one item's.
class ScatterOnDevice final : public Thunk {
public:
    ScatterOnDevice(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
        : m_symbol(isSet ? Finding::SetSubtensor : Finding::IncSubtensor),
          m_places(m_symbol, entries, spec.outputs[0], spec.inputs.subspan(2)), m_y(spec.inputs[1]), m_out(spec.outputs[0]),
          m_sent(m_out.device), m_isSet(isSet), m_name(name), m_copy(copyUnlessInPlace(spec, name)), m_launch(deviceOf(m_out.device))
    {}
    void run(Slots slots) override
    {
        bool isNew = false;
        const ResolvedIndex &index = m_places.of(slots, isNew);
        const Dims steps = stridesOfPart(m_symbol, m_y, index.resultShape());
        if (m_copy) m_copy->run(slots);
        if (index.offsets.empty() || index.restShape.product() == 0) return;
        if (isNew) send(index, steps);
        const auto count = static_cast<std::int64_t>(index.offsets.size());
        void *const arrays[] = {slots[m_y.slot], m_sent.data(), m_sent.data(count), index.base};
        m_launch.run(index, count, arrays, [&] { return scatterKernel(m_name, m_isSet, true, index, count, steps, m_y, m_out); });
    }

private:
    // Sorted by the place of each, then by the place of its value: duplicates are neighbours, in order of position.
    void send(const ResolvedIndex &index, const Dims &steps)
    {
        std::vector<std::size_t> order(index.offsets.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::ranges::stable_sort(order, {}, [&](std::size_t at) { return index.offsets[at]; });
        const std::vector<std::int64_t> places = elementsOf(index.offsets, m_out.dtype), values = valuesOf(index, steps);
        std::vector<std::int64_t> numbers;
        for (const std::vector<std::int64_t> *those : {&places, &values})
            for (const std::size_t at : order) numbers.push_back((*those)[at]);
        m_sent.send(numbers);
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
    Finding m_symbol;
    PlacesOfCall m_places;
    SlotOperand m_y, m_out;
    SentNumbers m_sent;
    bool m_isSet;
    std::string m_name;
    std::unique_ptr<Thunk> m_copy;
    ChangingLaunch m_launch;
};

bool isReadOnHost(std::span<const AdvancedEntry> entries, std::size_t input, const Operand &operand)
{
    for (const AdvancedEntry &entry : entries) {
        const auto count = static_cast<std::size_t>(entry.inputCount());
        if (input < count) return !entry.isArray || operand.type.device() == DeviceId::Host;
        input -= count;
    }
    return true;
}

} // namespace

bool AdvancedSubtensor::readsInputOnHost(std::size_t input, const Operand &operand) const
{
    return input > 0 && isReadOnHost(m_entries, input - 1, operand);
}
bool AdvancedIncSubtensor::readsInputOnHost(std::size_t input, const Operand &operand) const
{
    return input > 1 && isReadOnHost(m_entries, input - 2, operand);
}

std::unique_ptr<Thunk> AdvancedSubtensor::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    if (readsIndexOnDevice(m_entries, spec.inputs.subspan(1))) return gatherOnDevice(m_entries, spec, name());
    return std::make_unique<GatherOnDevice>(m_entries, spec, name());
}

std::unique_ptr<Thunk> AdvancedIncSubtensor::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    if (readsIndexOnDevice(m_entries, spec.inputs.subspan(2))) return scatterOnDevice(m_set, m_entries, spec, name());
    return std::make_unique<ScatterOnDevice>(m_set, m_entries, spec, name());
}

} // namespace engine
