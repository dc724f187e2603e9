// Whole graphs with more digits: sums that float64 gets wrong, and sums of whole numbers, which it gets right.
#include "engine/values/precise_graph.h"
#include "tests/engine/values/programs.h"

#include <cmath>

using namespace programs;

namespace {

Tensor counted(const Dims &shape, int from)
{
    Tensor tensor = Tensor::empty(DType::Float64, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<double>()[i] = static_cast<double>((i * 7 + from) % 11 - 5);
    return tensor;
}

PreciseGraph precise(const std::string &text, const std::vector<Value> &values, ReferenceBudget budget = {})
{
    const ParsedExpression program = parseExpression(text, DType::Float64);
    const FunctionGraph graph(program.inputs, program.outputs);
    return preciseGraph(graph, graph.toposort(), values, budget);
}

// Of whole numbers both are exact.
void expectWhole(const std::string &text, const std::vector<Value> &values)
{
    const PreciseGraph made = precise(text, values);
    ASSERT_TRUE(made.wanted.at(0)) << text;
    EXPECT_EQ(made.references[0], Reference::Precise) << text;
    EXPECT_TRUE(made.notes.empty()) << text << ": " << made.notes[0];
    const Tensor got = made.values[0].tensor().copy();
    ASSERT_EQ(made.wanted[0]->shape, got.shape()) << text;
    double sum = 0;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(made.wanted[0]->values[static_cast<std::size_t>(i)].toDouble(), got.as<double>()[i]) << text << " at " << i;
        sum += std::fabs(got.as<double>()[i]);
    }
    EXPECT_GT(sum, 0) << text;
}

TEST(PreciseGraph, convolutionsOfEveryKindMeetTheRightElements)
{
    const std::vector<Value> arrays{counted({2, 4, 7, 6}, 1), counted({6, 2, 3, 2}, 4)};
    const std::string declared = "x: dtensor4; k: dtensor4; ";
    for (const std::string kind :
         {"border='valid'", "border='full'", "border='half', stride=2", "dilation=2", "flip=False", "method='gemm', flip=False"})
        expectWhole(declared + "conv2d(x, k, groups=2, " + kind + ")", arrays);
    expectWhole("x: dtensor4; g: dtensor4; conv2d_grad_kernels(x, g, [3, 2])", {counted({2, 4, 7, 6}, 1), counted({2, 3, 5, 5}, 4)});
    expectWhole("k: dtensor4; g: dtensor4; conv2d_grad_image(k, g, [7, 6], flip=False)",
                {counted({3, 4, 3, 2}, 1), counted({2, 3, 5, 5}, 4)});
    expectWhole("x: dtensor5; k: dtensor5; conv3d(x, k)", {counted({1, 2, 4, 3, 5}, 2), counted({2, 2, 2, 3, 2}, 3)});
}

TEST(PreciseGraph, convolutionsKeepWhatFloat64Cancels)
{
    Tensor image = Tensor::zeros(DType::Float64, {1, 1, 1, 3}), kernel = Tensor::full(DType::Float64, {1, 1, 1, 3}, 1);
    image.as<double>()[0] = 1e17, image.as<double>()[1] = 1, image.as<double>()[2] = -1e17;
    const PreciseGraph made = precise("x: dtensor4; k: dtensor4; conv2d(x, k)", {image, kernel});
    EXPECT_EQ(made.wanted.at(0)->values.at(0).toDouble(), 1);
}

TEST(PreciseGraph, poolingOfEveryKindMeetsTheRightElements)
{
    const std::vector<Value> image{counted({2, 3, 7, 6}, 1)};
    for (const std::string kind :
         {"mode='max'", "mode='sum'", "stride=1, mode='sum'", "ignore_border=False, mode='sum'", "pad=1, mode='max'"})
        expectWhole("x: dtensor4; pool_2d(x, 2, " + kind + ")", image);
    const PreciseGraph mean = precise("x: dtensor4; pool_2d(x, 3, mode='average_exc_pad')", image);
    for (std::size_t i = 0; i < mean.wanted.at(0)->values.size(); ++i)
        EXPECT_NEAR(mean.wanted[0]->values[i].toDouble(), mean.values[0].tensor().copy().as<double>()[i], 1e-14);
}

// So many products are done in pairs of doubles.
TEST(PreciseGraph, largeProductsAreRightAndKeepWhatFloat64Cancels)
{
    expectWhole("a: dmatrix; b: dmatrix; dot(a, b)", {counted({120, 110}, 1), counted({110, 90}, 4)});
    Tensor a = counted({110, 120}, 1), b = Tensor::full(DType::Float64, {120, 100}, 1);
    double sum = 0;
    for (std::int64_t k = 0; k < 60; ++k) a.as<double>()[k] = std::ldexp(1, 60) / 3;
    for (std::int64_t k = 60; k < 120; ++k) a.as<double>()[k] = -a.as<double>()[k - 60];
    a.as<double>()[7] = 1, a.as<double>()[67] = 1e-9; // in the place of two that cancel
    sum = 1 + 1e-9;
    const PreciseGraph made = precise("a: dmatrix; b: dmatrix; dot(a, b)", {a, b});
    const Precise &first = made.wanted.at(0)->values.at(0);
    EXPECT_LE(std::fabs(first.toDouble() - sum), static_cast<double>(first.error()));
    EXPECT_LT(first.error(), 1e-6) << "of numbers of 4e17, 120 of them";
    // Errors of what comes in go on: here all digits but two are lost in what is multiplied.
    const PreciseGraph lost = precise("a: dmatrix; b: dmatrix; dot((a + 1e30) - 1e30, b)", {a, b});
    EXPECT_NEAR(lost.wanted.at(0)->values.at(0).toDouble(), sum, 1e-11);
}

TEST(PreciseGraph, whatHasNoFormIsSaidAndWhatFollowsIsNotCalledPrecise)
{
    const PreciseGraph made = precise("x: dvector; erfinv(x) * 2, x + 1", {vectorOf({0.5, -0.25}, DType::Float64)});
    EXPECT_GT(made.references.at(0), Reference::Precise);
    EXPECT_EQ(made.references.at(1), Reference::Precise);
    ASSERT_EQ(made.notes.size(), 1u);
    EXPECT_NE(made.notes[0].find("53 bits"), std::string::npos) << made.notes[0];
}

TEST(PreciseGraph, tooMuchWorkIsSaidOnce)
{
    ReferenceBudget budget;
    budget.flops = 100;
    const PreciseGraph made =
        precise("x: dvector; exp(x) * 2 + sin(x) + cos(x)", {Value(vectorOf(std::vector<double>(60, 0.5), DType::Float64))}, budget);
    EXPECT_GT(made.references.at(0), Reference::Precise);
    ASSERT_EQ(made.notes.size(), 1u);
    EXPECT_NE(made.notes[0].find("too much work"), std::string::npos) << made.notes[0];
}

} // namespace
