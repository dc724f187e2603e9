// The sizes of arrays that rewrites took away.
#include "engine/compile/function/function.h"
#include "engine/runtime/sizes/original_sizes.h"
#include "engine/text/notation.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

TEST(OriginalSizes, followFromThoseThatAreLeft)
{
    const ParsedExpression parsed = parseExpression("x: dmatrix; w: dmatrix; y: dmatrix\ny - 0.5 * dot(exp(x), w)");
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    const auto function = Function::compile(std::move(spec));
    std::vector<Value> inputs{Tensor::zeros(DType::Float64, {3, 4}), Tensor::zeros(DType::Float64, {4, 5}),
                              Tensor::zeros(DType::Float64, {3, 5})},
        outputs;
    function->call(inputs, outputs);

    SizesByVariable sizes;
    for (const BufferInfo &buffer : function->buffers()) sizes.emplace(raw(buffer.var), buffer.shape);
    const FunctionGraph &graph = function->graph();
    addOriginalSizes(graph, sizes);
    int products = 0;
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) {
        const ApplyNode &node = graph.apply(ApplyId{i});
        ASSERT_TRUE(sizes.contains(raw(node.outputs[0]))) << node.op->name();
        if (node.op->className() != "Dot") continue;
        EXPECT_FALSE(node.live);
        EXPECT_EQ(sizes.at(raw(node.outputs[0])), (Dims{3, 5}));
        ++products;
    }
    EXPECT_EQ(products, 1);
}

TEST(OriginalSizes, leaveOutWhatDependsOnValues)
{
    const ParsedExpression parsed = parseExpression("x: dvector; n: lscalar\nexp(x[:n]) * 2 + 1");
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    const auto function = Function::compile(std::move(spec));
    const FunctionGraph &graph = function->graph();
    SizesByVariable sizes;
    sizes.emplace(raw(graph.inputs()[0]), Dims{9});
    sizes.emplace(raw(graph.inputs()[1]), Dims{});
    addOriginalSizes(graph, sizes);
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) {
        const ApplyNode &node = graph.apply(ApplyId{i});
        if (node.op->name() == "Elemwise{exp,no_inplace}") {
            EXPECT_FALSE(sizes.contains(raw(node.outputs[0])));
        }
    }
}

} // namespace
