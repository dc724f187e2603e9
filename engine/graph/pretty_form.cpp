#include "engine/graph/pretty_form.h"

#include "engine/tensor/fork.h"

#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

struct Forms {
    ProcessMutex mutex; // guards both tables
    std::unordered_map<std::type_index, PrettyForm> byClass;
    std::unordered_map<std::type_index, std::size_t> numbers; ///< the first operand that is one
};

Forms &forms()
{
    static auto *instance = new Forms;
    return *instance;
}

} // namespace

void prettyCall(std::string_view name, const Apply &node, PrettyWriter &out)
{
    out.text(name);
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(", ");
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void prettyInfix(std::string_view symbol, const Apply &node, PrettyWriter &out)
{
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(" " + std::string(symbol) + " ");
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void prettyAround(std::string_view before, const Apply &node, std::string_view after, PrettyWriter &out)
{
    out.text(before);
    out.variable(node.input(0));
    out.text(after);
}

const PrettyForm *findPretty(const Op &op)
{
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    auto found = all.byClass.find(op.dynamicType());
    return found == all.byClass.end() ? nullptr : &found->second;
}

bool registerNumbers(std::type_index op, std::size_t first)
{
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    all.numbers[op] = first;
    return true;
}

bool isNumber(const Op &op, std::size_t input)
{
    if (!input) return false;
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    const auto found = all.numbers.find(op.dynamicType());
    return found != all.numbers.end() && input >= found->second;
}

std::string numberText(const Value &constant) { return "Constant{" + constant.text() + "}"; }

std::string operandName(const FunctionGraph &graph, const ApplyNode &node, std::size_t input)
{
    const VarId id = node.inputs[input].var;
    const VarNode &var = graph.var(id);
    const bool isConstant = var.owner == kNoApply && var.kind == Variable::Kind::Constant && !var.name;
    return isConstant && isNumber(*node.op, input) ? numberText(var.leaf->value()) : graph.displayName(id);
}

std::string operandType(const FunctionGraph &graph, const ApplyNode &node, std::size_t input)
{
    const Type &type = graph.var(node.inputs[input].var).type;
    return isNumber(*node.op, input) ? "Scalar(" + std::string(nameOf(type.dtype())) + ")" : type.text();
}

bool registerPretty(std::type_index op, PrettyForm form)
{
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    all.byClass[op] = std::move(form);
    return true;
}

} // namespace engine
