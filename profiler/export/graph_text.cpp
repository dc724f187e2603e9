#include "profiler/export/graph_export.h"
#include "profiler/session/model/model.h"

#include <unordered_map>

namespace profiler {

namespace {

constexpr int kLevels = 40; // of the tree that are drawn left of a line; a deep graph would be all lines else

// A, B … Z, BA, BB …: base 26, as debugprint counts.
std::string letters(std::size_t number)
{
    std::string text;
    do {
        text.insert(text.begin(), static_cast<char>('A' + number % 26));
        number /= 26;
    } while (number > 0);
    return text;
}

class Printer {
public:
    Printer(const GraphReplica &graph, bool withTypes) : m_graph(graph), m_types(withTypes)
    {
        int position = 0;
        for (const ApplyId id : graph.toposort()) m_position[raw(id)] = position++;
    }

    std::string print()
    {
        for (const VariableId output : m_graph.outputs()) tree(output);
        if (m_graph.outputs().empty()) m_out = "this function has no outputs\n";
        for (const ApplyGroup &group : m_graph.groups()) {
            m_out += groupCaption(group);
            for (std::size_t i = 0; i < group.applies.size(); ++i) {
                const ReplicaApply &member = *m_graph.apply(group.applies[i]);
                m_out += (i ? ", " : ": ") + m_graph.text(member.op);
                if (const auto id = m_ids.find(raw(member.id) * 2); id != m_ids.end()) m_out += " [id " + id->second + "]";
            }
            m_out += '\n';
        }
        return std::move(m_out);
    }

private:
    struct Item {
        VariableId variable;
        int depth;
        std::string prefix;      // of its own line
        std::string childPrefix; // of the lines below
    };

    static std::string extended(const std::string &prefix, const char *level)
    {
        const std::size_t kept = 2 * (kLevels - 1);
        return (prefix.size() > kept ? prefix.substr(prefix.size() - kept) : prefix) + level;
    }

    void tree(VariableId root)
    {
        std::vector<Item> stack{{root, 0, "", ""}};
        while (!stack.empty()) {
            const Item item = std::move(stack.back());
            stack.pop_back();
            if (!line(item)) continue;
            const ReplicaApply &owner = *m_graph.apply(m_graph.variable(item.variable)->owner);
            for (std::size_t i = owner.inputs.size(); i-- > 0;) {
                const bool last = i + 1 == owner.inputs.size();
                stack.push_back(
                    {owner.inputs[i], item.depth + 1, extended(item.childPrefix, " |"), extended(item.childPrefix, last ? "  " : " |")});
            }
        }
    }

    // Answers whether the inputs are to be printed.
    bool line(const Item &item)
    {
        const ReplicaVariable &variable = *m_graph.variable(item.variable);
        const ReplicaApply *owner = variable.kind == VariableKind::Result ? m_graph.apply(variable.owner) : nullptr;
        const std::uint32_t key = owner ? raw(owner->id) * 2 : raw(item.variable) * 2 + 1;
        const auto [entry, isNew] = m_ids.emplace(key, letters(m_ids.size()));
        if (item.depth > kLevels) m_out += "(+" + std::to_string(item.depth - kLevels) + ")";
        m_out += item.prefix;
        m_out += owner ? m_graph.text(owner->op) : m_graph.label(item.variable);
        if (owner && owner->outputs.size() > 1) m_out += "." + std::to_string(variable.ownerPort);
        m_out += " [id " + entry->second + "]";
        if (m_types) m_out += " <" + m_graph.text(variable.type) + ">";
        if (owner) {
            if (variable.name != kEmptyString) m_out += " '" + m_graph.text(variable.name) + "'";
            m_out += " " + std::to_string(m_position[raw(owner->id)]);
        }
        m_out += '\n';
        return owner && isNew;
    }

    const GraphReplica &m_graph;
    bool m_types;
    std::unordered_map<std::uint32_t, int> m_position;
    std::unordered_map<std::uint32_t, std::string> m_ids;
    std::string m_out;
};

} // namespace

std::string graphText(const GraphReplica &graph, bool withTypes) { return Printer(graph, withTypes).print(); }

} // namespace profiler
