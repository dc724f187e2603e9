// What `croton expr` says to people.

#include "app/cli/expr/expr_parts.h"
#include "app/cli/shared/graphviz.h"
#include "engine/text/graph_document.h"
#include "profiler/export/format.h"

#include <algorithm>
#include <cstdio>

namespace app {

namespace {

std::string applies(std::size_t count) { return std::to_string(count) + (count == 1 ? " apply" : " applies"); }

std::string indented(const std::string &text)
{
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) out += "  " + text.substr(begin, end - begin);
        out += '\n';
        begin = end + 1;
    }
    return out;
}

std::string timeText(double ns)
{
    char text[40];
    if (ns < 1e3) std::snprintf(text, sizeof text, "%.0f ns", ns);
    else if (ns < 1e6) std::snprintf(text, sizeof text, "%.2f µs", ns / 1e3);
    else if (ns < 1e9) std::snprintf(text, sizeof text, "%.2f ms", ns / 1e6);
    else std::snprintf(text, sizeof text, "%.2f s", ns / 1e9);
    return text;
}

std::string stepTable(const ExprOutcome &outcome)
{
    std::size_t phase = 0, rewrite = 0;
    for (const engine::Step &step : outcome.steps) {
        phase = std::max(phase, step.phase.size());
        rewrite = std::max(rewrite, step.rewrite.size());
    }
    std::string out;
    for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
        const engine::Step &step = outcome.steps[i];
        const std::string number = std::to_string(i + 1);
        std::string line = std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  " + std::string(step.phase) +
                           std::string(phase - step.phase.size() + 2, ' ') + std::string(step.rewrite) +
                           std::string(rewrite - step.rewrite.size() + 2, ' ') + std::to_string(step.appliesBefore) + " → " +
                           std::to_string(step.appliesAfter);
        if (!step.reason.empty()) line.append("  ").append(step.reason);
        out += line + "\n";
    }
    return out;
}

std::string inputNames(const ExprOutcome &outcome)
{
    std::string text;
    for (std::size_t i = 0; i < outcome.inputs.size(); ++i) {
        const engine::Tensor &value = outcome.inputs[i].tensor;
        text += (i ? ", " : "") + outcome.parsed.inputs[i]->displayName() + ": " + std::string(engine::nameOf(value.dtype())) + " " +
                value.shape().text() + (outcome.inputs[i].random ? " random" : "");
    }
    return text;
}

} // namespace

std::string prettyOf(const std::vector<engine::VarRef> &outputs, const ExprRequest &request)
{
    std::string text;
    for (const engine::VarRef &output : outputs)
        text += engine::prettyPrint(output, {.exact = true, .floatX = request.floatX, .limit = 4000}) + "\n";
    return text;
}

std::string graphInFormat(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const ExprRequest &request)
{
    if (request.format == "json") return engine::writeGraphDocument(graph);
    if (request.format == "dot") return engine::toDot(graph);
    if (request.format == "svg") return svgOfDot(engine::toDot(graph));
    const engine::ExportedGraph exported = engine::exportGraph(graph, order);
    if (request.format == "pp") return prettyOf(exported.outputs, request);
    return engine::debugPrint(exported.outputs, {.types = request.types}, exported.toposort);
}

std::string exprGraphsText(const ExprOutcome &outcome, const ExprRequest &request)
{
    std::string out;
    if (!request.optimizedOnly) {
        out += "Original: " + applies(outcome.original->liveApplyCount()) + "\n";
        out += indented(prettyOf(outcome.parsed.outputs, request)) + "\n";
        out += indented(engine::debugPrint(outcome.parsed.outputs, {.types = request.types})) + "\n";
        out += "Rewrites: " + profiler::counted(static_cast<std::int64_t>(outcome.steps.size()), "step") + ", " +
               timeText(outcome.optimizerNs) + "\n";
        out += stepTable(outcome) + "\n";
    }
    out += "Optimized: " + applies(outcome.optimizedApplies) + "\n";
    out += indented(prettyOf(outcome.optimized.outputs, request)) + "\n";
    out += indented(engine::debugPrint(outcome.optimized.outputs, {.types = request.types}, outcome.optimized.toposort)) + "\n";
    return out;
}

std::string exprValuesText(const ExprOutcome &outcome, const ExprRequest &request)
{
    std::string out = outcome.inputs.empty() ? "Value\n" : "Value for " + inputNames(outcome) + "\n";
    for (const engine::Value &value : outcome.values) {
        const engine::Tensor &tensor = value.tensor();
        out += "  " + tensor.text(2000) + "  " + std::string(engine::nameOf(tensor.dtype())) +
               (tensor.rank() ? " " + tensor.shape().text() : "") + "\n";
    }
    if (request.timed)
        out += "\n" + profiler::counted(outcome.timing.calls, "call") + ": " + timeText(outcome.timing.meanNs) + " each, the fastest " +
               timeText(outcome.timing.fastestNs) + "\n";
    if (!request.session.empty()) out += "\nSession: " + request.session + "\n";
    return out;
}

} // namespace app
