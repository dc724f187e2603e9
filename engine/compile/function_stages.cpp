// Calls of functions of several stages: values go from step to step.
#include "engine/compile/function_state.h"
#include "engine/compile/shared_values.h"
#include "engine/runtime/device_work_name.h"
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

void Function::State::linkSteps(std::span<const StagedOrder::Step> staged)
{
    const auto number = [&](VarId var) {
        const auto [place, isNew] = valueOfVar.emplace(raw(var), kNoValue);
        if (isNew) place->second = valueVars.add(var);
        return place->second;
    };
    for (VarId input : graph->inputs()) number(input);
    for (const StagedOrder::Step &from : staged) {
        FunctionStep step;
        step.stage = from.stage;
        step.apply = from.apply;
        step.first = from.first;
        step.branch = from.branch;
        if (step.stage != kNoStage) {
            const Stage &stage = stages[step.stage].stage;
            for (VarId var : stage.inputs) step.reads.push_back(number(var));
            for (VarId var : stage.outputs) step.makes.push_back(number(var));
        } else {
            const ApplyNode &node = graph->apply(step.apply);
            step.deviceTag = takeDeviceTags(1);
            if (node.op->isOnDevice()) expectLater(step.deviceTag, {step.apply, {}});
            for (const Use &use : node.inputs) {
                step.reads.push_back(graph->var(use.var).kind == Variable::Kind::Constant ? kNoValue : number(use.var));
                step.inputTypes.push_back(graph->var(use.var).type);
            }
            for (VarId var : node.outputs) {
                step.makes.push_back(number(var));
                step.outputTypes.push_back(graph->var(var).type);
            }
        }
        steps.push_back(std::move(step));
    }
    Indexed<ValueId, bool> isNeeded(valueVars.size(), false);
    for (VarId out : graph->outputs())
        if (const auto found = valueOfVar.find(raw(out)); found != valueOfVar.end()) isNeeded[found->second] = true;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        for (const std::vector<ValueId> *values : {&step->reads, &step->makes})
            for (ValueId value : *values) {
                if (value == kNoValue || isNeeded[value]) continue;
                isNeeded[value] = true;
                step->drops.push_back(value);
            }
}

void Function::State::copyEndangered(std::span<Value> inputs)
{
    std::vector<View> views;
    inputMemory.clear();
    for (const Value &value : inputs) {
        views.push_back(value.isTensor() ? value.tensor().view() : View{});
        inputMemory.emplace_back(views.back(), value.isTensor() ? value.tensor().storage().get() : nullptr);
    }
    for (std::size_t i : findEndangered(views)) inputs[i] = Value(copyOf(inputs[i].tensor(), inputs[i].tensor().device()));
}

void Function::State::checkSizesOf(std::span<const Value> values)
{
    std::vector<View> views;
    std::vector<std::int64_t> sizes;
    for (const Value &value : values) {
        views.push_back(value.isTensor() ? value.tensor().view() : View{});
        const View &view = views.back();
        sizes.insert(sizes.end(), view.shape, view.shape + view.rank);
    }
    if (!sizeChecks->readsValues() && sizes == checkedSizes) return;
    checkSizes(views);
    checkedSizes = std::move(sizes);
}

void Function::State::runStages(std::span<const Value> inputs, std::vector<Value> &outputs)
{
    if (std::exchange(kernelsSwapped, false)) statistics.beginSteadyState();
    StepValues values(valueVars.size());
    const std::span<Value> given = values.items().first(graph->inputs().size());
    std::ranges::copy(inputs, given.begin());
    std::ranges::transform(shared, given.begin() + std::ssize(inputs), [](const auto &container) { return sharedValue(*container); });
    if (!destroyed.empty()) copyEndangered(given);
    if (sizeChecks) checkSizesOf(given);
    std::optional<MemoryWatch> memory;
    if (statistics.perApply) {
        memory.emplace(stages.items());
        beginTrace();
        found.assign(values.size(), {});
        for (const ValueId id : values.ids())
            if (values[id].isTensor())
                found[id] = {values[id].tensor().dtype(), values[id].tensor().shape(), values[id].tensor().strides()};
    }
    for (const FunctionStep &step : steps) {
        if (step.stage != kNoStage) runStage(step, values);
        else runAlone(step, values);
        if (!spec.mode.allowGc) continue;
        for (ValueId value : step.drops) values[value] = Value();
    }
    std::vector<Value> results = resultsOf(values);
    const std::size_t returned = spec.outputs.size();
    // All new values first, stores after: an update may be what another variable held.
    for (std::size_t u = 0; u < targets.size(); ++u) setSharedValue(*targets[u], std::move(results[returned + u]));
    results.resize(returned);
    outputs = std::move(results);
    if (!memory) return;
    statistics.callPeakBytes = memory->peak();
    statistics.planSerial = combinationOfPlans();
}

