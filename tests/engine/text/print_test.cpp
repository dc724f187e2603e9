#include "engine/text/print.h"

#include "engine/graph/op/op.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/text/notation.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

std::string debug(std::string_view text, const DebugPrintOptions &options = {})
{
    return debugPrint(parseExpression(text).outputs, options);
}

TEST(DebugPrint, HasTheanosLayout)
{
    EXPECT_EQ(debug("x: dmatrix; y: dmatrix; (x + y) * exp(x + 1)"), "Elemwise{mul,no_inplace} [id A] ''   \n"
                                                                     " |Elemwise{add,no_inplace} [id B] ''   \n"
                                                                     " | |x [id C]\n"
                                                                     " | |y [id D]\n"
                                                                     " |Elemwise{exp,no_inplace} [id E] ''   \n"
                                                                     "   |Elemwise{add,no_inplace} [id F] ''   \n"
                                                                     "     |x [id C]\n"
                                                                     "     |InplaceDimShuffle{x,x} [id G] ''   \n"
                                                                     "       |TensorConstant{1} [id H]\n");
}

TEST(DebugPrint, RepeatedAppliesComeWithoutTheirInputs)
{
    EXPECT_EQ(debug("x: dvector; y = exp(x); y + y"), "Elemwise{add,no_inplace} [id A] ''   \n"
                                                      " |Elemwise{exp,no_inplace} [id B] 'y'   \n"
                                                      " | |x [id C]\n"
                                                      " |Elemwise{exp,no_inplace} [id B] 'y'   \n");
}

TEST(DebugPrint, Options)
{
    EXPECT_EQ(debug("x: dvector; exp(sin(x))", {.depth = 2}), "Elemwise{exp,no_inplace} [id A] ''   \n"
                                                              " |Elemwise{sin,no_inplace} [id B] ''   \n");
    EXPECT_EQ(debug("x: dvector; exp(x)", {.types = true}), "Elemwise{exp,no_inplace} [id A] <TensorType(float64, vector)> ''   \n"
                                                            " |x [id B] <TensorType(float64, vector)>\n");
    EXPECT_EQ(debug("x: dvector; y = exp(x); sin(y)", {.stopOnName = true}), "Elemwise{sin,no_inplace} [id A] ''   \n"
                                                                             " |Elemwise{exp,no_inplace} [id B] 'y'   \n");
    EXPECT_EQ(debug("x: dvector; exp(x)", {.ids = DebugPrintOptions::Ids::Number}), "Elemwise{exp,no_inplace} [id 0] ''   \n |x [id 1]\n");
    EXPECT_EQ(debug("x: dmatrix; x.T", {.viewMap = true}), "InplaceDimShuffle{1,0} [id A] 'x.T'  v={0: [0]} \n |x [id B]\n");
}

TEST(DebugPrint, TheIdAfterZIsBA)
{
    std::string text = "x: dvector; y = x";
    for (int i = 0; i < 27; ++i) text += "; x" + std::to_string(i) + ": dvector";
    text += "; x";
    for (int i = 0; i < 27; ++i) text += " + x" + std::to_string(i);
    const std::string printed = debug(text);
    EXPECT_NE(printed.find("[id Z]"), std::string::npos);
    EXPECT_NE(printed.find("[id BA]"), std::string::npos);
    EXPECT_EQ(printed.find("[id AA]"), std::string::npos);
}

TEST(DebugPrint, CompiledGraphsShowTheirOrder)
{
    const ParsedExpression parsed = parseExpression("x: dvector; exp(sin(x))");
    const FunctionGraph graph(parsed.inputs, parsed.outputs);
    const ExportedGraph exported = exportGraph(graph, graph.toposort());
    EXPECT_EQ(debugPrint(exported.outputs, {}, exported.toposort), "Elemwise{exp,no_inplace} [id A] ''   1\n"
                                                                   " |Elemwise{sin,no_inplace} [id B] ''   0\n"
                                                                   "   |x [id C]\n");
}

TEST(DebugPrint, InnerGraphsFollow)
{
    const ParsedExpression inner = parseExpression("a: dvector; exp(a) + a");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const VarRef y = apply(opFromGraph(inner.inputs, inner.outputs), {x});
    const std::string text = debugPrint(std::vector<VarRef>{y});
    EXPECT_NE(text.find("\nInner graphs:\n\n" + y->owner()->op().name() +
                        " [id A] ''   \n"
                        " >Elemwise{add,no_inplace} [id C] ''   \n"
                        " > |Elemwise{exp,no_inplace} [id D] ''   \n"
                        " > | |a [id E] -> [id B]\n"
                        " > |a [id E] -> [id B]\n"),
              std::string::npos)
        << text;
}

TEST(DebugPrint, DeepGraphsAreCutNotFatal)
{
    VarRef x = Variable::input(Type::scalar(DType::Float64), "x");
    for (int i = 0; i < 200000; ++i) x = exp(x);
    const std::string text = debugPrint(std::vector<VarRef>{x}, {.limit = 1u << 20});
    EXPECT_LT(text.size(), (1u << 20) + 1000000u);
    EXPECT_NE(text.find("(the rest was cut)"), std::string::npos);
    EXPECT_EQ(prettyPrint(x, {.limit = 1000}).size(), 1003u);
}

