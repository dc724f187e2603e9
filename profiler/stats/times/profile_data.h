#pragma once
// What the tables and reports are computed from. A session gives it, and so can a running recorder.

#include "profiler/session/codec/body_rows.h"
#include "profiler/session/codec/chains.h"
#include "profiler/session/codec/rows_of_graphs.h"
#include "profiler/session/model/model.h"

#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace profiler {

class SessionReader;

// The lines of the program from which each node was built, with their callers. Files older than them have none.
struct CallChains {
    RowsOfGraphs<ChainShare> ofApplies;
    RowsOfGraphs<VariableChain> ofVariables;
    std::shared_ptr<const Chains> all = std::make_shared<const Chains>();
};

// How often each rewrite was tried and applied: in all, and in each pass.
struct RewriteStats {
    std::vector<RewriteCount> counts;
    std::vector<PassRewrite> ofPasses;
};

// What ran on devices, and what was copied to and from them.
struct DeviceRows {
    std::vector<Transfer> transfers;
    std::vector<DeviceWork> work;
    std::vector<DeviceKernel> kernels;
    std::vector<HostUse> hostUses;
};

// The machine: what it is, how fast it can be, and what its clocks cost.
struct MachineRows {
    std::vector<NameValue> facts;
    std::vector<Roof> roofs;
    std::vector<Clock> clocks;
};

struct ProfileData {
    SessionInfo info;
    std::vector<Flag> flags;
    std::vector<SourceFile> sourceFiles; // the program's, as it ran
    std::vector<FunctionInfo> functions;
    std::vector<GraphInfo> graphs;
    RowsOfGraphs<ApplyRow> applies; // of all graphs but bodies of Composites
    std::vector<ApplyStats> stats;
    RowsOfGraphs<SourceLink> sources;
    CallChains chains;
    std::vector<PassInfo> passes;
    RewriteStats rewrites;
    std::vector<PlanInfo> plans; // of all functions
    std::vector<PlanItem> planItems;
    std::vector<BufferRow> buffers;
    DeviceRows devices;
    Job job;
    RowsOfGraphs<VariableRow> variables;    // as applies
    std::vector<ApplyInput> inputs;         // of all optimized graphs
    std::vector<ApplyInput> originalInputs; // of all original graphs, and, with kNoApply, what they return
    RowsOfGraphs<OriginRow> origins;        // as applies
    RowsOfGraphs<Decline> declines;         // samples, and the last word of each rewrite on the applies that are left
    std::vector<GroupMember> groupMembers;
    MachineRows machine;
    std::vector<Drop> drops;
    std::vector<Check> checks;
};

// What a look at a session reads beside its profile.
struct Journals {
    std::unordered_set<GraphId> unchanged; // since the look before: nothing of them is here
    std::unordered_map<GraphId, std::vector<Step>> steps;
    std::vector<PackedBody> bodies; // of Composites
    std::unordered_map<GraphId, std::vector<ApplyGroup>> groups;
};

// Every table is read once. Of a session that grows, rows of graphs are taken from `before` where the graph has not changed: it
// had all its steps then, and its function had run, so that shapes, costs and implementations were known. What changes later is
// read at the end of the run. With `journals` also what these hold.
[[nodiscard]] ProfileData loadProfile(SessionReader &reader, const ProfileData *before = nullptr, Journals *journals = nullptr);

// Of declines of one graph, which are by apply: those of one.
[[nodiscard]] std::span<const Decline> declinesOf(const std::vector<Decline> &ofGraph, ApplyId apply);

// The plan that a function used most; without one, an empty plan of no function. For many functions: MainPlans of profile_parts.h.
[[nodiscard]] PlanInfo mainPlan(const ProfileData &data, FunctionId function);
// Its buffers.
[[nodiscard]] std::vector<BufferRow> mainPlanBuffers(const ProfileData &data, FunctionId function);

} // namespace profiler