void Function::State::runStage(const FunctionStep &step, StepValues &values)
{
    PlannedStage &planned = stages[step.stage];
    planned.views.clear();
    for (ValueId value : step.reads) planned.views.push_back(values[value].tensor().view());
    Plan &plan = blamed(planned, [&]() -> Plan & { return planFor(planned); });
    // The steps before it have been counted for this call: the steady state begins with the next one.
    if (!plan.kernelsSettled && takeKernels(plan)) kernelsSwapped = true;
    blamed(planned, [&] { plan.bind(planned.views); });
    execute(planned.stage, plan);
    for (std::size_t o = 0; o < step.makes.size(); ++o) {
        Tensor made = plan.output(o);
        if (!made.storage()) {
            // It lies in what was there before the stage, which has to live as long.
            const VarId root = plan.outputRoot(o);
            const VarNode &node = graph->var(root);
            const Value &holder = node.kind == Variable::Kind::Constant ? node.leaf->value() : values[valueOfVar.at(raw(root))];
            made = Tensor(made.dtype(), made.shape(), made.strides(), made.data(), holder.tensor().storage());
        }
        values[step.makes[o]] = Value(std::move(made));
    }
    unbind(plan, !spec.mode.allowGc);
}

void Function::State::runAlone(const FunctionStep &step, StepValues &values)
{
    const ApplyNode &node = graph->apply(step.apply);
    const auto truth = [&](VarId condition) {
        const VarNode &known = graph->var(condition);
        return isTrue(
            (known.kind == Variable::Kind::Constant ? known.leaf->value() : values[valueOfVar.at(raw(condition))]).tensor().view());
    };
    if (!isTaken(branches, step.branch, truth)) {
        if (!statistics.trace.ticks.empty()) {
            const std::uint64_t now = ticks();
            statistics.trace.beginAt(step.first, now);
            statistics.trace.ticks[step.first + 1] = now;
        }
        return;
    }
    std::vector<Value> in, out(step.makes.size());
    for (std::size_t i = 0; i < step.reads.size(); ++i)
        in.push_back(step.reads[i] == kNoValue ? graph->var(node.inputs[i].var).leaf->value() : values[step.reads[i]]);
    const DeviceWorkName name(step.deviceTag); // whatever it reads, it may use a device by itself
    const std::uint64_t before = statistics.perApply ? ticks() : 0;
    try {
        performApply(*node.op, step.apply, step.inputTypes, step.outputTypes, in, out, callNested);
    } catch (const InternalError &) {
        throw;
    } catch (const FoundOnDevice &error) {
        tellLater(error);
    } catch (const std::exception &error) {
        fail(error, {step.apply, shownOperands(in)}, step.first);
    }
    if (statistics.perApply) {
        const std::uint64_t after = ticks();
        statistics.runTicks.add(after - before);
        statistics.note(step.first, Tier::Interpreter, after - before);
        if (CallTrace &trace = statistics.trace; !trace.ticks.empty()) {
            trace.beginAt(step.first, before);
            trace.ticks[step.first + 1] = after;
        }
        for (std::size_t o = 0; o < out.size(); ++o) {
            if (!out[o].isTensor()) continue;
            const Tensor &made = out[o].tensor();
            const int below = inputBelow(*node.op, o, in, made);
            found[step.makes[o]] = {made.dtype(), made.shape(), made.strides(), below < 0 ? kNoValue : step.reads[below]};
        }
    }
    for (std::size_t o = 0; o < out.size(); ++o) values[step.makes[o]] = std::move(out[o]);
}

std::vector<Value> Function::State::resultsOf(const StepValues &values) const
{
    std::vector<Value> results;
    for (VarId out : graph->outputs()) {
        const VarNode &node = graph->var(out);
        const Value &value = node.kind == Variable::Kind::Constant ? node.leaf->value() : values[valueOfVar.at(raw(out))];
        // Memory without an owner is that of an argument.
        results.push_back(value.isTensor() && !value.tensor().storage() ? Value(copyOf(value.tensor(), node.type.device())) : value);
    }
    return results;
}

} // namespace engine
