#include "engine/text/graph_reader.h"

#include "engine/ops/shapes/known_sizes.h"
#include "engine/tensor/convert.h"
#include "engine/text/notation.h"

#include <array>
#include <cmath>
#include <unordered_map>

namespace engine {
namespace {

constexpr std::pair<std::string_view, TypeKind> kPlainTypes[] = {{"generic", TypeKind::Generic},
                                                                 {"none", TypeKind::None},
                                                                 {"slice", TypeKind::Slice},
                                                                 {"random_state", TypeKind::RandomState},
                                                                 {"disconnected", TypeKind::Disconnected}};
constexpr std::size_t kMostEntries = 10'000'000;

class DocumentReader {
public:
    DocumentReader(const JsonValue &object, std::string place, int nesting, std::int64_t &elements)
        : m_object(object), m_place(std::move(place)), m_nesting(nesting), m_elements(elements)
    {}

    GraphDocument read()
    {
        if (!m_object.isObject()) fail("", std::string("an object was expected, not ") + m_object.kindText());
        variables();
        applies();
        GraphDocument result;
        result.inputs = list("inputs");
        for (std::size_t i = 0; i < result.inputs.size(); ++i) {
            if (result.inputs[i]->owner() || result.inputs[i]->kind() == Variable::Kind::Constant)
                fail("inputs[" + std::to_string(i) + "]", "only inputs and shared variables can be inputs");
            for (std::size_t k = 0; k < i; ++k)
                if (result.inputs[k] == result.inputs[i]) fail("inputs[" + std::to_string(i) + "]", "this input is listed twice");
        }
        result.outputs = list("outputs");
        if (result.outputs.empty()) fail("outputs", "a graph has at least one output");
        updates(result);
        return result;
    }

private:
    [[noreturn]] void fail(const std::string &where, const std::string &message) const
    {
        std::string place = m_place;
        if (!where.empty()) place += (place.empty() ? "" : ".") + where;
        throw DocumentError((place.empty() ? "the document" : place) + ": " + message);
    }

    const JsonValue &array(std::string_view key) const
    {
        const JsonValue *value = m_object.find(key);
        if (!value) fail(std::string(key), "this part is missing");
        if (!value->isArray()) fail(std::string(key), std::string("an array was expected, not ") + value->kindText());
        if (value->items.size() > kMostEntries) fail(std::string(key), "there are more than ten million entries");
        return *value;
    }

    std::int64_t idOf(const JsonValue &value, const std::string &where) const
    {
        return OpParameters::integerOf(value, where, 0, 0xFFFFFFFELL);
    }

    const JsonValue &need(const JsonValue &object, const char *key, const std::string &where) const
    {
        const JsonValue *value = object.find(key);
        if (!value)
            fail(where, object.isObject() ? std::string("\"") + key + "\" is missing"
                                          : std::string("an object was expected, not ") + object.kindText());
        return *value;
    }

    std::string textOf(const JsonValue &object, const char *key, const std::string &where) const
    {
        const JsonValue *value = object.find(key);
        if (!value) return {};
        if (!value->isText()) fail(where + "." + key, std::string("a text was expected, not ") + value->kindText());
        return value->text;
    }

    Type typeOf(const JsonValue &object, const std::string &where) const
    {
        const JsonValue &value = need(object, "type", where);
        if (!value.isText()) fail(where + ".type", std::string("a type was expected, not ") + value.kindText());
        for (const auto &[name, kind] : kPlainTypes)
            if (value.text == name) return Type::plain(kind);
        try {
            return parseType(value.text);
        } catch (const NotationError &error) {
            fail(where + ".type", error.what());
        }
    }

    // --- leaves -----------------------------------------------------------------------------------------

    void variables()
    {
        const JsonValue &all = array("variables");
        for (std::size_t i = 0; i < all.items.size(); ++i) {
            const std::string where = "variables[" + std::to_string(i) + "]";
            const JsonValue &item = all.items[i];
            const std::int64_t id = idOf(need(item, "id", where), where + ".id");
            const Type type = typeOf(item, where);
            const std::string name = textOf(item, "name", where);
            const std::string kind = textOf(item, "kind", where);
            VarRef variable;
            if (kind == "input" || kind.empty()) {
                variable = Variable::input(type, name);
            } else if (kind == "constant") {
                variable = Variable::constant(value(item, type, where), type, name);
            } else if (kind == "shared") {
                variable = Variable::shared(std::make_shared<Container>(value(item, type, where, true)), type, name);
            } else {
                fail(where + ".kind", "a kind is input, constant or shared, not " + kind);
            }
            if (!m_variables.emplace(id, std::move(variable)).second)
                fail(where + ".id", "the id " + std::to_string(id) + " stands here a second time");
        }
    }

