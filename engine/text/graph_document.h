// The JSON graph document: a graph with everything needed to build it again. docs: graph_document.md beside this file.
// Loading validates: form, ids, ops, arity, types, cycles, sizes, nesting; every error names the place.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/op/op_card.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct GraphDocument {
    std::vector<VarRef> inputs;
    std::vector<VarRef> outputs;
    /// Output index → the shared variable that takes its value.
    std::vector<std::pair<std::size_t, VarRef>> updates;
};

/// Values of shared variables: all of their elements, or their shapes alone (zeros for who reads it).
enum class SharedValues { Whole, Shapes };
/// Ids are those of the arena, so that a document can be compared with a session.
std::string writeGraphDocument(const FunctionGraph &graph, SharedValues shared = SharedValues::Whole);
std::string writeGraphDocument(std::span<const VarRef> inputs, std::span<const VarRef> outputs);
/// The member "op" of an apply in a document; the graphs inside are written without the lines of their source.
std::string writeOpDocument(const Op &op);
/// The member "value" of a leaf that has one; above `mostBytes`, and on a device, its shape alone.
std::string writeLeafValue(const Variable &leaf, std::size_t mostBytes);
/// Text of a type in a document: "float32[?,3]", "none", "generic" …
std::string documentType(Type type);
/// Throws DocumentError. `maxElements`: of all constants and shared values together.
GraphDocument readGraphDocument(std::string_view text, std::int64_t maxElements = 1 << 26);
/// While one lives, the graphs inside ops that this thread writes are set aside: the text holds their numbers.
class GraphsAside {
public:
    GraphsAside();
    ~GraphsAside();
    GraphsAside(const GraphsAside &) = delete;

    std::vector<const InnerGraph *> graphs;
};

} // namespace engine
