// Graphs, steps and lineage of SessionReader.

#include "profiler/session/edit_codec.h"
#include "profiler/session/names.h"
#include "profiler/session/reader.h"
#include "profiler/session/rows.h"

#include <algorithm>
#include <unordered_map>

namespace profiler {

namespace {

ApplyRow applyRow(Row &row) {
    ApplyRow node;
    node.graph = row.id<GraphId>();
    node.apply = row.id<ApplyId>();
    node.op = row.text();
    node.friendly = row.text();
    node.opClass = row.text();
    node.device = row.text();
    node.inOriginal = row.flag();
    node.inOptimized = row.flag();
    node.originalIndex = row.smallOrNegative();
    node.optimizedIndex = row.smallOrNegative();
    node.createdStep = row.small();
    node.createdPhase = row.text();
    node.createdRewrite = row.text();
    node.fate = fateOf(row.text());
    node.label = row.name();
    node.implementation = row.text();
    node.flops = row.realOrNegative();
    node.costBytes = row.realOrNegative();
    return node;
}

constexpr std::initializer_list<const char *> kApplyColumns{
    "graph",          "apply",           "op",           "friendly",      "op_class",
    "device",         "in_original",     "in_optimized", "original_index", "optimized_index",
    "created_step",   "created_phase",   "created_rewrite", "fate",       "label",
    "implementation", "flops",         "cost_bytes"};

StepInfo stepInfo(Row &row) {
    StepInfo step;
    step.graph = row.id<GraphId>();
    step.index = row.small();
    step.phase = row.text();
    step.pass = row.small();
    step.rewrite = row.text();
    step.reason = row.text();
    step.ns = row.integer();
    step.nodesBefore = row.small();
    step.nodesAfter = row.small();
    step.matched = decodeApplies(row.blob());
    step.produced = decodeApplies(row.blob());
    step.editCount = row.small();
    return step;
}

SourceLink sourceLink(Row &row) {
    SourceLink link;
    link.graph = row.id<GraphId>();
    link.apply = row.id<ApplyId>();
    link.source.file = row.text();
    link.source.line = row.small();
    link.share = row.real();
    link.estimated = row.flag();
    return link;
}

} // namespace

std::vector<GraphInfo> SessionReader::graphs() {
    return collect(*m_database, "graphs",
                   {"id", "function", "parent_graph", "parent_apply", "kind", "label", "step_count",
                    "applies_original", "applies_optimized"},
                   "ORDER BY id", [](Row &row) {
                       GraphInfo graph;
                       graph.id = row.id<GraphId>();
                       graph.function = row.id<FunctionId>();
                       graph.parentGraph = row.id<GraphId>();
                       graph.parentApply = row.id<ApplyId>();
                       graph.kind = graphKindOf(row.text());
                       graph.label = row.name();
                       graph.stepCount = row.small();
                       graph.appliesOriginal = row.small();
                       graph.appliesOptimized = row.small();
                       return graph;
                   });
}

std::vector<ApplyRow> SessionReader::applies(GraphId graph) {
    return collect(*m_database, "graph_applies", kApplyColumns, "WHERE graph=? ORDER BY apply",
                   applyRow, graph);
}

std::vector<ApplyRow> SessionReader::applies() {
    return collect(*m_database, "graph_applies", kApplyColumns, "ORDER BY graph, apply", applyRow);
}

namespace {

constexpr std::initializer_list<const char *> kVariableColumns{
    "graph", "variable",   "kind",        "name",         "type",      "dtype", "shape",
    "value", "owner",      "owner_port",  "in_original",  "in_optimized", "is_output", "bytes"};

VariableRow variableRow(Row &row) {
    VariableRow node;
    node.graph = row.id<GraphId>();
    node.variable = row.id<VariableId>();
    node.kind = variableKindOf(row.text());
    node.name = row.name();
    node.type = row.text();
    node.dtype = row.text();
    node.shape = row.text();
    node.value = row.text();
    node.owner = row.id<ApplyId>();
    node.ownerPort = row.smallOrNegative();
    node.inOriginal = row.flag();
    node.inOptimized = row.flag();
    node.isOutput = row.flag();
    node.bytes = row.integerOrNegative();
    return node;
}

} // namespace

std::vector<VariableRow> SessionReader::variables(GraphId graph) {
    return collect(*m_database, "graph_variables", kVariableColumns,
                   "WHERE graph=? ORDER BY variable", variableRow, graph);
}

std::vector<VariableRow> SessionReader::variables() {
    return collect(*m_database, "graph_variables", kVariableColumns, "ORDER BY graph, variable",
                   variableRow);
}

std::vector<ApplyInput> SessionReader::applyInputs() {
    return collect(*m_database, "apply_inputs", {"graph", "apply", "port", "variable"},
                   "ORDER BY graph, apply, port", [](Row &row) {
                       ApplyInput input;
                       input.graph = row.id<GraphId>();
                       input.apply = row.id<ApplyId>();
                       input.port = row.small();
                       input.variable = row.id<VariableId>();
                       return input;
                   });
}

std::vector<StepInfo> SessionReader::steps(GraphId graph) {
    return collect(*m_database, "steps",
                   {"graph", "step", "phase", "pass", "rewrite", "reason", "ns", "nodes_before",
                    "nodes_after", "matched", "produced", "edit_count"},
                   "WHERE graph=? ORDER BY step", stepInfo, graph);
}

std::vector<Step> SessionReader::stepsAfter(GraphId graph, int afterStep) {
    std::vector<Step> steps =
        collect(*m_database, "steps",
                {"graph", "step", "phase", "pass", "rewrite", "reason", "ns", "nodes_before",
                 "nodes_after", "matched", "produced", "edit_count", "edits"},
                "WHERE graph=? AND step>? ORDER BY step",
                [](Row &row) {
                    Step step;
                    step.info = stepInfo(row);
                    step.edits = decodeEdits(row.blob());
                    return step;
                },
                graph, afterStep);
    // A step that was dropped for its size leaves a gap: what follows it cannot be replayed.
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].info.index != afterStep + 1 + static_cast<int>(i)) {
            steps.resize(i);
            break;
        }
    return steps;
}

