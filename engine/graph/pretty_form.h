// How an op class is written by prettyPrint(). A family file adds its own by one line:
//   PRETTY(Subtensor, [](const Apply &node, PrettyWriter &out) { … });
#pragma once

#include "engine/graph/op.h"

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
#define ENGINE_PRETTY_JOIN2(a, b) a##b
#define ENGINE_PRETTY_JOIN(a, b) ENGINE_PRETTY_JOIN2(a, b)
#define PRETTY(OpClass, ...)                                                                                                               \
    [[maybe_unused]] static const bool ENGINE_PRETTY_JOIN(k_pretty, __LINE__) = ::engine::registerPretty(typeid(OpClass), __VA_ARGS__)

} // namespace engine
