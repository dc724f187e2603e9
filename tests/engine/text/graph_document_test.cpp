#include "engine/text/graph_document.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

std::string described(std::span<const VarRef> outputs) { return debugPrint(outputs, {.types = true}); }

std::string documentOf(std::string_view text)
{
    const ParsedExpression parsed = parseExpression(text);
    return writeGraphDocument(parsed.inputs, parsed.outputs);
}

std::string error(const std::string &document)
{
    try {
        readGraphDocument(document);
    } catch (const DocumentError &e) {
        return e.what();
    }
    return "fine";
}

/// The document of an expression with one piece of text replaced.
std::string changed(std::string_view expression, const std::string &from, const std::string &to)
{
    std::string text = documentOf(expression);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return error(text);
}

TEST(GraphDocument, ComesBackEqual)
{
    for (const char *text : {
             "x: fmatrix; w: fvector; b: fscalar; p = 1 / (1 + exp(-dot(x, w) - b)); p > 0.5, cast(p, int8)",
             "x: ftensor3; sum(x, axis=(0, 2)) * prod(x) + max(x, axis=1), mean(x), any(x), all(x > 0), argmax(x, axis=1)",
             "x: dmatrix; n: lscalar; i: iscalar; set_subtensor(x[i, ::2], 0.5) + inc_subtensor(x[:n], 1) + x[-1, n:]",
             "x: dmatrix; i: lvector; x[i] + x[[0, 1], [1, 0]].sum() + x[:, i].sum() + x[x > 0].sum()",
             "x: dmatrix; n: lscalar; reshape(x, n, -1).T @ alloc(0.5, n, 3), x.shape, addbroadcast(x, 0)",
             "x: float64[3, ?]; float64([[1, nan, inf], [-inf, -0.0, 1e300]]).T * x.T + float32([0.1])",
             "x: dmatrix; softmax(x), logsoftmax(x), grad(sum(sqr(softmax(x))), x)",
             "x: dmatrix; n: lscalar; eye(3) + tri(3, 3), arange(n), diag(x), tril(x), join(0, x, x), repeat(x, 2, axis=1), cumsum(x)",
             "x: dmatrix; v: dvector; sort(x), argsort(v), assert_(x, all(x > 0)), stack([v, v], axis=1), tile(v, 3), diag(v), zeros(2, 3)",
             "x: zmatrix; x * 2 + real(x)",
             "x: fmatrix; b: fcol; reduced(sum(exp(x) * b, axis=1)), reduced(max(abs(x)))",
             "a = constant([1, 2, 3], uint64) + constant(5, uint64); b = constant(7, float16); a * b",
         }) {
        const ParsedExpression parsed = parseExpression(text);
        const std::string document = writeGraphDocument(parsed.inputs, parsed.outputs);
        GraphDocument back;
        ASSERT_NO_THROW(back = readGraphDocument(document)) << text << "\n" << document;
        EXPECT_EQ(described(back.outputs), described(parsed.outputs)) << document;
        EXPECT_EQ(writeGraphDocument(back.inputs, back.outputs), document);
        const std::vector<Apply *> order = toposort(back.outputs);
        const std::vector<Apply *> original = toposort(parsed.outputs);
        ASSERT_EQ(order.size(), original.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            EXPECT_TRUE(sameOp(order[i]->op(), original[i]->op())) << order[i]->op().name();
            EXPECT_EQ(order[i]->trace(), original[i]->trace());
        }
    }
}

TEST(GraphDocument, LongArraysComeBackBitByBit)
{
    Tensor tensor = Tensor::empty(DType::Float32, {1001});
    for (int i = 0; i < 1001; ++i) tensor.as<float>()[i] = 1.0f / static_cast<float>(i);
    const VarRef constant = Variable::constant(tensor);
    const GraphDocument back = readGraphDocument(writeGraphDocument({}, std::vector<VarRef>{constant}));
    EXPECT_TRUE(back.outputs[0]->value().tensor().sameAs(tensor));
    // A view that is not contiguous is written in C order.
    const Tensor strided(DType::Float32, {3, 100}, {4, 12}, tensor.data(), tensor.storage());
    const GraphDocument other = readGraphDocument(writeGraphDocument({}, std::vector<VarRef>{Variable::constant(strided)}));
    EXPECT_TRUE(other.outputs[0]->value().tensor().sameAs(strided));
}

