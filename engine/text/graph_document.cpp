#include "engine/text/graph_document.h"

#include "engine/tensor/convert.h"
#include "engine/text/graph_reader.h"

#include <unordered_map>

namespace engine {
namespace {

constexpr std::int64_t kMaxWrittenOut = 64; // longer values are base64

std::string base64(const Tensor &tensor)
{
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const Tensor flat = tensor.isContiguous() ? tensor : tensor.copy();
    const auto *bytes = flat.as<unsigned char>();
    const std::size_t count = flat.bytes();
    std::string out;
    out.reserve((count + 2) / 3 * 4);
    for (std::size_t i = 0; i < count; i += 3) {
        const std::size_t left = std::min<std::size_t>(3, count - i);
        unsigned word = static_cast<unsigned>(bytes[i]) << 16;
        if (left > 1) word |= static_cast<unsigned>(bytes[i + 1]) << 8;
        if (left > 2) word |= bytes[i + 2];
        out += kDigits[word >> 18 & 63];
        out += kDigits[word >> 12 & 63];
        out += left > 1 ? kDigits[word >> 6 & 63] : '=';
        out += left > 2 ? kDigits[word & 63] : '=';
    }
    return out;
}

void writeValue(JsonWriter &out, const Value &value, SharedValues how = SharedValues::Whole)
{
    if (!value.isTensor()) return out.null();
    const Tensor &tensor = value.tensor();
    out.beginObject();
    out.key("shape");
    out.beginArray();
    for (std::int64_t size : tensor.shape()) out.value(size);
    out.endArray();
    if (how == SharedValues::Shapes) return out.endObject();
    const DType dtype = tensor.dtype();
    if (tensor.size() > kMaxWrittenOut || dtype == DType::UInt64) {
        out.member("data", base64(tensor));
        out.endObject();
        return;
    }
    out.key("data");
    out.beginArray();
    const bool isSingle = realPart(dtype) != DType::Float64;
    const Tensor wide = isComplex(dtype) ? tensor.converted(DType::Complex128) : Tensor();
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
        if (dtype == DType::Bool) out.value(tensor.intAt(i) != 0);
        else if (isInteger(dtype)) out.value(tensor.intAt(i));
        else if (!isComplex(dtype)) out.value(tensor.at(i), isSingle);
        else {
            out.value(wide.as<double>()[2 * i], isSingle);
            out.value(wide.as<double>()[2 * i + 1], isSingle);
        }
    }
    out.endArray();
    out.endObject();
}

const char *nameOf(Variable::Kind kind)
{
    switch (kind) {
    case Variable::Kind::Constant: return "constant";
    case Variable::Kind::Shared: return "shared";
    default: return "input";
    }
}

void writeLeaf(JsonWriter &out, std::uint32_t id, Variable::Kind kind, Type type, const std::string &name, const VarRef &leaf,
               SharedValues shared = SharedValues::Whole)
{
    out.beginObject();
    out.member("id", id);
    out.member("kind", nameOf(kind));
    out.member("type", documentType(type));
    if (!name.empty()) out.member("name", name);
    if (kind != Variable::Kind::Input) out.key("value");
    if (kind == Variable::Kind::Constant) writeValue(out, leaf->value());
    if (kind == Variable::Kind::Shared) writeValue(out, leaf->container()->value(), shared);
    out.endObject();
}

void writeOp(JsonWriter &out, const Op &op)
{
    out.beginObject();
    const OpCard &card = op.card();
    out.member("class", card.isDocumented() ? std::string_view(card.className) : op.className());
    out.member("name", op.name());
    if (card.isDocumented()) card.write(op, out);
    out.endObject();
}

// While one lives, this thread writes graphs without the lines of their source.
class WithoutSource {
public:
    WithoutSource() { s_isWanted = true; }
    ~WithoutSource() { s_isWanted = false; }
    WithoutSource(const WithoutSource &) = delete;
    WithoutSource &operator=(const WithoutSource &) = delete;
    static bool isWanted() { return s_isWanted; }

private:
    static thread_local bool s_isWanted;
};
thread_local bool WithoutSource::s_isWanted = false;

void writeTrace(JsonWriter &out, TraceId trace)
{
    if (WithoutSource::isWanted()) return;
    const auto lines = traceLines(trace);
    if (lines.empty()) return;
    out.key("source");
    out.beginArray();
    for (const SourceLine &line : lines) {
        out.beginObject();
        out.member("file", line.file);
        out.member("line", line.line);
        if (!line.function.empty()) out.member("function", line.function);
        if (!line.text.empty()) out.member("text", line.text);
        out.endObject();
    }
    out.endArray();
}

void writeIds(JsonWriter &out, const char *key, const std::vector<std::uint32_t> &ids)
{
    out.key(key);
    out.beginArray();
    for (std::uint32_t id : ids) out.value(id);
    out.endArray();
}

void writeOutput(JsonWriter &out, std::uint32_t id, Type type, const std::string &name)
{
    out.beginObject();
    out.member("id", id);
    out.member("type", documentType(type));
    if (!name.empty()) out.member("name", name);
    out.endObject();
}

void begin(JsonWriter &out)
{
    out.beginObject();
    out.onePerLine();
    out.member("format", "croton-graph");
    out.member("version", 1);
}

void writeBody(JsonWriter &out, std::span<const VarRef> inputs, std::span<const VarRef> outputs)
{
    std::unordered_map<const Variable *, std::uint32_t> ids;
    const auto idOf = [&](const Variable *variable) { return ids.emplace(variable, static_cast<std::uint32_t>(ids.size())).first->second; };
    const auto listed = [&](std::span<const VarRef> variables) {
        std::vector<std::uint32_t> result;
        for (const VarRef &variable : variables) result.push_back(idOf(variable.get()));
        return result;
    };
    std::vector<VarRef> allLeaves(inputs.begin(), inputs.end());
    for (const VarRef &input : inputs) idOf(input.get());
    for (const VarRef &leaf : leaves(outputs, inputs))
        if (!ids.count(leaf.get())) {
            idOf(leaf.get());
            allLeaves.push_back(leaf);
        }
    writeIds(out, "inputs", listed(inputs));
    out.key("variables");
    out.beginArray();
    out.onePerLine();
    for (const VarRef &leaf : allLeaves) {
        // An input that is computed elsewhere stands for itself here.
        const auto kind = leaf->owner() ? Variable::Kind::Input : leaf->kind();
        writeLeaf(out, idOf(leaf.get()), kind, leaf->type(), leaf->name(), leaf);
    }
    out.endArray();
    out.key("applies");
    out.beginArray();
    out.onePerLine();
    for (const Apply *apply : toposort(outputs, inputs)) {
        out.beginObject();
        out.key("op");
        writeOp(out, apply->op());
        writeIds(out, "inputs", listed(apply->inputs()));
        out.key("outputs");
        out.beginArray();
        for (int i = 0; i < apply->outputCount(); ++i)
            writeOutput(out, idOf(apply->output(i)), apply->output(i)->type(), apply->output(i)->name());
        out.endArray();
        writeTrace(out, apply->trace());
        out.endObject();
    }
    out.endArray();
    writeIds(out, "outputs", listed(outputs));
}

thread_local GraphsAside *t_aside = nullptr;

[[maybe_unused]] const bool k_innerGraphs = setInnerGraphWriter([](JsonWriter &out, const InnerGraph &graph) {
    if (t_aside) {
        out.value(static_cast<std::int64_t>(t_aside->graphs.size()));
        t_aside->graphs.push_back(&graph);
        return;
    }
    out.beginObject();
    writeBody(out, graph.inputs, graph.outputs);
    out.endObject();
});

} // namespace

