#include "engine/graph/arena.h"

#include <sys/mman.h>

namespace engine {
namespace {

constexpr std::size_t kHugePage = std::size_t(1) << 21;
constexpr std::size_t kSmallSlabs = 16; // half a megabyte before the first huge page

} // namespace

void Blocks::more()
{
    const bool isHuge = m_slabs.size() >= kSmallSlabs;
    const std::size_t bytes = isHuge ? kHugePage : kBytes, alignment = isHuge ? kHugePage : 64;
    m_slabs.reserve(m_slabs.size() + 1);
    void *slab = ::operator new(bytes, std::align_val_t(alignment));
    if (isHuge) madvise(slab, bytes, MADV_HUGEPAGE); // a wish: small pages do as well
    m_slabs.emplace_back(slab, alignment);
    m_next = static_cast<std::byte *>(slab);
    m_end = m_next + bytes;
}

Blocks::~Blocks()
{
    for (const auto &[slab, alignment] : m_slabs) ::operator delete(slab, std::align_val_t(alignment));
}

} // namespace engine
