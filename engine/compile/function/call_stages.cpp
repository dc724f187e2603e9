// Calls of functions of several stages: values go from step to step.
#include "engine/compile/function/call_frame.h"
#include "engine/compile/request/shared_values.h"
#include "engine/runtime/device/device_work_name.h"
#include "engine/runtime/plan/model_time.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/memory.h"

#include <algorithm>

namespace engine {
namespace {

// What a call takes of memory, with what plans keep from call to call.
class MemoryWatch {
public:
    explicit MemoryWatch(std::span<const PlannedStage> stages) : m_stages(stages), m_heldBefore(liveBytes())
    {
        for (const PlannedStage &planned : stages) {
            m_plansBefore.push_back(planned.plansMade);
            if (planned.last() && planned.last()->holdsArena()) m_heldBefore -= planned.last()->arenaBytes();
        }
        resetPeakBytes();
    }
    std::size_t peak() const
    {
        std::size_t bytes = peakBytes() - m_heldBefore;
        for (std::size_t i = 0; i < m_stages.size(); ++i)
            if (m_stages[i].plansMade == m_plansBefore[i]) bytes += m_stages[i].last()->scratchBytes;
        return bytes;
    }

private:
    std::span<const PlannedStage> m_stages;
    std::vector<std::uint32_t> m_plansBefore;
    std::size_t m_heldBefore;
};

bool liesIn(const Tensor &part, const Tensor &whole)
{
    const char *first = whole.as<char>(), *last = first;
    for (std::size_t axis = 0; axis < whole.shape().size(); ++axis) {
        const std::int64_t reach = (whole.shape()[axis] - 1) * whole.strides()[axis];
        (reach < 0 ? first : last) += reach;
    }
    return whole.size() > 0 && part.as<char>() >= first && part.as<char>() <= last;
}

// The input whose memory output `o` is or looks into, as the op says and as the values show; -1: none.
int inputBelow(const Op &op, std::size_t o, std::span<const Value> inputs, const Tensor &output)
{
    for (const auto &aliases : {op.viewMap(), op.destroyMap()})
        for (const Alias &alias : aliases) {
            const Value &input = inputs[alias.input];
            if (alias.output == o && input.isTensor() && liesIn(output, input.tensor())) return alias.input;
        }
    return -1;
}

} // namespace

void Function::Frame::copyEndangered(std::span<Value> inputs)
{
    std::vector<View> views;
    m_room.endangered.clear();
    for (const Value &value : inputs) {
        views.push_back(value.isTensor() ? value.tensor().view() : View{});
        m_room.endangered.add(views.back(), value.isTensor() ? value.tensor().storage().get() : nullptr);
    }
    for (std::size_t i : m_room.endangered.find(compiled().destroyed, views))
        inputs[i] = Value(copyOf(inputs[i].tensor(), inputs[i].tensor().device()));
}

const Value &Function::Frame::valueOf(VarId var, const StepValues &values) const
{
    const VarNode &node = compiled().graph->var(var);
    return node.kind == Variable::Kind::Constant ? node.leaf->value() : values[compiled().steps.valueOf(var)];
}

void Function::Frame::runStages(std::span<const Value> inputs, std::vector<Value> &outputs)
{
    if (std::exchange(m_state.kernelsSwapped, false)) statistics().beginSteadyState();
    StepValues values(compiled().steps.vars.size());
    const std::span<Value> given = values.items().first(compiled().graph->inputs().size());
    std::ranges::copy(inputs, given.begin());
    std::ranges::transform(compiled().shared.containers, given.begin() + std::ssize(inputs),
                           [](const auto &container) { return sharedValue(*container); });
    if (!compiled().destroyed.inputs.empty()) copyEndangered(given);
    if (compiled().sizeChecks) m_state.errors.checkSizesOf(given);
    std::optional<MemoryWatch> memory;
    if (statistics().perApply) {
        memory.emplace(m_state.plans.stages.items());
        beginTrace();
        m_state.stageMemory.begin(values);
    }
    for (const FunctionStep &step : compiled().steps.all) {
        if (step.stage != kNoStage) runStage(step, values);
        else runAlone(step, values);
        if (!compiled().spec.mode.allowGc) continue;
        for (ValueId value : step.drops) values[value] = Value();
    }
    std::vector<Value> results = resultsOf(values);
    const std::size_t returned = compiled().spec.outputs.size();
    const auto &targets = compiled().updates.containers;
    // All new values first, stores after: an update may be what another variable held.
    for (std::size_t u = 0; u < targets.size(); ++u) setSharedValue(*targets[u], std::move(results[returned + u]));
    results.resize(returned);
    outputs = std::move(results);
    if (!memory) return;
    statistics().callPeakBytes = memory->peak();
    statistics().planSerial = m_state.stageMemory.combinationOf(compiled(), m_state.plans);
}

void Function::Frame::runStage(const FunctionStep &step, StepValues &values)
{
    PlanCache &plans = m_state.plans;
    PlannedStage &planned = plans.stages[step.stage];
    std::vector<View> &views = m_room.views;
    views.clear();
    for (ValueId value : step.reads) views.push_back(values[value].tensor().view());
    Plan &plan = plans.blamed(planned, views, [&]() -> Plan & { return plans.planFor(planned, views); });
    // The steps before it have been counted for this call: the steady state begins with the next one.
    if (!plan.kernelsSettled && plans.takeKernels(plan)) m_state.kernelsSwapped = true;
    plans.blamed(planned, views, [&] { plan.bind(views); });
    execute(planned.stage, plan);
    for (std::size_t o = 0; o < step.makes.size(); ++o) {
        Tensor made = plan.output(o);
        if (!made.storage()) {
            // It is part of an array from before the stage, which must stay alive as long.
            const Tensor &holder = valueOf(plan.outputRoot(o), values).tensor();
            made = Tensor(made.dtype(), made.shape(), made.strides(), made.data(), holder.storage());
        }
        values[step.makes[o]] = Value(std::move(made));
    }
    unbind(plan, !compiled().spec.mode.allowGc);
}

namespace {

std::vector<Sized> sizedOf(std::span<const Type> types, std::span<const Value> values)
{
    std::vector<Sized> result;
    for (std::size_t i = 0; i < values.size(); ++i)
        result.push_back({types[i], values[i].isTensor() ? values[i].tensor().shape() : Dims()});
    return result;
}

} // namespace

void Function::Frame::runAlone(const FunctionStep &step, StepValues &values)
{
    const FunctionGraph &graph = *compiled().graph;
    const ApplyNode &node = graph.apply(step.apply);
    const auto truth = [&](VarId condition) { return isTrue(valueOf(condition, values).tensor().view()); };
    if (!isTaken(compiled().branches, step.branch, truth)) {
        if (!statistics().trace.ticks.empty()) {
            const std::uint64_t now = ticks();
            statistics().trace.beginAt(step.first, now);
            statistics().trace.ticks[step.first + 1] = now;
        }
        return;
    }
    std::vector<Value> in, out(step.makes.size());
    for (std::size_t i = 0; i < step.reads.size(); ++i)
        in.push_back(step.reads[i] == kNoValue ? graph.var(node.inputs[i].var).leaf->value() : values[step.reads[i]]);
    const DeviceWorkName name(step.deviceTag); // whatever it reads, it may use a device by itself
    const std::uint64_t before = statistics().perApply || ModelClock::isOn() ? ticks() : 0;
    try {
        performApply(*node.op, step.apply, step.inputTypes, step.outputTypes, in, out, compiled().callNested);
    } catch (const InternalError &) {
        throw;
    } catch (const FoundOnDevice &error) {
        throwWithApply(error);
    } catch (const std::exception &error) {
        m_state.errors.fail(error, {step.apply, shownOperands(in)}, step.first);
    }
    if (ModelClock::isOn()) takeModelTime(before, costOf(*node.op, sizedOf(step.inputTypes, in), sizedOf(step.outputTypes, out)));
    if (statistics().perApply) {
        const std::uint64_t after = ticks();
        statistics().runTicks.add(after - before);
        statistics().note(step.first, Tier::Interpreter, after - before);
        if (CallTrace &trace = statistics().trace; !trace.ticks.empty()) {
            trace.beginAt(step.first, before);
            trace.ticks[step.first + 1] = after;
        }
        for (std::size_t o = 0; o < out.size(); ++o) {
            if (!out[o].isTensor()) continue;
            const Tensor &made = out[o].tensor();
            const int below = inputBelow(*node.op, o, in, made);
            m_state.stageMemory.found(step.makes[o], made, below < 0 ? kNoValue : step.reads[below]);
        }
    }
    for (std::size_t o = 0; o < out.size(); ++o) values[step.makes[o]] = std::move(out[o]);
}

std::vector<Value> Function::Frame::resultsOf(const StepValues &values) const
{
    std::vector<Value> results;
    for (VarId out : compiled().graph->outputs()) {
        const Value &value = valueOf(out, values);
        const bool isArgument = value.isTensor() && !value.tensor().storage(); // memory without an owner
        results.push_back(isArgument ? Value(copyOf(value.tensor(), compiled().graph->var(out).type.device())) : value);
    }
    return results;
}

} // namespace engine
