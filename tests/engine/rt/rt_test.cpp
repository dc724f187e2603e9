// The vector primitives: accuracy, special values, and the same bits at every place of an array.
#include "tests/engine/rt/tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace {

using rt::tables;

template <class T>
std::vector<T> run(RtLoop loop, const std::vector<T> &x)
{
    std::vector<T> y(x.size());
    const void *in[] = {x.data()};
    loop(y.data(), in, static_cast<long>(x.size()));
    return y;
}

double ulps(float got, double wanted)
{
    if (std::isnan(wanted)) return std::isnan(got) ? 0 : 1e9;
    const float nearest = static_cast<float>(wanted);
    if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : 1e9;
    int exponent;
    std::frexp(static_cast<double>(nearest), &exponent);
    return std::fabs(static_cast<double>(got) - wanted) / std::ldexp(1.0, std::max(exponent - 24, -149));
}
double ulps(double got, long double wanted)
{
    if (std::isnan(wanted)) return std::isnan(got) ? 0 : 1e9;
    const double nearest = static_cast<double>(wanted);
    if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : 1e9;
    int exponent;
    std::frexp(nearest, &exponent);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

template <class T>
struct Wider;
template <>
struct Wider<float> {
    using Type = double;
};
template <>
struct Wider<double> {
    using Type = long double;
};

template <class T>
std::vector<T> samples()
{
    // clang-format off
    std::vector<T> x = {T(0), T(-0.0), T(1), T(-1), T(0.5), T(-0.5), T(800), T(-800), T(89), T(-104), T(88.72),
                        std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(1e-20), T(-1e-20),
                        T(709.7), T(-745), T(-708.5), T(0.70710678), T(1.41421356)};
    // clang-format on
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> near(-3, 3), wide(-110, 110), exponent(-140, 120);
    for (int i = 0; i < 60000; ++i) {
        x.push_back(static_cast<T>(near(random)));
        x.push_back(static_cast<T>(wide(random)));
        x.push_back(static_cast<T>(std::exp2(exponent(random))));
        x.push_back(static_cast<T>(-std::exp2(exponent(random))));
    }
    return x;
}

template <class W>
W sigmoidOf(W x)
{
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
template <class W>
W softplusOf(W x)
{
    return std::isnan(x) ? x : std::max<W>(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}

template <class T, class F>
void expectAccurate(RtOp op, RtKind kind, F reference, double limit, const char *name)
{
    const std::vector<T> x = samples<T>();
    for (const RtTable *table : tables()) {
        const std::vector<T> y = run(table->loops[op][kind], x);
        double worst = 0;
        T at = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double error = ulps(y[i], reference(static_cast<typename Wider<T>::Type>(x[i])));
            if (error > worst) worst = error, at = x[i];
        }
        std::printf("%s: at most %.2f ulp on %s\n", name, worst, table->level);
        EXPECT_LE(worst, limit) << name << " at " << at << " on " << table->level;
    }
}

template <class T>
void expectAllAccurate(RtKind kind)
{
    using W = typename Wider<T>::Type;
    // clang-format off
    expectAccurate<T>(RT_EXP, kind, [](W x) { return std::exp(x); }, 2, "exp");
    expectAccurate<T>(RT_LOG, kind, [](W x) { return std::log(x); }, 2, "log");
    expectAccurate<T>(RT_LOG1P, kind, [](W x) { return std::log1p(x); }, 2.5, "log1p");
    expectAccurate<T>(RT_SIGMOID, kind, sigmoidOf<W>, 3, "sigmoid");
    expectAccurate<T>(RT_SOFTPLUS, kind, softplusOf<W>, 2.5, "softplus");
    expectAccurate<T>(RT_TANH, kind, [](W x) { return std::tanh(x); }, 4, "tanh");
    expectAccurate<T>(RT_EXPM1, kind, [](W x) { return std::expm1(x); }, 4, "expm1");
    expectAccurate<T>(RT_SIN, kind, [](W x) { return std::sin(x); }, 4, "sin");
    expectAccurate<T>(RT_ERF, kind, [](W x) { return std::erf(x); }, 4, "erf");
    // clang-format on
}

TEST(Rt, float32IsAccurate)
{
    expectAllAccurate<float>(RT_F32);
    expectAccurate<float>(
        RT_ERFC, RT_F32, [](double x) { return std::erfc(x); }, 2, "erfc");
    expectAccurate<float>(
        RT_GAMMALN, RT_F32, [](double x) { return static_cast<double>(std::lgamma(static_cast<long double>(x))); }, 1, "gammaln");
}
TEST(Rt, float64IsAccurate) { expectAllAccurate<double>(RT_F64); }

template <class T>
std::vector<T> nasty()
{
    using Limits = std::numeric_limits<T>;
    const T odd = std::ldexp(T(1), Limits::digits) - 1; // the largest odd number
    std::vector<T> values = {0,
                             1,
                             2,
                             3,
                             T(0.5),
                             T(1) / 3,
                             127,
                             128,
                             150,
                             1074,
                             odd,
                             odd + 1,
                             odd / 2,
                             T(1e10),
                             T(1e-10),
                             Limits::infinity(),
                             Limits::denorm_min(),
                             Limits::min(),
                             Limits::min() / 3,
                             Limits::max(),
                             std::nextafter(T(1), T(2)),
                             std::nextafter(T(1), T(0)),
                             Limits::quiet_NaN()};
    for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
    return values;
}

// Every special value with every other, bases of all sizes with exponents that lead to results of all sizes, any bits at all.
template <class T>
std::pair<std::vector<T>, std::vector<T>> powerSamples()
{
    using Limits = std::numeric_limits<T>;
    std::pair<std::vector<T>, std::vector<T>> samples;
    const auto add = [&](double base, double exponent) {
        samples.first.push_back(static_cast<T>(base));
        samples.second.push_back(static_cast<T>(exponent));
    };
    for (T base : nasty<T>())
        for (T exponent : nasty<T>()) add(base, exponent);
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> unit(-1, 1), near(-20, 0), size(Limits::min_exponent - Limits::digits, Limits::max_exponent);
    for (int i = 0; i < 150000; ++i) {
        const T base = static_cast<T>(std::exp2(i % 2 ? size(random) : unit(random) * std::exp2(near(random))));
        add(base, size(random) / std::log2(static_cast<double>(base)));
        add(-base, std::round(unit(random) * 40));
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits[] = {0, 0};
        for (auto &some : bits) some = static_cast<std::remove_reference_t<decltype(some)>>(random());
        add(std::bit_cast<T>(bits[0]), std::bit_cast<T>(bits[1]));
    }
    return samples;
}

template <class T>
std::vector<T> powers(const RtTable *table, RtKind kind, const T *x, const T *y, std::size_t count)
{
    std::vector<T> out(count);
    const void *in[] = {x, y};
    table->loops[RT_POW][kind](out.data(), in, static_cast<long>(count));
    return out;
}

template <class T>
void expectPowers(RtKind kind)
{
    const auto [x, y] = powerSamples<T>();
    std::vector<T> fused; // what levels that fuse multiplication and addition agree on
    for (const RtTable *table : tables()) {
        const std::vector<T> out = powers(table, kind, x.data(), y.data(), x.size());
        const double limit = table->fusesMultiplyAdd ? 1.25 : 2;
        int wrong = 0;
        for (std::size_t i = 0; i < x.size() && wrong < 10; ++i) {
            using W = typename Wider<T>::Type;
            const W wanted = std::pow(static_cast<W>(x[i]), static_cast<W>(y[i]));
            const bool sameSign = std::isnan(wanted) || std::signbit(out[i]) == std::signbit(wanted);
            const bool right = sameSign && ulps(out[i], wanted) <= limit;
            wrong += !right;
            EXPECT_TRUE(right) << x[i] << " ** " << y[i] << " is " << out[i] << ", not " << wanted << " on " << table->level;
        }
        for (std::size_t i = 0; i < 200; ++i) { // in the tail of a vector as within
            const std::vector<T> alone = powers(table, kind, &x[i * 7], &y[i * 7], 1);
            EXPECT_TRUE(alone[0] == out[i * 7] || (std::isnan(alone[0]) && std::isnan(out[i * 7]))) << x[i * 7] << " ** " << y[i * 7];
        }
        if (!table->fusesMultiplyAdd) continue;
        if (fused.empty()) fused = out;
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_TRUE(out[i] == fused[i] || (std::isnan(out[i]) && std::isnan(fused[i])))
                << x[i] << " ** " << y[i] << " on " << table->level;
    }
}

TEST(Rt, powersOfFloat32AreAccurate) { expectPowers<float>(RT_F32); }
TEST(Rt, powersOfFloat64AreAccurate) { expectPowers<double>(RT_F64); }

TEST(Rt, anElementGivesTheSameBitsAtEveryPlace)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<float> draw(-5, 5);
    std::vector<float> x(67);
    for (float &v : x) v = draw(random);
    for (const RtTable *table : tables())
        for (RtOp op : {RT_EXP, RT_LOG, RT_TANH, RT_SIN, RT_ERF, RT_LOG1P, RT_EXPM1, RT_SIGMOID, RT_SOFTPLUS}) {
            const std::vector<float> whole = run(table->loops[op][RT_F32], x);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::vector<float> single = run(table->loops[op][RT_F32], std::vector<float>{x[i]});
                EXPECT_EQ(std::bit_cast<int>(single[0]) & 0x7fffffff, std::bit_cast<int>(whole[i]) & 0x7fffffff)
                    << op << " at " << i << " on " << table->level;
            }
        }
}

