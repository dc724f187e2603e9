#include "profiler/record/recorder.h"

#include "engine/compile/function/function.h"
#include "engine/device/offers.h"
#include "profiler/record/body_record.h"
#include "profiler/record/device_record.h"
#include "profiler/record/devices.h"
#include "profiler/record/memory_record.h"
#include "profiler/record/rewrite_record.h"
#include "profiler/record/roofs.h"
#include "profiler/session/model/collection_names.h"
#include "profiler/session/store/forks.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <unordered_set>

namespace profiler {
namespace {

constexpr int kCallLane = 0, kCompilerLane = 1;
constexpr std::uint64_t kMostCompileEvents = 20'000; // a script of thousands of functions leaves room for calls

SourceLine locationOf(engine::TraceId trace)
{
    const engine::SourceLine &line = engine::sourceLine(trace);
    return {line.file, line.line};
}

// What one measurement of an apply costs: two readings of the clock share one, and the counters.
double applyOverheadNs(double nsPerTick)
{
    constexpr int kRounds = 2000, kApplies = 12;
    engine::FunctionStatistics statistics;
    statistics.keepApplies(kApplies);
    std::uint64_t best = ~std::uint64_t(0);
    for (int batch = 0; batch < 5; ++batch) {
        const std::uint64_t begin = engine::ticks();
        std::uint64_t before = begin;
        for (int i = 0; i < kRounds; ++i) {
            const std::uint64_t after = engine::ticks();
            statistics.note(static_cast<std::size_t>(i % kApplies), engine::Tier::Compiled, after - before);
            before = after;
        }
        best = std::min(best, before - begin);
    }
    return static_cast<double>(best) * nsPerTick / kRounds;
}

void observeNoMore()
{
    engine::setCompileObserver(nullptr);
    engine::setRunObserver(nullptr);
    engine::setDeviceObserver({});
    stopMemoryRecord();
}

} // namespace

struct Recorder::State {
    const unsigned forks = forksSoFar(); // when it was made
    std::unique_ptr<SessionWriter> writer;
    RecordOptions options;
    // Order: `counters`, `mutex`, the writer's. Whoever holds these may wait for room in the writer's queue, so the writing
    // thread never waits for them: it refreshes another time. `counters` is held while counters are read: a call waits only
    // for `mutex`.
    std::mutex counters;
    // Guards the rest, but what a compile writes of its own function.
    mutable std::mutex mutex;
    std::unordered_set<const engine::RewriteInfo *> rewrites; // in the catalogue
    std::map<std::uint32_t, FunctionRecord> functions;        // its entries stay where they are
    std::set<std::string> sources;                            // files that the session holds already
    DeviceRecord devices;
    std::unique_ptr<CaptureRecord> capture; // null: off
    CommunicationRecord communication;      // with a lock of its own
    CollectionRecord collections;           // the same
    TickClock clock;
    double applyNs = 0;                         // overhead of one apply
    std::uint64_t callTicks = 0, callsSeen = 0; // own time after calls
    std::atomic<std::uint32_t> nextGraph{1};
    std::uint64_t compiled = 0;
    std::uint64_t compileEvents = 0, compileEventsLeftOut = 0;
    bool finished = false;

