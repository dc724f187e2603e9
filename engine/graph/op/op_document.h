// An op's card: its role, and what its constructor takes, each parameter said once. One line in the op's family file:
//   OP_CARD(Repeat, Join, arity(2), axis("axis", &Repeat::axis));
#pragma once

#include "engine/graph/op/op_card.h"
#include "engine/tensor/dims.h"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <type_traits>

namespace engine {

/// How a parameter is written from an op, and read from its document.
template <class Write, class Read>
struct OpField {
    const char *key;
    Write write; ///< (op, writer)
    Read read;   ///< (parameters) → what the constructor takes
};
template <class Write, class Read>
OpField(const char *, Write, Read) -> OpField<Write, Read>;

/// For an op that is not made by its constructor, or whose parameters hang together: `read` gives the op.
template <class Write, class Read>
struct WholeOp {
    Write write;
    Read read;
};
template <class Write, class Read>
WholeOp(Write, Read) -> WholeOp<Write, Read>;

namespace detail {

template <class V>
struct IsOptional : std::false_type {};
template <class V>
struct IsOptional<std::optional<V>> : std::true_type {};

template <class V>
void writeValue(JsonWriter &out, const V &value)
{
    if constexpr (std::is_same_v<V, DType>) {
        out.value(nameOf(value));
    } else if constexpr (requires { value.begin(); } && !std::is_convertible_v<V, std::string_view>) {
        out.beginArray();
        for (const typename V::value_type &one : value) writeValue(out, one);
        out.endArray();
    } else {
        out.value(value);
    }
}

template <class V>
void writeMember(JsonWriter &out, const char *key, const V &value)
{
    if constexpr (IsOptional<V>::value) {
        if (value) writeMember(out, key, *value);
    } else {
        out.key(key);
        writeValue(out, value);
    }
}

template <class V>
V readMember(const OpParameters &from, const char *key)
{
    if constexpr (std::is_same_v<V, bool>) return from.flag(key);
    else if constexpr (std::is_same_v<V, double>) return from.real(key);
    else if constexpr (std::is_same_v<V, std::string>) return from.text(key);
    else if constexpr (std::is_same_v<V, DType>) return from.dtype(key);
    else if constexpr (std::is_same_v<V, std::optional<DType>>) return from.dtypeIfGiven(key);
    else return from.list<typename V::value_type>(key);
}

template <class T, class V, class Read>
auto fieldOf(const char *key, V (T::*get)() const, Read read)
{
    return OpField{key, [=](const T &op, JsonWriter &out) { writeMember(out, key, std::decay_t<V>((op.*get)())); },
                   [=](const OpParameters &from) -> std::decay_t<V> {
                       if constexpr (IsOptional<std::decay_t<V>>::value)
                           if (!from.has(key)) return std::nullopt;
                       return read(from);
                   }};
}

} // namespace detail

/// A flag, a number, a text, a dtype, or a list of flags or texts.
template <class T, class V>
auto parameter(const char *key, V (T::*get)() const)
{
    return detail::fieldOf(key, get, [=](const OpParameters &from) { return detail::readMember<std::decay_t<V>>(from, key); });
}

template <class T>
auto number(const char *key, int (T::*get)() const, std::int64_t least, std::int64_t most)
{
    return detail::fieldOf(key, get, [=](const OpParameters &from) { return static_cast<int>(from.integer(key, least, most)); });
}

/// An axis; axes, sorted.
template <class T, class V>
auto axis(const char *key, V (T::*get)() const)
{
    return detail::fieldOf(key, get, [=](const OpParameters &from) { return static_cast<int>(from.integer(key, 0, kMaxRank - 1)); });
}
template <class T, class V>
auto axes(const char *key, V (T::*get)() const)
{
    return detail::fieldOf(key, get, [=](const OpParameters &from) { return from.axes(key); });
}

/// One of an enum, by its name.
template <class T, class Enum, std::size_t N>
auto choice(const char *key, Enum (T::*get)() const, const std::array<const char *, N> &names)
{
    return OpField{key, [=](const T &op, JsonWriter &out) { out.member(key, names[static_cast<std::size_t>((op.*get)())]); },
                   [=](const OpParameters &from) { return static_cast<Enum>(from.choice(key, names)); }};
}

/// While a card is written.
template <class T>
class CardLine {
public:
    CardLine(const char *name, OpRole role) : m_card(nameCard(typeid(T), name, role))
    {
        if constexpr (requires { T::kTheanoClass; }) m_card.classes = {T::kTheanoClass};
    }
    template <class... Fields>
    CardLine(const char *name, OpRole role, std::function<Arity(const Op &)> arity, Fields... fields) : CardLine(name, role)
    {
        m_card.arity = std::move(arity);
        m_card.parameters = std::vector<std::string_view>{fields.key...};
        m_card.write = [=]([[maybe_unused]] const Op &op, [[maybe_unused]] JsonWriter &out) {
            (fields.write(static_cast<const T &>(op), out), ...);
        };
        m_card.read = [=]([[maybe_unused]] const OpParameters &from) {
            // A list in braces is read from left to right.
            return std::apply([](auto &&...values) { return makeOp<T>(std::move(values)...); },
                              std::tuple<decltype(fields.read(from))...>{fields.read(from)...});
        };
    }
    template <class Write, class Read>
    CardLine(const char *name, OpRole role, std::function<Arity(const Op &)> arity, WholeOp<Write, Read> whole) : CardLine(name, role)
    {
        m_card.arity = std::move(arity);
        m_card.write = [=](const Op &op, JsonWriter &out) { whole.write(static_cast<const T &>(op), out); };
        m_card.read = whole.read;
    }

    /// Theano's classes of ops that have several.
    CardLine &classes(std::vector<std::string_view> names)
    {
        m_card.classes = std::move(names);
        return *this;
    }
    /// A parameter under the name that Theano's class has for it: `read` gives its value of an op, or writes it.
    template <class Read>
    CardLine &shown(const char *name, Read read)
    {
        m_card.shown.push_back([=](const Op &op, JsonWriter &out) {
            if constexpr (std::is_invocable_v<Read, const T &, JsonWriter &>) {
                out.key(name);
                read(static_cast<const T &>(op), out);
            } else {
                detail::writeMember(
                    out, name,
                    std::decay_t<decltype(std::invoke(read, static_cast<const T &>(op)))>(std::invoke(read, static_cast<const T &>(op))));
            }
        });
        return *this;
    }
    /// The form that overwrites the first input; asked of ops that do not yet.
    template <class Form>
    CardLine &inplace(Form form)
    {
        m_card.inplace = [=](const Op &op) {
            return static_cast<const T &>(op).inplace() ? InplaceForm{} : form(static_cast<const T &>(op));
        };
        return *this;
    }

private:
    OpCard &m_card;
};

/// OP_CARD(Class, role, arity, parameters in the order of the constructor …)
#define OP_CARD(OpClass, role, ...)                                                                                                        \
    [[maybe_unused]] static const ::engine::CardLine<OpClass> k_card##OpClass =                                                            \
        ::engine::CardLine<OpClass>(#OpClass, ::engine::OpRole::role __VA_OPT__(, ) __VA_ARGS__)

} // namespace engine
