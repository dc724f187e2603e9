// pprint: infix text, everything parenthesised. Iterative: the parts still to be written wait on a stack.
#include "engine/graph/syntax/pretty_form.h"
#include "engine/text/pretty_constant.h"
#include "engine/text/print.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace engine {
namespace {

bool isGreek(const std::string &name)
{
    static constexpr std::array<std::string_view, 24> kLetters{
        "alpha", "beta", "gamma",   "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",
        "nu",    "xi",   "omicron", "pi",    "rho",     "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};
    return std::find(kLetters.begin(), kLetters.end(), name) != kLetters.end();
}

class Writer final : public PrettyWriter {
public:
    using Names = std::unordered_map<const Variable *, std::string>;
    Writer(const PrettyOptions &options, const Names &named) : m_options(options), m_named(named) {}

    void text(std::string_view text) override { m_parts.emplace_back(std::string(text)); }
    void variable(const VarRef &variable) override { m_parts.emplace_back(variable); }

    bool exact() const override { return m_options.exact; }

    std::string write(const VarRef &root)
    {
        expand(root, true);
        std::string out;
        while (!m_stack.empty()) {
            const std::variant<std::string, VarRef> part = std::move(m_stack.back());
            m_stack.pop_back();
            if (const auto *text = std::get_if<std::string>(&part)) out += *text;
            else expand(std::get<VarRef>(part), false);
            if (out.size() <= m_options.limit) continue;
            out.resize(m_options.limit);
            while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0u) == 0x80u) out.pop_back();
            return out + "…";
        }
        return out;
    }

private:
    void expand(const VarRef &variable, bool isRoot)
    {
        const Apply *owner = variable->owner();
        auto given = m_named.find(variable.get());
        if (given != m_named.end() && (!isRoot || !owner)) {
            m_stack.emplace_back(given->second);
            return;
        }
        if (!owner || (!isRoot && m_options.stopOnName && !variable->name().empty())) {
            m_stack.emplace_back(leaf(variable));
            return;
        }
        m_parts.clear();
        if (const PrettyForm &form = owner->op().card().pretty) form(*owner, *this);
        else prettyCall(owner->op().name(), *owner, *this);
        if (owner->outputCount() > 1) text("." + std::to_string(variable->index()));
        for (std::size_t i = m_parts.size(); i-- > 0;) m_stack.push_back(std::move(m_parts[i]));
    }

    std::string leaf(const VarRef &variable) const
    {
        if (m_options.exact && variable->kind() == Variable::Kind::Constant) {
            std::string text = literalText(variable->value(), m_options.floatX);
            if (!text.empty()) return text;
        }
        if (isGreek(variable->name())) return "\\" + variable->name();
        return variable->displayName();
    }

    const PrettyOptions &m_options;
    const Names &m_named;
    std::vector<std::variant<std::string, VarRef>> m_parts;
    std::vector<std::variant<std::string, VarRef>> m_stack;
};

} // namespace

std::string prettyPrint(const VarRef &variable, const PrettyOptions &options)
{
    const Writer::Names none;
    return Writer(options, none).write(variable);
}

std::string notationText(std::span<const VarRef> inputs, std::span<const VarRef> outputs, DType floatX)
{
    Writer::Names names;
    std::unordered_set<std::string> taken;
    const auto give = [&](const Variable *variable, const char *prefix) -> const std::string & {
        std::string word = variable->name();
        if (!isNotationName(word) || taken.count(word)) {
            int number = 0;
            do word = prefix + std::to_string(++number);
            while (taken.count(word));
        }
        taken.insert(word);
        return names[variable] = word;
    };
    std::string text;
    std::vector<VarRef> free(inputs.begin(), inputs.end());
    const std::vector<Apply *> order = toposort(outputs, inputs);
    for (const VarRef &leaf : leaves(outputs, inputs))
        if (leaf->kind() != Variable::Kind::Constant && std::find(free.begin(), free.end(), leaf) == free.end()) free.push_back(leaf);
    for (const VarRef &input : free) text += give(input.get(), "x") + ": " + typeWord(input->type()) + "\n";

    std::unordered_map<const Variable *, int> uses;
    for (const Apply *apply : order)
        for (const VarRef &input : apply->inputs()) ++uses[input.get()];
    PrettyOptions options;
    options.exact = true;
    options.floatX = floatX;
    for (const Apply *apply : order) {
        Variable *result = apply->output();
        if (apply->outputCount() != 1 || names.count(result) || !uses[result]) continue;
        if (uses[result] < 2 && result->name().empty()) continue;
        const std::string body = Writer(options, names).write(VarRef(result));
        text += give(result, "t") + " = " + body + "\n";
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto known = names.find(outputs[i].get());
        text += (i ? ", " : "") + (known != names.end() ? known->second : Writer(options, names).write(outputs[i]));
    }
    return text + "\n";
}

} // namespace engine
