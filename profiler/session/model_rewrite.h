#pragma once
// How a graph came about: steps, passes, and what rewrites did and declined.

#include "profiler/session/model_graph.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace profiler {

// One rewrite that changed the graph. index 0 ("import") holds the edits that build the original.
template <class Text, class Applies>
struct StepOf {
    static constexpr const char *kTable = "rewrite_steps";
    GraphId graph = kNoGraph;
    int index = 0;
    Text phase{};   // merge, useless, canonicalize, stabilize, blas, specialize, device, fusion, inplace, schedule
    int pass = -1;  // PassInfo::index
    Text rewrite{}; // registered name: local_log1p
    Text reason{};
    std::int64_t ns = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;
    Applies matched;  // the region, live before the step
    Applies produced; // live after the step
    int editCount = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("step", row.index);
        visit("phase", word(row.phase));
        visit("pass", row.pass);
        visit("rewrite", word(row.rewrite));
        visit("reason", word(row.reason));
        visit("ns", row.ns);
        visit("nodes_before", row.nodesBefore);
        visit("nodes_after", row.nodesAfter);
        visit("matched", row.matched);
        visit("produced", row.produced);
        visit("edit_count", row.editCount);
    }
};

struct StepInfo : StepOf<SharedText, std::vector<ApplyId>> {};

// What a step made of an apply of its region; `to` is kNoApply for Constant and Dead.
struct Became {
    ApplyId from = kNoApply;
    Fate fate = Fate::Kept;
    ApplyId to = kNoApply;
    bool operator==(const Became &) const = default;
};

// Edits as bytes (edit_codec.h), which take a tenth of what they take as structs.
class EditList {
public:
    EditList() = default;
    EditList(const std::vector<Edit> &edits); // NOLINT: is one
    explicit EditList(std::vector<std::uint8_t> bytes) : m_bytes(std::move(bytes)) {}
    void push_back(const Edit &edit);
    // Throws SessionError for bytes that make no sense.
    [[nodiscard]] std::vector<Edit> all() const;

private:
    std::vector<std::uint8_t> m_bytes;
};

struct Step {
    static constexpr const char *kTable = StepInfo::kTable;
    StepInfo info;
    EditList edits;
    std::vector<Became> lineage; // reads as LineageRow

    static void describe(auto &row, auto &&visit)
    {
        StepInfo::describe(row.info, visit);
        visit("lineage", row.lineage);
        visit("edits", row.edits);
    }
};

// A Step as it is handed over: blobs as edit_codec.h makes them.
struct StepFacts : StepOf<StringId, std::vector<std::uint8_t>> {
    std::vector<std::uint8_t> lineage;
    std::vector<std::uint8_t> edits;

    static void describe(auto &row, auto &&visit)
    {
        StepOf::describe(row, visit);
        visit("lineage", row.lineage);
        visit("edits", row.edits);
    }
};

// The body of a Composite, which has no rows of its own: what step 0 builds is all that there is.
struct BodyFacts {
    GraphInfo info;
    StepFacts import;
    std::vector<std::vector<ApplyId>> origins; // for each apply in the order of ids: applies of the parent's graph
};

// One run of a pass over a graph, also when it changed nothing.
struct PassInfo {
    static constexpr const char *kTable = "passes";
    GraphId graph = kNoGraph;
    int index = 0;
    std::string phase;
    std::string name;
    std::string kind;  // "sequence", "equilibrium", "global"
    int iteration = 0; // of an equilibrium
    int firstStep = 1; // its steps are [firstStep, firstStep + stepCount)
    int stepCount = 0;
    std::int64_t ns = 0;
    std::int64_t validateNs = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("pass", row.index);
        visit("phase", row.phase);
        visit("name", row.name);
        visit("kind", row.kind);
        visit("iteration", row.iteration);
        visit("first_step", row.firstStep);
        visit("step_count", row.stepCount);
        visit("ns", row.ns);
        visit("validate_ns", row.validateNs);
        visit("nodes_before", row.nodesBefore);
        visit("nodes_after", row.nodesAfter);
    }
};

// What one rewrite did in one pass.
struct PassRewrite {
    static constexpr const char *kTable = "pass_rewrites";
    GraphId graph = kNoGraph;
    int pass = 0;
    std::string rewrite;
    std::int64_t applied = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("pass", row.pass);
        visit("rewrite", row.rewrite);
        visit("applied", row.applied);
        visit("ns", row.ns);
        visit("nodes_created", row.nodesCreated);
    }
};

// What one rewrite did over all passes of a graph.
struct RewriteCount {
    static constexpr const char *kTable = "rewrite_counts";
    GraphId graph = kNoGraph;
    std::string rewrite;
    std::int64_t tried = 0;
    std::int64_t applied = 0;
    std::int64_t declined = 0;
    std::int64_t failed = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("rewrite", row.rewrite);
        visit("tried", row.tried);
        visit("applied", row.applied);
        visit("declined", row.declined);
        visit("failed", row.failed);
        visit("ns", row.ns);
        visit("nodes_created", row.nodesCreated);
    }
};

struct LineageRow {
    GraphId graph = kNoGraph;
    int step = 0;
    ApplyId from = kNoApply;
    Fate fate = Fate::Kept;
    ApplyId to = kNoApply; // kNoApply for Constant and Dead
};

struct RewriteInfo {
    static constexpr const char *kTable = "rewrites";
    std::string name;
    std::string phase;
    double position = 0;
    std::string tags; // comma separated
    std::string why;
    std::string hurts;
    std::string exampleBefore;
    std::string exampleAfter;
    SourceLine code;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", row.name);
        visit("phase", row.phase);
        visit("position", row.position);
        visit("tags", row.tags);
        visit("why", row.why);
        visit("hurts", row.hurts);
        visit("example_before", row.exampleBefore);
        visit("example_after", row.exampleAfter);
        visit("file", row.code.file);
        visit("line", row.code.line);
    }
};

struct DeclineReason {
    static constexpr const char *kTable = "decline_reasons";
    GraphId graph = kNoGraph;
    std::string rewrite;
    std::string reason;
    std::int64_t count = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("rewrite", row.rewrite);
        visit("reason", row.reason);
        visit("count", row.count);
    }
};

// A sample (at most 20 per rewrite), or the last word of a rewrite on an apply of the final graph.
struct Decline {
    static constexpr const char *kTable = "declines";
    GraphId graph = kNoGraph;
    SharedText rewrite;
    ApplyId apply = kNoApply;
    int step = 0; // the graph stood at this step
    SharedText reason;
    bool last = false;
    ApplyId because = kNoApply; // what stood in the way

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("rewrite", row.rewrite);
        visit("apply", row.apply);
        visit("step", row.step);
        visit("reason", row.reason);
        visit("because", row.because);
    }
};

// The last words of rewrites on an apply of the final graph, as they are handed over; they read as Decline.
struct LastWord {
    StringId rewrite = kEmptyString;
    StringId reason = kEmptyString;
    ApplyId because = kNoApply;
    bool operator==(const LastWord &) const = default;
};

struct LastDeclines {
    static constexpr const char *kTable = "last_declines";
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = 0;
    std::vector<LastWord> words;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("step", row.step);
        visit("words", row.words);
    }
};

} // namespace profiler
