// Functions that build expressions, for the notation and for Python alike. An op family adds its own by one line:
//   NOTATION("roll(x, shift, axis=None)", roll);
//   NOTATION("flatten(x, ndim=1)", [](NotationCall &call) -> NotationValue { … });
// The signature names the parameters and what they are if a call leaves them out; a builder's types say what each may be.
#pragma once

#include "engine/graph/ir/expression.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {

/// A syntax or type error: one sentence; `line` and `column` (in characters) count from 1.
class NotationError : public std::runtime_error {
public:
    NotationError(const std::string &message, int line, int column, std::string hint = {})
        : std::runtime_error(message), line(line), column(column), hint(std::move(hint))
    {}
    int line, column;
    std::string hint; ///< the way out; may be empty
};

/// A value while an expression is read: most are variables, plain numbers stay numbers until they meet one.
struct NotationValue {
    enum class Kind { Variable, Integer, Real, Boolean, Text, List, None };

    NotationValue() = default;
    NotationValue(VarRef v) : kind(Kind::Variable), variable(std::move(v)) {}
    static NotationValue ofInteger(std::int64_t value);
    static NotationValue ofReal(double value);
    static NotationValue ofBoolean(bool value);
    static NotationValue ofText(std::string value);
    static NotationValue ofList(std::vector<NotationValue> values);
    static NotationValue ofVariables(std::span<const VarRef> variables);

    bool isNumber() const { return kind == Kind::Integer || kind == Kind::Real || kind == Kind::Boolean; }
    double number() const { return kind == Kind::Real ? real : static_cast<double>(integer); }
    /// "a variable", "the text 'x'", "a list": for messages.
    std::string describe() const;

    Kind kind = Kind::None;
    VarRef variable;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<NotationValue> items;
    int line = 1, column = 1;     ///< where it begins
    const void *object = nullptr; ///< of Python, if the call comes from there
};

/// The arguments of one call. Parameters are asked for in the order of their positions; each may be given by
/// position or by name. Everything throws NotationError that points at the argument.
class NotationCall {
public:
    NotationCall(std::string function, std::vector<NotationValue> positional, std::vector<std::pair<std::string, NotationValue>> named,
                 DType floatX, int line, int column);
    virtual ~NotationCall() = default;

    const std::string &function() const { return m_function; }
    DType floatX() const { return m_floatX; }

    /// The next argument as a variable; numbers become constants, lists of numbers become arrays.
    VarRef variable(std::string_view name);
    std::optional<VarRef> variableIfGiven(std::string_view name);
    std::int64_t integer(std::string_view name, std::optional<std::int64_t> fallback = {});
    double real(std::string_view name, std::optional<double> fallback = {});
    bool flag(std::string_view name, bool fallback);
    /// Of any kind.
    NotationValue value(std::string_view name, const NotationValue &fallback);
    /// Which of the names it is; the first if it is left out.
    std::size_t choice(std::string_view name, std::span<const char *const> names);
    DType dtype(std::string_view name, std::optional<DType> fallback = {});
    std::optional<DType> dtypeIfGiven(std::string_view name);
    /// None (all axes), one axis or several; negative ones count from the end of `rank`. Sorted, each once.
    std::optional<std::vector<int>> axes(std::string_view name, int rank);
    /// One axis, counted from the front.
    int axis(std::string_view name, int rank, std::optional<int> fallback = {});
    /// One axis of `rank`, or none.
    std::optional<int> axisIfGiven(std::string_view name, int rank);
    /// The items of an argument that is a list.
    std::vector<NotationValue> items(std::string_view name);
    /// All positional arguments that are left; a single list counts as its items.
    std::vector<NotationValue> rest();
    /// The same, but lists stay lists.
    std::vector<NotationValue> all();
    /// What rest() gives (or `values`), as variables; as sizes: whole numbers.
    std::vector<VarRef> variables() { return variables(rest()); }
    std::vector<VarRef> variables(const std::vector<NotationValue> &values) const;
    std::vector<VarRef> sizes();
    /// Is the next positional argument a list, or a variable with one axis?
    bool isVectorNext() const;
    std::size_t left() const { return m_positional.size() - m_next; }
    /// What the next parameter is if the call does not give it.
    void assume(std::string_view name, const NotationValue &fallback);

    virtual VarRef toVariable(const NotationValue &value) const;
    [[noreturn]] void fail(const std::string &message, const std::string &hint = {}) const;
    [[noreturn]] void failAt(const NotationValue &where, const std::string &message, const std::string &hint = {}) const;
    /// Refuses arguments that nobody asked for.
    void finish(std::string_view signature) const;

private:
    const NotationValue *take(std::string_view name);
    const NotationValue &need(std::string_view name);

