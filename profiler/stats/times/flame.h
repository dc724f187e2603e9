#pragma once
// Where the time in thunks descends from: function, line of the script, the lines that it called, apply, what runs it. A tree for pictures.

#include "profiler/stats/times/tables.h"

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

enum class FlameKind : std::uint8_t { All, Function, Line, Apply, Runner };

struct FlameNode {
    FlameKind kind = FlameKind::All;
    int depth = 0;
    std::size_t parent = 0; // of the root: itself
    std::size_t end = 0;    // one past its last descendant
    double startNs = 0;     // in the whole picture
    double ns = 0;
    double share = 0; // of all
    std::int64_t calls = 0;
    bool estimated = false; // shared out between lines by the cost model
    std::string name;       // function, op or what runs it: "interpreter", "compiled", "library", "copy"; of a line: empty
    std::string detail;     // of an apply: with its inputs
    SourceLine source;      // of a line; no file: applies that stem from no line
    FunctionId function = kNoFunction;
    ApplyKey apply;
    std::string device; // of an apply
};

struct Flame {
    std::vector<FlameNode> nodes; // each before its descendants, siblings by time; [0] is all of it; empty without time

    // The node of a function, an apply in its longest line, or a line where it has most time; 0: none.
    [[nodiscard]] std::size_t findFunction(FunctionId function) const;
    [[nodiscard]] std::size_t findApply(const ApplyKey &apply) const;
    [[nodiscard]] std::size_t findLine(FunctionId function, const SourceLine &source) const;
};

// Of what took time only.
[[nodiscard]] Flame makeFlame(const ProfileData &data);

struct FlameHits {
    std::vector<char> isHit; // by node
    std::size_t count = 0;
    double ns = 0; // of what is found, counted once
    double share = 0;
};

// Nodes whose name, detail or `more` text (by node, may be empty) holds the words, in any case; no words: none.
[[nodiscard]] FlameHits findInFlame(const Flame &flame, std::string_view words, const std::vector<std::string> &more = {});

} // namespace profiler
