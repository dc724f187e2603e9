#include "profiler/replay/measure.h"

#include "engine/rewrite/machine/registry.h"
#include "engine/tensor/memory.h"
#include "engine/values/precise_graph.h"
#include "profiler/export/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace profiler {
namespace {

using engine::DType;
using nlohmann::json;

constexpr const char *kForDigits = ", rewritten by canonicalize and stabilize alone";

// The number of bytes is a multiple of that of an element: a document was read already.
std::string fromBase64(const std::string &text)
{
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned word = 0;
    int bits = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos) break;
        word = word << 6 | static_cast<unsigned>(digit);
        if ((bits += 6) < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(word >> bits & 255);
    }
    return bytes;
}

// Of a complex number its two parts.
json wideNumbers(const std::string &base64)
{
    const std::string bytes = fromBase64(base64);
    json numbers = json::array();
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        float number = 0;
        std::memcpy(&number, &bytes[i], 4);
        if (std::isnan(number)) numbers.push_back("nan");
        else if (std::isinf(number)) numbers.push_back(number > 0 ? "inf" : "-inf");
        else numbers.push_back(static_cast<double>(number));
    }
    return numbers;
}

void replaceAll(std::string &text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

// Every word of a dtype, in types, casts and parameters of ops.
void widen(json &node)
{
    if (node.is_string()) {
        std::string text = node.get<std::string>();
        replaceAll(text, "float32", "float64");
        replaceAll(text, "float16", "float64");
        replaceAll(text, "complex64", "complex128");
        node = text;
    } else if (node.is_object()) {
        for (auto &[key, value] : node.items())
            if (key != "source" && key != "name") widen(value);
    } else if (node.is_array()) {
        for (json &value : node) widen(value);
    }
}

// The same graph in float64. Throws UserError where an op is not what it was then.
engine::GraphDocument inDouble(const engine::GraphDocument &graph)
{
    json document =
        json::parse(engine::writeGraphDocument(engine::FunctionGraph(graph.inputs, graph.outputs), engine::SharedValues::Shapes));
    for (json &variable : document["variables"]) {
        if (!variable.contains("value") || !variable["value"].is_object()) continue;
        json &value = variable["value"];
        const std::string type = variable["type"].get<std::string>();
        const bool isSingle = type.starts_with("float32"), isPair = type.starts_with("complex64");
        if ((isSingle || isPair) && value.contains("data") && value["data"].is_string())
            value["data"] = wideNumbers(value["data"].get<std::string>());
    }
    for (const char *part : {"variables", "applies"}) widen(document[part]);
    return engine::readGraphDocument(document.dump(), std::int64_t{1} << 31);
}

bool hasNarrow(const engine::GraphDocument &graph)
{
    const auto isNarrow = [](const engine::VarRef &variable) {
        if (!variable->type().isTensor()) return false;
        const DType dtype = variable->type().dtype();
        return dtype == DType::Float32 || dtype == DType::Float16 || dtype == DType::Complex64;
    };
    for (const engine::VarRef &variable : engine::ancestors(graph.outputs))
        if (isNarrow(variable)) return true;
    return false;
}

engine::Value wide(const engine::Value &value)
{
    if (!value.isTensor()) return value;
    const DType dtype = value.tensor().dtype();
    if (dtype == DType::Complex64) return value.tensor().converted(DType::Complex128);
    return engine::isFloat(dtype) ? engine::Value(value.tensor().converted(DType::Float64)) : value;
}

// As written it overflows and cancels in float64, too: what keeps digits is let in, and nothing else.
engine::Mode forDigits()
{
    engine::Mode mode = engine::Mode::named("FAST_RUN");
    mode.linker = engine::Linker::Vm;
    mode.device = engine::DeviceId::Host;
    for (const engine::Phase phase : {engine::Phase::Blas, engine::Phase::Specialize, engine::Phase::Uncanonicalize, engine::Phase::Device,
                                      engine::Phase::Fusion, engine::Phase::Inplace, engine::Phase::Schedule})
        mode.excluding.emplace_back(engine::nameOf(phase));
    return mode;
}

} // namespace

namespace {

// In float64, or in what the graph has where it cannot be widened; how, in words.
std::string runInDouble(const LoadedCall &call, std::vector<engine::Value> &values)
{
    if (hasNarrow(call.graph)) {
        try {
            LoadedCall twin = call;
            twin.graph = inDouble(call.graph);
            // Updates are outputs here, and inputs stand in the order of the document.
            twin.graph.updates.clear();
            twin.explicitInputs.clear();
            twin.shared.clear();
            for (const engine::VarRef &input : twin.graph.inputs)
                (input->kind() == engine::Variable::Kind::Shared ? twin.shared : twin.explicitInputs).push_back(input);
            for (engine::Value &value : twin.inputs) value = wide(value);
            for (engine::Value &value : twin.sharedValues) value = wide(value);
            values = callCaptured(twin, *compileCaptured(twin, forDigits()));
            return std::string("in float64") + kForDigits;
        } catch (const engine::UserError &) {
            // an op that has only the dtype that it was written with
        }
    }
    values = callCaptured(call, *compileCaptured(call, forDigits()));
    return std::string(hasNarrow(call.graph) ? "in its own precision (an op of it has no other)" : "in its own float64") + kForDigits;
}

bool isFinite(const engine::PreciseArray &array)
{
    return std::ranges::all_of(array.values, [](const engine::Precise &value) { return value.isFinite(); });
}

} // namespace

