// How ops appear in graph documents: what the readers and writers look up. op_document.h has the lines that ops write.
#pragma once

#include "engine/graph/json.h"
#include "engine/graph/op.h"
#include "engine/tensor/errors.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
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

struct OpDocument {
    std::string className;
    std::function<Arity(const Op &)> arity;
    /// Writes the members of the parameters' object (it is open).
    std::function<void(const Op &, JsonWriter &)> write;
    std::function<OpRef(const OpParameters &)> read;
};

bool registerOpDocument(std::type_index op, OpDocument document);
const OpDocument *findOpDocument(const Op &op);
const OpDocument *findOpDocument(std::string_view className);
std::vector<std::string> documentedOps(); ///< class names, sorted

/// Writes a graph inside an op. text/ gives the writer before main() begins.
void writeInnerGraph(JsonWriter &out, const InnerGraph &graph);
bool setInnerGraphWriter(void (*write)(JsonWriter &out, const InnerGraph &graph));

inline std::function<Arity(const Op &)> arity(std::size_t least, std::size_t most)
{
    return [=](const Op &) { return Arity{least, most}; };
}
inline std::function<Arity(const Op &)> arity(std::size_t count) { return arity(count, count); }

} // namespace engine
