// What only rewrites make, in the expression notation: so that their examples can say what comes out.
#include "engine/graph/ir/clone.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

// An elementwise expression as one kernel.
NOTATION("composite(expression, …, inline=False)", [](NotationCall &call) -> NotationValue {
    const std::vector<VarRef> outputs = call.variables(call.all());
    std::vector<VarRef> inputs;
    for (const VarRef &leaf : leaves(outputs))
        if (leaf->kind() == Variable::Kind::Input) inputs.push_back(leaf);
    FunctionGraph graph(inputs, outputs);
    Optimizer optimizer;
    optimizer.level = OptimizerLevel::None;
    optimizer.including.emplace_back("composite_elemwise_fusion");
    if (outputs.size() > 1) optimizer.including.emplace_back("croton_multi_output_fusion");
    if (call.flag("inline", false)) optimizer.including.insert(optimizer.including.end(), {"constant_folding_exact", "inline_constants"});
    rewriteGraph(graph, optimizer);
    const ExportedGraph fused = exportGraph(graph, graph.toposort());
    const std::vector<VarRef> from(fused.inputs.begin(), fused.inputs.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    const std::vector<VarRef> made = substitute(fused.outputs, from, inputs);
    return made.size() == 1 ? NotationValue(made[0]) : NotationValue::ofVariables(made);
});

// A reduction of an elementwise expression in one pass.
NOTATION("reduced(reduction of an elementwise expression)", [](NotationCall &call) -> NotationValue {
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
NOTATION("inplace(expression)", [](NotationCall &call) -> NotationValue {
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
    for (std::uint32_t i = 0; i < inputs.size(); ++i)
        if (inputs[i]->type() == value->type())
            return engine::apply(makeOp<Elemwise>(function->scalar(), std::vector<Alias>{{0, i}}), inputs);
    call.fail("no argument has the type of the result");
});

} // namespace
} // namespace engine
