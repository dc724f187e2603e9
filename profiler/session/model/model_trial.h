#pragma once
// What was tried on captured calls afterwards: rewrites left out, and the graph between its steps. Written into the session by
// croton ablate and croton along, in the place of what they wrote before about the same call.

#include "profiler/session/model/column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

enum class AblationKind : std::uint8_t { Nothing, Single, Pair, All };

struct AblationRow {
    static constexpr SessionTable kTable{
        .name = "ablations", .about = "croton ablate: captured calls with rewrites left out, in turns with nothing left out (position 0)."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::string by;
    int position = 0;
    AblationKind kind = AblationKind::Nothing;
    std::vector<std::string> leftOut;
    int sameAs = -1; // position of a row with the same optimized graph, which was measured in its place
    std::int64_t fired = 0;
    int firstStep = -1;
    double ns = 0;
    double p = 1;
    bool counts = false;
    std::int64_t peakBytes = 0;
    std::int64_t compileNs = 0;
    std::int64_t applies = 0;
    double ulp = 0;
    std::int64_t notFinite = 0;
    std::string reference; // in words
    std::string error;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call));
        visit("by", primary(row.by), "rewrite, pass, tag");
        visit("position", primary(row.position), "those whose absence costs most first");
        visit("kind", row.kind);
        visit("left_out", row.leftOut, "JSON array of names");
        visit("same_as", orNull(row.sameAs), "position of a row with the same optimized graph, whose numbers these are");
        visit("fired", row.fired, "steps that it made");
        visit("first_step", orNull(row.firstStep));
        visit("ns", row.ns, "of a call");
        visit("p", row.p, "that chance alone makes the difference to position 0, corrected for the number of rows");
        visit("counts", row.counts);
        visit("peak_bytes", row.peakBytes);
        visit("compile_ns", row.compileNs);
        visit("applies", row.applies);
        visit("ulp", row.ulp, "largest difference of an output from the reference, in units of the last place");
        visit("not_finite", row.notFinite, "elements that are finite on one side only");
        visit("reference", row.reference);
        visit("error", row.error, "why it could not be compiled or called");
    }
};

struct AlongRow {
    static constexpr SessionTable kTable{.name = "along_steps", .about = "croton along: the graph as it stood after steps, called."};
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
        visit("function", primary(row.function));
        visit("call", primary(row.call));
        visit("step", primary(row.step), "0 = as it was written");
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

struct TrialRow {
    static constexpr SessionTable kTable{.name = "trials", .about = "How each table of `ablations` and `along_steps` came about."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    std::string question;
    std::string mode, reference; // in words
    std::vector<std::string> notes;
    int tried = 0;
    int offered = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call));
        visit("question", primary(row.question), "along, or what croton ablate left out: rewrite, pass, tag");
        visit("mode", row.mode, "how the function was compiled, in words, as the next one");
        visit("reference", row.reference, "what errors were measured against");
        visit("notes", row.notes, "JSON array of sentences: stand-ins, what has no more digits, what was not tried");
        visit("tried", row.tried, "graphs that were compiled and called");
        visit("offered", row.offered, "that there were: more where the time was up");
    }
};

[[nodiscard]] const char *kindName(AblationKind kind);

} // namespace profiler
