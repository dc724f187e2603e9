// Ids inside one FunctionGraph: 32 bits, given in order, never reused, so that undo gives the same ids.
#pragma once

#include <compare>
#include <cstdint>

namespace engine {

enum class VarId : std::uint32_t {};
enum class ApplyId : std::uint32_t {};
inline constexpr VarId kNoVar{0xFFFFFFFFu};
inline constexpr ApplyId kNoApply{0xFFFFFFFFu};
constexpr std::uint32_t raw(VarId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t raw(ApplyId id) { return static_cast<std::uint32_t>(id); }

} // namespace engine
