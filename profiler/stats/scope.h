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

// The functions in scope that were called, by the number of their own graph.
[[nodiscard]] inline std::unordered_map<std::uint32_t, const FunctionInfo *> calledFunctionsByGraph(const ProfileData &data,
                                                                                                    const TableScope &scope)
{
    std::unordered_map<std::uint32_t, const FunctionInfo *> result;
    for (const FunctionInfo &function : data.functions)
        if (inScope(scope, function.id) && function.run.calls > 0 && function.graph != kNoGraph)
            result.emplace(raw(function.graph), &function);
    return result;
}

} // namespace profiler
