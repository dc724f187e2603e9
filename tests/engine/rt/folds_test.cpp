// Folds: rows, columns and short rows combine to the same bits whichever way they are gone through.
#include "tests/engine/rt/tables.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace {

using rt::tables;

TEST(Rt, foldsMatchAPlainLoop)
{
    std::mt19937 random(11);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (long n : {0L, 1L, 7L, 8L, 9L, 63L, 64L, 65L, 1000L, 5000L}) {
        std::vector<float> x(static_cast<std::size_t>(n));
        double sum = 0;
        float largest = -2;
        for (float &v : x) {
            v = draw(random);
            sum += v;
            largest = std::max(largest, v);
        }
        for (const RtTable *table : tables()) {
            double wide = 0;
            table->wideFolds[RT_SUM](x.data(), n, &wide);
            EXPECT_NEAR(wide, sum, 1e-12 * static_cast<double>(n + 1));
            float top = -2;
            table->folds[RT_MAX][RT_F32](x.data(), n, &top);
            EXPECT_EQ(top, largest);
            if (n > 2) {
                std::vector<float> holed = x;
                holed[static_cast<std::size_t>(n / 2)] = NAN;
                top = -2;
                table->folds[RT_MAX][RT_F32](holed.data(), n, &top);
                EXPECT_TRUE(std::isnan(top));
            }
        }
    }
}