std::shared_ptr<const StringTable> SessionReader::strings() {
    const std::int64_t last =
        m_strings ? static_cast<std::int64_t>(m_strings->size()) - 1 : std::int64_t{0};
    const auto rows = collect(*m_database, "strings", {"id", "text"}, "WHERE id>? ORDER BY id",
                              [](Row &row) {
                                  const StringId id = row.id<StringId>();
                                  return std::pair(id, row.name());
                              },
                              last);
    if (m_strings && rows.empty())
        return m_strings;
    auto table = m_strings ? std::make_shared<StringTable>(*m_strings)
                           : std::make_shared<StringTable>();
    for (const auto &[id, text] : rows)
        table->set(id, text);
    m_strings = table;
    return m_strings;
}

GraphReplica SessionReader::replica(GraphId graph) {
    // Steps first: strings are committed no later than the steps that name them.
    std::vector<Step> steps = stepsAfter(graph, -1);
    if (steps.empty())
        for (const char *what : {"bytes of steps", "steps"})
            if (const std::string why = whyDropped(what); !why.empty())
                throw SessionError("the steps of graph " + std::to_string(raw(graph)) + " were not kept: " + why,
                                   why == kSlowDisk ? "record it again on another disk with -o" : "record it again with a larger --size-limit");
    GraphReplica replica(graph, strings(), std::move(steps));
    replica.setGroups(applyGroups(graph));
    return replica;
}

void SessionReader::extend(GraphReplica &replica) {
    std::vector<Step> steps = stepsAfter(replica.graph(), replica.stepCount());
    replica.append(std::move(steps), strings());
    replica.setGroups(applyGroups(replica.graph()));
}

std::vector<ApplyGroup> SessionReader::applyGroups(GraphId graph) {
    return groupsWhere("WHERE graph=" + std::to_string(raw(graph)));
}

std::vector<ApplyGroup> SessionReader::applyGroups() { return groupsWhere("WHERE graph>=0"); }

