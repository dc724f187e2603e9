// The plan for the sizes of a call, and the kernels that it runs.
#include "engine/codegen/kernel_service.h"
#include "engine/compile/function_state.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/tensor/memory.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kKeptPlans = 6;

} // namespace

void Function::State::checkPattern(const PlannedStage &planned) const
{
    for (std::size_t i = 0; i < planned.views.size(); ++i) {
        const VarId var = planned.stage.inputs[i];
        const Type type = graph->var(var).type;
        for (int axis = 0; axis < type.rank(); ++axis)
            if (type.isBroadcastable(axis) && planned.views[i].shape[axis] != 1)
                throw TypeMismatch("Non-unit value on shape on a broadcastable dimension: input " + graph->displayName(var) + " has size " +
                                       std::to_string(planned.views[i].shape[axis]) + " in dimension " + std::to_string(axis),
                                   "that dimension was declared broadcastable, so its size must be 1");
    }
}

Plan &Function::State::planFor(PlannedStage &planned)
{
    auto &[stage, plans, plansMade, views] = planned;
    ShapeProgram &shapes = stage.shapes;
    const bool checksHere = sizeChecks && isWhole, checksAlways = checksHere && sizeChecks->readsValues();
    if (checksAlways) checkSizes(views);
    if (!plans.empty()) {
        if (!shapes.valueReads().empty()) shapes.run(views);
        if (plans.front()->fits(views)) return *plans.front();
        shapes.run(views);
        for (std::size_t i = 0; i < plans.size(); ++i)
            if (plans[i]->fits(views)) {
                std::rotate(plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(i),
                            plans.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                return *plans.front();
            }
    } else {
        shapes.run(views);
    }
    checkPattern(planned);
    if (checksHere && !checksAlways) checkSizes(views);
    for (ApplyId id : stage.order)
        for (VarId out : graph->apply(id).outputs)
            for (std::int64_t size : shapes.shapeOf(out))
                if (size < 0) throw ShapeMismatch("negative dimensions are not allowed: size " + std::to_string(size) + " was asked for");
    ApplyFailure failure{kNoApply, {}};
    try {
        const std::size_t held = liveBytes();
        plans.insert(plans.begin(), std::make_unique<Plan>(*graph, stage, views, callNested, failure));
        plans.front()->scratchBytes = liveBytes() - held;
        plans.front()->serial = ++plansMade;
        for (auto &[tag, apply] : plans.front()->finders()) expectLater(tag, std::move(apply));
    } catch (const UserError &error) {
        if (failure.apply == kNoApply) throw;
        fail(error, failure, stage.first);
    } catch (const DeviceError &error) {
        if (failure.apply == kNoApply) throw;
        fail(error, failure, stage.first);
    }
    if (plans.size() > kKeptPlans) {
        if (later) later->forget(plans.back()->firstTag(), stage.order.size());
        plans.pop_back();
    }
    return *plans.front();
}

namespace {

// CROTON_COMPILE_WAIT: the first call waits for its kernels.
bool waitsForKernels()
{
    static const bool waits = [] {
        const char *text = std::getenv("CROTON_COMPILE_WAIT");
        return text && *text && *text != '0';
    }();
    return waits;
}

constexpr std::uint32_t kWorthIt = 3;
constexpr std::size_t kMuchWork = std::size_t(1) << 20; // bytes written; a kernel pays for looking it up at once

} // namespace

bool Function::State::compiles() const { return spec.mode.level == OptimizerLevel::FastRun && compilesKernels(spec.mode.linker); }

// Without one everything stays on tier 0; the first function that would use it says so.
bool Function::State::hasCompiler()
{
    if (!compiler().path.empty()) return true;
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) warnings.push_back(compiler().reason);
    return false;
}

// Tier 0 starts at once. Kernels that are on disk are taken before the first run; others are compiled in the background
// when the function turns out to be worth it, and exchanged between two calls.
bool Function::State::takeKernels(Plan &plan)
{
    if (!compiles()) {
        plan.kernelsSettled = true;
        return false;
    }
    // Where sizes are others in each call, a plan may never run again: its kernels are looked up when it does.
    if (plan.runs == 0 && plan.serial > kKeptPlans && plan.madeBytes() < kMuchWork && !waitsForKernels()) {
        ++plan.runs;
        return false;
    }
    const auto wanted = [&] {
        std::vector<std::shared_ptr<Kernel>> kernels;
        for (const Plan::PlannedKernel &planned : plan.kernels())
            if (!planned.adopted) kernels.push_back(planned.kernel);
        return kernels;
    };
    const bool looksUp = !std::exchange(plan.kernelsLookedUp, true);
    if (looksUp && plan.kernels().empty()) {
        plan.kernelsSettled = true;
        return false;
    }
    if (looksUp && !loadCachedKernels(wanted()) && waitsForKernels()) {
        requestKernels(wanted());
        waitForKernels();
    }
    if (looksUp && !hasCompiler()) {
        plan.kernelsSettled = true;
        return false;
    }
    bool swapped = false;
    if (const std::uint64_t generation = kernelGeneration(); generation != plan.kernelGeneration) {
        plan.kernelGeneration = generation;
        // A plan that finds its kernels at once has exchanged nothing.
        swapped = plan.adoptKernels() && !looksUp;
    }
    if (++plan.runs == kWorthIt) requestKernels(wanted());
    return swapped;
}

} // namespace engine
