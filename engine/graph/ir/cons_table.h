// Nodes by a hash of what they compute: what finds equal ones without a walk.
#pragma once

#include "engine/graph/ir/ids.h"
#include "engine/tensor/big_memory.h"

#include <cstddef>
#include <cstdint>

namespace engine {

/// A flat table of keys with linear probing, which jumps to places anywhere in the table where many keys fall together: whole
/// stretches of it are full. Ids of one key are chained, so that many equal ones cost no more than many different ones. The caller
/// compares what it finds.
template <class Id>
class ConsTable {
public:
    void reserve(std::size_t ids, std::size_t keys)
    {
        m_links.resize(ids);
        std::size_t size = 64;
        while (size < keys * 2) size *= 2;
        if (size > m_slots.size()) grow(size);
    }
    void insert(std::size_t key, Id id)
    {
        if (raw(id) >= m_links.size()) m_links.resize(raw(id) + 1 + raw(id) / 2);
        if ((m_used + 1) * 2 > m_slots.size())
            // Keys that went leave marks; where they are many, the table is only swept.
            grow(m_slots.empty() ? 64 : m_full * 4 > m_slots.size() ? m_slots.size() * 2 : m_slots.size());
        Slot &slot = place(key);
        if (!slot.isFull()) {
            if (slot.isFree()) ++m_used;
            slot = {key, kNone, kNone};
            ++m_full;
        }
        m_links[raw(id)] = {slot.tail, kNone};
        (slot.tail != kNone ? m_links[slot.tail].after : slot.head) = raw(id);
        slot.tail = raw(id);
    }
    /// `id` stands in the table under this key.
    void erase(std::size_t key, Id id)
    {
        const Link link = m_links[raw(id)];
        if (link.after != kNone) m_links[link.after].before = link.before;
        if (link.before != kNone) m_links[link.before].after = link.after;
        if (link.after != kNone && link.before != kNone) return;
        Slot &slot = place(key);
        if (link.before == kNone) slot.head = link.after;
        if (link.after == kNone) slot.tail = link.before;
        if (slot.head != kNone) return;
        slot.tail = kGone;
        --m_full;
    }
    /// Brings near where this key is looked for.
    void prefetch(std::size_t key) const
    {
        if (!m_slots.empty()) __builtin_prefetch(&m_slots[key & (m_slots.size() - 1)]);
    }
    /// Calls `visit(id)` for the ids of this key, in the order in which they got it, until it says true; says whether it did.
    template <class Visit>
    bool any(std::size_t key, Visit &&visit) const
    {
        const Slot *slot = find(key);
        for (std::uint32_t id = slot ? slot->head : kNone; id != kNone; id = m_links[id].after)
            if (visit(Id{id})) return true;
        return false;
    }
    /// The same, the latest first.
    template <class Visit>
    bool anyFromLast(std::size_t key, Visit &&visit) const
    {
        const Slot *slot = find(key);
        for (std::uint32_t id = slot ? slot->tail : kNone; id != kNone; id = m_links[id].before)
            if (visit(Id{id})) return true;
        return false;
    }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    static constexpr std::uint32_t kGone = 0; ///< tail of a slot without a head: its key went
    struct Slot {
        std::size_t key = 0;
        std::uint32_t head = kNone, tail = kNone;
        bool isFull() const { return head != kNone; }
        bool isFree() const { return head == kNone && tail == kNone; }
    };
    struct Link {
        std::uint32_t before = kNone, after = kNone;
    };

    /// The places of a key, one after another.
    class Probe {
    public:
        Probe(std::size_t key, std::size_t size) : m_key(key), m_mask(size - 1), m_at(key & m_mask) {}
        operator std::size_t() const { return m_at; }
        void operator++()
        {
            m_at = (++m_tries % kNear == 0 ? ((m_key ^ m_key >> 32) + m_tries) * 0x9E3779B97F4A7C15ull >> 20 : m_at + 1) & m_mask;
        }

    private:
        static constexpr std::size_t kNear = 8;
        std::size_t m_key, m_mask, m_at, m_tries = 0;
    };
    const Slot *find(std::size_t key) const
    {
        if (m_slots.empty()) return nullptr;
        for (Probe at(key, m_slots.size());; ++at) {
            if (m_slots[at].isFree()) return nullptr;
            if (m_slots[at].isFull() && m_slots[at].key == key) return &m_slots[at];
        }
    }
    /// The slot of this key, else the one where it belongs.
    Slot &place(std::size_t key)
    {
        Slot *reusable = nullptr;
        for (Probe at(key, m_slots.size());; ++at) {
            Slot &slot = m_slots[at];
            if (slot.isFull() && slot.key == key) return slot;
            if (slot.isFree()) return reusable ? *reusable : slot;
            if (!slot.isFull() && !reusable) reusable = &slot;
        }
    }
    void grow(std::size_t size)
    {
        BigVector<Slot> old(size);
        old.swap(m_slots);
        m_used = m_full = 0;
        for (const Slot &slot : old) {
            if (!slot.isFull()) continue;
            place(slot.key) = slot;
            ++m_used;
            ++m_full;
        }
    }

    BigVector<Slot> m_slots;
    BigVector<Link> m_links; ///< by id
    std::size_t m_used = 0, m_full = 0;
};

} // namespace engine
