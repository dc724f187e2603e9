#include "profiler/export/why_not.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace profiler {

using nlohmann::json;

namespace {

std::string numbered(ApplyId id) { return "a" + std::to_string(raw(id)); }

std::vector<Decline> lastOf(const std::vector<Decline> &declines, ApplyId apply)
{
    std::vector<Decline> result;
    for (const Decline &decline : declines)
        if (decline.last && decline.apply == apply) result.push_back(decline);
    return result;
}

// The causing node may have left the graph since: its op still says what it was.
std::string labelOf(const GraphReplica &graph, ApplyId id)
{
    const ReplicaApply *apply = graph.apply(id);
    if (!apply) return numbered(id);
    return numbered(id) + " " + graph.text(apply->op) + (apply->live ? "" : " (gone)");
}

} // namespace

std::vector<ApplyId> appliesNamed(const GraphReplica &graph, std::string_view node)
{
    // "9": the position that the printed graph shows; "a148": the id, which stays through all steps.
    std::string_view digits = node;
    const bool isId = digits.starts_with('a');
    if (isId) digits.remove_prefix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) {
        if (!isId) {
            const std::vector<ApplyId> order = graph.toposort();
            return number < order.size() ? std::vector<ApplyId>{order[number]} : std::vector<ApplyId>{};
        }
        const ReplicaApply *apply = graph.apply(ApplyId{number});
        return apply && apply->live ? std::vector<ApplyId>{apply->id} : std::vector<ApplyId>{};
    }
    std::vector<ApplyId> byName, byOp;
    for (const ApplyId id : graph.toposort()) {
        const ReplicaApply &apply = *graph.apply(id);
        for (const VariableId output : apply.outputs)
            if (graph.text(graph.variable(output)->name) == node) {
                byName.push_back(id);
                break;
            }
        if (graph.text(apply.op).find(node) != std::string::npos || graph.text(apply.friendly) == node) byOp.push_back(id);
    }
    return byName.empty() ? byOp : byName;
}

std::string whyNotText(const GraphReplica &graph, const std::vector<Decline> &declines, const std::vector<ApplyId> &applies)
{
    std::string out;
    for (const ApplyId id : applies) {
        out += numbered(id) + " " + graph.label(id) + "\n";
        const std::vector<Decline> answers = lastOf(declines, id);
        if (answers.empty()) out += "  no rewrite that ran looks at this op\n";
        std::size_t width = 0;
        for (const Decline &answer : answers) width = std::max(width, answer.rewrite.size());
        for (const Decline &answer : answers) {
            out += "  " + answer.rewrite + std::string(width - answer.rewrite.size() + 2, ' ') + answer.reason;
            if (answer.because != kNoApply) out += "  [" + labelOf(graph, answer.because) + "]";
            out += "\n";
        }
    }
    return out;
}

json whyNotJson(const GraphReplica &graph, const std::vector<Decline> &declines, const std::vector<ApplyId> &applies)
{
    json out{{"applies", json::array()}};
    for (const ApplyId id : applies) {
        json answers = json::array();
        for (const Decline &answer : lastOf(declines, id)) {
            json one{{"rewrite", answer.rewrite}, {"reason", answer.reason}};
            if (answer.because != kNoApply) {
                one["because"] = raw(answer.because);
                one["becauseLabel"] = labelOf(graph, answer.because);
            }
            answers.push_back(std::move(one));
        }
        out["applies"].push_back(
            {{"apply", raw(id)}, {"op", graph.text(graph.apply(id)->op)}, {"label", graph.label(id)}, {"declined", std::move(answers)}});
    }
    return out;
}

} // namespace profiler
