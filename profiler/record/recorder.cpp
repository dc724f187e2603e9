#include "profiler/record/recorder.h"

#include "engine/compile/function.h"
#include "profiler/record/graph_record.h"
#include "profiler/record/plan_record.h"
#include "profiler/record/rewrite_record.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace profiler {
namespace {

std::int64_t toNs(std::uint64_t ticks) { return static_cast<std::int64_t>(static_cast<double>(ticks) * 1e9 / engine::ticksPerSecond()); }

SourceLine locationOf(engine::TraceId trace)
{
    const engine::SourceLine &line = engine::sourceLine(trace);
    return {line.file, line.line};
}

// Everything that is known about one compiled function (nested ones are graphs of their outermost one).
struct Recorded {
    FunctionInfo info;
    std::unique_ptr<GraphRecord> graph;
    engine::Function *function = nullptr; // null once it is gone
    bool nested = false;
    FunctionId owner = kNoFunction; // the function that statistics belong to
    std::vector<ApplyStats> last;
    std::int64_t writtenCalls = 0; // what the session knows already
    std::size_t plannedBuffers = 0;
    std::uint64_t events = 0;
    std::uint64_t skipped = 0;
};

} // namespace

struct Recorder::State {
    std::unique_ptr<SessionWriter> writer;
    RecordOptions options;
    mutable std::mutex mutex; // guards the rest
    std::map<std::uint32_t, Recorded> functions;
    std::uint32_t nextGraph = 1;
    std::uint64_t compiled = 0;
    bool finished = false;

    void readCounters(Recorded &one);
    void refresh(SessionWriter &out);
    void recordBodies(Recorded &one, engine::Function &function);
};

Recorder::Recorder(const std::string &path, const SessionStart &start, WriterOptions options, RecordOptions record)
    : m_state(std::make_unique<State>())
{
    m_state->options = record;
    m_state->writer = SessionWriter::create(path, start, std::move(options));
    m_state->writer->setMachine(describeMachine());
    m_state->writer->setEnvironment();
    recordCatalogue(*m_state->writer);
    m_state->writer->addLanes({{0, LaneKind::Host, "cpu", "calls"}});
    engine::ticksPerSecond(); // starts its measurement
    m_state->writer->onRefresh([state = m_state.get()](SessionWriter &out) { state->refresh(out); });
    engine::setCompileObserver(this);
    engine::setRunObserver(this);
}

Recorder::~Recorder() { finish(-1, "the process ended early"); }

SessionWriter &Recorder::writer() { return *m_state->writer; }

Recorder::Counts Recorder::counts() const
{
    std::lock_guard lock(m_state->mutex);
    Counts counts;
    counts.functions = m_state->compiled;
    for (const auto &[id, one] : m_state->functions) {
        if (one.nested) continue;
        counts.calls += one.function ? one.function->statistics().calls.get() : static_cast<std::uint64_t>(one.info.run.calls);
    }
    return counts;
}

void Recorder::finish(int exitStatus, const std::string &reason)
{
    {
        std::lock_guard lock(m_state->mutex);
        if (m_state->finished) return;
        m_state->finished = true;
    }
    engine::setCompileObserver(nullptr);
    engine::setRunObserver(nullptr);
    m_state->refresh(*m_state->writer);
    m_state->writer->onRefresh({});
    std::uint64_t skipped = 0;
    for (const auto &[id, one] : m_state->functions) skipped += one.skipped;
    if (skipped) m_state->writer->countDrop("events", static_cast<std::int64_t>(skipped), "after the first calls of a function only a sample is kept");
    m_state->writer->finish(exitStatus, reason);
}

