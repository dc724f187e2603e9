// Sorting of many short rows and of long lines of keys, on every level, against the standard library.
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

// Random keys, few different ones, the largest key among them, runs that go up, down and both ways.
template <class Key>
void expectLineSorted(int (*RtTable::*sort)(void *, void *, long, RtStop))
{
    std::mt19937_64 random(9);
    for (const RtTable *table : tables()) {
        if (!(table->*sort)) continue;
        for (const long n :
             {0L, 1L, 2L, 3L, 7L, 8L, 9L, 15L, 16L, 17L, 31L, 33L, 63L, 65L, 100L, 127L, 128L, 129L, 130L, 257L, 1000L, 5003L, 40000L})
            for (int kind = 0; kind < 8; ++kind) {
                std::vector<Key> keys(static_cast<std::size_t>(n)), spare(keys.size() + 16);
                for (std::size_t i = 0; i < keys.size(); ++i) {
                    const Key all = static_cast<Key>(-1), some = static_cast<Key>(random());
                    const Key choices[] = {some,
                                           some % 3,
                                           all,
                                           Key(0),
                                           some % 2 ? all : some,
                                           static_cast<Key>(i),
                                           static_cast<Key>(all - i),
                                           static_cast<Key>(std::min(i, keys.size() - i))};
                    keys[i] = choices[kind];
                }
                std::vector<Key> wanted = keys;
                std::sort(wanted.begin(), wanted.end());
                const bool done = (table->*sort)(keys.data(), spare.data(), n, [] { return 0; });
                if (!done) std::sort(keys.begin(), keys.end()); // nothing may be lost
                ASSERT_EQ(keys, wanted) << n << " keys, kind " << kind << " on " << table->level;
                EXPECT_TRUE(done) << n << " keys, kind " << kind;
            }
    }
}

TEST(RtSort, keysAreSorted)
{
    expectLineSorted<unsigned>(&RtTable::sort32);
    expectLineSorted<unsigned long long>(&RtTable::sort64);
}

} // namespace
