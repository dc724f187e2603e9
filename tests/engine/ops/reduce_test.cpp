// Reductions, argmax, products, softmax: rules, values against plain loops, gradients.
#include "tests/engine/ops/evaluate.h"

#include "engine/ops/elements/compose.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/tensor/errors.h"

using namespace testing_ops;

namespace {

VarRef input(DType dtype, int rank, const char *name = "x") { return Variable::input(Type::ofRank(dtype, rank), name); }

// Sum of x[i..] over axis 1 of a 3-d array, one element at a time.
std::vector<double> foldMiddle(const Tensor &x, double start, const std::function<double(double, double)> &f)
{
    const std::int64_t a = x.shape()[0], b = x.shape()[1], c = x.shape()[2];
    std::vector<double> result;
    for (std::int64_t i = 0; i < a; ++i)
        for (std::int64_t k = 0; k < c; ++k) {
            double total = start;
            for (std::int64_t j = 0; j < b; ++j) total = f(total, x.at((i * b + j) * c + k));
            result.push_back(total);
        }
    return result;
}

} // namespace

TEST(Reduce, NamesAndTypesAreTheanos)
{
    const VarRef f = input(DType::Float32, 2), b = input(DType::Bool, 2), u = input(DType::UInt8, 1);
    EXPECT_EQ(sum(f)->owner()->op().name(), "Sum{acc_dtype=float64}");
    EXPECT_EQ(sum(f, std::vector<int>{1})->owner()->op().name(), "Sum{axis=[1], acc_dtype=float64}");
    EXPECT_EQ(sum(f, std::vector<int>{-1})->owner()->opRef(), sum(f, std::vector<int>{1})->owner()->opRef());
    EXPECT_EQ(sum(f)->type().dtype(), DType::Float32);
    EXPECT_EQ(sum(b)->type().dtype(), DType::Int64);
    EXPECT_EQ(sum(u)->type().dtype(), DType::UInt64);
    EXPECT_EQ(reduce(ReduceKind::Max, u)->type().dtype(), DType::UInt8);
    EXPECT_EQ(reduce(ReduceKind::Max, u)->owner()->op().name(), "Reduce{maximum}");
    EXPECT_EQ(reduce(ReduceKind::Any, f, std::vector<int>{0})->owner()->op().name(), "Any{0}");
    EXPECT_EQ(mean(f)->type().dtype(), DType::Float32);
    EXPECT_EQ(mean(input(DType::Int32, 2))->type().dtype(), DType::Float64);
    EXPECT_EQ(mean(b)->type().dtype(), DType::Float64);
    EXPECT_EQ(sum(f, std::vector<int>{0}, true)->type().text(), "TensorType(float32, row)");
    EXPECT_EQ(sum(f, std::vector<int>{}), f);
    EXPECT_THROW(sum(f, std::vector<int>{2}), ShapeMismatch);
    EXPECT_THROW(sum(f, std::vector<int>{0, -2}), ShapeMismatch);
    EXPECT_THROW(reduce(ReduceKind::Sum, input(DType::Float64, 1), {}, false, DType::Float64, DType::Float32), TypeMismatch);
    EXPECT_THROW(reduce(ReduceKind::Max, input(DType::Complex64, 1)), TypeMismatch);
}

TEST(Reduce, ValuesOverOddShapesAndLayouts)
{
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> draw(-2, 2);
    for (const Dims &shape : {Dims{2, 3, 4}, Dims{1, 5, 1}, Dims{3, 1, 7}, Dims{0, 3, 2}, Dims{2, 0, 3}})
        for (reference::Order layout : reference::kLayouts) {
            const Tensor value = reference::make(DType::Float64, shape, layout, [&] { return draw(generator); });
            const VarRef x = variable(value);
            const std::vector<int> middle{1};
            const auto near = [&](const Tensor &got, const std::vector<double> &wanted) {
                ASSERT_EQ(static_cast<std::size_t>(got.size()), wanted.size());
                for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(got.at(static_cast<std::int64_t>(i)), wanted[i], 1e-12);
            };
            near(run(sum(x, middle), {x}, {value}), foldMiddle(value, 0, [](double a, double b) { return a + b; }));
            near(run(reduce(ReduceKind::Prod, x, middle), {x}, {value}), foldMiddle(value, 1, [](double a, double b) { return a * b; }));
            if (shape[1] == 0) continue;
            near(run(reduce(ReduceKind::Max, x, middle), {x}, {value}),
                 foldMiddle(value, -1e300, [](double a, double b) { return std::max(a, b); }));
            near(run(reduce(ReduceKind::Min, x, middle), {x}, {value}),
                 foldMiddle(value, 1e300, [](double a, double b) { return std::min(a, b); }));
            std::vector<double> means = foldMiddle(value, 0, [](double a, double b) { return a + b; });
            for (double &m : means) m /= static_cast<double>(shape[1]);
            near(run(mean(x, middle), {x}, {value}), means);
        }
}

