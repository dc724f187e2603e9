#include "engine/tensor/big_memory.h"

#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include <sys/mman.h>

namespace engine {
namespace {

constexpr std::size_t kMostKept = std::size_t(128) << 20;

struct Piece {
    void *memory;
    std::size_t bytes;
};

struct Kept {
    ProcessMutex mutex; // guards everything below
    std::vector<Piece> pieces;
    std::size_t bytes = 0;
    std::array<std::vector<void *>, 4> parts; ///< of huge pages, by size: 128 kB, 256 kB …
};

Kept &kept()
{
    static auto *instance = new Kept; // outlives every graph
    return *instance;
}

/// Few sizes, so that what one graph leaves fits the next: whole pages, from eight on in steps of a quarter of a power of two.
/// What is not touched costs nothing.
std::size_t sizeClass(std::size_t bytes)
{
    std::size_t step = kBigMemory;
    while (step * 8 < bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

/// Which list of parts, for less than a page.
std::size_t partClass(std::size_t bytes) { return static_cast<std::size_t>(std::bit_width((bytes - 1) / kPartOfBigMemory)); }

void *takePart(std::size_t size)
{
    Kept &all = kept();
    {
        std::lock_guard lock(all.mutex);
        std::vector<void *> &parts = all.parts[size];
        if (!parts.empty()) {
            void *const memory = parts.back();
            parts.pop_back();
            return memory;
        }
    }
    auto *const page = static_cast<std::byte *>(takeBigMemory(kBigMemory));
    std::lock_guard lock(all.mutex);
    for (std::size_t at = kBigMemory; (at -= kPartOfBigMemory << size) > 0;) all.parts[size].push_back(page + at);
    return page;
}

} // namespace

void *takeBigMemory(std::size_t asked)
{
    if (asked <= kBigMemory / 2) return takePart(partClass(asked));
    const std::size_t bytes = sizeClass(asked);
    {
        Kept &all = kept();
        std::lock_guard lock(all.mutex);
        // The one that came last is the likeliest to be near still.
        const auto found = std::find_if(all.pieces.rbegin(), all.pieces.rend(), [&](const Piece &piece) { return piece.bytes == bytes; });
        if (found != all.pieces.rend()) {
            void *const memory = found->memory;
            *found = all.pieces.back();
            all.pieces.pop_back();
            all.bytes -= bytes;
            return memory;
        }
    }
    void *const memory = ::operator new(bytes, std::align_val_t(kBigMemory));
    madvise(memory, bytes, MADV_HUGEPAGE); // a wish: small pages do as well
    return memory;
}

void giveBackBigMemory(void *memory, std::size_t asked)
{
    if (asked <= kBigMemory / 2) {
        std::lock_guard lock(kept().mutex);
        kept().parts[partClass(asked)].push_back(memory);
        return;
    }
    const std::size_t bytes = sizeClass(asked);
    {
        Kept &all = kept();
        std::lock_guard lock(all.mutex);
        if (all.bytes + bytes <= kMostKept) {
            all.pieces.push_back({memory, bytes});
            all.bytes += bytes;
            return;
        }
    }
    ::operator delete(memory, std::align_val_t(kBigMemory));
}

} // namespace engine
