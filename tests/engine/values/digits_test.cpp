// Digits that are lost, as they can be worked out by hand. tests/app/cli/values_test.py compares with mpmath.
#include "tests/engine/values/programs.h"

#include <cmath>
#include <cstdlib>

using namespace programs;

namespace {

constexpr double kAll = 53 * 0.30102999566398120;

TEST(Digits, aSumThatAbsorbsItsTermCostsTheLogarithmItsDigits)
{
    // 1 + exp(-30) keeps 3 digits of exp(-30): they are all that the logarithm gets.
    const CallValues values = original("x: dvector; y = log(1 + exp(x)); y", {-30});
    EXPECT_LT(rowNamed(values, "exp").digits.lost, 0.5);
    EXPECT_LT(rowNamed(values, "+").digits.lost, 0.5);
    const Digits log = rowNamed(values, "y").digits;
    const double sum = 1 + std::exp(-30.0), right = std::log1p(std::exp(-30.0));
    EXPECT_NEAR(log.lost, std::log10(std::fabs(std::log(sum) - right) / right) + kAll, 0.01);
    EXPECT_GT(log.lost, 12);
    EXPECT_LT(log.own, 0.5) << "the logarithm of what it got is right";
}

TEST(Digits, theReferenceSeesBeyondAnyPrecision)
{
    const CallValues values = original("x: dvector; y = log(1 - sigmoid(x)); y", {800});
    const Digits log = rowNamed(values, "y").digits;
    EXPECT_EQ(log.lost, kAll);
    EXPECT_EQ(log.wanted.substr(0, 4), "-800");
    EXPECT_EQ(log.unsure, 0);
}

TEST(Digits, stabilizingRepairsThem)
{
    for (const double x : {-800.0, -40.0, 3.0, 800.0}) {
        const CallValues values = optimized("x: dvector; log(1 - sigmoid(x))", {x});
        const ValueRow &last = values.rows.back();
        if (x > -700) EXPECT_LT(last.digits.lost, 1) << x << " " << last.name;
        else EXPECT_EQ(last.digits.lost, kAll) << "exp(-800) is no number of float64: 0 has no digit of it";
        EXPECT_EQ(last.digits.unsure, 0);
    }
}

TEST(Digits, ofFloat32AreFewer)
{
    const CallValues values = original("x: fvector; y = x + cast(0.1, 'float32'); y", {1e8});
    EXPECT_NEAR(rowNamed(values, "y").digits.all, 24 * 0.30103, 1e-4);
    const CallValues apart = original("x: fvector; y = (x + cast(1, 'float32')) - x; y", {1e8});
    EXPECT_EQ(rowNamed(apart, "y").facts.first.at(0), 0);
    EXPECT_EQ(rowNamed(apart, "y").digits.wanted, "1");
}

TEST(Digits, movedElementsKeepTheirReference)
{
    const std::string names[] = {"x[::-1]", "x.dimshuffle('x', 0)", "reshape(x, (3, 1))", "join(0, x, x)", "set_subtensor(x[0:1], x[1:2])"};
    for (const std::string &text : names) {
        const CallValues values = original("t: dvector; x = (t + 1) - 1; y = " + text + "; y", {1e-20, 2e-20, 3});
        const Digits digits = rowNamed(values, "y").digits;
        EXPECT_EQ(digits.lost, kAll) << text;
        EXPECT_EQ(digits.own, 0) << text << ": what only moves loses nothing";
        const double wanted = std::strtod(digits.wanted.c_str(), nullptr);
        EXPECT_TRUE(wanted == 1e-20 || wanted == 2e-20) << text << ": " << digits.wanted;
    }
}

TEST(Digits, productsAndSoftmaxHaveTheirForms)
{
    const CallValues values = original("x: dvector; y = dot(x, x) - 1e20; y", {1e10, 1, 1});
    EXPECT_EQ(rowNamed(values, "y").digits.wanted, "2");
    const CallValues probability = original("x: dvector; y = log(softmax(x))[0, 1]; y", {1000, 0, 0});
    EXPECT_EQ(rowNamed(probability, "y").digits.wanted.substr(0, 5), "-1000");
    EXPECT_TRUE(values.notes.empty());
}

TEST(Digits, whatHasNoFormSaysSo)
{
    const CallValues values = original("x: dvector; y = erfinv(x); y", {0.5});
    ASSERT_EQ(values.notes.size(), 1u);
    EXPECT_NE(values.notes[0].find("erfinv has no form of more than 53 bits"), std::string::npos) << values.notes[0];
    EXPECT_EQ(rowNamed(values, "y").digits.reference, Reference::Double);
    const CallValues narrow = original("x: fvector; y = erfinv(x); y", {0.5});
    EXPECT_LT(rowNamed(narrow, "y").digits.lost, 2);
}

TEST(Digits, decisionsThatFallTheOtherWayAreCounted)
{
    const CallValues values = original("x: dvector; y = (x + 1e16) > 1e16; y", {0.5, 5});
    EXPECT_EQ(rowNamed(values, "y").digits.differing, 1);
}

TEST(Facts, countWhatIsThere)
{
    const CallValues values = original("x: dvector; y = x * 1; y", {0, -1, 3, NAN, INFINITY, 1e-310});
    const ArrayFacts facts = rowNamed(values, "y").facts;
    EXPECT_EQ(facts.count, 6);
    EXPECT_EQ(facts.zeros, 1);
    EXPECT_EQ(facts.nans, 1);
    EXPECT_EQ(facts.infinities, 1);
    EXPECT_EQ(facts.denormals, 1);
    EXPECT_EQ(facts.least, -1);
    EXPECT_EQ(facts.largest, 3);
    EXPECT_DOUBLE_EQ(facts.mean, 0.5);
    std::int64_t all = 0;
    for (std::int64_t part : facts.histogram) all += part;
    EXPECT_EQ(all, 4);
}

} // namespace
