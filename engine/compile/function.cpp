#include "engine/compile/function.h"

#include "engine/compile/checks.h"
#include "engine/compile/observer.h"
#include "engine/codegen/compiler.h"
#include "engine/codegen/kernel_service.h"
#include "engine/compile/run_error.h"
#include "engine/graph/errors.h"
#include "engine/ops/graph_op.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/memory.h"
#include "engine/runtime/order.h"
#include "engine/runtime/plan.h"
#include "engine/rewrite/driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace engine {
namespace {

constexpr std::size_t kKeptPlans = 6;
constexpr std::size_t kKeptArenaBytes = std::size_t(64) << 20;

std::uint64_t now()
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::uint32_t nextFunctionId()
{
    static std::atomic<std::uint32_t> counter{1};
    return counter.fetch_add(1);
}

} // namespace

struct Function::State {
    std::uint32_t id = 0;
    FunctionSpec spec;
    std::unique_ptr<FunctionGraph> graph;
    Lineage lineage;
    RewriteReport rewrites;
    std::vector<ApplyId> order;
    std::vector<OrderedGroup> groups;
    CompileTimes times;
    FunctionStatistics statistics;
    std::vector<std::string> warnings;
    std::vector<std::pair<ApplyId, std::shared_ptr<Function>>> nested;
    NestedCall callNested;
    bool onlyTensors = true;

    // Shared inputs, in the order of graph.inputs() after the explicit ones.
    std::vector<std::shared_ptr<Container>> shared;
    std::vector<VarRef> sharedVars;
    // Updates: output i + outputCount goes into target[i]; its input index if the graph reads it, else -1.
    std::vector<std::shared_ptr<Container>> targets;
    std::vector<int> targetInput;

    std::unique_ptr<ShapeProgram> shapes;
    std::vector<std::unique_ptr<Plan>> plans; // most recent first
    std::uint32_t plansMade = 0;
    std::vector<View> views;
    std::vector<Tensor> updateValues;
    std::vector<CachedThunk> cachedThunks; // of the interpreter, by position in the order

    // Guarded by `busy`: everything that a call changes.
    std::atomic<bool> busy{false};
    std::atomic<std::thread::id> runner{};

    void lock();
    void unlock();
    void gatherShared(std::span<const View> inputs);
    Plan &planFor();
    void takeKernels(Plan &plan);
    void beginTrace(std::span<const Tier> tiers);
    Tensor owned(Tensor borrowed, VarId root) const;
    void checkPattern() const;
    void blame();
    [[noreturn]] void fail(const std::exception &error, const ApplyFailure &failure);
    void runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs);
    void runValues(std::span<const Value> inputs, std::vector<Value> &outputs);
};

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

