// Ops of the core in graph documents: exact parameters, and how many inputs an apply may have.
#include "engine/ops/alloc.h"
#include "engine/ops/argmax.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/fused_reduce.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/softmax.h"
#include "engine/tensor/dims.h"
#include "engine/text/graph_document.h"
#include "engine/text/scalar_document.h"

#include <algorithm>

namespace engine {
namespace {

template <class T>
const T &as(const Op &op)
{
    return static_cast<const T &>(op);
}

template <class List>
void writeNumbers(JsonWriter &out, const char *key, const List &values)
{
    out.key(key);
    out.beginArray();
    for (const auto value : values) out.value(static_cast<std::int64_t>(value));
    out.endArray();
}

void writeInplace(const char *key, const std::vector<Alias> &aliases, JsonWriter &out)
{
    if (aliases.empty()) return;
    out.key(key);
    out.beginArray();
    for (const Alias &alias : aliases) {
        out.beginArray();
        out.value(alias.output);
        out.value(alias.input);
        out.endArray();
    }
    out.endArray();
}

std::vector<int> axesOf(const OpParameters &from)
{
    std::vector<int> axes;
    for (std::int64_t axis : from.integers("axes", 0, kMaxRank - 1)) {
        if (!axes.empty() && axis <= axes.back()) from.fail("axes", "axes have to be sorted, each once");
        axes.push_back(static_cast<int>(axis));
    }
    return axes;
}

// --- elementwise ------------------------------------------------------------------------------------

Arity elemwiseArity(const Op &op)
{
    const auto &elemwise = as<Elemwise>(op);
    const int count = elemwise.scalar()->arity();
    Arity result = count < 0 ? Arity{1, kAnyNumber} : Arity{static_cast<std::size_t>(count), static_cast<std::size_t>(count)};
    for (const Alias &alias : elemwise.inplace()) result.least = std::max(result.least, static_cast<std::size_t>(alias.input) + 1);
    return result;
}

OpRef readElemwise(const OpParameters &from)
{
    const ScalarOpPtr scalar = readScalar(from.need("scalar"), from.place() + ".scalar");
    std::vector<Alias> inplace;
    if (from.has("inplace")) inplace = from.aliases("inplace");
    for (std::size_t i = 0; i < inplace.size(); ++i) {
        if (inplace[i].output >= scalar->outputCount()) from.fail("inplace", "there is no such output");
        if (scalar->arity() >= 0 && inplace[i].input >= scalar->arity()) from.fail("inplace", "there is no such input");
        for (std::size_t k = 0; k < i; ++k)
            if (inplace[k].input == inplace[i].input || inplace[k].output == inplace[i].output)
                from.fail("inplace", "an input or output stands here twice");
    }
    return makeOp<Elemwise>(scalar, std::move(inplace));
}

OP_DOCUMENT(
    Elemwise, "Elemwise", elemwiseArity,
    [](const Op &op, JsonWriter &out) {
        out.key("scalar");
        writeScalar(out, *as<Elemwise>(op).scalar());
        writeInplace("inplace", as<Elemwise>(op).inplace(), out);
    },
    readElemwise);

// --- reductions -------------------------------------------------------------------------------------

constexpr const char *kReductions[] = {"sum", "prod", "max", "min", "any", "all", "largest"};

void writeReduce(const CAReduce &reduce, JsonWriter &out)
{
    out.member("kind", kReductions[static_cast<std::size_t>(reduce.kind())]);
    if (reduce.axes()) writeNumbers(out, "axes", *reduce.axes());
    if (reduce.dtype()) out.member("dtype", nameOf(*reduce.dtype()));
    if (reduce.accDtype()) out.member("acc_dtype", nameOf(*reduce.accDtype()));
}

OpRef readReduce(const OpParameters &from)
{
    const std::string kind = from.text("kind");
    const auto *found = std::find(std::begin(kReductions), std::end(kReductions), kind);
    if (found == std::end(kReductions)) from.fail("kind", "there is no reduction " + kind);
    std::optional<std::vector<int>> axes;
    if (from.has("axes")) axes = axesOf(from);
    return makeOp<CAReduce>(static_cast<ReduceKind>(found - kReductions), std::move(axes), from.dtypeIfGiven("dtype"),
                            from.dtypeIfGiven("acc_dtype"));
}

OP_DOCUMENT(
    CAReduce, "CAReduce", arity(1), [](const Op &op, JsonWriter &out) { writeReduce(as<CAReduce>(op), out); }, readReduce);

// A reduction and the function that makes its elements.
OP_DOCUMENT(
    FusedReduce, "FusedReduce", [](const Op &op) { return elemwiseArity(as<FusedReduce>(op).elements()); },
    [](const Op &op, JsonWriter &out) {
        writeReduce(as<FusedReduce>(op).reduce(), out);
        out.key("scalar");
        writeScalar(out, *as<FusedReduce>(op).elements().scalar());
    },
    [](const OpParameters &from) {
        const ScalarOpPtr scalar = readScalar(from.need("scalar"), from.place() + ".scalar");
        if (scalar->outputCount() != 1) from.fail("scalar", "a reduction takes one value an element");
        return makeOp<FusedReduce>(elemwise(scalar), readReduce(from));
    });

OP_DOCUMENT(
    Argmax, "Argmax", arity(1), [](const Op &op, JsonWriter &out) { writeNumbers(out, "axes", as<Argmax>(op).axes()); },
    [](const OpParameters &from) { return makeOp<Argmax>(axesOf(from)); });
OP_DOCUMENT(
    MaxAndArgmax, "MaxAndArgmax", arity(1), [](const Op &op, JsonWriter &out) { writeNumbers(out, "axes", as<MaxAndArgmax>(op).axes()); },
    [](const OpParameters &from) { return makeOp<MaxAndArgmax>(axesOf(from)); });

// --- products ---------------------------------------------------------------------------------------

OP_DOCUMENT(Dot, "Dot", arity(2), writeNothing, readPlain<Dot>);
OP_DOCUMENT(Dot22, "Dot22", arity(2), writeNothing, readPlain<Dot22>);
OP_DOCUMENT(Dot22Scalar, "Dot22Scalar", arity(3), writeNothing, readPlain<Dot22Scalar>);
OP_DOCUMENT(
    Gemm, "Gemm", arity(5), [](const Op &op, JsonWriter &out) { out.member("inplace", as<Gemm>(op).inplace()); },
    [](const OpParameters &from) { return makeOp<Gemm>(from.flag("inplace")); });

template <class T>
void writeC(const Op &op, JsonWriter &out)
{
    out.member("inplace", as<T>(op).inplace());
    out.member("c", as<T>(op).isC());
}
OP_DOCUMENT(Gemv, "Gemv", arity(5), writeC<Gemv>,
            [](const OpParameters &from) { return makeOp<Gemv>(from.flag("inplace"), from.flag("c")); });
OP_DOCUMENT(Ger, "Ger", arity(4), writeC<Ger>, [](const OpParameters &from) { return makeOp<Ger>(from.flag("inplace"), from.flag("c")); });

// --- shapes -----------------------------------------------------------------------------------------

OP_DOCUMENT(
    DimShuffle, "DimShuffle", arity(1),
    [](const Op &op, JsonWriter &out) {
        out.key("input_broadcastable");
        out.beginArray();
        for (bool one : as<DimShuffle>(op).inputBroadcastable()) out.value(one);
        out.endArray();
        writeNumbers(out, "order", as<DimShuffle>(op).order());
    },
    [](const OpParameters &from) {
        const JsonValue &pattern = from.need("input_broadcastable");
        std::vector<bool> broadcastable;
        for (const JsonValue &item : pattern.items) {
            if (item.kind != JsonValue::Kind::Boolean) from.fail("input_broadcastable", "an array of true and false was expected");
            broadcastable.push_back(item.boolean);
        }
        if (!pattern.isArray() || broadcastable.size() > kMaxRank)
            from.fail("input_broadcastable", "an array of at most 12 flags was expected");
        std::vector<int> order;
        for (std::int64_t axis : from.integers("order", -1, kMaxRank - 1)) order.push_back(static_cast<int>(axis));
        if (order.size() > kMaxRank) from.fail("order", "arrays have at most 12 dimensions");
        return makeOp<DimShuffle>(std::move(broadcastable), std::move(order));
    });
OP_DOCUMENT(
    Reshape, "Reshape", arity(2), [](const Op &op, JsonWriter &out) { out.member("rank", as<Reshape>(op).outputRank()); },
    [](const OpParameters &from) { return makeOp<Reshape>(static_cast<int>(from.integer("rank", 0, kMaxRank))); });
OP_DOCUMENT(
    Rebroadcast, "Rebroadcast", arity(1),
    [](const Op &op, JsonWriter &out) {
        std::vector<int> axes, flags;
        for (const auto &[axis, flag] : as<Rebroadcast>(op).axes()) {
            axes.push_back(axis);
            flags.push_back(flag);
        }
        writeNumbers(out, "axes", axes);
        writeNumbers(out, "broadcastable", flags);
    },
    [](const OpParameters &from) {
        const std::vector<int> axes = axesOf(from);
        const std::vector<std::int64_t> flags = from.integers("broadcastable", 0, 1);
        if (axes.size() != flags.size()) from.fail("broadcastable", "there has to be one flag for each axis");
        std::vector<std::pair<int, bool>> pairs;
        for (std::size_t i = 0; i < axes.size(); ++i) pairs.emplace_back(axes[i], flags[i] != 0);
        return makeOp<Rebroadcast>(std::move(pairs));
    });
OP_DOCUMENT(SpecifyShape, "SpecifyShape", arity(2), writeNothing, readPlain<SpecifyShape>);
OP_DOCUMENT(ViewOp, "ViewOp", arity(1), writeNothing, readPlain<ViewOp>);
OP_DOCUMENT(Shape, "Shape", arity(1), writeNothing, readPlain<Shape>);
OP_DOCUMENT(
    Shape_i, "Shape_i", arity(1), [](const Op &op, JsonWriter &out) { out.member("axis", as<Shape_i>(op).axis()); },
    [](const OpParameters &from) { return makeOp<Shape_i>(static_cast<int>(from.integer("axis", 0, kMaxRank - 1))); });
OP_DOCUMENT(
    MakeVector, "MakeVector", arity(0, kAnyNumber),
    [](const Op &op, JsonWriter &out) { out.member("dtype", nameOf(as<MakeVector>(op).dtype())); },
    [](const OpParameters &from) { return makeOp<MakeVector>(from.dtype("dtype")); });

// --- new arrays -------------------------------------------------------------------------------------

OP_DOCUMENT(Alloc, "Alloc", arity(1, kMaxRank + 1), writeNothing, readPlain<Alloc>);
OP_DOCUMENT(
    AllocEmpty, "AllocEmpty", arity(0, kMaxRank),
    [](const Op &op, JsonWriter &out) { out.member("dtype", nameOf(as<AllocEmpty>(op).dtype())); },
    [](const OpParameters &from) { return makeOp<AllocEmpty>(from.dtype("dtype")); });
OP_DOCUMENT(DeepCopyOp, "DeepCopyOp", arity(1), writeNothing, readPlain<DeepCopyOp>);

// --- indexing ---------------------------------------------------------------------------------------

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

template <class Entry, class F>
std::vector<Entry> readEntries(const OpParameters &from, F one)
{
    const JsonValue &list = from.need("index");
    if (!list.isArray() || list.items.size() > kMaxRank) from.fail("index", "an array of at most 12 texts was expected");
    std::vector<Entry> entries;
    for (const JsonValue &item : list.items) {
        if (!item.isText()) from.fail("index", "an array of texts was expected");
        entries.push_back(one(item.text));
    }
    return entries;
}

std::vector<IndexEntry> basicEntries(const OpParameters &from)
{
    return readEntries<IndexEntry>(from, [&](const std::string &text) { return entryOf(text, from); });
}

std::vector<AdvancedEntry> advancedEntries(const OpParameters &from)
{
    return readEntries<AdvancedEntry>(from, [&](const std::string &text) {
        AdvancedEntry entry;
        entry.isArray = text == "[]";
        if (!entry.isArray) entry.slice = entryOf(text, from);
        if (!entry.isArray && !entry.slice.isSlice) from.fail("index", "beside arrays there are slices only");
        return entry;
    });
}

void writeEntries(const std::vector<IndexEntry> &entries, JsonWriter &out)
{
    out.key("index");
    out.beginArray();
    for (const IndexEntry &entry : entries) out.value(entryText(entry));
    out.endArray();
}

void writeEntries(const std::vector<AdvancedEntry> &entries, JsonWriter &out)
{
    out.key("index");
    out.beginArray();
    for (const AdvancedEntry &entry : entries) out.value(entry.isArray ? std::string("[]") : entryText(entry.slice));
    out.endArray();
}

template <class T>
std::function<Arity(const Op &)> indexArity(std::size_t before)
{
    return [before](const Op &op) {
        std::size_t count = before;
        for (const auto &entry : as<T>(op).entries()) count += static_cast<std::size_t>(entry.inputCount());
        return Arity{count, count};
    };
}

template <class T>
void writeStore(const Op &op, JsonWriter &out)
{
    out.member("inplace", as<T>(op).inplace());
    out.member("set", as<T>(op).isSet());
}

OP_DOCUMENT(
    Subtensor, "Subtensor", indexArity<Subtensor>(1), [](const Op &op, JsonWriter &out) { writeEntries(as<Subtensor>(op).entries(), out); },
    [](const OpParameters &from) { return makeOp<Subtensor>(basicEntries(from)); });
OP_DOCUMENT(
    IncSubtensor, "IncSubtensor", indexArity<IncSubtensor>(2),
    [](const Op &op, JsonWriter &out) {
        writeEntries(as<IncSubtensor>(op).entries(), out);
        writeStore<IncSubtensor>(op, out);
    },
    [](const OpParameters &from) { return makeOp<IncSubtensor>(basicEntries(from), from.flag("inplace"), from.flag("set")); });
OP_DOCUMENT(AdvancedSubtensor1, "AdvancedSubtensor1", arity(2), writeNothing, readPlain<AdvancedSubtensor1>);
OP_DOCUMENT(AdvancedIncSubtensor1, "AdvancedIncSubtensor1", arity(3), writeStore<AdvancedIncSubtensor1>,
            [](const OpParameters &from) { return makeOp<AdvancedIncSubtensor1>(from.flag("inplace"), from.flag("set")); });
OP_DOCUMENT(
    AdvancedSubtensor, "AdvancedSubtensor", indexArity<AdvancedSubtensor>(1),
    [](const Op &op, JsonWriter &out) { writeEntries(as<AdvancedSubtensor>(op).entries(), out); },
    [](const OpParameters &from) { return makeOp<AdvancedSubtensor>(advancedEntries(from)); });
OP_DOCUMENT(
    AdvancedIncSubtensor, "AdvancedIncSubtensor", indexArity<AdvancedIncSubtensor>(2),
    [](const Op &op, JsonWriter &out) {
        writeEntries(as<AdvancedIncSubtensor>(op).entries(), out);
        writeStore<AdvancedIncSubtensor>(op, out);
    },
    [](const OpParameters &from) { return makeOp<AdvancedIncSubtensor>(advancedEntries(from), from.flag("inplace"), from.flag("set")); });
OP_DOCUMENT(Nonzero, "Nonzero", arity(1), writeNothing, readPlain<Nonzero>);

// --- softmax ----------------------------------------------------------------------------------------

OP_DOCUMENT(Softmax, "Softmax", arity(1), writeNothing, readPlain<Softmax>);
OP_DOCUMENT(LogSoftmax, "LogSoftmax", arity(1), writeNothing, readPlain<LogSoftmax>);
OP_DOCUMENT(SoftmaxGrad, "SoftmaxGrad", arity(2), writeNothing, readPlain<SoftmaxGrad>);
OP_DOCUMENT(SoftmaxWithBias, "SoftmaxWithBias", arity(2), writeNothing, readPlain<SoftmaxWithBias>);
constexpr const char *kClasses[] = {"each row", "first rows", "one or each"};

template <class T>
void writeClasses(const Op &op, JsonWriter &out)
{
    const Classes classes = as<T>(op).classes();
    if (classes != Classes::EachRow) out.member("classes", kClasses[static_cast<std::size_t>(classes)]);
}

template <class T>
OpRef readClasses(const OpParameters &from)
{
    if (!from.has("classes")) return makeOp<T>();
    const std::string classes = from.text("classes");
    const auto *found = std::find(std::begin(kClasses), std::end(kClasses), classes);
    if (found == std::end(kClasses)) from.fail("classes", "there are no classes for " + classes);
    return makeOp<T>(static_cast<Classes>(found - kClasses));
}

OP_DOCUMENT(CrossentropyCategorical1Hot, "CrossentropyCategorical1Hot", arity(2), writeNothing, readPlain<CrossentropyCategorical1Hot>);
OP_DOCUMENT(CrossentropyCategorical1HotGrad, "CrossentropyCategorical1HotGrad", arity(3), writeNothing,
            readPlain<CrossentropyCategorical1HotGrad>);
OP_DOCUMENT(CrossentropySoftmaxArgmax1HotWithBias, "CrossentropySoftmaxArgmax1HotWithBias", arity(3),
            writeClasses<CrossentropySoftmaxArgmax1HotWithBias>, readClasses<CrossentropySoftmaxArgmax1HotWithBias>);
OP_DOCUMENT(CrossentropySoftmax1HotWithBiasDx, "CrossentropySoftmax1HotWithBiasDx", arity(3),
            writeClasses<CrossentropySoftmax1HotWithBiasDx>, readClasses<CrossentropySoftmax1HotWithBiasDx>);

// --- graphs inside ------------------------------------------------------------------------------------

OP_DOCUMENT(
    OpFromGraph, "OpFromGraph",
    [](const Op &op) {
        const std::size_t count = as<OpFromGraph>(op).inner()->inputs.size();
        return Arity{count, count};
    },
    [](const Op &op, JsonWriter &out) {
        if (op.friendlyName() != "OpFromGraph") out.member("title", op.friendlyName());
        out.member("inline", as<OpFromGraph>(op).isInline());
        out.key("graph");
        writeInnerGraph(out, *as<OpFromGraph>(op).inner());
    },
    [](const OpParameters &from) {
        InnerGraph inner = from.graph("graph");
        const std::string title = from.has("title") ? from.text("title") : "";
        return opFromGraph(std::move(inner.inputs), std::move(inner.outputs), title, from.flag("inline"));
    });

} // namespace
} // namespace engine
