#pragma once
// Graphs as a session holds them, and what is known about their nodes.

#include "profiler/session/model/column.h"
#include "profiler/session/model/model_edits.h"
#include "profiler/session/store/op_role.h"

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace profiler {

enum class GraphKind : std::uint8_t { Function, Composite, Scan, OpFromGraph };

struct GraphInfo {
    static constexpr SessionTable kTable{.name = "graphs", .about = "Graphs. Nested ones name the apply that holds them."};
    GraphId id = kNoGraph;
    FunctionId function = kNoFunction;
    GraphId parentGraph = kNoGraph;
    ApplyId parentApply = kNoApply;
    GraphKind kind = GraphKind::Function;
    std::string label;
    int stepCount = 0; // rewrites; step 0 builds the original graph and is not counted
    int appliesOriginal = 0;
    int appliesOptimized = 0;
    std::string outputs;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", primary(row.id));
        visit("function", row.function);
        visit("parent_graph", orNull(row.parentGraph), "NULL: the function's own graph");
        visit("parent_apply", orNull(row.parentApply));
        visit("kind", row.kind);
        visit("label", inLine(row.label));
        visit("step_count", row.stepCount);
        visit("applies_original", row.appliesOriginal);
        visit("applies_optimized", row.appliesOptimized);
        visit("outputs", unlessEmpty(row.outputs),
              "JSON array of the variables that the optimized graph returns, in their order; NULL = not known yet");
    }
};

// How an original apply ended, or what a step made of an apply.
enum class Fate : std::uint8_t { Kept, Replaced, Merged, Fused, Moved, Constant, Dead };

// An apply of the original or the optimized graph (those that lived only in between are in the steps).
template <class Text>
struct ApplyOf {
    using Label = std::conditional_t<std::is_same_v<Text, StringId>, std::string, Text>;
    static constexpr SessionTable kTable{
        .name = "applies",
        .about = "Applies of the original and of the optimized graph; those in between are in rewrite_steps.edits. Bodies "
                 "of Composites have no rows here, in variables and in apply_inputs: they are what the edits of their step "
                 "0 build."};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    Text op{};
    Text friendly{};
    Text opClass{};
    Text device{};
    bool inOriginal = false;
    bool inOptimized = false;
    int originalIndex = -1; // position in the original's toposort, -1 = not there
    int optimizedIndex = -1;
    int createdStep = 0;
    Text createdPhase{};
    Text createdRewrite{};
    Fate fate = Fate::Kept;
    Label label{}; // "CGemv{inplace}(w, ...)": Theano's Apply name, with inputs
    Text implementation{};
    OpRole role = OpRole::Unknown;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("apply", primary(row.apply));
        visit("op", word(row.op), "exact: Elemwise{exp,no_inplace}");
        visit("friendly", word(row.friendly), "exp");
        visit("op_class", word(row.opClass), "theano.tensor.elemwise.Elemwise");
        visit("device", word(row.device));
        visit("in_original", row.inOriginal);
        visit("in_optimized", row.inOptimized);
        visit("original_index", orNull(row.originalIndex), "position in the toposort of the original");
        visit("optimized_index", orNull(row.optimizedIndex), "position in execution order: <id> of Theano's tables");
        visit("created_step", row.createdStep, "0 = original");
        visit("created_phase", word(row.createdPhase));
        visit("created_rewrite", word(row.createdRewrite));
        visit("fate", onlyIf(row.inOriginal, row.fate), "of an original apply: kept, replaced, merged, fused, moved, constant, dead");
        visit("label", inLine(row.label), "with inputs: CGemv{inplace}(w, ...)");
        visit("implementation", word(row.implementation), "C, Py, BLAS");
        visit("role", row.role, "what its op is for: elementwise, product, reduction, loop, view, transfer, random ...");
    }
};

// A class by its own name: "Elemwise" of the recorded "theano.tensor.elemwise.Elemwise".
inline std::string classNameOf(const std::string &opClass) { return opClass.substr(opClass.rfind('.') + 1); }

