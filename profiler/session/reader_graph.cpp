// Graphs, steps and lineage of SessionReader.

#include "profiler/session/body_rows.h"
#include "profiler/session/edit_codec.h"
#include "profiler/session/names.h"
#include "profiler/session/pages.h"
#include "profiler/session/reader.h"
#include "profiler/session/rows.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace profiler {

namespace {

ApplyRow applyRow(Row &row, const StringTable &texts)
{
    ApplyRow node;
    node.graph = row.id<GraphId>();
    node.apply = row.id<ApplyId>();
    node.op = texts.text(row.id<StringId>());
    node.friendly = texts.text(row.id<StringId>());
    node.opClass = texts.text(row.id<StringId>());
    node.device = texts.text(row.id<StringId>());
    node.inOriginal = row.flag();
    node.inOptimized = row.flag();
    node.originalIndex = row.smallOrNegative();
    node.optimizedIndex = row.smallOrNegative();
    node.createdStep = row.small();
    node.createdPhase = texts.text(row.id<StringId>());
    node.createdRewrite = texts.text(row.id<StringId>());
    node.fate = fateOf(row.text());
    node.label = row.name();
    node.implementation = texts.text(row.id<StringId>());
    return node;
}

VariableRow variableRow(const VariableFacts &facts, const StringTable &texts)
{
    VariableRow node;
    node.graph = facts.graph;
    node.variable = facts.variable;
    node.kind = facts.kind;
    node.name = texts.text(facts.name);
    node.type = texts.text(facts.type);
    node.dtype = texts.text(facts.dtype);
    node.shape = texts.text(facts.shape);
    node.value = texts.text(facts.value);
    node.owner = facts.owner;
    node.ownerPort = facts.ownerPort;
    node.inOriginal = facts.inOriginal;
    node.inOptimized = facts.inOptimized;
    node.isOutput = facts.isOutput;
    return node;
}

StepInfo stepInfo(Row &row, const StringTable &texts)
{
    StepInfo step;
    step.graph = row.id<GraphId>();
    step.index = row.small();
    step.phase = texts.text(row.id<StringId>());
    step.pass = row.small();
    step.rewrite = texts.text(row.id<StringId>());
    step.reason = texts.text(row.id<StringId>());
    step.ns = row.integer();
    step.nodesBefore = row.small();
    step.nodesAfter = row.small();
    step.matched = decodeApplies(row.blob());
    step.produced = decodeApplies(row.blob());
    step.editCount = row.small();
    return step;
}

constexpr std::initializer_list<const char *> kStepColumns{"graph", "step",         "phase",       "pass",    "rewrite",  "reason",
                                                           "ns",    "nodes_before", "nodes_after", "matched", "produced", "edit_count"};

// A condition on the tables that hold rows of several graphs.
std::string of(GraphId graph) { return graph == kNoGraph ? std::string("WHERE 1 ") : "WHERE graph=" + std::to_string(raw(graph)) + " "; }

std::uint64_t keyOf(GraphId graph, std::uint32_t node) { return std::uint64_t{raw(graph)} << 32 | node; }

// Bodies come behind the rows; both are ordered by graph.
template <class NodeRow>
std::vector<NodeRow> together(std::vector<NodeRow> rows, std::vector<NodeRow> ofBodies)
{
    if (rows.empty()) return ofBodies;
    const auto middle = static_cast<std::ptrdiff_t>(rows.size());
    rows.insert(rows.end(), std::make_move_iterator(ofBodies.begin()), std::make_move_iterator(ofBodies.end()));
    std::inplace_merge(rows.begin(), rows.begin() + middle, rows.end(),
                       [](const NodeRow &a, const NodeRow &b) { return raw(a.graph) < raw(b.graph); });
    return rows;
}

} // namespace

