#include "profiler/export/json_export.h"

#include "profiler/export/graph_export.h"
#include "profiler/export/report.h"
#include "profiler/session/model/model.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/advice/advice.h"
#include "profiler/stats/times/profile_parts.h"
#include "profiler/stats/times/scope.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace profiler {

using nlohmann::json;

namespace {

json place(const SourceLine &source) { return {{"file", source.file}, {"line", source.line}}; }

json nodesOf(const std::vector<ApplyKey> &nodes)
{
    json list = json::array();
    for (const ApplyKey &node : nodes) list.push_back({{"graph", raw(node.graph)}, {"apply", raw(node.apply)}});
    return list;
}

json tableJson(const Table &table)
{
    json rows = json::array();
    for (const TableRow &row : table.rows) {
        json one{{"name", row.name},
                 {"percent", row.percent},
                 {"cumulativePercent", row.cumulativePercent},
                 {"ns", row.ns},
                 {"nsPerCall", row.nsPerCall},
                 {"calls", row.calls},
                 {"applies", row.applies},
                 {"type", row.type},
                 {"minNs", row.minNs},
                 {"maxNs", row.maxNs},
                 {"deviationNs", row.deviationNs},
                 {"medianNs", row.medianNs},
                 {"p95Ns", row.p95Ns},
                 {"p99Ns", row.p99Ns},
                 {"nodes", nodesOf(row.nodes)}};
        if (row.position >= 0) one["id"] = row.position;
        if (row.function != kNoFunction) one["function"] = raw(row.function);
        if (row.deviceNs) one["deviceNs"] = *row.deviceNs;
        if (row.blockingNs) one["blockingNs"] = *row.blockingNs;
        rows.push_back(std::move(one));
    }
    return {{"totalNs", table.totalNs}, {"rows", std::move(rows)}};
}

json functionJson(const FunctionInfo &function)
{
    return {{"id", raw(function.id)},
            {"name", function.name},
            {"place", place(function.location)},
            {"mode", function.mode},
            {"device", function.device},
            {"graph", raw(function.graph)},
            {"appliesOriginal", function.appliesOriginal},
            {"appliesOptimized", function.appliesOptimized},
            {"steps", function.stepCount},
            {"stages", function.stages},
            {"compileNs", function.compile.totalNs},
            {"optimizerNs", function.compile.optimizerNs},
            {"validateNs", function.compile.validateNs},
            {"linkerNs", function.compile.linkerNs},
            {"calls", function.run.calls},
            {"callNs", function.run.totalNs},
            {"vmNs", function.run.vmNs},
            {"thunkNs", function.run.thunkNs}};
}

json rewriteJson(const PassRewrite &one)
{
    return {{"rewrite", one.rewrite}, {"applied", one.applied}, {"ns", one.ns}, {"nodesCreated", one.nodesCreated}};
}

} // namespace

