// Where the arrays of a plan lie: what is alive at the same time lies apart, all else in the same place.
#include "engine/liveness/placement.h"
#include "engine/runtime/plan/plan.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

std::size_t bytesOf(const Dims &shape, DType dtype) { return static_cast<std::size_t>(shape.product()) * sizeOf(dtype); }

// A kernel of somebody's own takes on OpenCL only what begins at such a step of its buffer: at most 4096 bits with any vendor.
constexpr std::size_t kDeviceStep = 512;

std::size_t takenBytes(DeviceId device, std::size_t bytes)
{
    return device == DeviceId::Host ? bytes : (std::max(bytes, std::size_t(1)) + kDeviceStep - 1) / kDeviceStep * kDeviceStep;
}

} // namespace

void Plan::layOutMemory()
{
    const std::vector<ApplyId> &order = m_stage.order;
    for (const Slot slot : m_layout.arrays.ids()) {
        const Slot base = m_layout.arrays[slot].base; // came before it
        m_layout.roots.add(base == kNoSlot ? slot : m_layout.roots[base]);
    }
    // What the caller gets must outlive the call: its memory is not the arena's.
    for (const Slot slot : m_layout.outputs) {
        Array &root = m_layout.arrays[m_layout.roots[slot]];
        if (root.residence == Residence::Arena) root.residence = Residence::Returned;
    }

    Indexed<Slot, std::size_t> birth(m_layout.arrays.size()), death(m_layout.arrays.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
        const ApplyNode &node = m_graph.apply(order[position]);
        for (const Use &use : node.inputs) {
            const Slot slot = slotOf(use.var);
            death[slot] = position;
            std::size_t &last = death[m_layout.roots[slot]];
            last = std::max(last, position);
        }
        for (VarId var : node.outputs) {
            const Slot slot = slotOf(var);
            birth[slot] = position;
            death[slot] = std::max(death[slot], position);
            std::size_t &last = death[m_layout.roots[slot]];
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
    m_memory.arenas.resize(1);
    std::vector<std::vector<liveness::Life>> lives(1); // by arena, as its slots
    for (std::size_t position = 0; position < order.size(); ++position) {
        for (VarId var : m_graph.apply(order[position]).outputs) {
            const Slot slot = slotOf(var);
            Array &array = m_layout.arrays[slot];
            if (array.residence == Residence::Returned || array.residence == Residence::Arena) checkedBytes(array.shape, array.dtype);
            if (array.residence == Residence::Returned) m_layout.returned.push_back(slot);
            if (array.residence != Residence::Arena) continue;
            Arena &arena = arenaOf(array.device);
            arena.slots.push_back(slot);
            lives.resize(m_memory.arenas.size());
            lives[&arena - m_memory.arenas.data()].push_back(
                {position, death[slot], takenBytes(array.device, bytesOf(array.shape, array.dtype))});
        }
    }
    for (std::size_t i = 0; i < m_memory.arenas.size(); ++i) {
        const liveness::Placement placed = liveness::place(lives[i]);
        m_memory.arenas[i].bytes = placed.bytes;
        for (std::size_t k = 0; k < m_memory.arenas[i].slots.size(); ++k)
            m_layout.arrays[m_memory.arenas[i].slots[k]].offset = static_cast<std::int64_t>(placed.offsets[k]);
    }
    m_memory.returned.resize(m_layout.returned.size());
    noteBuffers(birth, death);
}

Plan::Arena &Plan::arenaOf(DeviceId device)
{
    for (Arena &arena : m_memory.arenas)
        if (arena.device == device) return arena;
    return m_memory.arenas.emplace_back(Arena{.device = device});
}

void Plan::noteBuffers(const Indexed<Slot, std::size_t> &births, const Indexed<Slot, std::size_t> &deaths)
{
    for (const Slot slot : m_layout.arrays.ids()) {
        const Array &array = m_layout.arrays[slot];
        BufferInfo info;
        info.var = array.var;
        info.root = m_layout.arrays[m_layout.roots[slot]].var;
        info.residence = array.residence;
        info.device = array.device;
        info.bytes = bytesOf(array.shape, array.dtype);
        info.offset = array.residence == Residence::Arena ? static_cast<std::size_t>(array.offset) : 0;
        info.birth = births[slot];
        info.death = deaths[slot];
        info.shape = array.shape;
        if (array.residence == Residence::Arena || array.residence == Residence::Returned || array.residence == Residence::Inplace)
            m_layout.madeBytes += info.bytes;
        info.strides = array.strides;
        m_layout.buffers.add(std::move(info));
    }
}

} // namespace engine
