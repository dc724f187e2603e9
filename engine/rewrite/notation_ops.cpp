// What only rewrites make, in the expression notation: so that their examples can say what comes out.
#include "engine/graph/clone.h"
#include "engine/graph/notation_call.h"
#include "engine/ops/alloc.h"
#include "engine/ops/argmax.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/join.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/softmax.h"
#include "engine/rewrite/driver.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

NotationBuilder plain(OpRef op, int count)
{
    return [op, count](NotationCall &call) -> NotationValue {
        std::vector<VarRef> inputs;
        for (int i = 0; i < count; ++i) {
            VarRef input = call.variable("input " + std::to_string(i));
            // Scalars that were written as plain numbers take the dtype of the arrays.
            if (!inputs.empty() && input->kind() == Variable::Kind::Constant && input->type().dtype() != inputs[0]->type().dtype())
                input = Variable::constant(input->value().tensor().converted(inputs[0]->type().dtype()));
            inputs.push_back(std::move(input));
        }
        return engine::apply(op, inputs);
    };
}

NOTATION("dot22", "dot22(x, y)", plain(makeOp<Dot22>(), 2));
NOTATION("dot22scalar", "dot22scalar(x, y, scale)", plain(makeOp<Dot22Scalar>(), 3));
NOTATION("gemm", "gemm(z, alpha, x, y, beta)", plain(makeOp<Gemm>(false), 5));
NOTATION("gemm_inplace", "gemm_inplace(z, alpha, x, y, beta)", plain(makeOp<Gemm>(true), 5));
NOTATION("gemv", "gemv(y, alpha, a, x, beta)", plain(makeOp<Gemv>(false, false), 5));
NOTATION("cgemv", "cgemv(y, alpha, a, x, beta)", plain(makeOp<Gemv>(false, true), 5));
NOTATION("cgemv_inplace", "cgemv_inplace(y, alpha, a, x, beta)", plain(makeOp<Gemv>(true, true), 5));
NOTATION("ger", "ger(a, alpha, x, y)", plain(makeOp<Ger>(false, false), 4));
NOTATION("cger", "cger(a, alpha, x, y)", plain(makeOp<Ger>(false, true), 4));
NOTATION("cger_inplace", "cger_inplace(a, alpha, x, y)", plain(makeOp<Ger>(true, true), 4));

NotationBuilder several(OpRef op, int count)
{
    return [op, count](NotationCall &call) -> NotationValue {
        std::vector<VarRef> inputs;
        for (int i = 0; i < count; ++i) inputs.push_back(call.variable("input " + std::to_string(i)));
        const ApplyRef made = Apply::create(op, inputs);
        std::vector<NotationValue> outputs;
        for (int i = 0; i < made->outputCount(); ++i) outputs.push_back(VarRef(made->output(i)));
        return NotationValue::ofList(std::move(outputs));
    };
}

NOTATION("ViewOp", "ViewOp(x)", plain(makeOp<ViewOp>(), 1));
NOTATION("Softmax", "Softmax(x)", plain(makeOp<Softmax>(), 1));
NOTATION("LogSoftmax", "LogSoftmax(x)", plain(makeOp<LogSoftmax>(), 1));
NOTATION("SoftmaxGrad", "SoftmaxGrad(g, softmax)", plain(makeOp<SoftmaxGrad>(), 2));
NOTATION("SoftmaxWithBias", "SoftmaxWithBias(x, b)", plain(makeOp<SoftmaxWithBias>(), 2));
NOTATION("CrossentropyCategorical1Hot", "CrossentropyCategorical1Hot(p, y)", plain(makeOp<CrossentropyCategorical1Hot>(), 2));
NOTATION("CrossentropyCategorical1HotGrad", "CrossentropyCategorical1HotGrad(g, p, y)",
         plain(makeOp<CrossentropyCategorical1HotGrad>(), 3));
NOTATION("CrossentropySoftmax1HotWithBiasDx", "CrossentropySoftmax1HotWithBiasDx(g, softmax, y)",
         plain(makeOp<CrossentropySoftmax1HotWithBiasDx>(), 3));
NOTATION("CrossentropySoftmaxArgmax1HotWithBias", "CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]",
         several(makeOp<CrossentropySoftmaxArgmax1HotWithBias>(), 3));
NOTATION("MaxAndArgmax", "MaxAndArgmax(x, axis=None)[0]", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    std::vector<NotationValue> outputs;
    for (const VarRef &output : maxAndArgmax(x, call.axes("axis", x->type().rank()))) outputs.push_back(output);
    return NotationValue::ofList(std::move(outputs));
});

NOTATION("Split", "Split(x, sizes, count, axis=0)[0]", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x"), sizes = call.variable("sizes");
    const int count = static_cast<int>(call.integer("count"));
    std::vector<NotationValue> parts;
    for (const VarRef &part : split(x, sizes, count, call.axis("axis", x->type().rank(), 0))) parts.push_back(part);
    return NotationValue::ofList(std::move(parts));
});

