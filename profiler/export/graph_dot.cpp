#include "profiler/export/format.h"
#include "profiler/export/graph_export.h"
#include "profiler/session/codec/printable.h"
#include "profiler/session/model/model.h"

#include <algorithm>

namespace profiler {

namespace {

std::string dotString(const std::string &text)
{
    std::string out = "\"";
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else if (c != '\r') out += c; // one stays only before an end of line
    }
    return out + '"';
}

struct Colour {
    const char *part; // of the class name
    const char *fill;
};

constexpr Colour kColours[] = {
#include "resources/pydotprint_colours.def"
};

const char *fillOf(const std::string &opClass)
{
    for (const Colour &colour : kColours)
        if (opClass.find(colour.part) != std::string::npos) return colour.fill;
    return "white";
}

class DotWriter {
public:
    DotWriter(const GraphReplica &graph, const DotOptions &options) : m_graph(graph), m_options(options) {}

    std::string write()
    {
        m_out = "digraph croton {\n  rankdir=TB;\n  node [style=filled, fontname=\"Helvetica\"];\n";
        for (const VariableId id : m_graph.variables())
            if (isDrawn(id)) variable(id);
        for (const ApplyGroup &group : m_graph.groups()) frame(group);
        const std::vector<ApplyId> order = m_graph.toposort();
        for (const ApplyId id : order) apply(id);
        for (const FunctionUpdate &update : m_options.updates)
            if (update.output >= 0 && static_cast<std::size_t>(update.output) < m_graph.outputs().size())
                m_out +=
                    "  " + name(m_graph.outputs()[update.output]) + " -> " + name(update.variable) + " [label=\"UPDATE\", color=blue];\n";
        return m_out + "}\n";
    }

private:
    bool isOutput(VariableId id) const
    {
        const auto &outputs = m_graph.outputs();
        return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
    }
    bool isDrawn(VariableId id) const
    {
        const ReplicaVariable &one = *m_graph.variable(id);
        if (one.kind != VariableKind::Result || isOutput(id)) return true;
        return !m_options.compact || one.name != kEmptyString;
    }
    static std::string name(VariableId id) { return "v" + std::to_string(raw(id)); }
    std::string cut(const std::string &text) const { return elided(text, m_options.maxLabel); }

    void variable(VariableId id)
    {
        const ReplicaVariable &one = *m_graph.variable(id);
        std::string label = m_graph.text(one.type);
        if (one.name != kEmptyString) label = "name=" + m_graph.text(one.name) + " " + label;
        else if (one.kind == VariableKind::Constant) label = "val=" + m_graph.text(one.value) + " " + label;
        const bool unused = one.clients.empty() && !isOutput(id);
        const char *fill = isOutput(id)                       ? "lightblue"
                           : unused                           ? "grey"
                           : one.kind == VariableKind::Shared ? "cyan"
                           : one.kind == VariableKind::Result ? "white"
                                                              : "lightgreen";
        m_out += "  " + name(id) + " [shape=box, fillcolor=\"" + fill + "\", label=" + dotString(cut(label)) + "];\n";
    }

    // Members keep their nodes and edges; a cluster only draws a frame around them and what lies between them.
    void frame(const ApplyGroup &group)
    {
        m_out += "  subgraph cluster_group" + std::to_string(group.group) + " {\n    label=" + dotString(groupCaption(group)) +
                 ";\n    style=dashed;\n    fontname=\"Helvetica\";\n    color=\"#465162\";\n   ";
        const auto isMember = [&](ApplyId id) { return std::find(group.applies.begin(), group.applies.end(), id) != group.applies.end(); };
        for (const ApplyId id : group.applies) {
            m_out += " a" + std::to_string(raw(id)) + ";";
            for (const VariableId output : m_graph.apply(id)->outputs) {
                const ReplicaVariable &made = *m_graph.variable(output);
                const bool inside = !made.clients.empty() && std::all_of(made.clients.begin(), made.clients.end(),
                                                                         [&](const auto &client) { return isMember(client.first); });
                if (inside && isDrawn(output) && !isOutput(output)) m_out += " " + name(output) + ";";
            }
        }
        m_out += "\n  }\n";
    }

    void apply(ApplyId id)
    {
        const ReplicaApply &one = *m_graph.apply(id);
        const std::string self = "a" + std::to_string(raw(id));
        m_out += "  " + self + " [shape=ellipse, fillcolor=\"" + fillOf(m_graph.text(one.opClass)) +
                 "\", label=" + dotString(cut(m_graph.text(one.op))) + "];\n";
        for (std::uint32_t port = 0; port < one.inputs.size(); ++port) {
            const auto touches = [port](const PortPair &pair) { return pair.input == port; };
            const char *colour = "black";
            if (std::any_of(one.views.begin(), one.views.end(), touches)) colour = "blue";
            if (std::any_of(one.destroys.begin(), one.destroys.end(), touches)) colour = "red";
            const VariableId input = one.inputs[port];
            const ReplicaVariable &from = *m_graph.variable(input);
            std::string label = one.inputs.size() > 1 ? std::to_string(port) : "";
            const bool drawn = isDrawn(input);
            if (!drawn) label += (label.empty() ? "" : " ") + m_graph.text(from.type);
            const std::string source = drawn ? name(input) : "a" + std::to_string(raw(from.owner));
            m_out += "  " + source + " -> " + self + " [color=" + colour + ", label=" + dotString(cut(label)) + "];\n";
        }
        for (std::uint32_t port = 0; port < one.outputs.size(); ++port)
            if (isDrawn(one.outputs[port]))
                m_out += "  " + self + " -> " + name(one.outputs[port]) +
                         " [label=" + dotString(one.outputs.size() > 1 ? std::to_string(port) : "") + "];\n";
    }

    const GraphReplica &m_graph;
    const DotOptions &m_options;
    std::string m_out;
};

} // namespace

std::string groupCaption(const ApplyGroup &group)
{
    return std::string(group.runsAsOne ? "one kernel" : "may run as one kernel") + (group.rewrite.empty() ? "" : ": " + group.rewrite);
}

std::string graphDot(const GraphReplica &graph, const DotOptions &options) { return DotWriter(graph, options).write(); }

} // namespace profiler
