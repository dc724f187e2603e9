// Loops whose steps run in one kernel.
#include "engine/codegen/loop_writer.h"
#include "engine/graph/op/lazy.h"
#include "engine/rewrite/execution/scan_parts.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/registry.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kManyElements = 2048; // of an array of a step: the start of an apply no longer counts

bool isLarge(Type type)
{
    std::int64_t elements = 1;
    for (std::int64_t size : type.shape()) elements *= std::max<std::int64_t>(size, 1);
    return elements > kManyElements;
}

// Why its steps run one by one; null: they need not.
const char *whyNotInKernel(const Scan &loop)
{
    if (loop.info().inKernel) return "its steps run in one kernel already";
    if (loop.device() != DeviceId::Host) return "its steps run on a device";
    if (loop.info().shared > 0) return "its steps draw random numbers";
    if (loop.stateCount() == 0 && !loop.info().isWhile) return "no step reads what another one made: threads share the steps";
    if (hasChoice(*loop.inner())) return "a choice decides what a step runs";
    bool isWritten = false;
    for (const Apply *apply : toposort(loop.inner()->outputs, loop.inner()->inputs)) {
        for (int o = 0; o < apply->outputCount(); ++o) {
            const Type type = apply->output(o)->type();
            if (!type.isTensor()) return "a step works on something that is no array";
            if (isLarge(type)) return "a step works on large arrays";
        }
        isWritten |= inLoops(apply->op()) != nullptr;
    }
    return isWritten ? nullptr : "a kernel could not do any of the work of a step";
}

REWRITE(croton_loop_in_one_kernel, Phase::Fusion)
    .why(
        "starting each apply of a step takes longer than its work where arrays are small: in one kernel numbers stay in registers from step "
        "to step")
    .hurts("a profile can only estimate which part of a step's time each apply takes")
    .pass("croton_fusion")
    .at(2)
    .example("h: dvector; x: dvector; e: dscalar; r: dscalar; n: lscalar; loop(e, tanh(e * r), h, n, row=r, sequence=x)",
             "h: dvector; x: dvector; e: dscalar; r: dscalar; n: lscalar; loop(e, tanh(e * r), h, n, row=r, sequence=x, kernel=True)")
    .nearMiss("r: dscalar; x: dvector; n: lscalar; each(r, exp(r), x, n)")
    .tag("croton")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        const Scan &loop = *node.opAs<Scan>();
        if (const char *reason = whyNotInKernel(loop)) return declined(reason);
        ScanInfo info = loop.info();
        info.inKernel = true;
        const auto given = node.inputs();
        const NodeHandle made = edit.apply(scanOp(std::move(info), *loop.inner()), std::vector<VarHandle>(given.begin(), given.end()));
        for (std::size_t o = 0; o < node.outputCount(); ++o) edit.replace(node.output(o), made.output(o));
        return replaced("its steps run in one kernel");
    });

} // namespace
} // namespace engine