json reportJson(const ProfileData &data, const TableScope &scope)
{
    const ProfileSummary sum = summarize(data, scope);
    json functions = json::array();
    for (const FunctionInfo &function : data.functions) functions.push_back(functionJson(function));
    json lines = json::array();
    for (const LineRow &line : lineTable(data, scope))
        lines.push_back({{"place", place(line.source)},
                         {"ns", line.ns},
                         {"percent", line.percent},
                         {"calls", line.calls},
                         {"estimated", line.estimated},
                         {"with_calls_ns", line.withCallsNs},
                         {"with_calls_percent", line.withCallsPercent},
                         {"nodes", nodesOf(line.nodes)}});
    json rewrites = json::array();
    for (const RewriteRow &row : rewriteTable(data, scope))
        rewrites.push_back({{"rewrite", row.rewrite},
                            {"phase", row.phase},
                            {"tried", row.tried},
                            {"applied", row.applied},
                            {"declined", row.declined},
                            {"ns", row.ns}});
    json advice = json::array();
    for (const Advice &one : advise(data)) {
        json lines = json::array();
        for (const SourceLine &line : one.lines) lines.push_back(place(line));
        advice.push_back({{"id", one.id},
                          {"text", one.text},
                          {"evidence", one.evidence},
                          {"gain", one.gain},
                          {"of", one.of},
                          {"savesNs", one.savesNs},
                          {"setting", one.setting},
                          {"place", place(one.place)},
                          {"lines", std::move(lines)},
                          {"nodes", nodesOf(one.nodes)}});
    }
    json drops = json::array();
    for (const Drop &drop : data.drops) drops.push_back({{"what", drop.what}, {"count", drop.count}, {"reason", drop.reason}});
    json clocks = json::array();
    for (const Clock &clock : data.machine.clocks)
        clocks.push_back({{"name", clock.name}, {"resolutionNs", clock.resolutionNs}, {"overheadNs", clock.overheadNs}});
    json roofs = json::array();
    for (const Roof &roof : data.machine.roofs)
        roofs.push_back({{"device", roof.device}, {"name", roof.name}, {"value", roof.value}, {"unit", roof.unit}});
    json headrooms = json::array();
    const InScope inScope(scope);
    const ProfileParts parts(data);
    for (const FunctionInfo &function : data.functions)
        if (function.run.calls > 0 && inScope(function.id))
            headrooms.push_back(headroomJson(makeHeadroom(parts.of(function.id), function.id)));
    const Table classes = makeTable(data, TableKind::Class, scope);
    const SpentTimes spent = spentTimes(classes);
    return {{"session",
             {{"path", data.info.path},
              {"label", data.info.label},
              {"command", data.info.command},
              {"state", stateName(data.info.state)},
              {"note", sessionWarning(data.info)},
              {"durationNs", data.info.durationNs},
              {"recordingNs", data.info.recordingNs}}},
            {"advice", std::move(advice)},
            {"drops", std::move(drops)},
            {"clocks", std::move(clocks)},
            {"roofs", std::move(roofs)},
            {"functions", std::move(functions)},
            {"headroom", std::move(headrooms)},
            {"summary",
             {{"calls", sum.calls},
              {"callNs", sum.callNs},
              {"vmNs", sum.vmNs},
              {"thunkNs", sum.thunkNs},
              {"compileNs", sum.compile.totalNs},
              {"applies", sum.applies},
              {"cpuNs", spent.cpuNs},
              {"gpuNs", spent.gpuNs},
              {"transferNs", spent.transferNs}}},
            {"classes", tableJson(classes)},
            {"ops", tableJson(makeTable(data, TableKind::Op, scope))},
            {"applies", tableJson(makeTable(data, TableKind::Apply, scope))},
            {"lines", std::move(lines)},
            {"rewrites", std::move(rewrites)}};
}

json passesJson(const ProfileData &data, FunctionId function, const std::vector<StepInfo> &steps)
{
    json out{{"function", raw(function)}, {"passes", json::array()}, {"steps", json::array()}};
    for (const FunctionInfo &one : data.functions)
        if (one.id == function) out["name"] = functionTitle(one);
    for (const GraphInfo &graph : data.graphs) {
        if (graph.function != function || graph.parentGraph != kNoGraph) continue;
        std::map<int, json> ofPass;
        for (const PassRewrite &one : data.rewrites.ofPasses)
            if (one.graph == graph.id) ofPass[one.pass].push_back(rewriteJson(one));
        for (const PassInfo &pass : data.passes) {
            if (pass.graph != graph.id) continue;
            json rewrites = ofPass.contains(pass.index) ? std::move(ofPass[pass.index]) : json::array();
            out["passes"].push_back({{"phase", pass.phase},
                                     {"name", pass.name},
                                     {"kind", pass.kind},
                                     {"iteration", pass.iteration},
                                     {"firstStep", pass.firstStep},
                                     {"steps", pass.stepCount},
                                     {"ns", pass.ns},
                                     {"nodesBefore", pass.nodesBefore},
                                     {"nodesAfter", pass.nodesAfter},
                                     {"rewrites", std::move(rewrites)}});
        }
    }
    for (const StepInfo &step : steps)
        out["steps"].push_back({{"step", step.index},
                                {"phase", step.phase},
                                {"pass", step.pass},
                                {"rewrite", step.rewrite},
                                {"reason", step.reason},
                                {"ns", step.ns},
                                {"nodesBefore", step.nodesBefore},
                                {"nodesAfter", step.nodesAfter}});
    return out;
}

namespace {

// The members of a graph document that a replica does not have.
class DocumentParts {
public:
    DocumentParts(const GraphReplica &graph, const GraphDocuments &documents) : m_graph(graph)
    {
        for (const OpDocumentRow &row : documents.ops) {
            m_ofApply[row.apply] = row.document;
            if (const ReplicaApply *apply = graph.apply(row.apply)) m_ofOp.try_emplace(apply->op, row.document);
        }
        for (const LeafDocument &row : documents.leaves) m_leaves[row.variable] = row;
    }

    json op(const ReplicaApply &apply)
    {
        const auto own = m_ofApply.find(apply.id);
        const auto ofOp = m_ofOp.find(apply.op);
        const StringId document = own != m_ofApply.end() ? own->second : ofOp != m_ofOp.end() ? ofOp->second : kEmptyString;
        if (json parsed = parsedOf(document); parsed.is_object()) return parsed;
        lacks("the parameters of " + m_graph.text(apply.op) + ", which the session does not have");
        return {{"class", classNameOf(m_graph.text(apply.opClass))}, {"name", m_graph.text(apply.op)}};
    }

