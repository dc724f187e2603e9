// Nodes by number, in blocks that never move: references stay valid while a graph grows, and growing copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace engine {

/// Gives memory in equal pieces and takes it back all at once. What is big comes in huge pages: walks over big graphs
/// wait for the translation of addresses as much as for the memory.
class Blocks {
public:
    static constexpr std::size_t kBytes = std::size_t(1) << 15;

    Blocks() = default;
    Blocks(const Blocks &) = delete;
    Blocks &operator=(const Blocks &) = delete;
    ~Blocks();

    /// kBytes, aligned to a cache line; contents are undefined.
    void *take()
    {
        if (m_next == m_end) more();
        return std::exchange(m_next, m_next + kBytes);
    }

private:
    void more();

    std::byte *m_next = nullptr, *m_end = nullptr;
    std::vector<std::pair<void *, std::size_t>> m_slabs; ///< with their sizes
};

template <class T>
class Arena {
    static constexpr std::size_t kBlock = Blocks::kBytes / sizeof(T);
    static_assert((kBlock & (kBlock - 1)) == 0 && alignof(T) <= 64);

public:
    Arena() = default;
    ~Arena() { shrink(0); }

    std::size_t size() const { return m_size; }
    T &operator[](std::size_t i) { return m_blocks[i / kBlock][i % kBlock]; }
    const T &operator[](std::size_t i) const { return m_blocks[i / kBlock][i % kBlock]; }

    void push_back(T value)
    {
        if (m_size == m_blocks.size() * kBlock) m_blocks.push_back(static_cast<T *>(m_memory.take()));
        new (&(*this)[m_size]) T(std::move(value));
        ++m_size;
    }
    /// Drops the last ones until `size` are left.
    void shrink(std::size_t size)
    {
        while (m_size > size) (*this)[--m_size].~T();
    }

private:
    Blocks m_memory;
    std::vector<T *> m_blocks;
    std::size_t m_size = 0;
};

} // namespace engine
