// Graphs as text: debugprint, pprint, DOT.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <span>
#include <string>
#include <unordered_map>

namespace engine {

struct DebugPrintOptions {
    int depth = -1; ///< levels to show; -1: all
    bool types = false;
    bool stopOnName = false;
    enum class Ids { Char, Number, None } ids = Ids::Char;
    bool viewMap = false;                                    ///< v={0: [1]}
    bool destroyMap = false;                                 ///< d={0: [0]}
    bool innerGraphs = true;                                 ///< graphs inside ops follow at the end
    std::unordered_map<const Variable *, std::string> notes; ///< what is written behind the line of a variable
    std::size_t limit = 64u << 20;                           ///< bytes; the rest is cut and that is said
};

/// The tree of each output, Theano's layout. `order`: toposort numbers to print behind applies (may be empty).
std::string debugPrint(std::span<const VarRef> outputs, const DebugPrintOptions &options = {}, std::span<const ApplyRef> order = {});

struct PrettyOptions {
    /// Text that reads back as the same graph: constants as literals of their dtype (2, float32(0.1)) instead of
    /// TensorConstant{2}, every DimShuffle that the reader would not insert by itself.
    bool exact = false;
    DType floatX = DType::Float64; ///< for which literals are chosen
    /// Named intermediate results are shown by their names (below the top).
    bool stopOnName = false;
    std::size_t limit = 1u << 20; ///< bytes; the rest is cut to "…"
};

/// Infix, everything parenthesised: ((x * y) + z), (x \dot w), exp(x), sum(x, axis=0). The notation reads it back.
std::string prettyPrint(const VarRef &variable, const PrettyOptions &options = {});
/// Declarations, definitions of what is named or used twice, outputs: text that the notation reads back as the same
/// graph (as far as it knows the ops).
std::string notationText(std::span<const VarRef> inputs, std::span<const VarRef> outputs, DType floatX = DType::Float64);

struct DotOptions {
    bool withTypes = true;
    bool namesOnly = false;    ///< var_with_name_simple
    bool compact = true;       ///< unnamed intermediate variables are edges, not boxes
    bool highContrast = true;  ///< fills, not only coloured borders
    std::size_t maxLabel = 70; ///< characters; longer labels are cut with "..."
};
/// pydotprint's conventions: ellipses and boxes, colours, view and destroy edges, UPDATE edges.
std::string toDot(const FunctionGraph &graph, const DotOptions &options = {});

} // namespace engine