    Value value(const JsonValue &item, Type type, const std::string &where, bool mayBeZeros = false) const
    {
        const JsonValue &value = need(item, "value", where);
        if (value.kind == JsonValue::Kind::Null) {
            if (type.isTensor()) fail(where + ".value", "a tensor needs a value");
            return {};
        }
        if (!type.isTensor()) fail(where + ".value", "only tensors have values in a document");
        std::vector<std::int64_t> sizes;
        const JsonValue &shape = need(value, "shape", where + ".value");
        if (!shape.isArray() || shape.items.size() != static_cast<std::size_t>(type.rank()))
            fail(where + ".value.shape", "the shape has to have " + std::to_string(type.rank()) + " sizes");
        std::int64_t count = 1;
        for (std::size_t axis = 0; axis < shape.items.size(); ++axis) {
            const std::string place = where + ".value.shape[" + std::to_string(axis) + "]";
            const std::int64_t size = OpParameters::integerOf(shape.items[axis], place, 0, m_elements);
            const std::int64_t declared = type.shape()[axis];
            if (declared != kUnknownDim && declared != size)
                fail(place, "the type declares " + std::to_string(declared) + ", the value has " + std::to_string(size));
            sizes.push_back(size);
            count *= std::max<std::int64_t>(size, 1);
            if (count > m_elements) fail(where + ".value", "the values of the document are too large together");
        }
        m_elements -= count;
        if (mayBeZeros && !value.find("data")) return Value(Tensor::zeros(type.dtype(), Dims(sizes)));
        Tensor tensor = Tensor::empty(type.dtype(), Dims(sizes));
        elements(need(value, "data", where + ".value"), tensor, where + ".value.data");
        return Value(std::move(tensor));
    }

    void elements(const JsonValue &data, const Tensor &tensor, const std::string &where) const
    {
        if (data.isText()) return bytes(data.text, tensor, where);
        const bool isPair = isComplex(tensor.dtype());
        const auto wanted = static_cast<std::size_t>(tensor.size()) * (isPair ? 2 : 1);
        if (!data.isArray() || data.items.size() != wanted) fail(where, "an array of " + std::to_string(wanted) + " numbers was expected");
        withStorageType(tensor.dtype(), [&]<class T>() {
            T *out = tensor.as<T>();
            for (std::size_t i = 0; i < wanted; ++i) {
                const JsonValue &item = data.items[i];
                const std::string place = where + "[" + std::to_string(i) + "]";
                if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
                    auto *parts = reinterpret_cast<typename T::value_type *>(out);
                    parts[i] = static_cast<typename T::value_type>(real(item, place));
                } else if constexpr (std::is_same_v<T, bool>) {
                    if (item.kind != JsonValue::Kind::Boolean) fail(place, "true or false was expected");
                    out[i] = item.boolean;
                } else if constexpr (std::is_integral_v<T>) {
                    const bool fits = item.integer && convertElement<std::int64_t>(convertElement<T>(*item.integer)) == *item.integer &&
                                      (std::is_signed_v<T> || *item.integer >= 0);
                    if (!fits) fail(place, "a whole number that fits into " + std::string(nameOf(tensor.dtype())) + " was expected");
                    out[i] = convertElement<T>(*item.integer);
                } else {
                    out[i] = convertElement<T>(real(item, place));
                }
            }
        });
    }

    double real(const JsonValue &item, const std::string &where) const
    {
        if (item.kind == JsonValue::Kind::Number) return item.number;
        if (item.text == "nan") return std::nan("");
        if (item.text == "inf") return HUGE_VAL;
        if (item.text == "-inf") return -HUGE_VAL;
        fail(where, "a number, \"nan\", \"inf\" or \"-inf\" was expected");
    }

