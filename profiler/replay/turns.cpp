#include "profiler/replay/turns.h"

#include "engine/codegen/kernel_service.h"
#include "engine/tensor/clock.h"
#include "profiler/compare/significance.h"
#include "profiler/export/format.h"
#include "profiler/stats/machine/worth.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <thread>

namespace profiler {
namespace {

constexpr int kWarmUp = 3;
constexpr std::size_t kBlocks = 60; // medians of neighbours, so that what disturbs several calls counts once
constexpr double kLeastNs = 50;

// A function follows itself where it is used, and finds in the caches what it left there, not what another one did. A call that takes
// longer than filling them is its own predecessor.
constexpr std::int64_t kShortNs = 10'000'000;

constexpr std::size_t kHeldApplies = 60'000;

// The compiler may take long over a large function. False: the person did not wait for it.
bool compileKernels(const std::shared_ptr<engine::Function> &function, const Watch &watch)
{
    std::size_t waiting = 0;
    for (const engine::Function::KernelInfo &kernel : function->kernels()) waiting += kernel.state == engine::KernelState::Waiting;
    if (waiting == 0) {
        function->compileKernels();
        return true;
    }
    const engine::KernelCounts before = engine::kernelCounts();
    std::promise<void> done;
    std::future<void> isDone = done.get_future();
    std::thread compile([function, done = std::move(done)]() mutable {
        function->compileKernels();
        done.set_value();
    });
    while (isDone.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready) {
        const engine::KernelCounts now = engine::kernelCounts();
        const std::uint64_t parts = now.compiledUnits + now.loadedUnits - before.compiledUnits - before.loadedUnits;
        watch.say("the compiler makes " + counted(static_cast<std::int64_t>(waiting), "kernel") +
                  "; parts that are ready: " + std::to_string(parts));
        if (!watch.ended()) continue;
        compile.detach(); // it holds the function
        return false;
    }
    compile.join();
    return true;
}

} // namespace

TurnTimes timesInTurns(const LoadedCall &call, std::span<const std::shared_ptr<engine::Function>> functions, const TurnOptions &options,
                       const Watch &watch)
{
    TurnTimes result;
    std::vector<std::vector<double>> &times = result.of;
    times.resize(functions.size());
    std::vector<bool> isShort;
    for (const auto &function : functions) {
        (void)timeCaptured(call, *function);
        if (!compileKernels(function, watch)) return result;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int i = 1; i < kWarmUp; ++i) least = std::min(least, timeCaptured(call, *function));
        isShort.push_back(least < kShortNs);
    }
    watch.say("calling " + counted(static_cast<std::int64_t>(functions.size()), "function") + " in turns");
    const LoadMeter meter;
    const std::uint64_t begin = engine::nowNs();
    const auto end = begin + static_cast<std::uint64_t>(options.seconds * 1e9);
    for (int round = 0; round < options.mostRounds && (round < options.leastRounds || engine::nowNs() < end); ++round) {
        for (std::size_t i = 0; i < functions.size(); ++i) {
            // Each comes after each other one, and back and forth: what one leaves in the caches is not always the same one's.
            const std::size_t turn = (i + static_cast<std::size_t>(round)) % functions.size();
            const std::size_t place = round % 2 == 0 ? turn : functions.size() - 1 - turn;
            if (isShort[place]) (void)timeCaptured(call, *functions[place]);
            times[place].push_back(static_cast<double>(timeCaptured(call, *functions[place])));
        }
        if (watch.ended()) break;
    }
    result.load = meter.load();
    return result;
}

bool isJudged(const Load &load, const TurnOptions &options) { return options.judgesBusy || !isBusy(load); }

TimeDifference differenceOf(const std::vector<double> &times, const std::vector<double> &other)
{
    TimeDifference one;
    one.ns = middleOf(times);
    one.otherNs = middleOf(other);
    one.p = mannWhitney(inBlocks(times, kBlocks), inBlocks(other, kBlocks));
    const double difference = std::fabs(one.ns - one.otherNs);
    one.counts = one.p < kSignificantP && difference > kLeastNs && difference > kLeastTimeShare * one.otherNs;
    return one;
}

void correct(std::vector<TimeDifference> &differences)
{
    std::vector<double> p;
    for (const TimeDifference &one : differences) p.push_back(one.p);
    const std::vector<double> corrected = holm(p);
    for (std::size_t i = 0; i < differences.size(); ++i) {
        differences[i].p = corrected[i];
        differences[i].counts = differences[i].counts && corrected[i] < kSignificantP;
    }
}

std::size_t mostInTurns(std::size_t applies) { return std::max<std::size_t>(2, kHeldApplies / std::max<std::size_t>(1, applies)); }

} // namespace profiler
