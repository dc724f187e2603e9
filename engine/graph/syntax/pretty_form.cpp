#include "engine/graph/syntax/pretty_form.h"

namespace engine {
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

bool isNumber(const Op &op, std::size_t input)
{
    const std::optional<std::size_t> first = op.card().firstNumber;
    return first && input >= *first;
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

} // namespace engine
