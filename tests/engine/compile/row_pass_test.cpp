// Groups that go over a matrix once give the same bits as their parts one after the other.
#include "tests/engine/compile/build.h"

#include "engine/gradient/gradient.h"
#include "engine/runtime/plan/order.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace build;

namespace {

Tensor randomTensor(DType dtype, const Dims &shape, unsigned seed)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    std::uint32_t state = seed * 2654435761u + 1;
    for (std::int64_t i = 0; i < result.size(); ++i) {
        state = state * 1664525u + 1013904223u;
        result.as<double>()[i] = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    }
    return result.converted(dtype);
}

struct Regression {
    VarRef x, y, w, b;
    std::shared_ptr<Function> train;

    Regression(DType dtype, std::int64_t features, bool grouped, bool profiled = false)
    {
        x = matrix("x", dtype);
        y = vector("y", dtype);
        w = shared(randomTensor(dtype, {features}, 7), "w");
        b = shared(Tensor::zeros(dtype, {}), "b");
        const VarRef p = elementwise(ScalarCode::Sigmoid, {add(dot(x, w), b)});
        const VarRef error = sub(p, y);
        const VarRef cost = mean(mul(error, error));
        const VarRef wrt[] = {w, b};
        const auto g = grad(cost, wrt);
        const VarRef rate = constantOf(dtype, 0.1);
        FunctionSpec spec = request({x, y}, {cost, error}, {{w, sub(w, mul(rate, g[0]))}, {b, sub(b, mul(rate, g[1]))}});
        if (!grouped) spec.mode.excluding.push_back("one_pass_over_rows");
        spec.profile = profiled;
        train = Function::compile(spec);
    }
};

class Sizes : public testing::TestWithParam<std::tuple<DType, int, int>> {};
INSTANTIATE_TEST_SUITE_P(RowPass, Sizes,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Values(1, 7, 40, 400, 403),
                                          testing::Values(1, 33, 784, 9000)));

TEST_P(Sizes, sameBitsAsThePartsAlone)
{
    const auto [dtype, rows, features] = GetParam();
    const Regression one(dtype, features, true), two(dtype, features, false);
    ASSERT_EQ(one.train->graph().groups.size(), 1u);
    ASSERT_TRUE(two.train->graph().groups.empty());
    const Tensor data = randomTensor(dtype, {rows, features}, 1), target = randomTensor(dtype, {rows}, 2);
    for (int step = 0; step < 3; ++step) {
        const auto a = call(*one.train, {data, target}), b = call(*two.train, {data, target});
        EXPECT_TRUE(a[0].sameAs(b[0]));
        EXPECT_TRUE(a[1].sameAs(b[1]));
        EXPECT_TRUE(one.w->container()->value().tensor().sameAs(two.w->container()->value().tensor()));
        EXPECT_TRUE(one.b->container()->value().tensor().sameAs(two.b->container()->value().tensor()));
        if (step == 0) {
            one.train->compileKernels();
            two.train->compileKernels();
        }
    }
}

// As long as a pass takes, but of one number a row: what is summed up over the rows is a single number, too.
TEST(RowPass, aMatrixOfOneColumnGivesTheSameBits)
{
    const Regression one(DType::Float64, 1, true), two(DType::Float64, 1, false);
    const Tensor data = randomTensor(DType::Float64, {300'000, 1}, 1), target = randomTensor(DType::Float64, {300'000}, 2);
    const auto a = call(*one.train, {data, target}), b = call(*two.train, {data, target});
    EXPECT_TRUE(a[1].sameAs(b[1]));
    EXPECT_TRUE(one.w->container()->value().tensor().sameAs(two.w->container()->value().tensor()));
}

TEST(RowPass, keepsTheProductsInTheGraphAndTheirTimesApart)
{
    const Regression r(DType::Float32, 784, true, true);
    int products = 0;
    for (ApplyId id : r.train->order()) products += r.train->graph().apply(id).op->className() == "CGemv";
    EXPECT_EQ(products, 2);
    const Tensor data = randomTensor(DType::Float32, {400, 784}, 1), target = randomTensor(DType::Float32, {400}, 2);
    for (int step = 0; step < 5; ++step) call(*r.train, {data, target});
    const auto order = r.train->order();
    const auto totals = r.train->statistics().totals();
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(totals.at(i).first, 5u);
        if (r.train->graph().apply(order[i]).op->className() == "CGemv") {
            EXPECT_GT(totals[i].second, 0u);
        }
    }
}

TEST(RowPass, aRateOfZeroKeepsWhatOverflows)
{
    constexpr std::int64_t kRows = 403, kFeatures = 784;
    const VarRef x = matrix("x"), y = vector("y"), rate = scalar("rate");
    Tensor data = randomTensor(DType::Float64, {kRows, kFeatures}, 1);
    data.as<double>()[200 * kFeatures + 5] = 1e308;
    Tensor start = randomTensor(DType::Float64, {kFeatures}, 7);
    start.as<double>()[5] = 1e-300;
    start.as<double>()[6] = 1e3;
    data.as<double>()[200 * kFeatures + 6] = 1; // the product of that row is about 1000
    for (const bool grouped : {true, false}) {
        const VarRef w = shared(start.copy(), "w");
        FunctionSpec spec = request({x, y, rate}, {}, {{w, sub(w, mul(rate, dot(transpose(x), mul(dot(x, w), y))))}});
        if (!grouped) spec.mode.excluding.push_back("one_pass_over_rows");
        const auto f = Function::compile(spec);
        EXPECT_EQ(f->graph().groups.size(), grouped ? 1u : 0u);
        call(*f, {data, Tensor::full(DType::Float64, {kRows}, 1), Tensor::scalar(DType::Float64, 0)});
        const Tensor still = w->container()->value().tensor();
        for (std::int64_t i = 0; i < kFeatures; ++i) {
            if (i == 5) EXPECT_TRUE(std::isnan(still.at(i))) << still.at(i);
            else EXPECT_EQ(still.at(i), start.at(i)) << i;
        }
    }
}

TEST(RowPass, aMatrixThatIsNoMatrixOfRowsRunsPartByPart)
{
    const Regression one(DType::Float64, 300, true), two(DType::Float64, 300, false);
    const Tensor base = randomTensor(DType::Float64, {300, 200}, 3), target = randomTensor(DType::Float64, {200}, 2);
    const Tensor turned(DType::Float64, {200, 300}, {8, 1600}, base.data(), base.storage());
    const auto a = call(*one.train, {turned, target}), b = call(*two.train, {turned, target});
    EXPECT_TRUE(a[1].sameAs(b[1]));
    EXPECT_TRUE(one.w->container()->value().tensor().sameAs(two.w->container()->value().tensor()));
}

// The sum over the first product has to be known before the second vector: the two products cannot share a pass.
TEST(RowPass, workThatNeedsTheWholeVectorIsLeftAlone)
{
    const VarRef x = matrix("x"), v = vector("v");
    const VarRef z = dot(x, v);
    const VarRef scaled = trueDiv(elementwise(ScalarCode::Exp, {z}), sum(elementwise(ScalarCode::Exp, {z})));
    const auto result = [&](bool grouped) {
        FunctionSpec spec = request({x, v}, {dot(transpose(x), scaled)});
        if (!grouped) spec.mode.excluding.push_back("one_pass_over_rows");
        return call(*Function::compile(spec), {randomTensor(DType::Float64, {300, 200}, 1), randomTensor(DType::Float64, {200}, 4)})[0];
    };
    EXPECT_TRUE(result(true).sameAs(result(false)));
}

} // namespace
