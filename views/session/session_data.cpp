#include "views/session/session_data.h"

#include "profiler/session/reader.h"
#include "views/common/background.h"
#include "views/session/links.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace views {
namespace {

// The rows of the graphs that changed, by graph.
struct RowsByGraph {
    template <class Row>
    using Rows = std::unordered_map<profiler::GraphId, std::vector<Row>>;

    RowsByGraph(const profiler::ProfileData &all, profiler::Journals read)
        : journals(std::move(read)), applies(changed(all.applies)), variables(changed(all.variables)), passes(changed(all.passes)),
          passRewrites(changed(all.passRewrites)), origins(changed(all.origins)), sources(changed(all.sources))
    {}

    profiler::Journals journals;
    Rows<profiler::ApplyRow> applies;
    Rows<profiler::VariableRow> variables;
    Rows<profiler::PassInfo> passes;
    Rows<profiler::PassRewrite> passRewrites;
    Rows<profiler::OriginRow> origins;
    Rows<profiler::SourceLink> sources;

private:
    template <class Row>
    Rows<Row> changed(const std::vector<Row> &all) const
    {
        Rows<Row> rows;
        std::unordered_map<profiler::GraphId, std::size_t> counts; // of large sessions what vectors keep in reserve is much
        for (const Row &row : all) ++counts[row.graph];
        for (const auto &[graph, count] : counts)
            if (!journals.unchanged.contains(graph)) rows[graph].reserve(count);
        for (const Row &row : all)
            if (!journals.unchanged.contains(row.graph)) rows[row.graph].push_back(row);
        return rows;
    }
};

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

std::shared_ptr<const GraphData> readGraph(profiler::SessionReader &reader, const profiler::GraphInfo &info, RowsByGraph &rows)
{
    auto graph = makeLarge<GraphData>();
    const profiler::GraphId id = info.id;
    graph->info = info;
    graph->applies = std::move(rows.applies[id]);
    graph->variables = std::move(rows.variables[id]);
    graph->passes = std::move(rows.passes[id]);
    graph->passRewrites = std::move(rows.passRewrites[id]);
    graph->origins = std::move(rows.origins[id]);
    graph->sourceLinks = std::move(rows.sources[id]);
    graph->declines = std::move(rows.journals.declines[id]);
    std::vector<profiler::Step> &steps = rows.journals.steps[id];
    graph->steps.reserve(steps.size());
    for (const profiler::Step &step : steps) graph->steps.push_back(step.info);
    graph->lineage = profiler::lineageOf(steps);
    if (!steps.empty()) {
        graph->replica =
            std::make_shared<const profiler::GraphReplica>(reader.replica(id, std::move(steps), std::move(rows.journals.groups[id])));
        graph->final = graph->replica;
        if (graph->replica->stepCount() > 0) { // a Composite's body has no other
            auto final = std::make_shared<profiler::GraphReplica>(*graph->replica);
            final->goTo(final->stepCount());
            graph->final = std::move(final);
        }
    }
    for (std::size_t i = 0; i < graph->applies.size(); ++i) graph->applyIndex.emplace(raw(graph->applies[i].apply), i);
    for (std::size_t i = 0; i < graph->variables.size(); ++i) graph->variableIndex.emplace(raw(graph->variables[i].variable), i);
    return graph;
}

} // namespace

const profiler::ApplyRow *GraphData::apply(std::int64_t id) const
{
    const auto found = applyIndex.find(static_cast<std::uint32_t>(id));
    return id < 0 || found == applyIndex.end() ? nullptr : &applies[found->second];
}

const profiler::VariableRow *GraphData::variable(std::int64_t id) const
{
    const auto found = variableIndex.find(static_cast<std::uint32_t>(id));
    return id < 0 || found == variableIndex.end() ? nullptr : &variables[found->second];
}

const profiler::FunctionInfo *SessionData::function(std::int64_t id) const
{
    for (const auto &each : functions)
        if (id >= 0 && raw(each.id) == static_cast<std::uint32_t>(id)) return &each;
    return nullptr;
}

std::shared_ptr<const GraphData> SessionData::graphOf(std::int64_t functionId, std::int64_t nested) const
{
    profiler::GraphId id = profiler::kNoGraph;
    if (nested >= 0) id = profiler::GraphId{static_cast<std::uint32_t>(nested)};
    else if (const profiler::FunctionInfo *info = function(functionId)) id = info->graph;
    const auto found = graphs.find(id);
    return found == graphs.end() ? nullptr : found->second;
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
        if (!source.text.empty() && std::find(files.begin(), files.end(), source.file) == files.end()) files.push_back(source.file);
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
    const std::size_t sources = reader.sourceCount(), kernels = reader.kernelCount();
    data->sources = last && last->sources.size() == sources ? last->sources : reader.sources();
    data->flags = data->profile.flags;
    data->machine = data->profile.machine;
    data->devices = reader.devices();
    data->functions = data->profile.functions;
    data->rewrites = last && !last->rewrites.empty() ? last->rewrites : reader.rewrites();
    if (last) data->messages = last->messages;
    std::ranges::move(reader.messages(data->messages.size()), std::back_inserter(data->messages));
    if (last) data->outputs = last->outputs;
    data->outputs = grown(data->outputs, reader.outputs(data->outputs->size()));
    data->drops = data->profile.drops;
    data->values = profiler::sidesOf(reader.values(), reader.valueNotes());
    RowsByGraph rows(data->profile, std::move(journals));
    for (const profiler::GraphInfo &info : data->profile.graphs) {
        if (rows.journals.unchanged.contains(info.id)) {
            data->graphs.emplace(info.id, last->graphs.at(info.id));
            data->links.emplace(info.id, last->links.at(info.id));
            continue;
        }
        const auto graph = readGraph(reader, info, rows);
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