std::vector<ApplyGroup> SessionReader::groupsWhere(const std::string &condition) {
    const auto keyOf = [](GraphId graph, ApplyId apply) { return std::uint64_t{raw(graph)} << 32 | raw(apply); };
    const auto collected = [](std::vector<ApplyGroup> members) {
        std::vector<ApplyGroup> groups;
        for (ApplyGroup &one : members) {
            if (!groups.empty() && groups.back().graph == one.graph && groups.back().group == one.group)
                groups.back().applies.push_back(one.applies.front());
            else
                groups.push_back(std::move(one));
        }
        return groups;
    };
    // What plans ran as one; the latest plan of each function first.
    std::vector<ApplyGroup> ran = collected(collect(
        *m_database, "plan_items", {"graph", "plan", "grp", "apply"},
        condition + " AND grp>=0 ORDER BY graph, plan, grp, position", [](Row &row) {
            ApplyGroup one;
            one.graph = row.id<GraphId>();
            const int plan = row.small();
            one.group = std::clamp(row.small(), 0, 0xffff) + std::clamp(plan, 0, 0x7fff) * 0x10000;
            one.applies = {row.id<ApplyId>()};
            one.runsAsOne = true;
            return one;
        }));
    std::vector<ApplyGroup> groups = collected(collect(
        *m_database, "apply_groups", {"graph", "grp", "apply", "rewrite"}, condition + " ORDER BY graph, grp, position",
        [](Row &row) {
            ApplyGroup one;
            one.graph = row.id<GraphId>();
            one.group = row.small();
            one.applies = {row.id<ApplyId>()};
            one.rewrite = row.text();
            return one;
        }));
    std::unordered_map<std::uint64_t, std::size_t> groupOf; // of an apply
    const auto learn = [&](std::size_t index) {
        for (ApplyId id : groups[index].applies)
            groupOf.emplace(keyOf(groups[index].graph, id), index);
    };
    for (std::size_t i = 0; i < groups.size(); ++i)
        learn(i);
    for (ApplyGroup &one : ran) {
        const auto known = groupOf.find(keyOf(one.graph, one.applies.front()));
        if (known != groupOf.end()) {
            groups[known->second].runsAsOne |= groups[known->second].applies == one.applies;
            continue;
        }
        one.group = static_cast<int>(groups.size());
        groups.push_back(std::move(one));
        learn(groups.size() - 1);
    }
    return groups;
}

std::vector<PassInfo> SessionReader::passes(GraphId graph) {
    return collect(*m_database, "passes",
                   {"graph", "pass", "phase", "name", "kind", "iteration", "first_step",
                    "step_count", "ns", "validate_ns", "nodes_before", "nodes_after"},
                   "WHERE graph=? ORDER BY pass",
                   [](Row &row) {
                       PassInfo pass;
                       pass.graph = row.id<GraphId>();
                       pass.index = row.small();
                       pass.phase = row.text();
                       pass.name = row.text();
                       pass.kind = row.text();
                       pass.iteration = row.small();
                       pass.firstStep = row.small();
                       pass.stepCount = row.small();
                       pass.ns = row.integer();
                       pass.validateNs = row.integer();
                       pass.nodesBefore = row.small();
                       pass.nodesAfter = row.small();
                       return pass;
                   },
                   graph);
}

std::vector<PassRewrite> SessionReader::passRewrites(GraphId graph) {
    return collect(*m_database, "pass_rewrites",
                   {"graph", "pass", "rewrite", "tried", "applied", "declined", "ns",
                    "nodes_created"},
                   "WHERE graph=? ORDER BY pass, rewrite",
                   [](Row &row) {
                       PassRewrite rewrite;
                       rewrite.graph = row.id<GraphId>();
                       rewrite.pass = row.small();
                       rewrite.rewrite = row.text();
                       rewrite.tried = row.integer();
                       rewrite.applied = row.integer();
                       rewrite.declined = row.integer();
                       rewrite.ns = row.integer();
                       rewrite.nodesCreated = row.integer();
                       return rewrite;
                   },
                   graph);
}