    std::string m_function;
    std::vector<NotationValue> m_positional;
    std::vector<std::pair<std::string, NotationValue>> m_named;
    std::vector<bool> m_used;
    std::size_t m_next = 0;
    DType m_floatX;
    int m_line, m_column;
};

using NotationBuilder = std::function<NotationValue(NotationCall &)>;

struct NotationFunction {
    std::string name;
    std::string signature; ///< for messages and help: "sum(x, axis=None, keepdims=False)"
    NotationBuilder build;
    bool isScalar = false; ///< a scalar function, which is not registered
};

/// Adds a function that is called as the signature says, "sum(x, axis=None)"; a name that is taken is an InternalError.
bool registerNotation(std::string signature, NotationBuilder build);

struct NotationParameter {
    std::string name;
    NotationValue fallback; ///< None: None, or the call has to give it
};
/// "x", "axis" and "keepdims" of "mean(x, axis=None, keepdims=False)". A list in brackets is called "arrays".
std::vector<NotationParameter> notationParameters(const std::string &signature);

/// The arguments of one call by the types of a builder.
class NotationReader {
public:
    NotationReader(NotationCall &call, const std::vector<NotationParameter> &parameters, std::size_t count)
        : m_call(call), m_parameters(parameters), m_count(count)
    {}

    /// The next one. An `axis` counts from the front of the first variable.
    template <class T>
    auto next()
    {
        const std::string &name = begin();
        const bool isAxis = m_rank >= 0 && name.starts_with("axis");
        if constexpr (std::is_same_v<T, VarRef>) {
            VarRef variable = m_call.variable(name);
            if (m_rank < 0) m_rank = variable->type().rank();
            return variable;
        } else if constexpr (std::is_same_v<T, std::span<const VarRef>>) {
            return m_next == m_count ? m_call.variables() : m_call.variables(m_call.items(name));
        } else if constexpr (std::is_same_v<T, std::optional<std::vector<int>>>) {
            return m_call.axes(name, m_rank);
        } else if constexpr (std::is_same_v<T, std::optional<int>>) {
            return m_call.axisIfGiven(name, m_rank);
        } else if constexpr (std::is_same_v<T, int>) {
            return isAxis ? m_call.axis(name, m_rank) : static_cast<int>(m_call.integer(name));
        } else if constexpr (std::is_same_v<T, bool>) {
            return m_call.flag(name, false);
        } else if constexpr (std::is_same_v<T, double>) {
            return m_call.real(name);
        } else if constexpr (std::is_same_v<T, DType>) {
            return m_call.dtype(name);
        } else {
            static_assert(std::is_same_v<T, std::optional<DType>>, "a builder that the notation calls takes no such argument");
            return m_call.dtypeIfGiven(name);
        }
    }

private:
    const std::string &begin();

    NotationCall &m_call;
    const std::vector<NotationParameter> &m_parameters;
    std::size_t m_count, m_next = 0;
    int m_rank = -1; ///< of the first variable; -1: there was none
};

/// A builder. Variables that come last take all arguments that are left, or one list.
template <class Result, class... Arguments>
requires(!std::is_same_v<Result, NotationValue>) bool registerNotation(std::string signature, Result (*build)(Arguments...))
{
    const auto parameters = notationParameters(signature);
    return registerNotation(std::move(signature), [=](NotationCall &call) -> NotationValue {
        NotationReader reader(call, parameters, sizeof...(Arguments));
        // A list in braces is read from left to right.
        using Read = std::tuple<decltype(reader.next<std::decay_t<Arguments>>())...>;
        const auto result = std::apply(build, Read{reader.next<std::decay_t<Arguments>>()...});
        if constexpr (std::is_same_v<Result, VarRef>) return result;
        else return NotationValue::ofVariables(result);
    });
}
/// An op on its inputs as they are; of several outputs it gives a list.
bool registerNotation(std::string signature, OpRef op);
/// By name, scalar functions included; null if there is none.
const NotationFunction *findNotation(std::string_view name);
/// All names, sorted: for help and completion.
std::vector<const NotationFunction *> allNotationFunctions();

#define ENGINE_NOTATION_JOIN2(a, b) a##b
#define ENGINE_NOTATION_JOIN(a, b) ENGINE_NOTATION_JOIN2(a, b)
#define NOTATION(...)                                                                                                                      \
    [[maybe_unused]] static const bool ENGINE_NOTATION_JOIN(k_notation, __COUNTER__) = ::engine::registerNotation(__VA_ARGS__)

/// "did you mean …?" for a name that does not exist, or the empty text.
std::string closestNotation(std::string_view name);

/// A numeric literal as a variable of exactly this dtype; nested lists become arrays. A flat list that holds variables
/// becomes a MakeVector of scalars (without `dtype`). Throws NotationError.
VarRef notationConstant(const NotationValue &value, std::optional<DType> dtype, DType floatX);

} // namespace engine
