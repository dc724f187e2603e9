// Places of arrays in a plan: thunks know the slots of their operands, and find their memory there on each run.
#pragma once

#include <cstdint>

namespace engine {

enum class Slot : std::int32_t {};
inline constexpr Slot kNoSlot{-1};
constexpr std::int32_t raw(Slot slot) { return static_cast<std::int32_t>(slot); }

/// The addresses of the first elements, by slot.
class Slots {
public:
    Slots(void *const *first) : m_first(first) {}
    void *operator[](Slot slot) const { return m_first[raw(slot)]; }

private:
    void *const *m_first;
};

} // namespace engine