GraphsAside::GraphsAside() { t_aside = this; }
GraphsAside::~GraphsAside() { t_aside = nullptr; }

// Line ends stand between parts of a document, never in its texts.
static std::string inOneLine(std::string text)
{
    std::erase(text, '\n');
    return text;
}

std::string writeOpDocument(const Op &op)
{
    JsonWriter out;
    const WithoutSource withoutSource;
    writeOp(out, op);
    return inOneLine(out.take());
}

std::string writeLeafValue(const Variable &leaf, std::size_t mostBytes)
{
    JsonWriter out;
    if (leaf.kind() == Variable::Kind::Shared) writeValue(out, leaf.container()->value(), SharedValues::Shapes);
    else {
        const Value &value = leaf.value();
        const bool isKept = !value.isTensor() || (value.tensor().bytes() <= mostBytes && value.tensor().device() == DeviceId::Host);
        writeValue(out, value, isKept ? SharedValues::Whole : SharedValues::Shapes);
    }
    return inOneLine(out.take());
}

std::string writeGraphDocument(std::span<const VarRef> inputs, std::span<const VarRef> outputs)
{
    JsonWriter out;
    begin(out);
    writeBody(out, inputs, outputs);
    out.endObject();
    return out.take();
}

std::string writeGraphDocument(const FunctionGraph &graph, SharedValues shared)
{
    JsonWriter out;
    begin(out);
    const std::vector<ApplyId> order = graph.toposort();
    std::vector<std::uint32_t> inputs, outputs;
    for (VarId id : graph.inputs()) inputs.push_back(raw(id));
    for (VarId id : graph.outputs()) outputs.push_back(raw(id));
    writeIds(out, "inputs", inputs);
    out.key("variables");
    out.beginArray();
    out.onePerLine();
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const VarNode &node = graph.var(VarId{i});
        if (node.live && node.leaf) writeLeaf(out, i, node.kind, node.type, graph.name(VarId{i}), node.leaf, shared);
    }
    out.endArray();
    out.key("applies");
    out.beginArray();
    out.onePerLine();
    for (ApplyId id : order) {
        const ApplyNode &node = graph.apply(id);
        out.beginObject();
        out.member("id", raw(id));
        out.key("op");
        writeOp(out, *node.op);
        std::vector<std::uint32_t> ids;
        for (const Use &use : node.inputs) ids.push_back(raw(use.var));
        writeIds(out, "inputs", ids);
        out.key("outputs");
        out.beginArray();
        for (VarId output : node.outputs) writeOutput(out, raw(output), graph.var(output).type, graph.name(output));
        out.endArray();
        writeTrace(out, node.trace);
        out.endObject();
    }
    out.endArray();
    writeIds(out, "outputs", outputs);
    if (!graph.updates.empty()) {
        out.key("updates");
        out.beginArray();
        for (const auto &[output, input] : graph.updates) {
            out.beginArray();
            out.value(static_cast<std::int64_t>(output));
            out.value(raw(input));
            out.endArray();
        }
        out.endArray();
    }
    out.endObject();
    return out.take();
}

} // namespace engine
