#pragma once
// What one session knows of single calls and of sums, for a comparison.

#include "profiler/compare/compare.h"
#include "profiler/stats/times/profile_parts.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace profiler {

class CompareSide {
public:
    CompareSide(const ProfileData &data, const std::vector<Event> &events);

    // How many runs of the script sampled a function (an index into ProfileData::functions).
    [[nodiscard]] int runs(int function) const;
    [[nodiscard]] bool wasCalled(int function) const;
    // Does where its operands lie decide much of its time? They fit into the outer caches and not into the innermost.
    [[nodiscard]] bool dependsOnPlace(int apply) const;

    // `values`: one per run, or else one per call or few neighbouring calls.
    [[nodiscard]] ComparedSide apply(int index, bool byRun, std::vector<double> &values) const;
    [[nodiscard]] ComparedSide function(int index, bool byRun, std::vector<double> &values) const;
    // Of the function's time in thunks.
    [[nodiscard]] double shareOf(FunctionId function, const ComparedSide &apply) const;

private:
    struct Sample {
        int run = 0;
        double ns = 0;
    };
    using Samples = std::vector<Sample>;

    void finish(ComparedSide &side, const Samples *samples, bool byRun, std::vector<double> &values) const;

    const ProfileData &m_data;
    MainPlans m_plans;
    std::unordered_map<ApplyKey, Samples, ApplyKeyHash> m_applies;
    std::map<FunctionId, Samples> m_calls;
    std::unordered_map<ApplyKey, std::pair<std::int64_t, std::int64_t>, ApplyKeyHash> m_sums; // calls, ns
    std::unordered_map<ApplyKey, std::int64_t, ApplyKeyHash> m_bytes;
    std::unordered_map<ApplyKey, std::int64_t, ApplyKeyHash> m_bytesRead;
    std::map<FunctionId, std::int64_t> m_thunks;
};

} // namespace profiler
