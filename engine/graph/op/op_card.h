// The card of an op class: its role, document format, printing and rewrites, as its own file defines them. One registry holds all cards,
// and each op has a pointer to its own. op_document.h has the line OP_CARD that makes one; PRETTY, PRECISE_FORM and ROW_AXES add a part
// where it needs a file of its own.
#pragma once

#include "engine/graph/op/op.h"
#include "engine/graph/syntax/json.h"
#include "engine/scalar/row_parts.h"
#include "engine/tensor/errors.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

/// A document that cannot be a graph. what() names the place: "applies[3].op.axes: …".
class DocumentError : public UserError {
public:
    using UserError::UserError;
};

/// The exact parameters of one op while they are read. Everything throws DocumentError that names the place.
class OpParameters {
public:
    /// Reads a graph inside an op: its object, its place.
    using GraphReader = std::function<InnerGraph(const JsonValue &, const std::string &)>;

    OpParameters(const JsonValue &object, std::string place, GraphReader readGraph)
        : m_object(object), m_place(std::move(place)), m_readGraph(std::move(readGraph))
    {}

    bool has(std::string_view key) const { return m_object.find(key) != nullptr; }
    const JsonValue &need(std::string_view key) const;
    std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most) const;
    bool flag(std::string_view key) const;
    double real(std::string_view key) const { return realOf(need(key), m_place + "." + std::string(key)); }
    std::string text(std::string_view key) const;
    DType dtype(std::string_view key) const;
    std::optional<DType> dtypeIfGiven(std::string_view key) const;
    std::vector<std::int64_t> integers(std::string_view key, std::int64_t least, std::int64_t most) const;
    /// Flags, at most one an axis, or texts.
    template <class T>
    std::vector<T> list(std::string_view key) const;
    /// Sorted, each once.
    std::vector<int> axes(std::string_view key) const;
    /// Which of the names it is.
    std::size_t choice(std::string_view key, std::span<const char *const> names) const;
    /// [[output, input], …]
    std::vector<Alias> aliases(std::string_view key) const;
    InnerGraph graph(std::string_view key) const { return m_readGraph(need(key), m_place + "." + std::string(key)); }
    [[noreturn]] void fail(std::string_view key, const std::string &message) const;
    const std::string &place() const { return m_place; }

    static std::int64_t integerOf(const JsonValue &value, const std::string &place, std::int64_t least, std::int64_t most);
    static DType dtypeOf(const JsonValue &value, const std::string &place);
    static double realOf(const JsonValue &value, const std::string &place);

private:
    const JsonValue &m_object;
    std::string m_place;
    GraphReader m_readGraph;
};

template <>
std::vector<bool> OpParameters::list(std::string_view key) const;
template <>
std::vector<std::string> OpParameters::list(std::string_view key) const;

/// Inputs that an apply of an op may have.
struct Arity {
    std::size_t least = 0;
    std::size_t most = 0;
};
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

/// What an op is for. Sessions store its name, and profiler and views ask for it instead of keeping lists of classes.
enum class OpRole : std::uint8_t {
    Other,
    Elementwise,   ///< the same to every element
    Product,       ///< of matrices and vectors
    Sparse,        ///< of sparse matrices
    Reduction,     ///< one element of many
    Cumulative,    ///< sums and products so far
    Loop,          ///< runs a graph for each step
    Choice,        ///< computes one of its inputs only
    Nested,        ///< runs a graph once
    Transfer,      ///< copies between the host and a device
    View,          ///< the same elements, seen otherwise
    Shape,         ///< sizes, and vectors of them
    Creation,      ///< an array of numbers and sizes alone
    Index,         ///< reads a part
    Write,         ///< writes or adds to a part
    Join,          ///< puts arrays together, takes them apart, repeats them
    Sort,          ///< sorts and searches
    Random,        ///< draws numbers
    Softmax,       ///< softmax, its kin and losses of them
    Convolution,   //
    Pooling,       //
    LinearAlgebra, ///< LAPACK
    Fourier,       //
    Gradient,      ///< the same elements with a gradient of their own
    Check,         ///< looks at values and passes them on
    Script,        ///< written in Python
};
inline constexpr std::array kRoleNames{"other",  "elementwise", "product",  "sparse", "reduction", "cumulative",  "loop",
                                       "choice", "nested",      "transfer", "view",   "shape",     "creation",    "index",
                                       "write",  "join",        "sort",     "random", "softmax",   "convolution", "pooling",
                                       "linalg", "fourier",     "gradient", "check",  "script"};
