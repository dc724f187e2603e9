// Indexing with arrays that lie on the device: kernels read them there, and note what is out of bounds for whoever waits next.
#include "engine/codegen/finding_text.h"
#include "engine/ops/index_launch.h"
#include "engine/runtime/device_order.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace engine {
namespace {

/// An index array as kernels read it: of the device where it lies, of the host sent with each run, a constant once.
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
    Dims shape, strides; ///< as it lies on the device

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
class IndexThere {
public:
    IndexThere(Finding symbol, std::span<const AdvancedEntry> entries, const SlotOperand &x, std::span<const SlotOperand> indices)
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
    /// The kernel. Its text has `arrays`, and `numbers` with these values. For position `number` of the arrays `body` knows isOut, else
    /// `at`, the element within x, and `id`, which of all places it is.
    IndexKernel kernel(const std::string &name, std::vector<KernelParameter> arrays, std::vector<KernelParameter> numbers,
                       const std::vector<std::int64_t> &values, const std::string &number, const std::string &body) const
    {
        std::vector<Dims> strides;
        std::vector<DType> dtypes;
        std::vector<std::string> sums;
        for (std::size_t j = 0; j < m_arrays.size(); ++j) {
            const IndexArray &one = m_arrays[j];
            Dims stretched(m_layout->arrayShape.size(), 0);
            for (std::size_t axis = 0; axis < one.shape.size(); ++axis)
                if (one.shape[axis] != 1) stretched[stretched.size() - one.shape.size() + axis] = one.strides[axis];
            strides.push_back(stretched);
            dtypes.push_back(one.dtype);
            sums.push_back("p" + std::to_string(j));
            arrays.push_back({"j" + std::to_string(j), "const " + deviceMemory(one.dtype)});
        }
        arrays.push_back({"found", "i64"});
        const WalkText walk("k", number, sums, WalkedAxes(m_layout->arrayShape, strides, dtypes));
        IndexKernel result;
        result.numbers = {0}; // for the name of the work
        result.numbers.insert(result.numbers.end(), values.begin(), values.end());
        result.numbers.insert(result.numbers.end(), walk.values.begin(), walk.values.end());
        numbers.insert(numbers.begin(), {"tag", ""});
        numbers.insert(numbers.end(), walk.parameters.begin(), walk.parameters.end());
        std::string text = walk.text + "        i64 at = 0, id = 0;\n        int isOut = 0;\n";
        for (std::size_t j = 0; j < m_arrays.size(); ++j) {
            const IndexLayout::Axis &axis = m_layout->axes[j];
            const std::string n = std::to_string(j);
            text += "        {\n            const i64 given = (i64)j" + n + "[p" + n + "], place = given < 0 ? given + z" + n +
                    " : given;\n" + "            if (place < 0 || place >= z" + n + ") {\n                isOut = 1;\n                " +
                    findingText(m_symbol, "given", std::to_string(axis.axis), "z" + n) + "\n            }\n            at += place * w" +
                    n + ";\n            id = id * z" + n + " + place;\n        }\n";
            numbers.push_back({"z" + n, ""});
            numbers.push_back({"w" + n, ""});
            result.numbers.push_back(axis.size);
            result.numbers.push_back(axis.stride / static_cast<std::int64_t>(sizeOf(m_x.dtype)));
        }
        arrays.insert(arrays.end(), numbers.begin(), numbers.end());
        result.source = {name, kernelUnit(deviceOf(m_x.device).info().dialect, arrays, text + body), {}};
        return result;
    }
    DeviceLaunch launchOf(IndexKernel kernel) const
    {
        return {deviceOf(m_x.device), kernel.source, std::move(kernel.numbers), kernel.items, kernel.elements};
    }
    Finding symbol() const { return m_symbol; }

private:
    Finding m_symbol;
    std::vector<AdvancedEntry> m_entries;
    SlotOperand m_x;
    std::vector<SlotOperand> m_indices;
    std::deque<IndexArray> m_arrays;
    bool m_hasNumbers = false; ///< of slices: they may change
    std::optional<IndexLayout> m_layout;
    std::int64_t m_offset = 0;
};

/// Does an item take all that lies at its place? A processor's does, where there are enough for its threads; a card's takes one element.
bool takesWhole(Dialect dialect, std::int64_t places, std::int64_t rests)
{
    return dialect == Dialect::OpenClStrips && rests > 1 && places >= std::min<std::int64_t>(rests, 64);
}

class GatherThere final : public Thunk {
public:
    GatherThere(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
        : m_index(Finding::Subtensor, entries, spec.inputs[0], spec.inputs.subspan(1)), m_out(spec.outputs[0]), m_name(name)
    {}
    void run(Slots slots) override
    {
        bool isNew = false;
        const IndexLayout &index = m_index.layout(slots, isNew);
        ENGINE_ASSERT(index.resultShape() == m_out.shape, m_name + " makes another shape than planned");
        if (index.arrayShape.product() == 0) return;
        if (isNew) m_launch.emplace(m_index.launchOf(kernel(index)));
        m_arrays = {index.base, slots[m_out.slot]};
        m_index.append(m_arrays, slots);
        m_launch->runFinding(m_arrays);
    }
    bool mayFind() const override { return true; }

private:
    IndexKernel kernel(const IndexLayout &index) const
    {
        const std::string type = bitsType(m_out.dtype);
        const Dims strides = contiguousStrides(m_out.shape, sizeOf(m_out.dtype));
        const Dims walked[] = {index.restStrides, restWithin(index, strides)};
        const DType dtypes[] = {m_out.dtype, m_out.dtype};
        static const std::string kSums[] = {"in", "to"};
        const std::int64_t count = index.arrayShape.product();
        const bool hasElements = m_out.shape.product() > 0; // else the places are looked at, as ever
        const std::int64_t rests = index.restShape.product();
        const Dialect dialect = deviceOf(m_out.device).info().dialect;
        const bool isWhole = !hasElements || takesWhole(dialect, count, rests);
        const WalkText rest("r", isWhole ? "r" : "i % rests", kSums, WalkedAxes(hasElements ? index.restShape : Dims{}, walked, dtypes));
        std::vector<KernelParameter> numbers{{"rests", ""}, {"step", ""}};
        std::vector<std::int64_t> values{rests, stepOfArrays(index, strides, m_out.dtype)};
        numbers.insert(numbers.end(), rest.parameters.begin(), rest.parameters.end());
        values.insert(values.end(), rest.values.begin(), rest.values.end());
        const std::string copied = " = isOut ? (" + type + ")0 : x[in + at];\n";
        const std::string body = isWhole ? std::string(besideText(dialect)) + "\n        for (i64 r = 0; r < rests; ++r) {\n" + rest.text +
                                               "        y[to + i * step]" + copied + "        }\n"
                                         : rest.text + "        y[to + i / rests * step]" + copied;
        IndexKernel result = m_index.kernel(m_name, {{"x", "const " + type}, {"y", type}}, numbers, values, isWhole ? "i" : "i / rests",
                                            hasElements ? body : std::string());
        result.items = isWhole ? count : count * rests;
        result.elements = isWhole ? std::max<std::int64_t>(rests, 1) : 1;
        return result;
    }

    IndexThere m_index;
    SlotOperand m_out;
    std::string m_name;
    std::vector<void *> m_arrays;
    std::optional<DeviceLaunch> m_launch;
};

// In the order of places stand together, by position, those that name the same one. One item writes them. An index out of bounds is a place
// behind all others; where there is one, nothing is written.
class ScatterThere final : public Thunk {
public:
    ScatterThere(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
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
        m_find->runFinding(m_arrays);
        if (!m_write) return;
        m_order->run();
        void *const write[] = {slots[m_y.slot], m_order->orderedKeys(), m_order->orderedPlaces(), index.base};
        m_write->run(write);
    }
    bool mayFind() const override { return true; }

private:
    void build(const IndexLayout &index, const Dims &steps)
    {
        Device &device = deviceOf(m_out.device);
        const Dialect dialect = device.info().dialect;
        const std::int64_t count = index.arrayShape.product(), rests = index.restShape.product();
        std::int64_t places = 1;
        for (const IndexLayout::Axis &axis : index.axes) places *= axis.size;
        IndexKernel keys = m_index.kernel(m_name, {{"ids", "u64"}, {"positions", "i64"}}, {{"places", ""}}, {places}, "i",
                                          "        ids[i] = (u64)(isOut ? places : id);\n        positions[i] = i;\n");
        keys.items = count;
        m_find.emplace(m_index.launchOf(std::move(keys)));
        if (!m_order) m_order.emplace(device, 1, count, std::bit_width(static_cast<std::uint64_t>(places)), m_name);
        m_write.reset();
        if (rests == 0 || places == 0) return;

        const Dims walked[] = {index.restStrides, restWithin(index, steps)};
        const DType dtypes[] = {m_out.dtype, m_y.dtype};
        static const std::string kSums[] = {"in", "to"}, kFrom[] = {"from"};
        const bool isWhole = takesWhole(dialect, count, rests);
        const WalkText rest("r", isWhole ? "r" : "i % rests", kSums, WalkedAxes(index.restShape, walked, dtypes));
        Dims ofArrays;
        for (std::size_t axis = 0; axis < index.arrayShape.size(); ++axis) ofArrays.push_back(steps[index.place + axis]);
        const WalkText value("v", "positions[q]", kFrom, WalkedAxes(index.arrayShape, {&ofArrays, 1}, {&m_y.dtype, 1}));
        std::vector<KernelParameter> parameters{{"y", "const " + deviceMemory(m_y.dtype)},
                                                {"ids", "const u64"},
                                                {"positions", "const i64"},
                                                {"x", deviceMemory(m_out.dtype)},
                                                {"count", ""},
                                                {"places", ""},
                                                {"rests", ""}};
        std::vector<std::int64_t> numbers{count, places, rests};
        std::string place;
        for (std::size_t j = index.axes.size(); j-- > 0;) {
            const std::string n = std::to_string(j);
            place += "            at += id % z" + n + " * w" + n + "; id /= z" + n + ";\n";
            parameters.push_back({"z" + n, ""});
            parameters.push_back({"w" + n, ""});
            numbers.insert(numbers.end(), {index.axes[j].size, index.axes[j].stride / static_cast<std::int64_t>(sizeOf(m_out.dtype))});
        }
        for (const WalkText *walk : {&rest, &value}) {
            parameters.insert(parameters.end(), walk->parameters.begin(), walk->parameters.end());
            numbers.insert(numbers.end(), walk->values.begin(), walk->values.end());
        }
        const std::string isMine = m_isSet ? "s + 1 == count || ids[s + 1] != ids[s]" : "s == 0 || ids[s - 1] != ids[s]";
        const std::string store = "                " + storeText(m_isSet, m_out.dtype, "x[at + in]", m_y.dtype, "y[from + to]") + "\n";
        const std::string walk = m_isSet ? "            const i64 q = s;\n            {\n"
                                         : "            for (i64 q = s; q < count && ids[q] == ids[s]; ++q) {\n";
        const std::string each =
            std::string(besideText(dialect)) + "\n            for (i64 r = 0; r < rests; ++r) {\n" + rest.text + store + "            }\n";
        const std::string body = std::string("        const i64 s = i") + (isWhole ? ";\n" : " / rests;\n" + rest.text) +
                                 "        if (ids[count - 1] < (u64)places && (" + isMine + ")) {\n" +
                                 "            i64 id = (i64)ids[s], at = 0;\n" + place + walk + value.text + (isWhole ? each : store) +
                                 "            }\n        }\n";
        m_write.emplace(device, KernelSource{m_name, kernelUnit(dialect, parameters, body), {}}, numbers, isWhole ? count : count * rests,
                        isWhole ? rests : 1);
    }

    IndexThere m_index;
    SlotOperand m_y, m_out;
    bool m_isSet;
    std::string m_name;
    std::unique_ptr<Thunk> m_copy;
    std::vector<void *> m_arrays;
    std::optional<DeviceOrder> m_order;
    std::optional<DeviceLaunch> m_find, m_write; ///< no m_write: there is nothing to write to
};

} // namespace

std::unique_ptr<Thunk> gatherThere(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<GatherThere>(entries, spec, name);
}

std::unique_ptr<Thunk> scatterThere(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<ScatterThere>(isSet, entries, spec, name);
}

} // namespace engine