std::shared_ptr<Function> Function::compile(FunctionSpec spec)
{
    const std::uint64_t start = now();
    std::shared_ptr<Function> function(new Function);
    State &s = *function->m_state;
    s.id = nextFunctionId();
    s.spec = std::move(spec);
    CompileObserver *observer = compileObserver();
    if (const RunObserver *running = runObserver()) s.spec.profile |= running->wantsApplyTimes();
    try {
        checkRequest(s.spec);
        std::vector<VarRef> inputs, outputs = s.spec.outputs;
        for (const FunctionInput &input : s.spec.inputs) inputs.push_back(input.variable);
        for (const auto &[target, value] : s.spec.updates) outputs.push_back(value);
        s.graph = std::make_unique<FunctionGraph>(inputs, outputs, s.spec.givens);
        FunctionGraph &graph = *s.graph;
        checkUnusedInputs(s.spec, graph, s.warnings);

        for (std::size_t i = 0; i < s.spec.updates.size(); ++i) {
            const VarRef &target = s.spec.updates[i].first;
            const VarId var = graph.find(target.get());
            if (var != kNoVar) {
                graph.updates[s.spec.outputs.size() + i] = var;
                graph.mutableInputs.push_back(var);
            }
            s.targets.push_back(target->container());
            s.targetInput.push_back(-1);
            for (std::size_t k = 0; k < graph.inputs().size() && var != kNoVar; ++k)
                if (graph.inputs()[k] == var) s.targetInput.back() = static_cast<int>(k);
        }
        for (std::size_t i = 0; i < s.spec.inputs.size(); ++i)
            if (s.spec.inputs[i].isMutable) graph.mutableInputs.push_back(graph.inputs()[i]);
        if (observer) observer->compileStarted(s.id, s.spec, graph);
        const std::size_t protectStart = graph.journal().steps.size();
        protectDestroyed(graph);
        if (observer && graph.journal().steps.size() > protectStart)
            observer->passFinished(s.id, graph, {"input", "protect_destroyed", protectStart, graph.journal().steps.size(), 0});

        const std::uint64_t beforeOptimizer = now();
        s.rewrites = rewriteGraph(graph, s.spec.mode, [&](const PassReport &report) {
            if (observer) observer->passFinished(s.id, graph, report);
        });
        s.warnings.insert(s.warnings.end(), s.rewrites.warnings.begin(), s.rewrites.warnings.end());
        const std::size_t copiesStart = graph.journal().steps.size();
        insertDeepCopies(s.spec, graph);
        if (observer && graph.journal().steps.size() > copiesStart)
            observer->passFinished(s.id, graph, {"output", "insert_deepcopy", copiesStart, graph.journal().steps.size(), 0});
        s.times.optimizerNs = now() - beforeOptimizer;

        const std::uint64_t beforeLinker = now();
        s.order = executionOrder(graph);
        s.groups = keepGroupsTogether(graph, s.order);
        s.lineage = traceLineage(graph);
        for (std::size_t i = s.spec.inputs.size(); i < graph.inputs().size(); ++i) {
            const VarRef &leaf = graph.var(graph.inputs()[i]).leaf;
            s.sharedVars.push_back(leaf);
            s.shared.push_back(leaf->container());
        }
        for (VarId input : graph.inputs()) s.onlyTensors &= graph.var(input).type.isTensor();
        for (std::size_t i = 0; i < graph.outputCount(); ++i) s.onlyTensors &= graph.var(graph.output(i)).type.isTensor();

        for (ApplyId id : s.order) {
            const OpFromGraph *op = opCast<OpFromGraph>(graph.apply(id).op);
            if (!op) continue;
            FunctionSpec inner;
            for (const VarRef &input : op->inner()->inputs) inner.inputs.push_back({input});
            inner.outputs = op->inner()->outputs;
            inner.name = op->friendlyName();
            inner.mode = s.spec.mode;
            inner.onUnusedInput = OnUnusedInput::Ignore;
            inner.profile = s.spec.profile;
            inner.parent = {s.id, id};
            s.nested.emplace_back(id, compile(std::move(inner)));
        }
        s.callNested = [state = &s](ApplyId id, std::span<const Value> in, std::span<Value> out) {
            for (const auto &[apply, inner] : state->nested) {
                if (apply != id) continue;
                std::vector<Value> results;
                inner->call(in, results);
                std::move(results.begin(), results.end(), out.begin());
                return;
            }
            state->graph->apply(id).op->performValues(in, out);
        };

        s.shapes = std::make_unique<ShapeProgram>(graph, s.order);
        if (s.spec.profile) s.statistics.keepApplies(s.order.size());
        s.times.linkerNs = now() - beforeLinker;
        s.times.totalNs = now() - start;
    } catch (const std::exception &error) {
        if (observer) observer->compileFailed(s.id, error.what());
        throw;
    }
    if (observer) observer->compileFinished(*function);
    return function;
}

const std::string &Function::name() const { return m_state->spec.name; }
std::uint32_t Function::id() const { return m_state->id; }
const FunctionSpec &Function::spec() const { return m_state->spec; }
const FunctionGraph &Function::graph() const { return *m_state->graph; }
const Lineage &Function::lineage() const { return m_state->lineage; }
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
    if (m_state->plans.empty()) return result;
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
    if (m_state->plans.empty()) return;
    m_state->lock();
    Plan &plan = *m_state->plans.front();
    std::vector<std::shared_ptr<Kernel>> kernels;
    for (const Plan::PlannedKernel &planned : plan.kernels()) kernels.push_back(planned.kernel);
    if (!loadCachedKernels(kernels)) {
        requestKernels(kernels);
        waitForKernels();
    }
    plan.adoptKernels();
    m_state->unlock();
}

// --- calling ---------------------------------------------------------------------------------------------

void Function::State::gatherShared(std::span<const View> inputs)
{
    views.assign(inputs.begin(), inputs.end());
    for (const auto &container : shared) views.push_back(container->value().tensor().view());
}

void Function::State::checkPattern() const
{
    for (std::size_t i = 0; i < views.size(); ++i) {
        const Type type = graph->var(graph->inputs()[i]).type;
        for (int axis = 0; axis < type.rank(); ++axis)
            if (type.isBroadcastable(axis) && views[i].shape[axis] != 1)
                throw TypeMismatch("Non-unit value on shape on a broadcastable dimension: input " + graph->displayName(graph->inputs()[i]) +
                                       " has size " + std::to_string(views[i].shape[axis]) + " in dimension " + std::to_string(axis),
                                   "that dimension was declared broadcastable, so its size must be 1");
    }
}

