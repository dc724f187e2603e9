#include "engine/compile/function/plan_cache.h"

#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/tensor/memory.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kKeptPlans = 6;

} // namespace

void PlanCache::checkPattern(const Stage &stage, std::span<const View> views) const
{
    const FunctionGraph &graph = *m_compiled.graph;
    for (std::size_t i = 0; i < views.size(); ++i) {
        const VarId var = stage.inputs[i];
        const Type type = graph.var(var).type;
        for (int axis = 0; axis < type.rank(); ++axis)
            if (type.isBroadcastable(axis) && views[i].shape[axis] != 1)
                throw TypeMismatch("Non-unit value on shape on a broadcastable dimension: input " + graph.displayName(var) + " has size " +
                                       std::to_string(views[i].shape[axis]) + " in dimension " + std::to_string(axis),
                                   "that dimension was declared broadcastable, so its size must be 1");
    }
}

Plan &PlanCache::planFor(PlannedStage &planned, std::span<const View> views)
{
    auto &plans = planned.plans;
    ShapeProgram &shapes = planned.stage.shapes;
    const bool checksHere = m_compiled.sizeChecks && m_compiled.isWhole, checksAlways = checksHere && m_compiled.sizeChecks->readsValues();
    if (checksAlways) m_errors.checkSizes(views);
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
    checkPattern(planned.stage, views);
    if (checksHere && !checksAlways) m_errors.checkSizes(views);
    return makePlan(planned, views);
}

Plan &PlanCache::makePlan(PlannedStage &planned, std::span<const View> views)
{
    auto &[stage, plans, plansMade] = planned;
    for (ApplyId id : stage.order)
        for (VarId out : m_compiled.graph->apply(id).outputs)
            for (std::int64_t size : stage.shapes.shapeOf(out))
                if (size < 0) throw ShapeMismatch("negative dimensions are not allowed: size " + std::to_string(size) + " was asked for");
    ApplyFailure failure{kNoApply, {}};
    try {
        const std::size_t held = liveBytes();
        plans.insert(plans.begin(), std::make_unique<Plan>(*m_compiled.graph, stage, views, m_compiled.callNested, failure));
        plans.front()->scratchBytes = liveBytes() - held;
        plans.front()->serial = ++plansMade;
        for (auto &[tag, apply] : plans.front()->finders()) m_errors.expectLater(tag, std::move(apply));
    } catch (const UserError &error) {
        if (failure.apply == kNoApply) throw;
        m_errors.fail(error, failure, stage.first);
    } catch (const DeviceError &error) {
        if (failure.apply == kNoApply) throw;
        m_errors.fail(error, failure, stage.first);
    }
    if (plans.size() > kKeptPlans) {
        m_errors.forgetLater(plans.back()->firstTag(), stage.order.size());
        plans.pop_back();
    }
    return *plans.front();
}

std::span<const std::unique_ptr<Plan>> PlanCache::twinsOf(const Plan &plan, std::span<const View> views, std::size_t count)
{
    if (m_twinsOf != plan.serial) m_twins.clear();
    m_twinsOf = plan.serial;
    while (m_twins.size() < count) {
        ApplyFailure failure{kNoApply, {}};
        m_twins.push_back(std::make_unique<Plan>(*m_compiled.graph, whole().stage, views, m_compiled.callNested, failure));
    }
    return {m_twins.data(), count};
}

void PlanCache::clear()
{
    for (PlannedStage &planned : stages) planned.plans.clear();
    m_twins.clear();
    m_twinsOf = 0;
}

std::size_t PlanCache::arenaBytes() const
{
    std::size_t sum = 0, most = 0;
    for (const PlannedStage &planned : stages) {
        const std::size_t bytes = planned.last() ? planned.last()->arenaBytes() : 0;
        sum += bytes;
        most = std::max(most, bytes);
    }
    return m_compiled.spec.mode.allowGc ? most : sum;
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

// Tier 0 starts at once. Kernels that are on disk are taken before the first run; others are compiled in the background
// when the function turns out to be worth it, and exchanged between two calls.
bool PlanCache::takeKernels(Plan &plan)
{
    if (!m_compiled.compilesKernels()) {
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
    if (looksUp && compiler().path.empty()) {
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
