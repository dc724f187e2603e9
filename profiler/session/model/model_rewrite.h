#pragma once
// How a graph came about: steps, passes, and what rewrites did and declined.

#include "profiler/session/model/model_graph.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace profiler {

template <class Text, class Applies>
struct StepOf {
    static constexpr SessionTable kTable{.name = "rewrite_steps",
                                         .about = "Rewrites that changed the graph, in order. Step 0 builds the original graph."};
    GraphId graph = kNoGraph;
    int index = 0;
    Text phase{};   // merge, useless, canonicalize, stabilize, blas, specialize, device, fusion, inplace, schedule
    int pass = -1;  // PassInfo::index
    Text rewrite{}; // registered name: local_log1p
    Text reason{};
    std::int64_t ns = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;
    Applies matched;
    Applies produced;
    int editCount = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("step", primary(row.index));
        visit("phase", word(row.phase));
        visit("pass", row.pass, "passes.pass, -1 = none");
        visit("rewrite", word(row.rewrite), "rewrites.name");
        visit("reason", word(row.reason));
        visit("ns", row.ns);
        visit("nodes_before", row.nodesBefore);
        visit("nodes_after", row.nodesAfter);
        visit("matched", row.matched, "varint apply ids, live before the step");
        visit("produced", row.produced, "varint apply ids, live after the step");
        visit("edit_count", row.editCount);
    }
    static void describeBlobs(auto &row, auto &&visit)
    {
        visit("lineage", row.lineage, "what the step made of the applies of its region: described in edit_codec.h");
        visit("edits", row.edits, "records described in edit_codec.h");
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
        StepInfo::describeBlobs(row, visit);
    }
};

// A Step as it is handed over: blobs as edit_codec.h makes them.
struct StepFacts : StepOf<StringId, std::vector<std::uint8_t>> {
    std::vector<std::uint8_t> lineage;
    std::vector<std::uint8_t> edits;

    static void describe(auto &row, auto &&visit)
    {
        StepOf::describe(row, visit);
        StepOf::describeBlobs(row, visit);
    }
};

// The body of a Composite, which has no rows of its own: what step 0 builds is all that there is.
struct BodyFacts {
    GraphInfo info;
    StepFacts import;
    std::vector<std::vector<ApplyId>> origins; // for each apply in the order of ids: applies of the parent's graph
};

struct PassInfo {
    static constexpr SessionTable kTable{.name = "passes", .about = "Passes over a graph, also those that changed nothing."};
    GraphId graph = kNoGraph;
    int index = 0;
    std::string phase;
    std::string name;
    std::string kind;
    int iteration = 0; // of an equilibrium
    int firstStep = 1; // its steps are [firstStep, firstStep + stepCount)
    int stepCount = 0;
    std::int64_t ns = 0;
    std::int64_t validateNs = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("pass", primary(row.index));
        visit("phase", row.phase, "merge, useless, canonicalize, stabilize, blas, specialize, device, fusion, inplace, schedule");
        visit("name", row.name);
        visit("kind", row.kind, "sequence, equilibrium, global");
        visit("iteration", row.iteration);
        visit("first_step", row.firstStep);
        visit("step_count", row.stepCount);
        visit("ns", row.ns);
        visit("validate_ns", row.validateNs);
        visit("nodes_before", row.nodesBefore);
        visit("nodes_after", row.nodesAfter);
    }
};

struct PassRewrite {
    static constexpr SessionTable kTable{
        .name = "pass_rewrites",
        .about = "What each rewrite did in each pass where it applied; how often it was tried and declined: rewrite_counts."};
    GraphId graph = kNoGraph;
    int pass = 0;
    std::string rewrite;
    std::int64_t applied = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("pass", primary(row.pass));
        visit("rewrite", primary(row.rewrite));
        visit("applied", row.applied);
        visit("ns", row.ns);
        visit("nodes_created", row.nodesCreated);
    }
};

struct RewriteCount {
    static constexpr SessionTable kTable{.name = "rewrite_counts",
                                         .about = "What each rewrite did over all passes of a graph, also those that never applied."};
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
        visit("graph", primary(row.graph));
        visit("rewrite", primary(row.rewrite));
        visit("tried", row.tried);
        visit("applied", row.applied);
        visit("declined", row.declined);
        visit("failed", row.failed, "threw, or made what does not fit");
        visit("ns", row.ns, "declines estimated from a sample");
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
    static constexpr SessionTable kTable{.name = "rewrites", .about = "The rewrite catalogue of the croton that wrote the session."};
    std::string name;
    std::string phase;
    double position = 0;
    std::string tags;
    std::string why;
    std::string hurts;
    std::string exampleBefore;
    std::string exampleAfter;
    SourceLine code;

    static void describe(auto &row, auto &&visit)
    {
        visit("name", primary(row.name));
        visit("phase", row.phase);
        visit("position", row.position);
        visit("tags", row.tags, "comma separated");
        visit("why", row.why);
        visit("hurts", row.hurts, "when it can hurt");
        visit("example_before", row.exampleBefore, "expression notation");
        visit("example_after", row.exampleAfter);
        visit("file", row.code.file, "where its code is");
        visit("line", row.code.line);
    }
};

struct DeclineReason {
    static constexpr SessionTable kTable{.name = "decline_reasons", .about = "Why rewrites declined, counted."};
    GraphId graph = kNoGraph;
    std::string rewrite;
    std::string reason;
    std::int64_t count = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("rewrite", primary(row.rewrite));
        visit("reason", primary(row.reason));
        visit("count", row.count);
    }
};

// A sample (at most 20 per rewrite), or the last word of a rewrite on an apply of the final graph.
struct Decline {
    static constexpr SessionTable kTable{.name = "declines", .about = "Samples of declines: at most 20 of each rewrite.", .hasIndex = true};
    GraphId graph = kNoGraph;
    SharedText rewrite;
    ApplyId apply = kNoApply;
    int step = 0;
    SharedText reason;
    bool last = false;
    ApplyId because = kNoApply;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("rewrite", row.rewrite);
        visit("apply", row.apply);
        visit("step", row.step, "the graph stood at this step");
        visit("reason", row.reason);
        visit("because", orNull(row.because), "the apply that stood in the way, NULL = none");
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
    static constexpr SessionTable kTable{.name = "last_declines",
                                         .about = "Why not: the last decline of each rewrite on an apply of the final graph."};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = 0;
    std::vector<LastWord> words;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("apply", primary(row.apply));
        visit("step", row.step, "the graph stood at this step");
        visit("words", row.words, "(rewrite, reason, because): described in edit_codec.h");
    }
};

} // namespace profiler
