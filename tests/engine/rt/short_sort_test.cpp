// Sorting of many short rows, on every level, against the standard library.
#include "tests/engine/rt/tables.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using rt::tables;

template <class Key>
void expectSorted(const RtTable *table, void (*sortRows)(void *, long, long))
{
    std::mt19937_64 random(7);
    for (long n = 1; n <= RT_SHORT_SORT; ++n)
        for (long rows : {1L, 5L, 16L, 37L}) {
            std::vector<Key> keys(static_cast<std::size_t>(rows * n));
            for (Key &key : keys) key = static_cast<Key>(random() >> (random() % 3 * 20)); // some small, some equal
            keys[0] = static_cast<Key>(~Key(0));
            auto wanted = keys;
            for (long r = 0; r < rows; ++r) std::sort(wanted.begin() + r * n, wanted.begin() + (r + 1) * n);
            sortRows(keys.data(), rows, n);
            EXPECT_EQ(keys, wanted) << table->level << ", " << rows << " rows of " << n;
        }
}

TEST(RtShortSort, rowsOfEveryLength)
{
    for (const RtTable *table : tables()) {
        expectSorted<std::uint32_t>(table, table->sortRows32);
        expectSorted<std::uint64_t>(table, table->sortRows64);
    }
}

} // namespace
