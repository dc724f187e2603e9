// Where the arrays of a plan lie: what is alive at the same time lies apart, all else in the same place.
#include "engine/liveness/placement.h"
#include "engine/runtime/plan.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

std::size_t bytesOf(const Dims &shape, DType dtype) { return static_cast<std::size_t>(shape.product()) * sizeOf(dtype); }

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
    m_arenas.resize(1);
    std::vector<std::vector<liveness::Life>> lives(1); // by arena, as its slots
    for (std::size_t position = 0; position < order.size(); ++position) {
        for (VarId var : m_graph.apply(order[position]).outputs) {
            const int slot = slotOf(var);
            Array &array = m_arrays[static_cast<std::size_t>(slot)];
            if (array.residence == Residence::Returned || array.residence == Residence::Arena) checkedBytes(array.shape, array.dtype);
            if (array.residence == Residence::Returned) m_returnedSlots.push_back(slot);
            if (array.residence != Residence::Arena) continue;
            Arena &arena = arenaOf(array.device);
            arena.slots.push_back(slot);
            lives.resize(m_arenas.size());
            lives[static_cast<std::size_t>(&arena - m_arenas.data())].push_back(
                {position, death[static_cast<std::size_t>(slot)], bytesOf(array.shape, array.dtype)});
        }
    }
    for (std::size_t i = 0; i < m_arenas.size(); ++i) {
        const liveness::Placement placed = liveness::place(lives[i]);
        m_arenas[i].bytes = placed.bytes;
        for (std::size_t k = 0; k < m_arenas[i].slots.size(); ++k)
            m_arrays[static_cast<std::size_t>(m_arenas[i].slots[k])].offset = static_cast<std::int64_t>(placed.offsets[k]);
    }
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
