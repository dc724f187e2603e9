#pragma once
// Which functions a TableScope names.

#include "profiler/stats/tables.h"

#include <algorithm>
#include <unordered_map>

namespace profiler {

[[nodiscard]] inline bool inScope(const TableScope &scope, FunctionId id)
{
    return scope.functions.empty() || std::find(scope.functions.begin(), scope.functions.end(), id) != scope.functions.end();
}

// The functions in scope that were called, by the number of their own graph, or of the one that is meant.
[[nodiscard]] inline std::unordered_map<std::uint32_t, const FunctionInfo *> calledFunctionsByGraph(const ProfileData &data,
                                                                                                    const TableScope &scope)
{
    std::unordered_map<std::uint32_t, const FunctionInfo *> result;
    for (const FunctionInfo &function : data.functions) {
        const GraphId graph = scope.graph == kNoGraph ? function.graph : scope.graph;
        if (inScope(scope, function.id) && function.run.calls > 0 && graph != kNoGraph) result.emplace(raw(graph), &function);
    }
    return result;
}

} // namespace profiler