TEST(Rt, integersFollowNumPy)
{
    const long long a[] = {7, -7, 7, -7, 5, INT64_MIN, 0};
    const long long b[] = {3, 3, -3, -3, 0, -1, 4};
    const long long quotient[] = {2, -3, -3, 2, 0, INT64_MIN, 0};
    const long long rest[] = {1, 2, -2, -1, 0, 0, 0};
    for (const RtTable *table : tables()) {
        long long out[7];
        const void *in[] = {a, b};
        table->loops[RT_INT_DIV][RT_INT](out, in, 7);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(out[i], quotient[i]) << i;
        table->loops[RT_MOD][RT_INT](out, in, 7);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(out[i], rest[i]) << i;
    }
}

// One divisor for a whole block goes by its reciprocal: multiples and their neighbours are where that could be one off.
TEST(Rt, oneDivisorForAllGivesTheSameQuotients)
{
    std::mt19937_64 random(5);
    for (const RtTable *table : tables())
        for (int round = 0; round < 400; ++round) {
            const long long size = 1 + static_cast<long long>(random() >> (14 + random() % 50)), by = round % 2 ? -size : size;
            std::vector<long long> a, b(128, by), found(128);
            for (std::size_t i = 0; i < b.size(); ++i) {
                const long long times =
                    static_cast<long long>(random() % static_cast<unsigned long long>((1LL << 51) / size / 2 + 1)) * (i % 4 < 2 ? 1 : -1);
                a.push_back(times * by + static_cast<long long>(i % 3) - 1);
            }
            const void *in[] = {a.data(), b.data()};
            table->loops[RT_INT_DIV][RT_INT](found.data(), in, 128);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const long long cut = a[i] / by, wanted = cut - (cut * by != a[i] && (a[i] < 0) != (by < 0));
                ASSERT_EQ(found[i], wanted) << a[i] << " // " << by << " on " << table->level;
            }
            table->loops[RT_MOD][RT_INT](found.data(), in, 128);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const long long rest = a[i] % by, wanted = rest != 0 && (rest < 0) != (by < 0) ? rest + by : rest;
                ASSERT_EQ(found[i], wanted) << a[i] << " % " << by << " on " << table->level;
            }
        }
}

