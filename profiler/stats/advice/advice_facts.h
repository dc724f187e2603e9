#pragma once
// What pieces of advice ask of a session again and again.

#include "profiler/stats/times/profile_data.h"
#include "profiler/stats/times/scope.h"
#include "profiler/stats/times/tables.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

inline constexpr const char *kOpTime = "the time in ops";
inline constexpr std::int64_t kManyCalls = 100; // a loop

// "12.5%" of a share of 1.
[[nodiscard]] std::string percent(double share);
// By its mode: what it runs is mostly what the script built.
[[nodiscard]] bool isUnoptimized(const FunctionInfo &function);
// " (train.py:12, 15 and 18)", or nothing.
[[nodiscard]] std::string placeText(const std::vector<SourceLine> &lines);

// The optimized graphs of functions that were called, as a graph that can be walked.
class AdviceFacts {
public:
    explicit AdviceFacts(const ProfileData &data);

    struct Node {
        const ApplyRow *row = nullptr;
        const FunctionInfo *function = nullptr;
        std::vector<const VariableRow *> inputs;
        std::vector<const VariableRow *> outputs;
        std::vector<Node *> readers; // of any output, each once
        std::int64_t ns = 0;         // of all calls
        std::int64_t calls = 0;
        std::int64_t deviceNs = 0; // by the device's clock; 0: it did nothing for it
    };
    [[nodiscard]] const std::vector<Node> &nodes() const { return m_nodes; }
    [[nodiscard]] const Node *makerOf(const VariableRow &variable) const;
    [[nodiscard]] std::int64_t totalNs() const { return m_totalNs; }
    [[nodiscard]] double shareOf(const Node &node) const
    {
        return m_totalNs > 0 ? static_cast<double>(node.ns) / static_cast<double>(m_totalNs) : 0;
    }
    // The script's lines that it stems from, those with most of its time first: of what a library builds, the line that calls it.
    [[nodiscard]] std::vector<SourceLine> linesOf(const Node &node) const;
    [[nodiscard]] SourceLine lineOf(const Node &node) const; // the first; empty when there is none
    // The script's lines that called the first one, innermost first.
    [[nodiscard]] std::vector<SourceLine> callersOf(const Node &node) const;
    [[nodiscard]] std::string placeOf(const Node &node) const;      // " (train.py:12)", or nothing
    [[nodiscard]] SourceLine lineOf(const VariableRow &leaf) const; // where an input, a shared variable or a constant was made
    // For sentences: "Composite of 9 operations (y, CGemv{inplace}.0, …)".
    [[nodiscard]] std::string nameOf(const Node &node) const;
    [[nodiscard]] std::string flag(const std::string &name) const;
    // Does the program make its arrays by the flag? Then it runs with another value of it.
    [[nodiscard]] bool followsFloatX() const;

    [[nodiscard]] static ApplyKey keyOf(const Node &node) { return {node.row->graph, node.row->apply}; }
    // "Elemwise" of "theano.tensor.elemwise.Elemwise".
    [[nodiscard]] static std::string className(const Node &node);
    [[nodiscard]] static bool is(const Node &node, OpRole role) { return roleOf(*node.row) == role; }

private:
    const ProfileData &m_data;
    std::vector<Node> m_nodes;
    std::unordered_map<ApplyKey, Node *, ApplyKeyHash> m_byKey;
    std::unordered_map<ApplyKey, int, ApplyKeyHash> m_bodies; // operations of the graph inside an apply
    std::int64_t m_totalNs = 0;
};

} // namespace profiler
