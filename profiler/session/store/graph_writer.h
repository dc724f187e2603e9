#pragma once
// A graph of a session, written node by node with the steps that rewrote it, by a program that has no journal of our engine.
// What does not fit the graph as it stands throws SessionError with one sentence, and changes nothing.

#include "profiler/session/store/writer.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// A line of the program, with the function that it is in.
struct WrittenLine {
    std::string file;
    int line = 0;
    std::string function;
};

struct WrittenVariable {
    VariableKind kind = VariableKind::Input;
    std::string type;  // "Vector(float64, shape=(8,))"
    std::string dtype; // "float64"
    std::string shape; // static: "(8,)", "?" for a size that is not known
    std::string name;
    std::string value;              // summary of a constant or a shared variable
    std::vector<WrittenLine> lines; // that made it, the outermost first
};

struct WrittenApply {
    std::string op;       // exact: "Elemwise{exp,no_inplace}"
    std::string friendly; // "exp"
    std::string opClass;  // "pytensor.tensor.elemwise.Elemwise"
    std::string device = "cpu";
    std::string implementation; // C, Py
    std::string role;           // as the table `applies` lists them: elementwise, product ...; empty: by the class
    std::vector<VariableId> inputs;
    std::vector<WrittenVariable> outputs; // their kinds are not looked at
    std::vector<PortPair> views, destroys;
    std::vector<WrittenLine> lines; // that made it, the outermost first; none: those of what it replaces
};

struct WrittenStep {
    std::string phase, rewrite, reason;
    int pass = -1;
    std::int64_t ns = 0;
    std::vector<Became> lineage; // what is pruned and not named here was replaced by what the step made
};

class GraphWriter {
public:
    GraphWriter(SessionWriter &writer, GraphInfo info);

    [[nodiscard]] GraphId id() const { return m_info.id; }
    [[nodiscard]] const GraphInfo &info() const { return m_info; }

    // What comes before the first beginStep() is the original graph.
    VariableId addVariable(const WrittenVariable &variable);
    ApplyId addApply(const WrittenApply &apply);
    [[nodiscard]] VariableId output(ApplyId apply, std::size_t port) const;
    [[nodiscard]] bool has(VariableId id) const { return raw(id) < m_variables.size() && m_variables[raw(id)].live; }
    void setInput(ApplyId apply, std::uint32_t port, VariableId variable);
    void setOutput(std::uint32_t index, VariableId variable);
    // Leaves the graph at the end of the step, when nothing may read it any more. Constants that nothing reads leave by themselves.
    void prune(ApplyId apply);

    void beginStep();
    // Returns false if the step changed nothing: none is written then.
    bool endStep(const WrittenStep &step);
    void addPass(PassInfo pass); // its number, its first step and the counts of nodes are set here

    // The last row of everything. `order`: the applies as they run; empty: any order that fits.
    void finish(std::vector<ApplyId> order = {});

private:
    struct Variable {
        VariableFacts row;
        SourceRef line;
        ChainId chain = kNoChain;
        int readers = 0; // ports and outputs
        bool live = true;
    };
    struct Apply {
        ApplyFacts row;
        std::vector<VariableId> inputs, outputs;
        std::vector<SourceRef> lines;
        std::set<ApplyId> origins;
        bool live = true, isNew = true;
    };

    Variable &variable(VariableId id);
    Apply &apply(ApplyId id);
    template <class Edit>
    void note(const Edit &edit);
    void importOriginal();
    void release(VariableId id);
    void pruneUnread();
    ChainId chainOf(const std::vector<WrittenLine> &lines, SourceRef &innermost);
    void writeStep(StepFacts step);
    void takeOver(const Became &became);
    [[nodiscard]] std::vector<ApplyId> toposort() const;
    [[nodiscard]] std::string labelOf(const Apply &apply) const;
    void writeApplies(const std::vector<ApplyId> &order);
    void writeVariables();

    SessionWriter &m_writer;
    GraphInfo m_info;
    std::vector<Variable> m_variables;
    std::vector<Apply> m_applies;
    std::vector<VariableId> m_outputs;
    std::vector<ApplyId> m_originalOrder;
    std::map<StringId, std::string> m_names; // texts of names, for labels
    StepFacts m_open;                        // the step that is being written
    std::vector<ApplyId> m_pruned;           // at its end
    std::vector<VariableId> m_unread;        // constants
    std::size_t m_bornBefore = 0;            // applies before it
    int m_liveApplies = 0, m_passes = 0, m_nextStepOfPass = 1, m_nodesBeforePass = 0;
    std::map<std::string, PassRewrite> m_countsOfPass;
    bool m_inStep = true, m_isImported = false, m_isFinished = false;
};

} // namespace profiler
