// The table of matrix functions against sums written out, whoever answers.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/lapack.h"
#include "engine/device/cpu/one_dnn.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

using namespace engine;

namespace {

struct Product {
    bool transposeA, transposeB;
    int m, n, k;
};

class Gemm : public testing::TestWithParam<Product> {};
INSTANTIATE_TEST_SUITE_P(Blas, Gemm,
                         testing::Values(Product{false, false, 3, 5, 4}, Product{true, true, 7, 2, 9}, Product{false, false, 60, 500, 784},
                                         Product{true, false, 130, 90, 101}, Product{false, true, 111, 64, 160},
                                         Product{true, true, 96, 120, 100}, Product{true, false, 8, 8, 8}, Product{false, true, 8, 8, 8},
                                         Product{true, false, 256, 11, 7}, Product{false, true, 9, 64, 31},
                                         Product{false, true, 200, 3, 2}));

template <class T = float>
std::vector<T> numbers(std::size_t count, T step)
{
    std::vector<T> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = std::sin(step * static_cast<T>(i));
    return result;
}

template <class T>
void expectTheSum(const Product &product, T tolerance)
{
    const auto [ta, tb, m, n, k] = product;
    const int lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 1, ldc = n + 2;
    const auto a = numbers<T>(static_cast<std::size_t>(lda) * (ta ? k : m), T(0.37)),
               b = numbers<T>(static_cast<std::size_t>(ldb) * (tb ? n : k), T(0.53));
    for (const T beta : {T(0), T(1), T(-0.5)}) {
        auto c = numbers<T>(static_cast<std::size_t>(ldc) * m, T(0.11));
        const auto before = c;
        if (beta == 0) c[1] = std::numeric_limits<T>::quiet_NaN(); // may not be read then
        blas().of<T>().gemm(ta, tb, m, n, k, T(1.5), a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0, size = 0;
                for (int p = 0; p < k; ++p) {
                    const double term = double(a[ta ? p * lda + i : i * lda + p]) * b[tb ? j * ldb + p : p * ldb + j];
                    sum += term;
                    size += std::abs(term);
                }
                const double wanted = 1.5 * sum + (beta == 0 ? 0 : beta * before[static_cast<std::size_t>(i * ldc + j)]);
                ASSERT_NEAR(c[static_cast<std::size_t>(i * ldc + j)], wanted, tolerance * (size + 1)) << i << ", " << j << " beta " << beta;
            }
            for (int j = n; j < ldc; ++j)
                ASSERT_EQ(c[static_cast<std::size_t>(i * ldc + j)], before[static_cast<std::size_t>(i * ldc + j)]);
        }
    }
}

TEST_P(Gemm, equalsTheSum)
{
    expectTheSum<float>(GetParam(), 1e-5f);
    if (GetParam().m < 300 && GetParam().k < 300) expectTheSum<double>(GetParam(), 1e-14);
}

// Of few unknowns and of many, which other code solves.
template <class T>
void solvesSystems(T tolerance)
{
    for (const int n : {1, 2, 3, 8, 24, 25, 40}) {
        const int lda = n + 3, ldb = n + 1, columns = 2;
        auto a = numbers<T>(static_cast<std::size_t>(lda * n), T(1.7));
        std::vector<T> b(static_cast<std::size_t>(ldb * columns)), x = numbers<T>(static_cast<std::size_t>(n * columns), T(0.9));
        for (int i = 0; i < n; ++i) a[i * lda + (i + 1) % n] += T(3); // not on the diagonal: rows have to be exchanged
        for (int c = 0; c < columns; ++c)
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) b[c * ldb + i] += a[j * lda + i] * x[c * n + j];
        std::vector<int> pivots(static_cast<std::size_t>(n));
        ASSERT_EQ(lapack::gesv(n, columns, a.data(), lda, pivots.data(), b.data(), ldb), 0);
        for (int c = 0; c < columns; ++c)
            for (int i = 0; i < n; ++i) ASSERT_NEAR(b[c * ldb + i], x[c * n + i], tolerance * n) << n << ": " << i;
        for (int i = 0; i < n; ++i) ASSERT_TRUE(pivots[i] > i && pivots[i] <= n);
        std::vector<T> singular(static_cast<std::size_t>(n * n)), right(static_cast<std::size_t>(n), T(1));
        for (int i = 0; i + 1 < n; ++i) singular[i * n + i] = T(2);
        ASSERT_EQ(lapack::gesv(n, 1, singular.data(), n, pivots.data(), right.data(), n), n) << "the last column is zero";
    }
}

TEST(Lapack, solvesSystemsOfAnySize)
{
    solvesSystems<float>(1e-4f);
    solvesSystems<double>(1e-12);
}

TEST(OneDnn, leavesTheThreadsOfOthersAlone)
{
    const OneDnn *library = oneDnn();
    if (!library) GTEST_SKIP() << "oneDNN is not installed, or the processor is older";
    library->setThreads(3);
    const auto a = numbers(128 * 128, 0.3f);
    std::vector<float> c(128 * 128);
    library->sgemm(false, false, 128, 128, 128, 1, a.data(), 128, a.data(), 128, 0, c.data(), 128);
    EXPECT_EQ(library->mostThreads(), 3);
    library->setThreads(1);
}

// Each core packs operands into memory of its own making: no two calls may share it.
TEST(Blas, callsOfSeveralThreadsKeepApart)
{
    constexpr int kSize = 26, kThreads = 4;
    const auto run = [](int which) {
        std::vector<double> a(kSize * kSize), c(kSize * kSize), b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = std::sin(0.1 * static_cast<double>(i) + which);
            b[i] = std::cos(0.3 * static_cast<double>(i) - which);
        }
        blas().f64.gemm(false, false, kSize, kSize, kSize, 1, a.data(), kSize, b.data(), kSize, 0, c.data(), kSize);
        std::vector<int> pivots(kSize);
        lapack::gesv(kSize, kSize, a.data(), kSize, pivots.data(), b.data(), kSize);
        c.insert(c.end(), b.begin(), b.end());
        return c;
    };
    std::vector<std::vector<double>> alone;
    for (int which = 0; which < kThreads; ++which) alone.push_back(run(which));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int which = 0; which < kThreads; ++which)
        threads.emplace_back([&, which] {
            for (int round = 0; round < 10000; ++round) wrong += run(which) != alone[static_cast<std::size_t>(which)];
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