TEST(GraphDocument, CompositesAndInplace)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {DType::Float32, DType::Float32};
    body.instructions = {{scalarOp(ScalarCode::Exp), {0}, DType::Float32, 0},
                         {nullptr, {}, DType::Float32, 0.5},
                         {scalarOp(ScalarCode::Mul), {2, 3, 1}, DType::Float32, 0},
                         {castOp(DType::Float64), {4}, DType::Float64, 0}};
    body.outputs = {4, 5};
    const OpRef op = makeOp<Elemwise>(compositeOp(body), std::vector<Alias>{{0, 1}});
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), y = Variable::input(Type::ofRank(DType::Float32, 2), "y");
    const ApplyRef node = Apply::create(op, std::vector<VarRef>{x, y});
    const std::vector<VarRef> outputs{VarRef(node->output(0)), VarRef(node->output(1))};
    const std::string document = writeGraphDocument(std::vector<VarRef>{x, y}, outputs);
    const GraphDocument back = readGraphDocument(document);
    EXPECT_EQ(back.outputs[0]->owner()->opRef(), op) << "the same interned op";
    EXPECT_EQ(back.outputs[0]->owner(), back.outputs[1]->owner());
}

TEST(GraphDocument, NestedGraphsAndUpdates)
{
    const ParsedExpression inner = parseExpression("a: dvector; exp(a) + a");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    auto container = std::make_shared<Container>(Value(Tensor::full(DType::Float64, {3}, 2.5)));
    const VarRef w = Variable::shared(container, Type::ofRank(DType::Float64, 1), "w");
    const VarRef y = apply(opFromGraph(inner.inputs, inner.outputs, "twice"), {mul(x, w)});
    FunctionGraph graph(std::vector<VarRef>{x}, std::vector<VarRef>{y});
    graph.updates[0] = graph.inputs()[1];
    const std::string document = writeGraphDocument(graph);
    const GraphDocument back = readGraphDocument(document);
    ASSERT_EQ(back.inputs.size(), 2u);
    EXPECT_EQ(back.inputs[1]->container()->value().tensor().text(), "[2.5 2.5 2.5]");
    EXPECT_EQ(back.updates.at(0).second, back.inputs[1]);
    EXPECT_EQ(back.outputs[0]->owner()->op().name(), y->owner()->op().name());
    EXPECT_EQ(described(back.outputs[0]->owner()->op().inner()->outputs), described(inner.outputs));
}

TEST(GraphDocument, TheOrderOfAppliesDoesNotMatter)
{
    std::string text = documentOf("x: dvector; sin(exp(x))");
    const std::size_t first = text.find("{\"op\""), second = text.find("{\"op\"", first + 1), end = text.find("\n  ]", second);
    const std::string a = text.substr(first, second - first), b = text.substr(second, end - second);
    const std::size_t comma = a.rfind(',');
    text = text.substr(0, first) + b + a.substr(comma) + a.substr(0, comma) + text.substr(end);
    EXPECT_EQ(prettyPrint(readGraphDocument(text).outputs[0]), "sin(exp(x))");
}

