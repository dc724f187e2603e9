#include "engine/text/notation.h"

#include "engine/graph/op/op.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/text/print.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

std::string pretty(std::string_view text, DType floatX = DType::Float64)
{
    const ParsedExpression parsed = parseExpression(text, floatX);
    std::string out;
    for (const VarRef &output : parsed.outputs) out += (out.empty() ? "" : ", ") + prettyPrint(output);
    return out;
}

std::string typeOf(std::string_view text, DType floatX = DType::Float64)
{
    return parseExpression(text, floatX).outputs.at(0)->type().text();
}

struct Failure {
    std::string message;
    int line = 0, column = 0;
    std::string hint;
};

Failure failure(std::string_view text)
{
    try {
        parseExpression(text);
    } catch (const NotationError &error) {
        return {error.what(), error.line, error.column, error.hint};
    }
    return {"no error"};
}

TEST(Notation, ReadsTheExampleOfTheHeader)
{
    const ParsedExpression parsed = parseExpression("x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)");
    ASSERT_EQ(parsed.inputs.size(), 1u);
    EXPECT_EQ(parsed.inputs[0]->name(), "x");
    EXPECT_EQ(parsed.inputs[0]->type().text(), "TensorType(float32, matrix)");
    ASSERT_EQ(parsed.outputs.size(), 1u);
    EXPECT_EQ(parsed.outputs[0]->type().text(), "TensorType(float32, vector)");
    EXPECT_EQ(prettyPrint(parsed.outputs[0]), "sum(log((TensorConstant{1} + exp(x))), axis=0)");
    EXPECT_EQ(parsed.outputs[0]->owner()->input(0)->name(), "y");
}

TEST(Notation, PrecedenceIsPythons)
{
    const std::string declare = "x, y, z: dmatrix; ";
    EXPECT_EQ(pretty(declare + "x + y * z"), "(x + (y * z))");
    EXPECT_EQ(pretty(declare + "x - y - z"), "((x - y) - z)");
    EXPECT_EQ(pretty(declare + "-x ** y"), "(-(x ** y))");
    EXPECT_EQ(pretty(declare + "x ** -y ** z"), "(x ** (-(y ** z)))");
    EXPECT_EQ(pretty(declare + "-x * y"), "((-x) * y)");
    EXPECT_EQ(pretty(declare + "x / y // z % x"), "(((x / y) // z) % x)");
    EXPECT_EQ(pretty(declare + "x + y < z * x"), "lt((x + y), (z * x))");
    EXPECT_EQ(pretty(declare + "(x < y) & (y < z) | (x == z) ^ (x != y)"), "((lt(x, y) & lt(y, z)) | (eq(x, z) ^ neq(x, y)))");
    EXPECT_EQ(pretty(declare + "|x| + |y - z|"), "(|x| + |(y - z)|)");
    EXPECT_EQ(pretty(declare + "x @ y + z \\dot x"), "((x \\dot y) + (z \\dot x))");
    EXPECT_EQ(pretty(declare + "x.T[0] + y.sum(axis=0)"), pretty(declare + "transpose(x)[0] + sum(y, axis=0)"));
}

TEST(Notation, NumbersAmongThemselvesArePythons)
{
    const auto value = [](std::string_view text) {
        const VarRef output = parseExpression("y = " + std::string(text)).outputs.at(0);
        return output->value().text() + " " + std::string(nameOf(output->type().dtype()));
    };
    EXPECT_EQ(value("1 + 2 * 3"), "7 int8");
    EXPECT_EQ(value("7 // 2"), "3 int8");
    EXPECT_EQ(value("-7 // 2"), "-4 int8");
    EXPECT_EQ(value("-7 % 3"), "2 int8");
    EXPECT_EQ(value("7 % -3"), "-2 int8");
    EXPECT_EQ(value("-7.5 % 2"), "0.5 float32");
    EXPECT_EQ(value("1 / 2"), "0.5 float32");
    EXPECT_EQ(value("-2 ** 2"), "-4 int8");
    EXPECT_EQ(value("2 ** -1"), "0.5 float32");
    EXPECT_EQ(value("2 ** 40"), "1099511627776 int64");
    EXPECT_EQ(value("(-1) ** 1000001"), "-1 int8");
    EXPECT_EQ(value("3 > 2"), "True bool");
    EXPECT_EQ(value("6 & 3"), "2 int8");
    EXPECT_EQ(failure("x + 1 / 0").message, "division by zero");
    EXPECT_EQ(failure("x + 2 ** 64").message, "the result does not fit into int64");
    EXPECT_EQ(failure("x + 9223372036854775808").message, "the number is too large for int64");
}