template <class T>
T drawn(std::mt19937 &random)
{
    if constexpr (std::is_integral_v<T>) return static_cast<T>(random() % 7);
    static constexpr double kSpecial[] = {0.0, -0.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
    return static_cast<T>(random() % 60 == 0 ? kSpecial[random() % 5] : std::uniform_real_distribution<double>(-2, 2)(random));
}

// Short rows, dense and with gaps, against a fold of each.
template <class T, class Acc>
void expectEachAsAlone(RtFoldEach each, RtFold alone, const char *what)
{
    std::mt19937 random(5);
    std::vector<long> lengths{31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512};
    for (long n = 1; n <= 20; ++n) lengths.push_back(n);
    for (long n : lengths)
        for (long rows : {1L, 2L, 3L, 7L, 8L, 15L, 16L, 17L, 40L, 70L, 130L})
            for (long step : {n, n + 3, n - 1, -n}) {
                const long span = (rows - 1) * std::abs(step);
                std::vector<T> elements(static_cast<std::size_t>(span + n)); // nothing behind the last row
                for (T &value : elements) value = drawn<T>(random);
                const T *x = elements.data() + (step < 0 ? span : 0);
                std::vector<Acc> got(static_cast<std::size_t>(rows) + 1), wanted;
                for (Acc &value : got) value = static_cast<Acc>(drawn<T>(random));
                wanted = got;
                each(reinterpret_cast<const char *>(x), rows, step * static_cast<long>(sizeof(T)), n, got.data());
                for (long r = 0; r < rows; ++r) alone(x + r * step, n, &wanted[static_cast<std::size_t>(r)]);
                for (std::size_t i = 0; i < got.size(); ++i) {
                    const bool areNan = got[i] != got[i] && wanted[i] != wanted[i];
                    ASSERT_TRUE(areNan || std::memcmp(&got[i], &wanted[i], sizeof(Acc)) == 0)
                        << what << ": " << rows << " rows of " << n << ", step " << step;
                }
            }
}

TEST(Rt, shortRowsFoldTogetherAsEachAlone)
{
    for (const RtTable *rt : tables()) {
        for (int reduce = 0; reduce < RT_REDUCE_COUNT; ++reduce) {
            const auto check = [&]<class T>(RtKind kind, T) {
                ASSERT_EQ(rt->foldEach[reduce][kind] != nullptr, rt->folds[reduce][kind] != nullptr) << reduce;
                if (rt->folds[reduce][kind]) expectEachAsAlone<T, T>(rt->foldEach[reduce][kind], rt->folds[reduce][kind], rt->level);
            };
            check(RT_BOOL, static_cast<unsigned char>(0));
            check(RT_INT, std::int64_t(0));
            check(RT_UINT, std::uint64_t(0));
            check(RT_F32, 0.0f);
            check(RT_F64, 0.0);
        }
        for (int reduce : {RT_SUM, RT_PROD}) expectEachAsAlone<float, double>(rt->wideFoldEach[reduce], rt->wideFolds[reduce], rt->level);
    }
}

// Columns of many rows, some without anything odd, against a row after the other.
TEST(Rt, extremesOfColumnsAreThoseOfRowsOneByOne)
{
    std::mt19937 random(8);
    for (const RtTable *rt : tables())
        for (RtReduce reduce : {RT_MAX, RT_MIN})
            for (long columns : {1L, 3L, 10L, 16L, 33L, 63L, 64L, 100L, 1030L})
                for (long rows : {20L, 131L, 300L})
                    for (int odd = 0; odd < 3; ++odd) { // 1: nan and infinities, 2: zeros of both signs
                        std::vector<double> x(static_cast<std::size_t>(rows * columns)), got(static_cast<std::size_t>(columns), 0.0);
                        const auto limit = std::numeric_limits<double>::infinity();
                        for (double &value : got) value = reduce == RT_MAX ? -limit : limit;
                        for (double &value : x) {
                            value = odd == 1 ? drawn<double>(random) : std::uniform_real_distribution<double>(-2, 2)(random);
                            if (odd == 2) value = random() % 2 ? 0.0 : -0.0;
                        }
                        std::vector<double> wanted = got;
                        rt->foldRows[reduce][RT_F64](reinterpret_cast<const char *>(x.data()), rows, columns * 8, columns, got.data());
                        for (long r = 0; r < rows; ++r)
                            rt->foldRows[reduce][RT_F64](reinterpret_cast<const char *>(x.data() + r * columns), 1, 0, columns,
                                                         wanted.data());
                        for (std::size_t c = 0; c < got.size(); ++c)
                            ASSERT_TRUE((std::isnan(got[c]) && std::isnan(wanted[c])) || std::memcmp(&got[c], &wanted[c], 8) == 0)
                                << rt->level << ' ' << reduce << ' ' << rows << 'x' << columns << ' ' << odd;
                    }
}

TEST(Rt, narrowColumnsFoldAsRowsDo)
{
    std::mt19937 random(6);
    for (const RtTable *rt : tables())
        for (RtReduce reduce : {RT_SUM, RT_PROD, RT_MAX, RT_MIN})
            for (long columns = 1; columns <= 12; ++columns)
                for (long rows : {1L, 2L, 5L, 30L}) {
                    std::vector<float> x(static_cast<std::size_t>(rows * columns)), got(static_cast<std::size_t>(columns)), wanted;
                    for (float &value : x) value = drawn<float>(random);
                    for (float &value : got) value = drawn<float>(random);
                    wanted = got;
                    rt->foldRows[reduce][RT_F32](reinterpret_cast<const char *>(x.data()), rows, columns * 4, columns, got.data());
                    for (long r = 0; r < rows; ++r)
                        for (long c = 0; c < columns; ++c) {
                            const float value = x[static_cast<std::size_t>(r * columns + c)];
                            float &sum = wanted[static_cast<std::size_t>(c)];
                            if (reduce == RT_SUM) sum += value;
                            else if (reduce == RT_PROD) sum *= value;
                            else if (sum == sum)
                                sum = value != value ? value : (reduce == RT_MAX ? value > sum : value < sum) ? value : sum;
                        }
                    for (std::size_t c = 0; c < got.size(); ++c)
                        ASSERT_TRUE(got[c] == wanted[c] || (std::isnan(got[c]) && std::isnan(wanted[c])))
                            << rt->level << ' ' << reduce << ' ' << rows << 'x' << columns;
                }
}

} // namespace
