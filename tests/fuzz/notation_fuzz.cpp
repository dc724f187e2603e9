#include "engine/graph/ir/function_graph.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/text/graph_document.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"
#include "tests/engine/graph/canonical_dump.h"
#include "tests/fuzz/mutate.h"

#include <gtest/gtest.h>

namespace {

const std::vector<std::string> kCorpus{
    "x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)",
    "x: fmatrix; w: fvector; b: fscalar; 1 / (1 + exp(-dot(x, w) - b)) > 0.5",
    "x: float64[3, ?]; n: lscalar; reshape(x, n, -1).T @ alloc(0.5, n, 3)",
    "x: dmatrix; i: lvector; set_subtensor(x[0, ::2], 0.5) + x[i] + x[..., None, 1:-1]",
    "a = [[1, 2], [3, 4]]; b = float32([0.5, inf]); a + b * 2 ** -1",
    "x: dmatrix; grad(sum(sqr(softmax(x))), x), x.mean(axis=1, keepdims=True)",
    "x: TensorType(float64, (True, False)); |x| + ~(x < 1) & (x != 2)",
    "gt((TensorConstant{1} / (TensorConstant{1} + exp((-(x \\dot w))))), TensorConstant{(2,) of 0.5})",
    "x, y: dtensor3; tensordot(x, y, 2); join(0, x, y); stack([x, y]); eye(3); arange(5)",
    "x = 1 # a comment\n\ny = 'text'; z = x // 0",
};

std::vector<std::string> words()
{
    std::vector<std::string> result{"+",       "-",       "*",          "/",         "//",
                                    "%",       "**",      "@",          "\\dot",     "<",
                                    "<=",      "==",      "!=",         "&",         "|",
                                    "^",       "~",       "(",          ")",         "[",
                                    "]",       "{",       "}",          ",",         ":",
                                    ";",       "\n",      ".",          "...",       "=",
                                    "?",       "#",       "'",          "axis=",     "keepdims=True",
                                    "None",    "True",    "inf",        "nan",       "fmatrix",
                                    "lvector", "bool[?]", "int8[1, 1]", "complex64", "TensorConstant{",
                                    "} of ",   ".T",      ".shape[0]",  ".sum(",     ".dtype",
                                    "x",       "y",       "floatX"};
    for (const engine::NotationFunction *function : engine::allNotationFunctions()) result.push_back(function->name + "(");
    return result;
}

bool read(const std::string &text)
{
    using namespace engine;
    ParsedExpression parsed;
    try {
        parsed = parseExpression(text, text.size() % 2 ? DType::Float32 : DType::Float64);
    } catch (const NotationError &error) {
        EXPECT_GE(error.line, 1) << text;
        EXPECT_GE(error.column, 1) << text;
        EXPECT_NE(std::string(error.what()), "") << text;
        return false;
    } catch (const std::exception &error) {
        ADD_FAILURE() << "not a NotationError: " << error.what() << "\n" << text;
        return false;
    }
    EXPECT_FALSE(parsed.outputs.empty());
    if (toposort(parsed.outputs).size() > 2000) return true;
    for (const VarRef &output : parsed.outputs) prettyPrint(output, {.exact = true, .limit = 10'000});
    debugPrint(parsed.outputs, {.types = true, .limit = 100'000});
    const std::string document = writeGraphDocument(parsed.inputs, parsed.outputs);
    const GraphDocument back = readGraphDocument(document);
    EXPECT_EQ(writeGraphDocument(back.inputs, back.outputs), document) << text;
    const FunctionGraph graph(parsed.inputs, parsed.outputs);
    toDot(graph);
    canonicalDump(graph);
    return true;
}

TEST(Fuzz, Notation)
{
    for (const std::string &text : kCorpus) read(text);
    fuzz::Mutator mutator(kCorpus, words(), fuzz::seed());
    const std::size_t count = fuzz::run(mutator, [](const std::string &text) { return read(text); });
    EXPECT_GT(count, 0u);
    RecordProperty("texts", static_cast<int>(count));
    std::printf("%zu texts\n", count);
}

TEST(Fuzz, Types)
{
    fuzz::Mutator mutator({"fmatrix", "float32[3, ?]", "TensorType(float64, (True, False))", "TensorType(int8, 4D)", "floatX[]"}, words(),
                          fuzz::seed());
    for (int i = 0; i < 5000; ++i) {
        const std::string text = mutator.next();
        try {
            EXPECT_TRUE(engine::parseType(text).valid());
        } catch (const engine::NotationError &) {
            // the answer for what is no type
        }
    }
}

} // namespace
