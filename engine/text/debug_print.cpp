// debugprint: one line per variable, children below their apply, repeated applies without children.
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/loops/scan.h"
#include "engine/text/print.h"

#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

std::string letters(std::size_t number)
{
    std::string text;
    do {
        text.insert(text.begin(), static_cast<char>('A' + number % 26));
        number /= 26;
    } while (number);
    return text;
}

std::string mapText(const char *name, const std::vector<Alias> &aliases)
{
    if (aliases.empty()) return {};
    std::string text = std::string(name) + "={";
    for (std::size_t i = 0; i < aliases.size(); ++i) {
        if (i) text += ", ";
        text += std::to_string(aliases[i].output) + ": [" + std::to_string(aliases[i].input) + "]";
    }
    return text + "}";
}

class Printer {
public:
    Printer(const DebugPrintOptions &options, std::span<const ApplyRef> order) : m_options(options)
    {
        for (std::size_t i = 0; i < order.size(); ++i) m_order.emplace(order[i].get(), i);
    }

    void tree(const VarRef &root, const std::string &prefix)
    {
        m_prefix = prefix;
        m_rootPrefix = prefix.size();
        visit(root.get(), false);
        while (!m_stack.empty()) {
            Frame &top = m_stack.back();
            if (top.next == top.inputs.size() || m_full) {
                m_stack.pop_back();
                continue;
            }
            const VarRef &input = top.inputs[top.next++];
            const bool last = top.next == top.inputs.size();
            // The last child hangs on " |" like its sisters, but its own children stand below blanks.
            m_prefix.resize(m_rootPrefix + 2 * (m_stack.size() - 1));
            if (top.apply && isNumber(top.apply->op(), top.next - 1)) number(input, last);
            else visit(input.get(), last);
        }
    }

    std::string finish()
    {
        if (m_options.innerGraphs) innerGraphs();
        if (m_full) m_out += " ... (the rest was cut)\n";
        return std::move(m_out);
    }

private:
    struct Frame {
        const Apply *apply; ///< none: what a ScalarFromTensor reads
        std::span<const VarRef> inputs;
        std::size_t next;
    };

    std::string idOf(const void *node)
    {
        if (m_options.ids == DebugPrintOptions::Ids::None) return {};
        auto [place, fresh] = m_ids.emplace(node, m_ids.size());
        const bool number = m_options.ids == DebugPrintOptions::Ids::Number;
        return "[id " + (number ? std::to_string(place->second) : letters(place->second)) + "]";
    }

    std::string noteOn(const Variable *variable) const
    {
        const auto place = m_options.notes.find(variable);
        return place == m_options.notes.end() ? std::string() : place->second;
    }

    /// Begins a line; false where no more are wanted.
    bool begin()
    {
        if (m_options.depth >= 0 && m_stack.size() >= static_cast<std::size_t>(m_options.depth)) return false;
        m_full = m_out.size() > m_options.limit;
        if (m_full) return false;
        m_out += m_prefix;
        if (!m_stack.empty()) m_out += " |";
        return true;
    }

    void enter(const Apply *apply, std::span<const VarRef> inputs, bool last)
    {
        if (!m_stack.empty()) m_prefix += last ? "  " : " |";
        m_stack.push_back({apply, inputs, 0});
    }

    /// An index or a bound. Each has a node of its own; in a compiled graph those of one value have become one.
    void number(const VarRef &variable, bool last)
    {
        const bool isConstant = variable->kind() == Variable::Kind::Constant && variable->name().empty();
        if (!begin()) return;
        const bool isMerged = !m_order.empty();
        const auto *node =
            isMerged ? reinterpret_cast<const char *>(variable.get()) + (isConstant ? 1 : 2) : reinterpret_cast<const char *>(&variable);
        const std::string types = m_options.types ? " <" + std::string(nameOf(variable->type().dtype())) + ">" : "";
        m_out += isConstant ? numberText(variable->value()) + " " + idOf(node) + types + noteOn(variable.get()) + "\n"
                            : "ScalarFromTensor " + idOf(node) + types + " ''   \n";
        if (!isConstant && m_doneNumbers.insert(node).second) enter(nullptr, std::span(&variable, 1), last);
    }

