#include "views/session/session_data.h"

#include "profiler/session/store/output_kept.h"
#include "profiler/session/store/reader.h"
#include "views/common/background.h"
#include "views/session/body_graph.h"
#include "views/session/links.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace views {
namespace {

/// Made where it is read; the last who lets go of it may be the GUI thread, which must not wait for its end.
template <class Large>
std::shared_ptr<Large> makeLarge()
{
    return std::shared_ptr<Large>(new Large, [](Large *large) { discard(std::unique_ptr<Large>(large)); });
}

// A table that only grows: what is known, and what came behind it.
template <class Row>
std::shared_ptr<const std::vector<Row>> grown(const std::shared_ptr<const std::vector<Row>> &known, std::vector<Row> more)
{
    if (more.empty()) return known;
    more.insert(more.begin(), known->begin(), known->end());
    return std::make_shared<const std::vector<Row>>(std::move(more));
}

// Of rows by graph, those of one.
template <class Row>
std::vector<Row> ofGraph(const std::vector<Row> &rows, profiler::GraphId graph)
{
    const auto found = std::ranges::equal_range(rows, graph, {}, &Row::graph);
    return {found.begin(), found.end()};
}

std::shared_ptr<const GraphData> readGraph(profiler::SessionReader &reader, const profiler::GraphInfo &info,
                                           const profiler::ProfileData &profile, profiler::Journals &journals)
{
    auto graph = makeLarge<GraphData>();
    const profiler::GraphId id = info.id;
    graph->info = info;
    graph->applies = profile.applies.of(id);
    graph->variables = profile.variables.of(id);
    graph->passes = ofGraph(profile.passes, id);
    graph->passRewrites = ofGraph(profile.rewrites.ofPasses, id);
    graph->origins = profile.origins.of(id);
    graph->sourceLinks = profile.sources.of(id);
    graph->chainShares = profile.chains.ofApplies.of(id);
    graph->variableChains = profile.chains.ofVariables.of(id);
    graph->chains = profile.chains.all;
    graph->declines = profile.declines.of(id);
    std::vector<profiler::Step> steps = std::move(journals.steps[id]);
    graph->lineage = profiler::lineageOf(steps);
    if (steps.empty()) return graph;
    auto replica = std::make_shared<const profiler::GraphReplica>(reader.replica(id, std::move(steps), std::move(journals.groups[id])));
    graph->steps = std::shared_ptr<const std::vector<profiler::StepInfo>>(replica, &replica->stepInfos());
    graph->final = graph->replica = replica;
    if (replica->stepCount() > 0) {
        auto final = std::make_shared<profiler::GraphReplica>(*replica);
        final->goTo(final->stepCount());
        graph->final = std::move(final);
    }
    return graph;
}

std::int64_t numberOf(const profiler::ApplyRow &row) { return raw(row.apply); }
std::int64_t numberOf(const profiler::VariableRow &row) { return raw(row.variable); }

// Rows that are not by id, as those of a body, which come as they run.
template <class Row, auto OfGraph>
class Unsorted {
public:
    explicit Unsorted(const GraphData &graph)
    {
        const std::vector<Row> &rows = (graph.*OfGraph).all();
        if (std::ranges::is_sorted(rows, {}, [](const Row &row) { return numberOf(row); })) return;
        for (const Row &row : rows) m_rows.emplace(numberOf(row), &row);
    }
    const Row *find(std::int64_t id) const
    {
        const auto found = m_rows.find(id);
        return found == m_rows.end() ? nullptr : found->second;
    }

private:
    std::unordered_map<std::int64_t, const Row *> m_rows;
};

template <class Row, auto OfGraph>
const Row *findRow(const GraphData &graph, std::int64_t id)
{
    const std::vector<Row> &rows = (graph.*OfGraph).all();
    const auto found = std::ranges::lower_bound(rows, id, {}, [](const Row &row) { return numberOf(row); });
    if (found != rows.end() && numberOf(*found) == id) return &*found;
    return graph.derived<Unsorted<Row, OfGraph>>().find(id);
}

} // namespace

const profiler::ApplyRow *GraphData::apply(std::int64_t id) const { return findRow<profiler::ApplyRow, &GraphData::applies>(*this, id); }

const profiler::VariableRow *GraphData::variable(std::int64_t id) const
{
    return findRow<profiler::VariableRow, &GraphData::variables>(*this, id);
}

const profiler::FunctionInfo *SessionData::function(std::int64_t id) const
{
    const auto found = std::ranges::lower_bound(functions, id, {}, [](const auto &each) { return std::int64_t{raw(each.id)}; });
    return found != functions.end() && raw(found->id) == id ? &*found : nullptr;
}

std::shared_ptr<const GraphData> SessionData::graphOf(std::int64_t functionId, std::int64_t nested) const
{
    profiler::GraphId id = profiler::kNoGraph;
    if (nested >= 0) id = profiler::GraphId{static_cast<std::uint32_t>(nested)};
    else if (const profiler::FunctionInfo *info = function(functionId)) id = info->graph;
    return graph(id);
}

