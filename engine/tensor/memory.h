// What the process-wide allocator has given out: live bytes, their peak, and a hook for whoever wants to watch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace engine {

/// Bytes that callers asked for and still hold (not what the system gave).
std::size_t liveBytes();
/// Most live bytes since the last resetPeakBytes().
std::size_t peakBytes();
void resetPeakBytes();

/// Called after each allocation (delta > 0) and release (delta < 0), on the thread that did it; keep it short, allocate
/// nothing with allocateStorage(). Null: nobody watches.
using MemoryHook = void (*)(std::int64_t delta, std::size_t live);
void setMemoryHook(MemoryHook hook);

} // namespace engine
