// The only way to change a FunctionGraph. Every firing of a rewrite is one step: begin, edit, commit – or
// abandon, which undoes the records at once. Also the small handles that make matching pleasant to write.
#pragma once

#include "engine/graph/ir/cons_table.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/graph/ir/size_notes.h"
#include "engine/tensor/errors.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

class NodeHandle;

/// A variable of a graph, as a rewrite looks at it.
class VarHandle {
public:
    VarHandle() = default;
    VarHandle(const FunctionGraph &graph, VarId id) : m_graph(&graph), m_id(id) {}

    VarId id() const { return m_id; }
    const FunctionGraph &graph() const { return *m_graph; }
    Type type() const { return node().type; }
    int rank() const { return type().rank(); }
    DType dtype() const { return type().dtype(); }
    const std::string &name() const { return m_graph->name(m_id); }
    bool isConstant() const { return node().kind == Variable::Kind::Constant; }
    bool isShared() const { return node().kind == Variable::Kind::Shared; }
    const Value *constant() const { return isConstant() ? &node().leaf->value() : nullptr; }
    /// A constant whose elements are all equal, as a double.
    std::optional<double> uniformConstant() const
    {
        const VarNode &constant = node();
        if (constant.kind != Variable::Kind::Constant) return std::nullopt;
        if (constant.isUniform == VarNode::Uniform::NotAsked) askUniform();
        return constant.isUniform == VarNode::Uniform::Yes ? std::optional(constant.uniform) : std::nullopt;
    }
    /// The apply that computes it; looking at it counts as matching it.
    std::optional<NodeHandle> owner() const;
    std::span<const Client> clients() const { return node().clients; }
    bool hasOneClient() const { return node().clients.size() == 1; }
    bool isGraphOutput() const;
    friend bool operator==(const VarHandle &a, const VarHandle &b) { return a.m_id == b.m_id; }

private:
    const VarNode &node() const { return m_graph->var(m_id); }
    void askUniform() const;
    const FunctionGraph *m_graph = nullptr;
    VarId m_id = kNoVar;
};

/// An apply of a graph, as a rewrite looks at it.
class NodeHandle {
public:
    NodeHandle(const FunctionGraph &graph, ApplyId id) : m_graph(&graph), m_id(id) {}

    ApplyId id() const { return m_id; }
    const FunctionGraph &graph() const { return *m_graph; }
    const OpRef &op() const { return m_graph->apply(m_id).op; }
    template <class T>
    const T *opAs() const
    {
        return opCast<T>(op());
    }
    std::size_t inputCount() const { return m_graph->apply(m_id).inputs.size(); }
    VarHandle input(std::size_t i) const { return {*m_graph, m_graph->apply(m_id).inputs[i].var}; }
    ShortList<VarHandle, 4> inputs() const;
    std::size_t outputCount() const { return m_graph->apply(m_id).outputs.size(); }
    VarHandle output(std::size_t i = 0) const { return {*m_graph, m_graph->apply(m_id).outputs[i]}; }

private:
    const FunctionGraph *m_graph;
    ApplyId m_id;
};

/// What the inputs of an apply add to the key under which it is found: a sum, so that one of many can change at the price of one.
struct ConsSum {
    std::uint64_t mixed = 0, place = 0;
    void add(std::uint32_t port, VarId input)
    {
        mixed += mix(port, input);
        place += weighted(port, input);
    }
    void remove(std::uint32_t port, VarId input)
    {
        mixed -= mix(port, input);
        place -= weighted(port, input);
    }

private:
    static std::uint64_t mix(std::uint32_t port, VarId input)
    {
        const std::uint64_t both = (static_cast<std::uint64_t>(port) << 32 | raw(input)) * 0x9E3779B97F4A7C15ull;
        return (both ^ both >> 29) * 0xD6E8FEB86659FD93ull;
    }
    // No small ratio: pairs of ids of which one rises and one falls shall not meet in one place.
    static std::uint64_t weighted(std::uint32_t port, VarId input) { return raw(input) * (64 + 27 * static_cast<std::uint64_t>(port)); }
};

