#include "profiler/stats/machine/condense.h"

#include <algorithm>
#include <cstddef>

namespace profiler {

// Tarjan's strongly connected components, without recursion: chains are long.
Condensed condense(int things, const std::vector<std::pair<int, int>> &edges)
{
    std::vector<std::size_t> first(static_cast<std::size_t>(things) + 1, 0);
    for (const auto &[from, to] : edges) ++first[static_cast<std::size_t>(from) + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<int> next(edges.size());
    std::vector<std::size_t> fill(first.begin(), first.end() - 1);
    for (const auto &[from, to] : edges) next[fill[from]++] = to;

    Condensed result;
    result.of.assign(things, -1);
    std::vector<int> index(things, -1), low(things, 0), stack;
    std::vector<std::size_t> at(first.begin(), first.end() - 1);
    std::vector<int> walk;
    int counter = 0;
    for (int root = 0; root < things; ++root) {
        if (index[root] >= 0) continue;
        walk.push_back(root);
        while (!walk.empty()) {
            const int now = walk.back();
            if (index[now] < 0) {
                index[now] = low[now] = counter++;
                stack.push_back(now);
            }
            if (at[now] < first[static_cast<std::size_t>(now) + 1]) {
                const int to = next[at[now]++];
                if (index[to] < 0) walk.push_back(to);
                else if (result.of[to] < 0) low[now] = std::min(low[now], index[to]);
                continue;
            }
            walk.pop_back();
            if (!walk.empty()) low[walk.back()] = std::min(low[walk.back()], low[now]);
            if (low[now] != index[now]) continue;
            for (int member = -1; member != now;) {
                member = stack.back();
                stack.pop_back();
                result.of[member] = result.count;
            }
            ++result.count;
        }
    }
    // Parts are found with what needs them first.
    for (int part = result.count; part-- > 0;) result.order.push_back(part);
    return result;
}

} // namespace profiler
