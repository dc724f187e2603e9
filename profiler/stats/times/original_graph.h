#pragma once
// The graph of a function as the script built it, to be walked: what its applies read and make.

#include "profiler/stats/times/profile_data.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace profiler {

class OriginalGraph {
public:
    // `data` must live as long.
    OriginalGraph(const ProfileData &data, GraphId graph);

    struct Node {
        const ApplyRow *row = nullptr;
        std::vector<const VariableRow *> inputs;
        std::vector<const VariableRow *> outputs;
        std::vector<const Node *> readers; // of any output
    };
    [[nodiscard]] const std::deque<Node> &nodes() const { return m_nodes; } // in the order of ids
    [[nodiscard]] const std::vector<const VariableRow *> &leaves() const { return m_leaves; }
    [[nodiscard]] const std::vector<const VariableRow *> &outputs() const { return m_outputs; }
    [[nodiscard]] const std::vector<const Node *> &readersOf(const VariableRow &variable) const;
    [[nodiscard]] const Node *makerOf(const VariableRow &variable) const;

private:
    std::deque<Node> m_nodes;
    std::unordered_map<ApplyId, Node *> m_byId;
    std::unordered_map<VariableId, std::vector<const Node *>> m_readers;
    std::vector<const VariableRow *> m_leaves, m_outputs;
};

} // namespace profiler
