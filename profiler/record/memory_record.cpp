#include "profiler/record/memory_record.h"

#include "engine/tensor/fork.h"
#include "engine/tensor/memory.h"
#include "profiler/session/store/files.h"

#include <atomic>
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
    std::atomic<std::uint64_t> changes{0}, leftOut{0};
    std::atomic<std::size_t> highest{0};
    engine::ProcessMutex mutex; // guards the samples
    std::vector<Sample> samples;
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
    const std::uint64_t number = s.changes.fetch_add(1, std::memory_order_relaxed);
    std::size_t highest = s.highest.load(std::memory_order_relaxed);
    const bool peak = live > highest;
    while (highest < live && !s.highest.compare_exchange_weak(highest, live, std::memory_order_relaxed)) {
    }
    if (!peak && number >= kDense && number % (number < kThin ? 64 : 4096) != 0) {
        s.leftOut.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    std::lock_guard lock(s.mutex);
    s.samples.push_back({steadyNs(), delta, static_cast<std::int64_t>(live)});
}

} // namespace

void startMemoryRecord()
{
    Seen &s = seen();
    {
        std::lock_guard lock(s.mutex);
        s.samples.clear();
    }
    s.changes = s.leftOut = 0;
    s.highest = 0;
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
    }
    leftOut = s.leftOut.exchange(0);
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
    if (leftOut)
        writer.countDrop("memory events", static_cast<std::int64_t>(leftOut),
                         "after the first changes only a sample and new peaks are kept");
}

void stopMemoryRecord() { engine::setMemoryHook(nullptr); }

} // namespace profiler
