#pragma once
// A list in 16 bytes: what is in it lies within while there are few. Nodes of graphs hold five lists each, most of one or two ids.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace profiler {

template <class Item>
class Few {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= 8 && alignof(Item) <= 4);

public:
    using value_type = Item;
    using iterator = Item *;
    using const_iterator = const Item *;

    Few() = default;
    Few(const Few &other) { append(other); }
    Few(Few &&other) noexcept { swap(other); }
    explicit Few(std::span<const Item> items) { append(items); }
    Few &operator=(Few other) noexcept
    {
        swap(other);
        return *this;
    }
    Few &operator=(const std::vector<Item> &items) { return *this = Few(std::span<const Item>(items)); }
    ~Few()
    {
        if (isFar()) delete[] far();
    }

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] Item *data() { return isFar() ? far() : reinterpret_cast<Item *>(m_within); }
    [[nodiscard]] const Item *data() const { return const_cast<Few &>(*this).data(); }
    [[nodiscard]] iterator begin() { return data(); }
    [[nodiscard]] iterator end() { return data() + m_size; }
    [[nodiscard]] const_iterator begin() const { return data(); }
    [[nodiscard]] const_iterator end() const { return data() + m_size; }
    [[nodiscard]] Item &operator[](std::size_t at) { return data()[at]; }
    [[nodiscard]] const Item &operator[](std::size_t at) const { return data()[at]; }
    [[nodiscard]] const Item &front() const { return data()[0]; }
    [[nodiscard]] const Item &back() const { return data()[m_size - 1]; }
    bool operator==(const Few &other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

    void push_back(const Item &item) { insert(end(), item); }
    void append(std::span<const Item> items)
    {
        if (items.empty()) return;
        makeRoom(m_size + static_cast<std::uint32_t>(items.size()));
        std::copy(items.begin(), items.end(), data() + m_size);
        m_size += static_cast<std::uint32_t>(items.size());
    }
    void insert(const_iterator before, Item item)
    {
        const auto at = before - begin();
        makeRoom(m_size + 1);
        Item *items = data();
        std::copy_backward(items + at, items + m_size, items + m_size + 1);
        items[at] = item;
        ++m_size;
    }
    void erase(const_iterator one)
    {
        Item *items = data();
        std::copy(one + 1, static_cast<const Item *>(items) + m_size, items + (one - items));
        --m_size;
    }
    template <class Condition>
    void eraseIf(Condition condition)
    {
        m_size = static_cast<std::uint32_t>(std::remove_if(begin(), end(), condition) - begin());
    }
    void swap(Few &other) noexcept
    {
        std::swap_ranges(m_within, m_within + sizeof m_within, other.m_within);
        std::swap(m_size, other.m_size);
        std::swap(m_farRoom, other.m_farRoom);
    }

private:
    static constexpr std::uint32_t kWithin = 8 / sizeof(Item);

    [[nodiscard]] bool isFar() const { return m_farRoom > 0; }
    [[nodiscard]] Item *far() const
    {
        Item *items;
        std::memcpy(&items, m_within, sizeof items);
        return items;
    }
    void makeRoom(std::uint32_t wanted)
    {
        const std::uint32_t room = isFar() ? m_farRoom : kWithin;
        if (wanted <= room) return;
        const std::uint32_t more = std::max(wanted, m_size == 0 ? wanted : 2 * room); // a list that comes whole does not grow
        auto *items = new Item[more];
        std::copy(begin(), end(), items);
        if (isFar()) delete[] far();
        std::memcpy(m_within, &items, sizeof items);
        m_farRoom = more;
    }

    alignas(8) unsigned char m_within[8] = {};
    std::uint32_t m_size = 0;
    std::uint32_t m_farRoom = 0; // 0: the items lie within
};

} // namespace profiler
