// One compiled function while it is being recorded: its counters, plans, kernels and sampled calls as rows.
#pragma once

#include "engine/compile/function/function.h"
#include "profiler/record/capture_record.h"
#include "profiler/record/device_record.h"
#include "profiler/record/graph_record.h"
#include "profiler/session/store/writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace profiler {

struct RecordOptions {
    std::size_t callEventsPerFunction = 2'000; ///< every call up to here, then a sample
    int sampleEvery = 100;
    /// A function's traced calls: apply by apply, densely at first, then ever more rarely.
    std::size_t applyEventsPerFunction = 30'000;
    std::size_t plansPerFunction = 16;
    std::size_t kernelsPerFunction = 1'000;
    std::size_t declinesPerGraph = 100'000; ///< every apply has about a hundred
    std::uint64_t warmUpCalls = 0;          ///< of each function, left out of the steady state at least
    /// Functions that did not ask for a profile are left alone (profile=True outside of `croton profile`).
    bool onlyProfiled = false;
    CaptureOptions capture;
};

/// Ticks of the engine's clock as time of a session.
struct TickClock {
    double nsPerTick = 1;
    std::uint64_t baseTicks = 0; ///< a moment on both clocks
    std::int64_t baseNs = 0;     ///< of the session
    std::int64_t toSession(std::uint64_t ticks) const
    {
        return baseNs + static_cast<std::int64_t>((static_cast<double>(ticks) - static_cast<double>(baseTicks)) * nsPerTick);
    }
    std::int64_t toNs(std::uint64_t ticks) const { return static_cast<std::int64_t>(static_cast<double>(ticks) * nsPerTick); }
};

class FunctionRecord {
public:
    FunctionRecord(SessionWriter &writer, const RecordOptions &options, DeviceRecord &devices)
        : m_writer(writer), m_options(options), m_devices(devices)
    {}

    FunctionInfo info;
    std::unique_ptr<GraphRecord> graph;
    engine::Function *function = nullptr; ///< null once it is gone
    bool nested = false;
    FunctionId owner = kNoFunction; ///< the function that statistics belong to (nested ones are graphs of their outermost one)

    /// After the compile: from here on calls are counted and sampled.
    void begin(engine::Function &compiled);
    /// After each call, on the thread that made it.
    void called(std::int64_t startNs, std::int64_t nanoseconds, const TickClock &clock);
    /// Takes the counters over; may run beside called(), not beside write().
    void readCounters(const TickClock &clock);
    /// Hands what changed since the last time to the session. False: nothing did.
    bool write();
    /// Hands over the events that wait.
    void flushEvents();
    /// Calls whose event was left out, and applies whose traced call was.
    std::uint64_t skippedCalls() const { return m_skipped; }
    std::uint64_t appliesCounted() const { return m_appliesCounted; }

private:
    struct PlanUse {
        PlanInfo info;
        bool changed = false;
    };

    bool addCallEvent(std::uint64_t call, std::int64_t startNs, std::int64_t nanoseconds); // false: it was left out
    void addGivenBack(std::uint64_t call, const TickClock &clock);
    void addTrace(std::uint64_t call, const TickClock &clock);
    void followPlan(const TickClock &clock);
    void recordKernels();
    void reportNotes();
    void readDeviceTimes();
    void shareDeviceTime(std::span<ApplyStats> rows) const;

    SessionWriter &m_writer;
    const RecordOptions &m_options;
    DeviceRecord &m_devices;
    std::vector<ApplyStats> m_stats;
    FunctionCalls m_read;        // what readCounters() found
    std::vector<Event> m_events; // a call hands over nothing: events wait for the next refresh
    std::int64_t m_writtenCalls = 0;
    std::int64_t m_deviceNs = 0, m_writtenDeviceNs = 0; ///< of its graph
    std::uint64_t m_callEvents = 0, m_applyEvents = 0, m_skipped = 0, m_appliesCounted = 0, m_plansLeftOut = 0;
    std::uint64_t m_lastSwap = ~std::uint64_t(0);
    std::uint32_t m_lastSerial = 0;
    std::map<std::uint32_t, PlanUse> m_plans; // by serial number
    std::map<std::string, bool> m_kernels;    // symbols recorded so far
};

} // namespace profiler
