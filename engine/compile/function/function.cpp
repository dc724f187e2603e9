#include "engine/compile/function/function.h"

#include "engine/codegen/kernel_service.h"
#include "engine/compile/function/function_state.h"

#include <algorithm>

namespace engine {

Function::Function() : m_state(std::make_unique<State>(*this)) {}

Function::~Function()
{
    if (RunObserver *observer = runObserver()) observer->functionDropped(*this);
}

const std::string &Function::name() const { return m_state->compiled.spec.name; }
std::uint32_t Function::id() const { return m_state->compiled.id; }
const FunctionSpec &Function::spec() const { return m_state->compiled.spec; }
const FunctionGraph &Function::graph() const { return *m_state->compiled.graph; }
const Lineage &Function::lineage() const { return m_state->compiled.lineage(); }

const RewriteReport &Function::rewrites() const { return m_state->compiled.rewrites; }
std::span<const ApplyId> Function::order() const { return m_state->compiled.order; }
const CompileTimes &Function::times() const { return m_state->compiled.times; }
FunctionStatistics &Function::statistics() { return m_state->statistics; }
std::span<const std::string> Function::warnings() const { return m_state->compiled.warnings; }
bool Function::onlyTensors() const { return m_state->compiled.onlyTensors; }
std::vector<VarRef> Function::sharedVariables() const { return m_state->compiled.shared.variables; }
std::span<const std::pair<ApplyId, std::shared_ptr<Function>>> Function::nested() const { return m_state->compiled.nested; }

std::vector<BufferInfo> Function::buffers() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    if (!m_state->compiled.isWhole) return m_state->stageMemory.buffers(m_state->compiled, m_state->plans);
    const Plan *plan = m_state->plans.whole().last();
    if (!plan) return {};
    const auto infos = plan->buffers();
    return {infos.begin(), infos.end()};
}

void Function::free()
{
    const State::Hold hold(*m_state);
    m_state->plans.clear();
}

std::vector<Function::KernelInfo> Function::kernels() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    std::vector<KernelInfo> result;
    for (const PlannedStage &planned : m_state->plans.stages) {
        if (!planned.last()) continue;
        for (const Plan::PlannedKernel &one : planned.last()->kernels())
            for (std::uint32_t i = one.thunk; i < one.thunk + one.count; ++i)
                if (planned.last()->hasWork(i))
                    result.push_back({planned.stage.order[i], one.kernel->text.body, one.kernel->text.key, one.kernel->state, one.adopted,
                                      one.kernel->fromCache, one.kernel->compileNs});
    }
    return result;
}

namespace {

// What the last plans tell of each apply, by position in the order of the function.
template <class T, class Of>
std::vector<T> joined(std::span<const PlannedStage> stages, std::size_t count, T alone, Of of)
{
    std::vector<T> result;
    for (const PlannedStage &planned : stages) {
        if (!planned.last()) return {};
        result.resize(planned.stage.first, alone);
        const std::span<const T> part = of(*planned.last());
        result.insert(result.end(), part.begin(), part.end());
    }
    result.resize(count, alone);
    return result;
}

} // namespace

std::vector<Tier> Function::tiers() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    return joined(m_state->plans.stages.items(), m_state->compiled.order.size(), Tier::Interpreter,
                  [](const Plan &plan) { return plan.tiers(); });
}

std::vector<int> Function::passes() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    std::vector<int> result =
        joined(m_state->plans.stages.items(), m_state->compiled.order.size(), -1, [](const Plan &plan) { return plan.passes(); });
    // Each stage counts its own.
    int before = 0;
    for (const PlannedStage &planned : m_state->plans.stages) {
        if (result.empty()) break;
        int most = -1;
        for (std::size_t i = planned.stage.first; i < planned.stage.first + planned.stage.order.size(); ++i) {
            most = std::max(most, result[i]);
            if (result[i] >= 0) result[i] += before;
        }
        before += most + 1;
    }
    return result;
}

std::vector<std::uint64_t> Function::deviceTags() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    std::vector<std::uint64_t> result;
    for (const PlannedStage &planned : m_state->plans.stages) {
        result.resize(planned.stage.first, 0);
        for (std::size_t i = 0; i < planned.stage.order.size(); ++i) // it may be part of a branch that was not taken yet
            result.push_back(planned.last() ? planned.last()->firstTag() + i : 0);
    }
    result.resize(m_state->compiled.order.size(), 0);
    for (const FunctionStep &step : m_state->compiled.steps.all)
        if (step.stage == kNoStage) result[step.first] = step.deviceTag;
    return result;
}

std::vector<std::pair<ApplyId, std::string>> Function::notes() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    std::vector<std::pair<ApplyId, std::string>> result;
    for (const PlannedStage &planned : m_state->plans.stages.items())
        if (planned.last())
            for (auto &[position, note] : planned.last()->notes()) result.emplace_back(planned.stage.order[position], std::move(note));
    return result;
}

std::vector<std::uint64_t> Function::prepareTicks() const
{
    const State::Look look(*m_state);
    if (!look) return {};
    return joined(m_state->plans.stages.items(), m_state->compiled.order.size(), std::uint64_t(0),
                  [](const Plan &plan) { return plan.prepareTicks(); });
}

std::size_t Function::arenaBytes() const
{
    const State::Look look(*m_state);
    return look ? m_state->plans.arenaBytes() : 0;
}
std::size_t Function::workBytes() const
{
    const State::Look look(*m_state);
    return look ? m_state->workBytes() : 0;
}
std::size_t Function::stageCount() const { return m_state->plans.stages.size(); }

std::size_t Function::compileKernels()
{
    const State::Hold hold(*m_state);
    std::size_t running = 0;
    for (PlannedStage &planned : m_state->plans.stages) {
        if (!planned.last()) continue;
        Plan &plan = *planned.last();
        std::vector<std::shared_ptr<Kernel>> kernels;
        for (const Plan::PlannedKernel &one : plan.kernels()) kernels.push_back(one.kernel);
        if (!loadCachedKernels(kernels)) {
            requestKernels(kernels);
            waitForKernels();
        }
        plan.adoptKernels();
        for (const Plan::PlannedKernel &one : plan.kernels()) running += one.adopted;
    }
    return running;
}

} // namespace engine
