// What is compiled: an owned clone of an expression graph in an arena of ids. Replaced nodes stay as
// tombstones. Only an Editor changes it; every change is in the journal and can be undone and redone.
#pragma once

#include "engine/graph/ir/arena.h"
#include "engine/graph/ir/ids.h"
#include "engine/graph/ir/journal.h"
#include "engine/graph/op/op.h"
#include "engine/tensor/pointer_map.h"
#include "engine/tensor/short_list.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine {

/// A reader of a variable: input `port` of an apply, or output `port` of the graph (apply == kNoApply).
struct Client {
    ApplyId apply = kNoApply;
    std::uint32_t port = 0;
    bool isGraphOutput() const { return apply == kNoApply; }
};

/// An edge seen from the reader: the variable, and where this edge stands among the variable's clients.
struct Use {
    VarId var = kNoVar;
    std::uint32_t position = 0;
};

// Nodes fill one cache line each: rewriting big graphs is mostly walking over them.
struct alignas(64) VarNode {
    Type type;
    VarRef leaf; ///< inputs, constants and shared variables: the expression they stand for
    ShortList<Client, 2> clients;
    mutable double uniform = 0; ///< of a constant, once it was asked for: see VarHandle::uniformConstant
    ApplyId owner = kNoApply;
    std::uint32_t index = 0;
    std::uint32_t name = 0; ///< id of a name; 0: none
    Variable::Kind kind = Variable::Kind::Input;
    bool live = false;
    enum class Uniform : std::uint8_t { NotAsked, Yes, No };
    mutable Uniform isUniform = Uniform::NotAsked;
};

struct alignas(64) ApplyNode {
    OpRef op;
    ShortList<Use, 2> inputs;
    ShortList<VarId, 2> outputs;
    TraceId trace = TraceId::None; ///< the user's line; None for applies made by rewrites
    std::uint32_t step = 0;        ///< 0: original; else 1 + index of the step that made it
    bool live = false;
};

/// Applies that one kernel may execute together, in the order of their work.
struct KernelGroup {
    std::vector<ApplyId> applies;
    std::string_view rewrite; ///< that made it
};

class FunctionGraph {
public:
    /// Clones what `outputs` need. Free inputs that are not listed: MissingInput. Shared variables that are
    /// found become further inputs. `replace` maps variables to stand-ins (givens), applied simultaneously.
    FunctionGraph(std::span<const VarRef> inputs, std::span<const VarRef> outputs,
                  const std::vector<std::pair<VarRef, VarRef>> &replace = {});
    FunctionGraph(const FunctionGraph &) = delete;
    FunctionGraph &operator=(const FunctionGraph &) = delete;

    // --- reading -----------------------------------------------------------------------------------
    const VarNode &var(VarId id) const { return m_vars[raw(id)]; }
    const ApplyNode &apply(ApplyId id) const { return m_applies[raw(id)]; }
    std::size_t varCount() const { return m_vars.size(); }      ///< tombstones included
    std::size_t applyCount() const { return m_applies.size(); } ///< tombstones included
    std::uint32_t liveApplyCount() const { return m_liveApplies; }
    std::size_t originalApplyCount() const { return m_originalApplies; }
    VarId inputOf(ApplyId id, std::size_t port) const { return apply(id).inputs[port].var; }

    /// Explicit inputs in order, then shared variables in the order they were found.
    std::span<const VarId> inputs() const { return m_inputs; }
    std::size_t outputCount() const { return m_outputs.size(); }
    VarId output(std::size_t i) const { return m_outputs[i].var; }
    std::vector<VarId> outputs() const;
    const std::string &name(VarId id) const { return m_names[var(id).name]; }
    const std::string &nameById(std::uint32_t id) const { return m_names[id]; }
    /// name, else op.index, else <type>, as Theano shows a variable.
    std::string displayName(VarId id) const;
    /// The arena id of an expression variable of the original graph, kNoVar if it was not cloned.
    VarId find(const Variable *variable) const;