// Small numbers are divided as doubles: every block is small, or mixed, or large, and quotients next to integers are most of them.
template <class T>
void divideAll(RtKind kind, std::initializer_list<int> shifts)
{
    std::mt19937_64 random(3);
    for (const int shift : shifts) {
        std::vector<T> a(500), b(500);
        for (std::size_t i = 0; i < a.size(); ++i) {
            b[i] = static_cast<T>(random()) >> (shift + static_cast<int>(random() % 8));
            const T quotient = static_cast<T>(random()) >> (shift + 5);
            const auto product = static_cast<unsigned long long>(b[i] >> 30) * static_cast<unsigned long long>(quotient >> 20); // may wrap
            a[i] = i % 3 ? static_cast<T>(random()) >> shift : static_cast<T>(product - i % 2);
            if (i % 17 == 5) b[i] = static_cast<T>(i % 4) - 1;
        }
        for (const RtTable *table : tables()) {
            std::vector<T> quotients(a.size()), rests(a.size());
            const void *in[] = {a.data(), b.data()};
            table->loops[RT_INT_DIV][kind](quotients.data(), in, static_cast<long>(a.size()));
            table->loops[RT_MOD][kind](rests.data(), in, static_cast<long>(a.size()));
            for (std::size_t i = 0; i < a.size(); ++i) {
                const __int128 x = a[i], y = b[i];
                __int128 q = y == 0 ? 0 : x / y;
                if (y != 0 && x % y != 0 && (x < 0) != (y < 0)) --q;
                ASSERT_EQ(quotients[i], static_cast<T>(q)) << a[i] << " // " << b[i] << " on " << table->level;
                ASSERT_EQ(rests[i], y == 0 ? T(0) : static_cast<T>(x - q * y)) << a[i] << " % " << b[i] << " on " << table->level;
            }
        }
    }
}

