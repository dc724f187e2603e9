// A list of small values whose first N lie in the object itself: the nodes of big graphs are walked again and again, and
// most of them have one or two of everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {

/// Like std::vector for trivially copyable T, in 8 bytes plus N values.
template <class T, std::uint32_t N>
class ShortList {
    static_assert(std::is_trivially_copyable_v<T> && N > 0);

public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    ShortList() = default;
    ShortList(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
    ShortList(const ShortList &other) { assign(other.begin(), other.end()); }
    ShortList(ShortList &&other) noexcept { take(other); }
    ShortList &operator=(const ShortList &other)
    {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    ShortList &operator=(ShortList &&other) noexcept
    {
        if (this != &other) {
            drop();
            take(other);
        }
        return *this;
    }
    ~ShortList() { drop(); }

    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    T *data() { return m_capacity == N ? here() : there(); }
    const T *data() const { return m_capacity == N ? here() : there(); }
    T *begin() { return data(); }
    T *end() { return data() + m_size; }
    const T *begin() const { return data(); }
    const T *end() const { return data() + m_size; }
    T &operator[](std::size_t i) { return data()[i]; }
    const T &operator[](std::size_t i) const { return data()[i]; }
    T &front() { return data()[0]; }
    const T &front() const { return data()[0]; }
    T &back() { return data()[m_size - 1]; }
    const T &back() const { return data()[m_size - 1]; }

    void push_back(T value)
    {
        if (m_size == m_capacity) grow(m_capacity * 2);
        data()[m_size++] = value;
    }
    void pop_back() { --m_size; }
    void clear() { m_size = 0; }
    void reserve(std::size_t count)
    {
        if (count > m_capacity) grow(static_cast<std::uint32_t>(count));
    }
    template <class Iterator>
    void assign(Iterator first, Iterator last)
    {
        m_size = 0;
        reserve(static_cast<std::size_t>(last - first));
        for (T *at = data(); first != last; ++first) at[m_size++] = *first;
    }

    operator std::vector<T>() const { return {begin(), end()}; }

private:
    static constexpr std::size_t kBytes = std::max(sizeof(T) * N, sizeof(T *));

    T *here() { return reinterpret_cast<T *>(m_bytes); }
    const T *here() const { return reinterpret_cast<const T *>(m_bytes); }
    T *there() const
    {
        T *pointer;
        std::memcpy(&pointer, m_bytes, sizeof pointer);
        return pointer;
    }
    void grow(std::uint32_t capacity)
    {
        T *const bigger = static_cast<T *>(::operator new(capacity * sizeof(T)));
        std::memcpy(static_cast<void *>(bigger), data(), m_size * sizeof(T));
        drop();
        std::memcpy(m_bytes, &bigger, sizeof bigger);
        m_capacity = capacity;
    }
    void drop()
    {
        if (m_capacity != N) ::operator delete(there());
    }
    void take(ShortList &other)
    {
        m_size = std::exchange(other.m_size, 0);
        m_capacity = std::exchange(other.m_capacity, N);
        std::memcpy(m_bytes, other.m_bytes, kBytes);
    }

    std::uint32_t m_size = 0;
    std::uint32_t m_capacity = N; ///< N: the values are here
    alignas(T) alignas(T *) std::byte m_bytes[kBytes];
};

} // namespace engine
