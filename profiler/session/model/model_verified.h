#pragma once
// What runs of the script with other flags measured: written into the session by croton memory --verify and croton whatif --verify, in the
// place of what they wrote before about the same flags.

#include "profiler/session/model/column.h"

#include <cstdint>
#include <string>

namespace profiler {

struct VerifiedRow {
    static constexpr SessionTable kTable{
        .name = "verified_runs",
        .about = "croton memory --verify and croton whatif --verify: what a run of the script with other flags measured of its functions."};
    FunctionId function = kNoFunction;
    std::string flags; // "threads=4", "allow_gc=False"
    double ns = -1;
    std::int64_t peakBytes = -1;
    std::string error;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("flags", primary(row.flags), "threads=4, memory_budget=least ...: beside those of the session");
        visit("ns", row.ns, "of a call, -1 = it was not called");
        visit("peak_bytes", row.peakBytes, "most that a call took of the host's memory, -1 = not measured");
        visit("error", row.error, "why there is nothing");
    }
};

} // namespace profiler