TEST(Rt, quotientsOfIntegersAreExact)
{
    divideAll<long long>(RT_INT, {0, 11, 12, 13, 14, 20, 32, 50});
    divideAll<unsigned long long>(RT_UINT, {0, 12, 13, 14, 20, 32, 50});
}

// Multiples and their neighbours, quotients of every size up to those that have no digit behind the point, every special value.
template <class T>
void expectRemainders(RtKind kind)
{
    std::vector<T> a, b;
    for (T x : nasty<T>())
        for (T y : nasty<T>()) a.push_back(x), b.push_back(y);
    std::mt19937_64 random(5);
    std::uniform_real_distribution<T> unit(-1, 1);
    constexpr int digits = std::numeric_limits<T>::digits;
    for (int i = 0; i < 100000; ++i) {
        const T y = std::ldexp(unit(random), static_cast<int>(random() % 40) - 20);
        const T quotient = std::ldexp(unit(random), static_cast<int>(random() % (digits + 3)));
        const T multiple = std::round(quotient) * y;
        const T x[] = {quotient * y, multiple, std::nextafter(multiple, y), std::nextafter(multiple, -y)};
        a.push_back(x[i % 4]), b.push_back(y);
    }
    for (const RtTable *table : tables()) {
        std::vector<T> out(a.size());
        const void *in[] = {a.data(), b.data()};
        table->loops[RT_MOD][kind](out.data(), in, static_cast<long>(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
            T wanted = std::fmod(a[i], b[i]);
            if (wanted == 0) wanted = std::copysign(T(0), b[i]);
            else if ((wanted < 0) != (b[i] < 0)) wanted += b[i];
            const bool same = std::isnan(wanted) ? std::isnan(out[i]) : out[i] == wanted && std::signbit(out[i]) == std::signbit(wanted);
            ASSERT_TRUE(same) << a[i] << " % " << b[i] << " is " << out[i] << ", not " << wanted << " on " << table->level;
        }
        std::vector<T> inPlace = a; // the output may be an input
        const void *both[] = {inPlace.data(), b.data()};
        table->loops[RT_MOD][kind](inPlace.data(), both, static_cast<long>(a.size()));
        EXPECT_EQ(std::memcmp(inPlace.data(), out.data(), out.size() * sizeof(T)), 0) << table->level;
    }
}

TEST(Rt, remaindersOfFloat32AreExact) { expectRemainders<float>(RT_F32); }
TEST(Rt, remaindersOfFloat64AreExact) { expectRemainders<double>(RT_F64); }

TEST(Rt, repeatedRowsAreTheRows)
{
    std::mt19937 random(8);
    for (const RtTable *rt : tables())
        for (long rowBytes = 1; rowBytes <= 150; rowBytes += rowBytes < 80 ? 1 : 7)
            for (long rows : {1L, 2L, 5L, 17L})
                for (long times : {1L, 2L, 3L, 9L, 40L}) {
                    std::vector<char> from(static_cast<std::size_t>(rows * rowBytes)),
                        to(static_cast<std::size_t>(rows * rowBytes * times + RT_SLACK) + 16, 'x');
                    for (char &byte : from) byte = static_cast<char>(random());
                    rt->repeatRows(from.data(), rows, rowBytes, times, to.data());
                    for (long i = 0; i < rows * times; ++i)
                        ASSERT_EQ(
                            std::memcmp(to.data() + i * rowBytes, from.data() + i / times * rowBytes, static_cast<std::size_t>(rowBytes)),
                            0)
                            << rt->level << ": " << rows << " rows of " << rowBytes << " bytes " << times << " times";
                    for (std::size_t i = to.size() - 16; i < to.size(); ++i) ASSERT_EQ(to[i], 'x');
                }
}

// Rows that begin inside a cache line take another way; it adds in the same order.
template <class T>
void expectProductsAlikeAnywhere(const RtTable *rt)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(-1, 1);
    const long line = 64 / static_cast<long>(sizeof(T));
    for (long rows : {1L, 3L, 8L, 24L, 29L, 40L})
        for (long columns : {1L, 2L, 3L, 5L, 7L, 9L, 15L, 17L, 30L, 47L, line * 8, line * 9, line * 10, line * 11, line * 150,
                             line * 12 - 5, line * 13 + 3}) {
            const long step = (columns + line - 1) / line * line;
            std::vector<T> memory(static_cast<std::size_t>(rows * step + 4 * line)), x(static_cast<std::size_t>(columns + rows)), wanted,
                wantedSums;
            for (T &value : x) value = static_cast<T>(draw(random));
            std::vector<T> matrix(static_cast<std::size_t>(rows * step));
            for (T &value : matrix) value = static_cast<T>(draw(random));
            for (long shift = 0; shift < line; ++shift) {
                // What surrounds the matrix must not count.
                std::fill(memory.begin(), memory.end(), std::numeric_limits<T>::quiet_NaN());
                T *a = memory.data();
                while (reinterpret_cast<std::uintptr_t>(a) % 64 != 0) ++a;
                a += line + shift;
                for (long r = 0; r < rows; ++r) std::copy_n(matrix.begin() + r * step, columns, a + r * step);
                std::vector<T> y(static_cast<std::size_t>(rows), T(0.5)), sums(static_cast<std::size_t>(columns), T(0.25));
                if constexpr (sizeof(T) == 4) {
                    rt->gemvF32(rows, columns, T(1.5), a, step, x.data(), y.data());
                    rt->gemvTransposedF32(rows, columns, T(1.5), a, step, x.data(), sums.data());
                } else {
                    rt->gemvF64(rows, columns, T(1.5), a, step, x.data(), y.data());
                    rt->gemvTransposedF64(rows, columns, T(1.5), a, step, x.data(), sums.data());
                }
                if (shift == 0) {
                    wanted = y, wantedSums = sums;
                    for (long r = 0; r < rows; ++r) {
                        double sum = 0.5;
                        for (long c = 0; c < columns; ++c) sum += 1.5 * double(a[r * step + c]) * double(x[static_cast<std::size_t>(c)]);
                        ASSERT_NEAR(y[static_cast<std::size_t>(r)], sum, sizeof(T) == 4 ? 2e-4 : 1e-11);
                    }
                    for (long c = 0; c < columns; ++c) {
                        double sum = 0.25;
                        for (long r = 0; r < rows; ++r) sum += 1.5 * double(a[r * step + c]) * double(x[static_cast<std::size_t>(r)]);
                        ASSERT_NEAR(sums[static_cast<std::size_t>(c)], sum, sizeof(T) == 4 ? 2e-5 : 1e-12);
                    }
                }
                ASSERT_EQ(y, wanted) << rt->level << ' ' << rows << 'x' << columns << " off by " << shift;
                ASSERT_EQ(sums, wantedSums) << rt->level << ' ' << rows << 'x' << columns << " off by " << shift;
            }
        }
}

TEST(Rt, productsWithVectorsGiveTheSameBitsWhereverTheMatrixLies)
{
    for (const char *level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        if (const RtTable *rt = rt_table_at(level)) {
            expectProductsAlikeAnywhere<float>(rt);
            expectProductsAlikeAnywhere<double>(rt);
        }
}

TEST(Rt, everyTableCoversTheArithmetic)
{
    for (const RtTable *table : tables())
        for (int op = 0; op < RT_OP_COUNT; ++op) {
            if (op == RT_SECOND) continue; // a conversion of its second argument
            const bool complexOnly = op == RT_ANGLE || op == RT_COMPLEX_FROM_PAIR || op == RT_COMPLEX_FROM_POLAR;
            const bool bits = op == RT_AND || op == RT_OR || op == RT_XOR || op == RT_INVERT;
            EXPECT_EQ(table->loops[op][RT_F64] != nullptr, !bits) << op << " on " << table->level;
            EXPECT_EQ(table->loops[op][RT_F32] != nullptr, !bits && !complexOnly) << op << " on " << table->level;
        }
}

} // namespace
