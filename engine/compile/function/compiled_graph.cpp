#include "engine/compile/function/compiled_graph.h"

#include "engine/compile/request/checks.h"
#include "engine/compile/request/dropped_branches.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/graph/op/op_card.h"
#include "engine/ops/loops/scan.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/runtime/device/device_work_name.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <atomic>

namespace engine {

void CompiledGraph::build()
{
    std::vector<VarRef> inputs, outputs = spec.outputs;
    for (const FunctionInput &input : spec.inputs) inputs.push_back(input.variable);
    for (const auto &[target, value] : spec.updates) outputs.push_back(value);
    graph = std::make_unique<FunctionGraph>(inputs, outputs, spec.givens);
    checkUnusedInputs(spec, *graph, warnings);
    noteUpdates();
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
        if (spec.inputs[i].isMutable) graph->mutableInputs.push_back(graph->inputs()[i]);
}

void CompiledGraph::noteUpdates()
{
    for (std::size_t i = 0; i < spec.updates.size(); ++i) {
        const VarRef &target = spec.updates[i].first;
        const VarId var = graph->find(target.get());
        if (var != kNoVar) {
            graph->updates[spec.outputs.size() + i] = var;
            graph->mutableInputs.push_back(var);
        }
        updates.containers.push_back(target->container());
        updates.inputs.push_back(-1);
        for (std::size_t k = 0; k < graph->inputs().size() && var != kNoVar; ++k)
            if (graph->inputs()[k] == var) updates.inputs.back() = static_cast<int>(k);
    }
}

void CompiledGraph::rewrite(CompileObserver *observer)
{
    // The steps that an edit made outside the phases are a pass of their own.
    const auto asPass = [&](const char *phase, const char *name, auto edit) {
        const std::size_t firstStep = graph->journal().steps.size();
        const std::uint64_t begin = nowNs();
        edit();
        if (observer && graph->journal().steps.size() > firstStep)
            observer->passFinished(id, *graph, {phase, name, firstStep, graph->journal().steps.size(), nowNs() - begin});
    };
    bool isAnyDestroyed = false;
    asPass("input", "protect_destroyed", [&] { isAnyDestroyed = protectDestroyed(*graph, "input"); });
    const std::uint64_t start = nowNs();
    rewrites = rewriteGraph(*graph, spec.mode, [&](const PassReport &report) {
        if (observer) observer->passFinished(id, *graph, report);
    });
    warnings.insert(warnings.end(), rewrites.warnings.begin(), rewrites.warnings.end());
    // Folding and merging know nothing of what ops of the user overwrite: it may be a constant by now, or have other readers. And rewrites
    // of the user put in ops that overwrite, whatever it is.
    if (isAnyDestroyed || userOpsOverwrite(*graph)) asPass("output", "protect_destroyed", [&] { protectDestroyed(*graph, "output"); });
    asPass("output", "insert_deepcopy", [&] { insertDeepCopies(spec, *graph); });
    times.optimizerNs = nowNs() - start;
    for (const PassReport &pass : rewrites.passes) times.validateNs += pass.validateNs;
}

void CompiledGraph::link(StagedOrder &staged)
{
    isWhole = staged.isWhole;
    for (const StagedOrder::Step &step : staged.steps) {
        if (step.stage == kNoStage) order.push_back(step.apply);
        else order.insert(order.end(), staged.stages[step.stage].order.begin(), staged.stages[step.stage].order.end());
    }
    for (std::size_t i = spec.inputs.size(); i < graph->inputs().size(); ++i) {
        const VarRef &leaf = graph->var(graph->inputs()[i]).leaf;
        shared.variables.push_back(leaf);
        shared.containers.push_back(leaf->container());
    }
    findDestroyed();
    const auto lookAt = [&](VarId var) {
        onlyArrays &= graph->var(var).type.isTensor();
        onlyTensors &= graph->var(var).type.isTensor() && graph->var(var).type.device() == DeviceId::Host;
    };
    for (VarId input : graph->inputs()) lookAt(input);
    for (std::size_t i = 0; i < graph->outputCount(); ++i) lookAt(graph->output(i));
    if (auto checks = std::make_unique<SizeChecks>(*graph, inDroppedBranches(*graph)); !checks->isEmpty()) sizeChecks = std::move(checks);
    compileNested();
    branches = std::move(staged.branches);
    if (!isWhole) linkSteps(staged);
    if (compilesKernels()) warnOfKernels();
}

namespace {

ProcessMutex &lineageMutex()
{
    static auto *const mutex = new ProcessMutex;
    return *mutex;
}

} // namespace

void CompiledGraph::reorder(const Stage &whole, BranchList nowBranches)
{
    order = whole.order;
    branches = std::move(nowBranches);
    const std::lock_guard lock(lineageMutex());
    m_isTraced = false;
}

const Lineage &CompiledGraph::lineage() const
{
    {
        const std::lock_guard lock(lineageMutex());
        if (m_isTraced) return *m_lineages.back();
    }
    auto traced = std::make_unique<const Lineage>(traceLineage(*graph));
    const std::lock_guard lock(lineageMutex());
    if (!std::exchange(m_isTraced, true)) m_lineages.push_back(std::move(traced));
    return *m_lineages.back();
}

bool CompiledGraph::compilesKernels() const
{
    return spec.mode.level == OptimizerLevel::FastRun && engine::compilesKernels(spec.mode.linker);
}

// Without a C compiler kernels run on the interpreter; kernels that cannot be kept are compiled again by every process. The first function
// that has kernels says so.
void CompiledGraph::warnOfKernels()
{
    static std::atomic<bool> saidCompiler{false}, saidCache{false};
    const bool hasCompiler = !compiler().path.empty();
    const std::string problem = hasCompiler ? kernelCacheProblem() : compiler().reason;
    if (!problem.empty() && !(hasCompiler ? saidCache : saidCompiler).exchange(true)) warnings.push_back(problem);
}

void CompiledGraph::compileNested()
{
    for (ApplyId apply : order) {
        const OpRef &op = graph->apply(apply).op;
        if (!op->card().nests()) continue;
        FunctionSpec inner;
        for (const VarRef &input : op->inner()->inputs) inner.inputs.push_back({input});
        inner.outputs = op->inner()->outputs;
        inner.name = op->friendlyName();
        inner.mode = spec.bodies.value_or(spec.mode);
        inner.bodies = spec.bodies;
        const Scan *const loop = opCast<Scan>(op);
        inner.mode.device = loop ? loop->device() : DeviceId::Host; // where its inputs are
        inner.onUnusedInput = OnUnusedInput::Ignore;
        inner.profile = spec.profile;
        inner.parent = {id, apply};
        inner.isLoopBody = loop;
        nested.emplace_back(apply, Function::compile(std::move(inner)));
    }
    callNested = [this](ApplyId apply, std::span<const Value> in, std::span<Value> out) {
        for (const auto &[place, inner] : nested) {
            if (place != apply) continue;
            if (const Scan *loop = opCast<Scan>(graph->apply(apply).op)) {
                runScan(*loop, in, out, *inner->beginSteps());
                return;
            }
            std::vector<Value> results;
            inner->call(in, results);
            std::move(results.begin(), results.end(), out.begin());
            return;
        }
        graph->apply(apply).op->performValues(in, out);
    };
}

void CompiledGraph::findDestroyed()
{
    std::unordered_map<std::uint32_t, std::size_t> inputBelow; // by variable: the input whose memory it is or looks into
    for (std::size_t i = 0; i < graph->inputs().size(); ++i) inputBelow.emplace(raw(graph->inputs()[i]), i);
    std::vector<bool> isDestroyed(graph->inputs().size(), false);
    for (ApplyId id : order) {
        const ApplyNode &apply = graph->apply(id);
        const auto follow = [&](std::span<const Alias> aliases, bool destroys) {
            for (const Alias &alias : aliases) {
                const auto below = inputBelow.find(raw(apply.inputs[alias.input].var));
                if (below == inputBelow.end()) continue;
                const std::size_t input = below->second;
                if (destroys) isDestroyed[input] = true;
                inputBelow.emplace(raw(apply.outputs[alias.output]), input);
            }
        };
        follow(apply.op->viewMap(), false);
        follow(apply.op->destroyMap(), true);
    }
    for (std::size_t i = 0; i < isDestroyed.size(); ++i)
        if (isDestroyed[i]) destroyed.inputs.push_back(i);
    const auto &containers = shared.containers;
    for (std::size_t i = 0; i < containers.size(); ++i)
        destroyed.hasTwins |=
            std::find(containers.begin() + static_cast<std::ptrdiff_t>(i) + 1, containers.end(), containers[i]) != containers.end();
}

void CompiledGraph::linkSteps(const StagedOrder &staged)
{
    const auto number = [&](VarId var) {
        const auto [place, isNew] = steps.valueOfVar.emplace(raw(var), kNoValue);
        if (isNew) place->second = steps.vars.add(var);
        return place->second;
    };
    for (VarId input : graph->inputs()) number(input);
    for (const StagedOrder::Step &from : staged.steps) {
        FunctionStep step;
        step.stage = from.stage;
        step.apply = from.apply;
        step.first = from.first;
        step.branch = from.branch;
        if (step.stage != kNoStage) {
            const Stage &stage = staged.stages[step.stage];
            for (VarId var : stage.inputs) step.reads.push_back(number(var));
            for (VarId var : stage.outputs) step.makes.push_back(number(var));
        } else {
            const ApplyNode &node = graph->apply(step.apply);
            step.deviceTag = takeDeviceTags(1);
            for (const Use &use : node.inputs) {
                step.reads.push_back(graph->var(use.var).kind == Variable::Kind::Constant ? kNoValue : number(use.var));
                step.inputTypes.push_back(graph->var(use.var).type);
            }
            for (VarId var : node.outputs) {
                step.makes.push_back(number(var));
                step.outputTypes.push_back(graph->var(var).type);
            }
        }
        steps.all.push_back(std::move(step));
    }
    Indexed<ValueId, bool> isNeeded(steps.vars.size(), false);
    for (VarId out : graph->outputs())
        if (const auto found = steps.valueOfVar.find(raw(out)); found != steps.valueOfVar.end()) isNeeded[found->second] = true;
    for (auto step = steps.all.rbegin(); step != steps.all.rend(); ++step)
        for (const std::vector<ValueId> *values : {&step->reads, &step->makes})
            for (ValueId value : *values) {
                if (value == kNoValue || isNeeded[value]) continue;
                isNeeded[value] = true;
                step->drops.push_back(value);
            }
}

} // namespace engine
