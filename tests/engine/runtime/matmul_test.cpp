// Matrix products against three plain loops, in every layout.
#include "tests/engine/runtime/reference.h"

#include "engine/ops/products/dot.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/thunks/product_operands.h"
#include "engine/tensor/errors.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <tuple>
#include <utility>

using namespace engine;
using reference::Order;

namespace {

std::mt19937 random_(2);

Tensor drawn(DType dtype, Dims shape, Order layout)
{
    return reference::make(dtype, shape, layout, [&] {
        return isDiscrete(dtype) ? static_cast<double>(random_() % 7) - 3 : std::uniform_real_distribution<double>(-1, 1)(random_);
    });
}

Tensor run(const OpRef &op, std::vector<Tensor> inputs)
{
    std::vector<Value> values;
    std::vector<Operand> operands;
    for (const Tensor &t : inputs) {
        values.emplace_back(t);
        operands.push_back({Type::ofRank(t.dtype(), t.rank())});
    }
    return evaluateOp(*op, values, op->outputTypes(operands))[0].tensor();
}

// Element (i, j) of a as a matrix with `rows` rows.
double element(const Tensor &t, std::int64_t i, std::int64_t j, bool column)
{
    if (t.rank() == 2) return t.at(i * t.shape()[1] + j);
    return t.at(column ? i : j);
}

void expectProduct(const Tensor &a, const Tensor &b, const Tensor &got, double scale = 1, const Tensor *z = nullptr, double beta = 0)
{
    const std::int64_t m = a.rank() == 2 ? a.shape()[0] : 1, n = b.rank() == 2 ? b.shape()[1] : 1, k = b.shape()[0];
    ASSERT_EQ(got.size(), m * n);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t p = 0; p < k; ++p) sum += element(a, i, p, false) * element(b, p, j, true);
            sum *= scale;
            if (z) sum += beta * z->at(i * n + j);
            const double tolerance = got.dtype() == DType::Float32 ? 1e-4 : got.dtype() == DType::Float16 ? 1e-1 : 1e-10;
            ASSERT_NEAR(got.at(i * n + j), sum, tolerance) << a.shape().text() << b.shape().text() << " at " << i << ", " << j;
        }
}

TEST(Matmul, everyRankLayoutAndDtype)
{
    struct Case {
        Dims a, b;
    };
    const Case cases[] = {{{2, 2}, {2, 2}}, {{5, 7}, {7, 3}},     {{1, 7}, {7, 1}}, {{5, 1}, {1, 4}}, {{0, 3}, {3, 4}},
                          {{4, 0}, {0, 3}}, {{40, 30}, {30, 20}}, {{9, 20}, {20}},  {{20}, {20, 9}},  {{33}, {33}},
                          {{0}, {0}},       {{6, 0}, {0}},        {{0}, {0, 6}}};
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int32, DType::Float16})
        for (const Case &c : cases)
            for (Order la : reference::kLayouts)
                for (Order lb : reference::kLayouts) {
                    const Tensor a = drawn(dtype, c.a, la), b = drawn(dtype, c.b, lb);
                    expectProduct(a, b, run(makeOp<Dot>(), {a, b}));
                    if (HasFatalFailure()) return;
                }
}

/// As if BLAS counted to so few: what is done with sizes and steps above 2^31 - 1.
class BlasLimit {
public:
    explicit BlasLimit(std::int64_t limit) : m_before(std::exchange(products::g_blasLimit, limit)) {}
    ~BlasLimit() { products::g_blasLimit = m_before; }

private:
    std::int64_t m_before;
};

