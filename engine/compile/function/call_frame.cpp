#include "engine/compile/function/call_frame.h"

#include "engine/compile/request/given_back.h"
#include "engine/compile/request/shared_values.h"
#include "engine/liveness/placement.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"
#include "engine/tensor/memory.h"

#include <algorithm>

namespace engine {
namespace {

Tensor tensorOn(const View &view)
{
    const auto rank = static_cast<std::size_t>(view.rank);
    return Tensor(view.dtype, Dims(std::span(view.shape, rank)), Dims(std::span(view.strides, rank)), view.data, nullptr);
}

std::vector<Value> valuesOn(std::span<const View> views)
{
    std::vector<Value> values;
    for (const View &view : views) values.emplace_back(tensorOn(view));
    return values;
}

// Counts a call even when it ends by an exception, and tells the observer.
class CallScope {
public:
    /// `values()`: of the explicit inputs.
    template <class Values>
    CallScope(Function &function, FunctionStatistics &statistics, Values values)
        : m_function(function), m_statistics(statistics), m_observer(runObserver())
    {
        if (m_observer) {
            m_observer->callStarted(function);
            m_tellsValues = m_observer->wantsValues(function);
            if (m_tellsValues) m_observer->callGiven(function, values());
        }
        m_start = ticks();
    }
    template <class Values>
    void finished(Values outputs)
    {
        m_statistics.calls.add(1);
        const std::uint64_t spent = ticks() - m_start;
        m_statistics.callTicks.add(spent);
        // Reading the clock is a good part of a tiny call: only profiled functions tell the plan's time apart.
        if (!m_statistics.perApply) m_statistics.runTicks.add(spent);
        if (m_observer) m_observer->callFinished(m_function, m_start, spent);
        if (m_tellsValues) m_observer->callReturned(m_function, outputs());
    }
    void failed(const std::string &message)
    {
        if (m_observer) m_observer->callFailed(m_function, message);
    }

private:
    Function &m_function;
    FunctionStatistics &m_statistics;
    RunObserver *m_observer;
    bool m_tellsValues = false;
    std::uint64_t m_start = 0;
};

} // namespace

Function::Frame::~Frame()
{
    m_room.shared.clear();
    m_room.copies.clear();
    m_room.updateValues.clear();
}

bool Function::Frame::isDestroyedOurs() const
{
    const std::vector<std::size_t> &destroyed = compiled().destroyed.inputs;
    const std::size_t given = compiled().spec.inputs.size();
    // Only the container and the call hold it, so nothing else can read it.
    return std::all_of(destroyed.begin(), destroyed.end(), [&](std::size_t i) {
        if (i < given) return false;
        const StorageRef &storage = m_room.shared[i - given].storage();
        return storage && storage->memory() == Memory::Ours && storage->useCount() <= 2;
    });
}

void Function::Frame::gatherShared(std::span<const View> inputs)
{
    auto &[views, shared, copies, updateValues, endangered] = m_room;
    views.assign(inputs.begin(), inputs.end());
    shared.reserve(compiled().shared.containers.size()); // the views point into it
    for (const auto &container : compiled().shared.containers) {
        shared.push_back(sharedValue(*container).tensor());
        views.push_back(shared.back().view());
    }
    if (isDestroyedOurs()) return;
    endangered.clear();
    for (const View &view : inputs) endangered.add(view, nullptr);
    for (std::size_t i = 0; i < shared.size(); ++i) endangered.add(views[inputs.size() + i], shared[i].storage().get());
    const std::vector<std::size_t> &found = endangered.find(compiled().destroyed, views);
    copies.reserve(found.size()); // the views point into it
    const FunctionGraph &graph = *compiled().graph;
    for (std::size_t i : found) {
        Tensor &own = i < inputs.size() ? copies.emplace_back() : shared[i - inputs.size()];
        own = copyOf(tensorOn(views[i]), graph.var(graph.inputs()[i]).type.device());
        views[i] = own.view();
    }
}

std::vector<GivenBack> &givenBack()
{
    thread_local std::vector<GivenBack> all;
    return all;
}

void Function::Frame::unbind(Plan &plan, bool keepsArena)
{
    const bool isNoted = statistics().perApply && !keepsArena && plan.arenaBytes() > liveness::kKeptArenaBytes;
    const std::uint64_t before = isNoted ? ticks() : 0;
    plan.unbind(keepsArena);
    if (isNoted) givenBack().push_back({before, ticks() - before, plan.arenaBytes()});
}

void Function::Frame::beginTrace()
{
    givenBack().clear();
    CallTrace &trace = statistics().trace;
    const std::uint64_t calls = statistics().calls.get();
    if (calls == statistics().warmUpCalls && calls) statistics().beginSteadyState();
    if (calls < trace.nextCall) {
        trace.ticks.clear();
        return;
    }
    trace.nextCall = ~std::uint64_t(0);
    trace.ticks.assign(compiled().order.size() + 1, 0);
    trace.pauses.clear();
}

// A borrowed output lies in the memory of a shared variable or constant, which must live as long; the memory of an
// explicit input is the caller's, so that one is copied.
Tensor Function::Frame::owned(const Tensor &borrowed, VarId root) const
{
    const VarNode &node = compiled().graph->var(root);
    if (node.kind != Variable::Kind::Shared && node.kind != Variable::Kind::Constant) return copyOf(borrowed, node.type.device());
    const std::vector<VarRef> &variables = compiled().shared.variables;
    const auto place = std::find(variables.begin(), variables.end(), node.leaf) - variables.begin();
    const Tensor &holder =
        node.kind == Variable::Kind::Shared ? m_room.shared.at(static_cast<std::size_t>(place)) : node.leaf->value().tensor();
    return Tensor(borrowed.dtype(), borrowed.shape(), borrowed.strides(), borrowed.data(), holder.storage());
}

void Function::Frame::takeOutputs(const Plan &plan, std::vector<Tensor> &outputs) const
{
    outputs.clear();
    for (std::size_t i = 0; i < compiled().spec.outputs.size(); ++i) {
        outputs.push_back(plan.output(i));
        if (!outputs.back().storage()) outputs.back() = owned(std::move(outputs.back()), plan.outputRoot(i));
    }
}

// All new values first, stores after: an update may be what another variable held.
void Function::Frame::storeUpdates(Plan &plan)
{
    const std::size_t returned = compiled().spec.outputs.size();
    const auto &[targets, targetInput] = compiled().updates;
    std::vector<Tensor> &updateValues = m_room.updateValues;
    for (std::size_t u = 0; u < targets.size(); ++u) {
        Tensor value = plan.output(returned + u);
        const int input = targetInput[u];
        // Not what the container holds by now: another thread may have set something else.
        const Tensor *before = input < 0 ? nullptr : &m_room.shared[static_cast<std::size_t>(input) - compiled().spec.inputs.size()];
        const bool inPlace = before && plan.outputLivesInInput(returned + u, static_cast<std::size_t>(input)) &&
                             value.data() == before->data() && value.shape() == before->shape() && value.strides() == before->strides();
        if (inPlace) value = *before;
        else if (!value.storage()) value = copyOf(value, compiled().graph->var(compiled().graph->output(returned + u)).type.device());
        updateValues.push_back(std::move(value));
    }
    for (std::size_t u = 0; u < targets.size(); ++u) setSharedValue(*targets[u], Value(std::move(updateValues[u])));
    updateValues.clear();
}

// An error leaves the plan unbound, after its text was written: that shows values that lie in the arena.
template <class Work>
void Function::Frame::executeAs(const Stage &stage, Plan &plan, const Work &run)
{
    ApplyFailure failure{kNoApply, {}};
    const std::uint64_t before = statistics().perApply ? ticks() : 0;
    try {
        run(statistics().perApply ? &statistics() : nullptr, failure);
    } catch (const InternalError &) {
        plan.unbind(false);
        throw;
    } catch (const FoundOnDevice &error) {
        plan.unbind(false);
        throwWithApply(error);
    } catch (const std::exception &error) {
        struct Unbind {
            Plan &plan;
            ~Unbind() { plan.unbind(false); }
        } unbind{plan};
        if (failure.apply == kNoApply) throw;
        const auto place = std::find(stage.order.begin(), stage.order.end(), failure.apply);
        m_state.errors.fail(error, failure, stage.first + static_cast<std::size_t>(place - stage.order.begin()));
    } catch (...) {
        plan.unbind(false);
        throw;
    }
    if (statistics().perApply) statistics().runTicks.add(ticks() - before);
}

void Function::Frame::execute(const Stage &stage, Plan &plan)
{
    executeAs(stage, plan, [&](FunctionStatistics *statistics, ApplyFailure &failure) { plan.run(statistics, failure); });
}

void Function::Frame::execute(const Stage &stage, Plan &plan, const Run &run) { executeAs(stage, plan, run); }

void Function::Frame::runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs)
{
    gatherShared(inputs);
    std::size_t alreadyHeld = 0;
    if (statistics().perApply) {
        alreadyHeld = liveBytes();
        resetPeakBytes();
    }
    PlanCache &plans = m_state.plans;
    PlannedStage &whole = plans.whole();
    const std::uint32_t plansBefore = whole.plansMade;
    Plan &plan = plans.blamed(whole, m_room.views, [&]() -> Plan & {
        plans.planFor(whole, m_room.views);
        return m_state.withinBudget(m_room.views);
    });
    if (!plan.kernelsSettled && plans.takeKernels(plan) && statistics().calls.get()) statistics().beginSteadyState();
    if (statistics().perApply) {
        if (whole.plansMade == plansBefore) alreadyHeld -= plan.scratchBytes;
        if (plan.holdsArena()) alreadyHeld -= plan.arenaBytes();
        beginTrace();
        statistics().planSerial = plan.serial;
    }
    plans.blamed(whole, m_room.views, [&] { plan.bind(m_room.views); });
    execute(whole.stage, plan);
    takeOutputs(plan, outputs);
    storeUpdates(plan);
    if (statistics().perApply) statistics().callPeakBytes = peakBytes() - alreadyHeld;
    unbind(plan, !compiled().spec.mode.allowGc || plan.arenaBytes() <= liveness::kKeptArenaBytes);
}

