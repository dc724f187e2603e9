// Whoever answers for matrix functions stays within what is given: operands end where memory of nobody begins.
#include "engine/device/cpu/blas.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace engine;

namespace {

// Pages, and one behind them that must not be touched.
class Fenced {
public:
    Fenced()
    {
        m_pages = static_cast<char *>(mmap(nullptr, kBytes + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(m_pages + kBytes, page(), PROT_NONE);
    }
    ~Fenced() { munmap(m_pages, kBytes + page()); }
    Fenced(const Fenced &) = delete;
    Fenced &operator=(const Fenced &) = delete;

    /// So many elements, `step` from each to the next one; the last one is the last of the pages.
    template <class T>
    T *last(int count, int step = 1) const
    {
        T *first = reinterpret_cast<T *>(m_pages + kBytes) - ((count - 1) * step + 1);
        for (int i = 0; i < count; ++i) first[i * step] = T(std::sin(0.7 * i + 0.2));
        return first;
    }

private:
    static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
    static constexpr std::size_t kBytes = std::size_t(1) << 18; // a multiple of every page
    char *m_pages;
};

template <class T>
class BlasEdges : public testing::Test {
protected:
    static void expectNear(T value, T wanted) { EXPECT_NEAR(std::abs(value - wanted), 0, 1e-4); }
    Fenced m_a, m_b, m_c;
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlasEdges, Types);

constexpr int kSizes[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 33};
constexpr int kSteps[] = {1, 2, 5};

TYPED_TEST(BlasEdges, dotsReadNoMore)
{
    for (int n : kSizes)
        for (int stepX : kSteps)
            for (int stepY : kSteps) {
                const auto *x = this->m_a.template last<TypeParam>(n, stepX), *y = this->m_b.template last<TypeParam>(n, stepY);
                TypeParam wanted(0);
                for (int i = 0; i < n; ++i) wanted += x[i * stepX] * y[i * stepY];
                this->expectNear(blas().of<TypeParam>().dot(n, x, stepX, y, stepY), wanted);
            }
}

TYPED_TEST(BlasEdges, productsWithVectorsReadNoMore)
{
    for (int m : kSizes)
        for (int n : kSizes)
            for (int stepX : kSteps)
                for (int stepY : kSteps)
                    for (bool turned : {false, true}) {
                        const int given = turned ? m : n, made = turned ? n : m;
                        const auto *a = this->m_a.template last<TypeParam>(m * n), *x = this->m_b.template last<TypeParam>(given, stepX);
                        auto *y = this->m_c.template last<TypeParam>(made, stepY);
                        TypeParam wanted = TypeParam(0.5) * y[(made - 1) * stepY];
                        for (int i = 0; i < given; ++i)
                            wanted += a[turned ? i * n + made - 1 : (made - 1) * n + i] * x[i * stepX] * TypeParam(1.5);
                        blas().of<TypeParam>().gemv(turned, m, n, TypeParam(1.5), a, n, x, stepX, TypeParam(0.5), y, stepY);
                        this->expectNear(y[(made - 1) * stepY], wanted);
                    }
}

TYPED_TEST(BlasEdges, outerProductsReadNoMore)
{
    for (int m : kSizes)
        for (int n : kSizes)
            for (int stepX : kSteps)
                for (int stepY : kSteps) {
                    auto *a = this->m_a.template last<TypeParam>(m * n);
                    const auto *x = this->m_b.template last<TypeParam>(m, stepX), *y = this->m_c.template last<TypeParam>(n, stepY);
                    const TypeParam wanted = a[m * n - 1] + TypeParam(1.5) * x[(m - 1) * stepX] * y[(n - 1) * stepY];
                    blas().of<TypeParam>().ger(m, n, TypeParam(1.5), x, stepX, y, stepY, a, n);
                    this->expectNear(a[m * n - 1], wanted);
                }
}

TYPED_TEST(BlasEdges, productsOfMatricesReadNoMore)
{
    for (int m : kSizes)
        for (int n : kSizes)
            for (int k : kSizes)
                for (bool turnA : {false, true})
                    for (bool turnB : {false, true}) {
                        const auto *a = this->m_a.template last<TypeParam>(m * k), *b = this->m_b.template last<TypeParam>(k * n);
                        auto *c = this->m_c.template last<TypeParam>(m * n);
                        TypeParam wanted = TypeParam(0.5) * c[m * n - 1];
                        for (int p = 0; p < k; ++p)
                            wanted +=
                                TypeParam(1.5) * a[turnA ? p * m + m - 1 : (m - 1) * k + p] * b[turnB ? (n - 1) * k + p : p * n + n - 1];
                        blas().of<TypeParam>().gemm(turnA, turnB, m, n, k, TypeParam(1.5), a, turnA ? m : k, b, turnB ? k : n,
                                                    TypeParam(0.5), c, n);
                        this->expectNear(c[m * n - 1], wanted);
                    }
}

} // namespace
