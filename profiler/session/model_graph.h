#pragma once
// Graphs as a session holds them, and what is known about their nodes.

#include "profiler/session/column.h"
#include "profiler/session/model_edits.h"

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace profiler {

enum class GraphKind : std::uint8_t { Function, Composite, Scan, OpFromGraph };

struct GraphInfo {
    static constexpr const char *kTable = "graphs";
    GraphId id = kNoGraph;
    FunctionId function = kNoFunction;
    GraphId parentGraph = kNoGraph; // kNoGraph: the function's own graph
    ApplyId parentApply = kNoApply;
    GraphKind kind = GraphKind::Function;
    std::string label;
    int stepCount = 0; // rewrites; step 0 builds the original graph and is not counted
    int appliesOriginal = 0;
    int appliesOptimized = 0;
    std::string outputs; // of the optimized graph in their order, as JSON; empty: not known

    static void describe(auto &row, auto &&visit)
    {
        visit("id", row.id);
        visit("function", row.function);
        visit("parent_graph", row.parentGraph);
        visit("parent_apply", row.parentApply);
        visit("kind", row.kind);
        visit("label", inLine(row.label));
        visit("step_count", row.stepCount);
        visit("applies_original", row.appliesOriginal);
        visit("applies_optimized", row.appliesOptimized);
        visit("outputs", unlessEmpty(row.outputs));
    }
};

// How an original apply ended, or what a step made of an apply.
enum class Fate : std::uint8_t { Kept, Replaced, Merged, Fused, Moved, Constant, Dead };

// An apply of the original or the optimized graph (those that lived only in between are in the steps).
template <class Text>
struct ApplyOf {
    using Label = std::conditional_t<std::is_same_v<Text, StringId>, std::string, Text>;
    static constexpr const char *kTable = "applies";
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    Text op{};
    Text friendly{};
    Text opClass{};
    Text device{};
    bool inOriginal = false;
    bool inOptimized = false;
    int originalIndex = -1;  // position in the original's toposort, -1 = not there
    int optimizedIndex = -1; // position in execution order: Theano's <id>
    int createdStep = 0;     // 0 = original
    Text createdPhase{};
    Text createdRewrite{};
    Fate fate = Fate::Kept; // of an original apply
    Label label{};          // "CGemv{inplace}(w, ...)": Theano's Apply name, with inputs
    Text implementation{};  // "C", "Py" or "BLAS": what runs it

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("apply", row.apply);
        visit("op", word(row.op));
        visit("friendly", word(row.friendly));
        visit("op_class", word(row.opClass));
        visit("device", word(row.device));
        visit("in_original", row.inOriginal);
        visit("in_optimized", row.inOptimized);
        visit("original_index", orNull(row.originalIndex));
        visit("optimized_index", orNull(row.optimizedIndex));
        visit("created_step", row.createdStep);
        visit("created_phase", word(row.createdPhase));
        visit("created_rewrite", word(row.createdRewrite));
        visit("fate", onlyIf(row.inOriginal, row.fate));
        visit("label", inLine(row.label));
        visit("implementation", word(row.implementation));
    }
};

// A class by its own name: "Elemwise" of the recorded "theano.tensor.elemwise.Elemwise".
inline std::string classNameOf(const std::string &opClass) { return opClass.substr(opClass.rfind('.') + 1); }

struct ApplyRow : ApplyOf<SharedText> {
    double flops = -1;     // per call; -1 = the op states none
    double costBytes = -1; // read and written per call; -1 = unknown
};

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
        visit("inputs", unlessEmpty(row.inputs));
        visit("origins", unlessEmpty(row.origins));
        const auto file = word(row.file);
        visit("file", onlyIf(row.line > 0, file));
        visit("line", unlessEmpty(row.line));
        visit("chain", row.chain);
    }
};
using ApplyFacts = ApplyWithRoots<StringId>;