struct ApplyRow : ApplyOf<SharedText> {
    double flops = -1;     // per call; -1 = the op states none
    double costBytes = -1; // read and written per call; -1 = unknown
};
[[nodiscard]] inline OpRole roleOf(const ApplyRow &row) { return row.role == OpRole::Unknown ? roleOfClass(row.opClass.str()) : row.role; }

// As its table holds it, with what reads as ApplyInput, OriginRow and SourceLink. Texts are many and repeat, so they are handed
// over as numbers. Not for bodies of Composites, which are what their step 0 builds.
template <class Text>
struct ApplyWithRoots : ApplyOf<Text> {
    // Of the optimized graph, as JSON: what it reads, and the original applies that it stems from ("": itself alone).
    std::string inputs;
    std::string origins;
    Text file{}; // none, or several, which are LineShares: line 0
    int line = 0;
    ChainId chain = kNoChain; // none, or several, which are ChainShares

    static void describe(auto &row, auto &&visit)
    {
        ApplyOf<Text>::describe(row, visit);
        visit("inputs", unlessEmpty(row.inputs), "JSON array of the variables that it reads; NULL = not in the optimized graph");
        visit("origins", unlessEmpty(row.origins),
              "JSON array of original applies that it stems from; NULL = itself, if in the optimized graph");
        const auto file = word(row.file);
        visit("file", onlyIf(row.line > 0, file), "the line of source that it stems from; NULL = none, or several: line_pages");
        visit("line", unlessEmpty(row.line));
        visit("chain", orNull(row.chain), "chains.id of it; NULL = none, or several: chain_pages");
    }
};
using ApplyFacts = ApplyWithRoots<StringId>;

struct CostFacts {
    static constexpr SessionTable kTable{.name = "cost_pages",
                                         .about = "What a call of an apply costs for the shapes of the last run, where its op states it.",
                                         .view = "apply_costs"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    double flops = -1;
    double bytes = -1;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("flops", orNull(row.flops), "per call, NULL = the op states none");
        visit("cost_bytes", orNull(row.bytes), "read and written per call, by the op's own account");
    }
};

template <class Text>
struct VariableOf {
    static constexpr SessionTable kTable{.name = "variable_pages",
                                         .about = "Variables of the original and of the optimized graph, but for bodies of Composites.",
                                         .view = "variables"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    VariableKind kind = VariableKind::Result;
    Text name{};
    Text type{};
    Text dtype{};
    Text shape{}; // static, "(?, 784)"; of a VariableRow that has run "(400, 784)"
    Text value{};
    ApplyId owner = kNoApply;
    int ownerPort = -1;
    bool inOriginal = false;
    bool inOptimized = false;
    bool isOutput = false;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("kind", row.kind);
        visit("name", word(row.name));
        visit("type", word(row.type), "TensorType(float32, matrix)");
        visit("dtype", word(row.dtype));
        visit("shape", word(row.shape), "static, with ?");
        visit("value", word(row.value), "summary of a constant or shared value");
        visit("owner", row.owner, "apply that computes it");
        visit("owner_port", orNull(row.ownerPort));
        visit("in_original", row.inOriginal);
        visit("in_optimized", row.inOptimized);
        visit("is_output", row.isOutput, "of the optimized graph");
    }
};

struct VariableRow : VariableOf<SharedText> {
    std::int64_t bytes = -1;
};
using VariableFacts = VariableOf<StringId>; // as it is handed over

