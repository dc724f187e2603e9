// Rewrites that invert or combine constants keep digits in every dtype: 1 / 1e-5 is infinite in float16, 1 / 3e38 denormal in float32.
#include "engine/values/precise_graph.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

namespace rewrite_test {
namespace {

struct Kind {
    DType dtype;
    const char *name;
    std::vector<double> constants; ///< large, small, and such whose reciprocals or products are infinite or denormal
};

const std::vector<Kind> &kinds()
{
    static const std::vector<Kind> all = {
        {DType::Float16, "float16", {3, 0.1, 1e-5, 6e-8, 300, 4e4, 6e4, 0.001}},
        {DType::Float32, "float32", {3, 0.1, 1e-40, 1e-45, 1e20, 3e38, 1e-20, 2e-38}},
        {DType::Float64, "float64", {3, 0.1, 1e-310, 5e-324, 1e200, 1.7e308, 1e-200, 3e-308}},
    };
    return all;
}

const char *const kTemplates[] = {
    "x / c",
    "-(x / c)",
    "x / c / d",
    "x / (d / c)",
    "x * c * d",
    "c * (d * x)",
    "x * c / d",
    "x / c * y",
    "c / x / d",
    "c / (d * x)",
    "inv(x) / c",
    "(x / c) + (y / c)",
    "(x / c + y / d) * y",
    "x * (y / c)",

    "log(abs(x) / c)",
    "sigmoid(-(x / c))",
    "1 / (1 + exp(-(x / c)))",

    "tanh(x / c)",
    "(x + c) + d",
    "sum(x / c)",
    "sum(x / c) / d",
    "sum(c * x * d)",
    "abs(x / c)",
    "x / c / y",
    "maximum(x / c, y / c)",
    "sqr(x / c)",
    "(x / c) ** 2",
    "dot(x / c, y)",
    "x: dmatrix; y: dvector; dot(x, y) / c",
    "x: dmatrix; y: dmatrix; y + dot(x, y) / c",
    "(x * c) ** 2 / d",
};

void replaceAll(std::string &text, const std::string &from, const std::string &to)
{
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}

/// The template with two constants put in, and inputs of that dtype.
std::string programOf(const Kind &kind, const std::string &pattern, double c, double d)
{
    const auto number = [&](double value) {
        char text[64];
        std::snprintf(text, sizeof text, "constant(%.17g, %s)", value, kind.name);
        return std::string(text);
    };
    std::string text = pattern.find(':') == std::string::npos ? "x: dvector; y: dvector; " + pattern : pattern;
    replaceAll(text, "dvector", std::string(kind.name) + "[?]");
    replaceAll(text, "dmatrix", std::string(kind.name) + "[?,?]");
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto isLetter = [&](std::size_t k) { return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) != 0); };
        const bool isAlone = !isLetter(i + 1) && (i == 0 || !isLetter(i - 1));
        if (isAlone && text[i] == 'c') result += number(c);
        else if (isAlone && text[i] == 'd') result += number(d);
        else result += text[i];
    }
    return result;
}

Tensor valuesOf(const Kind &kind, const Dims &shape, std::mt19937 &random)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    // Of one sign, so that nothing cancels: a reciprocal is rounded.
    std::uniform_real_distribution<double> spread(0.5, 4);
    for (std::int64_t i = 0; i < result.size(); ++i) result.as<double>()[i] = spread(random);
    return result.converted(kind.dtype);
}

class Constants : public testing::TestWithParam<std::size_t> {};

TEST_P(Constants, KeepTheDigitsOfWhatIsWritten)
{
    const Kind &kind = kinds()[GetParam()];
    std::mt19937 random(5);
    for (const char *pattern : kTemplates)
        for (double c : kind.constants)
            for (double d : kind.constants) {
                const std::string text = programOf(kind, pattern, c, d);
                const auto plain = parseGraph(text), graph = parseGraph(text);
                rewriteGraph(*graph, Mode::named("FAST_RUN"));
                std::vector<Value> inputs;
                for (VarId id : plain->inputs()) {
                    Dims shape;
                    for (int axis = 0; axis < plain->var(id).type.rank(); ++axis) shape.push_back(6);
                    inputs.emplace_back(valuesOf(kind, shape, random));
                }
                const Tensor written = evaluate(*plain, inputs)[0].tensor(), found = evaluate(*graph, inputs)[0].tensor();
                ReferenceBudget budget;
                const PreciseGraph precise = preciseGraph(*plain, plain->toposort(), inputs, budget);
                ASSERT_TRUE(precise.wanted[0]) << text;
                ASSERT_EQ(written.dtype(), found.dtype()) << text;
                for (std::int64_t i = 0; i < written.size(); ++i) {
                    const Precise &wanted = precise.wanted[0]->values[static_cast<std::size_t>(i)];
                    const double before = digitsLost(written.at(i), wanted, kind.dtype),
                                 after = digitsLost(found.at(i), wanted, kind.dtype);
                    EXPECT_LE(after, before + 1.3)
                        << text << ": " << written.at(i) << " became " << found.at(i) << ", exactly " << textOf(wanted, 9) << "\n"
                        << rewrite_test::textOf(*graph);
                    if (HasFailure()) break;
                }
            }
}

TEST(Powers, AreAFewUnitsOff)
{
    std::mt19937 random(2);
    std::uniform_real_distribution<double> spread(0.5, 2);
    for (const DType dtype : {DType::Float32, DType::Float64})
        for (int n = 2; n <= 40; ++n) {
            const std::string text = "x: " + std::string(nameOf(dtype)) + "[?]; x ** " + std::to_string(n);
            const auto plain = parseGraph(text), graph = parseGraph(text);
            rewriteGraph(*graph, Mode::named("FAST_RUN"));
            Tensor x = Tensor::empty(DType::Float64, {400});
            for (std::int64_t i = 0; i < x.size(); ++i) x.as<double>()[i] = spread(random);
            const std::vector<Value> inputs{Value(x.converted(dtype))};
            const Tensor found = evaluate(*graph, inputs)[0].tensor();
            ReferenceBudget budget;
            const PreciseGraph precise = preciseGraph(*plain, plain->toposort(), inputs, budget);
            double worst = 0;
            for (std::int64_t i = 0; i < found.size(); ++i) {
                int exponent;
                std::frexp(found.at(i), &exponent);
                const Precise off = Precise(found.at(i)) - precise.wanted[0]->values[static_cast<std::size_t>(i)];
                worst = std::max(worst, std::fabs(std::ldexp(off.toDouble(), (dtype == DType::Float32 ? 24 : 53) - exponent)));
            }
            EXPECT_LE(worst, n > 10 ? 3 : 6) << text << ": " << rewrite_test::textOf(*graph);
        }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Constants, testing::Range<std::size_t>(0, 3), [](const auto &info) { return kinds()[info.param].name; });

} // namespace
} // namespace rewrite_test
