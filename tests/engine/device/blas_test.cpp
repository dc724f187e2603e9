// The table of matrix functions against sums written out, whoever answers.
#include "engine/device/cpu/blas.h"
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
                                         Product{true, true, 96, 120, 100}));

std::vector<float> numbers(std::size_t count, float step)
{
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = std::sin(step * static_cast<float>(i));
    return result;
}

TEST_P(Gemm, equalsTheSum)
{
    const auto [ta, tb, m, n, k] = GetParam();
    const int lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 1, ldc = n + 2;
    const auto a = numbers(static_cast<std::size_t>(lda) * (ta ? k : m), 0.37f),
               b = numbers(static_cast<std::size_t>(ldb) * (tb ? n : k), 0.53f);
    for (const float beta : {0.f, 1.f, -0.5f}) {
        auto c = numbers(static_cast<std::size_t>(ldc) * m, 0.11f);
        const auto before = c;
        if (beta == 0.f) c[1] = std::numeric_limits<float>::quiet_NaN(); // may not be read then
        blas().f32.gemm(ta, tb, m, n, k, 1.5f, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0, size = 0;
                for (int p = 0; p < k; ++p) {
                    const double term = double(a[ta ? p * lda + i : i * lda + p]) * b[tb ? j * ldb + p : p * ldb + j];
                    sum += term;
                    size += std::abs(term);
                }
                const double wanted = 1.5 * sum + (beta == 0.f ? 0 : beta * before[static_cast<std::size_t>(i * ldc + j)]);
                ASSERT_NEAR(c[static_cast<std::size_t>(i * ldc + j)], wanted, 1e-5 * (size + 1)) << i << ", " << j << " beta " << beta;
            }
            for (int j = n; j < ldc; ++j)
                ASSERT_EQ(c[static_cast<std::size_t>(i * ldc + j)], before[static_cast<std::size_t>(i * ldc + j)]);
        }
    }
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
    constexpr int kSize = 24, kThreads = 4;
    const auto run = [](int which) {
        std::vector<double> a(kSize * kSize), c(kSize * kSize), b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = std::sin(0.1 * static_cast<double>(i) + which);
            b[i] = std::cos(0.3 * static_cast<double>(i) - which);
        }
        blas().f64.gemm(false, false, kSize, kSize, kSize, 1, a.data(), kSize, b.data(), kSize, 0, c.data(), kSize);
        std::vector<int> pivots(kSize);
        blas().lapack64.gesv(kSize, kSize, a.data(), kSize, pivots.data(), b.data(), kSize);
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
