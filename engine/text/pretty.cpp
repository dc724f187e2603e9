// pprint: infix text, everything parenthesised. Iterative: the parts still to be written wait on a stack.
#include "engine/graph/pretty_form.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
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

void call(std::string_view name, const Apply &node, PrettyWriter &out)
{
    out.text(name);
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(", ");
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void infix(std::string_view symbol, const Apply &node, PrettyWriter &out)
{
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) {
            out.text(" ");
            out.text(symbol);
            out.text(" ");
        }
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void around(std::string_view before, const Apply &node, std::string_view after, PrettyWriter &out)
{
    out.text(before);
    out.variable(node.input(0));
    out.text(after);
}

const DimShuffle *leftPad(const VarRef &variable)
{
    const DimShuffle *op = variable->owner() ? opCast<DimShuffle>(variable->owner()->opRef()) : nullptr;
    return op && op->isLeftPad() ? op : nullptr;
}

// The reader of the notation pads by itself, as long as one argument has the full rank.
class Unpadded final : public PrettyWriter {
public:
    Unpadded(const Apply &node, PrettyWriter &out) : m_out(out)
    {
        for (const VarRef &input : node.inputs()) m_drop |= !leftPad(input);
    }
    void text(std::string_view text) override { m_out.text(text); }
    void variable(const VarRef &variable) override
    {
        m_out.variable(m_drop && leftPad(variable) && variable->name().empty() ? variable->owner()->input(0) : variable);
    }
    bool exact() const override { return m_out.exact(); }

private:
    PrettyWriter &m_out;
    bool m_drop = false;
};

void elemwiseForm(const Apply &node, PrettyWriter &target)
{
    Unpadded out(node, target);
    const ScalarOp &scalar = *opCast<Elemwise>(node.opRef())->scalar();
    switch (scalar.code()) {
    case ScalarCode::Neg: return around("(-", node, ")", out);
    case ScalarCode::Abs: return around("|", node, "|", out);
    case ScalarCode::Second: return call("fill", node, out);
    case ScalarCode::Cast: return call(nameOf(*scalar.castTarget()), node, out);
    // Theano writes these as calls although they have a sign.
    case ScalarCode::Lt:
    case ScalarCode::Gt:
    case ScalarCode::Le:
    case ScalarCode::Ge:
    case ScalarCode::Eq:
    case ScalarCode::Neq: return call(scalar.symbol(), node, out);
    case ScalarCode::Composite: return call(node.op().name(), node, out);
    default: break;
    }
    if (!scalar.infix().empty() && node.inputs().size() > 1) return infix(scalar.infix(), node, out);
    call(scalar.symbol(), node, out);
}

void reduceForm(const Apply &node, PrettyWriter &out)
{
    static constexpr const char *kNames[] = {"sum", "prod", "max", "min", "any", "all", "largest"};
    const auto &op = *opCast<CAReduce>(node.opRef());
    out.text(kNames[static_cast<std::size_t>(op.kind())]);
    out.text("(");
    out.variable(node.input(0));
    if (op.axes()) {
        const auto &axes = *op.axes();
        std::string text = axes.size() == 1 ? std::to_string(axes[0]) : "(";
        if (axes.size() != 1) {
            for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + std::to_string(axes[i]);
            text += ")";
        }
        out.text(", axis=" + text);
    }
    if (out.exact() && (op.kind() == ReduceKind::Sum || op.kind() == ReduceKind::Prod)) {
        const DType input = node.input(0)->type().dtype();
        const CAReduce usual(op.kind(), {});
        if (op.resultDType(input) != usual.resultDType(input)) out.text(", dtype=" + std::string(nameOf(op.resultDType(input))));
        if (op.accumulatorDType(input) != usual.accumulatorDType(input))
            out.text(", acc_dtype=" + std::string(nameOf(op.accumulatorDType(input))));
    }
    out.text(")");
}

void shuffleForm(const Apply &node, PrettyWriter &out)
{
    const auto &op = *opCast<DimShuffle>(node.opRef());
    std::vector<int> order = op.order();
    while (!out.exact() && !order.empty() && order.front() == DimShuffle::kNewAxis) order.erase(order.begin());
    bool same = order.size() == static_cast<std::size_t>(op.inputRank());
    bool reversed = same;
    for (std::size_t i = 0; i < order.size(); ++i) {
        same &= order[i] == static_cast<int>(i);
        reversed &= order[i] == static_cast<int>(order.size() - 1 - i);
    }
    if (same) return out.variable(node.input(0));
    if (reversed) return around("", node, ".T", out);
    std::string text;
    for (int axis : order) text += (text.empty() ? "" : ", ") + (axis == DimShuffle::kNewAxis ? std::string("x") : std::to_string(axis));
    call("DimShuffle{" + text + "}", node, out);
}

// A bound or an index: plain numbers as numbers.
void indexPart(const VarRef &scalar, bool isIndex, PrettyWriter &out)
{
    const bool constant = scalar->kind() == Variable::Kind::Constant && scalar->value().isTensor();
    // The reader makes an int64 of an index; bounds get the dtype of a literal, as everywhere.
    if (constant && (!out.exact() || (isIndex && scalar->type().dtype() == DType::Int64))) return out.text(scalar->value().text());
    out.variable(scalar);
}

void indexed(const Apply &node, std::size_t scalar, std::span<const IndexEntry> entries, PrettyWriter &out)
{
    out.variable(node.input(0));
    out.text("[");
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const IndexEntry &entry = entries[i];
        if (i) out.text(", ");
        if (entry.start) indexPart(node.inputs()[scalar++], !entry.isSlice, out);
        if (!entry.isSlice) continue;
        out.text(":");
        if (entry.stop) indexPart(node.inputs()[scalar++], false, out);
        if (!entry.step) continue;
        out.text(":");
        indexPart(node.inputs()[scalar++], false, out);
    }
    out.text("]");
}

void incrementForm(const Apply &node, PrettyWriter &out)
{
    const auto &op = *opCast<IncSubtensor>(node.opRef());
    out.text(op.isSet() ? "set_subtensor(" : "inc_subtensor(");
    indexed(node, 2, op.entries(), out);
    out.text(", ");
    out.variable(node.input(1));
    out.text(")");
}

void vectorForm(const Apply &node, PrettyWriter &out)
{
    if (node.inputs().empty()) return call(node.op().name(), node, out);
    out.text("[");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(", ");
        out.variable(node.inputs()[i]);
    }
    out.text("]");
}

PRETTY(Elemwise, elemwiseForm);
PRETTY(Subtensor, [](const Apply &node, PrettyWriter &out) { indexed(node, 1, opCast<Subtensor>(node.opRef())->entries(), out); });
PRETTY(IncSubtensor, incrementForm);
PRETTY(MakeVector, vectorForm);
PRETTY(Reshape, [](const Apply &node, PrettyWriter &out) {
    around("reshape(", node, ", ", out);
    out.variable(node.input(1));
    out.text(", ndim=" + std::to_string(opCast<Reshape>(node.opRef())->outputRank()) + ")");
});
PRETTY(CAReduce, reduceForm);
PRETTY(DimShuffle, shuffleForm);
PRETTY(Dot, [](const Apply &node, PrettyWriter &out) { infix("\\dot", node, out); });
PRETTY(Dot22, [](const Apply &node, PrettyWriter &out) { infix("\\dot", node, out); });
PRETTY(Shape, [](const Apply &node, PrettyWriter &out) { call("Shape", node, out); });

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
        if (const PrettyForm *form = findPretty(owner->op())) (*form)(*owner, *this);
        else call(owner->op().name(), *owner, *this);
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
