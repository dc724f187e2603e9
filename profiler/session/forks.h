#pragma once
// Whether we are still the process that something was made in.

namespace profiler {

/// Forks between the process that began and this one: what remembers another number was made by a parent.
[[nodiscard]] unsigned forksSoFar();

} // namespace profiler