TEST(Matmul, sizesThatBlasCannotCount)
{
    for (const std::int64_t limit : {1, 3, 7, 16, 30}) {
        const BlasLimit fewer(limit);
        for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16})
            for (const Order la : reference::kLayouts)
                for (const Order lb : reference::kLayouts) {
                    const std::pair<Dims, Dims> cases[] = {{{9, 20}, {20, 11}}, {{1, 40}, {40, 33}}, {{33, 40}, {40, 1}}, {{9, 20}, {20}},
                                                           {{20}, {20, 9}},     {{33}, {33}},        {{40, 5}, {5, 40}}};
                    for (const auto &[left, right] : cases) {
                        const Tensor a = drawn(dtype, left, la), b = drawn(dtype, right, lb);
                        expectProduct(a, b, run(makeOp<Dot>(), {a, b}));
                        if (HasFatalFailure()) return;
                    }
                    const Tensor z = drawn(dtype, {9, 11}, la), a = drawn(dtype, {9, 20}, la), b = drawn(dtype, {20, 11}, lb);
                    if (dtype == DType::Float16) continue;
                    for (const double beta : {0.5, 0.0}) {
                        const Tensor scale = Tensor::scalar(dtype, 2.0), keep = Tensor::scalar(dtype, beta);
                        expectProduct(a, b, run(makeOp<Gemm>(false), {z, scale, a, b, keep}), 2, &z, beta);
                        const Tensor x = drawn(dtype, {20}, lb), y = drawn(dtype, {9}, la);
                        expectProduct(a, x, run(makeOp<Gemv>(false, true), {y, scale, a, x, keep}), 2, &y, beta);
                        if (HasFatalFailure()) return;
                    }
                    const Tensor x = drawn(dtype, {9}, la), y = drawn(dtype, {11}, lb);
                    const Tensor outer = run(makeOp<Ger>(false, true), {z, Tensor::scalar(dtype, 2.0), x, y});
                    for (std::int64_t i = 0; i < 9; ++i)
                        for (std::int64_t j = 0; j < 11; ++j)
                            ASSERT_NEAR(outer.at(i * 11 + j), z.at(i * 11 + j) + 2 * x.at(i) * y.at(j), 1e-5) << limit;
                }
    }
}

// Two rows so far apart that their distance is no int: no more than two pages are ever there.
TEST(Matmul, rowsThatLieFarApart)
{
    constexpr std::int64_t kApart = (std::int64_t(1) << 31) + 16, kBytes = (kApart + 64) * static_cast<std::int64_t>(sizeof(double));
    void *const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) GTEST_SKIP() << "this machine gives no 16 GiB of addresses";
    auto *const values = static_cast<double *>(memory);
    for (int i = 0; i < 6; ++i) values[i] = i + 1, values[kApart + i] = 10 * (i + 1);
    const Tensor far(DType::Float64, {2, 6}, {kApart * 8, 8}, memory, nullptr),
        turned(DType::Float64, {6, 2}, {8, kApart * 8}, memory, nullptr), column(DType::Float64, {2}, {kApart * 8}, memory, nullptr);
    const Tensor square = drawn(DType::Float64, {6, 6}, Order::Contiguous), two = drawn(DType::Float64, {2, 2}, Order::Contiguous);
    expectProduct(far.copy(), square, run(makeOp<Dot>(), {far, square}));
    expectProduct(far.copy(), turned.copy(), run(makeOp<Dot>(), {far, turned}));
    expectProduct(two, column.copy(), run(makeOp<Dot>(), {two, column}));
    expectProduct(column.copy(), column.copy(), run(makeOp<Dot>(), {column, column}));
    munmap(memory, kBytes);
}

// More multiply-adds than go into one call of BLAS.
TEST(Matmul, largeOnesInParts)
{
    for (const auto &[m, n, k] : {std::tuple(700, 600, 900), std::tuple(130, 40, 70000), std::tuple(40, 3000, 3000)}) {
        const Tensor a = drawn(DType::Float64, {m, k}, Order::Contiguous), b = drawn(DType::Float64, {k, n}, Order::Fortran);
        const Tensor c = run(makeOp<Dot>(), {a, b});
        for (int sample = 0; sample < 50; ++sample) {
            const std::int64_t i = random_() % m, j = random_() % n;
            double sum = 0;
            for (std::int64_t p = 0; p < k; ++p) sum += a.at(i * k + p) * b.at(p * n + j);
            ASSERT_NEAR(c.at(i * n + j), sum, 1e-8) << m << " " << n << " " << k;
        }
    }
}