void Recorder::compileStarted(std::uint32_t id, const engine::FunctionSpec &spec, const engine::FunctionGraph &graph)
{
    std::lock_guard lock(m_state->mutex);
    Recorded &one = m_state->functions[id];
    GraphInfo info;
    info.id = GraphId{m_state->nextGraph++};
    info.function = FunctionId{id};
    info.label = spec.name;
    if (spec.parent) {
        Recorded &parent = m_state->functions[spec.parent->first];
        one.nested = true;
        one.owner = parent.nested ? parent.owner : parent.info.id;
        info.function = one.owner;
        info.parentGraph = parent.graph->id();
        info.parentApply = ApplyId{engine::raw(spec.parent->second)};
        info.kind = GraphKind::OpFromGraph;
    } else {
        one.owner = FunctionId{id};
    }
    one.info.id = FunctionId{id};
    one.info.name = spec.name;
    one.info.location = locationOf(spec.trace);
    one.info.mode = spec.mode.name;
    one.info.linker = spec.mode.linker;
    one.info.device = "cpu";
    one.info.graph = info.id;
    one.info.createdNs = m_state->writer->nowNs();
    one.info.state = "compiling";
    one.info.appliesOriginal = static_cast<int>(graph.liveApplyCount());
    for (engine::VarId input : graph.inputs())
        one.info.inputs.push_back({VariableId{engine::raw(input)}, graph.displayName(input), graph.var(input).type.text(),
                                   graph.var(input).kind == engine::Variable::Kind::Shared ? VariableKind::Shared : VariableKind::Input});
    for (const auto &[output, input] : graph.updates)
        one.info.updates.push_back({VariableId{engine::raw(input)}, static_cast<int>(output), graph.displayName(input)});
    one.graph = std::make_unique<GraphRecord>(*m_state->writer, info);
    one.graph->import(graph);
    if (!one.nested) m_state->writer->setFunction(one.info);
    m_state->writer->setProgress({"compiling", one.owner, 0, info.id, 0, m_state->writer->nowNs()});
}

void Recorder::passFinished(std::uint32_t id, const engine::FunctionGraph &graph, const engine::PassReport &report)
{
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(id);
    if (found == m_state->functions.end()) return;
    found->second.graph->addPass(graph, report);
    m_state->writer->setProgress({"compiling", found->second.owner, 0, found->second.graph->id(), static_cast<int>(report.lastStep),
                                  m_state->writer->nowNs()});
}

void Recorder::State::recordBodies(Recorded &one, engine::Function &function)
{
    // Composite bodies are graphs inside an apply: imported as they are, they have no steps of their own.
    for (engine::ApplyId id : function.order()) {
        const engine::ApplyNode &node = function.graph().apply(id);
        const engine::InnerGraph *inner = node.op->inner();
        if (!inner || node.op->worksOnValues()) continue;
        const engine::FunctionGraph body(inner->inputs, inner->outputs);
        GraphInfo info;
        info.id = GraphId{nextGraph++};
        info.function = one.owner;
        info.parentGraph = one.graph->id();
        info.parentApply = ApplyId{engine::raw(id)};
        info.kind = GraphKind::Composite;
        info.label = node.op->friendlyName();
        GraphRecord record(*writer, info);
        record.import(body);
        const std::vector<engine::ApplyId> order = body.toposort();
        record.finish(body, order, engine::traceLineage(body));
        auto origins = function.graph().bodyOrigins.find(engine::raw(id));
        if (origins == function.graph().bodyOrigins.end() || origins->second.size() != order.size()) continue;
        std::vector<OriginRow> rows;
        for (std::size_t i = 0; i < order.size(); ++i) {
            std::set<std::uint32_t> known;
            for (engine::ApplyId maker : origins->second[i])
                for (engine::ApplyId origin : function.lineage().origins[engine::raw(maker)])
                    if (known.insert(engine::raw(origin)).second)
                        rows.push_back({info.id, ApplyId{engine::raw(order[i])}, one.graph->id(), ApplyId{engine::raw(origin)}});
        }
        writer->addOrigins(std::move(rows));
    }
}

void Recorder::compileFinished(engine::Function &function)
{
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    Recorded &one = found->second;
    one.function = &function;
    one.graph->finish(function.graph(), function.order(), function.lineage());
    m_state->recordBodies(one, function);
    recordDeclines(*m_state->writer, one.graph->id(), one.graph->info().stepCount, function.rewrites());
    one.info.state = "ready";
    one.info.appliesOptimized = static_cast<int>(function.order().size());
    one.info.stepCount = static_cast<int>(function.graph().journal().steps.size());
    one.info.compile.totalNs = static_cast<std::int64_t>(function.times().totalNs);
    one.info.compile.optimizerNs = static_cast<std::int64_t>(function.times().optimizerNs);
    one.info.compile.validateNs = static_cast<std::int64_t>(function.times().validateNs);
    one.info.compile.linkerNs = static_cast<std::int64_t>(function.times().linkerNs);
    one.info.compile.graphNs = std::max<std::int64_t>(0, one.info.compile.totalNs - one.info.compile.optimizerNs - one.info.compile.linkerNs);
    for (const std::string &warning : function.warnings()) {
        Message message;
        message.timeNs = m_state->writer->nowNs();
        message.severity = Severity::Warning;
        message.text = warning;
        message.function = one.owner;
        message.source = one.info.location;
        m_state->writer->addMessage(std::move(message));
    }
    if (!one.nested) {
        ++m_state->compiled;
        m_state->writer->setFunction(one.info);
    }
    m_state->writer->setProgress({"script", one.owner, 0, one.graph->id(), one.info.stepCount, m_state->writer->nowNs()});
}