Plan &Function::State::planFor()
{
    if (!plans.empty()) {
        if (!shapes->valueReads().empty()) shapes->run(views);
        if (plans.front()->fits(*shapes, views)) return *plans.front();
        shapes->run(views);
        for (std::size_t i = 0; i < plans.size(); ++i)
            if (plans[i]->fits(*shapes, views)) {
                std::rotate(plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(i), plans.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                return *plans.front();
            }
    } else {
        shapes->run(views);
    }
    checkPattern();
    for (ApplyId id : order)
        for (VarId out : graph->apply(id).outputs)
            for (std::int64_t size : shapes->shapeOf(out))
                if (size < 0) throw ShapeMismatch("negative dimensions are not allowed: size " + std::to_string(size) + " was asked for");
    ApplyFailure failure{kNoApply, {}};
    try {
        const std::size_t held = liveBytes();
        plans.insert(plans.begin(), std::make_unique<Plan>(*graph, order, groups, *shapes, views, callNested, failure));
        plans.front()->scratchBytes = liveBytes() - held;
        plans.front()->serial = ++plansMade;
    } catch (const UserError &error) {
        if (failure.apply == kNoApply) throw;
        fail(error, failure);
    }
    if (plans.size() > kKeptPlans) plans.pop_back();
    return *plans.front();
}

// Tier 0 starts at once. Kernels that are on disk are taken before the first run; others are compiled in the background
// when the function turns out to be worth it, and exchanged between two calls.
void Function::State::takeKernels(Plan &plan)
{
    const std::string &linker = spec.mode.linker;
    const bool compiles = spec.mode.level == OptimizerLevel::FastRun && linker.find('c') != std::string::npos;
    if (!compiles || plan.kernels().empty()) {
        plan.kernelsSettled = true;
        return;
    }
    static const bool waits = [] {
        const char *text = std::getenv("CROTON_COMPILE_WAIT");
        return text && *text && *text != '0';
    }();
    constexpr std::uint32_t kWorthIt = 3;
    const auto wanted = [&] {
        std::vector<std::shared_ptr<Kernel>> kernels;
        for (const Plan::PlannedKernel &planned : plan.kernels())
            if (!planned.adopted) kernels.push_back(planned.kernel);
        return kernels;
    };
    if (plan.runs == 0 && !loadCachedKernels(wanted()) && waits) {
        requestKernels(wanted());
        waitForKernels();
    }
    if (plan.runs == 0 && compiler().path.empty()) {
        static std::atomic<bool> said{false};
        if (!said.exchange(true)) warnings.push_back(compiler().reason);
        plan.kernelsSettled = true;
        return;
    }
    if (const std::uint64_t generation = kernelGeneration(); generation != plan.kernelGeneration) {
        plan.kernelGeneration = generation;
        if (plan.adoptKernels() && statistics.calls.get()) statistics.beginSteadyState();
    }
    if (++plan.runs == kWorthIt) requestKernels(wanted());
}

void Function::State::beginTrace(std::span<const Tier> tiers)
{
    CallTrace &trace = statistics.trace;
    const std::uint64_t calls = statistics.calls.get();
    if (calls == statistics.warmUpCalls && calls) statistics.beginSteadyState();
    if (calls < trace.nextCall) {
        trace.ticks.clear();
        return;
    }
    trace.nextCall = ~std::uint64_t(0);
    trace.ticks.assign(order.size() + 1, 0);
    trace.tiers.assign(tiers.begin(), tiers.end());
    trace.tiers.resize(order.size(), Tier::Interpreter);
}

void Function::State::fail(const std::exception &error, const ApplyFailure &failure)
{
    const auto place = std::find(order.begin(), order.end(), failure.apply);
    std::string text = describeRunError(error.what(), *graph, lineage, failure.apply, static_cast<std::size_t>(place - order.begin()), failure.inputs);
    std::string changed;
    for (auto it = order.begin(); it != place; ++it)
        for (const Alias &alias : graph->apply(*it).op->destroyMap()) {
            const VarId root = storageRoot(*graph, graph->inputOf(*it, static_cast<std::size_t>(alias.input)));
            if (graph->var(root).kind == Variable::Kind::Shared) changed += (changed.empty() ? "" : ", ") + graph->displayName(root);
        }
    if (!changed.empty()) text += "\nShared variables that may have changed before the error: " + changed;
    const auto *user = dynamic_cast<const UserError *>(&error);
    throw RunError(text, user ? user->hint() : std::string(), id, failure.apply, std::current_exception());
}

// Sizes and windows that do not fit show when memory is laid out, before any apply runs. The interpreter finds the apply; it
// works on copies.
void Function::State::blame()
{
    std::vector<Value> copies;
    for (const View &view : views) {
        const auto rank = static_cast<std::size_t>(view.rank);
        copies.emplace_back(Tensor(view.dtype, Dims(std::span(view.shape, rank)), Dims(std::span(view.strides, rank)), view.data, nullptr).copy());
    }
    ApplyFailure failure{kNoApply, {}};
    try {
        interpret(*graph, order, copies, callNested, false, nullptr, failure, {});
    } catch (const UserError &error) {
        if (failure.apply != kNoApply) fail(error, failure);
    }
}

// A borrowed output lies in the memory of a shared variable or constant, which must live as long; the memory of an
// explicit input is the caller's, so that one is copied.
Tensor Function::State::owned(Tensor borrowed, VarId root) const
{
    const VarNode &node = graph->var(root);
    if (node.kind != Variable::Kind::Shared && node.kind != Variable::Kind::Constant) return borrowed.copy();
    const Value &holder = node.kind == Variable::Kind::Shared ? node.leaf->container()->value() : node.leaf->value();
    return Tensor(borrowed.dtype(), borrowed.shape(), borrowed.strides(), borrowed.data(), holder.tensor().storage());
}

void Function::State::runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs)
{
    gatherShared(inputs);
    std::size_t alreadyHeld = 0;
    if (statistics.perApply) {
        alreadyHeld = liveBytes();
        resetPeakBytes();
    }
    const std::uint32_t plansBefore = plansMade;
    const auto blamed = [&](auto step) -> decltype(auto) {
        try {
            return step();
        } catch (const ShapeMismatch &) {
            blame();
            throw;
        }
    };
    Plan &plan = blamed([&]() -> Plan & { return planFor(); });
    if (!plan.kernelsSettled) takeKernels(plan);
    if (statistics.perApply) {
        if (plansMade == plansBefore) alreadyHeld -= plan.scratchBytes;
        if (plan.holdsArena()) alreadyHeld -= plan.arenaBytes();
        beginTrace(plan.tiers());
        statistics.planSerial = plan.serial;
    }
    blamed([&] { plan.bind(*shapes, views); });
    ApplyFailure failure{kNoApply, {}};
    const std::uint64_t before = statistics.perApply ? ticks() : 0;
    try {
        plan.run(statistics.perApply ? &statistics : nullptr, failure);
    } catch (const InternalError &) {
        plan.unbind(false);
        throw;
    } catch (const std::exception &error) {
        struct Unbind {
            Plan &plan;
            ~Unbind() { plan.unbind(false); }
        } unbind{plan}; // the text shows values that lie in the arena
        if (failure.apply == kNoApply) throw;
        fail(error, failure);
    } catch (...) {
        plan.unbind(false);
        throw;
    }
    if (statistics.perApply) statistics.runTicks.add(ticks() - before);
    const std::size_t returned = spec.outputs.size();
    outputs.clear();
    for (std::size_t i = 0; i < returned; ++i) {
        outputs.push_back(plan.output(i));
        if (!outputs.back().storage()) outputs.back() = owned(std::move(outputs.back()), plan.outputRoot(i));
    }
    // All new values first, stores after: an update may be what another variable held.
    updateValues.clear();
    for (std::size_t u = 0; u < targets.size(); ++u) {
        Tensor value = plan.output(returned + u);
        const int input = targetInput[u];
        const bool inPlace = input >= 0 && plan.outputLivesInInput(returned + u, static_cast<std::size_t>(input)) &&
                             value.data() == views[static_cast<std::size_t>(input)].data &&
                             value.strides() == targets[u]->value().tensor().strides();
        if (inPlace) value = targets[u]->value().tensor();
        else if (!value.storage()) value = value.copy();
        updateValues.push_back(std::move(value));
    }
    for (std::size_t u = 0; u < targets.size(); ++u) targets[u]->set(Value(std::move(updateValues[u])));
    updateValues.clear();
    if (statistics.perApply) statistics.callPeakBytes = peakBytes() - alreadyHeld;
    plan.unbind(!spec.mode.allowGc || plan.arenaBytes() <= kKeptArenaBytes);
}

