#include "engine/runtime/apply_notes.h"

#include <algorithm>

namespace engine {

std::vector<ApplyNote> ApplyNotes::waiting() const
{
    std::vector<ApplyNote> notes;
    const std::uint64_t begin = m_begin.load(std::memory_order_acquire), end = m_end.load(std::memory_order_acquire);
    for (std::uint64_t i = begin; i < end && i < begin + kRoom; ++i) notes.push_back(at(i));
    std::ranges::stable_sort(notes, {}, &ApplyNote::counter);
    return notes;
}

} // namespace engine
