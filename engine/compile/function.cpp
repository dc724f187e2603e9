#include "engine/compile/function.h"

#include "engine/codegen/kernel_service.h"
#include "engine/compile/function_state.h"

namespace engine {

void Function::State::lock()
{
    bool expected = false;
    if (busy.compare_exchange_strong(expected, true, std::memory_order_acquire)) {
        runner.store(std::this_thread::get_id(), std::memory_order_relaxed);
        return;
    }
    if (runner.load(std::memory_order_relaxed) == std::this_thread::get_id())
        throw UserError("the function '" + spec.name + "' was called while it is running", "a function may not call itself");
    for (expected = false; !busy.compare_exchange_weak(expected, true, std::memory_order_acquire); expected = false) busy.wait(true);
    runner.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

void Function::State::unlock()
{
    runner.store(std::thread::id(), std::memory_order_relaxed);
    busy.store(false, std::memory_order_release);
    busy.notify_one();
}

Function::Function() : m_state(std::make_unique<State>()) {}

Function::~Function()
{
    if (RunObserver *observer = runObserver()) observer->functionDropped(*this);
}

const std::string &Function::name() const { return m_state->spec.name; }
std::uint32_t Function::id() const { return m_state->id; }
const FunctionSpec &Function::spec() const { return m_state->spec; }
const FunctionGraph &Function::graph() const { return *m_state->graph; }
const Lineage &Function::lineage() const { return m_state->lineage(); }

const Lineage &Function::State::lineage()
{
    std::call_once(lineageTraced, [this] { tracedLineage = traceLineage(*graph); });
    return tracedLineage;
}

const RewriteReport &Function::rewrites() const { return m_state->rewrites; }
std::span<const ApplyId> Function::order() const { return m_state->order; }
const CompileTimes &Function::times() const { return m_state->times; }
FunctionStatistics &Function::statistics() { return m_state->statistics; }
std::span<const std::string> Function::warnings() const { return m_state->warnings; }
bool Function::onlyTensors() const { return m_state->onlyTensors; }
std::vector<VarRef> Function::sharedVariables() const { return m_state->sharedVars; }
std::span<const std::pair<ApplyId, std::shared_ptr<Function>>> Function::nested() const { return m_state->nested; }

std::vector<BufferInfo> Function::buffers() const
{
    if (m_state->plans.empty()) return {};
    const auto infos = m_state->plans.front()->buffers();
    return {infos.begin(), infos.end()};
}

void Function::free()
{
    m_state->plans.clear();
    m_state->cachedThunks.clear();
}

std::vector<Function::KernelInfo> Function::kernels() const
{
    std::vector<KernelInfo> result;
    if (m_state->plans.empty()) {
        for (std::size_t i = 0; i < m_state->cachedThunks.size(); ++i)
            if (const CachedThunk &cached = m_state->cachedThunks[i]; cached.kernel)
                result.push_back({m_state->order[i], cached.kernel->text.body, cached.kernel->text.key, cached.kernel->state, cached.adopted,
                                  cached.kernel->fromCache, cached.kernel->compileNs});
        return result;
    }
    for (const Plan::PlannedKernel &planned : m_state->plans.front()->kernels())
        result.push_back({m_state->order[planned.thunk], planned.kernel->text.body, planned.kernel->text.key, planned.kernel->state, planned.adopted,
                          planned.kernel->fromCache, planned.kernel->compileNs});
    return result;
}

std::span<const Tier> Function::tiers() const
{
    if (m_state->plans.empty()) return {};
    return m_state->plans.front()->tiers();
}

std::span<const int> Function::passes() const
{
    if (m_state->plans.empty()) return {};
    return m_state->plans.front()->passes();
}

std::span<const std::uint64_t> Function::prepareTicks() const
{
    if (m_state->plans.empty()) return {};
    return m_state->plans.front()->prepareTicks();
}

std::size_t Function::arenaBytes() const { return m_state->plans.empty() ? 0 : m_state->plans.front()->arenaBytes(); }

void Function::compileKernels()
{
    const State::Hold hold(*m_state);
    if (m_state->plans.empty()) {
        m_state->takeKernelsOfValues(0);
        waitForKernels(); // asked for by an earlier call, maybe
        for (CachedThunk &cached : m_state->cachedThunks) cached.adoptReady();
        return;
    }
    Plan &plan = *m_state->plans.front();
    std::vector<std::shared_ptr<Kernel>> kernels;
    for (const Plan::PlannedKernel &planned : plan.kernels()) kernels.push_back(planned.kernel);
    if (!loadCachedKernels(kernels)) {
        requestKernels(kernels);
        waitForKernels();
    }
    plan.adoptKernels();
}

std::optional<Blame> Function::findGuiltyRewrite(std::span<const Value> inputs)
{
    State &s = *m_state;
    const State::Hold hold(s);
    return findGuiltyStep(*s.graph, inputs);
}

} // namespace engine
