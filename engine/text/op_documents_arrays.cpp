// Further ops in graph documents: new arrays, joining, repeating, sorting, checks.
#include "engine/graph/op_registry.h"
#include "engine/ops/checks.h"
#include "engine/ops/creation.h"
#include "engine/ops/cumulative.h"
#include "engine/ops/dot.h"
#include "engine/ops/join.h"
#include "engine/ops/repeat.h"
#include "engine/ops/sort.h"
#include "engine/tensor/dims.h"

namespace engine {
namespace {

template <class T>
const T &as(const Op &op)
{
    return static_cast<const T &>(op);
}

int axisOf(const OpParameters &from, std::string_view key) { return static_cast<int>(from.integer(key, 0, kMaxRank - 1)); }

template <class T>
void writeDiagonal(const Op &op, JsonWriter &out)
{
    out.member("offset", as<T>(op).offset());
    out.member("axis1", as<T>(op).axis1());
    out.member("axis2", as<T>(op).axis2());
}

template <class T>
OpRef readDiagonal(const OpParameters &from)
{
    const int axis1 = axisOf(from, "axis1"), axis2 = axisOf(from, "axis2");
    if (axis1 == axis2) from.fail("axis2", "a diagonal needs two axes");
    return makeOp<T>(static_cast<int>(from.integer("offset", -1'000'000'000, 1'000'000'000)), axis1, axis2);
}

OP_DOCUMENT(
    ARange, "ARange", arity(3), [](const Op &op, JsonWriter &out) { out.member("dtype", nameOf(as<ARange>(op).dtype())); },
    [](const OpParameters &from) { return makeOp<ARange>(from.dtype("dtype")); });
OP_DOCUMENT(
    Eye, "Eye", arity(3),
    [](const Op &op, JsonWriter &out) {
        out.member("dtype", nameOf(as<Eye>(op).dtype()));
        out.member("triangle", as<Eye>(op).isTriangle());
    },
    [](const OpParameters &from) { return makeOp<Eye>(from.dtype("dtype"), from.flag("triangle")); });
OP_DOCUMENT(ExtractDiag, "ExtractDiag", arity(1), writeDiagonal<ExtractDiag>, readDiagonal<ExtractDiag>);
OP_DOCUMENT(AddToDiag, "AddToDiag", arity(2), writeDiagonal<AddToDiag>, readDiagonal<AddToDiag>);
OP_DOCUMENT(BatchedDot, "BatchedDot", arity(2), writeNothing, readPlain<BatchedDot>);

OP_DOCUMENT(Join, "Join", arity(2, kAnyNumber), writeNothing, readPlain<Join>);
OP_DOCUMENT(
    Split, "Split", arity(3), [](const Op &op, JsonWriter &out) { out.member("count", as<Split>(op).count()); },
    [](const OpParameters &from) { return makeOp<Split>(static_cast<int>(from.integer("count", 1, 100'000))); });
OP_DOCUMENT(
    Repeat, "Repeat", arity(2), [](const Op &op, JsonWriter &out) { out.member("axis", as<Repeat>(op).axis()); },
    [](const OpParameters &from) { return makeOp<Repeat>(axisOf(from, "axis")); });
OP_DOCUMENT(
    CumOp, "CumOp", arity(1),
    [](const Op &op, JsonWriter &out) {
        if (as<CumOp>(op).axis()) out.member("axis", *as<CumOp>(op).axis());
        out.member("product", as<CumOp>(op).isProduct());
    },
    [](const OpParameters &from) {
        const std::optional<int> axis = from.has("axis") ? std::optional<int>(axisOf(from, "axis")) : std::nullopt;
        return makeOp<CumOp>(axis, from.flag("product"));
    });

OP_DOCUMENT(
    SortOp, "SortOp", arity(2),
    [](const Op &op, JsonWriter &out) {
        out.member("arg", as<SortOp>(op).isArg());
        out.member("kind", as<SortOp>(op).kind());
    },
    [](const OpParameters &from) { return makeOp<SortOp>(from.flag("arg"), from.text("kind")); });
OP_DOCUMENT(
    SearchsortedOp, "SearchsortedOp", arity(2), [](const Op &op, JsonWriter &out) { out.member("right", as<SearchsortedOp>(op).right()); },
    [](const OpParameters &from) { return makeOp<SearchsortedOp>(from.flag("right")); });
OP_DOCUMENT(Unique, "Unique", arity(1), writeNothing, readPlain<Unique>);

OP_DOCUMENT(
    Assert, "Assert", arity(1, kAnyNumber), [](const Op &op, JsonWriter &out) { out.member("message", as<Assert>(op).message()); },
    [](const OpParameters &from) { return makeOp<Assert>(from.text("message")); });
OP_DOCUMENT(
    Print, "Print", arity(1),
    [](const Op &op, JsonWriter &out) {
        out.member("message", as<Print>(op).message());
        out.key("attributes");
        out.beginArray();
        for (const std::string &attribute : as<Print>(op).attributes()) out.value(attribute);
        out.endArray();
    },
    [](const OpParameters &from) {
        std::vector<std::string> attributes;
        for (const JsonValue &item : from.need("attributes").items) {
            if (!item.isText()) from.fail("attributes", "an array of texts was expected");
            attributes.push_back(item.text);
        }
        return makeOp<Print>(from.text("message"), std::move(attributes));
    });

} // namespace
} // namespace engine
