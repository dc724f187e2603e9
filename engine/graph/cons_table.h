// Live applies by a hash of op and inputs: what finds equal applies without a walk.
#pragma once

#include "engine/graph/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine {

/// A flat table of keys with linear probing; applies of one key are chained, so that many equal ones cost no more than
/// many different ones. The caller compares what it finds.
class ConsTable {
public:
    void insert(std::size_t key, ApplyId id)
    {
        if (raw(id) >= m_links.size()) m_links.resize(raw(id) + 1 + raw(id) / 2);
        if ((m_used + 1) * 2 > m_slots.size()) grow();
        Slot &slot = place(key);
        if (slot.state != State::Full) {
            if (slot.state == State::Free) ++m_used;
            slot = {key, kNone, kNone, State::Full};
            ++m_full;
        }
        m_links[raw(id)] = {slot.tail, kNone};
        (slot.tail != kNone ? m_links[slot.tail].after : slot.head) = raw(id);
        slot.tail = raw(id);
    }
    /// `id` stands in the table under this key.
    void erase(std::size_t key, ApplyId id)
    {
        const Link link = m_links[raw(id)];
        if (link.after != kNone) m_links[link.after].before = link.before;
        if (link.before != kNone) m_links[link.before].after = link.after;
        if (link.after != kNone && link.before != kNone) return;
        Slot &slot = place(key);
        if (link.before == kNone) slot.head = link.after;
        if (link.after == kNone) slot.tail = link.before;
        if (slot.head != kNone) return;
        slot.state = State::Gone;
        --m_full;
    }
    /// Calls `visit(id)` for the applies of this key, in the order in which they got it, until it says true; says whether it did.
    template <class Visit>
    bool any(std::size_t key, Visit &&visit) const
    {
        if (m_slots.empty()) return false;
        for (std::size_t at = key & (m_slots.size() - 1); m_slots[at].state != State::Free; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at].state != State::Full || m_slots[at].key != key) continue;
            for (std::uint32_t id = m_slots[at].head; id != kNone; id = m_links[id].after)
                if (visit(ApplyId{id})) return true;
            return false;
        }
        return false;
    }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    enum class State : std::uint8_t { Free, Gone, Full };
    struct Slot {
        std::size_t key = 0;
        std::uint32_t head = kNone, tail = kNone;
        State state = State::Free;
    };
    struct Link {
        std::uint32_t before = kNone, after = kNone;
    };

    /// The slot of this key, else the one where it belongs.
    Slot &place(std::size_t key)
    {
        Slot *reusable = nullptr;
        for (std::size_t at = key & (m_slots.size() - 1);; at = (at + 1) & (m_slots.size() - 1)) {
            Slot &slot = m_slots[at];
            if (slot.state == State::Full && slot.key == key) return slot;
            if (slot.state == State::Gone && !reusable) reusable = &slot;
            if (slot.state == State::Free) return reusable ? *reusable : slot;
        }
    }
    void grow()
    {
        // Keys that went leave marks; where they are many, the table is only swept.
        std::vector<Slot> old(m_slots.empty() ? 64 : m_full * 4 > m_slots.size() ? m_slots.size() * 2 : m_slots.size());
        old.swap(m_slots);
        m_used = m_full = 0;
        for (const Slot &slot : old) {
            if (slot.state != State::Full) continue;
            place(slot.key) = slot;
            ++m_used;
            ++m_full;
        }
    }

    std::vector<Slot> m_slots;
    std::vector<Link> m_links; ///< by apply
    std::size_t m_used = 0, m_full = 0;
};

} // namespace engine