    /// Graph output index → input it updates.
    std::map<std::size_t, VarId> updates;
    /// Inputs that may be overwritten: shared variables with an update, and inputs declared mutable.
    std::vector<VarId> mutableInputs;
    /// For applies made by fusion: origin apply of each scalar node of the body (see lineage.h).
    std::unordered_map<std::uint32_t, std::vector<std::vector<ApplyId>>> bodyOrigins;

    /// Each apply is in one group at most.
    std::vector<KernelGroup> groups;
    /// The order in which the live applies run, where memory decided; empty: depth first.
    std::vector<ApplyId> schedule;

    /// Live applies, inputs before users; deterministic (depth first from the outputs in order).
    std::vector<ApplyId> toposort() const;
    std::vector<ApplyId> liveApplies() const; ///< in id order

    // --- time --------------------------------------------------------------------------------------
    const Journal &journal() const { return m_journal; }
    /// Moves the graph to the state after `step` steps: 0 is the original, steps.size() the last.
    void goTo(std::size_t step);
    std::size_t position() const { return m_position; }
    /// Steps committed so far: journal().steps.size() where there is a journal.
    std::size_t stepCount() const { return m_stepCount; }
    /// Without a journal the graph has no past: no steps, no lineage, nothing for an observer. Only to measure its cost.
    bool keepsJournal() const { return m_keepsJournal; }
    void setKeepsJournal(bool keeps) { m_keepsJournal = keeps; }

    /// For walks over big graphs: bring an apply, and what it reads, near before it is looked at.
    void prefetch(ApplyId id) const { __builtin_prefetch(&m_applies[raw(id)]); }
    void prefetchInputs(ApplyId id) const
    {
        const ApplyNode &node = m_applies[raw(id)];
        __builtin_prefetch(node.op.get());
        for (const Use &use : node.inputs) {
            __builtin_prefetch(&m_vars[raw(use.var)]);
            if (const ApplyId owner = m_owners[raw(use.var)]; owner != kNoApply) prefetch(owner);
        }
        for (VarId out : node.outputs) __builtin_prefetch(&m_vars[raw(out)]);
    }

    /// For rewrites: applies whose producers were looked at since the editor's step began.
    void touch(ApplyId id) const
    {
        if (m_touched) m_touched->push_back(id);
    }

private:
    friend class Editor;

    VarId addVar(VarNode node);
    std::uint32_t internName(const std::string &name);
    void redo(const Edit &edit);
    void undo(const Edit &edit);
    void attach(ApplyId apply);   // uses of a (re)born apply become clients
    void detach(ApplyId apply);   // in port order
    void reattach(ApplyId apply); // exact inverse of detach
    void dropLast(ApplyId apply); // exact inverse of attach
    Use &useOf(Client client);
    void appendClient(VarId var, Client client);
    void removeClient(VarId var, std::uint32_t position);
    void insertClient(VarId var, std::uint32_t position, Client client);
    void popClient(VarId var);

    Arena<VarNode> m_vars;
    Arena<ApplyNode> m_applies;
    BigVector<ApplyId> m_owners; ///< of variables, close together: walks need not look at each variable to find the next apply
    std::vector<VarId> m_inputs;
    std::size_t m_explicitInputs = 0;
    std::vector<Use> m_outputs;
    std::vector<std::string> m_names{""};
    std::unordered_map<std::string, std::uint32_t> m_nameIds;
    PointerMap<VarId> m_origin;
    Journal m_journal;
    std::size_t m_position = 0;
    std::size_t m_stepCount = 0;
    bool m_keepsJournal = true;
    std::size_t m_originalApplies = 0;
    std::uint32_t m_liveApplies = 0;
    mutable std::vector<ApplyId> *m_touched = nullptr;
};

/// The graph as expressions again (for the host language): one variable per graph output, inputs are the leaves.
struct ExportedGraph {
    std::vector<VarRef> inputs;
    std::vector<VarRef> outputs;
    std::vector<ApplyRef> toposort;
    std::vector<ApplyId> ids; ///< of toposort's entries
};
ExportedGraph exportGraph(const FunctionGraph &graph, std::span<const ApplyId> order);

} // namespace engine
