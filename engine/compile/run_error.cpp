#include "engine/compile/run_error.h"

namespace engine {
namespace {

std::string join(const std::vector<std::string> &parts)
{
    std::string out = "[";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
    return out + "]";
}

} // namespace

std::string describeRunError(const std::string &original, const FunctionGraph &graph, const Lineage &lineage, ApplyId apply,
                             std::size_t toposortIndex, const std::vector<std::optional<Tensor>> &inputs)
{
    const ApplyNode &node = graph.apply(apply);
    std::string call = node.op->name() + "(";
    std::vector<std::string> types, shapes, strides, values, clients;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        call += (i ? ", " : "") + graph.displayName(node.inputs[i].var);
        types.push_back(graph.var(node.inputs[i].var).type.text());
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
        text += "\nHINT: Re-running with most rewrites disabled could give you a back-trace of when this node was created. This can be done with "
                "by setting the Theano flag 'optimizer=fast_compile'. If that does not work, Theano optimizations can be disabled with 'optimizer=None'.";
        return text;
    }
    text += "\nBacktrace when the node is created(use Theano flag traceback.limit=N to make it longer):\n";
    for (TraceId trace : sources)
        for (const SourceLine &line : traceLines(trace)) {
            text += "  File \"" + line.file + "\", line " + std::to_string(line.line);
            if (!line.function.empty()) text += ", in " + line.function;
            text += "\n";
            if (!line.text.empty()) text += "    " + line.text + "\n";
        }
    return text;
}

} // namespace engine
