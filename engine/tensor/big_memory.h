// Memory of big graphs: in huge pages, and kept for the next graph. Filling fresh pages took a tenth of the time of
// rewriting 100,000 nodes, and waiting for the translation of addresses as much.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace engine {

/// From here on memory comes in huge pages of its own.
inline constexpr std::size_t kBigMemory = std::size_t(1) << 21;
/// What is smaller than this is left to operator new, which gets the rest from the system and gives it back every time.
inline constexpr std::size_t kPartOfBigMemory = kBigMemory >> 4;

/// At least `bytes` (kPartOfBigMemory or more), aligned to a huge page or to a part of one; contents are undefined. Throws
/// std::bad_alloc. Any thread.
void *takeBigMemory(std::size_t bytes);
/// Takes it back. Up to 128 MB are kept for the next who asks, parts of a page always: they are there already, and need
/// not be cleared.
void giveBackBigMemory(void *memory, std::size_t bytes);

/// For vectors that grow with the graph.
template <class T>
struct BigAllocator {
    using value_type = T;
    BigAllocator() = default;
    template <class U>
    BigAllocator(const BigAllocator<U> &)
    {}
    T *allocate(std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T *>(bytes < kPartOfBigMemory ? ::operator new(bytes) : takeBigMemory(bytes));
    }
    void deallocate(T *memory, std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < kPartOfBigMemory) ::operator delete(memory);
        else giveBackBigMemory(memory, bytes);
    }
    friend bool operator==(const BigAllocator &, const BigAllocator &) { return true; }
};

template <class T>
using BigVector = std::vector<T, BigAllocator<T>>;

} // namespace engine
