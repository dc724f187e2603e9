// Applies of a graph as text: ids, names, ops, edges and the order of clients. Equal dumps = equal graphs.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/op/op.h"

namespace engine {

inline std::string canonicalDump(const FunctionGraph &graph)
{
    std::string out;
    const auto number = [&](std::uint32_t value) { out += std::to_string(value); };
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const VarNode &node = graph.var(VarId{i});
        if (!node.live) continue;
        out += 'v';
        number(i);
        out += ' ';
        out += node.type.detailedText();
        if (node.name) out += " '" + graph.name(VarId{i}) + "'";
        if (node.owner != kNoApply) {
            out += " of a";
            number(raw(node.owner));
        }
        out += " clients";
        for (const Client &client : node.clients) {
            out += client.isGraphOutput() ? " out:" : " a" + std::to_string(raw(client.apply)) + ":";
            number(client.port);
        }
        out += '\n';
    }
    for (ApplyId id : graph.liveApplies()) {
        const ApplyNode &node = graph.apply(id);
        out += 'a';
        number(raw(id));
        out += ' ' + node.op->name() + " (";
        for (const Use &use : node.inputs) {
            out += " v";
            number(raw(use.var));
        }
        out += " ) ->";
        for (VarId output : node.outputs) {
            out += " v";
            number(raw(output));
        }
        out += '\n';
    }
    out += "outputs";
    for (std::size_t i = 0; i < graph.outputCount(); ++i) {
        out += " v";
        number(raw(graph.output(i)));
    }
    out += '\n';
    return out;
}

} // namespace engine
