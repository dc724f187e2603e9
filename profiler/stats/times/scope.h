#pragma once
// Which functions a TableScope names.

#include "profiler/stats/times/tables.h"

#include <unordered_map>
#include <unordered_set>

namespace profiler {

// Asked for each of many.
class InScope {
public:
    explicit InScope(const TableScope &scope) : m_all(scope.functions.empty()), m_functions(scope.functions.begin(), scope.functions.end())
    {}
    [[nodiscard]] bool operator()(FunctionId id) const { return m_all || m_functions.contains(id); }

private:
    bool m_all;
    std::unordered_set<FunctionId> m_functions;
};

// The functions in scope that were called, by the number of their own graph, or of the one that is meant.
[[nodiscard]] inline std::unordered_map<std::uint32_t, const FunctionInfo *> calledFunctionsByGraph(const ProfileData &data,
                                                                                                    const TableScope &scope)
{
    const InScope inScope(scope);
    std::unordered_map<std::uint32_t, const FunctionInfo *> result;
    for (const FunctionInfo &function : data.functions) {
        const GraphId graph = scope.graph == kNoGraph ? function.graph : scope.graph;
        if (inScope(function.id) && function.run.calls > 0 && graph != kNoGraph) result.emplace(raw(graph), &function);
    }
    return result;
}

} // namespace profiler