TEST(Matmul, mixedDtypes)
{
    const Tensor a = drawn(DType::Float32, {5, 4}, Order::Contiguous), b = drawn(DType::Float64, {4, 3}, Order::Fortran);
    const Tensor c = run(makeOp<Dot>(), {a, b});
    EXPECT_EQ(c.dtype(), DType::Float64);
    expectProduct(a, b, c);
}

TEST(Matmul, complexOnesAreNotConjugated)
{
    Tensor a = Tensor::empty(DType::Complex128, {1, 1}), b = Tensor::empty(DType::Complex128, {1, 1});
    *a.as<std::complex<double>>() = {1, 2};
    *b.as<std::complex<double>>() = {3, 4};
    const Tensor c = run(makeOp<Dot>(), {a, b});
    EXPECT_EQ(*c.as<std::complex<double>>(), std::complex<double>(-5, 10));
}

TEST(Matmul, gemmAndGemvAddToWhatIsThere)
{
    for (Order layout : reference::kLayouts)
        for (std::int64_t size : {3, 40}) {
            const Tensor a = drawn(DType::Float32, {size, size + 2}, layout), b = drawn(DType::Float32, {size + 2, 5}, layout);
            const Tensor z = drawn(DType::Float32, {size, 5}, layout), x = drawn(DType::Float32, {size + 2}, layout);
            const Tensor y = drawn(DType::Float32, {size}, layout);
            const Tensor alpha = Tensor::scalar(DType::Float32, 0.5), beta = Tensor::scalar(DType::Float32, -2);
            expectProduct(a, b, run(makeOp<Gemm>(false), {z, alpha, a, b, beta}), 0.5, &z, -2);
            expectProduct(a, x, run(makeOp<Gemv>(false, true), {y, alpha, a, x, beta}), 0.5, &y, -2);
            const Tensor outer = run(makeOp<Ger>(false, true), {z, alpha, y, drawn(DType::Float32, {5}, layout)});
            EXPECT_EQ(outer.shape(), z.shape());
            if (HasFatalFailure()) return;
        }
}

// What is not finite stays so, and where it is: with factors of 0, inf and nan, in operands and where products overflow.
class Factors : public testing::TestWithParam<std::tuple<DType, int, Order>> {};
INSTANTIATE_TEST_SUITE_P(Matmul, Factors,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Values(2, 9, 40, 180),
                                          testing::Values(Order::Contiguous, Order::Fortran, Order::Stepped)));

void expectAlike(const Tensor &got, const std::vector<double> &wanted, const std::string &what)
{
    ASSERT_EQ(got.size(), static_cast<std::int64_t>(wanted.size()));
    for (std::int64_t i = 0; i < got.size(); ++i) {
        const double value = wanted[static_cast<std::size_t>(i)];
        if (std::isfinite(value)) ASSERT_NEAR(got.at(i), value, 1e-3 + 1e-5 * std::abs(value)) << what << " at " << i;
        else if (std::isnan(value)) ASSERT_TRUE(std::isnan(got.at(i))) << what << " at " << i << ": " << got.at(i);
        else ASSERT_EQ(got.at(i), value) << what << " at " << i;
    }
}

