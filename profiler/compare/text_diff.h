#pragma once
// Two texts line by line: what stands in both, and what only in one.

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

struct DiffLine {
    int a = 0; // 1-based number in A; 0: only in B
    int b = 0;
    std::string text;

    [[nodiscard]] bool isSame() const { return a > 0 && b > 0; }
    bool operator==(const DiffLine &) const = default;
};

// Removed lines stand before those that came in their place. Texts that differ in very many lines are told as all removed and all
// added, so that the work stays bounded.
[[nodiscard]] std::vector<DiffLine> diffLines(std::string_view a, std::string_view b);

} // namespace profiler
