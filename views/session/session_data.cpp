#include "views/session/session_data.h"

#include "profiler/session/reader.h"
#include "views/common/background.h"
#include "views/session/links.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace views {
namespace {

// The rows of all graphs as they were read, by graph.
struct RowsByGraph {
    template <class Row>
    using Rows = std::unordered_map<std::uint32_t, std::vector<Row>>;

    explicit RowsByGraph(const profiler::ProfileData &all)
        : applies(split(all.applies)), variables(split(all.variables)), passes(split(all.passes)), passRewrites(split(all.passRewrites)),
          origins(split(all.origins)), sources(split(all.sources))
    {}

    Rows<profiler::ApplyRow> applies;
    Rows<profiler::VariableRow> variables;
    Rows<profiler::PassInfo> passes;
    Rows<profiler::PassRewrite> passRewrites;
    Rows<profiler::OriginRow> origins;
    Rows<profiler::SourceLink> sources;

private:
    template <class Row>
    static Rows<Row> split(const std::vector<Row> &all)
    {
        Rows<Row> rows;
        for (const Row &row : all) rows[raw(row.graph)].push_back(row);
        return rows;
    }
};

/// Made where it is read; the last who lets go of it may be the GUI thread, which must not wait for its end.
template <class Large>
std::shared_ptr<Large> makeLarge()
{
    return std::shared_ptr<Large>(new Large, [](Large *large) { discard(std::unique_ptr<Large>(large)); });
}

std::shared_ptr<const std::vector<profiler::OutputText>> readOutputs(profiler::SessionReader &reader, const SessionData *last)
{
    auto outputs = reader.outputs(last ? last->outputs->size() : 0);
    if (last && outputs.empty()) return last->outputs;
    if (last) outputs.insert(outputs.begin(), last->outputs->begin(), last->outputs->end());
    return std::make_shared<const std::vector<profiler::OutputText>>(std::move(outputs));
}

/// A graph with its rows, which it takes.
std::shared_ptr<GraphData> graphWith(const profiler::GraphInfo &info, RowsByGraph &rows)
{
    auto graph = makeLarge<GraphData>();
    const std::uint32_t id = raw(info.id);
    graph->info = info;
    graph->applies = std::move(rows.applies[id]);
    graph->variables = std::move(rows.variables[id]);
    graph->passes = std::move(rows.passes[id]);
    graph->passRewrites = std::move(rows.passRewrites[id]);
    graph->origins = std::move(rows.origins[id]);
    graph->sourceLinks = std::move(rows.sources[id]);
    for (std::size_t i = 0; i < graph->applies.size(); ++i) graph->applyIndex.emplace(raw(graph->applies[i].apply), i);
    for (std::size_t i = 0; i < graph->variables.size(); ++i) graph->variableIndex.emplace(raw(graph->variables[i].variable), i);
    return graph;
}

std::shared_ptr<const GraphData> readGraph(profiler::SessionReader &reader, const profiler::GraphInfo &info, RowsByGraph &rows)
{
    auto graph = graphWith(info, rows);
    graph->steps = reader.steps(info.id);
    graph->lineage = reader.lineage(info.id);
    graph->declines = reader.declines(info.id);
    if (!graph->steps.empty()) {
        graph->replica = std::make_shared<const profiler::GraphReplica>(reader.replica(info.id));
        auto final = std::make_shared<profiler::GraphReplica>(*graph->replica);
        final->goTo(final->stepCount());
        graph->final = std::move(final);
    }
    return graph;
}

/// The body of a Composite: one step, and no lineage.
std::shared_ptr<const GraphData> bodyGraph(const profiler::GraphInfo &info, profiler::GraphReplica replica, RowsByGraph &rows)
{
    auto graph = graphWith(info, rows);
    graph->steps = {replica.stepInfo(0)};
    graph->replica = graph->final = std::make_shared<const profiler::GraphReplica>(std::move(replica));
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

std::string SessionData::flag(const std::string &name) const
{
    for (const auto &each : flags)
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
    data->profile = profiler::loadProfile(reader, last ? &last->profile : nullptr);
    data->info = data->profile.info;
    data->warning = profiler::sessionWarning(data->info);
    data->script = reader.script();
    data->sources = reader.sources();
    data->flags = data->profile.flags;
    data->machine = data->profile.machine;
    data->devices = reader.devices();
    data->functions = data->profile.functions;
    data->rewrites = last && !last->rewrites.empty() ? last->rewrites : reader.rewrites();
    data->messages = reader.messages();
    data->outputs = readOutputs(reader, last);
    data->drops = data->profile.drops;
    std::optional<RowsByGraph> rows;
    std::unordered_map<std::uint32_t, profiler::GraphReplica> bodies;
    for (const profiler::GraphInfo &info : data->profile.graphs) {
        const auto known = last ? last->graphs.find(info.id) : decltype(last->graphs.find(info.id)){};
        if (last && known != last->graphs.end() && profiler::isUnchanged(info, data->profile, last->profile)) {
            data->graphs.emplace(info.id, known->second);
            data->links.emplace(info.id, last->links.at(info.id));
            continue;
        }
        if (!rows) {
            rows.emplace(data->profile);
            for (profiler::GraphReplica &body : reader.bodies()) bodies.emplace(raw(body.graph()), std::move(body));
        }
        const auto body = bodies.find(raw(info.id));
        const auto graph = body == bodies.end() ? readGraph(reader, info, *rows) : bodyGraph(info, std::move(body->second), *rows);
        data->graphs.emplace(info.id, graph);
        data->links.emplace(info.id, std::make_shared<const Links>(graph));
    }
    for (const auto &function : data->functions) {
        auto kernels = reader.kernels(function.id);
        if (!kernels.empty()) data->kernels.emplace(function.id, std::move(kernels));
    }
    data->costs = std::make_shared<const profiler::Costs>(data->profile);
    data->trace = std::make_shared<const profiler::Trace>(profiler::loadTrace(reader));
    return data;
}

} // namespace views
