#include "profiler/record/memory_record.h"

#include "engine/runtime/memory.h"
#include "profiler/session/files.h"

#include <mutex>
#include <vector>

namespace profiler {
namespace {

// Changes up to here are all kept, then one of 64, then one of 4096: a long run is seen whole, not just its beginning.
constexpr std::uint64_t kDense = 2'000, kThin = 200'000;

struct Sample {
    std::int64_t steadyNs, delta, live;
};

struct Seen {
    std::mutex mutex; // guards the rest
    std::vector<Sample> samples;
    std::uint64_t changes = 0, leftOut = 0;
    std::size_t highest = 0;
};

// Never destroyed: arrays may be released after static destruction began.
Seen &seen()
{
    static auto *instance = new Seen;
    return *instance;
}

void changed(std::int64_t delta, std::size_t live)
{
    Seen &s = seen();
    std::lock_guard lock(s.mutex);
    const std::uint64_t number = s.changes++;
    const bool peak = live > s.highest;
    if (peak) s.highest = live;
    const bool sampled = number < kDense || number % (number < kThin ? 64 : 4096) == 0;
    if (peak || sampled) s.samples.push_back({steadyNs(), delta, static_cast<std::int64_t>(live)});
    else ++s.leftOut;
}

} // namespace

void startMemoryRecord()
{
    Seen &s = seen();
    {
        std::lock_guard lock(s.mutex);
        s.samples.clear();
        s.changes = s.leftOut = 0;
        s.highest = 0;
    }
    engine::setMemoryHook(changed);
}

void writeMemoryRecord(SessionWriter &writer)
{
    Seen &s = seen();
    std::vector<Sample> samples;
    std::uint64_t leftOut = 0;
    {
        std::lock_guard lock(s.mutex);
        samples.swap(s.samples);
        std::swap(leftOut, s.leftOut);
    }
    std::vector<MemoryEvent> events;
    for (const Sample &sample : samples) {
        MemoryEvent event;
        event.timeNs = writer.toSessionNs(sample.steadyNs);
        event.device = "cpu";
        event.deltaBytes = sample.delta;
        event.liveBytes = sample.live;
        events.push_back(std::move(event));
    }
    if (!events.empty()) writer.addMemoryEvents(std::move(events));
    if (leftOut) writer.countDrop("memory events", static_cast<std::int64_t>(leftOut), "after the first changes only a sample and new peaks are kept");
}

void stopMemoryRecord() { engine::setMemoryHook(nullptr); }

} // namespace profiler
