// Indexing as text: in documents, in the notation, printed.
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/shapes/shape.h"

namespace engine {
namespace {

// ["int64", "int64:int64:", ":"]: an integer, or the parts of a slice; "[]" is an array of indices.
std::string entryText(const IndexEntry &entry)
{
    const auto part = [](const std::optional<DType> &dtype) { return dtype ? std::string(nameOf(*dtype)) : std::string(); };
    return entry.isSlice ? part(entry.start) + ":" + part(entry.stop) + ":" + part(entry.step) : part(entry.start);
}

IndexEntry entryOf(const std::string &text, const OpParameters &from)
{
    IndexEntry entry;
    std::optional<DType> *const parts[] = {&entry.start, &entry.stop, &entry.step};
    std::size_t at = 0, begin = 0;
    while (true) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (at == 3) from.fail("index", "a slice has at most three parts");
        if (!word.empty()) {
            *parts[at] = dtypeFromName(word);
            if (!*parts[at] || !isInteger(**parts[at])) from.fail("index", "there is no integer dtype " + word);
        }
        ++at;
        if (end == text.size()) break;
        begin = end + 1;
    }
    entry.isSlice = at > 1;
    if (!entry.isSlice && !entry.start) from.fail("index", "an index is the dtype of an integer, or a slice");
    return entry;
}

std::string entryText(const AdvancedEntry &entry) { return entry.isArray ? "[]" : entryText(entry.slice); }

void readEntry(const std::string &text, const OpParameters &from, IndexEntry &entry) { entry = entryOf(text, from); }
void readEntry(const std::string &text, const OpParameters &from, AdvancedEntry &entry)
{
    entry.isArray = text == "[]";
    if (!entry.isArray) entry.slice = entryOf(text, from);
    if (!entry.isArray && !entry.slice.isSlice) from.fail("index", "beside arrays there are slices only");
}

template <class T>
auto indexOf()
{
    using Entries = std::decay_t<decltype(std::declval<const T &>().entries())>;
    return OpField{"index",
                   [](const T &op, JsonWriter &out) {
                       out.key("index");
                       out.beginArray();
                       for (const auto &entry : op.entries()) out.value(entryText(entry));
                       out.endArray();
                   },
                   [](const OpParameters &from) {
                       const auto texts = from.list<std::string>("index");
                       if (texts.size() > kMaxRank) from.fail("index", "an array of at most 12 texts was expected");
                       Entries entries(texts.size());
                       for (std::size_t i = 0; i < texts.size(); ++i) readEntry(texts[i], from, entries[i]);
                       return entries;
                   }};
}

template <class T>
std::function<Arity(const Op &)> indexArity(std::size_t before)
{
    return [before](const Op &op) {
        std::size_t count = before;
        for (const auto &entry : static_cast<const T &>(op).entries()) count += static_cast<std::size_t>(entry.inputCount());
        return Arity{count, count};
    };
}

OP_CARD(Subtensor, Index, indexArity<Subtensor>(1), indexOf<Subtensor>());
OP_CARD(IncSubtensor, Write, indexArity<IncSubtensor>(2), indexOf<IncSubtensor>(), parameter("inplace", &IncSubtensor::inplace),
        parameter("set", &IncSubtensor::isSet))
    .shown("set_instead_of_inc", &IncSubtensor::isSet);
OP_CARD(AdvancedSubtensor1, Index, arity(2));
OP_CARD(AdvancedIncSubtensor1, Write, arity(3), parameter("inplace", &AdvancedIncSubtensor1::inplace),
        parameter("set", &AdvancedIncSubtensor1::isSet))
    .shown("set_instead_of_inc", &AdvancedIncSubtensor1::isSet);
OP_CARD(AdvancedSubtensor, Index, indexArity<AdvancedSubtensor>(1), indexOf<AdvancedSubtensor>());
OP_CARD(AdvancedIncSubtensor, Write, indexArity<AdvancedIncSubtensor>(2), indexOf<AdvancedIncSubtensor>(),
        parameter("inplace", &AdvancedIncSubtensor::inplace), parameter("set", &AdvancedIncSubtensor::isSet))
    .shown("set_instead_of_inc", &AdvancedIncSubtensor::isSet);
OP_CARD(Nonzero, Sort, arity(1, 2));

IndexItem indexItem(NotationCall &call, const NotationValue &item)
{
    const auto bound = [&](const NotationValue &value) -> VarRef {
        return value.kind == NotationValue::Kind::None ? VarRef() : call.toVariable(value);
    };
    switch (item.kind) {
    case NotationValue::Kind::None: return IndexItem::newAxis();
    case NotationValue::Kind::Integer: return IndexItem::at(item.integer);
    case NotationValue::Kind::Text:
        if (item.text == "...") return IndexItem::ellipsis();
        break;
    case NotationValue::Kind::List:
        if (item.text == "slice") return IndexItem::slice(bound(item.items[0]), bound(item.items[1]), bound(item.items[2]));
        return IndexItem::array(call.toVariable(item));
    case NotationValue::Kind::Variable:
        return item.variable->type().rank() == 0 ? IndexItem::integer(item.variable) : IndexItem::array(item.variable);
    default: break;
    }
    call.failAt(item, "an array is indexed by whole numbers, slices, None, ... and arrays, not by " + item.describe());
}

// x[i, a:b, None, ...] comes here.
NOTATION("index(x, i, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const std::vector<NotationValue> given = call.all();
    // x.shape[0] needs no indexing of arrays.
    if (const Apply *owner = x->owner();
        owner && opCast<Shape>(owner->opRef()) && given.size() == 1 && given[0].kind == NotationValue::Kind::Integer) {
        NotationCall axis("shape", given, {}, call.floatX(), given[0].line, given[0].column);
        return shapeOf(owner->input(0), axis.axis("axis", owner->input(0)->type().rank()));
    }
    std::vector<IndexItem> items;
    for (const NotationValue &item : given) items.push_back(indexItem(call, item));
    return subtensor(x, items);
});
NotationValue increased(NotationCall &call, bool isSet)
{
    const VarRef indexed = call.variable("x");
    return incSubtensor(indexed, call.variable("y"), isSet);
}
NOTATION("set_subtensor(x[…], y)", [](NotationCall &call) { return increased(call, true); });
NOTATION("inc_subtensor(x[…], y)", [](NotationCall &call) { return increased(call, false); });

