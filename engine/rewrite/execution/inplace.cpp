// Outputs over inputs that nobody needs any more.
#include "engine/graph/op/op_card.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/rewrite/machine/aliasing.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/driver.h"

#include <algorithm>

namespace engine {
namespace {

/// Swaps an apply for its in-place form; the alias analysis has agreed before.
bool replaceInPlace(WholeRun &run, Aliasing &aliasing, ApplyId id, const OpRef &op, const std::vector<VarHandle> &inputs)
{
    return run.step(id, [&](Editor &edit) {
        const NodeHandle made = edit.apply(op, inputs);
        for (std::size_t out = 0; out < made.outputCount(); ++out) {
            if (!(made.output(out).type() == edit.node(id).output(out).type())) return declined("the type would change");
            edit.replace(edit.node(id).output(out), made.output(out));
        }
        if (auto origins = run.graph().bodyOrigins.find(raw(id)); origins != run.graph().bodyOrigins.end())
            edit.setBodyOrigins(made.id(), std::vector(origins->second));
        aliasing.moved(id, made.id());
        return replaced("nobody reads the overwritten value later");
    });
}

/// Ops whose card names the rewrite.
void overFirst(WholeRun &run, std::string_view rewrite)
{
    const auto inPlaceForm = [&](ApplyId id) {
        const OpRef &op = run.graph().apply(id).op;
        const InplaceForm form = op->card().inplace ? op->card().inplace(*op) : InplaceForm();
        return form.rewrite == rewrite ? form.op : OpRef();
    };
    if (std::ranges::none_of(run.order(), [&](ApplyId id) { return bool(inPlaceForm(id)); })) return;
    Aliasing aliasing(run.graph());
    for (ApplyId id : aliasing.order()) {
        if (!run.graph().apply(id).live) continue;
        const NodeHandle node(run.graph(), id);
        const OpRef op = inPlaceForm(id);
        if (!op) continue;
        std::vector<VarHandle> inputs = node.inputs();
        // An allocation that others read, too, costs less than what has to wait for them.
        if (madeBy<Alloc>(inputs[0]) && inputs[0].clients().size() > 1) {
            run.decline(id, "the allocated output is shared with other readers", ownerOf(inputs[0]));
            continue;
        }
        if (const char *reason = aliasing.whyNot(id, 0)) {
            run.decline(id, reason, aliasing.because());
            continue;
        }
        replaceInPlace(run, aliasing, id, op, inputs);
    }
    run.validated(aliasing.nanoseconds());
}

REWRITE(InplaceBlasOpt, Phase::Inplace)
    .why("gemm adds to its first argument in place, without a copy")
    .hurts("the overwritten array is no longer available")
    .pass("InplaceBlasOpt")
    .example("x: dmatrix; y: dmatrix; z: dmatrix; gemm(exp(z), 1.0, x, y, 1.0)",
             "x: dmatrix; y: dmatrix; z: dmatrix; gemm_inplace(exp(z), 1.0, x, y, 1.0)")
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; gemm(z, 1.0, x, y, 1.0)")
    .tag("inplace")
    .whole([](WholeRun &run) { overFirst(run, "InplaceBlasOpt"); });

REWRITE(c_blas_destructive, Phase::Inplace)
    .why("gemv and ger add to their first argument in place, without a copy")
    .hurts("the overwritten array is no longer available")
    .pass("c_blas_destructive")
    .example("x: dmatrix; v: dvector; dot(x, v)",
             "x: dmatrix; v: dvector; cgemv_inplace(alloc(constant(0.0, float64), x.shape[0]), 1.0, x, v, 0.0)")
    .with({"local_dot_to_dot22", "local_dot22_to_ger_or_gemv", "local_blas_dimshuffle", "use_c_blas"})
    .nearMiss("x: dmatrix; v: dvector; z: dvector; cgemv(z, 1.0, x, v, 1.0)")
    .tag("inplace")
    .whole([](WholeRun &run) { overFirst(run, "c_blas_destructive"); });

REWRITE(random_make_inplace, Phase::Inplace)
    .why("each draw advances the generator in place, without a copy")
    .hurts("the earlier state of the generator is no longer available")
    .pass("random_make_inplace")
    .example("r: RandomStateType; uniform_draw(uniform_draw(r, 2, after=True), 3)",
             "r: RandomStateType; uniform_draw(uniform_draw(r, 2, after=True), 3, inplace=True)")
    .nearMiss("r: RandomStateType; uniform_draw(r, 3)")
    .tag("inplace")
    .whole([](WholeRun &run) { overFirst(run, "random_make_inplace"); });

REWRITE(random_make_inplace_mrg, Phase::Inplace)
    .why("each draw advances the random streams in place, without a copy")
    .hurts("earlier states are no longer available")
    .pass("random_make_inplace_mrg")
    .example("s: imatrix; mrg_uniform(s + s, 3, 4, dtype=float32)", "s: imatrix; mrg_uniform(s + s, 3, 4, inplace=True, dtype=float32)")
    .nearMiss("s: imatrix; mrg_uniform(s, 3, 4, dtype=float32)")
    .tag("inplace")
    .whole([](WholeRun &run) { overFirst(run, "random_make_inplace_mrg"); });

REWRITE(inplace_elemwise_opt, Phase::Inplace)
    .why("writing over an argument that nobody needs any more saves memory and cache")
    .hurts("the overwritten array is no longer available")
    .pass("inplace_elemwise_opt")
    .example("x: dvector; exp(sin(x))", "x: dvector; inplace(exp(sin(x)))")
    .nearMiss("x: dvector; exp(x)")
    .tag("inplace")
    .tag("inplace_opt")
    .tag("inplace_elemwise_optimizer")
    .whole([](WholeRun &run) {
        const FunctionGraph &graph = run.graph();
        Aliasing aliasing(graph);
        for (ApplyId id : aliasing.order()) {
            if (!graph.apply(id).live) continue;
            const NodeHandle node(graph, id);
            const Elemwise *op = elemwiseOf(node);
            if (!op) continue;
            std::vector<Alias> pairs;
            const char *reason = "no argument has the type of the output";
            ApplyId because = kNoApply;
            for (std::size_t out = 0; out < node.outputCount(); ++out) {
                // An update is best written over the variable that it updates.
                VarId target = kNoVar;
                for (const Client &client : node.output(out).clients())
                    if (client.isGraphOutput())
                        if (auto update = graph.updates.find(client.port); update != graph.updates.end()) target = update->second;
                std::vector<std::size_t> candidates;
                for (std::size_t i = 0; i < node.inputCount(); ++i)
                    if (node.input(i).id() == target) candidates.push_back(i);
                for (std::size_t i = 0; i < node.inputCount(); ++i)
                    if (!(node.input(i).id() == target)) candidates.push_back(i);
                for (std::size_t i : candidates) {
                    if (!node.input(i).type().isTensor() || !(node.input(i).type() == node.output(out).type())) continue;
                    if (std::any_of(pairs.begin(), pairs.end(), [&](const Alias &a) { return a.input == i; })) continue;
                    if (const char *no = aliasing.whyNot(id, i)) {
                        reason = no;
                        because = aliasing.because();
                        continue;
                    }
                    pairs.push_back({static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(i)});
                    break;
                }
            }
            if (pairs.empty()) {
                run.decline(id, reason, because);
                continue;
            }
            const OpRef after = makeOp<Elemwise>(op->scalar(), pairs);
            replaceInPlace(run, aliasing, id, after, node.inputs());
        }
        run.validated(aliasing.nanoseconds());
    });

} // namespace
} // namespace engine
