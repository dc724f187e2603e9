// Graphs as text: debugprint, pprint, DOT.
#pragma once

#include "engine/graph/function_graph.h"

#include <functional>
#include <span>
#include <string>

namespace engine {

struct DebugPrintOptions {
    int depth = -1;
    bool types = false;
    bool stopOnName = false;
    enum class Ids { Char, Number, None } ids = Ids::Char;
};

/// theano-facts section 8. `order`: toposort numbers to print behind applies (may be empty).
std::string debugPrint(std::span<const VarRef> outputs, const DebugPrintOptions &options = {},
                       std::span<const ApplyRef> order = {});
/// Infix, everything parenthesised: ((x * 2) + y), (x \dot w), exp(x).
std::string prettyPrint(const VarRef &variable);

struct DotOptions {
    bool withTypes = true;
    bool namesOnly = false; ///< var_with_name_simple
    std::size_t maxLabel = 70;
};
/// pydotprint's conventions (colours, view and destroy edges, UPDATE edges).
std::string toDot(const FunctionGraph &graph, const DotOptions &options = {});

} // namespace engine
