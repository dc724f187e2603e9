#include "engine/liveness/placement.h"
#include "engine/liveness/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace liveness;

namespace {

TEST(Placement, WhatLivesTogetherLiesApart)
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<Life> lives;
        std::size_t from = 0;
        for (unsigned i = 0; i < 1 + random() % 40; ++i) {
            from += random() % 3;
            lives.push_back({from, from + random() % 9, random() % 1000});
        }
        const Placement placed = place(lives);
        std::size_t peak = 0;
        for (std::size_t i = 0; i < lives.size(); ++i) {
            EXPECT_LE(placed.offsets[i] + lives[i].bytes, placed.bytes);
            EXPECT_EQ(placed.offsets[i] % 64, 0u);
            std::size_t live = 0;
            for (std::size_t k = 0; k < lives.size(); ++k) {
                if (lives[k].from <= lives[i].from && lives[i].from <= lives[k].to) live += arenaBytes(lives[k].bytes);
                if (k == i || lives[k].to < lives[i].from || lives[i].to < lives[k].from) continue;
                const bool apart = placed.offsets[i] + arenaBytes(lives[i].bytes) <= placed.offsets[k] ||
                                   placed.offsets[k] + arenaBytes(lives[k].bytes) <= placed.offsets[i];
                EXPECT_TRUE(apart) << round << ": " << i << " and " << k;
            }
            peak = std::max(peak, live);
        }
        EXPECT_GE(placed.bytes, peak);
    }
}

// As time goes on, the middle hole is too small for the last: the largest first leaves none.
TEST(Placement, TheLargestFirstWhereTimeLeavesHoles)
{
    const std::vector<Life> lives{{0, 0, 640}, {0, 2, 64}, {1, 2, 704}};
    const Placement placed = place(lives);
    EXPECT_EQ(placed.bytes, 768u);
}

TEST(Sizes, ReadsWords)
{
    EXPECT_EQ(bytesNamed("4096"), 4096);
    EXPECT_EQ(bytesNamed("200MB"), 200'000'000);
    EXPECT_EQ(bytesNamed("1.5 GiB"), std::int64_t{3} << 29);
    EXPECT_EQ(bytesNamed("64k"), 64'000);
    for (const char *word : {"", "much", "-1", "3 miles", "1MBx", "nan", "inf"}) EXPECT_EQ(bytesNamed(word), -1) << word;
}

TEST(Sizes, SaysWhatItReads)
{
    EXPECT_EQ(sizeText(std::int64_t{0}), "0 B");
    EXPECT_EQ(sizeText(std::int64_t{999}), "999 B");
    EXPECT_EQ(sizeText(std::int64_t{9999}), "10.0 kB");
    EXPECT_EQ(sizeText(999.6e3), "1.0 MB");
    EXPECT_EQ(sizeText(99.96e6), "100 MB");
    EXPECT_EQ(sizeText(std::int64_t{1'500'000'000}), "1.5 GB");
    EXPECT_EQ(sizeText(std::int64_t{-1600}), "-1.6 kB");
    EXPECT_EQ(sizeText(std::int64_t{20} << 40), "22.0 TB");
    for (const std::int64_t bytes : {1'000, 64'000, 12'300'000}) EXPECT_EQ(bytesNamed(sizeText(bytes)), bytes);
}

} // namespace
