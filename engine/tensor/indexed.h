// A vector that only ids of its own kind index: a slot is no position, and an input no output.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {

/// Where an enumerator or an id stands in a table.
template <class E>
requires std::is_enum_v<E>
constexpr std::size_t indexOf(E value) { return static_cast<std::size_t>(value); }

/// The ids from the first to the last, to be walked.
template <typename Id>
class IdRange {
public:
    class Iterator {
    public:
        explicit Iterator(std::size_t at) : m_at(at) {}
        Id operator*() const { return static_cast<Id>(m_at); }
        Iterator &operator++()
        {
            ++m_at;
            return *this;
        }
        bool operator==(const Iterator &other) const = default;

    private:
        std::size_t m_at;
    };
    explicit IdRange(std::size_t count) : m_count(count) {}
    Iterator begin() const { return Iterator(0); }
    Iterator end() const { return Iterator(m_count); }

private:
    std::size_t m_count;
};

template <typename Id, typename T>
class Indexed {
public:
    Indexed() = default;
    explicit Indexed(std::size_t count, const T &value = T()) : m_items(count, value) {}

    std::size_t size() const { return m_items.size(); }
    bool empty() const { return m_items.empty(); }
    decltype(auto) operator[](Id id) { return m_items[static_cast<std::size_t>(id)]; }
    decltype(auto) operator[](Id id) const { return m_items[static_cast<std::size_t>(id)]; }
    /// The id of what is added.
    Id add(T item)
    {
        m_items.push_back(std::move(item));
        return static_cast<Id>(m_items.size() - 1);
    }
    void assign(std::size_t count, const T &value) { m_items.assign(count, value); }
    void resize(std::size_t count) { m_items.resize(count); }
    void clear() { m_items.clear(); }
    T &front() { return m_items.front(); }
    const T &front() const { return m_items.front(); }
    /// All, in the order of their ids.
    std::span<T> items() { return m_items; }
    std::span<const T> items() const { return m_items; }
    IdRange<Id> ids() const { return IdRange<Id>(m_items.size()); }
    auto begin() { return m_items.begin(); }
    auto end() { return m_items.end(); }
    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }
    const T *data() const { return m_items.data(); }

private:
    std::vector<T> m_items;
};

} // namespace engine
