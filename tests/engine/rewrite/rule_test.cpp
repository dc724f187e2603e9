// Rules in the notation: what they match, what they make of it, what they say where they do not.
#include "engine/rewrite/machine/rule.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

namespace rewrite_test {
namespace {

// Run by name only. Their sides are not equal: what is tested is what they find.
#define TEST_RULE(NAME) REWRITE(NAME, Phase::Specialize).why("for the test").off()
TEST_RULE(rule_order).turns("maximum(sin(x), cos(y))", "sin(x) - cos(y)");
TEST_RULE(rule_number).turns("tan(x) * 3", "sin(x)");
TEST_RULE(rule_small_number).turns("tan(x) * 0.1", "sin(x)");
TEST_RULE(rule_same).turns("sin(x) * cos(x)", "x");
TEST_RULE(rule_same_function).turns("s = sin(x); s * cos(s)", "s");
TEST_RULE(rule_rest).turns("sin(x) + y", "tan(y)", {"y takes the rest"});
TEST_RULE(rule_flat_rest).generally("sin(x) * y", "x * y", {"y takes the rest"}).asWritten();
TEST_RULE(rule_spelled).turns("sin(x) - sqr(y)", "x").turns("tan(-x)", "x").turns("1 / sinh(x)", "x");
TEST_RULE(rule_as_written).turns("sin(x) - sqr(y)", "x").turns("tan(-x)", "x").turns("1 / sinh(x)", "x").asWritten();
TEST_RULE(rule_opposite).turns("cosh(x) * sinh(-x)", "x");
TEST_RULE(rule_drops).turns("sin(x) * cos(y)", "sin(x)").turns("arctan(x) * 1", "arctan(x)");
TEST_RULE(rule_computes)
    .turns("exp(x) * exp(y)", "exp(x + y)")
    .turns("1 + erf(x)", "erfc(-x)")
    .turns("sin(x) ** 2", "0.5 - 0.5 * cos(2 * x)");
TEST_RULE(rule_float).turns("sin(x) * y", "x", {"y is float"});
TEST_RULE(rule_signed).turns("sin(x) * y", "x", {"y is not unsigned"});
TEST_RULE(rule_alone).turns("s = sin(x); tan(s)", "x", {"s has no other client"});
TEST_RULE(rule_scaled).turns("s = sin(x); y * s", "y", {"s is only multiplied or divided"});
TEST_RULE(rule_shape).turns("sin(x) * y", "x", {"y has the shape of the result"});
TEST_RULE(rule_between).generally("x ** c", "x", {"c is above 2", "c is at most 4", "c is not 3"});
TEST_RULE(rule_even).generally("x ** c", "c * x", {"c is even"});
TEST_RULE(rule_positive).generally("cos(x)", "x", {"x is never negative"});
TEST_RULE(rule_made_by).generally("cos(x)", "x", {"x is not made by sin, exp or log"});
TEST_RULE(rule_constant).generally("x // c", "x", {"c is a constant"});
TEST_RULE(rule_guards_choose).generally("maximum(x, c)", "x", {"c is at most 0"});
TEST_RULE(rule_stays).stays("sin(cos(x))", "a cosine stays").turns("sin(x)", "x");
TEST_RULE(rule_real).turns("log(exp(x))", "x");
TEST_RULE(rule_complex).turns("tensor_copy(x)", "x").complexToo();

RewriteReport run(FunctionGraph &graph, const std::string &rule) { return rewriteGraph(graph, onlyMode({rule})); }

/// The graph after a rule; "" where it does not fire.
std::string after(const std::string &rule, const std::string &text)
{
    const auto graph = parseGraph(text);
    const RewriteReport report = run(*graph, rule);
    EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
    EXPECT_EQ(checkJournal(*graph), "");
    return timesFired(report, rule) ? textOf(*graph) : "";
}
std::string graphText(const std::string &text) { return textOf(*parseGraph(text)); }

/// Why a rule did not fire for the function that is looked at first: the one on top.
std::string reason(const std::string &rule, const std::string &text)
{
    const auto graph = parseGraph(text);
    const RewriteReport report = run(*graph, rule);
    for (const RewriteCounts &counts : report.rewrites)
        if (counts.info->name == rule && counts.fired == 0 && !counts.samples.empty()) return std::string(counts.samples[0].reason);
    return "";
}

TEST(Rule, OperandsMayStandInAnyOrderWhereThatMakesNoDifference)
{
    EXPECT_EQ(after("rule_order", "maximum(sin(a), cos(b))"), graphText("sin(a) - cos(b)"));
    EXPECT_EQ(after("rule_order", "maximum(cos(b), sin(a))"), graphText("sin(a) - cos(b)"));
    EXPECT_EQ(after("rule_order", "maximum(sin(a), sin(b))"), "");
    EXPECT_EQ(reason("rule_order", "maximum(sin(a), sin(b))"), "neither operand is cos(y)");
}

TEST(Rule, AConstantIsItsNumberInAnyRankAndThroughWhatRepeatsIt)
{
    for (const char *text : {"tan(x) * 3", "3.0 * tan(x)", "tan(x) * fill(x, 3.0)", "x: dtensor3; tan(x) * 3",
                             "x: dvector; tan(x) * dimshuffle(constant(3.0, float64), 'x')", "x: dvector; tan(x) * alloc(3.0, x.shape[0])",
                             "x: dscalar; tan(x) * 3", "x: fmatrix; tan(x) * 3"})
        EXPECT_NE(after("rule_number", text), "") << text;
    EXPECT_NE(after("rule_small_number", "x: fmatrix; tan(x) * constant(0.1, float32)"), "") << "0.1 as float32";
    EXPECT_EQ(reason("rule_number", "tan(x) * 4"), "no factor is the constant 3");
    EXPECT_EQ(reason("rule_number", "sin(x) * 3"), "no factor is tan(x)");
}

TEST(Rule, ANameStandsForOneValue)
{
    EXPECT_EQ(after("rule_same", "cos(a) * sin(a)"), "a");
    EXPECT_EQ(after("rule_same", "cos(a) * sin(b)"), "");
    EXPECT_NE(after("rule_same", "x: dvector; sin(constant([2.0], float64)) * cos(constant([2.0], float64)) + x"), "") << "equal numbers";
    EXPECT_EQ(after("rule_same", "x: dvector; sin(constant([2.0], float64)) * cos(constant([3.0], float64)) + x"), "");
    EXPECT_EQ(after("rule_same_function", "s = sin(a); s * cos(s)"), graphText("sin(a)"));
    EXPECT_EQ(after("rule_same_function", "sin(a) * cos(sin(b))"), "");
}

TEST(Rule, OneVariableMayTakeTheRestOfASum)
{
    EXPECT_EQ(after("rule_rest", "sin(a) + b"), graphText("tan(b)"));
    EXPECT_EQ(after("rule_rest", "add(b, sin(a), c, d)"), graphText("tan(add(b, c, d))"));
    EXPECT_EQ(after("rule_flat_rest", "mul(b, c, sin(a))"), graphText("mul(a, b, c)"));
    EXPECT_EQ(reason("rule_rest", "add(a, b, c)"), "no term of the sum is sin(x)");
}

TEST(Rule, SignsDifferencesSquaresAndReciprocalsAreFoundInAnySpelling)
{
    const char *spellings[] = {"sin(a) - sqr(b)",  "sin(a) - b * b",       "sin(a) - b ** 2", "sin(a) + -sqr(b)",
                               "-sqr(b) + sin(a)", "-1 * sqr(b) + sin(a)", "tan(-a)",         "tan(-1 * a)",
                               "tan(a * -1)",      "1 / sinh(a)",          "inv(sinh(a))"};
    for (const char *text : spellings) EXPECT_EQ(after("rule_spelled", text), "a") << text;
    for (const char *text : {"sqr(b) - sin(a)", "sin(a) + sqr(b)", "sin(a) - b * c", "tan(2 * a)", "2 / sinh(a)"})
        EXPECT_EQ(after("rule_spelled", text), "") << text;
    for (const char *text : {"sin(a) - sqr(b)", "tan(-a)", "1 / sinh(a)"}) EXPECT_EQ(after("rule_as_written", text), "a") << text;
    for (const char *text : {"sin(a) - b * b", "sin(a) + -sqr(b)", "tan(-1 * a)", "inv(sinh(a))"})
        EXPECT_EQ(after("rule_as_written", text), "") << text;
    EXPECT_EQ(after("rule_opposite", "cosh(a) * sinh(-a)"), "a");
    EXPECT_EQ(after("rule_opposite", "cosh(-a) * sinh(a)"), graphText("-a"));
    EXPECT_EQ(after("rule_opposite", "cosh(a) * sinh(a)"), "");
}

Value valuesOf(DType dtype, const Dims &shape)
{
    Tensor tensor = Tensor::empty(DType::Float64, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.as<double>()[i] = static_cast<double>(i % 5) - (isUnsignedInteger(dtype) || dtype == DType::Bool ? 0 : 2);
    return Value(tensor.converted(dtype));
}

TEST(Rule, TheShapeOfWhatIsDroppedStays)
{
    for (const char *text :
         {"r: drow; x: dmatrix; sin(r) * cos(x)", "r: float64[1,1]; x: dmatrix; sin(r) * cos(x)", "r: dcol; x: drow; cos(x) * sin(r)",
          "r: float64[1]; x: dvector; arctan(r) * fill(x, 1.0)", "r: drow; x: dmatrix; arctan(r) * alloc(1.0, x.shape[0], x.shape[1])",
          "r: float64[1]; arctan(r) * constant([1.0, 1.0, 1.0], float64)"}) {
        const auto before = parseGraph(text), graph = parseGraph(text);
        EXPECT_EQ(timesFired(run(*graph, "rule_drops"), "rule_drops"), 1u) << text;
        EXPECT_EQ(graph->var(graph->output(0)).type, before->var(before->output(0)).type) << text;
        std::vector<Value> inputs;
        for (VarId id : before->inputs()) {
            Dims shape;
            const Type type = before->var(id).type;
            for (int axis = 0; axis < type.rank(); ++axis) shape.push_back(type.isBroadcastable(axis) ? 1 : 3 + axis);
            inputs.push_back(valuesOf(type.dtype(), shape));
        }
        EXPECT_EQ(evaluate(*graph, inputs)[0].tensor().shape(), evaluate(*before, inputs)[0].tensor().shape()) << text;
    }
}

TEST(Rule, NarrowNumbersComputeInTheDtypeOfTheResult)
{
    for (const char *type : {"int8[?]", "uint8[?]", "int64[?]", "bool[?]", "float32[?]", "float64[?]"})
        for (const char *expression : {"exp(x) * exp(x * x)", "1 + erf(x)", "constant(1.0, float64) + erf(x)", "sin(x) ** 2"}) {
            const std::string text = std::string("x: ") + type + "; " + expression;
            SCOPED_TRACE(text);
            const auto before = parseGraph(text), graph = parseGraph(text);
            EXPECT_EQ(timesFired(run(*graph, "rule_computes"), "rule_computes"), 1u);
            const std::vector<Value> inputs{valuesOf(before->var(before->inputs()[0]).type.dtype(), {5})};
            EXPECT_EQ(difference(evaluate(*before, inputs)[0], evaluate(*graph, inputs)[0], 1e-5), "");
        }
}

TEST(Rule, ConditionsAreWordsAndSayWhatIsMissing)
{
    EXPECT_EQ(after("rule_float", "i: lmatrix; sin(a) * b"), "a");
    EXPECT_EQ(reason("rule_float", "i: lmatrix; sin(a) * i"), "y is int64, not float");
    EXPECT_EQ(reason("rule_signed", "u: uint8[?,?]; sin(a) * u"), "y is uint8");
    EXPECT_EQ(after("rule_alone", "tan(sin(a))"), "a");
    EXPECT_EQ(reason("rule_alone", "s = sin(a); tan(s), s"), "s has other readers");
    EXPECT_EQ(after("rule_scaled", "s = sin(a); b * s"), "b");
    EXPECT_NE(after("rule_scaled", "s = sin(a); b * s, s / b"), "");
    for (const char *text : {"s = sin(a); b * s, s", "s = sin(a); b * s, b / s", "s = sin(a); b * s, exp(s)"})
        EXPECT_EQ(reason("rule_scaled", text), "s is not only multiplied or divided") << text;
    EXPECT_EQ(reason("rule_shape", "r: drow; x: dmatrix; sin(x) * r"), "y has another shape than the result");
    EXPECT_EQ(after("rule_between", "a ** 4"), "a");
    for (const char *text : {"a ** 2", "a ** 3", "a ** 5", "a ** b"}) EXPECT_EQ(after("rule_between", text), "") << text;
    EXPECT_EQ(reason("rule_between", "a ** 3"), "c is 3");
    EXPECT_EQ(reason("rule_even", "a ** 3"), "c is not even");
    EXPECT_NE(after("rule_even", "a ** 6"), "");
    EXPECT_EQ(after("rule_positive", "cos(exp(a))"), graphText("exp(a)"));
    EXPECT_EQ(after("rule_positive", "cos(sinh(a))"), "");
    EXPECT_EQ(reason("rule_made_by", "cos(exp(a))"), "x is made by sin, exp or log");
    EXPECT_EQ(after("rule_made_by", "cos(a)"), "a");
    EXPECT_EQ(after("rule_constant", "a: dscalar; a // 2"), "a");
    EXPECT_EQ(reason("rule_constant", "a // b"), "c is not a constant");
    // The order of operands is free also where only the conditions tell them apart.
    EXPECT_EQ(after("rule_guards_choose", "maximum(-1.0, a)"), "a");
    EXPECT_EQ(after("rule_guards_choose", "maximum(a, -1.0)"), "a");
}

TEST(Rule, SomeStayAndComplexNumbersAreAskedFor)
{
    EXPECT_EQ(after("rule_stays", "sin(a)"), "a");
    EXPECT_EQ(reason("rule_stays", "sin(cos(a))"), "a cosine stays");
    EXPECT_EQ(reason("rule_real", "z: zvector; log(exp(z))"), "it is said of real numbers only");
    EXPECT_EQ(after("rule_complex", "z: zvector; tensor_copy(z)"), "z");
}

TEST(Rule, WhatCannotBeReadIsRefusedByName)
{
    const auto refusal = [](RuleText::Turn turn) -> std::string {
        try {
            RuleText text;
            text.turns.push_back(std::move(turn));
            Rule("its_name", std::move(text)).scalars();
        } catch (const InternalError &error) {
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string &text, const std::string &part) {
        return text.find(part) != std::string::npos && text.find("its_name") != std::string::npos;
    };
    EXPECT_EQ(refusal({"sin(x)", "x", {}}), "");
    EXPECT_PRED2(has, refusal({"sin(x)", "x", {"x is wet"}}), "\"x is wet\" mean nothing");
    EXPECT_PRED2(has, refusal({"sin(x)", "x", {"x has friends"}}), "mean nothing");
    EXPECT_PRED2(has, refusal({"sin(x)", "x", {"z is float"}}), "there is no 'z'");
    EXPECT_PRED2(has, refusal({"sin(x)", "x + y", {}}), "the left side has no 'y'");
    EXPECT_PRED2(has, refusal({"sin(x", "x", {}}), "sin(x");
    EXPECT_PRED2(has, refusal({"x", "x", {}}), "no function");
}

} // namespace
} // namespace rewrite_test