TEST(GraphDocument, ErrorsNameThePlace)
{
    const char *const exps = "x: dmatrix; y = exp(x); y + x";
    EXPECT_EQ(error(""), "line 1, column 1: the document ends in the middle");
    EXPECT_EQ(error("{}"), "this is no graph document: \"format\" has to be \"croton-graph\"");
    EXPECT_EQ(error(R"({"format": "croton-session-graph"})"),
              "this is a graph as a session holds it: without the parameters of its ops, so it cannot be built again");
    EXPECT_EQ(error("[1]"), "this is no graph document: \"format\" has to be \"croton-graph\"");
    EXPECT_EQ(changed(exps, "\"version\": 1", "\"version\": 2"), "version: this document has version 2, this program reads version 1");
    EXPECT_EQ(changed(exps, "\"outputs\": [2]", "\"outputs\": [17]"), "outputs[0]: there is no variable 17");
    EXPECT_EQ(changed(exps, "\"outputs\": [2]", "\"outputs\": []"), "outputs: a graph has at least one output");
    EXPECT_EQ(changed(exps, "\"inputs\": [0]", "\"inputs\": [2]"), "inputs[0]: only inputs and shared variables can be inputs");
    EXPECT_EQ(changed(exps, "\"inputs\": [0]", "\"inputs\": [0, 0]"), "inputs[1]: this input is listed twice");
    EXPECT_EQ(changed(exps, "\"inputs\": [1, 0]", "\"inputs\": [1, 9]"), "applies[1].inputs[1]: there is no variable 9");
    EXPECT_EQ(changed(exps, "\"inputs\": [1, 0]", "\"inputs\": [1, -1]"), "applies[1].inputs[1]: -1 is outside of 0 to 4294967294");
    EXPECT_EQ(changed(exps, "\"inputs\": [1, 0]", "\"inputs\": [1, \"a\"]"),
              "applies[1].inputs[1]: a whole number was expected, not a text");
    EXPECT_EQ(changed(exps, "\"inputs\": [1, 0]", "\"inputs\": [2, 0]"), "applies[1]: the graph has a cycle through this apply");
    EXPECT_EQ(changed("x: dvector; exp(x)", "\"inputs\": [0], \"outputs\"", "\"inputs\": [0, 0], \"outputs\""),
              "applies[0].inputs: Elemwise{exp,no_inplace} takes 1 inputs, not 2");
    EXPECT_EQ(changed(exps, "\"scalar\": \"exp\"", "\"scalar\": \"expo\""), "applies[0].op.scalar: there is no scalar function expo");
    EXPECT_EQ(changed(exps, "\"class\": \"Elemwise\"", "\"class\": \"PyOp\""),
              "applies[0].op.class: there is no op PyOp that a document can build");
    EXPECT_EQ(changed(exps, "\"type\": \"float64[?,?]\", \"name\": \"y\"", "\"type\": \"float32[?,?]\""),
              "applies[0].outputs[0].type: the op makes float64[?,?] of these inputs");
    EXPECT_EQ(changed(exps, "\"id\": 1", "\"id\": 0"), "applies[0].outputs[0].id: the id 0 stands here a second time");
    EXPECT_EQ(changed(exps, "\"kind\": \"input\"", "\"kind\": \"hidden\""),
              "variables[0].kind: a kind is input, constant or shared, not hidden");
    EXPECT_EQ(changed(exps, "\"type\": \"float64[?,?]\", \"name\": \"x\"", "\"type\": \"float65[?,?]\""),
              "variables[0].type: there is no type float65");
    EXPECT_EQ(changed("x: dvector; x + 2", "\"data\": [2]", "\"data\": [2, 3]"),
              "variables[1].value.data: an array of 1 numbers was expected");
    EXPECT_EQ(changed("x: dvector; x + 2", "\"data\": [2]", "\"data\": [200]"),
              "variables[1].value.data[0]: a whole number that fits into int8 was expected");
    EXPECT_EQ(changed("y = float64([1.5, 2])", "\"shape\": [2]", "\"shape\": [3]"),
              "variables[0].value.shape[0]: the type declares 2, the value has 3");
    EXPECT_EQ(changed("y = float64([1.5, 2])", "\"shape\": [2]", "\"shape\": [2, 1]"),
              "variables[0].value.shape: the shape has to have 1 sizes");
    EXPECT_EQ(changed("x: dmatrix; x.T", "\"order\": [1, 0]", "\"order\": [1, 1]"),
              "applies[0].op: [dimshuffle] axis 1 appears twice in the pattern");
    EXPECT_EQ(changed("x: dmatrix; x.T", "\"order\": [1, 0]", "\"order\": [1, 99]"), "applies[0].op.order[1]: 99 is outside of -1 to 11");
    EXPECT_EQ(changed("x: dmatrix; sum(x, axis=1)", "\"axes\": [1]", "\"axes\": [1, 0]"),
              "applies[0].op.axes: axes have to be sorted, each once");
    EXPECT_EQ(changed("x: dmatrix; sum(x, axis=1)", "\"axes\": [1]", "\"axes\": [3]"),
              "applies[0]: [sum] axis 3 is out of range for TensorType(float64, matrix)");
    EXPECT_EQ(changed("x: dmatrix; x[0]", "\"index\": [\"int64\"]", "\"index\": [\"int64\", \"float32\"]"),
              "applies[0].op.index: there is no integer dtype float32");
    EXPECT_EQ(changed("x: dmatrix; y: dvector; x @ y", "\"inputs\": [0, 1], \"outputs\"", "\"inputs\": [0], \"outputs\""),
              "applies[0].inputs: dot takes 2 inputs, not 1");
}