std::vector<GraphInfo> SessionReader::graphs()
{
    return collect(
        *m_database, "graphs",
        {"id", "function", "parent_graph", "parent_apply", "kind", "label", "step_count", "applies_original", "applies_optimized"},
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

std::vector<Body> SessionReader::bodiesOf(GraphId graph)
{
    std::unordered_set<std::uint32_t> composites;
    for (GraphId id : collect(*m_database, "graphs", {"id"},
                              "WHERE kind='composite'" + (graph == kNoGraph ? "" : " AND id=" + std::to_string(raw(graph))),
                              [](Row &row) { return row.id<GraphId>(); }))
        composites.insert(raw(id));
    if (composites.empty()) return {};
    std::vector<Body> bodies =
        collect(*m_database, "rewrite_steps", {"graph", "edits"}, of(graph) + "AND step=0 ORDER BY graph", [&](Row &row) {
            Body body;
            body.graph = row.id<GraphId>();
            if (composites.contains(raw(body.graph))) body.edits = decodeEdits(row.blob());
            return body;
        });
    std::erase_if(bodies, [&](const Body &body) { return !composites.contains(raw(body.graph)); });
    return bodies;
}

std::vector<ApplyRow> SessionReader::appliesOf(GraphId graph)
{
    Transaction atOnce(*m_database); // rows, and the texts that they name
    const auto texts = strings();
    std::vector<ApplyRow> rows =
        collect(*m_database, "applies",
                {"graph", "apply", "op", "friendly", "op_class", "device", "in_original", "in_optimized", "original_index",
                 "optimized_index", "created_step", "created_phase", "created_rewrite", "fate", "label", "implementation"},
                of(graph) + "ORDER BY graph, apply", [&](Row &row) { return applyRow(row, *texts); });
    std::unordered_map<std::uint64_t, std::pair<double, double>> costs;
    for (const CostFacts &one : pagedRows<CostFacts>(*m_database, of(graph)))
        costs[keyOf(one.graph, raw(one.apply))] = {one.flops, one.bytes};
    for (ApplyRow &row : rows)
        if (const auto found = costs.find(keyOf(row.graph, raw(row.apply))); found != costs.end())
            std::tie(row.flops, row.costBytes) = found->second;
    std::vector<ApplyRow> ofBodies;
    for (const Body &body : bodiesOf(graph))
        for (ApplyRow &row : applyRows(body, *texts)) ofBodies.push_back(std::move(row));
    return together(std::move(rows), std::move(ofBodies));
}

std::vector<ApplyRow> SessionReader::applies(GraphId graph) { return appliesOf(graph); }

std::vector<ApplyRow> SessionReader::applies() { return appliesOf(kNoGraph); }

std::vector<VariableRow> SessionReader::variablesOf(GraphId graph)
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    std::vector<VariableRow> rows;
    for (const VariableFacts &facts : pagedRows<VariableFacts>(*m_database, of(graph))) rows.push_back(variableRow(facts, *texts));
    std::unordered_map<std::uint64_t, std::pair<std::string, std::int64_t>> sizes;
    for (VariableSize &one : pagedRows<VariableSize>(*m_database, of(graph)))
        sizes[keyOf(one.graph, raw(one.variable))] = {std::move(one.shape), one.bytes};
    for (VariableRow &row : rows)
        if (const auto found = sizes.find(keyOf(row.graph, raw(row.variable))); found != sizes.end()) {
            std::tie(row.shape, row.bytes) = found->second;
        }
    std::vector<VariableRow> ofBodies;
    for (const Body &body : bodiesOf(graph))
        for (VariableRow &row : variableRows(body, *texts)) ofBodies.push_back(std::move(row));
    return together(std::move(rows), std::move(ofBodies));
}

std::vector<VariableRow> SessionReader::variables(GraphId graph) { return variablesOf(graph); }

std::vector<VariableRow> SessionReader::variables() { return variablesOf(kNoGraph); }

std::vector<ApplyInput> SessionReader::applyInputs()
{
    std::vector<ApplyInput> inputs;
    for (const auto &[key, variables] :
         collect(*m_database, "applies", {"graph", "apply", "inputs"}, "WHERE inputs IS NOT NULL ORDER BY graph, apply", [](Row &row) {
             const auto graph = row.id<GraphId>();
             const auto apply = row.id<ApplyId>();
             return std::pair(ApplyKey{graph, apply}, idsOfJson(row.text()));
         }))
        for (std::size_t port = 0; port < variables.size(); ++port)
            inputs.push_back({key.graph, key.apply, static_cast<int>(port), VariableId{variables[port]}});
    return inputs;
}

std::vector<StepInfo> SessionReader::steps(GraphId graph)
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    return collect(
        *m_database, "rewrite_steps", kStepColumns, "WHERE graph=? ORDER BY step", [&](Row &row) { return stepInfo(row, *texts); }, graph);
}

