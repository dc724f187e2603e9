// Graphs and their steps, in SessionReader.

#include "profiler/session/body_rows.h"
#include "profiler/session/reader_rows.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace profiler {

namespace {

constexpr std::size_t kMostNamed = 1000; // graphs in one query; of more the whole range is read

// Chooses the rows of some graphs.
class Chosen {
public:
    explicit Chosen(std::span<const GraphInfo> graphs)
    {
        for (const GraphInfo &graph : graphs) m_ids.insert(graph.id);
        if (m_ids.empty()) return;
        const auto [first, last] = std::ranges::minmax(m_ids);
        m_isRange = raw(last) - raw(first) + 1 == m_ids.size();
        m_condition = "WHERE graph BETWEEN " + std::to_string(raw(first)) + " AND " + std::to_string(raw(last)) + " ";
        if (m_isRange || m_ids.size() > kMostNamed) return;
        m_condition.clear();
        for (GraphId id : m_ids) (m_condition += m_condition.empty() ? "WHERE graph IN (" : ",") += std::to_string(raw(id));
        m_condition += ") ";
    }
    [[nodiscard]] const std::string &condition() const { return m_condition; } // empty: there are none
    template <class Described>
    std::vector<Described> only(std::vector<Described> rows) const
    {
        if (!m_isRange) std::erase_if(rows, [this](const Described &row) { return !m_ids.contains(graphOf(row)); });
        return rows;
    }

private:
    std::unordered_set<GraphId> m_ids;
    std::string m_condition;
    bool m_isRange = false;
};

// Bodies come behind the rows; both are ordered by graph.
template <class NodeRow>
void mergeBodies(std::vector<NodeRow> &rows, std::size_t first)
{
    std::inplace_merge(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                       [](const NodeRow &a, const NodeRow &b) { return raw(a.graph) < raw(b.graph); });
}

template <class Row>
void append(std::vector<Row> &to, std::vector<Row> from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

struct NodeHash {
    template <class Node>
    std::size_t operator()(const std::pair<GraphId, Node> &key) const
    {
        return std::hash<std::uint64_t>{}(std::uint64_t{raw(key.first)} << 32 | raw(key.second));
    }
};

struct Inside { // of a graph
    GraphId graph = kNoGraph;
    GraphId parent = kNoGraph;
    const Step *import = nullptr;
};

// What the table `applies` holds of a node, as it is given on.
void takeApply(ApplyWithRoots<std::string> &row, GraphRows &rows)
{
    if (!row.inputs.empty()) {
        int port = 0;
        for (const std::uint32_t variable : idsOfJson(row.inputs))
            rows.inputs.push_back({row.graph, row.apply, port++, VariableId{variable}});
    }
    if (row.inOptimized && row.origins.empty()) rows.origins.push_back({row.graph, row.apply, row.graph, row.apply});
    else if (row.inOptimized)
        for (const std::uint32_t origin : idsOfJson(row.origins))
            rows.origins.push_back({row.graph, row.apply, row.graph, ApplyId{origin}});
    if (row.line > 0) rows.sources.push_back({row.graph, row.apply, {std::move(row.file), row.line}});
    static_cast<ApplyOf<std::string> &>(rows.applies.emplace_back()) = std::move(row);
}

void takeBody(const Inside &body, const BodyOrigins *packed, const StringTable &texts, GraphRows &rows)
{
    const std::size_t first = rows.applies.size();
    append(rows.applies, applyRows(body.graph, body.import->edits, texts));
    append(rows.variables, variableRows(body.graph, body.import->edits, texts));
    if (!packed) return;
    std::vector<ApplyId> applies;
    for (std::size_t i = first; i < rows.applies.size(); ++i) applies.push_back(rows.applies[i].apply);
    std::ranges::sort(applies);
    for (std::size_t i = 0; i < std::min(applies.size(), packed->origins.size()); ++i)
        for (ApplyId origin : packed->origins[i]) rows.origins.push_back({body.graph, applies[i], body.parent, origin});
}

} // namespace

std::vector<GraphInfo> SessionReader::graphs() { return rows<GraphInfo>("ORDER BY id"); }

GraphRows SessionReader::graphRows(std::span<const GraphInfo> graphs, WithSteps withSteps)
{
    GraphRows all;
    const Chosen chosen(graphs);
    const std::string &where = chosen.condition();
    if (where.empty()) return all;
    const Transaction atOnce(*m_database); // rows, and the texts that they name
    const auto texts = strings();
    const auto read = [&]<class Described>(std::vector<Described> &into, const char *order) {
        into = chosen.only(rows<Described>(where + order));
    };

    std::vector<ApplyWithRoots<std::string>> applies;
    read(applies, "ORDER BY graph, apply");
    for (ApplyWithRoots<std::string> &row : applies) takeApply(row, all);
    std::vector<LineShare> shares;
    read(shares, "");
    for (const LineShare &one : shares) all.sources.push_back({one.graph, one.apply, {texts->text(one.file), one.line}, one.share, true});
    std::ranges::stable_sort(all.sources, {}, [](const SourceLink &link) {
        return std::tuple(link.graph, link.apply, std::string_view(link.source.file), link.source.line);
    });
    std::vector<CostFacts> costs;
    read(costs, "");
    std::unordered_map<std::pair<GraphId, ApplyId>, const CostFacts *, NodeHash> costOf;
    for (const CostFacts &one : costs) costOf[{one.graph, one.apply}] = &one;
    for (ApplyRow &row : all.applies)
        if (const auto found = costOf.find({row.graph, row.apply}); found != costOf.end())
            std::tie(row.flops, row.costBytes) = std::tie(found->second->flops, found->second->bytes);

    std::vector<VariableOf<std::string>> variables;
    read(variables, "");
    for (VariableOf<std::string> &row : variables) static_cast<VariableOf<std::string> &>(all.variables.emplace_back()) = std::move(row);
    std::vector<VariableSize> sizes;
    read(sizes, "");
    std::unordered_map<std::pair<GraphId, VariableId>, VariableSize *, NodeHash> sizeOf;
    for (VariableSize &one : sizes) sizeOf[{one.graph, one.variable}] = &one;
    for (VariableRow &row : all.variables)
        if (const auto found = sizeOf.find({row.graph, row.variable}); found != sizeOf.end()) {
            row.shape = std::move(found->second->shape);
            row.bytes = found->second->bytes;
        }

    read(all.passes, "ORDER BY graph, pass");
    read(all.passRewrites, "ORDER BY graph, pass, rewrite");
    read(all.rewriteCounts, "ORDER BY graph, rewrite");
    read(all.groupMembers, "ORDER BY graph, grp, position");
    read(all.declines, "");
    std::vector<LastDeclines> lastWords;
    read(lastWords, "");
    for (const LastDeclines &last : lastWords)
        for (const LastWord &said : last.words)
            all.declines.push_back(
                {last.graph, texts->text(said.rewrite), last.apply, last.step, texts->text(said.reason), true, said.because});
    std::ranges::stable_sort(all.declines, {},
                             [](const Decline &one) { return std::tuple(one.graph, one.apply, std::string_view(one.rewrite), one.step); });

    std::unordered_map<GraphId, Inside> bodies;
    for (const GraphInfo &graph : graphs)
        if (graph.kind == GraphKind::Composite) bodies[graph.id] = {graph.id, graph.parentGraph};
    if (withSteps == WithSteps::Yes) read(all.steps, "ORDER BY graph, step");
    else if (!bodies.empty()) read(all.steps, "AND step=0 AND graph IN (SELECT id FROM graphs WHERE kind='composite') ORDER BY graph");
    if (bodies.empty()) return all;
    std::vector<BodyOrigins> packed;
    read(packed, "");
    std::unordered_map<GraphId, const BodyOrigins *> packedOf;
    for (const BodyOrigins &one : packed) packedOf[one.graph] = &one;
    const std::size_t appliesBefore = all.applies.size(), variablesBefore = all.variables.size(), originsBefore = all.origins.size();
    for (const Step &step : all.steps) {
        const auto body = bodies.find(step.info.graph);
        if (body == bodies.end() || step.info.index != 0) continue;
        body->second.import = &step;
        const auto origins = packedOf.find(body->first);
        takeBody(body->second, origins == packedOf.end() ? nullptr : origins->second, *texts, all);
    }
    mergeBodies(all.applies, appliesBefore);
    mergeBodies(all.variables, variablesBefore);
    mergeBodies(all.origins, originsBefore);
    if (withSteps == WithSteps::No) all.steps.clear();
    all.applies.shrink_to_fit();
    all.variables.shrink_to_fit();
    all.origins.shrink_to_fit();
    return all;
}

GraphRows SessionReader::graphRows(GraphId graph) { return graphRows(rows<GraphInfo>("WHERE id=?", graph), WithSteps::Yes); }

GraphRows SessionReader::graphRows() { return graphRows(graphs(), WithSteps::Yes); }

std::vector<StepInfo> SessionReader::steps(GraphId graph)
{
    const Transaction atOnce(*m_database);
    strings();
    return rows<StepInfo>("WHERE graph=? ORDER BY step", graph);
}

std::shared_ptr<const StringTable> SessionReader::strings()
{
    const std::int64_t last = m_strings ? static_cast<std::int64_t>(m_strings->size()) - 1 : std::int64_t{0};
    std::vector<NumberedText> more = rows<NumberedText>("WHERE id>? ORDER BY id", last);
    if (m_strings && more.empty()) return m_strings;
    auto table = m_strings ? std::make_shared<StringTable>(*m_strings) : std::make_shared<StringTable>();
    for (NumberedText &one : more) table->set(one.id, std::move(one.text));
    m_strings = table;
    return m_strings;
}

GraphReplica SessionReader::replica(GraphId graph)
{
    GraphRows ofGraph;
    std::vector<PlanItem> items;
    {
        const Transaction atOnce(*m_database);
        strings();
        ofGraph.steps = rows<Step>("WHERE graph=? ORDER BY step", graph);
        ofGraph.groupMembers = rows<GroupMember>("WHERE graph=? ORDER BY grp, position", graph);
        items = rows<PlanItem>("WHERE graph=?", graph);
    }
    return replica(graph, std::move(ofGraph.steps), groupsOf(ofGraph.groupMembers, items));
}

GraphReplica SessionReader::replica(GraphId graph, std::vector<Step> steps, std::vector<ApplyGroup> groups)
{
    if (steps.empty())
        for (const char *what : {"bytes of steps", "steps"})
            if (const std::string why = whyDropped(what); !why.empty())
                throw SessionError("the steps of graph " + std::to_string(raw(graph)) + " were not kept: " + why,
                                   why == kSlowDisk ? "record it again on another disk with -o"
                                                    : "record it again with a larger --size-limit");
    // A step that was dropped for its size leaves a gap: what follows it cannot be replayed.
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].info.index != static_cast<int>(i)) steps.resize(i);
    GraphReplica replica(graph, m_strings ? m_strings : strings(), std::move(steps));
    replica.setGroups(std::move(groups));
    return replica;
}

std::vector<RewriteInfo> SessionReader::rewrites() { return rows<RewriteInfo>("ORDER BY position, name"); }

std::vector<LineageRow> lineageOf(std::span<const Step> steps)
{
    std::vector<LineageRow> rows;
    for (const Step &step : steps) {
        const auto first = static_cast<std::ptrdiff_t>(rows.size());
        for (const Became &one : step.lineage) rows.push_back({step.info.graph, step.info.index, one.from, one.fate, one.to});
        std::stable_sort(rows.begin() + first, rows.end(),
                         [](const LineageRow &a, const LineageRow &b) { return raw(a.from) < raw(b.from); });
    }
    return rows;
}

} // namespace profiler
