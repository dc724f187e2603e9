#pragma once
// How a session names what garbage collection took: events of kind range on a lane of their own.

#include <string_view>

namespace profiler {

inline constexpr std::string_view kCollectionLaneName = "garbage collection";
inline constexpr std::string_view kGeneration = "generation "; // of Python's objects; its number follows
inline constexpr std::string_view kGivenBack = "given back";   // memory of a call, to the system

} // namespace profiler