    // Base64 of the elements in C order, little endian.
    void bytes(const std::string &text, const Tensor &tensor, const std::string &where) const
    {
        std::array<int, 256> digits;
        digits.fill(-1);
        static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (std::size_t i = 0; i < kDigits.size(); ++i) digits[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
        const std::size_t wanted = tensor.bytes();
        if (text.size() != (wanted + 2) / 3 * 4) fail(where, std::to_string(wanted) + " bytes in base64 were expected");
        auto *out = tensor.as<unsigned char>();
        std::size_t written = 0;
        for (std::size_t i = 0; i < text.size(); i += 4) {
            unsigned word = 0;
            const std::size_t count = std::min<std::size_t>(3, wanted - written);
            for (std::size_t k = 0; k < 4; ++k) {
                const int digit = k <= count ? digits[static_cast<unsigned char>(text[i + k])] : text[i + k] == '=' ? 0 : -1;
                if (digit < 0) fail(where, "this is not base64");
                word = word << 6 | static_cast<unsigned>(digit);
            }
            for (std::size_t k = 0; k < count; ++k) out[written++] = static_cast<unsigned char>(word >> (16 - 8 * k));
        }
        if (tensor.dtype() == DType::Bool)
            for (std::size_t i = 0; i < wanted; ++i)
                if (out[i] > 1) fail(where, "a truth value is 0 or 1");
    }

    // --- applies ----------------------------------------------------------------------------------------

    struct Node {
        std::vector<std::int64_t> inputs, outputs;
        std::size_t waiting = 0; // inputs that are not made yet
    };

    void applies()
    {
        const JsonValue &all = array("applies");
        m_nodes.resize(all.items.size());
        std::unordered_map<std::int64_t, std::size_t> maker;
        for (std::size_t i = 0; i < all.items.size(); ++i) readNode(i, all.items[i], maker);

        // Whoever has all its inputs is made; the order in the document does not matter.
        std::vector<std::vector<std::size_t>> readers(all.items.size());
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            for (std::size_t port = 0; port < m_nodes[i].inputs.size(); ++port) {
                const std::int64_t id = m_nodes[i].inputs[port];
                if (m_variables.count(id)) continue;
                auto made = maker.find(id);
                if (made == maker.end())
                    fail("applies[" + std::to_string(i) + "].inputs[" + std::to_string(port) + "]",
                         "there is no variable " + std::to_string(id));
                readers[made->second].push_back(i);
                ++m_nodes[i].waiting;
            }
            if (!m_nodes[i].waiting) ready.push_back(i);
        }
        std::size_t made = 0;
        for (std::size_t next = 0; next < ready.size(); ++next, ++made) {
            make(ready[next], all.items[ready[next]]);
            for (std::size_t reader : readers[ready[next]])
                if (--m_nodes[reader].waiting == 0) ready.push_back(reader);
        }
        if (made == m_nodes.size()) return;
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            if (m_nodes[i].waiting) fail("applies[" + std::to_string(i) + "]", "the graph has a cycle through this apply");
    }

    void readNode(std::size_t i, const JsonValue &item, std::unordered_map<std::int64_t, std::size_t> &maker)
    {
        const std::string where = "applies[" + std::to_string(i) + "]";
        const JsonValue &inputs = need(item, "inputs", where);
        if (!inputs.isArray()) fail(where + ".inputs", std::string("an array was expected, not ") + inputs.kindText());
        for (std::size_t port = 0; port < inputs.items.size(); ++port)
            m_nodes[i].inputs.push_back(idOf(inputs.items[port], where + ".inputs[" + std::to_string(port) + "]"));
        const JsonValue &outputs = need(item, "outputs", where);
        if (!outputs.isArray() || outputs.items.empty()) fail(where + ".outputs", "an array of outputs was expected");
        for (std::size_t port = 0; port < outputs.items.size(); ++port) {
            const std::string place = where + ".outputs[" + std::to_string(port) + "]";
            const std::int64_t id = idOf(need(outputs.items[port], "id", place), place + ".id");
            if (m_variables.count(id) || !maker.emplace(id, i).second)
                fail(place + ".id", "the id " + std::to_string(id) + " stands here a second time");
            m_nodes[i].outputs.push_back(id);
        }
    }