std::shared_ptr<const GraphData> SessionData::graph(profiler::GraphId id) const
{
    if (const auto found = graphs.find(id); found != graphs.end()) return found->second;
    const auto body = bodies.find(id);
    return body == bodies.end() ? nullptr : body->second->graph();
}

std::shared_ptr<const Links> SessionData::linksOf(profiler::GraphId id) const
{
    if (const auto found = links.find(id); found != links.end()) return found->second;
    const auto body = bodies.find(id);
    return body == bodies.end() ? nullptr : body->second->links();
}

const profiler::FunctionInfo *SessionData::busiestFunction() const
{
    const auto busiest = std::max_element(functions.begin(), functions.end(), [](const auto &a, const auto &b) {
        // A call may wait for the recorder or the machine; what its applies did is its own.
        return std::pair(a.run.thunkNs, a.run.totalNs) < std::pair(b.run.thunkNs, b.run.totalNs);
    });
    return busiest == functions.end() ? nullptr : &*busiest;
}

std::vector<std::string> SessionData::sourceFiles() const
{
    std::vector<std::string> files;
    if (!script.text.empty()) files.push_back(script.path);
    for (const profiler::SourceFile &source : sources)
        if (!source.text.empty() && (files.empty() || source.file != files.front())) files.push_back(source.file);
    return files;
}

std::string SessionData::sourceText(const std::string &file) const
{
    if (file == script.path) return script.text;
    for (const auto &source : sources)
        if (source.file == file) return source.text;
    return {};
}

std::string SessionData::machineValue(const std::string &name) const
{
    for (const auto &each : machine)
        if (each.name == name) return each.value;
    return {};
}

const profiler::RewriteInfo *SessionData::rewrite(const std::string &name) const
{
    for (const auto &each : rewrites)
        if (each.name == name) return &each;
    return nullptr;
}

std::shared_ptr<const SessionData> readSession(profiler::SessionReader &reader, const SessionData *last)
{
    auto data = makeLarge<SessionData>();
    data->version = reader.dataVersion();
    profiler::Journals journals;
    data->profile = profiler::loadProfile(reader, last ? &last->profile : nullptr, &journals);
    data->info = data->profile.info;
    data->warning = profiler::sessionWarning(data->info);
    data->script = last ? last->script : reader.script();
    const std::size_t kernels = reader.kernelCount();
    data->sources = data->profile.sourceFiles;
    data->flags = data->profile.flags;
    data->machine = data->profile.machine.facts;
    data->devices = reader.devices();
    data->functions = data->profile.functions;
    data->rewrites = last && !last->rewrites.empty() ? last->rewrites : reader.rewrites();
    if (last) data->messages = last->messages;
    std::ranges::move(reader.messages(data->messages.size()), std::back_inserter(data->messages));
    data->drops = data->profile.drops;
    // Where some of it was left out, rows went, too.
    const bool isCut = std::ranges::find(data->drops, std::string(profiler::kLeftOutOfOutput), &profiler::Drop::what) != data->drops.end();
    if (last && !isCut) data->outputs = last->outputs;
    data->outputs = grown(data->outputs, reader.outputs(data->outputs->size()));
    data->values = profiler::sidesOf(reader.values(), reader.valueNotes());
    std::unordered_map<profiler::GraphId, profiler::PackedBody *> bodies;
    for (profiler::PackedBody &body : journals.bodies) bodies[body.graph] = &body;
    for (const profiler::GraphInfo &info : data->profile.graphs) {
        const bool isBody = info.kind == profiler::GraphKind::Composite;
        if (journals.unchanged.contains(info.id)) {
            if (const auto known = last->bodies.find(info.id); known != last->bodies.end()) data->bodies.insert(*known);
            if (isBody) continue;
            data->graphs.emplace(info.id, last->graphs.at(info.id));
            data->links.emplace(info.id, last->links.at(info.id));
            continue;
        }
        if (isBody) {
            if (const auto found = bodies.find(info.id); found != bodies.end())
                data->bodies.emplace(info.id, std::make_shared<const BodyGraph>(info, std::move(*found->second),
                                                                                data->profile.sources.of(info.id), reader.texts()));
            continue;
        }
        const auto graph = readGraph(reader, info, data->profile, journals);
        data->graphs.emplace(info.id, graph);
        data->links.emplace(info.id, std::make_shared<const Links>(graph));
    }
    const bool ended = last && last->info.state != data->info.state; // only then rows of kernels may have changed without a new one
    data->kernelCount = kernels;
    if (last && last->kernelCount == kernels && !ended) data->kernels = last->kernels;
    else
        for (profiler::Kernel &kernel : reader.kernels()) data->kernels[kernel.function].push_back(std::move(kernel));
    data->costs = std::make_shared<const profiler::Costs>(data->profile);
    data->trace = std::make_shared<const profiler::Trace>(profiler::loadTrace(reader, last ? last->trace.get() : nullptr));
    return data;
}

} // namespace views
