#include "profiler/compare/text_diff.h"

#include <algorithm>
#include <cstdint>

namespace profiler {

namespace {

constexpr std::size_t kMostCells = 16'000'000; // of the table of common lengths

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

} // namespace

std::vector<DiffLine> diffLines(std::string_view a, std::string_view b)
{
    const std::vector<std::string_view> left = linesOf(a), right = linesOf(b);
    std::size_t head = 0, tail = 0;
    while (head < left.size() && head < right.size() && left[head] == right[head]) ++head;
    while (tail + head < left.size() && tail + head < right.size() && left[left.size() - 1 - tail] == right[right.size() - 1 - tail])
        ++tail;
    std::vector<DiffLine> result;
    const auto both = [&](std::size_t i, std::size_t j) {
        result.push_back({static_cast<int>(i + 1), static_cast<int>(j + 1), std::string(left[i])});
    };
    const auto removed = [&](std::size_t i) { result.push_back({static_cast<int>(i + 1), 0, std::string(left[i])}); };
    const auto added = [&](std::size_t j) { result.push_back({0, static_cast<int>(j + 1), std::string(right[j])}); };
    for (std::size_t i = 0; i < head; ++i) both(i, i);
    const std::size_t n = left.size() - head - tail, m = right.size() - head - tail;
    std::size_t i = 0, j = 0;
    if (n > 0 && m > 0 && n <= kMostCells / m) {
        // common[i][j]: lines in common of what is left from i and j on.
        std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
        const auto at = [&](std::size_t row, std::size_t column) -> std::uint32_t & { return common[row * (m + 1) + column]; };
        for (std::size_t row = n; row-- > 0;)
            for (std::size_t column = m; column-- > 0;)
                at(row, column) = left[head + row] == right[head + column] ? at(row + 1, column + 1) + 1
                                                                           : std::max(at(row + 1, column), at(row, column + 1));
        while (i < n && j < m) {
            if (left[head + i] == right[head + j]) both(head + i++, head + j++);
            else if (at(i + 1, j) >= at(i, j + 1)) removed(head + i++);
            else added(head + j++);
        }
    }
    for (; i < n; ++i) removed(head + i);
    for (; j < m; ++j) added(head + j);
    for (std::size_t k = 0; k < tail; ++k) both(left.size() - tail + k, right.size() - tail + k);
    return result;
}

} // namespace profiler