    void make(std::size_t i, const JsonValue &item)
    {
        const std::string where = "applies[" + std::to_string(i) + "]";
        const Node &node = m_nodes[i];
        const OpRef op = readOp(need(item, "op", where), where + ".op");
        const Arity arity = op->card().arity(*op);
        if (node.inputs.size() < arity.least || node.inputs.size() > arity.most) {
            const std::string wanted = std::to_string(arity.least) + (arity.most == arity.least  ? ""
                                                                      : arity.most == kAnyNumber ? " or more"
                                                                                                 : " to " + std::to_string(arity.most));
            fail(where + ".inputs", op->name() + " takes " + wanted + " inputs, not " + std::to_string(node.inputs.size()));
        }
        std::vector<VarRef> inputs;
        for (std::int64_t id : node.inputs) inputs.push_back(m_variables.at(id));
        ApplyRef apply;
        try {
            const ScopedTrace scope(trace(item, where));
            apply = Apply::create(op, inputs);
            if (apply->outputCount() == 1) apply = ApplyRef(withKnownSizes(VarRef(apply->output(0)))->owner());
        } catch (const UserError &error) {
            fail(where, error.what());
        }
        if (static_cast<std::size_t>(apply->outputCount()) != node.outputs.size())
            fail(where + ".outputs",
                 op->name() + " has " + std::to_string(apply->outputCount()) + " outputs, not " + std::to_string(node.outputs.size()));
        checkAliases(*apply, where);
        const JsonValue &outputs = *item.find("outputs");
        for (std::size_t port = 0; port < node.outputs.size(); ++port) {
            const std::string place = where + ".outputs[" + std::to_string(port) + "]";
            const JsonValue &output = outputs.items[port];
            Variable *variable = apply->output(static_cast<int>(port));
            if (output.find("type") && !(typeOf(output, place) == variable->type()))
                fail(place + ".type", "the op makes " + documentType(variable->type()) + " of these inputs");
            variable->setName(textOf(output, "name", place));
            m_variables.emplace(node.outputs[port], VarRef(variable));
        }
    }

    // Kernels trust these: an output that takes over an input has to fit into it.
    void checkAliases(const Apply &apply, const std::string &where) const
    {
        const Op &op = apply.op();
        for (const bool destroys : {false, true})
            for (const Alias &alias : destroys ? op.destroyMap() : op.viewMap()) {
                if (alias.output >= static_cast<std::uint32_t>(apply.outputCount()) || alias.input >= apply.inputs().size())
                    fail(where + ".op", "an alias names an output or an input that is not there");
                if (destroys && !(apply.output(alias.output)->type() == apply.input(alias.input)->type()))
                    fail(where + ".op", "output " + std::to_string(alias.output) + " cannot take the memory of input " +
                                            std::to_string(alias.input) + ": their types differ");
            }
    }

    InnerGraph innerGraph(const JsonValue &object, const std::string &place) const
    {
        constexpr int kMaxNesting = 16;
        if (m_nesting >= kMaxNesting)
            throw DocumentError(place + ": graphs are nested more than " + std::to_string(kMaxNesting) + " levels deep");
        std::int64_t budget = 1 << 24;
        GraphDocument inner = readGraph(object, place, m_nesting + 1, budget);
        if (!inner.updates.empty()) throw DocumentError(place + ": a graph inside an op has no updates");
        return {std::move(inner.inputs), std::move(inner.outputs)};
    }

    OpRef readOp(const JsonValue &item, const std::string &where) const
    {
        const JsonValue &name = need(item, "class", where);
        if (!name.isText()) fail(where + ".class", std::string("a text was expected, not ") + name.kindText());
        const OpCard *card = findCard(name.text);
        if (!card) fail(where + ".class", "there is no op " + name.text + " that a document can build");
        const std::string full = m_place.empty() ? where : m_place + "." + where;
        try {
            return card->read(
                OpParameters(item, full, [this](const JsonValue &inner, const std::string &at) { return innerGraph(inner, at); }));
        } catch (const DocumentError &) {
            throw;
        } catch (const UserError &error) {
            fail(where, error.what());
        }
    }

