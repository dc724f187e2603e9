// Graphs and their steps, in SessionReader.

#include "profiler/session/codec/body_rows.h"
#include "profiler/session/store/reader_rows.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

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
    // Of a row that the condition let through.
    [[nodiscard]] bool has(GraphId graph) const { return m_isRange || m_ids.contains(graph); }

private:
    std::unordered_set<GraphId> m_ids;
    std::string m_condition;
    bool m_isRange = false;
};

struct NodeHash {
    template <class Node>
    std::size_t operator()(const std::pair<GraphId, Node> &key) const
    {
        return std::hash<std::uint64_t>{}(std::uint64_t{raw(key.first)} << 32 | raw(key.second));
    }
};

// What the table `applies` holds of a node, as it is given on.
void takeApply(ApplyWithRoots<SharedText> &row, TextPool &labels, GraphRows &rows, std::vector<SourceLink> &sources,
               std::vector<ChainShare> &chains)
{
    if (row.chain != kNoChain) chains.push_back({row.graph, row.apply, row.chain});
    if (!row.inputs.empty()) {
        int port = 0;
        for (const std::uint32_t variable : idsOfJson(row.inputs))
            rows.inputs.push_back({row.graph, row.apply, port++, VariableId{variable}});
    }
    if (row.inOptimized && row.origins.empty()) rows.origins.push_back({row.graph, row.apply, row.graph, row.apply});
    else if (row.inOptimized)
        for (const std::uint32_t origin : idsOfJson(row.origins))
            rows.origins.push_back({row.graph, row.apply, row.graph, ApplyId{origin}});
    if (row.line > 0) sources.push_back({row.graph, row.apply, {std::move(row.file), row.line}});
    row.label = labels.of(std::move(row.label));
    ApplyRow apply;
    static_cast<ApplyOf<SharedText> &>(apply) = std::move(row);
    rows.applies.push_back(std::move(apply));
}

void takeBody(const PackedBody &body, const StringTable &texts, GraphRows &rows)
{
    const std::vector<Edit> edits = body.import.edits.all();
    std::vector<ApplyRow> applies = applyRows(body.graph, edits, texts);
    rows.origins.take(originRows(body, applies));
    rows.applies.take(std::move(applies));
    rows.variables.take(variableRows(body.graph, edits, texts));
}

} // namespace

std::vector<GraphInfo> SessionReader::graphs() { return rows<GraphInfo>("ORDER BY id"); }

