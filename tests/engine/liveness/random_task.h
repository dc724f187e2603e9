#pragma once
// Applies by chance: arrays of their own, views, work in place; whoever overwrites comes after all readers so far.

#include "engine/liveness/task_builder.h"

#include <numeric>
#include <random>
#include <vector>

inline liveness::Task randomTask(unsigned seed, int works, int longestBack = 6)
{
    std::mt19937 random(seed);
    const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    liveness::TaskBuilder builder;
    builder.given(0);
    struct Variable {
        std::uint32_t number, root;
        bool isGone = false;
    };
    std::vector<Variable> made{{0, 0}};
    for (int i = 1; i <= works; ++i) {
        std::vector<std::uint32_t> reads;
        std::size_t base = 0;
        for (int k = 0, count = 1 + below(2); k < count; ++k) {
            const std::size_t first =
                made.size() > static_cast<std::size_t>(longestBack) ? made.size() - static_cast<std::size_t>(longestBack) : 0;
            std::size_t at = first + static_cast<std::size_t>(below(static_cast<int>(made.size() - first)));
            while (made[at].isGone && at > 0) --at;
            if (made[at].isGone) continue;
            reads.push_back(made[at].number);
            base = at;
        }
        const auto number = static_cast<std::uint32_t>(i);
        liveness::Made one{number, number, liveness::Sharing::Fresh, 64 * (1 + below(50))};
        const int kind = reads.empty() ? 9 : below(10);
        const std::uint32_t root = made[base].root;
        if (kind == 0) one = {number, root, liveness::Sharing::View, 0};
        if (kind < 3 && kind > 0 && root != 0) {
            one = {number, root, liveness::Sharing::Inplace, 0};
            for (Variable &other : made) other.isGone = other.isGone || other.root == root;
        }
        builder.add(reads, std::vector<liveness::Made>{one}, 1 + below(20), true);
        made.push_back({number, one.root});
    }
    builder.returns(static_cast<std::uint32_t>(works));
    return builder.take();
}

inline std::vector<int> asItStands(const liveness::Task &task)
{
    std::vector<int> order(task.works.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}