    /// The line of what an op makes, up to the place where it runs.
    void made(const Variable *variable)
    {
        const Apply *owner = variable->owner();
        const Op &op = owner->op();
        m_out += op.name();
        if (owner->outputCount() > 1) m_out += "." + std::to_string(variable->index());
        m_out += " " + idOf(owner) + (m_options.types ? " <" + variable->type().text() + ">" : "") + " '" + variable->name() + "' ";
        m_out += (m_options.destroyMap ? mapText("d", op.destroyMap()) : "") + " ";
        m_out += (m_options.viewMap ? mapText("v", op.viewMap()) : "") + " ";
    }

    void visit(const Variable *variable, bool last)
    {
        if (!begin()) return;
        const Apply *owner = variable->owner();
        const std::string types = m_options.types ? " <" + variable->type().text() + ">" : "";
        if (!owner) {
            m_out += variable->displayName() + " " + idOf(variable) + types + noteOn(variable);
            if (auto outer = m_outer.find(variable); outer != m_outer.end()) m_out += " -> " + idOf(outer->second);
            m_out += '\n';
            return;
        }
        made(variable);
        if (auto place = m_order.find(owner); place != m_order.end()) m_out += std::to_string(place->second);
        m_out += noteOn(variable) + '\n';
        const bool isNew = m_done.insert(owner).second;
        // The scalar graph of an Elemwise is written out in its name already. A loop follows once more for each who reads it, as in Theano.
        if (owner->op().inner() && !opCast<Elemwise>(owner->opRef()) && (isNew || opCast<Scan>(owner->opRef())))
            m_nested.push_back(variable);
        if (!isNew) return;
        if (m_options.stopOnName && !variable->name().empty()) return;
        enter(owner, owner->inputs(), last);
    }

    void innerGraphs()
    {
        for (std::size_t i = 0; i < m_nested.size() && !m_full; ++i) { // grows while inner graphs hold further ones
            const Variable *heading = m_nested[i];
            const Apply *apply = heading->owner();
            if (i == 0) {
                const bool scan = apply->op().className() == "Scan";
                m_out += scan ? "\nInner graphs of the scan ops:\n" : "\nInner graphs:\n";
            }
            const InnerGraph &inner = *apply->op().inner();
            const Scan *loop = opCast<Scan>(apply->opRef());
            for (std::size_t k = 0; k < inner.inputs.size() && (loop || k < apply->inputs().size()); ++k) {
                const Variable *outer = apply->input(loop ? loop->sourceOf(static_cast<int>(k)).outer : static_cast<int>(k)).get();
                m_outer.emplace(inner.inputs[k].get(), outer->owner() ? static_cast<const void *>(outer->owner()) : outer);
            }
            m_out += '\n';
            made(heading);
            m_out += '\n';
            for (const VarRef &output : inner.outputs) tree(output, " >");
        }
    }

    DebugPrintOptions m_options;
    std::unordered_map<const Apply *, std::size_t> m_order;
    std::unordered_map<const void *, std::size_t> m_ids;
    std::unordered_map<const Variable *, const void *> m_outer;
    std::unordered_set<const Apply *> m_done;
    std::unordered_set<const void *> m_doneNumbers;
    std::vector<const Variable *> m_nested; ///< by what is read of them
    std::vector<Frame> m_stack;
    std::string m_prefix;
    std::size_t m_rootPrefix = 0;
    std::string m_out;
    bool m_full = false;
};

} // namespace

std::string debugPrint(std::span<const VarRef> outputs, const DebugPrintOptions &options, std::span<const ApplyRef> order)
{
    Printer printer(options, order);
    for (const VarRef &output : outputs) printer.tree(output, "");
    return printer.finish();
}

} // namespace engine
