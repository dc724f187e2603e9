#include "engine/graph/ir/function_graph.h"
#include "engine/graph/syntax/json.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/text/graph_document.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"
#include "tests/fuzz/mutate.h"

#include <gtest/gtest.h>

namespace {

using namespace engine;

std::vector<std::string> corpus()
{
    std::vector<std::string> result;
    for (const char *text :
         {"x: fmatrix; log(1 + exp(x)), sum(x, axis=0)", "x: dmatrix; x.T @ x + 0.5", "x: dmatrix; n: lscalar; x[0, n:] + alloc(1, n)",
          "x: dmatrix; i: lvector; x[i, i] + set_subtensor(x[0], 2)", "y = float64([[1, nan], [inf, 2]]) * float32([0.1])",
          "x: dmatrix; softmax(x), argmax(x, axis=0), reshape(x, -1), eye(3), join(1, x, x), sort(x)"}) {
        const ParsedExpression parsed = parseExpression(text);
        result.push_back(writeGraphDocument(parsed.inputs, parsed.outputs));
    }
    const ParsedExpression inner = parseExpression("a: dvector; exp(a) + a");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const std::vector<VarRef> inputs{x}, outputs{apply(opFromGraph(inner.inputs, inner.outputs), {x})};
    result.push_back(writeGraphDocument(inputs, outputs));
    return result;
}

std::vector<std::string> words()
{
    // clang-format off
    std::vector<std::string> result{"{", "}", "[", "]", ",", ":", "\"", "null", "true", "false", "\"nan\"", "\\u0000", "\\ud800", "\"id\": ", "\"type\": ",
                                    "\"value\": ", "\"shape\": [", "\"data\": [", "\"inputs\": [", "\"outputs\": [", "\"inplace\": [[0, 0]]", "\"axes\": [0]",
                                    "\"kind\": \"shared\"", "\"scalar\": \"exp\"", "\"scalar\": {\"cast\": \"int8\"}", "\"instructions\": [", "\"arguments\": [0]",
                                    "\"updates\": [[0, 0]]", "\"source\": [", "float32[?,?]", "int8[]", "bool[1]", "complex64[2]"};
    // clang-format on
    for (const OpCard *card : allCards()) result.push_back("\"class\": \"" + card->className + "\"");
    return result;
}

bool read(const std::string &text)
{
    GraphDocument document;
    try {
        document = readGraphDocument(text, 1 << 20);
    } catch (const DocumentError &error) {
        EXPECT_NE(std::string(error.what()), "") << text;
        return false;
    } catch (const std::exception &error) {
        ADD_FAILURE() << "not a DocumentError: " << error.what() << "\n" << text;
        return false;
    }
    debugPrint(document.outputs, {.types = true, .limit = 100'000});
    for (const VarRef &output : document.outputs) prettyPrint(output, {.limit = 10'000});
    const std::string written = writeGraphDocument(document.inputs, document.outputs);
    const GraphDocument back = readGraphDocument(written);
    EXPECT_EQ(writeGraphDocument(back.inputs, back.outputs), written);
    try {
        const FunctionGraph graph(document.inputs, document.outputs);
        toDot(graph);
    } catch (const UserError &) {
        // a document need not list the inputs of what it computes
    }
    return true;
}

TEST(Fuzz, GraphDocuments)
{
    for (const std::string &text : corpus()) EXPECT_TRUE(read(text)) << text;
    fuzz::Mutator mutator(corpus(), words(), fuzz::seed());
    const std::size_t count = fuzz::run(mutator, [](const std::string &text) { return read(text); });
    std::printf("%zu documents\n", count);
    EXPECT_GT(count, 0u);
}

TEST(Fuzz, Json)
{
    fuzz::Mutator mutator({R"({"a": [1, -2.5e3, true, null, "x\u00e9\ud83d\ude00"], "b": {}})", "[[[[]]]]", "\"\\\"\\\\\"", "-0.0e-0"},
                          words(), fuzz::seed());
    fuzz::run(mutator, [](const std::string &text) {
        try {
            readJson(text);
            return true;
        } catch (const JsonError &error) {
            EXPECT_GE(error.column, 1);
            return false;
        }
    });
}

} // namespace