    json leaf(const ReplicaVariable &variable)
    {
        json out{{"id", raw(variable.id)}, {"kind", variableKindName(variable.kind)}, {"type", m_graph.text(variable.type)}};
        if (variable.name != kEmptyString) out["name"] = m_graph.text(variable.name);
        const auto found = m_leaves.find(variable.id);
        if (found != m_leaves.end()) out["type"] = m_graph.text(found->second.type);
        if (variable.kind == VariableKind::Input) return out;
        if (found != m_leaves.end()) out["value"] = parsedOf(found->second.value);
        const bool needsData = variable.kind == VariableKind::Constant;
        const bool isThere = found != m_leaves.end() && !out["value"].is_discarded();
        if (!isThere) out.erase("value");
        if (!isThere || (needsData && out["value"].is_object() && !out["value"].contains("data")))
            lacks("the value of variable " + std::to_string(raw(variable.id)) + ", " + out["type"].get<std::string>() + ' ' +
                  m_graph.label(variable.id) + ", which the session does not have");
        return out;
    }

    [[nodiscard]] const json &missing() const { return m_missing; }

private:
    /// A session that somebody changed may hold any text: it counts as missing.
    [[nodiscard]] json parsedOf(StringId text) const { return json::parse(m_graph.text(text), nullptr, false); }
    void lacks(std::string what)
    {
        if (std::find(m_missing.begin(), m_missing.end(), what) == m_missing.end()) m_missing.push_back(std::move(what));
    }

    const GraphReplica &m_graph;
    std::map<ApplyId, StringId> m_ofApply;
    std::map<StringId, StringId> m_ofOp;
    std::map<VariableId, LeafDocument> m_leaves;
    json m_missing = json::array();
};

} // namespace

json graphJson(const GraphReplica &graph, const GraphDocuments &documents, std::span<const FunctionUpdate> updates)
{
    const auto ids = [](const auto &list) {
        json out = json::array();
        for (const auto id : list) out.push_back(raw(id));
        return out;
    };
    const auto pairs = [](const auto &list) {
        json out = json::array();
        for (const PortPair &pair : list) out.push_back({pair.output, pair.input});
        return out;
    };
    json out{{"format", "croton-graph"},      {"version", 1},
             {"graph", raw(graph.graph())},   {"step", graph.step()},
             {"inputs", ids(graph.inputs())}, {"outputs", ids(graph.outputs())},
             {"variables", json::array()},    {"applies", json::array()},
             {"groups", json::array()}};
    for (const ApplyGroup &group : graph.groups())
        out["groups"].push_back({{"applies", ids(group.applies)}, {"rewrite", group.rewrite}, {"runs_as_one", group.runsAsOne}});
    DocumentParts parts(graph, documents);
    for (const VariableId id : graph.variables())
        if (const ReplicaVariable &one = *graph.variable(id); one.kind != VariableKind::Result) out["variables"].push_back(parts.leaf(one));
    for (const ApplyId id : graph.toposort()) {
        const ReplicaApply &one = *graph.apply(id);
        json outputs = json::array();
        for (const VariableId output : one.outputs) {
            const ReplicaVariable &variable = *graph.variable(output);
            json made{{"id", raw(output)}, {"shown_type", graph.text(variable.type)}};
            if (variable.name != kEmptyString) made["name"] = graph.text(variable.name);
            outputs.push_back(std::move(made));
        }
        json sources = json::array();
        for (const SourceLine &source : graph.sources(id)) sources.push_back(place(source));
        json apply{{"id", raw(id)},
                   {"op", parts.op(one)},
                   {"friendly", graph.text(one.friendly)},
                   {"class", graph.text(one.opClass)},
                   {"device", graph.text(one.device)},
                   {"inputs", ids(one.inputs)},
                   {"outputs", std::move(outputs)},
                   {"views", pairs(one.views)},
                   {"destroys", pairs(one.destroys)},
                   {"sources", sources}};
        if (!sources.empty()) apply["source"] = json::array({sources[0]});
        out["applies"].push_back(std::move(apply));
    }
    if (!updates.empty()) out["updates"] = json::array();
    for (const FunctionUpdate &update : updates) out["updates"].push_back({update.output, raw(update.variable)});
    if (!parts.missing().empty()) out["missing"] = parts.missing();
    return out;
}

} // namespace profiler
