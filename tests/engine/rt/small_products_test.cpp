// Products of many small matrices, on every level, against three loops.
#include "tests/engine/rt/tables.h"

#include <gtest/gtest.h>
#include <vector>

namespace {

using rt::tables;

/// Small whole numbers: sums of products are exact in any order.
template <class T>
std::vector<T> wholeNumbers(long count)
{
    std::vector<T> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(static_cast<int>(i * 37 % 23) - 11);
    return result;
}

template <class T>
auto products(const RtTable *table)
{
    if constexpr (std::is_same_v<T, float>) return table->smallProductsF32;
    else return table->smallProductsF64;
}

enum class Layout { Rows, Columns, Same };

/// False: this level has no loop for these sizes.
template <class T>
bool isRight(const RtTable *table, long rows, long depth, long columns, Layout left, Layout right)
{
    constexpr long count = 7, guard = 16;
    const auto a = wholeNumbers<T>(count * rows * depth), b = wholeNumbers<T>(count * depth * columns);
    std::vector<T> c(static_cast<std::size_t>(count * rows * columns + guard), T(-77));
    RtSmallProducts sizes{count, rows, columns, depth, rows * depth, depth, 1, depth * columns, columns, 1};
    if (left == Layout::Columns) sizes.aRow = 1, sizes.aColumn = rows;
    if (left == Layout::Same) sizes.aStep = 0;
    if (right == Layout::Columns) sizes.bRow = 1, sizes.bColumn = depth;
    if (right == Layout::Same) sizes.bStep = 0;
    if (!products<T>(table)(&sizes, a.data(), b.data(), c.data())) return false;
    const std::string what = std::string(table->level) + ", " + std::to_string(rows) + " x " + std::to_string(depth) + " x " +
                             std::to_string(columns) + ", layouts " + std::to_string(int(left)) + " and " + std::to_string(int(right));
    for (long i = 0; i < count; ++i)
        for (long r = 0; r < rows; ++r)
            for (long j = 0; j < columns; ++j) {
                T sum = 0;
                for (long p = 0; p < depth; ++p)
                    sum += a[static_cast<std::size_t>(i * sizes.aStep + r * sizes.aRow + p * sizes.aColumn)] *
                           b[static_cast<std::size_t>(i * sizes.bStep + p * sizes.bRow + j * sizes.bColumn)];
                EXPECT_EQ(c[static_cast<std::size_t>((i * rows + r) * columns + j)], sum) << what;
            }
    for (long i = 0; i < guard; ++i) EXPECT_EQ(c[static_cast<std::size_t>(count * rows * columns + i)], T(-77)) << what;
    return true;
}

template <class T>
int countRight(const RtTable *table)
{
    int count = 0;
    for (long rows : {1, 2, 3, 4, 5, 8, 16})
        for (long depth : {1, 2, 3, 4, 7, 8, 16})
            for (long columns : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16})
                for (Layout left : {Layout::Rows, Layout::Columns, Layout::Same})
                    for (Layout right : {Layout::Rows, Layout::Columns, Layout::Same})
                        count += isRight<T>(table, rows, depth, columns, left, right);
    return count;
}

TEST(RtSmallProducts, allSizesAndLayouts)
{
    for (const RtTable *table : tables()) {
        EXPECT_GT(countRight<float>(table), 3500) << table->level;
        EXPECT_GT(countRight<double>(table), 2000) << table->level;
    }
}

TEST(RtSmallProducts, matricesWithoutElementsAreNotWritten)
{
    double guard = -77;
    for (const RtTable *table : tables()) {
        for (const auto &[rows, columns] : {std::pair(0L, 3L), std::pair(3L, 0L), std::pair(0L, 1L), std::pair(0L, 0L)}) {
            const RtSmallProducts sizes{5, rows, columns, 2, rows * 2, 2, 1, 2 * columns, columns, 1};
            EXPECT_EQ(table->smallProductsF64(&sizes, &guard, &guard, &guard), 1) << rows << " x " << columns;
        }
        EXPECT_EQ(guard, -77) << table->level;
    }
}

TEST(RtSmallProducts, largerOnesAreLeftToLibraries)
{
    const RtSmallProducts sizes{1, 17, 4, 4, 68, 4, 1, 16, 4, 1};
    for (const RtTable *table : tables()) EXPECT_EQ(table->smallProductsF32(&sizes, nullptr, nullptr, nullptr), 0);
}

} // namespace