    TraceId trace(const JsonValue &item, const std::string &where) const
    {
        const JsonValue *source = item.find("source");
        if (!source) return TraceId::None;
        if (!source->isArray()) fail(where + ".source", std::string("an array was expected, not ") + source->kindText());
        std::vector<SourceLine> lines;
        for (std::size_t i = 0; i < source->items.size() && i < 50; ++i) {
            const std::string place = where + ".source[" + std::to_string(i) + "]";
            const JsonValue &line = source->items[i];
            lines.push_back({textOf(line, "file", place),
                             static_cast<int>(OpParameters::integerOf(need(line, "line", place), place + ".line", 0, 100'000'000)),
                             textOf(line, "function", place), textOf(line, "text", place)});
        }
        return internTrace(std::move(lines));
    }

    // --- ends -------------------------------------------------------------------------------------------

    std::vector<VarRef> list(const char *key) const
    {
        const JsonValue &all = array(key);
        std::vector<VarRef> result;
        for (std::size_t i = 0; i < all.items.size(); ++i) {
            const std::string where = std::string(key) + "[" + std::to_string(i) + "]";
            const std::int64_t id = idOf(all.items[i], where);
            auto found = m_variables.find(id);
            if (found == m_variables.end()) fail(where, "there is no variable " + std::to_string(id));
            result.push_back(found->second);
        }
        return result;
    }

    void updates(GraphDocument &result) const
    {
        if (!m_object.find("updates")) return;
        const JsonValue &all = array("updates");
        for (std::size_t i = 0; i < all.items.size(); ++i) {
            const std::string where = "updates[" + std::to_string(i) + "]";
            const JsonValue &pair = all.items[i];
            if (!pair.isArray() || pair.items.size() != 2) fail(where, "a pair [output, shared variable] was expected");
            const std::int64_t output =
                OpParameters::integerOf(pair.items[0], where, 0, static_cast<std::int64_t>(result.outputs.size()) - 1);
            auto found = m_variables.find(idOf(pair.items[1], where));
            if (found == m_variables.end() || found->second->kind() != Variable::Kind::Shared)
                fail(where, "an update goes to a shared variable");
            const VarRef &value = result.outputs[output];
            if (!value->type().convertibleTo(found->second->type())) fail(where, "the new value has another type than the shared variable");
            result.updates.emplace_back(static_cast<std::size_t>(output), found->second);
        }
    }

    const JsonValue &m_object;
    std::string m_place;
    int m_nesting;
    std::int64_t &m_elements;
    std::unordered_map<std::int64_t, VarRef> m_variables;
    std::vector<Node> m_nodes;
};

} // namespace

std::string documentType(Type type)
{
    if (!type.isTensor()) {
        for (const auto &[name, kind] : kPlainTypes)
            if (type.kind() == kind) return std::string(name);
        return "null";
    }
    std::string text = std::string(nameOf(type.dtype())) + "[";
    for (int axis = 0; axis < type.rank(); ++axis) {
        const std::int64_t size = type.shape()[axis];
        text += (axis ? "," : "") + (size == kUnknownDim ? std::string("?") : std::to_string(size));
    }
    return text + "]";
}

GraphDocument readGraph(const JsonValue &object, const std::string &place, int nesting, std::int64_t &elements)
{
    return DocumentReader(object, place, nesting, elements).read();
}

GraphDocument readGraphDocument(std::string_view text, std::int64_t maxElements)
{
    JsonValue document;
    try {
        document = readJson(text);
    } catch (const JsonError &error) {
        throw DocumentError("line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": " + error.what());
    }
    const JsonValue *format = document.find("format");
    if (format && format->text == "croton-session-graph")
        throw DocumentError("this is a graph as a session holds it: without the parameters of its ops, so it cannot be built again",
                            "open the session itself, or write a document with croton expr … --format json");
    if (!format || format->text != "croton-graph")
        throw DocumentError("this is no graph document: \"format\" has to be \"croton-graph\"", "croton expr … --format json writes one");
    if (const JsonValue *missing = document.find("missing"); missing && missing->isArray() && !missing->items.empty())
        throw DocumentError("this graph cannot be built again without " + missing->items[0].text +
                                (missing->items.size() == 1 ? "" : ", and " + std::to_string(missing->items.size() - 1) + " more"),
                            "write a document that has it: croton expr … --format json");
    const JsonValue *version = document.find("version");
    if (!version || !version->integer) throw DocumentError("version: a whole number was expected");
    if (*version->integer != 1)
        throw DocumentError("version: this document has version " + std::to_string(*version->integer) + ", this program reads version 1");
    return readGraph(document, "", 0, maxElements);
}

} // namespace engine