class Editor {
public:
    explicit Editor(FunctionGraph &graph);
    ~Editor();
    Editor(const Editor &) = delete;
    Editor &operator=(const Editor &) = delete;

    const FunctionGraph &graph() const { return m_graph; }
    NodeHandle node(ApplyId id) const { return {m_graph, id}; }
    VarHandle var(VarId id) const { return {m_graph, id}; }

    // --- steps ---------------------------------------------------------------------------------------
    /// The names live as long as the process: literals, names of passes and rewrites, or internText().
    void beginStep(std::string_view phase, std::string_view pass, std::string_view rewrite)
    {
        ENGINE_ASSERT(!m_inStep, "a step is open already");
        m_inStep = true;
        m_open.phase = phase;
        m_open.pass = pass;
        m_open.rewrite = rewrite;
        m_open.varsBefore = m_graph.m_vars.size();
        m_open.appliesBefore = m_graph.m_applies.size();
        m_open.firstEdit = m_graph.m_journal.edits.size();
        m_open.liveBefore = m_graph.m_liveApplies;
        m_open.replacements.clear();
        m_open.touched.clear();
        m_open.orphans.clear();
        m_open.roots.clear();
        m_open.made.clear();
        m_dirty.clear();
        m_sizeNotes.beginStep();
        m_graph.m_touched = &m_open.touched;
    }
    /// Closes the step: dead applies leave the graph, fates are written. False (and no step) if nothing changed.
    bool commitStep(std::string_view reason);
    void abandonStep()
    {
        // Most attempts only look.
        if (!stepIsBlank() || m_graph.m_vars.size() != m_open.varsBefore || m_graph.m_applies.size() != m_open.appliesBefore) undoStep();
        m_graph.m_touched = nullptr;
        m_inStep = false;
        m_dirty.clear();
    }
    bool inStep() const { return m_inStep; }
    /// Applies whose inputs or clients changed in the last committed step, and new ones: the driver's worklist.
    std::span<const ApplyId> dirty() const { return m_dirty; }
    /// Of the last committed step, from its first edit on.
    std::uint64_t stepNs() const { return m_stepNs; }

    // --- looking up ----------------------------------------------------------------------------------
    /// Another live apply with the same op and inputs that may be shared: the first that came to have them.
    std::optional<ApplyId> findTwin(ApplyId apply);
    /// For walks that ask for many twins: what findTwin() will look at comes near.
    void prefetchTwin(ApplyId apply) const
    {
        if (m_isIndexed) m_cons.prefetch(consKey(apply));
    }

    /// All constants, also those that left the graph, with a hash of type and content.
    std::span<const std::pair<VarId, std::size_t>> constants()
    {
        index();
        return m_constantKeys;
    }
    /// False if no apply has a twin: after a sweep that left none, only what changed since is looked at.
    bool mayHaveTwins();
    void leftNoTwins();

    /// Returns `var` itself while it lives, else the variable that replaced it; kNoVar if none did.
    VarId replacementOf(VarId var);
    /// What rewrites found out about sizes. Notes on what an abandoned step made go with it.
    SizeNotes &sizeNotes() { return m_sizeNotes; }

    // --- building ------------------------------------------------------------------------------------
    VarHandle constant(Tensor value, std::string_view name = {});
    VarHandle constant(const Value &value, Type type, std::string_view name = {});
    /// New apply by the op's type rule, or the live one with the same op and inputs.
    NodeHandle apply(const OpRef &op, std::span<const VarHandle> inputs);
    /// Always a new apply.
    NodeHandle applyFresh(OpRef op, std::span<const VarHandle> inputs); // by value: `op` may lie in the arena that grows
    VarHandle make(const OpRef &op, std::initializer_list<VarHandle> inputs) { return apply(op, {inputs.begin(), inputs.size()}).output(); }
    VarHandle make(const OpRef &op, std::span<const VarHandle> inputs) { return apply(op, inputs).output(); }

