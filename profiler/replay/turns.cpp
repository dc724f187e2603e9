#include "profiler/replay/turns.h"

#include "engine/tensor/clock.h"
#include "profiler/compare/significance.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

constexpr int kWarmUp = 3;
constexpr std::size_t kBlocks = 60;  // medians of neighbours, so that what disturbs several calls counts once
constexpr double kLeastShare = 0.03; // of the time: less is not worth a word
constexpr double kLeastNs = 50;
constexpr double kLevel = 0.01;

} // namespace

std::vector<std::vector<double>> timesInTurns(const LoadedCall &call, std::span<const std::shared_ptr<engine::Function>> functions,
                                              const TurnOptions &options)
{
    std::vector<std::vector<double>> times(functions.size());
    for (const auto &function : functions) {
        (void)timeCaptured(call, *function);
        function->compileKernels();
        for (int i = 1; i < kWarmUp; ++i) (void)timeCaptured(call, *function);
    }
    const std::uint64_t begin = engine::nowNs();
    const auto end = begin + static_cast<std::uint64_t>(options.seconds * 1e9);
    for (int round = 0; round < options.mostRounds && (round < options.leastRounds || engine::nowNs() < end); ++round)
        for (std::size_t i = 0; i < functions.size(); ++i) {
            // Each comes after each other one, and back and forth: what one leaves in the caches is not always the same one's.
            const std::size_t turn = (i + static_cast<std::size_t>(round)) % functions.size();
            const std::size_t place = round % 2 == 0 ? turn : functions.size() - 1 - turn;
            times[place].push_back(static_cast<double>(timeCaptured(call, *functions[place])));
        }
    return times;
}

std::vector<TimeDifference> differencesOf(std::span<const std::vector<double>> times, const std::vector<double> &other)
{
    std::vector<TimeDifference> result;
    std::vector<double> p;
    const std::vector<double> others = inBlocks(other, kBlocks);
    for (const std::vector<double> &each : times) {
        TimeDifference one;
        one.ns = middleOf(each);
        one.otherNs = middleOf(other);
        p.push_back(mannWhitney(inBlocks(each, kBlocks), others));
        result.push_back(one);
    }
    const std::vector<double> corrected = holm(p);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double difference = std::fabs(result[i].ns - result[i].otherNs);
        result[i].p = corrected[i];
        result[i].counts = corrected[i] < kLevel && difference > kLeastNs && difference > kLeastShare * result[i].otherNs;
    }
    return result;
}

} // namespace profiler