GraphRows SessionReader::graphRows(std::span<const GraphInfo> graphs, WithSteps withSteps, Bodies wanted)
{
    GraphRows all;
    const Chosen chosen(graphs);
    const std::string &where = chosen.condition();
    if (where.empty()) return all;
    const Transaction atOnce(*m_database); // rows, and the texts that they name
    const auto texts = strings();
    TextPool pool;
    const auto each = [&]<class Described>(const std::string &order, auto take) {
        eachRow<Described>(where + order, [&](Described &&row) {
            if (chosen.has(graphOf(row))) take(std::move(row));
        });
    };
    const auto read = [&]<class Described>(std::vector<Described> &into, const char *order) {
        each.template operator()<Described>(order, [&](Described &&row) { into.push_back(std::move(row)); });
    };

    readChains();
    std::vector<SourceLink> sources;
    std::vector<ChainShare> chains;
    each.template operator()<ApplyWithRoots<SharedText>>(
        "ORDER BY graph, apply", [&](ApplyWithRoots<SharedText> &&row) { takeApply(row, pool, all, sources, chains); });
    each.template operator()<LineShare>("", [&](LineShare &&one) {
        sources.push_back({one.graph, one.apply, {texts->shared(one.file), one.line}, one.share, true});
    });
    std::ranges::stable_sort(sources, [](const SourceLink &a, const SourceLink &b) {
        if (a.graph != b.graph) return raw(a.graph) < raw(b.graph);
        return a.apply != b.apply ? raw(a.apply) < raw(b.apply) : a.source < b.source;
    });
    all.sources.take(std::move(sources));
    each.template operator()<ChainShare>("", [&](ChainShare &&one) { chains.push_back(one); });
    std::erase_if(chains, [&](const ChainShare &one) { return !m_chains->has(one.chain); });
    std::ranges::stable_sort(chains, [](const ChainShare &a, const ChainShare &b) {
        return a.graph != b.graph ? raw(a.graph) < raw(b.graph) : raw(a.apply) < raw(b.apply);
    });
    all.chains.take(std::move(chains));
    each.template operator()<VariableChain>("", [&](VariableChain &&one) {
        if (m_chains->has(one.chain)) all.variableChains.push_back(one);
    });
    std::unordered_map<std::pair<GraphId, ApplyId>, std::pair<double, double>, NodeHash> costOf;
    each.template operator()<CostFacts>("", [&](CostFacts &&one) { costOf[{one.graph, one.apply}] = {one.flops, one.bytes}; });
    for (ApplyRow &row : all.applies)
        if (const auto found = costOf.find({row.graph, row.apply}); found != costOf.end())
            std::tie(row.flops, row.costBytes) = found->second;
    costOf = {};

    each.template operator()<VariableOf<SharedText>>("", [&](VariableOf<SharedText> &&row) {
        VariableRow variable;
        static_cast<VariableOf<SharedText> &>(variable) = std::move(row);
        all.variables.push_back(std::move(variable));
    });
    std::unordered_map<std::pair<GraphId, VariableId>, std::pair<SharedText, std::int64_t>, NodeHash> sizeOf;
    each.template operator()<VariableSize>("", [&](VariableSize &&one) {
        sizeOf[{one.graph, one.variable}] = {pool.of(std::move(one.shape)), one.bytes};
    });
    for (VariableRow &row : all.variables)
        if (const auto found = sizeOf.find({row.graph, row.variable}); found != sizeOf.end())
            std::tie(row.shape, row.bytes) = std::move(found->second);
    sizeOf = {};

    read(all.passes, "ORDER BY graph, pass");
    read(all.passRewrites, "ORDER BY graph, pass, rewrite");
    read(all.rewriteCounts, "ORDER BY graph, rewrite");
    read(all.groupMembers, "ORDER BY graph, grp, position");
    std::vector<Decline> declines;
    read(declines, "");
    for (Decline &sample : declines) {
        sample.rewrite = pool.of(std::move(sample.rewrite));
        sample.reason = pool.of(std::move(sample.reason));
    }
    each.template operator()<LastDeclines>("", [&](LastDeclines &&last) {
        for (const LastWord &said : last.words)
            declines.push_back(
                {last.graph, texts->shared(said.rewrite), last.apply, last.step, texts->shared(said.reason), true, said.because});
    });
    std::ranges::stable_sort(declines, [](const Decline &a, const Decline &b) {
        if (a.graph != b.graph) return raw(a.graph) < raw(b.graph);
        if (a.apply != b.apply) return raw(a.apply) < raw(b.apply);
        return a.rewrite != b.rewrite ? a.rewrite < b.rewrite : a.step < b.step;
    });
    all.declines.take(std::move(declines));

    std::unordered_map<GraphId, GraphId> bodies; // to the graph that each stands in
    for (const GraphInfo &graph : graphs)
        if (graph.kind == GraphKind::Composite) bodies[graph.id] = graph.parentGraph;
    std::unordered_map<GraphId, std::vector<std::uint8_t>> origins;
    if (!bodies.empty()) each.template operator()<BodyOrigins>("", [&](BodyOrigins &&one) { origins[one.graph] = std::move(one.origins); });
    const auto takeStep = [&](Step &&step) {
        const auto body = bodies.find(step.info.graph);
        if (body != bodies.end() && step.info.index == 0) {
            PackedBody packed{body->first, body->second, {}, {}};
            if (const auto known = origins.find(body->first); known != origins.end()) packed.origins = std::move(known->second);
            if (wanted == Bodies::Packed) {
                packed.import = std::move(step);
                all.bodies.push_back(std::move(packed));
                return;
            }
            packed.import = step;
            takeBody(packed, *texts, all);
        }
        if (withSteps == WithSteps::Yes) all.steps.push_back(std::move(step));
    };
    if (withSteps == WithSteps::Yes) each.template operator()<Step>("ORDER BY graph, step", takeStep);
    else if (!bodies.empty() && wanted == Bodies::AsRows)
        each.template operator()<Step>("AND step=0 AND graph IN (SELECT id FROM graphs WHERE kind='composite') ORDER BY graph", takeStep);
    if (wanted == Bodies::AsRows && !bodies.empty()) {
        all.applies.sortByGraph();
        all.variables.sortByGraph();
        all.origins.sortByGraph();
    }
    return all;
}

void addOriginalInputs(const Step &first, std::vector<ApplyInput> &all)
{
    for (const Edit &edit : first.edits.all()) {
        int port = 0;
        if (const auto *apply = std::get_if<AddApply>(&edit))
            for (const VariableId input : apply->inputs) all.push_back({first.info.graph, apply->id, port++, input});
        else if (const auto *output = std::get_if<SetOutput>(&edit))
            all.push_back({first.info.graph, kNoApply, static_cast<int>(output->index), output->after});
    }
}

std::vector<ApplyInput> SessionReader::originalInputs(std::span<const GraphInfo> graphs)
{
    std::vector<GraphInfo> own;
    std::ranges::copy_if(graphs, std::back_inserter(own), [](const GraphInfo &graph) { return graph.kind != GraphKind::Composite; });
    const Chosen chosen(own);
    std::vector<ApplyInput> all;
    if (chosen.condition().empty()) return all;
    const Transaction atOnce(*m_database);
    const auto texts = strings(); // edits name some
    eachRow<Step>(chosen.condition() + "AND step=0 ORDER BY graph", [&](Step &&step) {
        if (chosen.has(step.info.graph)) addOriginalInputs(step, all);
    });
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

void SessionReader::readChains()
{
    std::shared_ptr<Chains> grown;
    eachRow<ChainFacts>(
        "WHERE id>=? ORDER BY id",
        [&](ChainFacts &&next) {
            if (!grown) grown = std::make_shared<Chains>(*m_chains);
            grown->add(next, *m_strings);
        },
        static_cast<std::int64_t>(m_chains->size()));
    if (grown) m_chains = std::move(grown);
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
        items = rows<PlanItem>("WHERE function=(SELECT function FROM graphs WHERE id=?1) AND graph=?1", graph);
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
    GraphReplica replica(graph, m_strings ? m_strings : strings(), std::move(steps));
    replica.setGroups(std::move(groups));
    return replica;
}

GraphDocuments SessionReader::documents(GraphId graph)
{
    const Transaction atOnce(*m_database);
    strings();
    return {rows<OpDocumentRow>("WHERE graph=?", graph), rows<LeafDocument>("WHERE graph=?", graph)};
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