    // --- changing ------------------------------------------------------------------------------------
    /// All readers of `before` read `after` instead. Types must be convertible (InternalError otherwise).
    void replace(VarHandle before, VarHandle after, FateKind kind = FateKind::Replaced);
    /// One reader only.
    void setInput(ApplyId apply, std::uint32_t port, VarId to);
    void setOutput(std::uint32_t index, VarId to);
    void rename(VarId var, std::string_view name);
    /// Says that the step absorbs this apply into what it makes, although it was reached without owner().
    void consume(ApplyId apply) { m_open.touched.push_back(apply); }
    /// Scalar nodes of a fused body: the original applies each came from.
    void setBodyOrigins(ApplyId apply, std::vector<std::vector<ApplyId>> origins);

private:
    void record(Edit edit);
    bool stepIsBlank() const { return m_graph.m_journal.edits.size() == m_open.firstEdit; }
    void index();
    void addConstant(std::size_t key, VarId id);
    void addKey(ApplyId id);
    void undoStep();
    void pruneUnused();
    void writeStep(std::string_view reason);
    void settleReplacements();
    void writeFates();
    void writeOtherMatches(std::uint32_t firstMatched);
    static constexpr std::size_t kWide = 16; // inputs from which on their sum is kept
    std::size_t consKey(ApplyId apply) const;
    void changeSum(ApplyId apply, std::uint32_t port, VarId from, VarId to);

    /// What the step that is being written says of an apply; counts where `step` is the current one.
    struct Mark {
        std::uint32_t step = 0;
        bool isTouched = false, isRoot = false;
        FateKind kind = FateKind::Dead;
    };
    Mark &mark(ApplyId apply);
    bool markWhatWasSaid();
    Mark searchWhatWasSaid(ApplyId id) const;
    bool isFleeting(VarId id) const;
    std::uint32_t stepNow() const { return static_cast<std::uint32_t>(m_graph.m_stepCount + 1); }
    std::string_view kept(std::string_view text);

    /// The step that is open, and what it did so far. Lists are kept for their memory.
    struct OpenStep {
        std::string_view phase, pass, rewrite;
        std::uint64_t firstEditNs = 0; // a step lasts from its first edit on: looking for a match is counted by rewrite
        std::size_t varsBefore = 0, appliesBefore = 0, firstEdit = 0;
        std::uint32_t liveBefore = 0;
        std::vector<ApplyId> touched, made;
        std::vector<VarId> orphans; // variables that lost a reader
        std::vector<std::pair<ApplyId, FateKind>> roots;
        std::vector<Replacement> replacements;
    };

    FunctionGraph &m_graph;
    bool m_inStep = false;
    std::uint64_t m_stepNs = 0;
    OpenStep m_open;
    std::vector<ApplyId> m_dirty;
    // Filled anew in each step; kept for their memory.
    std::vector<ApplyId> m_removed;
    std::vector<VarId> m_candidates, m_targets;
    std::vector<Replacement> m_lasting;
    std::vector<Mark> m_marks;    // by apply
    std::string_view m_texts[16]; // of earlier steps: they repeat

    bool m_isIndexed = false; // the tables below are made when they are first needed
    ConsTable<ApplyId> m_cons;
    mutable std::unordered_map<std::uint32_t, ConsSum> m_wideSums; // by apply
    ConsTable<VarId> m_constants;                                  // by content
    std::vector<std::pair<VarId, std::size_t>> m_constantKeys;
    BigVector<VarId> m_successors; // of variables that were replaced
    SizeNotes m_sizeNotes;
    std::vector<ApplyId> m_rekeyed; // applies that came or got other inputs since there were no twins
    bool m_hadNoTwins = false;
};

} // namespace engine