TEST_P(Factors, keepNanAndInf)
{
    const auto [dtype, size, layout] = GetParam();
    const std::int64_t m = size, n = std::min(size + 1, 33), k = size + 2;
    const double huge = dtype == DType::Float32 ? 3e38 : 1e308;
    const auto poisoned = [&, dtype = dtype, layout = layout](Dims shape, bool overflows, double poison) {
        std::int64_t i = 0;
        return reference::make(dtype, shape, layout, [&] {
            const std::int64_t at = i++;
            if (at == 1) return overflows ? huge : poison;
            return at % 5 == 0 ? 0. : static_cast<double>(random_() % 7) - 3;
        });
    };
    for (const double poison : {double(NAN), double(INFINITY), 1.})
        for (const double alpha : {0., 1., -2., double(INFINITY), double(NAN)})
            for (const double beta : {0., 1., -2.}) {
                const bool overflows = poison == 1; // a library may multiply by an ordinary factor first
                if (overflows && alpha == -2) continue;
                const Tensor a = poisoned({m, k}, overflows, poison), b = poisoned({k, n}, false, 1), x = poisoned({k}, false, 1);
                const Tensor z = poisoned({m, n}, false, poison), y = poisoned({m}, false, poison), w = poisoned({n}, overflows, 1);
                const Tensor one = Tensor::scalar(dtype, alpha), two = Tensor::scalar(dtype, beta);
                const std::string what =
                    "poison " + std::to_string(poison) + ", alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta);
                const auto rounded = [dtype = dtype](double v) {
                    return dtype == DType::Float32 ? static_cast<double>(static_cast<float>(v)) : v;
                };
                const auto numbers = [](const Tensor &t) {
                    std::vector<double> result;
                    for (std::int64_t i = 0; i < t.size(); ++i) result.push_back(t.at(i));
                    return result;
                };
                const std::vector<double> as = numbers(a), bs = numbers(b);
                std::vector<double> gemm, scaled, gemv, ger;
                for (std::int64_t i = 0; i < m; ++i) {
                    for (std::int64_t j = 0; j < n; ++j) {
                        double sum = 0;
                        const double *left = as.data() + i * k, *right = bs.data() + j;
                        for (std::int64_t p = 0; p < k; ++p) sum += left[p] * right[p * n];
                        scaled.push_back(alpha * rounded(sum));
                        gemm.push_back(beta * z.at(i * n + j) + scaled.back());
                        ger.push_back(z.at(i * n + j) + alpha * rounded(y.at(i) * w.at(j)));
                    }
                    double sum = 0;
                    for (std::int64_t p = 0; p < k; ++p) sum += a.at(i * k + p) * x.at(p);
                    gemv.push_back(beta * y.at(i) + alpha * rounded(sum));
                }
                expectAlike(run(makeOp<Gemm>(false), {z, one, a, b, two}), gemm, "gemm, " + what);
                expectAlike(run(makeOp<Dot22Scalar>(), {a, b, one}), scaled, "dot22scalar, " + what);
                expectAlike(run(makeOp<Gemv>(false, true), {y, one, a, x, two}), gemv, "gemv, " + what);
                expectAlike(run(makeOp<Ger>(false, true), {z, one, y, w}), ger, "ger, " + what);
                if (HasFatalFailure()) return;
            }
}

TEST(Matmul, inPlaceFormsWriteIntoTheirInput)
{
    for (Order layout : {Order::Contiguous, Order::Fortran, Order::Stepped, Order::Reversed}) {
        Tensor z = drawn(DType::Float64, {6, 5}, layout);
        const Tensor before = z.copy(), a = drawn(DType::Float64, {6, 4}, layout), b = drawn(DType::Float64, {4, 5}, layout);
        const Tensor one = Tensor::scalar(DType::Float64, 1);
        const View inputs[] = {z.view(), one.view(), a.view(), b.view(), one.view()};
        View outputs[] = {z.view()};
        PerformArgs args{inputs, outputs, {}};
        makeOp<Gemm>(true)->perform(args);
        expectProduct(a, b, z, 1, &before, 1);
        Tensor w = drawn(DType::Float64, {6}, layout);
        const Tensor old = w.copy(), x = drawn(DType::Float64, {5}, layout);
        const View vectors[] = {w.view(), one.view(), z.view(), x.view(), one.view()};
        View result[] = {w.view()};
        PerformArgs more{vectors, result, {}};
        makeOp<Gemv>(true, true)->perform(more);
        expectProduct(z, x, w, 1, &old, 1);
        if (HasFatalFailure()) return;
    }
}

TEST(Matmul, sizesThatDoNotFitAreNamed)
{
    try {
        run(makeOp<Dot>(), {Tensor::zeros(DType::Float64, {5, 10}), Tensor::zeros(DType::Float64, {20, 10})});
        FAIL();
    } catch (const ShapeMismatch &error) {
        EXPECT_STREQ(error.what(), "Shape mismatch: x has 10 cols (and 5 rows) but y has 20 rows (and 10 cols)");
    }
}

} // namespace
