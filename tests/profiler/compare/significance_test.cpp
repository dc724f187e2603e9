#include "profiler/compare/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace profiler;

namespace {

std::vector<double> numbers(int count, double from, double step)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(from + step * i);
    return values;
}

TEST(MannWhitney, agreesWithTheNormalApproximationByHand)
{
    // Every b beats the a below it; 40 against 40 values, sigma² = 40·40·81/12 = 10800.
    const std::vector<double> a = numbers(40, 1, 1);
    const std::vector<double> b = numbers(40, 8.5, 1);
    double u = 0;
    for (const double x : a)
        for (const double y : b) u += x > y ? 1 : 0;
    const double z = (std::abs(u - 800) - 0.5) / std::sqrt(10800.0);
    EXPECT_NEAR(mannWhitney(a, b), std::erfc(z / std::sqrt(2.0)), 1e-12);
    EXPECT_NEAR(mannWhitney(a, b), mannWhitney(b, a), 1e-12);
}

TEST(MannWhitney, countsOrdersOfFewValues)
{
    EXPECT_NEAR(mannWhitney(numbers(5, 0, 1), numbers(5, 10, 1)), 2.0 / 252, 1e-12);
    EXPECT_NEAR(mannWhitney(numbers(8, 0, 1), numbers(8, 10, 1)), 2.0 / 12870, 1e-12);
    // One pair the other way round: U = 1 comes once more.
    std::vector<double> b = numbers(8, 10, 1);
    b[0] = 6.5;
    EXPECT_NEAR(mannWhitney(numbers(8, 0, 1), b), 4.0 / 12870, 1e-12);
    EXPECT_EQ(mannWhitney(numbers(6, 0, 2), numbers(6, 1, 2)), mannWhitney(numbers(6, 1, 2), numbers(6, 0, 2)));
    EXPECT_GT(mannWhitney(numbers(6, 0, 2), numbers(6, 1, 2)), 0.6);
}

TEST(MannWhitney, seesNoDifferenceWhereThereIsNone)
{
    const std::vector<double> same(40, 7);
    EXPECT_EQ(mannWhitney(same, same), 1);
    const std::vector<double> few{1, 2, 3};
    EXPECT_EQ(mannWhitney(few, numbers(40, 100, 1)), 1); // too few to say anything
    EXPECT_GT(mannWhitney(numbers(40, 0, 1), numbers(40, 0.5, 1)), 0.5);
    EXPECT_LT(mannWhitney(numbers(40, 0, 1), numbers(40, 100, 1)), 1e-10);
}

TEST(MannWhitney, isUniformOnEqualSamples)
{
    std::mt19937 random(3);
    std::lognormal_distribution<double> noise(0, 0.3);
    int below = 0;
    constexpr int kRounds = 2000;
    for (int i = 0; i < kRounds; ++i) {
        std::vector<double> a(60);
        std::vector<double> b(80);
        for (double &x : a) x = noise(random);
        for (double &x : b) x = noise(random);
        below += mannWhitney(a, b) < 0.05 ? 1 : 0;
    }
    EXPECT_NEAR(below, 0.05 * kRounds, 3 * std::sqrt(0.05 * 0.95 * kRounds));
}

TEST(Holm, stepsDown)
{
    const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
    const std::vector<double> adjusted = holm(p);
    EXPECT_NEAR(adjusted[3], 0.02, 1e-12);
    EXPECT_NEAR(adjusted[0], 0.03, 1e-12);
    EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
    EXPECT_NEAR(adjusted[1], 0.06, 1e-12); // never below the one before
    EXPECT_TRUE(holm({}).empty());
    EXPECT_EQ(holm(std::vector<double>{0.7, 0.9})[1], 1);
}

TEST(Blocks, areMediansOfNeighbours)
{
    const std::vector<double> values{1, 2, 300, 4, 5, 6};
    EXPECT_EQ(inBlocks(values, 2), (std::vector<double>{2, 5}));
    EXPECT_EQ(inBlocks(values, 10), values);
    EXPECT_EQ(medianOf(std::vector<double>{4, 1}), 2.5);
    EXPECT_EQ(medianOf({}), 0);
    EXPECT_EQ(middleOf(std::vector<double>{1, 2, 4, 900}), 3);
    EXPECT_EQ(middleOf(std::vector<double>{5}), 5);
    EXPECT_EQ(middleOf({}), 0);
}

} // namespace