std::vector<RewriteCount> SessionReader::rewriteCounts(GraphId graph) {
    return collect(*m_database, "rewrite_counts",
                   {"rewrite", "tried", "applied", "declined", "failed", "ns", "nodes_created"},
                   "WHERE graph=? ORDER BY rewrite",
                   [graph](Row &row) {
                       RewriteCount count;
                       count.graph = graph;
                       count.rewrite = row.text();
                       count.tried = row.integer();
                       count.applied = row.integer();
                       count.declined = row.integer();
                       count.failed = row.integer();
                       count.ns = row.integer();
                       count.nodesCreated = row.integer();
                       return count;
                   },
                   graph);
}

std::vector<LineageRow> SessionReader::lineage(GraphId graph) {
    return collect(*m_database, "lineage", {"graph", "step", "from_apply", "fate", "to_apply"},
                   "WHERE graph=? ORDER BY step, from_apply",
                   [](Row &row) {
                       LineageRow line;
                       line.graph = row.id<GraphId>();
                       line.step = row.small();
                       line.from = row.id<ApplyId>();
                       line.fate = fateOf(row.text());
                       line.to = row.id<ApplyId>();
                       return line;
                   },
                   graph);
}

std::vector<OriginRow> SessionReader::origins(GraphId graph) {
    return collect(*m_database, "origins", {"graph", "apply", "origin_graph", "origin_apply"},
                   "WHERE graph=? ORDER BY apply, origin_graph, origin_apply",
                   [](Row &row) {
                       OriginRow origin;
                       origin.graph = row.id<GraphId>();
                       origin.apply = row.id<ApplyId>();
                       origin.originGraph = row.id<GraphId>();
                       origin.originApply = row.id<ApplyId>();
                       return origin;
                   },
                   graph);
}

std::vector<SourceLink> SessionReader::sourceLinks(GraphId graph) {
    return collect(*m_database, "source_links",
                   {"graph", "apply", "file", "line", "share", "estimated"},
                   "WHERE graph=? ORDER BY apply, file, line", sourceLink, graph);
}

std::vector<SourceLink> SessionReader::sourceLinks() {
    return collect(*m_database, "source_links",
                   {"graph", "apply", "file", "line", "share", "estimated"},
                   "ORDER BY graph, apply, file, line", sourceLink);
}

std::vector<RewriteInfo> SessionReader::rewrites() {
    return collect(*m_database, "rewrites",
                   {"name", "phase", "position", "tags", "why", "hurts", "example_before",
                    "example_after", "file", "line"},
                   "ORDER BY position, name", [](Row &row) {
                       RewriteInfo info;
                       info.name = row.text();
                       info.phase = row.text();
                       info.position = row.real();
                       info.tags = row.text();
                       info.why = row.text();
                       info.hurts = row.text();
                       info.exampleBefore = row.text();
                       info.exampleAfter = row.text();
                       info.code.file = row.text();
                       info.code.line = row.small();
                       return info;
                   });
}

std::vector<DeclineReason> SessionReader::declineReasons(GraphId graph) {
    return collect(*m_database, "decline_reasons", {"graph", "rewrite", "reason", "count"},
                   "WHERE graph=? ORDER BY rewrite, count DESC",
                   [](Row &row) {
                       DeclineReason decline;
                       decline.graph = row.id<GraphId>();
                       decline.rewrite = row.text();
                       decline.reason = row.text();
                       decline.count = row.integer();
                       return decline;
                   },
                   graph);
}

std::vector<Decline> SessionReader::declines(GraphId graph) {
    return collect(*m_database, "declines",
                   {"graph", "rewrite", "apply", "step", "reason", "last", "because"},
                   "WHERE graph=? ORDER BY apply, rewrite, step",
                   [](Row &row) {
                       Decline decline;
                       decline.graph = row.id<GraphId>();
                       decline.rewrite = row.text();
                       decline.apply = row.id<ApplyId>();
                       decline.step = row.small();
                       decline.reason = row.text();
                       decline.last = row.flag();
                       decline.because = row.id<ApplyId>();
                       return decline;
                   },
                   graph);
}

} // namespace profiler