    enum class Wait : std::uint8_t { ForLocks, Never };
    void refresh(SessionWriter &out, Wait wait);
    FunctionRecord *find(std::uint32_t function);
    void readClock();
    void keepSources(const engine::FunctionGraph &graph);
    void addCompileEvent(EventKind kind, const FunctionRecord &one, std::int64_t endNs, std::uint64_t ns, std::string name = {});
    void writeOverhead();
};

Recorder::Recorder(const std::string &path, const SessionStart &start, WriterOptions options, RecordOptions record)
    : m_state(std::make_unique<State>())
{
    m_state->options = record;
    m_state->writer = SessionWriter::create(path, start, std::move(options));
    if (record.capture.isOn) m_state->capture = std::make_unique<CaptureRecord>(*m_state->writer, record.capture);
    m_state->writer->setMachine(describeMachine());
    m_state->writer->setEnvironment();
    m_state->writer->setDevices(describeDevices(engine::hasDevices()));
    m_state->sources.insert(start.script.path);
    if (!record.onlyProfiled) {
        m_state->writer->setRoofs(machineRoofs());
        recordCatalogue(*m_state->writer, m_state->rewrites);
    }
    m_state->writer->addLanes({{kCallLane, LaneKind::Host, "cpu", "calls"},
                               {kCompilerLane, LaneKind::Compiler, "cpu", "compiler"},
                               {kCollectionLane, LaneKind::Host, "cpu", std::string(kCollectionLaneName)}});
    m_state->readClock();
    m_state->applyNs = applyOverheadNs(m_state->clock.nsPerTick);
    m_state->writeOverhead();
    startMemoryRecord();
    m_state->writer->onRefresh([state = m_state.get()](SessionWriter &out) { state->refresh(out, State::Wait::Never); });
    engine::setCompileObserver(this);
    engine::setRunObserver(this);
    // A script may give a device work before it compiles a function, and open one by itself.
    const auto watch = [state = m_state.get()] {
        std::lock_guard reading(state->counters);
        std::lock_guard lock(state->mutex);
        state->devices.watch(*state->writer);
    };
    watch();
    engine::setDeviceObserver(watch);
    [[maybe_unused]] static const int inChildren = pthread_atfork(nullptr, nullptr, observeNoMore);
}

Recorder::~Recorder()
{
    try {
        finish(-1, "the process ended early");
    } catch (const std::exception &) { // the session keeps what was written until then
    }
}

GraphId Recorder::newGraph() { return GraphId{m_state->nextGraph++}; }

SessionWriter &Recorder::writer() { return *m_state->writer; }

bool Recorder::wantsApplyTimes() const { return !m_state->options.onlyProfiled; }

bool Recorder::isForeign() const { return forksSoFar() != m_state->forks; }

void Recorder::refresh()
{
    if (!isForeign()) m_state->refresh(*m_state->writer, State::Wait::ForLocks);
}

void Recorder::collected(int generation, std::int64_t startNs, std::int64_t endNs)
{
    if (!isForeign()) m_state->collections.note(generation, startNs, endNs, *m_state->writer);
}

void Recorder::communicated(const CommunicationCall &call)
{
    if (!isForeign()) m_state->communication.note(call, *m_state->writer);
}

void Recorder::setMessage(std::uint32_t function, const std::string &message)
{
    if (isForeign()) return;
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function);
    if (found == m_state->functions.end()) return;
    found->second.info.message = message;
    m_state->writer->setFunction(found->second.info);
}

Recorder::Counts Recorder::counts() const
{
    if (isForeign()) return {};
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
    if (isForeign()) return;
    {
        std::lock_guard lock(m_state->mutex);
        if (m_state->finished) return;
        m_state->finished = true;
    }
    observeNoMore();
    if (m_state->capture) m_state->capture->finish();
    m_state->devices.wait(*m_state->writer);
    const std::int64_t endNs = m_state->writer->nowNs(); // the roofs of devices take a while
    // What devices did belongs to plans that the first look makes known.
    for (int look = 0; look < 2; ++look) m_state->refresh(*m_state->writer, State::Wait::ForLocks);
    m_state->writer->onRefresh({});
    {
        std::lock_guard lock(m_state->mutex);
        m_state->devices.stop(*m_state->writer);
        m_state->writeOverhead();
    }
    if (m_state->compileEventsLeftOut)
        m_state->writer->countDrop("compile events", static_cast<std::int64_t>(m_state->compileEventsLeftOut), "only the first are kept");
    std::uint64_t skipped = 0;
    for (const auto &[id, one] : m_state->functions) skipped += one.skippedCalls();
    if (skipped)
        m_state->writer->countDrop("events", static_cast<std::int64_t>(skipped),
                                   "after the first calls of a function only a sample is kept");
    m_state->writer->finish(exitStatus, reason, endNs);
}