void Function::State::runValues(std::span<const Value> inputs, std::vector<Value> &outputs)
{
    if (cachedThunks.size() != order.size()) cachedThunks.resize(order.size());
    std::vector<Value> all(inputs.begin(), inputs.end());
    for (const auto &container : shared) all.push_back(container->value());
    ApplyFailure failure{kNoApply, {}};
    std::vector<Value> results;
    const std::size_t alreadyHeld = liveBytes();
    if (statistics.perApply) {
        resetPeakBytes();
        beginTrace({});
        statistics.planSerial = 0;
    }
    const std::uint64_t before = statistics.perApply ? ticks() : 0;
    try {
        results = interpret(*graph, order, all, callNested, spec.mode.allowGc, statistics.perApply ? &statistics : nullptr, failure, cachedThunks);
    } catch (const InternalError &) {
        throw;
    } catch (const std::exception &error) {
        if (failure.apply == kNoApply) throw;
        fail(error, failure);
    }
    if (statistics.perApply) {
        statistics.runTicks.add(ticks() - before);
        statistics.callPeakBytes = peakBytes() - alreadyHeld;
    }
    const std::ptrdiff_t returned = static_cast<std::ptrdiff_t>(spec.outputs.size());
    for (std::size_t u = 0; u < targets.size(); ++u) targets[u]->set(std::move(results[spec.outputs.size() + u]));
    outputs.assign(std::make_move_iterator(results.begin()), std::make_move_iterator(results.begin() + returned));
}