struct VariableSize {
    static constexpr SessionTable kTable{.name = "size_pages", .about = "Shapes of the last run.", .view = "variable_sizes"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    std::string shape;
    std::int64_t bytes = 0;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("shape", row.shape);
        visit("bytes", row.bytes);
    }
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

// One of them, as its table holds it.
struct GroupMember {
    static constexpr SessionTable kTable{
        .name = "apply_groups",
        .about = "Applies of the optimized graph that one kernel may run together, as the phase schedule grouped them. "
                 "They stay nodes of their own. Whether a plan runs them together says plan_items.grp: passes over a "
                 "matrix pay where no cache holds it, and kernels over rows need rows that are long enough and lie one "
                 "behind the other.",
        .hasIndex = true};
    GraphId graph = kNoGraph;
    int group = 0;
    int position = 0;
    ApplyId apply = kNoApply;
    std::string rewrite;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("grp", primary(row.group), "number of the group in its graph, from 0");
        visit("position", primary(row.position), "order of the work inside the group, from 0");
        visit("apply", row.apply);
        visit("rewrite", row.rewrite, "rewrites.name of what made the group");
    }
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
    static constexpr SessionTable kTable{
        .name = "line_pages",
        .about = "Lines of source of the applies that stem from several; their shares are split by the cost model.",
        .view = "apply_lines"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    StringId file = kEmptyString;
    int line = 0;
    double share = 1;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("file", word(row.file));
        visit("line", row.line);
        visit("share", row.share, "of the apply's time; sums to 1 over its lines");
    }
};

struct ChainFacts {
    static constexpr SessionTable kTable{
        .name = "chains",
        .about = "Lines of the program that made applies and variables, each as it was reached: `caller` is the line that "
                 "called, and so on to the script's own. Each distinct one is here once. Of stacks of more than 1000 lines "
                 "only the innermost are kept (traceback.limit)."};
    ChainId id = kNoChain;
    ChainId caller = kNoChain; // the line that called; it has a smaller number
    StringId file = kEmptyString;
    int line = 0;
    StringId function = kEmptyString;

    static void describe(auto &row, auto &&visit)
    {
        visit("id", primary(row.id), "from 0; a caller has a smaller one");
        visit("caller", orNull(row.caller), "chains.id, NULL = nothing called it");
        visit("file", word(row.file));
        visit("line", row.line);
        visit("function", word(row.function), "that the line is in");
    }
};

// A chain of an apply, as it is read; as it is handed over only those of applies that stem from several.
struct ChainShare {
    static constexpr SessionTable kTable{.name = "chain_pages",
                                         .about = "Chains of the applies that stem from several; their shares are split by the cost model.",
                                         .view = "apply_chains"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    ChainId chain = kNoChain;
    double share = 1; // of the apply's time; the shares of an apply sum to 1

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("chain", row.chain, "chains.id");
        visit("share", row.share, "of the apply's time; sums to 1 over its chains");
    }
};

struct VariableChain {
    static constexpr SessionTable kTable{
        .name = "variable_chain_pages", .about = "Where inputs, shared variables and constants were made.", .view = "variable_chains"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    ChainId chain = kNoChain;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("chain", row.chain, "chains.id");
    }
};

struct OpDocumentRow {
    static constexpr SessionTable kTable{
        .name = "op_document_pages",
        .about = "What builds the ops of a function's graph again: the member \"op\" of a graph document. An apply that "
                 "has no row here has the document of the first apply here whose op has the same name.",
        .view = "op_documents"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    StringId document = kEmptyString;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("document", word(row.document), "JSON");
    }
};

struct LeafDocument {
    static constexpr SessionTable kTable{.name = "leaf_pages",
                                         .about =
                                             "Types and values of inputs, shared variables and constants, as a graph document has them.",
                                         .view = "leaf_documents"};
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    StringId type = kEmptyString;
    StringId value = kEmptyString;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("type", word(row.type), "float64[?,3]");
        visit("value", word(row.value), "JSON; without data if it is large or shared");
    }
};

// What a graph document of a graph needs besides its replica, as numbers of the session's texts.
struct GraphDocuments {
    std::vector<OpDocumentRow> ops;
    std::vector<LeafDocument> leaves;
};

// For each apply of a Composite's body in the order of ids: applies of the parent's graph.
struct BodyOrigins {
    static constexpr SessionTable kTable{
        .name = "body_origins", .about = "Original applies of the parent's graph from which the applies of a Composite body stem."};
    GraphId graph = kNoGraph;
    std::vector<std::uint8_t> origins;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", primary(row.graph));
        visit("origins", row.origins, "described in edit_codec.h");
    }
};

[[nodiscard]] const char *fateName(Fate fate);

} // namespace profiler