// As of the last run.
struct CostFacts {
    static constexpr const char *kTable = "cost_pages";
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    double flops = -1;
    double bytes = -1;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("flops", orNull(row.flops));
        visit("cost_bytes", orNull(row.bytes));
    }
};

template <class Text>
struct VariableOf {
    static constexpr const char *kTable = "variable_pages";
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
    bool isOutput = false; // of the optimized graph

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("kind", row.kind);
        visit("name", word(row.name));
        visit("type", word(row.type));
        visit("dtype", word(row.dtype));
        visit("shape", word(row.shape));
        visit("value", word(row.value));
        visit("owner", row.owner);
        visit("owner_port", orNull(row.ownerPort));
        visit("in_original", row.inOriginal);
        visit("in_optimized", row.inOptimized);
        visit("is_output", row.isOutput);
    }
};

struct VariableRow : VariableOf<SharedText> {
    std::int64_t bytes = -1;
};
using VariableFacts = VariableOf<StringId>; // as it is handed over

// As of the last run.
struct VariableSize {
    static constexpr const char *kTable = "size_pages";
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
    static constexpr const char *kTable = "apply_groups";
    GraphId graph = kNoGraph;
    int group = 0;
    int position = 0;
    ApplyId apply = kNoApply;
    std::string rewrite;

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("grp", row.group);
        visit("position", row.position);
        visit("apply", row.apply);
        visit("rewrite", row.rewrite);
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
    static constexpr const char *kTable = "line_pages";
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
        visit("share", row.share);
    }
};

// A line of source, and the chain of calls that led to it.
struct ChainFacts {
    static constexpr const char *kTable = "chains";
    ChainId id = kNoChain;
    ChainId caller = kNoChain; // the line that called; it has a smaller number
    StringId file = kEmptyString;
    int line = 0;
    StringId function = kEmptyString; // that the line is in

    static void describe(auto &row, auto &&visit)
    {
        visit("id", row.id);
        visit("caller", row.caller);
        visit("file", word(row.file));
        visit("line", row.line);
        visit("function", word(row.function));
    }
};

// A chain of an apply, as it is read; as it is handed over only those of applies that stem from several.
struct ChainShare {
    static constexpr const char *kTable = "chain_pages";
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    ChainId chain = kNoChain;
    double share = 1; // of the apply's time; the shares of an apply sum to 1

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("chain", row.chain);
        visit("share", row.share);
    }
};

// Of an input, a shared variable or a constant.
struct VariableChain {
    static constexpr const char *kTable = "variable_chain_pages";
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    ChainId chain = kNoChain;

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("chain", row.chain);
    }
};

// What builds the op of an apply again; an apply without one has that of the first whose op has its name.
struct OpDocumentRow {
    static constexpr const char *kTable = "op_document_pages";
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    StringId document = kEmptyString; // JSON

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("document", word(row.document));
    }
};

// An input, a shared variable or a constant, as a graph document has it.
struct LeafDocument {
    static constexpr const char *kTable = "leaf_pages";
    static constexpr std::array kKey{"graph"};
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable;
    StringId type = kEmptyString;
    StringId value = kEmptyString; // JSON; without its data if it is large or shared

    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("type", word(row.type));
        visit("value", word(row.value));
    }
};

// What a graph document of a graph needs besides its replica, as numbers of the session's texts.
struct GraphDocuments {
    std::vector<OpDocumentRow> ops;
    std::vector<LeafDocument> leaves;
};

// For each apply of a Composite's body in the order of ids: applies of the parent's graph.
struct BodyOrigins {
    static constexpr const char *kTable = "body_origins";
    GraphId graph = kNoGraph;
    std::vector<std::uint8_t> origins; // as edit_codec.h makes them

    static void describe(auto &row, auto &&visit)
    {
        visit("graph", row.graph);
        visit("origins", row.origins);
    }
};

[[nodiscard]] const char *fateName(Fate fate);

} // namespace profiler
