#include "engine/runtime/plan/apply_notes.h"

#include <algorithm>
#include <bit>

namespace engine {

namespace {

constexpr std::size_t kLeastRoom = 1024, kCalls = 4;

} // namespace

ApplyNotes::ApplyNotes(std::size_t applies)
    : m_applies(std::max<std::size_t>(applies, 1)), m_room(std::bit_ceil(std::max(kLeastRoom, kCalls * m_applies))),
      m_places(std::make_unique<Place[]>(m_room))
{}

std::vector<ApplyNote> ApplyNotes::waiting() const
{
    std::vector<ApplyNote> notes;
    const std::uint64_t begin = m_begin.load(std::memory_order_acquire), end = m_end.load(std::memory_order_acquire);
    for (std::uint64_t i = begin; i < end && i < begin + m_room; ++i) notes.push_back(at(i));
    std::ranges::stable_sort(notes, {}, &ApplyNote::counter);
    return notes;
}

} // namespace engine
