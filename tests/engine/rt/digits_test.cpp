// Bessel functions and ψ: at most 3 units of the last digit from numbers of 113 bits, also beside zeros, at the ends of the parts that they
// are made of, and where the C library's lose everything.
#include "tests/engine/rt/tables.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace {

using rt::tables;
__extension__ typedef __float128 Quad;

Quad series(int order, double x)
{
    const Quad q = static_cast<Quad>(x) * x / 4;
    Quad term = 1, total = 1;
    for (int k = 1; k < 3000 && term > total * 1e-36L; ++k) total += term *= q / (static_cast<Quad>(k) * (k + order));
    return order == 0 ? total : total * x / 2;
}
Quad i0(double x) { return series(0, x); }
Quad i1(double x) { return series(1, x); }
Quad j0(double x) { return ::j0f128(x); }
Quad j1(double x) { return ::j1f128(x); }

Quad psiOf(Quad x)
{
    static const Quad pi = ::acosf128(-1);
    if (x < 0) return psiOf(1 - x) - pi / ::tanf128(pi * (x - ::rintf128(x)));
    Quad result = 0;
    for (; x < 60; x += 1) result -= 1 / x;
    const Quad t = 1 / (x * x);
    // B_2k / 2k
    static constexpr double kOver[] = {12, -120, 252, -240, 132},
                            kLast[][2] = {{-691, 32760}, {1, 12}, {-3617, 8160}, {43867, 14364}, {-174611, 6600}};
    Quad power = t, rest = 0;
    for (const double over : kOver) rest += power / over, power *= t;
    for (const auto &[above, below] : kLast) rest += power * above / below, power *= t;
    return result + ::logf128(x) - 1 / (2 * x) - rest;
}
Quad psi(double x) { return psiOf(x); }

double ulps(double got, Quad wanted)
{
    int exponent;
    std::frexp(static_cast<double>(wanted), &exponent);
    const Quad off = got - wanted;
    return static_cast<double>((off < 0 ? -off : off) / static_cast<Quad>(std::ldexp(1.0, std::max(exponent - 53, -1074))));
}

struct Case {
    const char *name;
    RtOp op;
    Quad (*exact)(double);
    std::vector<double> edges; ///< of the ranges that samples are drawn from
};

const std::vector<Case> &cases()
{
    static const std::vector<double> wave = {1e-9, 0.5, 1,   2,   2.5,  4,      8,      20,   50,    54,
                                             100,  1e3, 1e5, 1e8, 1e12, 3.9e15, 4.1e15, 1e20, 1e100, 8e307};
    static const std::vector<double> growing = {1e-9, 0.5, 1, 2, 4, 8, 9, 30, 100, 699, 701, 713.9};
    static const std::vector<Case> all = {
        {"j0", RT_J0, j0, wave},
        {"j1", RT_J1, j1, wave},
        {"i0", RT_I0, i0, growing},
        {"i1", RT_I1, i1, growing},
        {"psi", RT_PSI, psi, {1e-9, 0.1, 0.9, 1, 1.2, 1.4, 1.46163214496, 1.46163214497, 1.5, 2, 2.2, 4, 10, 11, 100, 1e6, 1e12}},
    };
    return all;
}

/// The double next to a zero of `exact` near x, and one that is some units further.
double besideZero(Quad (*exact)(double), double x, int further)
{
    double low = x, high = x + 4;
    if ((exact(low) < 0) == (exact(high) < 0)) return x;
    for (int step = 0; step < 80; ++step) {
        const double middle = low + (high - low) / 2;
        ((exact(middle) < 0) == (exact(low) < 0) ? low : high) = middle;
    }
    for (; further > 0; --further) low = std::nextafter(low, 0);
    return low;
}

class Digits : public testing::TestWithParam<std::size_t> {};

TEST_P(Digits, AreAtMostThreeUnitsOff)
{
    const Case &one = cases()[GetParam()];
    std::mt19937_64 random(3);
    std::vector<double> at;
    for (std::size_t i = 0; i + 1 < one.edges.size(); ++i) {
        std::uniform_real_distribution<double> spread(std::log(one.edges[i]), std::log(one.edges[i + 1]));
        for (int n = 0; n < 600; ++n) at.push_back(std::exp(spread(random)));
        at.push_back(one.edges[i]);
    }
    if (one.exact == j0 || one.exact == j1)
        for (double x = 1; x < 120; x += 1.5)
            for (int further : {0, 1, 7, 100000}) at.push_back(besideZero(one.exact, x, further));
    const void *in[] = {at.data()};
    for (const RtTable *table : tables()) {
        std::vector<double> found(at.size());
        table->loops[one.op][RT_F64](found.data(), in, static_cast<long>(at.size()));
        double worst = 0, where = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
            if (const double off = ulps(found[i], one.exact(at[i])); !(off <= worst)) worst = off, where = at[i];
        EXPECT_LE(worst, 3) << one.name << " at " << testing::PrintToString(where) << " (" << where << ")";
    }
}

TEST(DigitsOfPsi, AreRightInFloat32)
{
    std::vector<float> at = {1.46163213f, 1.46163225f, 1, 2, 7.9999995f, 8, 1e-30f, 1e30f, -0.5f, -1.5734985f, -10.702f};
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> powers(-20, 20), near(1.4, 1.5);
    for (int i = 0; i < 3000; ++i)
        at.push_back(static_cast<float>(std::exp(powers(random)))), at.push_back(static_cast<float>(near(random)));
    const void *in[] = {at.data()};
    for (const RtTable *table : tables()) {
        std::vector<float> found(at.size());
        table->loops[RT_PSI][RT_F32](found.data(), in, static_cast<long>(at.size()));
        for (std::size_t i = 0; i < at.size(); ++i)
            EXPECT_LE(std::ldexp(ulps(found[i], psi(at[i])), -29), 1) << at[i] << " on " << table->level;
    }
}

TEST(DigitsOfPsi, AreRightBesideItsOtherZerosToo)
{
    // Of two large numbers: what they lose is what they lose.
    const std::vector<double> at = {-0.5040830082644554, -1.573498473162390, -2.610720868444144, -10.702, -1000.3, -123456.75};
    const void *in[] = {at.data()};
    std::vector<double> found(at.size());
    tables()[0]->loops[RT_PSI][RT_F64](found.data(), in, static_cast<long>(at.size()));
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(found[i], static_cast<double>(psi(at[i])), 1e-14) << at[i];
}

TEST(DigitsOfBesselFunctions, AreThoseOfTheGeneralOnes)
{
    const std::vector<double> at = {0, 0.25, 1, 3.5, 20, 60, 300, -2.75}, zeros(at.size(), 0), ones(at.size(), 1);
    for (const auto &[own, general, order] :
         {std::tuple{RT_J0, RT_JV, &zeros}, {RT_J1, RT_JV, &ones}, {RT_I0, RT_IV, &zeros}, {RT_I1, RT_IV, &ones}}) {
        std::vector<double> found(at.size()), same(at.size());
        const void *in[] = {at.data()}, *both[] = {order->data(), at.data()};
        tables()[0]->loops[own][RT_F64](found.data(), in, static_cast<long>(at.size()));
        tables()[0]->loops[general][RT_F64](same.data(), both, static_cast<long>(at.size()));
        for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(found[i], same[i]) << at[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Functions, Digits, testing::Range<std::size_t>(0, 5), [](const auto &info) { return cases()[info.param].name; });

} // namespace
