#include "profiler/session/codec/histogram.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

TEST(Histogram, bucketsAreOrderedAndHoldTheirStart)
{
    std::int64_t last = -1;
    for (std::uint32_t bucket = 0; bucket < Histogram::kBuckets - 8; ++bucket) {
        const std::int64_t start = Histogram::bucketStartNs(bucket);
        EXPECT_GT(start, last);
        EXPECT_EQ(Histogram::bucketOf(start), bucket);
        last = start;
    }
    EXPECT_EQ(Histogram::bucketOf(-5), 0u);
    EXPECT_LT(Histogram::bucketOf(INT64_MAX), Histogram::kBuckets);
}

TEST(Histogram, percentilesAreRightToABucket)
{
    Histogram histogram;
    for (int ns = 1; ns <= 10000; ++ns) histogram.add(ns);
    EXPECT_NEAR(histogram.quantileNs(0.5), 5000, 500);
    EXPECT_NEAR(histogram.quantileNs(0.99), 9900, 900);
    EXPECT_EQ(Histogram().quantileNs(0.5), 0);
}

} // namespace
