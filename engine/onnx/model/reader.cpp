#include "engine/onnx/model/reader.h"

#include "engine/compile/function/function.h"
#include "engine/graph/ir/source.h"
#include "engine/onnx/model/tensors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <unordered_set>

namespace engine::onnx {
namespace {

// Models that people make have some thousands of nodes; graphs within graphs are few.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kDeepest = 24;

// Without what would end a sentence or a line.
std::string printable(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

std::string inQuotes(const std::string &text) { return '"' + printable(text.size() > 200 ? text.substr(0, 200) + "…" : text) + '"'; }

std::string titleOf(const proto::NodeProto &node)
{
    std::string title = node.domain().empty() || node.domain() == "ai.onnx" ? node.op_type() : node.domain() + "." + node.op_type();
    if (!node.name().empty()) title += " " + inQuotes(node.name());
    else if (node.output_size()) title += " that makes " + inQuotes(node.output(0));
    return printable(std::move(title));
}

// "Conv "stem" (x, w) -> y": the line of a node in the text that stands for the model.
std::string lineOf(const proto::NodeProto &node, std::size_t indent)
{
    constexpr std::size_t kLongest = 400;
    std::string line(indent, ' ');
    line += node.op_type();
    if (!node.name().empty()) line += " \"" + node.name() + "\"";
    const auto list = [&](const auto &names) {
        for (int i = 0; i < names.size() && line.size() < kLongest; ++i) line += (i ? ", " : "") + (names[i].empty() ? "-" : names[i]);
    };
    line += " (";
    list(node.input());
    line += ") -> ";
    list(node.output());
    return printable(std::move(line));
}

std::string domainOf(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

} // namespace

VarRef Scope::find(const std::string &name)
{
    if (const auto found = m_values.find(name); found != m_values.end()) return found->second;
    if (!m_outer) return {};
    const VarRef found = m_outer->find(name);
    if (!captures || !found || found->kind() == Variable::Kind::Constant) return found;
    const VarRef own = Variable::input(found->type(), found->name());
    outside.push_back(found);
    inside.push_back(own);
    put(name, own);
    return own;
}

Reader::Reader(const proto::ModelProto &model, const ReadOptions &options) : m_model(model), m_options(options)
{
    for (const auto &opset : model.opset_import()) m_opsets[domainOf(opset.domain())] = opset.version();
    list(model.graph().node(), 0);
    for (const auto &function : model.functions()) list(function.node(), 1);
    for (const auto &function : model.functions()) m_functions[domainOf(function.domain()) + "\n" + function.name()] = &function;
}

void Reader::list(const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes, std::size_t depth)
{
    if (depth > kDeepest) throw ModelError("graphs stand inside graphs more than " + std::to_string(kDeepest) + " deep");
    for (const auto &node : nodes) {
        if (m_lines.size() >= kMostNodes) throw ModelError("the model has more than " + std::to_string(kMostNodes) + " nodes");
        m_lines.push_back(lineOf(node, 4 * depth));
        m_lineOf[&node] = static_cast<int>(m_lines.size());
        for (const auto &attribute : node.attribute()) {
            list(attribute.g().node(), depth + 1);
            for (const auto &graph : attribute.graphs()) list(graph.node(), depth + 1);
        }
    }
}

std::int64_t Reader::opsetOf(const std::string &domain) const
{
    const auto found = m_opsets.find(domain);
    return found == m_opsets.end() ? 1 : found->second;
}

Tensor Reader::tensorOf(const proto::TensorProto &message, const std::string &what) const
{
    return onnx::tensorOf(message, m_options.folder, what);
}

Model Reader::read()
{
    Model result;
    result.name = m_model.graph().name();
    result.producer = m_model.producer_name();
    if (!m_model.producer_version().empty()) result.producer += " " + m_model.producer_version();
    result.documentation = m_model.doc_string().empty() ? m_model.graph().doc_string() : m_model.doc_string();
    result.irVersion = m_model.ir_version();
    result.opsets = m_opsets;
    for (const auto &entry : m_model.metadata_props()) result.metadata[entry.key()] = entry.value();
    if (!m_model.has_graph()) throw ModelError("this file has no graph: it is no model of ONNX, or a part of it is missing");
    Scope scope;
    readInitializers(m_model.graph(), scope);
    for (const auto &info : m_model.graph().input())
        if (!scope.hasOwn(info.name())) addInput(info, scope, result);
    for (const auto &output : m_model.graph().output()) result.outputs.push_back({output.name(), {}});
    if (result.outputs.empty()) throw ModelError("the graph " + inQuotes(result.name) + " has no outputs");
    result.nodes = m_lines;
    if (m_options.onlyInputs) return result;
    const Vars outputs = readGraph(m_model.graph(), scope);
    for (std::size_t i = 0; i < outputs.size(); ++i) result.outputs[i].variable = outputs[i];
    return result;
}

void Reader::readInitializers(const proto::GraphProto &graph, Scope &scope)
{
    for (const auto &tensor : graph.initializer()) {
        const std::string what = "the initializer " + inQuotes(tensor.name());
        if (tensor.name().empty()) throw ModelError("an initializer of the graph " + inQuotes(graph.name()) + " has no name");
        if (scope.hasOwn(tensor.name())) throw ModelError(what + " is there twice");
        scope.put(tensor.name(), Variable::constant(tensorOf(tensor, what), tensor.name()));
    }
    if (graph.sparse_initializer_size())
        throw ModelError("the graph " + inQuotes(graph.name()) + " has sparse initializers, which Croton does not read");
}

void Reader::addInput(const proto::ValueInfoProto &info, Scope &scope, Model &result)
{
    const std::string what = "the input " + inQuotes(info.name());
    if (info.name().empty()) throw ModelError("an input of the graph has no name");
    if (const auto value = m_options.values.find(info.name()); value != m_options.values.end()) {
        scope.put(info.name(), Variable::constant(value->second, info.name()));
        return;
    }
    if (!info.type().has_tensor_type()) throw ModelError(what + " is no array: sequences, maps and optional values are not read");
    const auto &type = info.type().tensor_type();
    const DType dtype = dtypeOf(type.elem_type(), what);
    ModelInput input{info.name(), {}, std::string(nameOf(dtype)), {}};
    Ints sizes;
    for (const auto &dim : type.shape().dim()) {
        std::int64_t size = kUnknownDim;
        if (dim.has_dim_value() && dim.dim_value() >= 0) size = dim.dim_value();
        else if (const auto found = m_options.dims.find(dim.dim_param()); found != m_options.dims.end()) size = found->second;
        sizes.push_back(size);
        input.sizes.push_back(dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param().empty() ? "?" : dim.dim_param());
    }
    if (const auto given = m_options.shapes.find(info.name()); given != m_options.shapes.end()) {
        bool fits = !type.has_shape() || given->second.size() == sizes.size();
        for (std::size_t i = 0; fits && type.has_shape() && i < sizes.size(); ++i)
            fits = sizes[i] == kUnknownDim || sizes[i] == given->second[i];
        if (!fits) {
            std::string wanted, got;
            for (const std::string &size : input.sizes) wanted += (wanted.empty() ? "" : ", ") + size;
            for (const std::int64_t size : given->second) got += (got.empty() ? "" : ", ") + std::to_string(size);
            throw ModelError(what + " has the sizes (" + wanted + ") in the model, but (" + got + ") were given");
        }
        sizes = given->second;
    } else if (!type.has_shape() && m_options.onlyInputs) {
        input.sizes.push_back("...");
    } else if (!type.has_shape()) {
        throw ValueNeeded(what + " has no sizes in the model, not even how many axes it has", info.name());
    }
    if (sizes.size() > static_cast<std::size_t>(kMaxRank))
        throw ModelError(what + " has " + std::to_string(sizes.size()) + " axes; " + std::to_string(kMaxRank) + " are possible");
    input.variable = Variable::input(Type::tensor(dtype, sizes), info.name());
    scope.put(info.name(), input.variable);
    m_inputs[input.variable.get()] = info.name();
    result.inputs.push_back(std::move(input));
}

Vars Reader::readGraph(const proto::GraphProto &graph, Scope &scope)
{
    if (++m_depth > static_cast<int>(kDeepest))
        throw ModelError("graphs stand inside graphs more than " + std::to_string(kDeepest) + " deep at " + inQuotes(graph.name()));
    if (scope.outer()) readInitializers(graph, scope);
    readNodes(graph.node(), scope);
    Vars outputs;
    for (const auto &output : graph.output()) {
        const VarRef value = scope.find(output.name());
        if (!value)
            throw ModelError("the output " + inQuotes(output.name()) + " of the graph " + inQuotes(graph.name()) + " is made by no node");
        outputs.push_back(value);
    }
    --m_depth;
    return outputs;
}

// The format wants nodes in an order in which each stands after those it reads: another order is a mistake, or a cycle.
void Reader::readNodes(const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes, Scope &scope)
{
    for (const auto &node : nodes) {
        if (++m_nodes > kMostNodes) throw ModelError("the model has more than " + std::to_string(kMostNodes) + " nodes");
        readNode(node, scope);
    }
}

void Reader::readNode(const proto::NodeProto &node, Scope &scope)
{
    const std::string domain = domainOf(node.domain());
    std::int64_t opset = opsetOf(domain);
    Call call(*this, scope, node, opset, titleOf(node) + " (opset " + std::to_string(opset) + ")");
    SourceLine line;
    line.file = !m_options.source.empty() ? m_options.source : m_model.graph().name().empty() ? "model" : m_model.graph().name();
    line.line = m_lineOf.at(&node);
    line.function = scope.path + node.name();
    line.text = m_lines[static_cast<std::size_t>(line.line - 1)];
    const ScopedTrace trace(internCall(std::move(line), currentTrace()));
    Vars results;
    try {
        if (const OpRow *row = OpRows::find(domain, node.op_type(), opset)) {
            results = row->function(call);
        } else if (const auto function = m_functions.find(domain + "\n" + node.op_type()); function != m_functions.end()) {
            results = callFunction(call, *function->second);
        } else {
            call.fail("is an op that Croton does not read in this opset");
        }
    } catch (const ModelError &) {
        throw;
    } catch (const UserError &error) {
        throw ModelError(call.place() + ": " + error.what(), error.hint());
    } catch (const std::out_of_range &) {
        call.fail("has fewer axes, numbers or inputs than it needs");
    } catch (const std::bad_alloc &) {
        call.fail("asks for more memory than there is");
    } catch (const std::length_error &) {
        call.fail("asks for more memory than there is");
    }
    for (int i = 0; i < node.output_size(); ++i) {
        if (node.output(i).empty()) continue;
        if (static_cast<std::size_t>(i) >= results.size() || !results[static_cast<std::size_t>(i)])
            call.fail("has the output " + inQuotes(node.output(i)) + ", which Croton does not compute");
        if (scope.hasOwn(node.output(i))) call.fail("makes " + inQuotes(node.output(i)) + ", which is there already");
        VarRef &result = results[static_cast<std::size_t>(i)];
        result = pinned(result);
        if (result->kind() == Variable::Kind::Output && result->name().empty()) result->setName(scope.path + node.output(i));
        scope.put(node.output(i), result);
    }
}

Vars Reader::callFunction(const Call &call, const proto::FunctionProto &function)
{
    if (++m_depth > static_cast<int>(kDeepest))
        call.fail("calls functions more than " + std::to_string(kDeepest) + " deep: does one call itself?");
    Scope scope;
    scope.path = call.scope().path + (call.node().name().empty() ? call.node().op_type() : call.node().name()) + "/";
    for (int i = 0; i < function.input_size(); ++i)
        if (call.has(i)) scope.put(function.input(i), call.in(i));
    for (const auto &attribute : call.node().attribute()) scope.attributes[attribute.name()] = &attribute;
    const std::map<std::string, std::int64_t> before = m_opsets;
    for (const auto &opset : function.opset_import()) m_opsets[domainOf(opset.domain())] = opset.version();
    readNodes(function.node(), scope);
    m_opsets = before;
    --m_depth;
    Vars results;
    for (const auto &output : function.output()) results.push_back(scope.find(output));
    return results;
}

std::optional<Tensor> Reader::known(const VarRef &variable)
{
    if (variable->kind() == Variable::Kind::Constant) return variable->value().tensor();
    if (const auto found = m_known.find(variable.get()); found != m_known.end()) return found->second;
    for (const VarRef &leaf : leaves(std::vector<VarRef>{variable}))
        if (leaf->kind() != Variable::Kind::Constant) return std::nullopt;
    // What decides how a graph is built is small: sizes, axes, limits.
    constexpr std::int64_t kMostElements = 1 << 22;
    for (const Apply *node : toposort(std::vector<VarRef>{variable}))
        for (int i = 0; i < node->outputCount(); ++i) {
            std::int64_t elements = 1;
            for (const std::int64_t size : node->output(i)->type().shape())
                if (size > 0 && (elements *= std::min(size, kMostElements)) >= kMostElements)
                    throw ModelError("a number that decides how the graph is built is made of an array that is too big for that");
        }
    FunctionSpec spec;
    spec.outputs = {variable};
    spec.mode = Mode::named("FAST_COMPILE");
    std::vector<Value> results;
    Function::compile(std::move(spec))->call({}, results);
    return m_known[variable.get()] = results.at(0).tensor();
}

std::string Reader::inputBelow(const VarRef &variable) const
{
    for (const VarRef &leaf : leaves(std::vector<VarRef>{variable}))
        if (const auto found = m_inputs.find(leaf.get()); found != m_inputs.end()) return found->second;
    return {};
}

Model readModel(std::string_view bytes, const ReadOptions &options)
{
    proto::ModelProto model;
    if (bytes.size() > std::numeric_limits<int>::max()) throw ModelError("a model of more than 2 GB keeps its weights in files beside it");
    if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        throw ModelError("this is no model of ONNX: its bytes are no ModelProto message, or the file is cut off");
    return Reader(model, options).read();
}

Model readModelFile(const std::string &path, ReadOptions options)
{
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) throw ModelError("\"" + path + "\" is no file");
    std::ifstream file(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(path, problem)), '\0');
    if (problem || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw ModelError("\"" + path + "\" cannot be read");
    if (options.source.empty()) options.source = path;
    if (options.folder.empty()) options.folder = std::filesystem::absolute(path).parent_path().string();
    try {
        return readModel(bytes, options);
    } catch (const ValueNeeded &) {
        throw;
    } catch (const ModelError &error) {
        throw ModelError(path + ": " + error.what(), error.hint());
    }
}

std::vector<std::string> knownOps()
{
    std::vector<std::string> result;
    for (const OpRow &row : OpRows::all())
        result.push_back((*row.domain ? std::string(row.domain) + "." : std::string()) + row.name + " " + std::to_string(row.since));
    return result;
}

} // namespace engine::onnx

extern "C" const engine::onnx::Library *crotonOnnxLibrary()
{
    static const engine::onnx::Library library{engine::onnx::readModelFile, engine::onnx::readModel, engine::onnx::readTensor,
                                               engine::onnx::knownOps};
    return &library;
}