TEST(Reduce, Gradients)
{
    const Tensor x = randomTensor({2, 3, 4}, 0.5, 2);
    for (const std::vector<int> &axes : {std::vector<int>{}, {0}, {1}, {2}, {0, 2}, {0, 1, 2}})
        for (bool keep : {false, true}) {
            const Axes list = axes.empty() ? Axes() : Axes(axes);
            verifyGrad([&](const std::vector<VarRef> &in) { return sum(in[0], list, keep); }, {x});
            verifyGrad([&](const std::vector<VarRef> &in) { return mean(in[0], list, keep); }, {x});
            verifyGrad([&](const std::vector<VarRef> &in) { return reduce(ReduceKind::Prod, in[0], list, keep); }, {x});
            verifyGrad([&](const std::vector<VarRef> &in) { return reduce(ReduceKind::Max, in[0], list, keep); }, {x});
            verifyGrad([&](const std::vector<VarRef> &in) { return reduce(ReduceKind::Min, in[0], list, keep); }, {x});
        }
    verifyGrad([](const std::vector<VarRef> &in) { return variance(in[0], std::vector<int>{1}); }, {x});
    verifyGrad([](const std::vector<VarRef> &in) { return variance(in[0], {}, false, 1); }, {x});
    verifyGrad([](const std::vector<VarRef> &in) { return standardDeviation(in[0], std::vector<int>{0}); }, {x});
    verifyGrad([](const std::vector<VarRef> &in) { return norm(in[0], 3, std::vector<int>{1}); }, {x});
}

TEST(Reduce, ProductWithZeros)
{
    const VarRef x = input(DType::Float64, 2);
    const VarRef wrt[] = {x};
    const VarRef g = grad(sum(reduce(ReduceKind::Prod, x, std::vector<int>{1})), wrt)[0];
    const Tensor value = fromList({2, 3, 4, 0, 5, 6, 0, 0, 7}, {3, 3});
    EXPECT_EQ(listOf(run(g, {x}, {value})), (std::vector<double>{12, 8, 6, 30, 0, 0, 0, 0, 0}));
}

TEST(Reduce, EveryMaximalElementGetsTheGradient)
{
    const VarRef x = input(DType::Float64, 1);
    const VarRef wrt[] = {x};
    EXPECT_EQ(listOf(run(grad(reduce(ReduceKind::Max, x), wrt)[0], {x}, {fromList({1, 3, 3}, {3})})), (std::vector<double>{0, 1, 1}));
}

TEST(Argmax, FirstOfEqualAndNaN)
{
    const VarRef x = input(DType::Float64, 2);
    const Tensor value = fromList({1, 3, 3, NAN, 9, 0}, {2, 3});
    EXPECT_EQ(argmax(x, std::vector<int>{1})->owner()->op().name(), "Argmax{axis=(1,)}");
    EXPECT_EQ(listOf(run(argmax(x, std::vector<int>{1}), {x}, {value})), (std::vector<double>{1, 0}));
    EXPECT_EQ(listOf(run(argmin(x, std::vector<int>{1}), {x}, {fromList({3, 1, 1, 5, 4, 6}, {2, 3})})), (std::vector<double>{1, 1}));
    EXPECT_EQ(run(argmax(x), {x}, {fromList({1, 3, 7, 0, 9, 0}, {2, 3})}).at(0), 4);
    const VarRef i = input(DType::Int8, 1);
    EXPECT_EQ(run(argmin(i), {i}, {fromList({5, -128, 127}, {3}, DType::Int8)}).at(0), 1);
    verifyGrad([](const std::vector<VarRef> &in) { return maxAndArgmax(in[0], std::vector<int>{0})[0]; }, {randomTensor({3, 4})});
    EXPECT_THROW(run(argmax(x), {x}, {fromList({}, {0, 3})}), std::exception);
}

