// A flat table from addresses to small values: the walks over big graphs spend their time here.
#pragma once

#include "engine/tensor/big_memory.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace engine {

/// Open addressing, no removal. V is copied around; the null address is not a key.
template <class V>
class PointerMap {
public:
    explicit PointerMap(std::size_t expected = 0) { rehash(std::bit_ceil(expected * 2 + 16)); }

    std::size_t size() const { return m_count; }
    const V *find(const void *key) const
    {
        for (std::size_t i = place(key);; i = (i + 1) & m_mask) {
            if (m_slots[i].key == key) return &m_slots[i].value;
            if (!m_slots[i].key) return nullptr;
        }
    }
    V *find(const void *key) { return const_cast<V *>(static_cast<const PointerMap *>(this)->find(key)); }
    bool contains(const void *key) const { return find(key) != nullptr; }

    /// True if the key is new; otherwise nothing changes.
    bool insert(const void *key, V value)
    {
        if ((m_count + 1) * 2 > m_slots.size()) rehash(m_slots.size() * 2);
        std::size_t i = place(key);
        for (; m_slots[i].key; i = (i + 1) & m_mask)
            if (m_slots[i].key == key) return false;
        m_slots[i] = {key, std::move(value)};
        ++m_count;
        return true;
    }

private:
    struct Slot {
        const void *key = nullptr;
        V value{};
    };

    std::size_t place(const void *key) const
    {
        // Neighbours in memory stay neighbours here: nodes are mostly visited in the order in which they were made.
        const auto bits = reinterpret_cast<std::uintptr_t>(key);
        return static_cast<std::size_t>((bits >> 5) ^ (bits >> 19)) & m_mask;
    }
    void rehash(std::size_t size)
    {
        BigVector<Slot> old = std::move(m_slots);
        m_slots = BigVector<Slot>(size);
        m_mask = size - 1;
        for (Slot &slot : old) {
            if (!slot.key) continue;
            std::size_t i = place(slot.key);
            while (m_slots[i].key) i = (i + 1) & m_mask;
            m_slots[i] = std::move(slot);
        }
    }

    BigVector<Slot> m_slots;
    std::size_t m_mask = 0;
    std::size_t m_count = 0;
};

} // namespace engine
