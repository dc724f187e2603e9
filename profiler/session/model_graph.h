#pragma once
// Graphs as a session holds them: edits, steps, lineage, and what is known about rewrites.

#include "profiler/session/ids.h"

#include <string>
#include <variant>
#include <vector>

namespace profiler {

struct SourceLine {
    std::string file;
    int line = 0; // 1-based; 0 = unknown
    auto operator<=>(const SourceLine &) const = default;
};

// Result: an output of an apply. The others stand on their own.
enum class VariableKind : std::uint8_t { Result, Input, Shared, Constant };

// ---- edits: the smallest reversible change; a step is a list of them ----

struct SourceRef {
    StringId file = kEmptyString;
    std::uint32_t line = 0;
    auto operator<=>(const SourceRef &) const = default;
};

struct OutputSpec {
    VariableId id = kNoVariable;
    StringId type = kEmptyString; // "TensorType(float32, matrix)"
    StringId name = kEmptyString;
    bool operator==(const OutputSpec &) const = default;
};

// Output `output` is a view of, or is written over, input `input`.
struct PortPair {
    std::uint32_t output = 0;
    std::uint32_t input = 0;
    bool operator==(const PortPair &) const = default;
};

struct AddVariable {
    VariableId id = kNoVariable;
    VariableKind kind = VariableKind::Input; // never Result
    StringId type = kEmptyString;
    StringId name = kEmptyString;
    StringId value = kEmptyString; // summary for constants and shared variables: "0.5", "float32 (784,)"
    std::vector<SourceRef> sources;
    bool operator==(const AddVariable &) const = default;
};

struct AddApply {
    ApplyId id = kNoApply;
    StringId op = kEmptyString;       // exact: "Elemwise{exp,no_inplace}"
    StringId friendly = kEmptyString; // "exp"
    StringId opClass = kEmptyString;  // "theano.tensor.elemwise.Elemwise"
    StringId device = kEmptyString;   // "cpu", "cuda0"
    std::vector<VariableId> inputs;
    std::vector<OutputSpec> outputs;
    std::vector<PortPair> views;
    std::vector<PortPair> destroys;
    std::vector<SourceRef> sources;
    bool operator==(const AddApply &) const = default;
};

struct SetInput {
    ApplyId apply = kNoApply;
    std::uint32_t port = 0;
    VariableId before = kNoVariable;
    VariableId after = kNoVariable;
    bool operator==(const SetInput &) const = default;
};

// before = kNoVariable: a new output is appended; after = kNoVariable: the last output is removed.
struct SetOutput {
    std::uint32_t index = 0;
    VariableId before = kNoVariable;
    VariableId after = kNoVariable;
    bool operator==(const SetOutput &) const = default;
};

struct Rename {
    VariableId variable = kNoVariable;
    StringId before = kEmptyString;
    StringId after = kEmptyString;
    bool operator==(const Rename &) const = default;
};

// The apply and its outputs leave the graph; nothing live may read them any more.
struct PruneApply {
    ApplyId apply = kNoApply;
    bool operator==(const PruneApply &) const = default;
};

struct PruneVariable {
    VariableId variable = kNoVariable;
    bool operator==(const PruneVariable &) const = default;
};

// Source lines that a surviving apply takes over (merge); only lines that it did not have.
struct AddSources {
    ApplyId apply = kNoApply;
    std::vector<SourceRef> sources;
    bool operator==(const AddSources &) const = default;
};

using Edit = std::variant<AddVariable, AddApply, SetInput, SetOutput, Rename, PruneApply, PruneVariable, AddSources>;

// ---- graphs ----

enum class GraphKind : std::uint8_t { Function, Composite, Scan, OpFromGraph };

struct GraphInfo {
    GraphId id = kNoGraph;
    FunctionId function = kNoFunction;
    GraphId parentGraph = kNoGraph; // kNoGraph: the function's own graph
    ApplyId parentApply = kNoApply;
    GraphKind kind = GraphKind::Function;
    std::string label;
    int stepCount = 0; // rewrites; step 0 builds the original graph and is not counted
    int appliesOriginal = 0;
    int appliesOptimized = 0;
};

// How an original apply ended, or what a step made of an apply.
enum class Fate : std::uint8_t { Kept, Replaced, Merged, Fused, Moved, Constant, Dead };

// An apply of the original or the optimized graph (those that lived only in between are in the steps).
struct ApplyRow {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    std::string op;
    std::string friendly;
    std::string opClass;
    std::string device;
    bool inOriginal = false;
    bool inOptimized = false;
    int originalIndex = -1;  // position in the original's toposort, -1 = not there
    int optimizedIndex = -1; // position in execution order: Theano's <id>
    int createdStep = 0;     // 0 = original
    std::string createdPhase;
    std::string createdRewrite;
    Fate fate = Fate::Kept;     // of an original apply
    std::string label;          // "CGemv{inplace}(w, ...)": Theano's Apply name, with inputs
    std::string implementation; // "C", "Py" or "BLAS": what runs it
    double flops = -1;          // per call; -1 = the op states none
    double costBytes = -1;      // read and written per call; -1 = unknown
};

struct VariableRow {
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    VariableKind kind = VariableKind::Result;
    std::string name;
    std::string type;
    std::string dtype;
    std::string shape; // "(400, 784)" as last run, else static "(?, 784)"
    std::string value;
    ApplyId owner = kNoApply;
    int ownerPort = -1;
    bool inOriginal = false;
    bool inOptimized = false;
    bool isOutput = false; // of the optimized graph
    std::int64_t bytes = -1;
};

// An ApplyRow as it is handed over: texts are many and repeat, so they come as numbers. Not for bodies of Composites, which
// are what their step 0 builds.
struct ApplyFacts {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    StringId op = kEmptyString;
    StringId friendly = kEmptyString;
    StringId opClass = kEmptyString;
    StringId device = kEmptyString;
    bool inOriginal = false;
    bool inOptimized = false;
    int originalIndex = -1;
    int optimizedIndex = -1;
    int createdStep = 0;
    StringId createdPhase = kEmptyString;
    StringId createdRewrite = kEmptyString;
    Fate fate = Fate::Kept;
    std::string label;
    StringId implementation = kEmptyString;
    // Of the optimized graph, as JSON: what it reads, and the original applies that it stems from ("": itself alone).
    std::string inputs;
    std::string origins;
    SourceRef source; // line 0: none, or several, which are LineShares
};

// As of the last run.
struct CostFacts {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    double flops = -1;
    double bytes = -1;
};

// A VariableRow as it is handed over, with its static shape.
struct VariableFacts {
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    VariableKind kind = VariableKind::Result;
    StringId name = kEmptyString;
    StringId type = kEmptyString;
    StringId dtype = kEmptyString;
    StringId shape = kEmptyString;
    StringId value = kEmptyString;
    ApplyId owner = kNoApply;
    int ownerPort = -1;
    bool inOriginal = false;
    bool inOptimized = false;
    bool isOutput = false;
};

// As of the last run.
struct VariableSize {
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    std::string shape;
    std::int64_t bytes = 0;
};

// What an apply of the optimized graph reads.
struct ApplyInput {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int port = 0;
    VariableId variable = kNoVariable;
};

// Applies of the optimized graph that one kernel may run together, in the order of their work.
struct ApplyGroup {
    GraphId graph = kNoGraph;
    int group = 0;
    std::string rewrite; // that made it: one_pass_over_rows
    std::vector<ApplyId> applies;
    bool runsAsOne = false; // a plan ran them as one kernel; else each ran alone
};

// One rewrite that changed the graph. index 0 ("import") holds the edits that build the original.
struct StepInfo {
    GraphId graph = kNoGraph;
    int index = 0;
    std::string phase;   // merge, useless, canonicalize, stabilize, blas, specialize, device, fusion, inplace, schedule
    int pass = -1;       // PassInfo::index
    std::string rewrite; // registered name: local_log1p
    std::string reason;
    std::int64_t ns = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;
    std::vector<ApplyId> matched;  // the region, live before the step
    std::vector<ApplyId> produced; // live after the step
    int editCount = 0;
};

// What a step made of an apply of its region; `to` is kNoApply for Constant and Dead.
struct Became {
    ApplyId from = kNoApply;
    Fate fate = Fate::Kept;
    ApplyId to = kNoApply;
    bool operator==(const Became &) const = default;
};

struct Step {
    StepInfo info;
    std::vector<Edit> edits;
    std::vector<Became> lineage; // reads as LineageRow
};

// A Step as it is handed over: blobs as edit_codec.h makes them.
struct StepFacts {
    GraphId graph = kNoGraph;
    int index = 0;
    StringId phase = kEmptyString;
    int pass = -1;
    StringId rewrite = kEmptyString;
    StringId reason = kEmptyString;
    std::int64_t ns = 0;
    int nodesBefore = 0;
    int nodesAfter = 0;
    std::vector<std::uint8_t> matched;
    std::vector<std::uint8_t> produced;
    std::vector<std::uint8_t> lineage;
    int editCount = 0;
    std::vector<std::uint8_t> edits;
};

// The body of a Composite, which has no rows of its own: what step 0 builds is all that there is.
struct BodyFacts {
    GraphInfo info;
    StepFacts import;
    std::vector<std::vector<ApplyId>> origins; // for each apply in the order of ids: applies of the parent's graph
};

// One run of a pass over a graph, also when it changed nothing.
struct PassInfo {
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
};

// What one rewrite did in one pass.
struct PassRewrite {
    GraphId graph = kNoGraph;
    int pass = 0;
    std::string rewrite;
    std::int64_t applied = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;
};

// What one rewrite did over all passes of a graph.
struct RewriteCount {
    GraphId graph = kNoGraph;
    std::string rewrite;
    std::int64_t tried = 0;
    std::int64_t applied = 0;
    std::int64_t declined = 0;
    std::int64_t failed = 0;
    std::int64_t ns = 0;
    std::int64_t nodesCreated = 0;
};

struct LineageRow {
    GraphId graph = kNoGraph;
    int step = 0;
    ApplyId from = kNoApply;
    Fate fate = Fate::Kept;
    ApplyId to = kNoApply; // kNoApply for Constant and Dead
};

// Which original applies an apply stems from; scalar nodes of a Composite body point into the parent's graph.
struct OriginRow {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    GraphId originGraph = kNoGraph;
    ApplyId originApply = kNoApply;
};

struct SourceLink {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    SourceLine source;
    double share = 1;       // of the apply's time; the shares of an apply sum to 1
    bool estimated = false; // split by the cost model, not measured
};

// A line of an apply that stems from several, as it is handed over; it reads as SourceLink.
struct LineShare {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    StringId file = kEmptyString;
    int line = 0;
    double share = 1;
};

struct RewriteInfo {
    std::string name;
    std::string phase;
    double position = 0;
    std::string tags; // comma separated
    std::string why;
    std::string hurts;
    std::string exampleBefore;
    std::string exampleAfter;
    SourceLine code;
};

struct DeclineReason {
    GraphId graph = kNoGraph;
    std::string rewrite;
    std::string reason;
    std::int64_t count = 0;
};

// A sample (at most 20 per rewrite), or the last word of a rewrite on an apply of the final graph.
struct Decline {
    GraphId graph = kNoGraph;
    std::string rewrite;
    ApplyId apply = kNoApply;
    int step = 0; // the graph stood at this step
    std::string reason;
    bool last = false;
    ApplyId because = kNoApply; // what stood in the way
};

// The last words of rewrites on an apply of the final graph, as they are handed over; they read as Decline.
struct LastWord {
    StringId rewrite = kEmptyString;
    StringId reason = kEmptyString;
    ApplyId because = kNoApply;
    bool operator==(const LastWord &) const = default;
};

struct LastDeclines {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    int step = 0;
    std::vector<LastWord> words;
};

[[nodiscard]] const char *fateName(Fate fate);
[[nodiscard]] const char *variableKindName(VariableKind kind);
[[nodiscard]] const char *graphKindName(GraphKind kind);

} // namespace profiler
