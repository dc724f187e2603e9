// Where the arrays of a plan lie: what is alive at the same time lies apart, all else in the same place.
#include "engine/runtime/plan.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t bytesOf(const Dims &shape, DType dtype) { return static_cast<std::size_t>(shape.product()) * sizeOf(dtype); }

// Free ranges of an arena, best fit; grows when nothing fits.
class RangeAllocator {
public:
    std::size_t take(std::size_t bytes)
    {
        const auto best = m_bySize.lower_bound({bytes, 0});
        if (best == m_bySize.end()) {
            const std::size_t start = m_end;
            m_end += bytes;
            return start;
        }
        const auto [size, start] = *best;
        remove(m_free.find(start));
        if (size > bytes) add(start + bytes, size - bytes);
        return start;
    }

    void give(std::size_t start, std::size_t bytes)
    {
        if (bytes == 0) return;
        auto next = m_free.lower_bound(start);
        if (next != m_free.end() && start + bytes == next->first) {
            bytes += next->second;
            next = remove(next);
        }
        if (next != m_free.begin()) {
            auto previous = std::prev(next);
            if (previous->first + previous->second == start) {
                start = previous->first;
                bytes += previous->second;
                remove(previous);
            }
        }
        add(start, bytes);
    }

    std::size_t size() const { return m_end; }

private:
    using Ranges = std::map<std::size_t, std::size_t>;
    void add(std::size_t start, std::size_t bytes)
    {
        m_free.emplace(start, bytes);
        m_bySize.emplace(bytes, start);
    }
    Ranges::iterator remove(Ranges::iterator range)
    {
        m_bySize.erase({range->second, range->first});
        return m_free.erase(range);
    }

    Ranges m_free; // by where they start
    std::set<std::pair<std::size_t, std::size_t>> m_bySize;
    std::size_t m_end = 0;
};

} // namespace

void Plan::layOutMemory()
{
    const std::vector<ApplyId> &order = m_stage.order;
    m_rootSlots.resize(m_arrays.size());
    for (std::size_t slot = 0; slot < m_arrays.size(); ++slot) {
        // What it lies in came before it.
        const int base = m_arrays[slot].base;
        m_rootSlots[slot] = base < 0 ? static_cast<int>(slot) : m_rootSlots[static_cast<std::size_t>(base)];
    }
    // What the caller gets must outlive the call: its memory is not the arena's.
    for (int slot : m_outputSlots) {
        Array &root = m_arrays[static_cast<std::size_t>(m_rootSlots[static_cast<std::size_t>(slot)])];
        if (root.residence == Residence::Arena) root.residence = Residence::Returned;
    }

    std::vector<std::size_t> birth(m_arrays.size(), 0), death(m_arrays.size(), 0);
    for (std::size_t position = 0; position < order.size(); ++position) {
        const ApplyNode &node = m_graph.apply(order[position]);
        for (const Use &use : node.inputs) {
            const std::size_t slot = static_cast<std::size_t>(slotOf(use.var));
            death[slot] = position;
            std::size_t &last = death[static_cast<std::size_t>(m_rootSlots[slot])];
            last = std::max(last, position);
        }
        for (VarId var : node.outputs) {
            const std::size_t slot = static_cast<std::size_t>(slotOf(var));
            birth[slot] = position;
            death[slot] = std::max(death[slot], position);
            std::size_t &last = death[static_cast<std::size_t>(m_rootSlots[slot])];
            last = std::max(last, position);
        }
    }
    // The members of a group run at the same time: what one of them reads or makes lives as long as all of them.
    std::vector<std::size_t> lastOfGroup(order.size());
    for (std::size_t position = 0; position < order.size(); ++position) lastOfGroup[position] = position;
    for (const OrderedGroup &group : m_stage.groups)
        std::fill_n(lastOfGroup.begin() + static_cast<std::ptrdiff_t>(group.first), group.count, group.first + group.count - 1);
    if (!order.empty())
        for (std::size_t &last : death) last = lastOfGroup[last];
    std::vector<std::vector<int>> dying(order.size() + 1);
    std::vector<RangeAllocator> ranges(1); // by arena
    m_arenas.resize(1);
    const auto rangesOf = [&](const Array &array) -> RangeAllocator & {
        const auto place = static_cast<std::size_t>(&arenaOf(array.device) - m_arenas.data());
        if (place >= ranges.size()) ranges.resize(place + 1);
        return ranges[place];
    };
    for (std::size_t position = 0; position < order.size(); ++position) {
        for (VarId var : m_graph.apply(order[position]).outputs) {
            const int slot = slotOf(var);
            Array &array = m_arrays[static_cast<std::size_t>(slot)];
            if (array.residence == Residence::Returned || array.residence == Residence::Arena) checkedBytes(array.shape, array.dtype);
            if (array.residence == Residence::Returned) m_returnedSlots.push_back(slot);
            if (array.residence != Residence::Arena) continue;
            arenaOf(array.device).slots.push_back(slot);
            const std::size_t bytes = std::max(aligned(bytesOf(array.shape, array.dtype)), kAlignment);
            array.offset = static_cast<std::int64_t>(rangesOf(array).take(bytes));
            dying[death[static_cast<std::size_t>(slot)]].push_back(slot);
        }
        for (int slot : dying[position]) {
            const Array &array = m_arrays[static_cast<std::size_t>(slot)];
            rangesOf(array).give(static_cast<std::size_t>(array.offset), std::max(aligned(bytesOf(array.shape, array.dtype)), kAlignment));
        }
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) m_arenas[i].bytes = ranges[i].size();
    m_returned.resize(m_returnedSlots.size());
    noteBuffers(birth, death);
}

Plan::Arena &Plan::arenaOf(DeviceId device)
{
    for (Arena &arena : m_arenas)
        if (arena.device == device) return arena;
    return m_arenas.emplace_back(Arena{.device = device});
}

void Plan::noteBuffers(std::span<const std::size_t> births, std::span<const std::size_t> deaths)
{
    for (std::size_t slot = 0; slot < m_arrays.size(); ++slot) {
        const Array &array = m_arrays[slot];
        BufferInfo info;
        info.var = array.var;
        info.root = m_arrays[static_cast<std::size_t>(m_rootSlots[slot])].var;
        info.residence = array.residence;
        info.device = array.device;
        info.bytes = bytesOf(array.shape, array.dtype);
        info.offset = array.residence == Residence::Arena ? static_cast<std::size_t>(array.offset) : 0;
        info.birth = births[slot];
        info.death = deaths[slot];
        info.shape = array.shape;
        if (array.residence == Residence::Arena || array.residence == Residence::Returned || array.residence == Residence::Inplace)
            m_madeBytes += info.bytes;
        info.strides = array.strides;
        m_buffers.push_back(info);
    }
}

} // namespace engine
