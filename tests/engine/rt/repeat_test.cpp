// Items that are repeated, on every level, against a loop.
#include "tests/engine/rt/tables.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

using rt::tables;

template <class T>
void expectRepeated(const RtTable *table)
{
    for (long items : {0, 1, 7, 16, 100})
        for (long times = 0; times < 40; ++times) {
            constexpr long kGuard = 16;
            std::vector<T> from(static_cast<std::size_t>(items)), wanted;
            for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 12345677 + 1);
            for (const T &item : from) wanted.insert(wanted.end(), static_cast<std::size_t>(times), item);
            wanted.insert(wanted.end(), kGuard, T(77));
            std::vector<T> to(wanted.size(), T(77));
            table->repeatItems(from.data(), items, sizeof(T), times, to.data());
            EXPECT_EQ(to, wanted) << table->level << ", " << items << " items, " << times << " times";
        }
}

TEST(RtRepeat, itemsOfBothSizes)
{
    for (const RtTable *table : tables()) {
        expectRepeated<std::uint32_t>(table);
        expectRepeated<std::uint64_t>(table);
    }
}

} // namespace