std::vector<Step> SessionReader::stepsAfter(GraphId graph, int afterStep)
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    std::vector<Step> steps = collect(
        *m_database, "rewrite_steps",
        {"graph", "step", "phase", "pass", "rewrite", "reason", "ns", "nodes_before", "nodes_after", "matched", "produced", "edit_count",
         "lineage", "edits"},
        "WHERE graph=? AND step>? ORDER BY step",
        [&](Row &row) {
            Step step;
            step.info = stepInfo(row, *texts);
            step.lineage = decodeLineage(row.blob());
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

std::shared_ptr<const StringTable> SessionReader::strings()
{
    const std::int64_t last = m_strings ? static_cast<std::int64_t>(m_strings->size()) - 1 : std::int64_t{0};
    const auto rows = collect(
        *m_database, "strings", {"id", "text"}, "WHERE id>? ORDER BY id",
        [](Row &row) {
            const StringId id = row.id<StringId>();
            return std::pair(id, row.name());
        },
        last);
    if (m_strings && rows.empty()) return m_strings;
    auto table = m_strings ? std::make_shared<StringTable>(*m_strings) : std::make_shared<StringTable>();
    for (const auto &[id, text] : rows) table->set(id, text);
    m_strings = table;
    return m_strings;
}

GraphReplica SessionReader::replica(GraphId graph)
{
    // Steps first: strings are committed no later than the steps that name them.
    std::vector<Step> steps = stepsAfter(graph, -1);
    if (steps.empty())
        for (const char *what : {"bytes of steps", "steps"})
            if (const std::string why = whyDropped(what); !why.empty())
                throw SessionError("the steps of graph " + std::to_string(raw(graph)) + " were not kept: " + why,
                                   why == kSlowDisk ? "record it again on another disk with -o"
                                                    : "record it again with a larger --size-limit");
    GraphReplica replica(graph, strings(), std::move(steps));
    replica.setGroups(applyGroups(graph));
    return replica;
}

std::vector<GraphReplica> SessionReader::bodies()
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    std::vector<GraphReplica> bodies;
    for (Body &body : bodiesOf(kNoGraph)) {
        std::vector<Step> steps(1);
        steps.front().info.graph = body.graph;
        steps.front().info.rewrite = "import";
        steps.front().info.editCount = static_cast<int>(body.edits.size());
        steps.front().info.nodesAfter = static_cast<int>(
            std::count_if(body.edits.begin(), body.edits.end(), [](const Edit &edit) { return std::holds_alternative<AddApply>(edit); }));
        steps.front().edits = std::move(body.edits);
        bodies.emplace_back(body.graph, texts, std::move(steps));
    }
    return bodies;
}

void SessionReader::extend(GraphReplica &replica)
{
    std::vector<Step> steps = stepsAfter(replica.graph(), replica.stepCount());
    replica.append(std::move(steps), strings());
    replica.setGroups(applyGroups(replica.graph()));
}

std::vector<ApplyGroup> SessionReader::applyGroups(GraphId graph) { return groupsWhere("WHERE graph=" + std::to_string(raw(graph))); }

std::vector<ApplyGroup> SessionReader::applyGroups() { return groupsWhere("WHERE graph>=0"); }

std::vector<ApplyGroup> SessionReader::groupsWhere(const std::string &condition)
{
    const auto collected = [](std::vector<ApplyGroup> members) {
        std::vector<ApplyGroup> groups;
        for (ApplyGroup &one : members) {
            if (!groups.empty() && groups.back().graph == one.graph && groups.back().group == one.group)
                groups.back().applies.push_back(one.applies.front());
            else groups.push_back(std::move(one));
        }
        return groups;
    };
    // What plans ran as one; the latest plan of each function first.
    std::vector<PlanItem> items = pagedRows<PlanItem>(*m_database, condition);
    std::erase_if(items, [](const PlanItem &item) { return item.group < 0; });
    std::ranges::stable_sort(items, {}, [](const PlanItem &item) { return std::tuple(item.graph, item.plan, item.group, item.position); });
    std::vector<ApplyGroup> members;
    for (const PlanItem &item : items) {
        ApplyGroup &one = members.emplace_back();
        one.graph = item.graph;
        one.group = std::clamp(item.group, 0, 0xffff) + std::clamp(item.plan, 0, 0x7fff) * 0x10000;
        one.applies = {item.apply};
        one.runsAsOne = true;
    }
    std::vector<ApplyGroup> ran = collected(std::move(members));
    std::vector<ApplyGroup> groups = collected(collect(*m_database, "apply_groups", {"graph", "grp", "apply", "rewrite"},
                                                       condition + " ORDER BY graph, grp, position", [](Row &row) {
                                                           ApplyGroup one;
                                                           one.graph = row.id<GraphId>();
                                                           one.group = row.small();
                                                           one.applies = {row.id<ApplyId>()};
                                                           one.rewrite = row.text();
                                                           return one;
                                                       }));
    std::unordered_map<std::uint64_t, std::size_t> groupOf; // of an apply
    const auto learn = [&](std::size_t index) {
        for (ApplyId id : groups[index].applies) groupOf.emplace(keyOf(groups[index].graph, raw(id)), index);
    };
    for (std::size_t i = 0; i < groups.size(); ++i) learn(i);
    for (ApplyGroup &one : ran) {
        const auto known = groupOf.find(keyOf(one.graph, raw(one.applies.front())));
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

std::vector<PassInfo> SessionReader::passes(GraphId graph)
{
    return collect(
        *m_database, "passes",
        {"graph", "pass", "phase", "name", "kind", "iteration", "first_step", "step_count", "ns", "validate_ns", "nodes_before",
         "nodes_after"},
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

std::vector<PassRewrite> SessionReader::passRewrites(GraphId graph)
{
    return collect(
        *m_database, "pass_rewrites", {"graph", "pass", "rewrite", "applied", "ns", "nodes_created"},
        "WHERE graph=? ORDER BY pass, rewrite",
        [](Row &row) {
            PassRewrite rewrite;
            rewrite.graph = row.id<GraphId>();
            rewrite.pass = row.small();
            rewrite.rewrite = row.text();
            rewrite.applied = row.integer();
            rewrite.ns = row.integer();
            rewrite.nodesCreated = row.integer();
            return rewrite;
        },
        graph);
}

std::vector<RewriteCount> SessionReader::rewriteCounts(GraphId graph)
{
    return collect(
        *m_database, "rewrite_counts", {"rewrite", "tried", "applied", "declined", "failed", "ns", "nodes_created"},
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

std::vector<LineageRow> SessionReader::lineage(GraphId graph)
{
    std::vector<LineageRow> rows;
    for (const auto &[step, lineage] : collect(
             *m_database, "rewrite_steps", {"step", "lineage"}, "WHERE graph=? ORDER BY step",
             [](Row &row) {
                 const int step = row.small();
                 return std::pair(step, decodeLineage(row.blob()));
             },
             graph)) {
        const auto first = static_cast<std::ptrdiff_t>(rows.size());
        for (const Became &one : lineage) rows.push_back({graph, step, one.from, one.fate, one.to});
        std::stable_sort(rows.begin() + first, rows.end(),
                         [](const LineageRow &a, const LineageRow &b) { return raw(a.from) < raw(b.from); });
    }
    return rows;
}

std::vector<OriginRow> SessionReader::originsOf(GraphId graph)
{
    Transaction atOnce(*m_database);
    std::vector<OriginRow> rows;
    for (const auto &[key, origins] :
         collect(*m_database, "applies", {"graph", "apply", "origins"}, of(graph) + "AND in_optimized ORDER BY graph, apply", [](Row &row) {
             const auto in = row.id<GraphId>();
             const auto apply = row.id<ApplyId>();
             const std::string origins = row.text();
             return std::pair(ApplyKey{in, apply}, origins.empty() ? std::vector{raw(apply)} : idsOfJson(origins));
         }))
        for (const std::uint32_t origin : origins) rows.push_back({key.graph, key.apply, key.graph, ApplyId{origin}});
    std::unordered_map<std::uint32_t, std::vector<std::vector<ApplyId>>> packed;
    for (auto &[body, origins] : collect(*m_database, "body_origins", {"graph", "origins"}, of(graph), [](Row &row) {
             const auto body = row.id<GraphId>();
             return std::pair(body, decodeOrigins(row.blob()));
         }))
        packed.emplace(raw(body), std::move(origins));
    if (packed.empty()) return rows;
    std::unordered_map<std::uint32_t, GraphId> parents;
    for (const auto &[body, parent] : collect(*m_database, "graphs", {"id", "parent_graph"}, "", [](Row &row) {
             const auto body = row.id<GraphId>();
             return std::pair(body, row.id<GraphId>());
         }))
        parents.emplace(raw(body), parent);
    std::vector<OriginRow> ofBodies;
    for (const Body &body : bodiesOf(graph)) {
        const auto origins = packed.find(raw(body.graph));
        const auto parent = parents.find(raw(body.graph));
        if (origins == packed.end() || parent == parents.end()) continue;
        std::vector<ApplyId> applies;
        for (const Edit &edit : body.edits)
            if (const auto *one = std::get_if<AddApply>(&edit)) applies.push_back(one->id);
        std::sort(applies.begin(), applies.end());
        for (std::size_t i = 0; i < std::min(applies.size(), origins->second.size()); ++i)
            for (ApplyId origin : origins->second[i]) ofBodies.push_back({body.graph, applies[i], parent->second, origin});
    }
    return together(std::move(rows), std::move(ofBodies));
}

std::vector<OriginRow> SessionReader::origins(GraphId graph) { return originsOf(graph); }

std::vector<OriginRow> SessionReader::origins() { return originsOf(kNoGraph); }

std::vector<SourceLink> SessionReader::linksOf(GraphId graph)
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    std::vector<SourceLink> links =
        collect(*m_database, "applies", {"graph", "apply", "file", "line"}, of(graph) + "AND line IS NOT NULL", [&](Row &row) {
            SourceLink link;
            link.graph = row.id<GraphId>();
            link.apply = row.id<ApplyId>();
            link.source.file = texts->text(row.id<StringId>());
            link.source.line = row.small();
            return link;
        });
    for (const LineShare &one : pagedRows<LineShare>(*m_database, of(graph)))
        links.push_back({one.graph, one.apply, {texts->text(one.file), one.line}, one.share, true});
    std::ranges::stable_sort(links, {}, [](const SourceLink &link) {
        return std::tuple(link.graph, link.apply, std::string_view(link.source.file), link.source.line);
    });
    return links;
}

std::vector<SourceLink> SessionReader::sourceLinks(GraphId graph) { return linksOf(graph); }

std::vector<SourceLink> SessionReader::sourceLinks() { return linksOf(kNoGraph); }

std::vector<RewriteInfo> SessionReader::rewrites()
{
    return collect(*m_database, "rewrites",
                   {"name", "phase", "position", "tags", "why", "hurts", "example_before", "example_after", "file", "line"},
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

std::vector<DeclineReason> SessionReader::declineReasons(GraphId graph)
{
    return collect(
        *m_database, "decline_reasons", {"graph", "rewrite", "reason", "count"}, "WHERE graph=? ORDER BY rewrite, count DESC",
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

std::vector<Decline> SessionReader::declines(GraphId graph)
{
    Transaction atOnce(*m_database);
    const auto texts = strings();
    std::vector<Decline> rows = collect(
        *m_database, "declines", {"rewrite", "apply", "step", "reason", "because"}, "WHERE graph=?",
        [graph](Row &row) {
            Decline decline;
            decline.graph = graph;
            decline.rewrite = row.text();
            decline.apply = row.id<ApplyId>();
            decline.step = row.small();
            decline.reason = row.text();
            decline.because = row.id<ApplyId>();
            return decline;
        },
        graph);
    for (const LastDeclines &last : collect(
             *m_database, "last_declines", {"apply", "step", "words"}, "WHERE graph=?",
             [graph](Row &row) {
                 LastDeclines last;
                 last.graph = graph;
                 last.apply = row.id<ApplyId>();
                 last.step = row.small();
                 last.words = decodeWords(row.blob());
                 return last;
             },
             graph))
        for (const LastWord &word : last.words)
            rows.push_back({graph, texts->text(word.rewrite), last.apply, last.step, texts->text(word.reason), true, word.because});
    std::stable_sort(rows.begin(), rows.end(), [](const Decline &a, const Decline &b) {
        return std::tuple(raw(a.apply), std::string_view(a.rewrite), a.step) <
               std::tuple(raw(b.apply), std::string_view(b.rewrite), b.step);
    });
    return rows;
}

} // namespace profiler