Reference referenceOf(const LoadedCall &call)
{
    Reference reference;
    const engine::FunctionGraph graph(call.explicitInputs, call.graph.outputs);
    engine::ReferenceBudget budget;
    engine::PreciseGraph made;
    try {
        made = engine::preciseGraph(graph, graph.toposort(), valuesFor(graph, call), budget);
    } catch (const engine::UserError &error) { // as it was written it cannot be called
        made.wanted.resize(call.graph.outputs.size());
        made.references.assign(made.wanted.size(), engine::Reference::None);
        made.values.resize(made.wanted.size());
        made.notes = {std::string("as it was written it ends with: ") + error.what()};
    }
    std::vector<std::string> inDoubles;
    for (std::size_t o = 0; o < made.wanted.size(); ++o) {
        const bool isMeasured = made.values[o].isTensor() && engine::isContinuous(made.values[o].tensor().dtype());
        const bool isPrecise = made.references[o] == engine::Reference::Precise && isFinite(*made.wanted[o]);
        reference.precise.push_back(isPrecise ? made.wanted[o] : nullptr);
        if (!isPrecise) inDoubles.push_back(call.outputNames[o]);
        if (!isPrecise || !isMeasured) continue;
        const engine::DType dtype = made.values[o].tensor().dtype();
        const auto unsure =
            std::ranges::count_if(made.wanted[o]->values, [&](const engine::Precise &value) { return !isSure(value, dtype); });
        if (unsure > 0)
            reference.notes.push_back("of " + std::to_string(unsure) + (unsure == 1 ? " element of " : " elements of ") +
                                      call.outputNames[o] +
                                      " it cannot be proven that the reference has all digits: its 34 are compared all the same");
    }
    reference.values.resize(made.wanted.size());
    reference.text = "the graph as it was written, in 34 digits";
    if (inDoubles.empty()) return reference;
    std::vector<engine::Value> values;
    const std::string how = runInDouble(call, values);
    for (std::size_t o = 0; o < values.size(); ++o)
        if (!reference.precise[o]) reference.values[o] = values[o];
    reference.notes.insert(reference.notes.end(), made.notes.begin(), made.notes.end());
    if (inDoubles.size() == made.wanted.size()) reference.text = "the original graph " + how;
    else reference.text += ", of " + listed(inDoubles) + " " + how;
    return reference;
}

ValueDifference worstOf(const std::vector<engine::Value> &values, const Reference &reference)
{
    ValueDifference worst;
    worst.isSame = true;
    for (std::size_t i = 0; i < values.size() && i < reference.values.size(); ++i) {
        const ValueDifference one =
            reference.precise[i] ? differenceBetween(values[i], *reference.precise[i]) : differenceBetween(values[i], reference.values[i]);
        worst.isSame &= one.isSame;
        worst.isSameType &= one.isSameType;
        worst.notFinite += one.notFinite;
        worst.finiteOnly += one.finiteOnly;
        worst.absolute = std::max(worst.absolute, one.absolute);
        worst.relative = std::max(worst.relative, one.relative);
        worst.ulp = std::max(worst.ulp, one.ulp);
    }
    return worst;
}

std::int64_t peakOfCall(const LoadedCall &call, engine::Function &function)
{
    setShared(call);
    function.free();
    std::vector<engine::Value> outputs;
    const std::size_t before = engine::liveBytes();
    engine::resetPeakBytes();
    function.call(call.inputs, outputs);
    return static_cast<std::int64_t>(engine::peakBytes() - before);
}

std::string structureOf(const engine::Function &function)
{
    const engine::FunctionGraph &graph = function.graph();
    std::unordered_map<std::uint32_t, std::size_t> numbers;
    std::unordered_map<std::uint32_t, std::size_t> places;
    std::string text;
    const auto add = [&](engine::VarId id) {
        const engine::VarNode &node = graph.var(id);
        if (node.kind == engine::Variable::Kind::Constant && node.leaf) {
            text += " =" + node.type.text() + std::to_string(node.leaf->value().contentHash());
            return;
        }
        text += " " + std::to_string(numbers.emplace(engine::raw(id), numbers.size()).first->second);
    };
    for (const engine::VarId id : graph.inputs()) add(id);
    for (const engine::ApplyId id : function.order()) {
        const engine::ApplyNode &node = graph.apply(id);
        places.emplace(engine::raw(id), places.size());
        text += "\n" + node.op->name() + "#" + std::to_string(node.op->hash());
        for (const engine::Use &use : node.inputs) add(use.var);
        text += " ->";
        for (const engine::VarId output : node.outputs) add(output);
    }
    text += "\nout";
    for (const engine::VarId output : graph.outputs()) add(output);
    for (const engine::KernelGroup &group : graph.groups) {
        text += "\ngroup";
        for (const engine::ApplyId id : group.applies) text += " " + std::to_string(places[engine::raw(id)]);
    }
    return text;
}

} // namespace profiler
