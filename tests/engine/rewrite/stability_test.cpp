// Golden forms and values far from zero, with gradients: logistic function, log-sum-exp, cross-entropy of a softmax.
#include "engine/gradient/gradient.h"
#include "engine/ops/reductions/reduce.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

#include <array>

namespace rewrite_test {
namespace {

Mode modeOf(bool croton)
{
    Mode mode = Mode::named("FAST_RUN");
    if (!croton) mode.excluding = {"croton"};
    return mode;
}

Tensor vectorOf(const std::vector<double> &values)
{
    Tensor result = Tensor::empty(DType::Float64, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) result.as<double>()[i] = values[i];
    return result;
}

Tensor matrixOf(const std::vector<std::vector<double>> &rows)
{
    Tensor result = Tensor::empty(DType::Float64, {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())});
    double *at = result.as<double>();
    for (const std::vector<double> &row : rows)
        for (double value : row) *at++ = value;
    return result;
}

std::string optimized(const std::string &text, bool croton)
{
    const auto graph = parseGraph(text);
    rewriteGraph(*graph, modeOf(croton));
    return textOf(*graph);
}

TEST(GoldenForms, LogisticFunction)
{
    for (bool croton : {false, true})
        for (const char *form : {"1 / (1 + exp(-x))", "exp(x) / (1 + exp(x))", "inv(1 + exp(-x))"})
            EXPECT_NE(optimized("x: dvector; " + std::string(form), croton).find("sigmoid"), std::string::npos) << form;
    EXPECT_EQ(optimized("x: dvector; 1 / (1 + exp(-x))", true), "Elemwise{sigmoid,no_inplace}(x)");
}

TEST(GoldenForms, LogarithmOfOneMinusTheLogisticFunction)
{
    for (bool croton : {false, true}) {
        const std::string text = optimized("x: dvector; log(1 - sigmoid(x))", croton);
        EXPECT_EQ(text, "Elemwise{Composite{(-scalar_softplus(i0))}}(x)");
    }
}

struct Wanted {
    double loss;
    std::vector<double> gradient;
};

/// -log(softmax(x))[t] and its gradient, computed without overflow.
Wanted crossEntropy(const std::vector<double> &x, std::size_t t)
{
    const double largest = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (double value : x) sum += std::exp(value - largest);
    Wanted wanted{largest + std::log(sum) - x[t], {}};
    for (std::size_t i = 0; i < x.size(); ++i) wanted.gradient.push_back(std::exp(x[i] - largest) / sum - (i == t ? 1 : 0));
    return wanted;
}

const std::vector<std::vector<double>> kRows = {{800, -800, 0}, {-800, -800, -800}, {800, 800, 799}, {1e-20, 0, -1e-20}, {0.5, -2, 3}};
const std::vector<std::size_t> kClasses = {1, 0, 2, 2, 1};

void expectCrossEntropy(const std::string &text, bool withGradient = true)
{
    for (bool croton : {false, true}) {
        const ParsedExpression parsed = parseExpression(text);
        std::vector<VarRef> outputs = parsed.outputs;
        outputs.push_back(grad(sum(parsed.outputs[0]), std::vector<VarRef>{parsed.inputs[0]})[0]);
        const auto graph = graphOf(parsed.inputs, outputs);
        rewriteGraph(*graph, modeOf(croton));
        std::vector<std::int64_t> classes(kClasses.begin(), kClasses.end());
        const std::vector<Value> found = evaluate(*graph, {Value(matrixOf(kRows)), Value(Tensor::fromInts(classes))});
        for (std::size_t r = 0; r < kRows.size(); ++r) {
            const Wanted wanted = crossEntropy(kRows[r], kClasses[r]);
            const auto row = static_cast<std::int64_t>(r);
            EXPECT_TRUE(close(found[0].tensor().at(row), wanted.loss, 1e-12))
                << text << ", row " << r << ": " << found[0].tensor().at(row) << " not " << wanted.loss << "\n"
                << textOf(*graph);
            for (std::int64_t i = 0; i < 3 && withGradient; ++i)
                EXPECT_TRUE(close(found[1].tensor().at(3 * row + i), wanted.gradient[static_cast<std::size_t>(i)], 1e-12))
                    << text << ", gradient " << r << " " << i << ": " << found[1].tensor().at(3 * row + i) << " not "
                    << wanted.gradient[static_cast<std::size_t>(i)] << "\n"
                    << textOf(*graph);
        }
    }
}

TEST(GoldenValues, LogOfSoftmaxAtAnIndex) { expectCrossEntropy("x: dmatrix; t: lvector; -log(softmax(x))[arange(t.shape[0]), t]"); }
TEST(GoldenValues, LogOfIndexedSoftmax) { expectCrossEntropy("x: dmatrix; t: lvector; -log(softmax(x)[arange(t.shape[0]), t])"); }
TEST(GoldenValues, CategoricalCrossEntropy) { expectCrossEntropy("x: dmatrix; t: lvector; categorical_crossentropy(softmax(x), t)"); }
TEST(GoldenValues, SoftmaxByHand)
{
    // Its gradient is taken before any rewrite runs and keeps the overflow of exp(x).
    expectCrossEntropy("x: dmatrix; t: lvector; e = exp(x); -log(e / sum(e, axis=1, keepdims=True))[arange(t.shape[0]), t]", false);
}

TEST(GoldenValues, LogSumExpWithItsGradient)
{
    for (bool croton : {false, true}) {
        const ParsedExpression parsed = parseExpression("x: dmatrix; log(sum(exp(x), axis=1))");
        std::vector<VarRef> outputs = parsed.outputs;
        outputs.push_back(grad(sum(parsed.outputs[0]), std::vector<VarRef>{parsed.inputs[0]})[0]);
        const auto graph = graphOf(parsed.inputs, outputs);
        rewriteGraph(*graph, modeOf(croton));
        const std::vector<Value> found = evaluate(*graph, {Value(matrixOf(kRows))});
        for (std::size_t r = 0; r < kRows.size(); ++r) {
            const auto row = static_cast<std::int64_t>(r);
            const Wanted wanted = crossEntropy(kRows[r], 0);
            EXPECT_TRUE(close(found[0].tensor().at(row), wanted.loss + kRows[r][0], 1e-12))
                << r << ": " << found[0].tensor().at(row) << "\n"
                << textOf(*graph);
            for (std::int64_t i = 0; i < 3; ++i) {
                const double softmax = wanted.gradient[static_cast<std::size_t>(i)] + (i == 0 ? 1 : 0);
                EXPECT_TRUE(close(found[1].tensor().at(3 * row + i), softmax, 1e-12))
                    << "gradient " << r << " " << i << ": " << found[1].tensor().at(3 * row + i) << " not " << softmax << "\n"
                    << textOf(*graph);
            }
        }
    }
}

TEST(GoldenValues, FormsThatCancelOrOverflow)
{
    struct Case {
        const char *text;
        double at, wanted;
    };
    const std::array cases = {
        Case{"x: dvector; log(erfc(x))", 30, -903.97411711064388},
        Case{"x: dvector; log(1 - exp(x))", -1e-20, std::log(1e-20)},
        Case{"x: dvector; exp(x) - 1", 1e-20, 1e-20},
        Case{"x: dvector; 1 - erf(x)", 10, std::erfc(10)},
        Case{"x: dvector; (exp(x) - exp(-x)) / (exp(x) + exp(-x))", 800, 1},
        Case{"x: dvector; exp(x) - exp(-x)", 1e-20, 2e-20},
        Case{"x: dvector; log(cosh(x))", -800, 800 - std::log(2)},
        Case{"x: dvector; 1 - cos(x)", 1e-9, 5e-19},
        Case{"x: dvector; sqrt(1 + x) - 1", 1e-20, 5e-21},
        Case{"x: dvector; log(prod(sqr(x)))", 1e-200, std::log(1e-200) * 2},
    };
    for (const Case &one : cases) {
        const auto graph = parseGraph(one.text);
        rewriteGraph(*graph, modeOf(true));
        const double found = evaluate(*graph, {Value(vectorOf({one.at}))})[0].tensor().at(0);
        EXPECT_LE(std::fabs(found - one.wanted), 1e-12 * std::fabs(one.wanted))
            << one.text << " at " << one.at << " is " << found << ": " << textOf(*graph);
    }
}

} // namespace
} // namespace rewrite_test