void Recorder::compileStarted(std::uint32_t id, const engine::FunctionSpec &spec, const engine::FunctionGraph &graph)
{
    if (m_state->options.onlyProfiled && !spec.profile) return;
    GraphInfo info;
    info.id = newGraph();
    info.label = spec.name;
    FunctionRecord &one = [&]() -> FunctionRecord & {
        std::lock_guard lock(m_state->mutex);
        if (!m_state->options.onlyProfiled) recordCatalogue(*m_state->writer, m_state->rewrites); // a script may have registered some
        FunctionRecord &made = m_state->functions.try_emplace(id, *m_state->writer, m_state->options, m_state->devices).first->second;
        made.owner = FunctionId{id};
        if (spec.parent) {
            const FunctionRecord &parent = m_state->functions.at(spec.parent->first);
            made.nested = true;
            made.owner = parent.nested ? parent.owner : parent.info.id;
            info.parentGraph = parent.graph->id();
            info.parentApply = ApplyId{engine::raw(spec.parent->second)};
            m_state->devices.nest(info.id, info.parentGraph, info.parentApply);
            info.kind = spec.isLoopBody ? GraphKind::Scan : GraphKind::OpFromGraph;
        }
        return made;
    }();
    info.function = one.owner;
    one.info.id = FunctionId{id};
    one.info.name = spec.name;
    one.info.location = locationOf(spec.trace);
    one.info.mode = spec.mode.name;
    one.info.linker = nameOf(spec.mode.linker);
    one.info.device = engine::deviceOf(spec.mode.device).info().name;
    one.info.graph = info.id;
    one.info.createdNs = m_state->writer->nowNs();
    one.info.state = "compiling";
    one.info.appliesOriginal = static_cast<int>(graph.liveApplyCount());
    for (engine::VarId input : graph.inputs())
        one.info.inputs.push_back({VariableId{engine::raw(input)}, graph.displayName(input), graph.var(input).type.text(),
                                   graph.var(input).kind == engine::Variable::Kind::Shared ? VariableKind::Shared : VariableKind::Input});
    for (const auto &[output, input] : graph.updates)
        one.info.updates.push_back({VariableId{engine::raw(input)}, static_cast<int>(output), graph.displayName(input)});
    one.graph = std::make_unique<GraphRecord>(*m_state->writer, info, engine::compilesKernels(spec.mode.linker));
    one.graph->import(graph);
    if (m_state->capture) m_state->capture->compileStarted(id, spec, graph);
    if (!one.nested) m_state->writer->setFunction(one.info);
    m_state->writer->setProgress({"compiling", one.owner, 0, info.id, 0, m_state->writer->nowNs()});
}

void Recorder::passFinished(std::uint32_t id, const engine::FunctionGraph &graph, const engine::PassReport &report)
{
    FunctionRecord *one = m_state->find(id);
    if (!one) return;
    m_state->addCompileEvent(EventKind::Pass, *one, m_state->writer->nowNs(), report.nanoseconds, std::string(report.pass));
    one->graph->addPass(graph, report);
    m_state->writer->setProgress(
        {"compiling", one->owner, 0, one->graph->id(), static_cast<int>(report.lastStep), m_state->writer->nowNs()});
}

void Recorder::compileFinished(engine::Function &function)
{
    FunctionRecord *const found = m_state->find(function.id());
    if (!found) return;
    FunctionRecord &one = *found;
    // Those of nested graphs are part of the compile that they are nested in.
    if (!one.nested) m_state->addCompileEvent(EventKind::Compile, one, m_state->writer->nowNs(), function.times().totalNs);
    one.graph->finish(function.graph(), function.order(), function.lineage());
    recordBodies(*m_state->writer, one.owner, one.graph->id(), function, one.graph->texts(), m_state->nextGraph);
    m_state->keepSources(function.graph());
    recordDeclines(*m_state->writer, one.graph->id(), one.graph->info().stepCount, function.rewrites(), m_state->options.declinesPerGraph);
    one.info.state = "ready";
    one.info.appliesOptimized = static_cast<int>(function.order().size());
    one.info.stages = static_cast<int>(function.stageCount());
    one.info.stepCount = static_cast<int>(function.graph().journal().steps.size());
    one.info.compile.totalNs = static_cast<std::int64_t>(function.times().totalNs);
    one.info.compile.optimizerNs = static_cast<std::int64_t>(function.times().optimizerNs);
    one.info.compile.validateNs = static_cast<std::int64_t>(function.times().validateNs);
    one.info.compile.linkerNs = static_cast<std::int64_t>(function.times().linkerNs);
    one.info.compile.graphNs =
        std::max<std::int64_t>(0, one.info.compile.totalNs - one.info.compile.optimizerNs - one.info.compile.linkerNs);
    for (const std::string &warning : function.warnings()) {
        Message message;
        message.timeNs = m_state->writer->nowNs();
        message.severity = Severity::Warning;
        message.text = warning;
        message.function = one.owner;
        message.source = one.info.location;
        m_state->writer->addMessage(std::move(message));
    }
    if (!one.nested) m_state->writer->setFunction(one.info);
    {
        std::lock_guard reading(m_state->counters);
        std::lock_guard lock(m_state->mutex);
        m_state->devices.watch(*m_state->writer);
        one.begin(function);
        m_state->compiled += !one.nested;
    }
    m_state->writer->setProgress({"script", one.owner, 0, one.graph->id(), one.info.stepCount, m_state->writer->nowNs()});
}

