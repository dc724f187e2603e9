#pragma once
// A profile taken apart by functions: what is computed of one function needs not look through the rows of all others.

#include "profiler/stats/times/profile_data.h"

#include <unordered_map>
#include <vector>

namespace profiler {

class ProfileParts {
public:
    // `data` must live as long.
    explicit ProfileParts(const ProfileData &data);

    // The functions, their graphs and all rows of these, with what is known of the run and the machine.
    [[nodiscard]] ProfileData of(FunctionId function) const { return of(std::vector{function}); }
    [[nodiscard]] ProfileData of(const std::vector<FunctionId> &functions) const;
    [[nodiscard]] std::vector<FunctionInfo> functionsOf(const std::vector<FunctionId> &functions) const;
    // A graph inside another, with its function; of the rows only its own.
    [[nodiscard]] ProfileData ofNested(const GraphInfo &graph) const;

private:
    template <class Row>
    using ByGraph = std::unordered_map<GraphId, std::vector<const Row *>>;

    template <class Row>
    [[nodiscard]] ByGraph<Row> spread(const std::vector<Row> &rows) const;
    template <class Row>
    [[nodiscard]] static std::vector<Row> gather(const ByGraph<Row> &all, const std::vector<GraphId> &graphs);
    [[nodiscard]] ProfileData ofGraphs(const std::vector<FunctionId> &functions, const std::vector<GraphId> &graphs) const;

    const ProfileData &m_data;
    std::unordered_map<FunctionId, const FunctionInfo *> m_functions;
    std::unordered_map<FunctionId, std::vector<GraphId>> m_graphsOf;
    std::unordered_map<FunctionId, std::vector<const PlanInfo *>> m_plans;
    std::unordered_map<GraphId, const GraphInfo *> m_graphs;
    ByGraph<ApplyStats> m_stats;
    ByGraph<PassInfo> m_passes;
    ByGraph<PassRewrite> m_passRewrites;
    ByGraph<PlanItem> m_planItems;
    ByGraph<BufferRow> m_buffers;
    ByGraph<Transfer> m_transfers;
    ByGraph<DeviceKernel> m_deviceKernels;
    ByGraph<ApplyInput> m_inputs;
    ByGraph<RewriteCount> m_rewriteCounts;
    ByGraph<GroupMember> m_groupMembers;
    ByGraph<Check> m_checks;
};

// The plan that each function used most, with its buffers.
class MainPlans {
public:
    // `data` must live as long.
    explicit MainPlans(const ProfileData &data);

    // Without one, an empty plan of no function.
    [[nodiscard]] PlanInfo of(FunctionId function) const;
    [[nodiscard]] std::vector<BufferRow> buffersOf(FunctionId function) const;
    [[nodiscard]] std::size_t countOf(FunctionId function) const; // of all plans

private:
    struct Plan {
        const PlanInfo *most = nullptr;
        std::size_t count = 0;
        std::vector<const BufferRow *> buffers;
    };
    std::unordered_map<FunctionId, Plan> m_plans;
};

} // namespace profiler
