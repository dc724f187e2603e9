// Pooling along rows, on every level, against loops of windows.
#include "tests/engine/rt/tables.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace {

using rt::tables;

template <class T>
std::vector<T> numbers(std::size_t count)
{
    std::vector<T> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(static_cast<int>(i * 37 % 23) - 11) / 4;
    return result;
}

template <class T>
auto pools(const RtTable *table)
{
    if constexpr (std::is_same_v<T, float>) return std::pair(table->poolLargestF32, table->poolSumF32);
    else return std::pair(table->poolLargestF64, table->poolSumF64);
}

template <class T>
void expectWindows(const RtTable *table)
{
    const auto [largest, sum] = pools<T>(table);
    for (long places : {0, 1, 2, 7, 16, 33, 130})
        for (long step : {1, 2, 3, 4, 5, 9})
            for (long window : {1, 2, 3, 5, 8}) {
                std::vector<T> row = numbers<T>(static_cast<std::size_t>(places * step + window));
                if (places > 5) row[static_cast<std::size_t>(5 * step)] = std::numeric_limits<T>::quiet_NaN();
                std::vector<T> most(static_cast<std::size_t>(places)), total = most;
                largest(row.data(), places, step, window, most.data());
                sum(row.data(), places, step, window, total.data());
                for (long i = 0; i < places; ++i) {
                    T wanted = row[static_cast<std::size_t>(i * step)], all = wanted;
                    for (long k = 1; k < window; ++k) {
                        const T one = row[static_cast<std::size_t>(i * step + k)];
                        wanted = std::isnan(wanted) || wanted >= one ? wanted : one;
                        all += one;
                    }
                    const auto at = static_cast<std::size_t>(i);
                    if (std::isnan(wanted)) {
                        EXPECT_TRUE(std::isnan(most[at]) && std::isnan(total[at])) << table->level;
                        continue;
                    }
                    EXPECT_EQ(most[at], wanted) << table->level << ", place " << i << ", step " << step << ", window " << window;
                    EXPECT_EQ(total[at], all) << table->level << ", place " << i << ", step " << step << ", window " << window;
                }
            }
}

TEST(RtPool, windowsOfEveryKind)
{
    for (const RtTable *table : tables()) {
        expectWindows<float>(table);
        expectWindows<double>(table);
    }
}

TEST(RtPool, theGradientGoesToTheLargest)
{
    for (const RtTable *table : tables())
        for (std::size_t n : {0u, 1u, 15u, 16u, 67u}) {
            const std::vector<float> row = numbers<float>(n), largest(n, 2.75f), grad(n, 3.0f);
            std::vector<float> result(n, 1.0f);
            table->giveToLargestF32(row.data(), largest.data(), grad.data(), result.data(), static_cast<long>(n));
            for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(result[i], row[i] == 2.75f ? 4.0f : 1.0f) << table->level;
        }
}

} // namespace
