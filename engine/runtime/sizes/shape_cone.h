// Compiles the sizes of single applies, whether they are still in the graph or rewrites took them away.
#pragma once

#include "engine/runtime/sizes/shape_compiler.h"

namespace engine {

class ShapeCone {
public:
    ShapeCone(const FunctionGraph &graph, ShapeCompiler &compiler)
        : m_graph(graph), m_compiler(compiler), m_seen(graph.applyCount(), Seen::No)
    {}

    /// With all that it reads and whose sizes are not known yet. False: they do not follow from what is known.
    bool add(ApplyId wanted);

private:
    enum class Seen : std::uint8_t { No, Open, Known, Unknown };

    bool readsKnown(ApplyId id) const;

    const FunctionGraph &m_graph;
    ShapeCompiler &m_compiler;
    std::vector<Seen> m_seen; // by apply
    std::vector<ApplyId> m_open;
};

} // namespace engine
