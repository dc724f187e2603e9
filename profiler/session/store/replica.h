#pragma once
// A graph of a session at any of its steps, by replaying edits forth and back. Knows no op classes.

#include "profiler/session/codec/node_pages.h"
#include "profiler/session/model/few.h"
#include "profiler/session/model/model_rewrite.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// Strings of a session by id; an unknown id is an error of the file.
class StringTable {
public:
    StringTable() : m_texts(1) {}
    [[nodiscard]] const std::string &text(StringId id) const { return shared(id); } // throws SessionError
    [[nodiscard]] const SharedText &shared(StringId id) const;                      // throws SessionError
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }
    void set(StringId id, std::string text); // grows as needed; capped

private:
    std::vector<SharedText> m_texts;
};

// A reader of a variable.
struct ReplicaClient {
    ApplyId first = kNoApply;
    std::uint32_t second = 0; // port
    auto operator<=>(const ReplicaClient &) const = default;
};

struct ReplicaVariable {
    VariableId id = kNoVariable;
    VariableKind kind = VariableKind::Result;
    StringId type = kEmptyString;
    StringId name = kEmptyString;
    StringId value = kEmptyString;
    ApplyId owner = kNoApply; // Result only
    int ownerPort = 0;
    bool live = false;
    int returns = 0;            // how often it was added again after it had been pruned
    Few<SourceRef> sources;     // of inputs, shared variables and constants
    Few<ReplicaClient> clients; // ordered by (apply, port)
};

struct ReplicaApply {
    ApplyId id = kNoApply;
    StringId op = kEmptyString;
    StringId friendly = kEmptyString;
    StringId opClass = kEmptyString;
    StringId device = kEmptyString;
    bool live = false;
    Few<VariableId> inputs;
    Few<VariableId> outputs;
    Few<PortPair> views;
    Few<PortPair> destroys;
    Few<SourceRef> sources;
};

// Every malformed or contradictory edit throws SessionError naming the step; the replica then stands
// at the last good step.
class GraphReplica {
public:
    // steps[0] builds the original graph. Stands at step 0 afterwards. A step that was not kept leaves a gap: what follows it
    // cannot be replayed.
    GraphReplica(GraphId graph, std::shared_ptr<const StringTable> strings, std::vector<Step> steps);

    [[nodiscard]] GraphId graph() const { return m_graph; }
    [[nodiscard]] int step() const { return m_step; }
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_edits->size()) - 1; } // last valid step
    [[nodiscard]] const StepInfo &stepInfo(int step) const { return m_infos->at(step); }
    // All that were recorded, also behind one that was not kept.
    [[nodiscard]] const std::vector<StepInfo> &stepInfos() const { return *m_infos; }
    [[nodiscard]] std::vector<Edit> edits(int step) const { return m_edits->at(step).all(); }
    // 0 = original, stepCount() = optimized.
    void goTo(int step);

    // Live nodes in the order of their ids.
    [[nodiscard]] std::vector<ApplyId> applies() const;
    [[nodiscard]] std::vector<VariableId> variables() const;
    // Live applies so that inputs come before their readers; ties by id.
    [[nodiscard]] std::vector<ApplyId> toposort() const;
    // Inputs and shared variables in the order in which they were added.
    [[nodiscard]] std::vector<VariableId> inputs() const;
    [[nodiscard]] const std::vector<VariableId> &outputs() const { return m_outputs; }
    // Applies that one kernel may run together. Empty before the last step: groups belong to the optimized graph.
    [[nodiscard]] const std::vector<ApplyGroup> &groups() const;
    void setGroups(std::vector<ApplyGroup> groups);
    [[nodiscard]] int applyCount() const { return m_liveApplies; }

    // nullptr when the id was never added; a pruned node stays readable with live == false.
    [[nodiscard]] const ReplicaApply *apply(ApplyId id) const;
    [[nodiscard]] const ReplicaVariable *variable(VariableId id) const;
    [[nodiscard]] const std::string &text(StringId id) const { return m_strings->text(id); }
    [[nodiscard]] const SharedText &shared(StringId id) const { return m_strings->shared(id); }
    [[nodiscard]] std::vector<SourceLine> sources(ApplyId id) const;
    // A name to show: the variable's own, its value, or "op.port".
    [[nodiscard]] std::string label(VariableId id) const;
    // "CGemv{inplace}(w, ...)": exact op with its inputs.
    [[nodiscard]] std::string label(ApplyId id) const;

private:
    void redo(const Edit &edit);
    void undo(const Edit &edit);
    void applyStep(int step, bool forth);
    const ReplicaVariable &liveVariable(VariableId id) const;
    ReplicaVariable &variableToChange(VariableId id);
    ReplicaApply &liveApply(ApplyId id);
    void link(VariableId variable, ApplyId apply, std::uint32_t port);
    void unlink(VariableId variable, ApplyId apply, std::uint32_t port);
    void connect(ReplicaApply &apply);
    void disconnect(ReplicaApply &apply);
    void redoAdd(const AddApply &edit);

    GraphId m_graph;
    std::shared_ptr<const StringTable> m_strings;
    std::shared_ptr<const std::vector<StepInfo>> m_infos; // copies share them
    std::shared_ptr<const std::vector<EditList>> m_edits;
    int m_step = -1;
    int m_liveApplies = 0;
    NodePages<ReplicaApply> m_applies;
    NodePages<ReplicaVariable> m_variables;
    std::vector<VariableId> m_inputOrder;
    std::vector<VariableId> m_outputs;
    std::vector<ApplyGroup> m_groups;
};

} // namespace profiler
