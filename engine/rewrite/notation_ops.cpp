// What only rewrites make, in the expression notation: so that their examples can say what comes out.
#include "engine/graph/errors.h"
#include "engine/graph/clone.h"
#include "engine/graph/notation_call.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/driver.h"

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

NOTATION("MakeVector", "MakeVector(n0, n1, …)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> parts;
    for (const NotationValue &item : call.all()) parts.push_back(cast(call.toVariable(item), DType::Int64));
    return engine::apply(makeOp<MakeVector>(DType::Int64), parts);
});

// An elementwise expression as one kernel.
NOTATION("composite", "composite(expression, …)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> outputs;
    for (const NotationValue &item : call.all()) outputs.push_back(call.toVariable(item));
    std::vector<VarRef> inputs;
    for (const VarRef &leaf : leaves(outputs))
        if (leaf->kind() == Variable::Kind::Input) inputs.push_back(leaf);
    FunctionGraph graph(inputs, outputs);
    Mode mode;
    mode.level = OptimizerLevel::None;
    mode.including = {"composite_elemwise_fusion"};
    if (outputs.size() > 1) mode.including.push_back("croton_multi_output_fusion");
    rewriteGraph(graph, mode);
    const ExportedGraph fused = exportGraph(graph, graph.toposort());
    const std::vector<VarRef> from(fused.inputs.begin(), fused.inputs.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    const std::vector<VarRef> made = substitute(fused.outputs, from, inputs);
    if (made.size() == 1) return made[0];
    std::vector<NotationValue> items;
    for (const VarRef &output : made) items.push_back(output);
    return NotationValue::ofList(std::move(items));
});

// The elementwise function on top writes over its first argument of the same type.
NOTATION("inplace", "inplace(expression)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("expression");
    const Elemwise *op = value->owner() ? opCast<Elemwise>(&value->owner()->op()) : nullptr;
    if (!op) call.fail("inplace wants an elementwise function on top");
    for (int i = 0; i < static_cast<int>(value->owner()->inputs().size()); ++i)
        if (value->owner()->input(i)->type() == value->type())
            return engine::apply(makeOp<Elemwise>(op->scalar(), std::vector<Alias>{{0, i}}), value->owner()->inputs());
    call.fail("no argument has the type of the result");
});

} // namespace
} // namespace engine
