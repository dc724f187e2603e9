// Elementwise work whose values are only added up (or compared …) happens inside the reduction.
#include "engine/ops/reductions/fused_reduce.h"
#include "engine/rewrite/execution/fusion.h"
#include "engine/rewrite/machine/driver.h"

namespace engine {
namespace {

/// The elementwise apply that makes what is reduced, or why it cannot go into the reduction.
const char *whyNot(const NodeHandle &reduction)
{
    const VarHandle values = reduction.input(0);
    const ApplyId maker = ownerOf(values);
    if (maker == kNoApply) return "it reads an array that is there anyway";
    const NodeHandle node(reduction.graph(), maker);
    const Elemwise *op = elemwiseOf(node);
    if (!op || (op->scalar()->code() == ScalarCode::Composite && !op->scalar()->body())) return "what it reduces is not elementwise";
    if (node.outputCount() != 1) return "the kernel has further results, which need its loop anyway";
    if (values.dtype() == DType::Complex64) return "complex64 values are rounded when they are written";
    if (values.clients().size() != 1) return "the values have other readers: the array has to be made anyway";
    if (op->scalar()->body() && op->scalar()->body()->instructions.size() > kLargestBody) return "the kernel would become too long";
    if (node.inputCount() > kMostArrays) return "the kernel would read too many arrays";
    for (const VarHandle &input : node.inputs())
        if (!input.type().isTensor()) return "an input is no tensor";
    if (isOnDevice(values.type()) && !reduction.op()->hasDeviceForm()) return "devices have no form of the reduction";
    return nullptr;
}

REWRITE(croton_reduction_fusion, Phase::Fusion)
    .why("values that are only summed (or compared …) are never written: the reduction makes each one as it needs it")
    .hurts("the array that is reduced is no longer available")
    .pass("croton_fusion")
    .at(-1) // before kernels get further outputs: an array that is only summed is better not written at all
    .example("sum(x ** 3.5, axis=0)", "reduced(sum(x ** 3.5, axis=0))")
    .example("x: fmatrix; b: fcol; max(abs((x + 1) - b))", "x: fmatrix; b: fcol; reduced(max(abs((x + 1) - b)))")
    .with({"composite_elemwise_fusion"})
    .nearMiss("x: dvector; y = exp(x); sum(y), y")
    .tag("croton")
    .tag("fusion")
    .tag("elemwise_fusion") // who leaves Theano's fusion out wants to see the values
    .tag("local_elemwise_fusion")
    .tag("FusionOptimizer")
    .tag("local_careduce_fusion")
    .whole([](WholeRun &run) {
        const FunctionGraph &graph = run.graph();
        const bool inlines = run.runs("inline_constants");
        const std::vector<ApplyId> order = run.order();
        for (ApplyId id : order) {
            if (!graph.apply(id).live) continue;
            const NodeHandle node(graph, id);
            if (!node.opAs<CAReduce>()) continue;
            const ApplyId maker = ownerOf(node.input(0));
            if (const char *reason = whyNot(node)) {
                run.decline(id, reason, maker);
                continue;
            }
            run.step(id, [&](Editor &edit) {
                const NodeHandle before(graph, maker);
                FusedBody fused = fuseBody(graph, {maker}, {before.output().id()}, inlines);
                if (fused.inputs.empty()) return declined("nothing is left to read");
                const ScalarOpPtr own = before.opAs<Elemwise>()->scalar();
                std::vector<VarHandle> inputs;
                // One function of its arguments as they stand keeps its name.
                const bool isPlain = !own->body() && fused.body.instructions.size() == 1 && fused.inputs.size() == before.inputCount();
                if (isPlain) inputs = before.inputs();
                else
                    for (VarId input : fused.inputs) inputs.push_back(edit.var(input));
                const OpRef elements = elemwise(isPlain ? own : compositeOp(std::move(fused.body)));
                std::vector<Operand> operands;
                for (const VarHandle &input : inputs) operands.push_back({input.type()});
                if (!(elements->outputTypes(operands)[0].pattern() == before.output().type().pattern()))
                    return declined("the shape would come from the constants");
                const NodeHandle made = edit.apply(makeOp<FusedReduce>(elements, node.op()), inputs);
                if (!(made.output().type() == node.output().type())) return declined("the type would change");
                edit.setBodyOrigins(made.id(), std::move(fused.origins));
                edit.consume(maker);
                edit.replace(edit.node(id).output(), made.output(), FateKind::Fused);
                return replaced("one pass, no array in between");
            });
        }
    });

} // namespace
} // namespace engine
