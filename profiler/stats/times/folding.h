#pragma once
// A large graph as few things: what repeats, or what one line or scope of the script asked for, is one group that opens.

#include "profiler/session/store/replica.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

enum class FoldBy : std::uint8_t {
    Repetition, // equal parts, whatever line asked for them
    Line,       // of the script
    Scope,      // functions and loops of the script around the line
};

enum class FoldKind : std::uint8_t {
    Chain,  // the same part several times, one after the other
    Copies, // the same part several times beside one another
    Part,   // some instances of those, or one
    Mixed,  // several of all these that need one another in turn
    Run,    // neighbours in the order of work that have nothing in common
    Line,
    Scope,
};

struct FoldGroup {
    FoldKind kind = FoldKind::Run;
    int parent = -1; // the group around it
    int depth = 0;
    int count = 1; // instances
    int first = 0; // number of the first of them, from 0; of a Run: place of its first apply
    bool chained = false;
    std::vector<ApplyId> applies;  // all inside, in the order of work
    std::vector<std::string> ops;  // friendly names, what there is most of first
    std::vector<SourceLine> lines; // that most of it descends from, at most kMostLines; the first has most
    int lineCount = 0;             // how many there are
    std::string name;              // of a scope: "def step", "for k in range(n)"

    static constexpr int kMostLines = 3;
};

// Immutable once made. A group comes behind the one around it.
struct Folding {
    std::vector<FoldGroup> groups;
    std::unordered_map<std::uint32_t, int> innermost; // group of an apply; without one it stands on its own

    [[nodiscard]] int groupOf(ApplyId apply) const;
    // What is seen of an apply while these groups are open: the outermost closed group around it, or -1.
    template <class IsOpen>
    [[nodiscard]] int seenAs(ApplyId apply, IsOpen isOpen) const
    {
        int seen = -1;
        for (int group = groupOf(apply); group >= 0; group = groups[group].parent)
            if (!isOpen(group)) seen = group;
        return seen;
    }
};

struct FoldQuestion {
    const GraphReplica *graph = nullptr; // standing at the step that is meant
    FoldBy by = FoldBy::Repetition;
    const std::vector<SourceLink> *links = nullptr;                // of the graph
    const std::vector<std::vector<std::string>> *scopes = nullptr; // by line of the script, from outside to inside
    std::string script;
};

[[nodiscard]] Folding foldGraph(const FoldQuestion &question);

// Functions and loops around each line (the first is line 1) of a Python text, by its indentation.
[[nodiscard]] std::vector<std::vector<std::string>> scopesOfText(const std::string &text);

} // namespace profiler
