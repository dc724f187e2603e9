// The error of a call for which a device or the host has no memory: which buffers it needs, the lines that made them, and what the
// function holds there already.
#include "engine/compile/function/function_errors.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kMostRows = 8;

std::string bytesText(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

void FunctionErrors::reportOutOfMemory(const Stage &stage, Plan *plan, const std::exception &error) const
{
    if (!plan) return;
    const FunctionGraph &graph = *m_compiled.graph;
    const std::string &function = m_compiled.spec.name;
    const std::vector<BufferInfo> lacking = plan->lacking();
    plan->unbind(false);
    if (lacking.empty()) return;
    const std::string &name = deviceOf(lacking.front().device).info().name;
    const auto lineOf = [&](ApplyId apply) -> std::string {
        for (TraceId trace : m_compiled.lineage().sources(graph, apply))
            if (const auto lines = traceLines(trace); !lines.empty())
                return ", " + lines.front().file + ":" + std::to_string(lines.front().line);
        return {};
    };
    std::string text = error.what();
    text += "\nThe function " + (function.empty() ? std::string("without a name") : function) + " needs it on " + name + " for " +
            (lacking.front().residence == Residence::Returned ? "a result" : "what lives within a call") + ":\n";
    for (std::size_t i = 0; i < std::min(lacking.size(), kMostRows); ++i) {
        const VarNode &node = graph.var(lacking[i].var);
        text += " - " + graph.apply(node.owner).op->name() + ": " + std::string(nameOf(node.type.dtype())) + " " + lacking[i].shape.text() +
                ", " + bytesText(lacking[i].bytes) + lineOf(node.owner) + "\n";
    }
    if (lacking.size() > kMostRows) text += " - " + std::to_string(lacking.size() - kMostRows) + " more\n";
    std::string held;
    for (const BufferInfo &buffer : plan->buffers())
        if (buffer.device == lacking.front().device && buffer.residence == Residence::Input)
            held += " - " + graph.displayName(buffer.var) + ": " + std::string(nameOf(graph.var(buffer.var).type.dtype())) + " " +
                    buffer.shape.text() + ", " + bytesText(buffer.bytes) + "\n";
    if (!held.empty()) text += "Its arguments and shared variables there:\n" + held;
    text.pop_back();
    fail(TooLarge(text), plan->failureOf(graph.var(lacking.front().var).owner), stage.first);
}

} // namespace engine
