#pragma once
// Builds the graph of a made-up session: adds nodes, rewrites them, and keeps the journal that an
// engine would have kept. It knows no mathematics: the caller says what replaces what.

#include "profiler/session/writer.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace profiler::fixture {

struct Op {
    std::string exact;
    std::string friendly;
    std::string opClass;
    std::vector<PortPair> views;
    std::vector<PortPair> destroys;
    std::string implementation = "C";
};

class FixtureGraph {
public:
    FixtureGraph(SessionWriter &writer, GraphInfo info, std::string file);

    VariableId input(VariableKind kind, const std::string &name, const std::string &type, const std::string &value = {});
    VariableId constant(const std::string &value, const std::string &type);
    // In the original graph `line` is where the user wrote it; in a step the region gives the lines.
    VariableId add(const Op &op, const std::vector<VariableId> &inputs, const std::string &type, int line = 0,
                   const std::string &name = {});
    void output(VariableId variable);

    // Everything added since the beginning was step 0; call once.
    void endOriginal();
    // The same for a body, which has no steps.
    BodyFacts asBody(std::vector<std::vector<ApplyId>> origins);
    void beginPass(const std::string &phase, const std::string &name, const std::string &kind);
    // One rewrite: build() adds nodes; then the output of `root` is replaced by what it answers.
    // `region` are the applies it looks at besides the root.
    void rewrite(const std::string &name, const std::string &reason, Fate fate, VariableId root, const std::vector<VariableId> &region,
                 const std::function<VariableId()> &build);
    // Replaces every apply that equals an earlier one; a step each. Answers how many.
    int merge();
    void endPass();
    // Declined attempts that have been made on an apply.
    void decline(const std::string &rewrite, VariableId on, const std::string &reason, std::int64_t count = 1);
    void rename(VariableId variable, const std::string &name); // inside rewrite()
    // Writes everything but the steps, which were written pass by pass.
    void finish();

    [[nodiscard]] GraphId id() const { return m_info.id; }
    [[nodiscard]] ApplyId owner(VariableId variable) const;
    [[nodiscard]] const std::string &exact(ApplyId apply) const;
    [[nodiscard]] VariableId outputOf(ApplyId apply) const;
    [[nodiscard]] std::vector<VariableId> inputsOf(ApplyId apply) const;
    [[nodiscard]] std::vector<ApplyId> order() const; // live, inputs first
    [[nodiscard]] std::vector<VariableId> liveOutputs(const std::string &exact) const;
    [[nodiscard]] int stepCount() const { return m_stepCount; }
    [[nodiscard]] int originalCount() const { return static_cast<int>(m_originalOrder.size()); }
    [[nodiscard]] int liveCount() const { return m_live; }
    [[nodiscard]] std::int64_t optimizerNs() const { return m_optimizerNs; }
    [[nodiscard]] std::vector<int> linesOf(ApplyId apply) const;
    [[nodiscard]] std::string label(ApplyId apply) const;
    [[nodiscard]] std::string typeOf(VariableId variable) const;

private:
    struct Node {
        Op op;
        std::vector<VariableId> inputs;
        VariableId output;
        std::set<int> lines;
        std::set<std::uint32_t> origins;
        int step = 0;
        std::string phase;
        std::string rewrite;
        bool live = true;
        bool original = false;
        Fate fate = Fate::Kept;
    };
    struct Value {
        VariableKind kind = VariableKind::Result;
        std::string name, type, value;
        ApplyId owner = kNoApply;
        bool live = true;
        bool original = false;
        std::set<std::pair<std::uint32_t, std::uint32_t>> clients;
    };

    Node &node(ApplyId id) { return m_nodes[raw(id)]; }
    Value &value(VariableId id) { return m_values[raw(id)]; }
    void replace(VariableId before, VariableId after, Fate fate);
    void pruneFrom(VariableId variable, ApplyId heir, Fate fate);
    void closeStep();
    std::vector<SourceRef> refs(const std::set<int> &lines);

    SessionWriter &m_writer;
    GraphInfo m_info;
    std::string m_file;
    std::vector<Node> m_nodes;
    std::vector<Value> m_values;
    std::vector<VariableId> m_outputs;
    std::vector<ApplyId> m_originalOrder;
    Step m_step;
    std::set<int> m_regionLines;
    std::set<std::uint32_t> m_regionOrigins;
    std::vector<StepFacts> m_passSteps;
    PassInfo m_pass;
    std::vector<PassRewrite> m_passRewrites;
    std::vector<DeclineReason> m_reasons;
    std::vector<LastDeclines> m_declines;
    int m_stepCount = 0;
    int m_passCount = 0;
    int m_live = 0;
    std::int64_t m_optimizerNs = 0;
    std::uint64_t m_noise = 88172645463325252u;
};

} // namespace profiler::fixture