TEST(Notation, LiteralsGetTheosDtypes)
{
    EXPECT_EQ(typeOf("y = 127"), "TensorType(int8, scalar)");
    EXPECT_EQ(typeOf("y = 128"), "TensorType(int16, scalar)");
    EXPECT_EQ(typeOf("y = 40000"), "TensorType(int32, scalar)");
    EXPECT_EQ(typeOf("y = 5000000000"), "TensorType(int64, scalar)");
    EXPECT_EQ(typeOf("y = 0.5"), "TensorType(float32, scalar)");
    EXPECT_EQ(typeOf("y = 0.1"), "TensorType(float64, scalar)");
    EXPECT_EQ(typeOf("y = 0.1", DType::Float32), "TensorType(float32, scalar)");
    EXPECT_EQ(typeOf("y = float64([[1, 2, 3]])"), "TensorType(float64, row)");
    EXPECT_EQ(typeOf("x: fmatrix; x * 0.5"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf("x: fmatrix; x * 2"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf("x: fmatrix; x * 0.1"), "TensorType(float64, matrix)");
}

TEST(Notation, TypesInAllForms)
{
    EXPECT_EQ(parseType("fmatrix").text(), "TensorType(float32, matrix)");
    EXPECT_EQ(parseType("lscalar").text(), "TensorType(int64, scalar)");
    EXPECT_EQ(parseType("row", DType::Float32).text(), "TensorType(float32, row)");
    EXPECT_EQ(parseType("zcol").text(), "TensorType(complex128, col)");
    EXPECT_EQ(parseType("wtensor4").text(), "TensorType(int16, 4D)");
    EXPECT_EQ(parseType("float32[3,?]").detailedText(), "float32 (3, ?)");
    EXPECT_EQ(parseType("bool").text(), "TensorType(bool, scalar)");
    EXPECT_EQ(parseType("int64[]").text(), "TensorType(int64, scalar)");
    EXPECT_EQ(parseType("TensorType(float64, (True, False, False))").detailedText(), "float64 (1, ?, ?)");
    EXPECT_EQ(parseType("TensorType(int8, 3D)").rank(), 3);
    EXPECT_EQ(failure("3D + 1").message, "'3D' is neither a number nor a name");
    EXPECT_EQ(parseType("TensorType(int8, vector)").text(), "TensorType(int8, vector)");
    EXPECT_THROW(parseType("fmatrix x"), NotationError);
    EXPECT_THROW(parseType("float32[3"), NotationError);
    EXPECT_EQ(failure("x: gmatrix; x").message, "there is no type gmatrix");
    EXPECT_EQ(failure("x: float32[-1]; x").message, "a size is a whole number or ?");
    EXPECT_EQ(failure("x: float32[1,1,1,1,1,1,1,1,1,1,1,1,1]; x").message, "a type has at most 12 dimensions");
}

TEST(Notation, UndeclaredNamesAreMatrices)
{
    const ParsedExpression parsed = parseExpression("b: vector; log(1 + exp(a)) + b", DType::Float32);
    ASSERT_EQ(parsed.inputs.size(), 2u);
    EXPECT_EQ(parsed.inputs[0]->name(), "b");
    EXPECT_EQ(parsed.inputs[1]->name(), "a");
    EXPECT_EQ(parsed.inputs[1]->type().text(), "TensorType(float32, matrix)");
}

TEST(Notation, SeveralOutputs)
{
    EXPECT_EQ(pretty("x: dvector; exp(x), sum(x)"), "exp(x), sum(x)");
    EXPECT_EQ(pretty("x: dvector\nexp(x)\n# a comment\nsum(x)\n"), "exp(x), sum(x)");
    EXPECT_EQ(pretty("x: dvector; y = exp(x); z = y + 1"), "(exp(x) + TensorConstant{1})");
    EXPECT_EQ(pretty("x: dvector; sum(\n  x,\n  axis=0\n)"), "sum(x, axis=0)");
}

TEST(Notation, Builders)
{
    const std::string declare = "x: fmatrix; v: fvector; i: lvector; t: ftensor3; ";
    EXPECT_EQ(typeOf(declare + "sum(x)"), "TensorType(float32, scalar)");
    EXPECT_EQ(typeOf(declare + "sum(t, axis=(0, -1))"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "sum(x, axis=1, keepdims=True)"), "TensorType(float32, col)");
    EXPECT_EQ(typeOf(declare + "sum(i)"), "TensorType(int64, scalar)");
    EXPECT_EQ(typeOf(declare + "max(x, 0)"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "x.mean()"), "TensorType(float32, scalar)");
    EXPECT_EQ(typeOf(declare + "var(x, axis=0)"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "dot(x, v)"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "dimshuffle(v, 0, 'x')"), "TensorType(float32, col)");
    EXPECT_EQ(typeOf(declare + "v.dimshuffle('x', 0)"), "TensorType(float32, row)");
    EXPECT_EQ(typeOf(declare + "cast(x, int8)"), "TensorType(int8, matrix)");
    EXPECT_EQ(typeOf(declare + "cast(x, 'floatX')"), "TensorType(float64, matrix)");
    EXPECT_EQ(typeOf(declare + "x.astype(v.dtype)"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "softmax(x)"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "alloc(0.5, 3, x.shape[0])"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "fill(x, 1)"), "TensorType(int8, matrix)");
    EXPECT_EQ(typeOf(declare + "x.shape"), "TensorType(int64, vector)");
    EXPECT_EQ(typeOf(declare + "shape(x)[1]"), "TensorType(int64, scalar)");
    EXPECT_EQ(typeOf(declare + "x[0]"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "t[:, 1:, None, 0]"), "TensorType(float32, (False, False, True))");
    EXPECT_EQ(typeOf(declare + "t[..., 0]"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "t[::-1, -1]"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "maximum(x, 0)"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "switch(x > 0, x, v)"), "TensorType(float32, matrix)");
    EXPECT_EQ(typeOf(declare + "reshape(x, -1)"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "x.flatten()"), "TensorType(float32, vector)");
    EXPECT_EQ(typeOf(declare + "set_subtensor(x[0], v)"), "TensorType(float32, matrix)");
    EXPECT_EQ(parseExpression("constant(2) * constant(3)").outputs[0]->owner()->op().name(), "Elemwise{mul,no_inplace}");
}

TEST(Notation, ErrorsPointAtThePlace)
{
    const auto at = [](std::string_view text) {
        const Failure f = failure(text);
        return std::to_string(f.line) + ":" + std::to_string(f.column) + " " + f.message;
    };
    EXPECT_EQ(at("x + "), "1:5 the end of the text stands where an expression was expected");
    EXPECT_EQ(at("x + ) y"), "1:5 ')' closes a bracket that was never opened");
    EXPECT_EQ(at("exp(x"), "1:4 the bracket '(' is never closed");
    EXPECT_EQ(at("exp(x]"), "1:6 ']' closes the bracket '(' that opens at column 4");
    EXPECT_EQ(at("y = exp(x)\nz = y $ 2"), "2:7 the character '$' has no meaning here");
    EXPECT_EQ(at("x ≤ 2"), "1:3 the character '≤' has no meaning here");
    EXPECT_EQ(at("'é' + $"), "1:7 the character '$' has no meaning here");
    EXPECT_EQ(at("foo(x)"), "1:1 there is no function foo");
    EXPECT_EQ(at("x = 1; x = 2"), "1:8 the name x has a meaning already");
    EXPECT_EQ(at("exp(x, y)"), "1:1 exp takes 1 argument, but got 2");
    EXPECT_EQ(at("sum(x, axes=1)"), "1:13 sum has no argument named axes");
    EXPECT_EQ(at("sum(x, axis=2)"), "1:13 sum got axis 2 of an array of 2 dimensions");
    EXPECT_EQ(at("1 < x < 2"), "1:7 comparisons cannot be chained");
    EXPECT_EQ(at("2 x"), "1:3 'x' stands where the end of the statement was expected");
    EXPECT_EQ(at("2x"), "1:1 '2x' is neither a number nor a name");
    EXPECT_EQ(at("x y"), "1:3 an operator is missing before 'y'");
    EXPECT_EQ(at(""), "1:1 there is no expression");
    EXPECT_EQ(at("x: fmatrix"), "1:11 there is no expression");
    EXPECT_EQ(at("x: imatrix; ~x; -(x < 1)"), "1:17 " + failure("x: imatrix; ~x; -(x < 1)").message);
    EXPECT_EQ(at("x(1)"), "1:1 there is no function x");
    EXPECT_EQ(at("x: dmatrix; x(1)"), "1:13 x is a value and cannot be called");
    EXPECT_EQ(at("x.foo"), "1:3 a variable has no .foo");
    EXPECT_EQ(at("float32 = 2"), "1:1 float32 is a word of the notation and cannot be a name");
    EXPECT_EQ(at(std::string_view("x +\0 y", 6)), "1:4 the byte 0x00 has no meaning here");
    EXPECT_EQ(at("\xff"), "1:1 the byte 0xff has no meaning here");
    EXPECT_EQ(at("x + TensorConstant{[ 1. .. 3.]}"), "1:5 this constant was shortened when it was printed");
    EXPECT_EQ(failure("sofmax(x)").hint, "did you mean softmax?");
}

TEST(Notation, TypeErrorsOfOpsPointAtTheOperator)
{
    const Failure f = failure("x: dtensor3\ny: dmatrix\nx + y * dimshuffle(y, 0)");
    EXPECT_EQ(f.line, 3);
    EXPECT_EQ(f.column, 9);
    EXPECT_EQ(f.message, "[dimshuffle] axis 1 cannot be dropped: it is not broadcastable");
    EXPECT_NE(f.hint, "");
    const Failure g = failure("x: zmatrix; 1 + (x < 2)");
    EXPECT_EQ(g.column, 20);
}

TEST(Notation, HostileTextIsRefusedQuickly)
{
    EXPECT_EQ(failure(std::string(100000, '(')).message, "the bracket '(' is never closed");
    const std::string nested = std::string(50000, '(') + "x" + std::string(50000, ')');
    EXPECT_EQ(failure(nested).message, "the expression is nested more than 200 levels deep");
    EXPECT_EQ(failure(std::string(100000, '-') + "x").message, "the expression is nested more than 200 levels deep");
    std::string powers = "x";
    for (int i = 0; i < 10000; ++i) powers += "**x";
    EXPECT_EQ(failure(powers).message, "the expression is nested more than 200 levels deep");
    EXPECT_EQ(failure(std::string((1u << 20) + 1, ' ')).message, "the expression is longer than 1.0 MB");
    EXPECT_EQ(failure("TensorConstant{(1000000, 1000000) of 1}").message, "an array written out has at most a million elements");
    // A long chain is fine: it does not nest.
    std::string chain = "x";
    for (int i = 0; i < 100000; ++i) chain += "+x";
    EXPECT_EQ(toposort(parseExpression(chain).outputs).size(), 100000u);
}

TEST(Notation, AppliesKnowTheirLine)
{
    const ParsedExpression parsed = parseExpression("y = exp(x)\nlog(\n  y + 1)");
    const Apply *log = parsed.outputs[0]->owner();
    EXPECT_EQ(sourceLine(log->trace()).file, "<expression>");
    EXPECT_EQ(sourceLine(log->trace()).line, 2);
    EXPECT_EQ(sourceLine(log->input(0)->owner()->trace()).line, 3);
    EXPECT_EQ(sourceLine(log->input(0)->owner()->trace()).text, "  y + 1)");
    const ParsedExpression other = parseExpression("sin(x)");
    EXPECT_EQ(sourceLine(other.outputs[0]->owner()->trace()).text, "sin(x)");
}

TEST(Notation, PrintedTextReadsBack)
{
    for (const char *text : {
             "x: fmatrix; w: fvector; b: fscalar; 1 / (1 + exp(-dot(x, w) - b)) > 0.5",
             "x: dmatrix; b: dvector; sum(sqr(x - b), axis=1) ** 0.5",
             "x: dmatrix; maximum(x, 0) + |x| - cast(x < 1, float64)",
             "x: ftensor3; sum(x, axis=(0, 2)) * prod(x) + max(x, axis=1) // 2 % 3",
             "x: dmatrix; (x @ x.T) + x[0, 1:] - x[0]",
             "x: dmatrix; sqrt(x) + erf(x) + fill(x, 0.25) + float64([[1, 2.5, inf]]) + 0.1",
             "x: dmatrix; y = exp(x); y * y + sum(y)",
             "x: dvector; dimshuffle(x, 'x', 0) @ dimshuffle(x, 0, 'x')",
             "x: dmatrix; n: lscalar; i: iscalar; set_subtensor(x[i, ::2], 0.5) + inc_subtensor(x[:n], 1) + x[-1, n:]",
             "x: dmatrix; n: lscalar; reshape(x, n, -1).T + reshape(x, x.shape).sum(axis=0)",
             "x: dmatrix; |x - 1|.T ** 2; sum(cast(x, int8), dtype=int8, acc_dtype=int16)",
             "x: imatrix; (x & 3) | (x ^ 1)",
         }) {
        const ParsedExpression first = parseExpression(text);
        const std::string written = notationText(first.inputs, first.outputs);
        ParsedExpression second;
        ASSERT_NO_THROW(second = parseExpression(written)) << text << "\n" << written;
        const FunctionGraph a(first.inputs, first.outputs), b(second.inputs, second.outputs);
        EXPECT_EQ(debugPrint(first.outputs, {.types = true}), debugPrint(second.outputs, {.types = true})) << written;
        EXPECT_EQ(notationText(second.inputs, second.outputs), written);
        // Theano's own form reads back to the same text, too, where the names alone carry the types.
        for (const VarRef &output : first.outputs) {
            std::string declared;
            for (const VarRef &input : first.inputs) declared += input->name() + ": " + input->type().text() + "\n";
            const std::string pp = prettyPrint(output);
            EXPECT_EQ(pretty(declared + pp), pp);
        }
    }
}

TEST(Notation, EveryFunctionHasASignature)
{
    const auto all = allNotationFunctions();
    EXPECT_GT(all.size(), 100u);
    for (const NotationFunction *function : all) {
        EXPECT_EQ(function->signature.substr(0, function->name.size()), function->name);
        EXPECT_EQ(findNotation(function->name), function);
    }
}

} // namespace
} // namespace engine
