#include "profiler/record/function_record.h"

#include "engine/compile/request/given_back.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "profiler/record/collection_record.h"
#include "profiler/record/plan_record.h"
#include "profiler/session/model/collection_names.h"

#include <algorithm>
#include <cstdio>

namespace profiler {
namespace {

constexpr std::size_t kMostUnwritten = 4096;
constexpr std::int64_t kLearningCalls = 3;

// The engine counts ticks in finer classes than the session has: each goes where its middle lies.
Histogram histogramOf(const engine::ApplyCounters &from, const TickClock &clock)
{
    Histogram to;
    from.visitClasses([&](unsigned index, std::uint32_t count) {
        const std::uint64_t start = engine::TickHistogram::startOf(index), end = engine::TickHistogram::startOf(index + 1);
        to.add(clock.toNs(start + (end - start) / 2), count);
    });
    return to;
}

ApplyStats translateCounters(const engine::ApplyCounters &from, const TickClock &clock)
{
    ApplyStats to;
    to.calls = static_cast<std::int64_t>(from.calls.get());
    to.totalNs = clock.toNs(from.ticks.get());
    to.minNs = clock.toNs(from.minTicks.get());
    to.maxNs = clock.toNs(from.maxTicks.get());
    to.sumSquares = from.squares.load(std::memory_order_relaxed) * clock.nsPerTick * clock.nsPerTick;
    to.histogram = histogramOf(from, clock);
    return to;
}

ApplyStats translateCounters(const engine::ApplyCounters &from, std::span<const engine::ApplyNote> waiting, const TickClock &clock)
{
    if (waiting.empty()) return translateCounters(from, clock);
    engine::ApplyCounters both;
    both.add(from);
    for (const engine::ApplyNote &note : waiting) both.note(note.ticks);
    return translateCounters(both, clock);
}

} // namespace

void FunctionRecord::begin(engine::Function &compiled)
{
    function = &compiled;
    engine::FunctionStatistics &statistics = compiled.statistics();
    statistics.warmUpCalls = m_options.warmUpCalls;
    if (statistics.perApply && !nested) statistics.trace.nextCall = 0;
}

void FunctionRecord::called(std::int64_t startNs, std::int64_t nanoseconds, const TickClock &clock)
{
    engine::FunctionStatistics &statistics = function->statistics();
    const std::uint64_t call = statistics.calls.get() - 1;
    if (call == 0) info.run.firstCallNs = startNs;
    info.run.lastCallNs = startNs + nanoseconds;
    followPlan(clock);
    if (nested) return;
    if (addCallEvent(call, startNs, nanoseconds)) addGivenBack(call, clock);
    if (statistics.trace.ticks.empty()) return;
    addTrace(call, clock);
}

bool FunctionRecord::addCallEvent(std::uint64_t call, std::int64_t startNs, std::int64_t nanoseconds)
{
    if (m_callEvents >= m_options.callEventsPerFunction && (call + 1) % static_cast<std::uint64_t>(m_options.sampleEvery) != 0) {
        ++m_skipped;
        return false;
    }
    ++m_callEvents;
    Event event;
    event.kind = EventKind::Call;
    event.startNs = startNs;
    event.durationNs = nanoseconds;
    event.function = owner;
    event.call = static_cast<std::int64_t>(call);
    event.graph = graph->id();
    m_events.push_back(std::move(event));
    if (m_events.size() >= kMostUnwritten) flushEvents();
    return true;
}

void FunctionRecord::addGivenBack(std::uint64_t call, const TickClock &clock)
{
    for (const engine::GivenBack &given : engine::givenBack()) {
        Event event;
        event.lane = kCollectionLane;
        event.kind = EventKind::Range;
        event.startNs = clock.toSession(given.startTicks);
        event.durationNs = clock.toNs(given.spentTicks);
        event.function = owner;
        event.call = static_cast<std::int64_t>(call);
        event.graph = graph->id();
        event.bytes = static_cast<std::int64_t>(given.bytes);
        event.name = kGivenBack;
        m_events.push_back(std::move(event));
    }
}

void FunctionRecord::flushEvents()
{
    if (m_events.empty()) return;
    std::vector<Event> events;
    events.reserve(m_events.size());
    events.swap(m_events);
    m_writer.addEvents(std::move(events));
}

void FunctionRecord::addTrace(std::uint64_t call, const TickClock &clock)
{
    engine::CallTrace &trace = function->statistics().trace;
    const auto order = function->order();
    const std::int64_t start = clock.toSession(trace.ticks[0]);
    const std::size_t before = m_events.size();
    auto pause = trace.pauses.begin();
    for (std::size_t i = 0; i < order.size() && i + 1 < trace.ticks.size() && trace.ticks[i + 1]; ++i) {
        Event event;
        event.kind = EventKind::Apply;
        while (pause != trace.pauses.end() && pause->first < i) ++pause;
        const std::uint64_t began = pause != trace.pauses.end() && pause->first == i ? pause->second : trace.ticks[i];
        event.startNs = start + clock.toNs(began - trace.ticks[0]);
        event.durationNs = clock.toNs(trace.ticks[i + 1] - began);
        event.function = owner;
        event.call = static_cast<std::int64_t>(call);
        event.graph = graph->id();
        event.apply = ApplyId{engine::raw(order[i])};
        m_events.push_back(std::move(event));
    }
    m_applyEvents += m_events.size() - before;
    trace.ticks.clear();
    const std::uint64_t swap = function->statistics().lastSwap.get(); // the steady state is traced densely from its beginning
    const std::uint64_t since = call >= swap ? call - swap : call;
    if (m_applyEvents + order.size() <= m_options.applyEventsPerFunction) trace.nextCall = call + 1 + since / 64;
}

void FunctionRecord::followPlan(const TickClock &clock)
{
    engine::FunctionStatistics &statistics = function->statistics();
    const std::uint32_t serial = statistics.planSerial;
    if (serial == 0) return;
    const bool swapped = m_lastSwap != statistics.lastSwap.get();
    auto found = m_plans.find(serial);
    if (found == m_plans.end()) {
        if (m_plans.size() >= m_options.plansPerFunction) {
            if (serial != m_lastSerial && ++m_plansLeftOut == 1)
                m_writer.countDrop("plans", 1, "more than " + std::to_string(m_options.plansPerFunction) + " shapes of one function");
            m_lastSerial = serial;
            return;
        }
        found = m_plans.emplace(serial, PlanUse{}).first;
        m_devices.follow(*function, owner, graph->id());
    }
    PlanUse &use = found->second;
    // A new plan, or a kernel that has taken over in it since the rows were written.
    if (use.info.uses == 0 || (swapped && serial == m_lastSerial)) {
        const std::vector<engine::BufferInfo> buffers = function->buffers();
        const std::int64_t uses = use.info.uses, peak = use.info.measuredPeakBytes;
        if (use.info.uses == 0) {
            reportNotes();
            graph->setRuntimeShapes(function->graph(), function->lineage(), buffers);
            if (m_plans.size() == 1)
                for (const std::uint64_t ticks : function->prepareTicks()) info.compile.makeThunkNs += clock.toNs(ticks);
            if (!nested) m_writer.setFunction(info);
        }
        // Plans are numbered by function: those of graphs inside of an apply would take the place of its own.
        if (!nested) use.info = recordPlan(m_writer, static_cast<int>(serial) - 1, owner, graph->id(), *function, buffers, clock);
        use.info.uses = uses;
        use.info.measuredPeakBytes = peak;
        recordKernels();
    }
    if (swapped) m_lastSwap = statistics.lastSwap.get();
    m_lastSerial = serial;
    ++use.info.uses;
    // What a loop takes for itself is known when its steps have run.
    if (!nested && use.info.uses <= kLearningCalls)
        use.info.workBytes = std::max(use.info.workBytes, static_cast<std::int64_t>(function->workBytes()));
    use.info.measuredPeakBytes = std::max(use.info.measuredPeakBytes, static_cast<std::int64_t>(statistics.callPeakBytes));
    use.changed = true;
}

void FunctionRecord::reportNotes()
{
    for (const auto &[apply, note] : function->notes()) {
        SourceLine source = info.location;
        for (const engine::TraceId trace : function->lineage().sources(function->graph(), apply))
            if (const auto lines = engine::traceLines(trace); !lines.empty()) source = {lines.front().file, lines.front().line};
        m_writer.addMessage({.timeNs = m_writer.nowNs(),
                             .severity = Severity::Info,
                             .text = function->graph().apply(apply).op->name() + ": " + note,
                             .source = source,
                             .function = owner});
    }
}

void FunctionRecord::recordKernels()
{
    std::vector<Kernel> kernels;
    std::string flags;
    for (const std::string &flag : engine::compiler().flags) flags += (flags.empty() ? "" : " ") + flag;
    for (const engine::Function::KernelInfo &from : function->kernels()) {
        if (m_kernels.size() >= m_options.kernelsPerFunction) break;
        char key[17];
        std::snprintf(key, sizeof key, "%016llx", static_cast<unsigned long long>(from.key));
        Kernel kernel;
        kernel.function = owner;
        kernel.graph = graph->id();
        kernel.apply = ApplyId{engine::raw(from.apply)};
        kernel.language = "C";
        kernel.symbol = std::string("croton_kernel_") + key;
        bool &running = m_kernels[kernel.symbol + "." + std::to_string(raw(kernel.apply))];
        if (running) continue;
        running = from.running;
        kernel.source = "void " + kernel.symbol + from.source;
        kernel.flags = flags;
        kernel.cacheKey = key;
        kernel.fromCache = from.fromCache;
        // 0: the interpreter does it, because nothing was compiled yet or it failed.
        kernel.compileNs = from.state == engine::KernelState::Ready ? static_cast<std::int64_t>(from.compileNs) : 0;
        kernels.push_back(std::move(kernel));
    }
    if (!kernels.empty()) m_writer.addKernels(std::move(kernels));
}

// Devices tell no warm-up apart: what they did for an apply is shared by calls.
void FunctionRecord::shareDeviceTime(std::span<ApplyStats> rows) const
{
    if (rows.empty()) return;
    if (m_devices.waitsForEach())
        for (ApplyStats &row : rows) row.blockingNs = row.totalNs;
    const std::optional<std::int64_t> all = m_devices.deviceNs(rows[0].graph, rows[0].apply);
    if (!all) return;
    double calls = 0;
    for (const ApplyStats &row : rows) calls += static_cast<double>(row.calls);
    for (ApplyStats &row : rows)
        row.deviceNs = static_cast<std::int64_t>(static_cast<double>(*all) * static_cast<double>(row.calls) / std::max(1.0, calls));
}

// Of a function that is gone: devices may have worked for it after its last call came back.
void FunctionRecord::readDeviceTimes()
{
    if (!graph) return; // it went before its graph was written
    m_deviceNs = m_devices.deviceNs(graph->id());
    if (m_deviceNs == m_writtenDeviceNs) return;
    for (auto first = m_stats.begin(); first != m_stats.end();) {
        const auto end = std::find_if(first, m_stats.end(), [&](const ApplyStats &row) { return row.apply != first->apply; });
        shareDeviceTime({first, end});
        first = end;
    }
}

void FunctionRecord::readCounters(const TickClock &clock)
{
    if (!function) return readDeviceTimes();
    engine::FunctionStatistics &statistics = function->statistics();
    const FunctionCalls before = m_read;
    m_read.calls = static_cast<std::int64_t>(statistics.calls.get());
    m_deviceNs = m_devices.deviceNs(graph->id()); // devices may be behind
    if (m_read.calls == m_writtenCalls && m_deviceNs == m_writtenDeviceNs) return;
    m_read.totalNs = clock.toNs(statistics.callTicks.get());
    m_read.vmNs = clock.toNs(statistics.runTicks.get());
    m_read.warmupCalls = static_cast<std::int64_t>(statistics.lastSwap.get());
    if (!statistics.perApply) return;
    const auto order = function->order();
    const bool isWhole = statistics.readConsistently([&](std::span<const engine::ApplyNote> waiting) {
        m_stats.clear();
        m_appliesCounted = 0;
        std::int64_t thunks = 0;
        for (std::size_t i = 0; i < statistics.applyCount; ++i) {
            const std::size_t first = m_stats.size();
            for (const engine::Tier tier : {engine::Tier::Interpreter, engine::Tier::Compiled, engine::Tier::Library})
                for (const bool steady : {false, true}) {
                    const std::size_t counter = engine::FunctionStatistics::counterOf(i, tier);
                    const engine::ApplyCounters &from = steady ? statistics.steady[counter] : statistics.warmUp[counter];
                    std::size_t last = 0; // those of one counter are beside each other
                    while (steady && last < waiting.size() && waiting[last].counter == counter) ++last;
                    if (last == 0 && from.calls.get() == 0) continue;
                    ApplyStats to = translateCounters(from, waiting.first(last), clock);
                    waiting = waiting.subspan(last);
                    to.function = owner;
                    to.graph = graph->id();
                    to.apply = ApplyId{engine::raw(order[i])};
                    to.tier = nameOf(tier);
                    to.steady = steady;
                    thunks += to.totalNs;
                    m_appliesCounted += static_cast<std::uint64_t>(to.calls);
                    m_stats.push_back(std::move(to));
                }
            shareDeviceTime(std::span(m_stats).subspan(first));
        }
        m_read.thunkNs = thunks;
    });
    if (!isWhole) m_read = before; // the next time
}

bool FunctionRecord::write()
{
    flushEvents();
    if (m_read.calls == m_writtenCalls && m_deviceNs == m_writtenDeviceNs) return false;
    m_writtenCalls = m_read.calls;
    m_writtenDeviceNs = m_deviceNs;
    info.run.calls = m_read.calls;
    info.run.totalNs = m_read.totalNs;
    info.run.vmNs = m_read.vmNs;
    info.run.thunkNs = m_read.thunkNs;
    info.run.warmupCalls = m_read.warmupCalls;
    // Statistics before the counters, so that they are never behind.
    if (!m_stats.empty()) m_writer.setApplyStats(m_stats);
    if (!nested) m_writer.setCalls(info.id, info.run);
    for (auto &[serial, use] : m_plans)
        if (use.changed && !nested) {
            use.changed = false;
            m_writer.setPlanUse(use.info);
        }
    return true;
}

} // namespace profiler