namespace {

// Counts a call even when it ends by an exception, and tells the observer.
class CallScope {
public:
    CallScope(Function &function, FunctionStatistics &statistics) : m_function(function), m_statistics(statistics), m_start(ticks())
    {
        m_observer = runObserver();
        if (m_observer) m_observer->callStarted(function);
    }
    void finished()
    {
        m_statistics.calls.add(1);
        const std::uint64_t spent = ticks() - m_start;
        m_statistics.callTicks.add(spent);
        // Reading the clock is a good part of a tiny call: only profiled functions tell the plan's time apart.
        if (!m_statistics.perApply) m_statistics.runTicks.add(spent);
        if (m_observer) m_observer->callFinished(m_function, m_start, spent);
    }
    void failed(const std::string &message)
    {
        if (m_observer) m_observer->callFailed(m_function, message);
    }

private:
    Function &m_function;
    FunctionStatistics &m_statistics;
    RunObserver *m_observer;
    std::uint64_t m_start;
};

} // namespace

void Function::callViews(std::span<const View> inputs, std::vector<Tensor> &outputs)
{
    State &s = *m_state;
    s.lock();
    struct Unlock {
        State &state;
        ~Unlock() { state.unlock(); }
    } unlock{s};
    CallScope scope(*this, s.statistics);
    try {
        if (s.shapes->complete() && s.onlyTensors) {
            s.runTensors(inputs, outputs);
        } else {
            std::vector<Value> values, results;
            for (const View &view : inputs)
                values.emplace_back(Tensor(view.dtype, Dims(std::span(view.shape, static_cast<std::size_t>(view.rank))),
                                           Dims(std::span(view.strides, static_cast<std::size_t>(view.rank))), view.data, nullptr));
            s.runValues(values, results);
            outputs.clear();
            for (Value &value : results) outputs.push_back(value.tensor());
        }
    } catch (const std::exception &error) {
        scope.failed(error.what());
        throw;
    }
    scope.finished();
}

void Function::call(std::span<const Value> inputs, std::vector<Value> &outputs)
{
    State &s = *m_state;
    if (s.shapes->complete() && s.onlyTensors) {
        std::vector<View> views;
        for (const Value &value : inputs) views.push_back(value.tensor().view());
        std::vector<Tensor> results;
        callViews(views, results);
        outputs.assign(std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
        return;
    }
    s.lock();
    struct Unlock {
        State &state;
        ~Unlock() { state.unlock(); }
    } unlock{s};
    CallScope scope(*this, s.statistics);
    try {
        s.runValues(inputs, outputs);
    } catch (const std::exception &error) {
        scope.failed(error.what());
        throw;
    }
    scope.finished();
}

std::optional<Blame> Function::findGuiltyRewrite(std::span<const Value> inputs)
{
    State &s = *m_state;
    s.lock();
    struct Unlock {
        State &state;
        ~Unlock() { state.unlock(); }
    } unlock{s};
    return findGuiltyStep(*s.graph, inputs);
}

} // namespace engine
