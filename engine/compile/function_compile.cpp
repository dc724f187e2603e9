// From a request to a function that can be called: the graph, its rewriting, its order, the functions inside it.
#include "engine/compile/checks.h"
#include "engine/compile/dropped_branches.h"
#include "engine/compile/function_state.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/scan.h"
#include "engine/rewrite/driver.h"
#include "engine/tensor/interrupt.h"

#include <chrono>

namespace engine {
namespace {

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

void Function::State::buildGraph()
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

void Function::State::noteUpdates()
{
    for (std::size_t i = 0; i < spec.updates.size(); ++i) {
        const VarRef &target = spec.updates[i].first;
        const VarId var = graph->find(target.get());
        if (var != kNoVar) {
            graph->updates[spec.outputs.size() + i] = var;
            graph->mutableInputs.push_back(var);
        }
        targets.push_back(target->container());
        targetInput.push_back(-1);
        for (std::size_t k = 0; k < graph->inputs().size() && var != kNoVar; ++k)
            if (graph->inputs()[k] == var) targetInput.back() = static_cast<int>(k);
    }
}

void Function::State::rewrite(CompileObserver *observer)
{
    // The steps that an edit made outside the phases are a pass of their own.
    const auto asPass = [&](const char *phase, const char *name, auto edit) {
        const std::size_t firstStep = graph->journal().steps.size();
        const std::uint64_t begin = now();
        edit();
        if (observer && graph->journal().steps.size() > firstStep)
            observer->passFinished(id, *graph, {phase, name, firstStep, graph->journal().steps.size(), now() - begin});
    };
    bool isAnyDestroyed = false;
    asPass("input", "protect_destroyed", [&] { isAnyDestroyed = protectDestroyed(*graph, "input"); });
    const std::uint64_t start = now();
    rewrites = rewriteGraph(*graph, spec.mode, [&](const PassReport &report) {
        if (observer) observer->passFinished(id, *graph, report);
    });
    warnings.insert(warnings.end(), rewrites.warnings.begin(), rewrites.warnings.end());
    // Folding and merging know nothing of what ops of the user overwrite: it may be a constant by now, or have other readers. And rewrites
    // of the user put in ops that overwrite, whatever it is.
    if (isAnyDestroyed || userOpsOverwrite(*graph)) asPass("output", "protect_destroyed", [&] { protectDestroyed(*graph, "output"); });
    asPass("output", "insert_deepcopy", [&] { insertDeepCopies(spec, *graph); });
    times.optimizerNs = now() - start;
    for (const PassReport &pass : rewrites.passes) times.validateNs += pass.validateNs;
}

void Function::State::link()
{
    const std::uint64_t start = now();
    StagedOrder staged = inStages(*graph);
    isWhole = staged.isWhole;
    for (Stage &stage : staged.stages) stages.add({std::move(stage), {}, 0, {}});
    for (const StagedOrder::Step &step : staged.steps) {
        if (step.stage == kNoStage) order.push_back(step.apply);
        else order.insert(order.end(), stages[step.stage].stage.order.begin(), stages[step.stage].stage.order.end());
    }
    for (std::size_t i = spec.inputs.size(); i < graph->inputs().size(); ++i) {
        const VarRef &leaf = graph->var(graph->inputs()[i]).leaf;
        sharedVars.push_back(leaf);
        shared.push_back(leaf->container());
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
    if (!isWhole) linkSteps(staged.steps);
    if (spec.profile) statistics.keepApplies(order.size());
    if (compiles() && hasCompiler()) tellOfCache();
    if (spec.mode.debug) debug = std::make_unique<DebugRun>(*graph, order, callNested, *spec.mode.debug, compiles() && hasCompiler());
    checkBudgetCanBeKept();
    times.linkerNs = now() - start;
}

// Kernels that cannot be kept are compiled again by every process; the first function says so.
void Function::State::tellOfCache()
{
    static std::atomic<bool> said{false};
    const std::string problem = kernelCacheProblem();
    if (!problem.empty() && !said.exchange(true)) warnings.push_back(problem);
}

void Function::State::compileNested()
{
    for (ApplyId apply : order) {
        const OpRef &op = graph->apply(apply).op;
        if (!opCast<OpFromGraph>(op) && !opCast<Scan>(op)) continue;
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

std::optional<RewriteDifference> Function::rewriteAgain() const
{
    State again;
    again.spec = m_state->spec;
    again.buildGraph();
    again.rewrite(nullptr);
    return differenceOf(*m_state->graph, *again.graph);
}

std::shared_ptr<Function> Function::compile(FunctionSpec spec)
{
    const std::uint64_t start = now();
    std::shared_ptr<Function> function(new Function);
    State &s = *function->m_state;
    s.id = nextFunctionId();
    s.self = function.get();
    s.spec = std::move(spec);
    CompileObserver *observer = compileObserver();
    if (const RunObserver *running = runObserver()) s.spec.profile |= running->wantsApplyTimes();
    try {
        checkRequest(s.spec);
        s.buildGraph();
        if (observer) observer->compileStarted(s.id, s.spec, *s.graph);
        s.rewrite(observer);
        s.link();
        if (s.debug) s.checkRepeats(*function);
        s.times.totalNs = now() - start;
    } catch (const std::exception &error) {
        if (observer) observer->compileFailed(s.id, error.what());
        throw;
    } catch (const Interrupted &) {
        if (observer) observer->compileFailed(s.id, "compiling was interrupted");
        throw;
    }
    if (observer) observer->compileFinished(*function);
    return function;
}

} // namespace engine
