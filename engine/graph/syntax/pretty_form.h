// How an op class is written by prettyPrint(). A family file adds its own by one line:
//   PRETTY(Subtensor, [](const Apply &node, PrettyWriter &out) { … });
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/op/op_card.h"

#include <string_view>

namespace engine {

/// Collects the text of one apply for prettyPrint().
class PrettyWriter {
public:
    virtual ~PrettyWriter() = default;
    virtual void text(std::string_view text) = 0;
    virtual void variable(const VarRef &variable) = 0;
    virtual bool exact() const = 0;
};
/// name(a, b), (a symbol b), before‹first input›after
void prettyCall(std::string_view name, const Apply &node, PrettyWriter &out);
void prettyInfix(std::string_view symbol, const Apply &node, PrettyWriter &out);
void prettyAround(std::string_view before, const Apply &node, std::string_view after, PrettyWriter &out);
/// Has Theano a number for this operand, which is a 0-d array here? It is written as there: Constant{1}, and what is computed as
/// ScalarFromTensor of it.
bool isNumber(const Op &op, std::size_t input);
std::string numberText(const Value &constant);
/// How lists of operands name one: graph.displayName(), numbers as numbers.
std::string operandName(const FunctionGraph &graph, const ApplyNode &node, std::size_t input);
/// As lists of types have it: TensorType(int64, scalar), of a number Scalar(int64).
std::string operandType(const FunctionGraph &graph, const ApplyNode &node, std::size_t input);
#define PRETTY(OpClass, ...) ENGINE_CARD_PART(OpClass, pretty, __VA_ARGS__)
/// The operands from `first` on are numbers.
#define NUMBERS(OpClass, first) ENGINE_CARD_PART(OpClass, firstNumber, std::size_t{first})

} // namespace engine
