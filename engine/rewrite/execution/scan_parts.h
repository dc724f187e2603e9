// A Scan of a graph taken apart, changed, and put together again.
#pragma once

#include "engine/graph/ir/editor.h"
#include "engine/ops/loops/scan.h"

#include <optional>
#include <vector>

namespace engine {

/// Does a choice in a body decide what runs? Then all of its work stays where it is.
bool hasChoice(const InnerGraph &body);
/// What a loop is given, for work that leaves its body: with the sizes of 1 that the body's variable declares (from axis `from` on).
VarHandle asInside(Editor &edit, VarHandle given, Type inside, int from = 0);

class ScanParts {
public:
    explicit ScanParts(const NodeHandle &node);

    struct Input { ///< a sequence or what is the same in all steps
        VarRef inner;
        VarHandle outer;
    };
    struct State {
        ScanState::Kind kind = ScanState::Kind::SitSot;
        std::vector<int> in, out;
        std::vector<VarRef> inner, results;
        VarHandle outer;
        int output = -1; ///< of the Scan that was taken apart
    };
    struct Map {
        VarRef result;
        VarHandle length;
        int output = -1;
    };
    struct Shared {
        VarRef inner, result;
        VarHandle outer;
        int output = -1;
    };
    ScanInfo info; ///< its counts are those of the Scan that was taken apart
    VarHandle steps;
    std::vector<Input> sequences, fixed;
    std::vector<State> states;
    std::vector<Map> maps;
    std::vector<Shared> shared;
    std::optional<VarRef> condition;

    std::vector<VarRef> results() const;
    /// Everything that a step computes, with some variables replaced.
    void substituteResults(std::span<const VarRef> from, std::span<const VarRef> to);
    /// Sequences and fixed inputs that no step reads are left out.
    bool dropUnread();
    /// The fixed ones alone: a sequence that is too short is an error also where no step reads it.
    bool dropUnreadFixed();
    /// Puts it together; outputs that are still there take the place of the old ones. The made apply, nothing if types do not fit.
    std::optional<NodeHandle> replace(Editor &edit, const NodeHandle &node) const;
    /// The place of map i among the outputs of what replace() makes.
    std::size_t outputOfMap(std::size_t i) const { return states.size() + i; }
};

} // namespace engine
