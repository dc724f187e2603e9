// DOT text in the conventions of pydotprint: ellipses are applies, boxes are variables.
#include "engine/text/print.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace engine {
namespace {

const char *applyColor(std::string_view className)
{
    static constexpr std::pair<std::string_view, const char *> kColors[] = {
#include "resources/pydotprint_colours.def"
    };
    for (const auto &[part, color] : kColors)
        if (className.find(part) != std::string_view::npos) return color;
    return nullptr;
}

// Cuts at a character, not inside one.
std::string shortened(const std::string &text, std::size_t limit)
{
    std::size_t characters = 0, cut = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0u) == 0x80u) continue;
        if (limit > 3 && characters == limit - 3) cut = i;
        ++characters;
    }
    return characters <= limit ? text : text.substr(0, cut) + "...";
}

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20) out += ' ';
        else out += c;
    }
    return out + "\"";
}

class DotWriter {
public:
    DotWriter(const FunctionGraph &graph, const DotOptions &options) : m_graph(graph), m_options(options) {}

    std::string write()
    {
        m_out = "digraph croton {\n";
        m_out += "    node [fontname=\"Inter, Helvetica, sans-serif\", fontsize=11];\n";
        m_out += "    edge [fontname=\"Inter, Helvetica, sans-serif\", fontsize=9];\n";
        const std::vector<ApplyId> order = m_graph.toposort();
        for (VarId id : m_graph.inputs()) box(id);
        for (ApplyId id : order) apply(id);
        for (std::size_t i = 0; i < m_graph.outputCount(); ++i)
            if (m_graph.var(m_graph.output(i)).owner == kNoApply) box(m_graph.output(i));
        for (const auto &[output, input] : m_graph.updates) {
            box(m_graph.output(output));
            m_out += "    " + node(m_graph.output(output)) + " -> " + node(input) + " [label=\"UPDATE\", color=blue, constraint=false];\n";
        }
        return std::move(m_out) + "}\n";
    }

private:
    static std::string node(VarId id) { return "v" + std::to_string(raw(id)); }
    static std::string node(ApplyId id) { return "a" + std::to_string(raw(id)); }

    bool isOutput(VarId id) const
    {
        const auto &clients = m_graph.var(id).clients;
        return std::any_of(clients.begin(), clients.end(), [](const Client &c) { return c.isGraphOutput(); });
    }

    // Intermediates without a name are edges, not boxes, in a compact picture.
    bool hasBox(VarId id) const
    {
        const VarNode &var = m_graph.var(id);
        return var.owner == kNoApply || !m_options.compact || var.name != 0 || isOutput(id) || var.clients.empty();
    }

    const char *color(VarId id) const
    {
        const VarNode &var = m_graph.var(id);
        if (isOutput(id)) return "blue";
        if (var.kind == Variable::Kind::Shared) return "cyan";
        if (var.owner == kNoApply) return "green";
        return var.clients.empty() ? "grey" : nullptr;
    }

    std::string label(VarId id) const
    {
        const VarNode &var = m_graph.var(id);
        const std::string &name = m_graph.name(id);
        std::string text;
        if (!name.empty()) {
            if (m_options.namesOnly) return name;
            text = "name=" + name;
        } else if (var.kind == Variable::Kind::Constant) {
            text = "val=" + var.leaf->value().text(m_options.maxLabel);
        }
        if (m_options.withTypes || text.empty()) text += (text.empty() ? "" : " ") + var.type.text();
        return text;
    }

    void style(const char *color)
    {
        if (!color) return;
        m_out += m_options.highContrast ? ", style=filled, fillcolor=" + quoted(color) : ", color=" + quoted(color);
        if (m_options.highContrast && std::string_view(color) == "blue") m_out += ", fontcolor=white";
    }

    void box(VarId id)
    {
        if (!m_boxes.emplace(raw(id), true).second) return;
        m_out += "    " + node(id) + " [shape=box, label=" + quoted(shortened(label(id), m_options.maxLabel));
        style(color(id));
        m_out += "];\n";
    }

    void apply(ApplyId id)
    {
        const ApplyNode &node = m_graph.apply(id);
        m_out += "    " + this->node(id) + " [shape=ellipse, label=" + quoted(shortened(node.op->name(), m_options.maxLabel));
        style(applyColor(node.op->shownClass()));
        m_out += ", tooltip=" + quoted(node.op->name()) + "];\n";

        for (std::size_t port = 0; port < node.inputs.size(); ++port) {
            const VarId input = node.inputs[port].var;
            const ApplyId owner = m_graph.var(input).owner;
            std::string text;
            if (node.inputs.size() > 1) text = std::to_string(port);
            const bool boxed = hasBox(input);
            // With a box the type stands there already.
            if (m_options.withTypes && !boxed) text += (text.empty() ? "" : " ") + m_graph.var(input).type.text();
            if (boxed) box(input);
            edge(boxed ? this->node(input) : this->node(owner), this->node(id), text, aliasColor(*node.op, port));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!hasBox(node.outputs[i])) continue;
            box(node.outputs[i]);
            std::string text = node.outputs.size() > 1 ? std::to_string(i) : "";
            edge(this->node(id), this->node(node.outputs[i]), text, nullptr);
        }
    }

    static const char *aliasColor(const Op &op, std::size_t port)
    {
        const auto names = [&](const std::vector<Alias> &aliases) {
            return std::any_of(aliases.begin(), aliases.end(), [&](const Alias &alias) { return alias.input == port; });
        };
        if (names(op.destroyMap())) return "red";
        return names(op.viewMap()) ? "blue" : nullptr;
    }

    void edge(const std::string &from, const std::string &to, const std::string &text, const char *color)
    {
        m_out += "    " + from + " -> " + to;
        std::string attributes;
        if (!text.empty()) attributes += "label=" + quoted(shortened(text, m_options.maxLabel));
        if (color) attributes += std::string(attributes.empty() ? "" : ", ") + "color=" + color;
        m_out += attributes.empty() ? ";\n" : " [" + attributes + "];\n";
    }

    const FunctionGraph &m_graph;
    const DotOptions &m_options;
    std::unordered_map<std::uint32_t, bool> m_boxes;
    std::string m_out;
};

} // namespace

std::string toDot(const FunctionGraph &graph, const DotOptions &options) { return DotWriter(graph, options).write(); }

} // namespace engine