TEST(Dot, EveryCombinationOfRanks)
{
    const auto product = [](const std::vector<VarRef> &in) { return dot(in[0], in[1]); };
    verifyGrad(product, {randomTensor({3}), randomTensor({3}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({3}), randomTensor({3, 4}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({2, 3}), randomTensor({3}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({2, 3}), randomTensor({3, 4}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({}), randomTensor({3, 4}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({2, 3, 4}), randomTensor({4, 2}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({0, 3}), randomTensor({3, 2}, -1, 1, 2)});
    verifyGrad(product, {randomTensor({2, 0}), randomTensor({0, 2}, -1, 1, 2)});
    const VarRef row = Variable::input(Type::broadcastable(DType::Float64, {true, false})), m = input(DType::Float64, 2);
    EXPECT_EQ(dot(row, m)->type().text(), "TensorType(float64, row)");
    EXPECT_EQ(dot(input(DType::Float32, 2), input(DType::Int32, 2))->type().dtype(), DType::Float64);
}

TEST(Dot, TensordotOuterAndBatches)
{
    const Tensor a = randomTensor({2, 3, 4}), b = randomTensor({4, 3, 5}, -1, 1, 2);
    const std::vector<int> axesA{1, 2}, axesB{1, 0};
    const VarRef x = variable(a), y = variable(b);
    const Tensor got = run(tensordot(x, y, axesA, axesB), {x, y}, {a, b});
    ASSERT_EQ(got.shape(), (Dims{2, 5}));
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t l = 0; l < 5; ++l) {
            double total = 0;
            for (std::int64_t j = 0; j < 3; ++j)
                for (std::int64_t k = 0; k < 4; ++k) total += a.at((i * 3 + j) * 4 + k) * b.at((k * 3 + j) * 5 + l);
            ASSERT_NEAR(got.at(i * 5 + l), total, 1e-12);
        }
    verifyGrad([&](const std::vector<VarRef> &in) { return tensordot(in[0], in[1], axesA, axesB); }, {a, b});
    verifyGrad([](const std::vector<VarRef> &in) { return outer(in[0], in[1]); }, {randomTensor({3}), randomTensor({4})});
    const auto batched = [](const std::vector<VarRef> &in) { return batchedDot(in[0], in[1]); };
    verifyGrad(batched, {randomTensor({2, 3, 4}), randomTensor({2, 4, 2})});
    verifyGrad(batched, {randomTensor({2, 3}), randomTensor({2, 3, 2})});
    verifyGrad(batched, {randomTensor({2, 4, 3}), randomTensor({2, 3})});
    verifyGrad(batched, {randomTensor({2, 3}), randomTensor({2, 3}, -1, 1, 4)});
    verifyGrad(batched, {randomTensor({3}), randomTensor({3, 2})});
    EXPECT_THROW(tensordot(x, y, axesA, std::vector<int>{0}), ShapeMismatch);
}

TEST(Softmax, ValuesGradientsAndErrors)
{
    const Tensor value = fromList({1, 2, 3, 1000, 1000, -1000}, {2, 3});
    const VarRef x = input(DType::Float64, 2);
    const Tensor p = run(softmax(x), {x}, {value});
    EXPECT_NEAR(p.at(0), 0.090030573170380462, 1e-15);
    EXPECT_NEAR(p.at(3), 0.5, 1e-15);
    EXPECT_EQ(p.at(5), 0);
    EXPECT_NEAR(run(logSoftmax(x), {x}, {value}).at(5), -2000 - std::log(2.0), 1e-9);
    verifyGrad([](const std::vector<VarRef> &in) { return softmax(in[0]); }, {randomTensor({3, 4})});
    verifyGrad([](const std::vector<VarRef> &in) { return logSoftmax(in[0]); }, {randomTensor({3, 4})});
    verifyGrad([](const std::vector<VarRef> &in) { return softmax(in[0]); }, {randomTensor({4})}, 1e-5, false);
    const VarRef y = Variable::constant(fromList({2, 0, 1}, {3}, DType::Int64));
    verifyGrad([&](const std::vector<VarRef> &in) { return categoricalCrossentropy(softmax(in[0]), y); }, {randomTensor({3, 4})}, 1e-5,
               false);
    const VarRef t = Variable::constant(randomTensor({3, 4}, 0, 1));
    verifyGrad([&](const std::vector<VarRef> &in) { return categoricalCrossentropy(softmax(in[0]), t); }, {randomTensor({3, 4})});
    const auto fused = [&](const std::vector<VarRef> &in) { return crossentropySoftmaxArgmax(in[0], in[1], y)[0]; };
    verifyGrad(fused, {randomTensor({3, 4}), randomTensor({4})}, 1e-5, false);
    const auto fusedSoftmax = [&](const std::vector<VarRef> &in) { return crossentropySoftmaxArgmax(in[0], in[1], y)[1]; };
    verifyGrad(fusedSoftmax, {randomTensor({3, 4}), randomTensor({4})}, 1e-5, false);
    // The gradient of the gradient.
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            const VarRef cost = sum(sqr(softmax(in[0])));
            const VarRef wrt[] = {in[0]};
            return grad(cost, wrt)[0];
        },
        {randomTensor({2, 3})}, 1e-5, false);
    EXPECT_THROW(run(categoricalCrossentropy(softmax(x), y), {x}, {value}), std::exception);
    EXPECT_THROW(run(categoricalCrossentropy(softmax(x), Variable::constant(fromList({2, 3}, {2}, DType::Int64))), {x}, {value}),
                 std::exception);
    EXPECT_THROW(softmax(input(DType::Int32, 2)), TypeMismatch);
    EXPECT_THROW(softmax(input(DType::Float64, 3)), ShapeMismatch);
}
