#pragma once
// Two sessions side by side: what became slower or larger, what is only in one, and what may be chance.

#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

struct CompareOptions {
    double level = 0.01; // of all tests together (Holm), on single calls
    double levelOfRuns = 0.05;
    int leastRuns = 6; // of a script, to test these instead of single calls
    // Two runs of one program are not alike: where its arrays lie in memory and what else the machine does moves an apply by
    // some percent. What is smaller than these is never called significant, however sure the test is.
    double leastRelative = 0.07; // sessions of several runs hold that spread themselves, and the test sees it
    double leastOfOneRun = 0.085;
    double leastOfPlace = 0.25;      // where operands exceed the innermost cache: the place decides
    double leastOfFunction = 0.0035; // of the function's time in thunks
    double leastNs = 20;             // what the clock can hardly see
    // A shift that all applies share is taken out of the judgement on applies of few runs between these: the machine's load,
    // or a change that touches everything. Functions keep it.
    double leastShift = 0.03;
    double mostShift = 0.2;
};

// One side of a pair.
struct ComparedSide {
    bool present = false;
    std::int64_t calls = 0;
    std::int64_t ns = 0;     // of all calls
    double nsPerCall = 0;    // the middle of the samples; without samples the mean
    std::int64_t bytes = -1; // of an apply's outputs, or a function's measured peak; -1 = unknown
    std::size_t samples = 0; // single calls that the tests saw
    std::string name;        // of an apply: with its inputs
};

struct ComparedRow {
    std::string function;
    ApplyKey applyA; // of a function row: none
    ApplyKey applyB;
    ComparedSide a;
    ComparedSide b;
    double share = 0;       // of the function's time in thunks, in the session where it is larger
    double deltaNs = 0;     // per call, b - a, as measured
    double rawRelative = 0; // per call, b / a - 1, as measured
    double relative = 0;    // for applies without the shift that all share
    std::int64_t deltaBytes = 0;
    double p = 1; // after Holm
    bool significant = false;
    bool neverRanA = false; // the session has the function, and no call of it: there is nothing to compare
    bool neverRanB = false;

    // Is it on both sides, with calls on both?
    [[nodiscard]] bool isPaired() const { return a.present && b.present && !neverRanA && !neverRanB; }
};

struct Difference {
    std::string name;
    std::string a;
    std::string b;
};

struct Comparison {
    std::vector<ComparedRow> functions;
    std::vector<ComparedRow> applies; // paired ones by what they changed per call, then those of one side
    std::vector<Difference> settings; // flags and machine facts that differ
    std::string warningA, warningB;   // how the session ended, where not well
    double commonShift = 1;           // that all applies share; those of B were divided by it for the judgement
    int runs = 0;                     // on the side with fewer
    bool byRun = false;               // each run is a sample, else each call
    int alarms = 0;                   // significant rows among the applies
    CompareOptions options;           // what it was judged by
};

// `samplesA` and `samplesB`: events of kinds apply and call in the steady state.
[[nodiscard]] Comparison compareSessions(const ProfileData &a, const std::vector<Event> &samplesA, const ProfileData &b,
                                         const std::vector<Event> &samplesB, const CompareOptions &options = {});

// Does B have any function of A?
[[nodiscard]] bool hasCommonFunction(const Comparison &comparison);
// Was any function called on both sides?
[[nodiscard]] bool hasPairedFunction(const Comparison &comparison);
// The worst significant slowdown or growth of memory, as a fraction: what --fail-over compares with.
[[nodiscard]] double worstRegression(const Comparison &comparison, double leastShare = 0.01);

} // namespace profiler
