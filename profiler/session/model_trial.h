#pragma once
// What was tried on captured calls afterwards: rewrites left out, and the graph between its steps. Written into the session by
// croton ablate and croton along, in the place of what they wrote before about the same call.

#include "profiler/session/column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

enum class AblationKind : std::uint8_t { Nothing, Single, Pair, All };

// The call with some rewrites left out.
struct AblationRow {
    static constexpr const char *kTable = "ablations";
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::string by; // rewrite, pass, tag
    int position = 0;
    AblationKind kind = AblationKind::Nothing;
    std::vector<std::string> leftOut;
    int sameAs = -1; // position of a row with the same optimized graph, which was measured in its place
    std::int64_t fired = 0;
    int firstStep = -1;
    double ns = 0; // of a call
    double p = 1;  // that chance alone makes the difference to nothing left out, corrected for the number of rows
    bool counts = false;
    std::int64_t peakBytes = 0;
    std::int64_t compileNs = 0;
    std::int64_t applies = 0;
    double ulp = 0; // largest difference of an output from the reference
    std::int64_t notFinite = 0;
    std::string reference; // in words
    std::string error;     // why it could not be compiled or called

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("by", row.by);
        visit("position", row.position);
        visit("kind", row.kind);
        visit("left_out", row.leftOut);
        visit("same_as", orNull(row.sameAs));
        visit("fired", row.fired);
        visit("first_step", orNull(row.firstStep));
        visit("ns", row.ns);
        visit("p", row.p);
        visit("counts", row.counts);
        visit("peak_bytes", row.peakBytes);
        visit("compile_ns", row.compileNs);
        visit("applies", row.applies);
        visit("ulp", row.ulp);
        visit("not_finite", row.notFinite);
        visit("reference", row.reference);
        visit("error", row.error);
    }
};

// The graph as it stood after a step, called.
struct AlongRow {
    static constexpr const char *kTable = "along_steps";
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    int step = 0; // 0: the original graph
    std::string phase;
    std::string rewrite; // that made the step
    double ns = 0;
    std::int64_t plannedBytes = 0; // arena
    std::int64_t peakBytes = 0;    // measured
    std::int64_t applies = 0;
    double ulp = 0;
    std::int64_t notFinite = 0;
    std::string error;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("step", row.step);
        visit("phase", row.phase);
        visit("rewrite", row.rewrite);
        visit("ns", row.ns);
        visit("planned_bytes", row.plannedBytes);
        visit("peak_bytes", row.peakBytes);
        visit("applies", row.applies);
        visit("ulp", row.ulp);
        visit("not_finite", row.notFinite);
        visit("error", row.error);
    }
};

// How a table of these came about.
struct TrialRow {
    static constexpr const char *kTable = "trials";
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::string question;        // along, or what was left out: rewrite, pass, tag
    std::string mode, reference; // in words
    std::vector<std::string> notes;
    int tried = 0;
    int offered = 0; // more where time was up, or somebody ended it

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("question", row.question);
        visit("mode", row.mode);
        visit("reference", row.reference);
        visit("notes", row.notes);
        visit("tried", row.tried);
        visit("offered", row.offered);
    }
};

[[nodiscard]] const char *kindName(AblationKind kind);

} // namespace profiler
