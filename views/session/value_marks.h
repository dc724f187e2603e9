#pragma once

#include "profiler/stats/advice/digits.h"
#include "views/common/selection_hub.h"
#include "views/session/session_data.h"

#include <QString>

#include <map>
#include <tuple>
#include <vector>

namespace views {

/// What `croton values` found in the call of each function that was looked at last, by node: made once for a session.
class ValueMarks {
public:
    explicit ValueMarks(const SessionData &session);
    ValueMarks(const ValueMarks &) = delete; // rows are the session's

    struct OfNode {
        std::vector<const profiler::ValueRow *> rows;  ///< its results, by port; of a variable the one
        std::vector<const profiler::ValueRow *> steps; ///< of a fused apply
        double lostShare = -1;                         ///< digits lost of those that there are, of the worst result; -1: not measured
        double magnitude = -1;                         ///< the largest finite |x|; -1: nothing is known
        QString born;                                  ///< "nan": its first one in the call; a badge
        QString sentence;                              ///< the same in words
    };
    const OfNode *ofApply(profiler::GraphId graph, Side side, profiler::ApplyId apply) const;
    const OfNode *ofVariable(profiler::GraphId graph, Side side, profiler::VariableId variable) const;
    /// The smallest and the largest magnitude above 0 of a graph; both 0 where nothing is known.
    std::pair<double, double> magnitudes(profiler::GraphId graph) const;
    bool has(profiler::GraphId graph) const { return m_magnitudes.contains(graph); }

private:
    using Key = std::tuple<profiler::GraphId, Side, bool, std::uint32_t>; // is it a variable
    void add(OfNode &node, const profiler::ValueRow &row);
    std::map<Key, OfNode> m_nodes;
    std::map<profiler::GraphId, std::pair<double, double>> m_magnitudes;
};

} // namespace views