TEST(GraphDocument, MemoryIsNotPromisedAway)
{
    // In place on an input of another type, on inputs that are not there, and bodies that point outside.
    const char *const cast = "x: dmatrix; cast(x, int8)";
    EXPECT_EQ(changed(cast, "{\"cast\": \"int8\"}", "{\"cast\": \"int8\"}, \"inplace\": [[0, 0]]"),
              "applies[0].op: output 0 cannot take the memory of input 0: their types differ");
    EXPECT_EQ(changed(cast, "{\"cast\": \"int8\"}", "\"add\", \"inplace\": [[0, 5]]"),
              "applies[0].inputs: Elemwise{Add}[(0, 5)] takes 6 or more inputs, not 1");
    const auto body = [&](const std::string &text) { return changed(cast, "{\"cast\": \"int8\"}", text); };
    EXPECT_EQ(body(R"({"inputs": ["float64"], "instructions": [{"scalar": "exp", "arguments": [1]}], "outputs": [1]})"),
              "applies[0].op.scalar.instructions[0].arguments[0]: 1 is outside of 0 to 0");
    EXPECT_EQ(body(R"({"inputs": ["float64"], "instructions": [], "outputs": [1]})"),
              "applies[0].op.scalar.outputs[0]: 1 is outside of 0 to 0");
    EXPECT_EQ(body(R"({"inputs": ["float64"], "instructions": [{"scalar": "add", "arguments": []}], "outputs": [1]})"),
              "applies[0].op.scalar.instructions[0].arguments: add takes one or more");
    EXPECT_EQ(
        body(
            R"({"inputs": ["float64"], "instructions": [{"scalar": {"inputs": [], "instructions": [], "outputs": []}, "arguments": []}], "outputs": [1]})"),
        "applies[0].op.scalar.instructions[0].scalar.outputs: a body has at least one output");
}

TEST(GraphDocument, SizesAreLimited)
{
    const std::string large = R"({"format": "croton-graph", "version": 1, "inputs": [], "outputs": [0], "applies": [], "variables": [
        {"id": 0, "kind": "constant", "type": "float64[?,?]", "value": {"shape": [60000, 60000], "data": []}}]})";
    EXPECT_EQ(error(large), "variables[0].value: the values of the document are too large together");
    std::string chain = "x";
    for (int i = 0; i < 50000; ++i) chain += "+x";
    const GraphDocument back = readGraphDocument(documentOf(chain));
    EXPECT_EQ(toposort(back.outputs).size(), 50000u);
}

TEST(GraphDocument, NestingIsLimited)
{
    VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    std::vector<VarRef> inputs{x}, outputs{exp(x)};
    for (int i = 0; i < 20; ++i) {
        x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
        outputs = {apply(opFromGraph(inputs, outputs), {x})};
        inputs = {x};
    }
    const std::string message = error(writeGraphDocument(inputs, outputs));
    EXPECT_TRUE(message.find("graphs are nested more than 16 levels deep") != std::string::npos ||
                message.find("nested more than 100 levels") != std::string::npos)
        << message;
}

TEST(GraphDocument, OpsAreRegisteredOnce)
{
    EXPECT_GE(allCards().size(), 80u);
    for (const OpCard *card : allCards()) EXPECT_EQ(findCard(card->className), card->isDocumented() ? card : nullptr) << card->className;
}

} // namespace
} // namespace engine