// addbroadcast() leaves out what the type says already; the op itself may say it again.
NOTATION("Rebroadcast", "Rebroadcast(x, axis, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    std::vector<std::pair<int, bool>> axes;
    while (call.left()) axes.emplace_back(call.axis("axis", x->type().rank()), true);
    const std::vector<VarRef> inputs{x};
    return VarRef(Apply::create(makeOp<Rebroadcast>(std::move(axes)), inputs)->output(0));
});

NOTATION("specify_shape", "specify_shape(x, sizes)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return specifyShape(x, call.variable("sizes"));
});

NOTATION("AllocEmpty", "AllocEmpty(dtype, n0, …)", [](NotationCall &call) -> NotationValue {
    const DType dtype = call.dtype("dtype");
    std::vector<VarRef> sizes;
    for (const NotationValue &item : call.all()) sizes.push_back(cast(call.toVariable(item), DType::Int64));
    return VarRef(Apply::create(makeOp<AllocEmpty>(dtype), sizes)->output(0));
});

// Everything the expression reads becomes an input of the inner graph.
NOTATION("OpFromGraph", "OpFromGraph(expression, inline=False)", [](NotationCall &call) -> NotationValue {
    const VarRef expression = call.variable("expression");
    const bool isInline = call.flag("inline", false);
    std::vector<VarRef> outer, inner;
    for (const VarRef &leaf : leaves(std::vector<VarRef>{expression}))
        if (leaf->kind() == Variable::Kind::Input) {
            outer.push_back(leaf);
            inner.push_back(Variable::input(leaf->type(), leaf->name()));
        }
    const std::vector<VarRef> body = substitute(std::vector<VarRef>{expression}, outer, inner);
    return VarRef(Apply::create(opFromGraph(inner, body, {}, isInline), outer)->output(0));
});

NOTATION("MakeVector", "MakeVector(n0, n1, …)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> parts;
    for (const NotationValue &item : call.all()) parts.push_back(cast(call.toVariable(item), DType::Int64));
    return engine::apply(makeOp<MakeVector>(DType::Int64), parts);
});

// An elementwise expression as one kernel.
NOTATION("composite", "composite(expression, …, inline=False)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> outputs;
    for (const NotationValue &item : call.all()) outputs.push_back(call.toVariable(item));
    std::vector<VarRef> inputs;
    for (const VarRef &leaf : leaves(outputs))
        if (leaf->kind() == Variable::Kind::Input) inputs.push_back(leaf);
    FunctionGraph graph(inputs, outputs);
    Optimizer optimizer;
    optimizer.level = OptimizerLevel::None;
    optimizer.including = {"composite_elemwise_fusion"};
    if (outputs.size() > 1) optimizer.including.push_back("croton_multi_output_fusion");
    if (call.flag("inline", false)) optimizer.including.insert(optimizer.including.end(), {"constant_folding_exact", "inline_constants"});
    rewriteGraph(graph, optimizer);
    const ExportedGraph fused = exportGraph(graph, graph.toposort());
    const std::vector<VarRef> from(fused.inputs.begin(), fused.inputs.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    const std::vector<VarRef> made = substitute(fused.outputs, from, inputs);
    if (made.size() == 1) return made[0];
    std::vector<NotationValue> items;
    for (const VarRef &output : made) items.push_back(output);
    return NotationValue::ofList(std::move(items));
});

// A reduction of an elementwise expression in one pass.
NOTATION("reduced", "reduced(reduction of an elementwise expression)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("reduction");
    std::vector<VarRef> inputs;
    for (const VarRef &leaf : leaves(std::vector<VarRef>{value}))
        if (leaf->kind() == Variable::Kind::Input) inputs.push_back(leaf);
    FunctionGraph graph(inputs, std::vector<VarRef>{value});
    Optimizer optimizer;
    optimizer.level = OptimizerLevel::None;
    optimizer.including = {"composite_elemwise_fusion", "croton_reduction_fusion"};
    rewriteGraph(graph, optimizer);
    const ExportedGraph fused = exportGraph(graph, graph.toposort());
    return substitute(fused.outputs,
                      std::vector<VarRef>(fused.inputs.begin(), fused.inputs.begin() + static_cast<std::ptrdiff_t>(inputs.size())),
                      inputs)[0];
});

// The op on top writes over its array: an elementwise function over its first argument of the same type.
NOTATION("inplace", "inplace(expression)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("expression");
    if (!value->owner()) call.fail("inplace wants an op on top");
    const std::span<const VarRef> inputs = value->owner()->inputs();
    const OpRef op = value->owner()->opRef();
    if (const auto *write = opCast<IncSubtensor>(op))
        return engine::apply(makeOp<IncSubtensor>(write->entries(), true, write->isSet()), inputs);
    if (const auto *write = opCast<AdvancedIncSubtensor1>(op))
        return engine::apply(makeOp<AdvancedIncSubtensor1>(true, write->isSet()), inputs);
    const Elemwise *function = opCast<Elemwise>(op);
    if (!function) call.fail("inplace wants an elementwise function or a write to a part on top");
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
        if (inputs[static_cast<std::size_t>(i)]->type() == value->type())
            return engine::apply(makeOp<Elemwise>(function->scalar(), std::vector<Alias>{{0, i}}), inputs);
    call.fail("no argument has the type of the result");
});

} // namespace
} // namespace engine
