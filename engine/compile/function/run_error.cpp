#include "engine/compile/function/run_error.h"

#include "engine/compile/request/shared_values.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/text/print.h"

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace engine {
namespace {

std::atomic<bool> s_verbose{false};

constexpr const char *kVerbosityHint =
    "HINT: Use the Theano flag 'exception_verbosity=high' for a debugprint and storage map footprint of this apply node.";

/// The apply as an expression: named variables below it are not opened.
std::string expressionOf(const FunctionGraph &graph, ApplyId apply)
{
    const ExportedGraph exported = exportGraph(graph, graph.toposort());
    DebugPrintOptions options;
    options.types = options.stopOnName = true;
    std::vector<VarRef> outputs;
    for (std::size_t i = 0; i < exported.ids.size(); ++i)
        if (exported.ids[i] == apply)
            for (int o = 0; o < exported.toposort[i]->outputCount(); ++o) outputs.emplace_back(exported.toposort[i]->output(o));
    return debugPrint(outputs, options);
}

struct Footprint {
    std::string text;
    std::int64_t total = 0, ofInputs = 0;

    void add(const FunctionGraph &graph, VarId var, const Tensor &tensor)
    {
        const VarNode &node = graph.var(var);
        const auto element = static_cast<std::int64_t>(sizeOf(tensor.dtype()));
        const std::int64_t bytes = element * tensor.size();
        const bool isInput = node.owner == kNoApply && node.kind != Variable::Kind::Constant;
        text += " - " + graph.displayName(var) + ", " +
                (node.kind == Variable::Kind::Shared ? "Shared Input, "
                 : isInput                           ? "Input, "
                                                     : "") +
                "Shape: " + tensor.shape().text() + ", ElemSize: " + std::to_string(element) +
                " Byte(s), TotalSize: " + std::to_string(bytes) + " Byte(s)\n";
        total += bytes;
        if (isInput) ofInputs += bytes;
    }

    static std::string inBytes(std::int64_t bytes)
    {
        char text[64];
        std::snprintf(text, sizeof text, "%lld Byte(s) %.3f GB\n", static_cast<long long>(bytes), static_cast<double>(bytes) / (1 << 30));
        return text;
    }
};

/// What the apply reads and the shared variables of the function.
std::string footprintOf(const FunctionGraph &graph, const ApplyNode &node, const std::vector<std::optional<Tensor>> &inputs)
{
    Footprint footprint;
    std::vector<VarId> listed;
    for (std::size_t i = 0; i < node.inputs.size() && i < inputs.size(); ++i) {
        const VarId var = node.inputs[i].var;
        if (!inputs[i] || std::find(listed.begin(), listed.end(), var) != listed.end()) continue;
        listed.push_back(var);
        footprint.add(graph, var, *inputs[i]);
    }
    for (VarId var : graph.inputs()) {
        const VarNode &leaf = graph.var(var);
        if (leaf.kind != Variable::Kind::Shared || std::find(listed.begin(), listed.end(), var) != listed.end()) continue;
        const Value value = sharedValue(*leaf.leaf->container());
        if (value.isTensor()) footprint.add(graph, var, value.tensor());
    }
    return footprint.text + " TotalSize: " + Footprint::inBytes(footprint.total) +
           " TotalSize inputs: " + Footprint::inBytes(footprint.ofInputs);
}

std::string join(const std::vector<std::string> &parts)
{
    std::string out = "[";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
    return out + "]";
}

} // namespace

std::string linesText(std::span<const TraceId> sources)
{
    std::string text;
    for (TraceId trace : sources) {
        // As Python writes a traceback: the innermost line last.
        const auto lines = traceLines(trace);
        for (std::size_t i = lines.size(); i-- > 0;) {
            const SourceLine &line = lines[i];
            text += "  File \"" + line.file + "\", line " + std::to_string(line.line);
            if (!line.function.empty()) text += ", in " + line.function;
            text += "\n";
            if (!line.text.empty()) text += "    " + line.text + "\n";
        }
    }
    return text;
}

std::string describeRunError(const std::string &original, const FunctionGraph &graph, const Lineage &lineage, ApplyId apply,
                             std::size_t toposortIndex, const std::vector<std::optional<Tensor>> &inputs)
{
    const ApplyNode &node = graph.apply(apply);
    std::string call = node.op->name() + "(";
    std::vector<std::string> types, shapes, strides, values, clients;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        call += (i ? ", " : "") + operandName(graph, node, i);
        types.push_back(operandType(graph, node, i));
        if (i >= inputs.size() || !inputs[i]) {
            shapes.push_back("'No shapes'");
            strides.push_back("'No strides'");
            values.push_back("'not shown'");
            continue;
        }
        const Tensor &operand = *inputs[i];
        shapes.push_back(operand.shape().text());
        strides.push_back(operand.strides().text());
        values.push_back(operand.valid() && operand.size() <= 5 ? operand.text() : "'not shown'");
    }
    for (VarId out : node.outputs) {
        std::vector<std::string> readers;
        for (const Client &client : graph.var(out).clients)
            readers.push_back(client.isGraphOutput() ? "'output'" : graph.apply(client.apply).op->name());
        clients.push_back(join(readers));
    }
    std::string text = original + "\nApply node that caused the error: " + call + ")\nToposort index: " + std::to_string(toposortIndex) +
                       "\nInputs types: " + join(types) + "\nInputs shapes: " + join(shapes) + "\nInputs strides: " + join(strides) +
                       "\nInputs values: " + join(values) + "\nOutputs clients: " + join(clients) + "\n";
    const std::vector<TraceId> sources = lineage.sources(graph, apply);
    if (sources.empty()) {
        text +=
            "\nHINT: Re-running with most Theano optimization disabled could give you a back-trace of when this node was created. This can "
            "be done with by setting the Theano flag 'optimizer=fast_compile'. If that does not work, Theano optimizations can be disabled "
            "with 'optimizer=None'.\n";
    } else {
        text += "\nBacktrace when the node is created(use Theano flag traceback.limit=N to make it longer):\n" + linesText(sources);
    }
    if (!s_verbose) return text + "\n" + kVerbosityHint;
    return text + "\nDebugprint of the apply node: \n" + expressionOf(graph, apply) + "\nStorage map footprint:\n" +
           footprintOf(graph, node, inputs);
}

void setVerboseErrors(bool verbose) { s_verbose = verbose; }

} // namespace engine
