#include "engine/graph/ir/arena.h"

#include "engine/tensor/big_memory.h"

namespace engine {
namespace {

constexpr std::size_t kSmallSlabs = 16; // half a megabyte before the first huge page

} // namespace

void Blocks::more()
{
    const std::size_t bytes = m_slabs.size() >= kSmallSlabs ? kBigMemory : kBytes;
    m_slabs.reserve(m_slabs.size() + 1);
    void *slab = bytes == kBigMemory ? takeBigMemory(bytes) : ::operator new(bytes, std::align_val_t(64));
    m_slabs.emplace_back(slab, bytes);
    m_next = static_cast<std::byte *>(slab);
    m_end = m_next + bytes;
}

Blocks::~Blocks()
{
    for (const auto &[slab, bytes] : m_slabs) {
        if (bytes == kBigMemory) giveBackBigMemory(slab, bytes);
        else ::operator delete(slab, std::align_val_t(64));
    }
}

} // namespace engine