void Recorder::exchangeOrder(std::uint32_t, const std::function<void()> &exchange)
{
    std::lock_guard reading(m_state->counters);
    std::lock_guard lock(m_state->mutex);
    exchange();
}

void Recorder::rescheduled(engine::Function &function)
{
    FunctionRecord *const one = m_state->find(function.id());
    if (!one) return;
    one->graph->finish(function.graph(), function.order(), function.lineage());
    std::lock_guard lock(m_state->mutex);
    one->info.appliesOptimized = static_cast<int>(function.order().size());
    one->info.stepCount = static_cast<int>(function.graph().journal().steps.size());
    if (!one->nested) m_state->writer->setFunction(one->info);
}

void Recorder::compileFailed(std::uint32_t id, const std::string &text)
{
    Message message;
    message.timeNs = m_state->writer->nowNs();
    message.severity = Severity::Error;
    message.text = text;
    if (FunctionRecord *one = m_state->find(id)) {
        one->info.state = "failed";
        message.function = one->owner;
        message.source = one->info.location;
        if (!one->nested) m_state->writer->setFunction(one->info);
    }
    m_state->writer->addMessage(std::move(message));
}

bool Recorder::wantsValues(const engine::Function &function)
{
    return m_state->capture && !isForeign() && m_state->capture->wants(function);
}

void Recorder::callGiven(engine::Function &function, std::span<const engine::Value> inputs) { m_state->capture->given(function, inputs); }

void Recorder::callReturned(engine::Function &function, std::span<const engine::Value> outputs)
{
    m_state->capture->returned(function, outputs);
}