inline const char *nameOf(OpRole role) { return kRoleNames[static_cast<std::size_t>(role)]; }

class PrettyWriter;
using PrettyForm = std::function<void(const Apply &node, PrettyWriter &out)>;

struct PreciseCall;
/// How an op computes with more digits than its dtype has.
struct PreciseForm {
    std::function<void(PreciseCall &call)> work; ///< null: it moves elements, of `count` operands from `first` on
    std::size_t first = 0, count = 0;
};

/// The axes of its inputs that make a row which the op combines; none: it does the same to every element, or is a window that leaves
/// them in their order; nothing: it has to do with more than a row.
using RowAxesRule = std::function<std::optional<RowAxes>(const Op &op, std::span<const Type> inputs)>;

/// The form of an op that overwrites its first input, and the rewrite that may put it there.
struct InplaceForm {
    std::string_view rewrite;
    OpRef op; ///< null: there is none
};

struct OpCard {
    std::string className; ///< of C++: how documents call it
    OpRole role = OpRole::Other;
    std::vector<std::string_view> classes; ///< what Theano calls the classes of its ops
    std::function<Arity(const Op &)> arity;
    std::optional<std::vector<std::string_view>> parameters; ///< in the order of the constructor; nothing if they depend on each other
    /// Writes the members of the parameters' object (it is open). Null: the op stands in no document.
    std::function<void(const Op &, JsonWriter &)> write;
    std::function<OpRef(const OpParameters &)> read;
    /// Writes the parameters that Theano's classes have under another name or in another form, after those of the document.
    std::vector<std::function<void(const Op &, JsonWriter &)>> shown;
    std::function<InplaceForm(const Op &)> inplace;
    PrettyForm pretty;                      ///< null: name(arguments)
    std::optional<std::size_t> firstNumber; ///< operands from there on are Theano's numbers, and 0-d arrays here
    std::optional<PreciseForm> precise;
    RowAxesRule rowAxes;

    bool isDocumented() const { return bool(read); }
    /// Does it run a graph as a function of its own?
    bool nests() const { return role == OpRole::Loop || role == OpRole::Nested; }
};

/// The card of a class, made when it is first asked for. Only lines of the ops' own files change it, before main() begins.
OpCard &cardOf(const std::type_info &op);
/// Says what the class is called and what it is for: once.
OpCard &nameCard(const std::type_info &op, const char *className, OpRole role);
/// Of an op that documents name so; null: there is none.
const OpCard *findCard(std::string_view className);
/// Of all classes with an OP_CARD, by name.
std::vector<const OpCard *> allCards();
/// Nothing for an op that has no rule, and for inputs that are no tensors.
std::optional<RowAxes> rowAxesOf(const Op &op, std::span<const Type> inputs);

/// A part that a card has got already is an InternalError.
template <class Part, class Value>
bool addToCard(const std::type_info &op, Part OpCard::*part, Value &&value)
{
    Part &place = cardOf(op).*part;
    ENGINE_ASSERT(!place, std::string("a part of the card is given twice: ") + op.name());
    place = std::forward<Value>(value);
    return true;
}
#define ENGINE_CARD_JOIN2(a, b) a##b
#define ENGINE_CARD_JOIN(a, b) ENGINE_CARD_JOIN2(a, b)
#define ENGINE_CARD_PART(OpClass, part, ...)                                                                                               \
    [[maybe_unused]] static const bool ENGINE_CARD_JOIN(k_card, __COUNTER__) =                                                             \
        ::engine::addToCard(typeid(OpClass), &::engine::OpCard::part, __VA_ARGS__)
/// The function is given the op as an OpClass.
#define ROW_AXES(OpClass, ...)                                                                                                             \
    ENGINE_CARD_PART(OpClass, rowAxes, [](const Op &op, std::span<const Type> inputs) -> std::optional<RowAxes> {                          \
        return (__VA_ARGS__)(static_cast<const OpClass &>(op), inputs);                                                                    \
    })

/// Writes a graph inside an op. text/ gives the writer before main() begins.
void writeInnerGraph(JsonWriter &out, const InnerGraph &graph);
bool setInnerGraphWriter(void (*write)(JsonWriter &out, const InnerGraph &graph));

inline std::function<Arity(const Op &)> arity(std::size_t least, std::size_t most)
{
    return [=](const Op &) { return Arity{least, most}; };
}
inline std::function<Arity(const Op &)> arity(std::size_t count) { return arity(count, count); }

} // namespace engine