TEST(PrettyPrint, TheGoldenTextOfTheLogisticRegression)
{
    const ParsedExpression parsed = parseExpression("x: fmatrix; w: fvector; b: fscalar; p_1 = 1 / (1 + exp(-dot(x, w) - b)); p_1 > 0.5");
    EXPECT_EQ(prettyPrint(parsed.outputs[0]),
              "gt((TensorConstant{1} / (TensorConstant{1} + exp(((-(x \\dot w)) - b)))), TensorConstant{0.5})");
    EXPECT_EQ(prettyPrint(parsed.outputs[0], {.stopOnName = true}), "gt(p_1, TensorConstant{0.5})");
    EXPECT_EQ(prettyPrint(parsed.outputs[0], {.exact = true}), "gt((1 / (1 + exp(((-(x \\dot w)) - b)))), 0.5)");
}

TEST(PrettyPrint, SharedPartsDoNotExplode)
{
    std::string text = "x: dscalar; y0 = x";
    for (int i = 1; i <= 60; ++i) text += "; y" + std::to_string(i) + " = y" + std::to_string(i - 1) + " * y" + std::to_string(i - 1);
    const ParsedExpression parsed = parseExpression(text);
    EXPECT_LE(prettyPrint(parsed.outputs[0]).size(), (1u << 20) + 8u);
    EXPECT_LT(notationText(parsed.inputs, parsed.outputs).size(), 2000u);
}

TEST(PrettyPrint, GreekNamesAndConstants)
{
    EXPECT_EQ(prettyPrint(parseExpression("alpha: dscalar; alpha + 1").outputs[0]), "(\\alpha + TensorConstant{1})");
    EXPECT_EQ(prettyPrint(parseExpression("\\alpha + \\beta").outputs[0]), "(\\alpha + \\beta)");
}

std::string dot(const FunctionGraph &graph, const DotOptions &options = {}) { return toDot(graph, options); }

TEST(Dot, PydotprintsColours)
{
    const ParsedExpression parsed = parseExpression("x: dmatrix; y = exp(x); sum(y, axis=0) * 2");
    const FunctionGraph graph(parsed.inputs, parsed.outputs);
    const std::string text = dot(graph);
    EXPECT_NE(text.find("[shape=box, label=\"name=x TensorType(float64, matrix)\", style=filled, fillcolor=\"green\"]"), std::string::npos)
        << text;
    EXPECT_NE(text.find("[shape=ellipse, label=\"Elemwise{exp,no_inplace}\", style=filled, fillcolor=\"#FFAABB\""), std::string::npos);
    EXPECT_NE(text.find("label=\"val=2 TensorType(int8, scalar)\""), std::string::npos);
    EXPECT_NE(text.find("fillcolor=\"blue\""), std::string::npos);
    EXPECT_NE(text.find("label=\"name=y TensorType(float64, matrix)\"];"), std::string::npos);
    EXPECT_NE(text.find("color=blue]"), std::string::npos) << "the DimShuffle views its input";
}

TEST(Dot, LabelsAreSafe)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "a\"b\\c:\n]; digraph");
    const VarRef y = exp(x);
    const FunctionGraph graph(std::vector<VarRef>{x}, std::vector<VarRef>{y});
    const std::string text = dot(graph, {.namesOnly = true});
    EXPECT_NE(text.find("label=\"a\\\"b\\\\c:\\n]; digraph\""), std::string::npos) << text;
}

TEST(Dot, LongLabelsAreCutAtACharacter)
{
    std::string name;
    for (int i = 0; i < 100; ++i) name += "é";
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), name);
    const FunctionGraph graph(std::vector<VarRef>{x}, std::vector<VarRef>{exp(x)});
    std::string wanted;
    for (int i = 0; i < 67; ++i) wanted += "é";
    EXPECT_NE(dot(graph, {.namesOnly = true}).find("label=\"" + wanted + "...\""), std::string::npos);
}

TEST(Dot, UpdatesAndDestroyedInputs)
{
    auto container = std::make_shared<Container>(Value(Tensor::zeros(DType::Float64, {3})));
    const VarRef w = Variable::shared(container, Type::ofRank(DType::Float64, 1), "w");
    const VarRef g = Variable::input(Type::ofRank(DType::Float64, 1), "g");
    const VarRef next = apply(makeOp<Elemwise>(scalarOp(ScalarCode::Sub), std::vector<Alias>{{0, 0}}), {w, g});
    FunctionGraph graph(std::vector<VarRef>{g}, std::vector<VarRef>{next});
    graph.updates[0] = graph.inputs()[1];
    const std::string text = dot(graph);
    EXPECT_NE(text.find("label=\"UPDATE\", color=blue"), std::string::npos) << text;
    EXPECT_NE(text.find("label=\"0\", color=red"), std::string::npos);
    EXPECT_NE(text.find("fillcolor=\"cyan\""), std::string::npos);
}

} // namespace
} // namespace engine
