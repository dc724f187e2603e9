#pragma once
// What the tables and reports are computed from. A session gives it, and so can a running recorder.

#include "profiler/session/model.h"

#include <vector>

namespace profiler {

class SessionReader;

struct ProfileData {
    SessionInfo info;
    std::vector<Flag> flags;
    std::vector<FunctionInfo> functions;
    std::vector<GraphInfo> graphs;
    std::vector<ApplyRow> applies; // of all graphs
    std::vector<ApplyStats> stats;
    std::vector<SourceLink> sources;
    std::vector<PassInfo> passes;
    std::vector<PassRewrite> passRewrites;
    std::vector<PlanInfo> plans; // of all functions
    std::vector<PlanItem> planItems;
    std::vector<BufferRow> buffers;
    std::vector<Transfer> transfers;
};

[[nodiscard]] ProfileData loadProfile(SessionReader &reader);

// Buffers of the plan that a function used most; empty when none was made.
[[nodiscard]] std::vector<BufferRow> mainPlanBuffers(const ProfileData &data, FunctionId function);

} // namespace profiler