void Recorder::compileFailed(std::uint32_t id, const std::string &text)
{
    std::lock_guard lock(m_state->mutex);
    Message message;
    message.timeNs = m_state->writer->nowNs();
    message.severity = Severity::Error;
    message.text = text;
    auto found = m_state->functions.find(id);
    if (found != m_state->functions.end()) {
        found->second.info.state = "failed";
        message.function = found->second.owner;
        message.source = found->second.info.location;
        if (!found->second.nested) m_state->writer->setFunction(found->second.info);
    }
    m_state->writer->addMessage(std::move(message));
}

void Recorder::callFinished(engine::Function &function, std::uint64_t startNs, std::uint64_t nanoseconds)
{
    // Other threads only read the map; this one function is not called twice at once.
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    Recorded &one = found->second;
    const std::uint64_t call = function.statistics().calls.get();
    const std::int64_t start = m_state->writer->toSessionNs(static_cast<std::int64_t>(startNs));
    if (call <= 1) one.info.run.firstCallNs = start;
    one.info.run.lastCallNs = start + static_cast<std::int64_t>(nanoseconds);
    if (one.plannedBuffers == 0) {
        const std::vector<engine::BufferInfo> buffers = function.buffers();
        if (!buffers.empty()) {
            one.plannedBuffers = buffers.size();
            one.graph->setRuntimeShapes(function.graph(), buffers);
            recordPlan(*m_state->writer, one.owner, one.graph->id(), function, buffers);
        }
    }
    if (one.nested) return;
    if (one.events < m_state->options.callEventsPerFunction || call % static_cast<std::uint64_t>(m_state->options.sampleEvery) == 0) {
        ++one.events;
        Event event;
        event.kind = EventKind::Call;
        event.startNs = start;
        event.durationNs = static_cast<std::int64_t>(nanoseconds);
        event.function = one.owner;
        event.call = static_cast<std::int64_t>(call) - 1;
        event.graph = one.graph->id();
        m_state->writer->addEvents({event});
    } else {
        ++one.skipped;
    }
}

void Recorder::callFailed(engine::Function &function, const std::string &text)
{
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    Message message;
    message.timeNs = m_state->writer->nowNs();
    message.severity = Severity::Error;
    message.text = text.substr(0, text.find('\n'));
    message.detail = text;
    message.function = found->second.owner;
    message.source = found->second.info.location;
    m_state->writer->addMessage(std::move(message));
}

void Recorder::functionDropped(engine::Function &function)
{
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    m_state->readCounters(found->second);
    found->second.function = nullptr; // its last numbers are written with the next refresh
}

void Recorder::State::readCounters(Recorded &one)
{
    if (!one.function) return;
    engine::FunctionStatistics &statistics = one.function->statistics();
    one.info.run.calls = static_cast<std::int64_t>(statistics.calls.get());
    one.info.run.totalNs = toNs(statistics.callTicks.get());
    one.info.run.vmNs = toNs(statistics.runTicks.get());
    one.last.clear();
    std::int64_t thunks = 0;
    const auto order = one.function->order();
    for (std::size_t i = 0; statistics.applies && i < statistics.applyCount; ++i) {
        const engine::ApplyCounters &from = statistics.applies[i];
        ApplyStats to;
        to.function = one.owner;
        to.graph = one.graph->id();
        to.apply = ApplyId{engine::raw(order[i])};
        to.calls = static_cast<std::int64_t>(from.calls.get());
        to.totalNs = toNs(from.ticks.get());
        to.minNs = toNs(from.minTicks.get());
        to.maxNs = toNs(from.maxTicks.get());
        thunks += to.totalNs;
        if (to.calls) one.last.push_back(to);
    }
    one.info.run.thunkNs = thunks;
}

void Recorder::State::refresh(SessionWriter &out)
{
    std::lock_guard lock(mutex);
    Progress progress{"script", kNoFunction, 0, kNoGraph, -1, out.nowNs()};
    for (auto &[id, one] : functions) {
        readCounters(one);
        if (one.info.run.calls == one.writtenCalls) continue;
        one.writtenCalls = one.info.run.calls;
        if (!one.nested) out.setCalls(one.info.id, one.info.run);
        if (!one.last.empty()) out.setApplyStats(one.last);
        if (!one.nested) progress = {"running", one.info.id, one.info.run.calls, one.graph->id(), -1, out.nowNs()};
        if (!one.function) one.last.clear();
    }
    if (progress.function != kNoFunction) out.setProgress(progress);
}

} // namespace profiler