void Recorder::callFinished(engine::Function &function, std::uint64_t startTicks, std::uint64_t spentTicks)
{
    const std::uint64_t begin = engine::ticks();
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    found->second.called(m_state->clock.toSession(startTicks), m_state->clock.toNs(spentTicks), m_state->clock);
    if (m_state->capture) m_state->capture->took(function, static_cast<std::uint64_t>(m_state->clock.toNs(spentTicks)));
    m_state->callTicks += engine::ticks() - begin;
    ++m_state->callsSeen;
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

void Recorder::checked(engine::Function &function, const engine::CheckReport &report)
{
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    Check check;
    check.function = found->second.owner;
    check.graph = found->second.graph->id();
    if (report.apply != engine::kNoApply) check.apply = ApplyId{engine::raw(report.apply)};
    if (report.step > 0) check.step = static_cast<int>(report.step);
    check.kind = report.kind;
    check.passed = report.passed;
    check.text = report.text;
    check.maxAbsolute = report.largest.absolute;
    check.maxRelative = report.largest.relative;
    m_state->writer->addCheck(std::move(check));
}

void Recorder::functionDropped(engine::Function &function)
{
    std::lock_guard reading(m_state->counters);
    std::lock_guard lock(m_state->mutex);
    auto found = m_state->functions.find(function.id());
    if (found == m_state->functions.end()) return;
    if (m_state->capture) m_state->capture->dropped(function.id());
    found->second.readCounters(m_state->clock);
    found->second.write();
    found->second.function = nullptr;
}

void Recorder::State::keepSources(const engine::FunctionGraph &graph)
{
    constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t(4) << 20;
    constexpr std::size_t kMaxFiles = 200;
    std::set<std::string> seen;
    const auto keepFile = [&](const std::string &file) {
        if (file.empty() || !seen.insert(file).second) return;
        {
            std::lock_guard lock(mutex);
            if (sources.size() >= kMaxFiles || !sources.insert(file).second) return;
        }
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(file, error);
        if (error || size > kMaxFileBytes) return; // "<stdin>", or no file any more
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        if (in) writer->addSource({file, text.str()});
    };
    std::unordered_set<engine::TraceId> known;
    for (std::uint32_t i = 0; i < graph.applyCount(); ++i)
        for (engine::TraceId trace = graph.apply(engine::ApplyId{i}).trace; trace != engine::TraceId::None && known.insert(trace).second;
             trace = engine::callerOf(trace))
            keepFile(engine::sourceLine(trace).file);
}

void Recorder::State::addCompileEvent(EventKind kind, const FunctionRecord &one, std::int64_t endNs, std::uint64_t ns, std::string name)
{
    {
        std::lock_guard lock(mutex);
        if (compileEvents >= kMostCompileEvents) {
            ++compileEventsLeftOut;
            return;
        }
        ++compileEvents;
    }
    Event event;
    event.lane = kCompilerLane;
    event.kind = kind;
    event.durationNs = static_cast<std::int64_t>(ns);
    event.startNs = std::max<std::int64_t>(0, endNs - event.durationNs);
    event.function = one.owner;
    event.graph = one.graph->id();
    event.name = std::move(name);
    writer->addEvents({std::move(event)});
}

void Recorder::State::writeOverhead()
{
    const double perCall = callsSeen ? static_cast<double>(callTicks) * clock.nsPerTick / static_cast<double>(callsSeen) : 0;
    writer->setClocks({{"host", "time stamp counter; the overhead is that of one apply", clock.nsPerTick, 0, applyNs},
                       {"call", "the same clock; the overhead is that of one call, beside its applies", clock.nsPerTick, 0, perCall}});
    double total = static_cast<double>(callTicks) * clock.nsPerTick;
    for (const auto &[id, one] : functions) total += static_cast<double>(one.appliesCounted()) * applyNs;
    writer->setMeta("recording_ns", std::to_string(static_cast<std::int64_t>(total)));
}

void Recorder::State::readClock()
{
    clock.nsPerTick = 1e9 / engine::ticksPerSecond();
    clock.baseTicks = engine::ticks();
    clock.baseNs = writer->toSessionNs(engine::steadyNsOfTicks(clock.baseTicks));
}

FunctionRecord *Recorder::State::find(std::uint32_t function)
{
    std::lock_guard lock(mutex);
    const auto found = functions.find(function);
    return found == functions.end() ? nullptr : &found->second;
}

void Recorder::State::refresh(SessionWriter &out, Wait wait)
{
    communication.refresh(out);
    collections.refresh(out);
    const auto take = [wait](std::mutex &one) {
        return wait == Wait::ForLocks ? std::unique_lock(one) : std::unique_lock(one, std::try_to_lock);
    };
    const std::unique_lock reading = take(counters);
    if (!reading) return;
    std::vector<FunctionRecord *> records;
    TickClock now;
    {
        const std::unique_lock lock = take(mutex);
        if (!lock) return;
        readClock();
        now = clock;
        devices.collect(out);
        for (auto &[id, one] : functions) records.push_back(&one);
    }
    for (FunctionRecord *one : records) one->readCounters(now);
    writeMemoryRecord(out);
    Progress progress{"script", kNoFunction, 0, kNoGraph, -1, out.nowNs()};
    for (FunctionRecord *one : records) {
        const std::unique_lock lock = take(mutex);
        if (!lock || !one->write() || one->nested) continue;
        progress = {"running", one->info.id, one->info.run.calls, one->graph->id(), -1, out.nowNs()};
    }
    if (progress.function != kNoFunction) out.setProgress(progress);
}

} // namespace profiler