void Function::callViews(std::span<const View> inputs, std::vector<Tensor> &outputs)
{
    State &s = *m_state;
    const State::Hold hold(s);
    CallScope scope(*this, s.statistics, [&] { return valuesOn(inputs); });
    try {
        std::vector<Value> expected;
        if (s.debug) expected = s.debug->expected(*this, s.errors, valuesOn(inputs));
        Frame frame(s);
        if (s.compiled.isWhole) {
            frame.runTensors(inputs, outputs);
        } else {
            std::vector<Value> values = valuesOn(inputs), results;
            frame.runStages(values, results);
            outputs.clear();
            for (Value &value : results) outputs.push_back(value.tensor());
        }
        if (s.debug) s.debug->compare(*this, expected, std::vector<Value>(outputs.begin(), outputs.end()));
    } catch (const std::exception &error) {
        scope.failed(error.what());
        throw;
    } catch (const Interrupted &) {
        scope.failed("the call was interrupted");
        throw;
    }
    scope.finished([&] { return std::vector<Value>(outputs.begin(), outputs.end()); });
}

namespace {

void checkDevices(const FunctionGraph &graph, std::span<const Value> inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Type wanted = graph.var(graph.inputs()[i]).type;
        if (!inputs[i].isTensor() || inputs[i].tensor().device() == wanted.device()) continue;
        throw TypeMismatch("argument " + std::to_string(i) + " lies on " + deviceOf(inputs[i].tensor().device()).info().name +
                               " and is a " + wanted.text(),
                           "transfer it before the call");
    }
}

} // namespace

void Function::call(std::span<const Value> inputs, std::vector<Value> &outputs)
{
    State &s = *m_state;
    checkDevices(*s.compiled.graph, inputs);
    if (s.compiled.isWhole) {
        std::vector<View> views;
        for (const Value &value : inputs) views.push_back(value.tensor().view());
        std::vector<Tensor> results;
        callViews(views, results);
        outputs.assign(std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
        return;
    }
    const State::Hold hold(s);
    CallScope scope(*this, s.statistics, [&] { return inputs; });
    try {
        std::vector<Value> expected;
        if (s.debug) expected = s.debug->expected(*this, s.errors, inputs);
        Frame(s).runStages(inputs, outputs);
        if (s.debug) s.debug->compare(*this, expected, outputs);
    } catch (const std::exception &error) {
        scope.failed(error.what());
        throw;
    } catch (const Interrupted &) {
        scope.failed("the call was interrupted");
        throw;
    }
    scope.finished([&] { return std::span<const Value>(outputs); });
}

} // namespace engine
