#pragma once
// What runs of the script with other flags measured: written into the session by croton memory --verify and croton whatif --verify, in the
// place of what they wrote before about the same flags.

#include "profiler/session/column.h"

#include <cstdint>
#include <string>

namespace profiler {

struct VerifiedRow {
    static constexpr const char *kTable = "verified_runs";
    FunctionId function = kNoFunction;
    std::string flags;           // "threads=4", "allow_gc=False"
    double ns = -1;              // of a call; -1: it was not called
    std::int64_t peakBytes = -1; // most that a call took, as the allocator counts; -1: not measured
    std::string error;           // why there is nothing

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("flags", row.flags);
        visit("ns", row.ns);
        visit("peak_bytes", row.peakBytes);
        visit("error", row.error);
    }
};

} // namespace profiler
