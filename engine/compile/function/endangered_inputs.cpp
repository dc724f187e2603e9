#include "engine/compile/function/endangered_inputs.h"

#include "engine/tensor/foreign_storage.h"

#include <algorithm>
#include <cstdlib>

namespace engine {
namespace {

constexpr std::size_t kOneGroup = 8; // so few are compared faster than put in order

bool meet(const InputMemory &a, const InputMemory &b) { return a.begin < b.end && b.begin < a.end; }

// True also for windows whose axes interleave without meeting: programs do not make these on purpose.
bool meetsItself(const View &view)
{
    if (view.isContiguous()) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> axes; // stride, shape
    for (int axis = 0; axis < view.rank; ++axis) {
        if (view.shape[axis] == 0) return false;
        if (view.shape[axis] > 1) axes.emplace_back(std::abs(view.strides[axis]), view.shape[axis]);
    }
    std::sort(axes.begin(), axes.end());
    auto covered = static_cast<std::int64_t>(sizeOf(view.dtype));
    for (const auto &[stride, shape] : axes) {
        if (stride < covered) return true;
        covered += (shape - 1) * stride;
    }
    return false;
}

} // namespace

InputMemory::InputMemory(const View &view, const Storage *storage) : memory(storage ? memoryNow(*storage) : Memory::Borrowed)
{
    if (memory == Memory::Ours) { // all of it, for less than a look at strides
        begin = static_cast<const char *>(storage->data());
        end = begin + storage->bytes();
        return;
    }
    if (!view.data) return;
    const auto rank = static_cast<std::size_t>(view.rank);
    const ByteRange range = byteRange({view.shape, rank}, {view.strides, rank}, sizeOf(view.dtype));
    if (range.begin == range.end) return;
    begin = view.as<char>() + range.begin;
    end = view.as<char>() + range.end;
}

// Ranges in the order of their beginnings fall into groups that are apart from each other: only within a group can two meet.
void EndangeredInputs::groupMemory()
{
    const auto begins = [&](std::size_t a, std::size_t b) { return m_inputs[a].begin < m_inputs[b].begin; };
    m_byPlace.clear();
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_inputs[i].begin < m_inputs[i].end) m_byPlace.push_back(i);
    if (m_byPlace.size() <= kOneGroup) {
        for (std::size_t i : m_byPlace) m_inputs[i].groupEnd = m_byPlace.size();
        return;
    }
    if (!std::is_sorted(m_byPlace.begin(), m_byPlace.end(), begins)) std::sort(m_byPlace.begin(), m_byPlace.end(), begins);
    for (std::size_t first = 0; first < m_byPlace.size();) {
        std::size_t last = first;
        const char *end = nullptr;
        while (last < m_byPlace.size() && (last == first || m_inputs[m_byPlace[last]].begin < end))
            end = std::max(end, m_inputs[m_byPlace[last++]].end);
        for (std::size_t i = first; i < last; ++i) {
            m_inputs[m_byPlace[i]].group = first;
            m_inputs[m_byPlace[i]].groupEnd = last;
        }
        first = last;
    }
}

const std::vector<std::size_t> &EndangeredInputs::find(const DestroyedInputs &destroyed, std::span<const View> inputs)
{
    m_found.clear();
    const auto isOurs = [](const InputMemory &memory) { return memory.memory == Memory::Ours; };
    if (!destroyed.hasTwins && std::all_of(m_inputs.begin(), m_inputs.end(), isOurs)) return m_found;
    groupMemory();
    for (std::size_t written : destroyed.inputs) {
        InputMemory &place = m_inputs[written];
        bool isEndangered = place.memory == Memory::ReadOnly || (!isOurs(place) && meetsItself(inputs[written]));
        for (std::size_t i = place.group; i < place.groupEnd && !isEndangered; ++i)
            isEndangered = m_byPlace[i] != written && !m_inputs[m_byPlace[i]].isEndangered && meet(place, m_inputs[m_byPlace[i]]);
        if (!isEndangered) continue;
        place.isEndangered = true; // it gets memory of its own
        m_found.push_back(written);
    }
    return m_found;
}

} // namespace engine