// A bound or an index: bounds that are numbers as such, an index as Theano writes it.
void indexPart(const VarRef &scalar, bool isIndex, PrettyWriter &out)
{
    const bool constant = scalar->kind() == Variable::Kind::Constant && scalar->value().isTensor();
    // The reader makes an int64 of an index; bounds get the dtype of a literal, as everywhere.
    if (constant && isIndex && !out.exact()) return out.text(numberText(scalar->value()));
    if (constant && (!out.exact() || (isIndex && scalar->type().dtype() == DType::Int64))) return out.text(scalar->value().text());
    out.variable(scalar);
}

void indexed(const Apply &node, std::size_t scalar, std::span<const IndexEntry> entries, PrettyWriter &out)
{
    out.variable(node.input(0));
    out.text("[");
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const IndexEntry &entry = entries[i];
        if (i) out.text(", ");
        if (entry.start) indexPart(node.inputs()[scalar++], !entry.isSlice, out);
        if (!entry.isSlice) continue;
        out.text(":");
        if (entry.stop) indexPart(node.inputs()[scalar++], false, out);
        if (!entry.step) continue;
        out.text(":");
        indexPart(node.inputs()[scalar++], false, out);
    }
    out.text("]");
}

void incrementForm(const Apply &node, PrettyWriter &out)
{
    const auto &op = *opCast<IncSubtensor>(node.opRef());
    out.text(op.isSet() ? "set_subtensor(" : "inc_subtensor(");
    indexed(node, 2, op.entries(), out);
    out.text(", ");
    out.variable(node.input(1));
    out.text(")");
}

PRETTY(Subtensor, [](const Apply &node, PrettyWriter &out) { indexed(node, 1, opCast<Subtensor>(node.opRef())->entries(), out); });
PRETTY(IncSubtensor, incrementForm);
NUMBERS(Subtensor, 1);
NUMBERS(IncSubtensor, 2);

} // namespace
} // namespace engine
