// How an op class is written by prettyPrint(). A family file adds its own by one line:
//   PRETTY(Subtensor, [](const Apply &node, PrettyWriter &out) { … });
#pragma once

#include "engine/graph/function_graph.h"

#include <functional>
#include <string_view>
#include <typeindex>

namespace engine {

/// Collects the text of one apply for prettyPrint().
class PrettyWriter {
public:
    virtual ~PrettyWriter() = default;
    virtual void text(std::string_view text) = 0;
    virtual void variable(const VarRef &variable) = 0;
    virtual bool exact() const = 0;
};
using PrettyForm = std::function<void(const Apply &node, PrettyWriter &out)>;
bool registerPretty(std::type_index op, PrettyForm form);
/// name(a, b), (a symbol b), before‹first input›after
void prettyCall(std::string_view name, const Apply &node, PrettyWriter &out);
void prettyInfix(std::string_view symbol, const Apply &node, PrettyWriter &out);
void prettyAround(std::string_view before, const Apply &node, std::string_view after, PrettyWriter &out);
/// Null: the op is written as name(arguments).
const PrettyForm *findPretty(const Op &op);
/// The operands of an op behind `first` are what Theano has numbers for, and a 0-d array here. They are written as there: Constant{1}, and
/// what is computed as ScalarFromTensor of it.
bool registerNumbers(std::type_index op, std::size_t first);
bool isNumber(const Op &op, std::size_t input);
std::string numberText(const Value &constant);
/// How lists of operands name one: graph.displayName(), numbers as numbers.
std::string operandName(const FunctionGraph &graph, const ApplyNode &node, std::size_t input);
/// As lists of types have it: TensorType(int64, scalar), of a number Scalar(int64).
std::string operandType(const FunctionGraph &graph, const ApplyNode &node, std::size_t input);
#define ENGINE_PRETTY_JOIN2(a, b) a##b
#define ENGINE_PRETTY_JOIN(a, b) ENGINE_PRETTY_JOIN2(a, b)
#define PRETTY(OpClass, ...)                                                                                                               \
    [[maybe_unused]] static const bool ENGINE_PRETTY_JOIN(k_pretty, __COUNTER__) = ::engine::registerPretty(typeid(OpClass), __VA_ARGS__)
#define NUMBERS(OpClass, first)                                                                                                            \
    [[maybe_unused]] static const bool ENGINE_PRETTY_JOIN(k_numbers, __COUNTER__) = ::engine::registerNumbers(typeid(OpClass), first)

} // namespace engine
