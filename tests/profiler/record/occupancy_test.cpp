// How full kernels make a card, against what CUDA's own calculator says of one with compute capability 9.0.
#include "profiler/record/occupancy.h"

#include <gtest/gtest.h>

using profiler::occupancyOf;

namespace {

constexpr engine::DeviceLimits kCard{32, 2048, 65536, 32, 233472};

TEST(Occupancy, isBoundByWhateverEndsFirst)
{
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 256, 16, 0), 1.0);
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 256, 32, 0), 1.0);
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 256, 40, 0), 0.75) << "six groups of eight warps have registers";
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 256, 64, 0), 0.5);
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 32, 16, 0), 0.5) << "32 groups of one warp are the most";
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 1024, 65, 0), 0.0) << "it cannot run: no group has its registers";
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 256, 16, 48 << 10), 0.5) << "four groups have their shared memory";
    EXPECT_DOUBLE_EQ(occupancyOf(kCard, 33, 16, 0), 1.0) << "a warp of one thread takes the room of one";
}

TEST(Occupancy, isNotKnownWhereTheDeviceDoesNotTell)
{
    EXPECT_EQ(occupancyOf({}, 256, 16, 0), -1);
    EXPECT_EQ(occupancyOf(kCard, 0, 16, 0), -1);
}

} // namespace
