// Sizes and strides: what an array with them covers.
#include "engine/tensor/dims.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

std::pair<std::int64_t, std::int64_t> covered(const Dims &shape, const Dims &strides)
{
    const ByteRange range = byteRange(shape, strides, 8);
    return {range.begin, range.end};
}

TEST(ByteRange, goesFromTheLowestToTheHighestElement)
{
    EXPECT_EQ(covered({}, {}), std::pair(0l, 8l));
    EXPECT_EQ(covered({3, 4}, {32, 8}), std::pair(0l, 96l));
    EXPECT_EQ(covered({3, 4}, {-32, 8}), std::pair(-64l, 32l));
    EXPECT_EQ(covered({3, 4}, {-32, -8}), std::pair(-88l, 8l));
    EXPECT_EQ(covered({5}, {0}), std::pair(0l, 8l));
    EXPECT_EQ(covered({3, 0}, {-32, 8}), std::pair(0l, 0l));
}

} // namespace
