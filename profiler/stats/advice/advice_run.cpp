// Advice from calls, plans and compiles.

#include "engine/liveness/sizes.h"
#include "profiler/stats/advice/advice.h"

#include "engine/liveness/placement.h"
#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/machine/machine_roofs.h"
#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

namespace {

constexpr std::int64_t kManySmallCalls = 1000;
constexpr std::int64_t kCallsOfARun = 10;       // fewer are a look at the program, not a run
constexpr std::int64_t kLongRunNs = 50'000'000; // of all calls
constexpr std::int64_t kTinyCallNs = 30'000, kTinyBytes = 8'192;
constexpr std::int64_t kSmallCallNs = 30'000; // a call that is over before its overhead pays
constexpr std::int64_t kLongNs = 40'000'000;  // of rewriting: below, nobody waits for it, and pauses of a busy machine are as long

using InputsOfApplies = std::map<std::pair<GraphId, ApplyId>, std::vector<VariableId>>;

InputsOfApplies inputsOfElementwise(const ProfileData &data)
{
    InputsOfApplies inputs;
    for (const ApplyRow &row : data.applies)
        if (row.inOptimized && roleOf(row) == OpRole::Elementwise && deviceOf(row) == "cpu") inputs[{row.graph, row.apply}];
    for (const ApplyInput &input : data.inputs)
        if (const auto apply = inputs.find({input.graph, input.apply}); apply != inputs.end()) apply->second.push_back(input.variable);
    return inputs;
}

// What the peak would be if elementwise outputs were written over inputs of the same size that nobody reads any more. Other ops
// read an input again after they began to write.
std::int64_t peakWithOverwriting(const std::vector<BufferRow> &buffers, const InputsOfApplies &elementwise, int &chances)
{
    std::map<VariableId, const BufferRow *> byVariable;
    for (const BufferRow &row : buffers) byVariable[row.variable] = &row;
    std::map<VariableId, VariableId> over; // output → the input it would be written over
    std::map<VariableId, bool> taken;
    for (const BufferRow &row : buffers) {
        const auto inputs = elementwise.find({row.graph, row.apply});
        if (row.kind != BufferKind::Created || inputs == elementwise.end()) continue;
        for (const VariableId input : inputs->second) {
            const auto found = byVariable.find(input);
            if (found == byVariable.end() || taken[input] || found->second->kind != BufferKind::Created || found->second->to != row.from ||
                found->second->bytes != row.bytes || row.bytes == 0)
                continue;
            taken[input] = true;
            over[row.variable] = input;
            break;
        }
    }
    // The first of a chain; who asked goes there at once the next time.
    const auto rootOf = [&](VariableId variable) {
        VariableId root = variable;
        for (std::size_t steps = 0; over.contains(root) && steps <= over.size(); ++steps) root = over[root];
        while (variable != root) variable = std::exchange(over[variable], root);
        return root;
    };
    chances = static_cast<int>(over.size());
    // Chains share the memory of their first; its life is as long as the chain.
    std::map<std::int64_t, std::int64_t> changes;
    std::map<VariableId, std::pair<int, int>> lives;
    std::map<VariableId, std::int64_t> sizes;
    for (const BufferRow &row : buffers) {
        if (row.kind != BufferKind::Created || row.apply == kNoApply) continue;
        const VariableId root = rootOf(row.variable);
        const auto [life, isNew] = lives.try_emplace(root, row.from, row.to);
        if (!isNew) life->second = {std::min(life->second.first, row.from), std::max(life->second.second, row.to)};
        sizes[root] = std::max(sizes[root], row.bytes);
    }
    for (const auto &[root, life] : lives) {
        changes[life.first] += sizes[root];
        changes[std::int64_t{life.second} + 1] -= sizes[root];
    }
    std::int64_t live = 0;
    std::int64_t peak = 0;
    for (const auto &[position, change] : changes) peak = std::max(peak, live += change);
    return peak;
}

void rewritesThatCannotPay(const ProfileData &data, const std::set<SourceLine> &again, std::vector<Advice> &all)
{
    std::map<GraphId, std::int64_t> stabilizedBy; // steps that FAST_COMPILE leaves out and that keep numbers finite
    for (const PassInfo &pass : data.passes)
        if (pass.phase == "stabilize" && pass.stepCount > 0) stabilizedBy[pass.graph] += pass.stepCount;
    std::unordered_map<GraphId, std::vector<const RewriteCount *>> counts;
    for (const RewriteCount &count : data.rewrites.counts) counts[count.graph].push_back(&count);
    for (const FunctionInfo &function : data.functions) {
        if (function.run.calls == 0 || function.compile.optimizerNs < kLongNs || again.contains(function.location)) continue;
        bool said = false;
        double withoutEffectNs = 0;
        const RewriteCount *longest = nullptr;
        for (const RewriteCount *one : counts[function.graph]) {
            const RewriteCount &count = *one;
            if (count.applied == 0) {
                withoutEffectNs += static_cast<double>(count.ns);
                longest = !longest || count.ns > longest->ns ? &count : longest;
            }
            // Without one that applied the function would be another, and might lose digits.
            if (count.applied > 0 || count.ns < function.compile.optimizerNs / 5 || count.ns < kLongNs) continue;
            Advice advice;
            advice.id = "costly-rewrite";
            advice.of = "compiling and calls";
            advice.gain = static_cast<double>(count.ns) /
                          static_cast<double>(std::max<std::int64_t>(function.compile.totalNs + function.run.totalNs, 1));
            advice.setting = "optimizer_excluding=" + count.rewrite;
            advice.text = "A rewrite costs more than it can win: try " + advice.setting;
            advice.evidence = format("%s took %.1f ms of the compile of %s and applied %lld times; all calls together took %.1f ms",
                                     count.rewrite.c_str(), static_cast<double>(count.ns) * 1e-6, shortTitle(function).c_str(),
                                     static_cast<long long>(count.applied), static_cast<double>(function.run.totalNs) * 1e-6);
            advice.place = function.location;
            advice.savesNs = static_cast<double>(count.ns);
            all.push_back(std::move(advice));
            said = true;
        }
        // No single one stands out, but together they cost more than everything that was run.
        if (said || function.compile.optimizerNs < function.run.totalNs || function.mode != "FAST_RUN") continue;
        Advice advice;
        advice.id = "costly-rewrite";
        advice.of = "compiling and calls";
        advice.gain = static_cast<double>(function.compile.optimizerNs) /
                      static_cast<double>(std::max<std::int64_t>(function.compile.totalNs + function.run.totalNs, 1));
        advice.savesNs = static_cast<double>(function.compile.optimizerNs);
        const auto stabilized = stabilizedBy.find(function.graph);
        if (stabilized == stabilizedBy.end()) advice.setting = "mode=FAST_COMPILE";
        advice.text =
            "Rewriting " + shortTitle(function) + " took longer than all its calls: try mode=FAST_COMPILE where it runs so rarely";
        advice.evidence =
            format("%.1f ms of rewriting, all calls together %.1f ms", static_cast<double>(function.compile.optimizerNs) * 1e-6,
                   static_cast<double>(function.run.totalNs) * 1e-6);
        if (longest)
            advice.evidence += format("; rewrites that changed nothing took %.1f ms, the longest of them %s", withoutEffectNs * 1e-6,
                                      longest->rewrite.c_str());
        if (stabilized != stabilizedBy.end())
            advice.evidence +=
                "; without the " + counted(stabilized->second, "stabilizing step") + " it may give inf or nan: compare the results";
        advice.place = function.location;
        all.push_back(std::move(advice));
    }
}

void compiledAgainAndAgain(const ProfileData &data, std::vector<Advice> &all)
{
    std::map<SourceLine, std::vector<const FunctionInfo *>> byPlace;
    for (const FunctionInfo &function : data.functions)
        if (!function.location.file.empty()) byPlace[function.location].push_back(&function);
    for (const auto &[place, functions] : byPlace) {
        const bool same = std::all_of(functions.begin(), functions.end(), [&](const FunctionInfo *one) {
            return one->appliesOriginal == functions[0]->appliesOriginal && one->appliesOptimized == functions[0]->appliesOptimized;
        });
        if (functions.size() < 5 || !same) continue;
        std::int64_t compile = 0;
        std::int64_t run = 0;
        for (const FunctionInfo *one : functions) compile += one->compile.totalNs, run += one->run.totalNs;
        if (compile * 2 <= run) continue;
        Advice advice;
        advice.id = "compiled-again";
        advice.of = "compiling and calls";
        advice.gain = static_cast<double>(compile) / static_cast<double>(compile + run);
        advice.savesNs = static_cast<double>(compile);
        advice.text = "The same function is compiled again and again: compile it once, before the loop";
        advice.evidence = format("%zu functions from %s:%d, %.1f ms of compiling for %.1f ms of running", functions.size(),
                                 place.file.c_str(), place.line, static_cast<double>(compile) * 1e-6, static_cast<double>(run) * 1e-6);
        advice.place = place;
        all.push_back(std::move(advice));
    }
}

// The bytes of its largest array; -1: not known.
std::int64_t largestOf(const ProfileData &data, const FunctionInfo &function)
{
    std::int64_t largest = -1;
    for (const auto variables = data.variables.of(function.graph); const VariableRow &row : *variables)
        if (row.inOptimized) largest = std::max(largest, row.bytes);
    return largest;
}

// Modes for looking at a program, left on while it runs.
void slowModes(const ProfileData &data, std::vector<Advice> &all)
{
    std::string chosen; // by a flag
    for (const Flag &flag : data.flags)
        if (flag.name == "mode") chosen = flag.value;
    for (const FunctionInfo &function : data.functions) {
        const bool checks = function.mode == "DebugMode" || function.mode == "NanGuardMode";
        if (function.run.calls < kCallsOfARun || (!checks && !isUnoptimized(function))) continue;
        if (function.run.totalNs < (checks ? 0 : std::max(kLongRunNs, 2 * function.compile.totalNs))) continue;
        Advice advice;
        advice.id = checks ? "checking-mode" : "slow-mode";
        const bool isFlag = chosen == function.mode;
        if (isFlag) advice.setting = "mode=FAST_RUN";
        const std::string what = function.mode == "Mode" ? "a mode without rewrites" : function.mode.c_str();
        advice.text = checks ? "Times of " + shortTitle(function) + " include the checks of " + what
                             : shortTitle(function) + " runs in " + what + ", which leaves out most rewrites";
        advice.text += isFlag ? ": measure with mode=FAST_RUN" : ": leave out the argument mode" + placeText({function.location});
        advice.evidence =
            format("%lld calls in %s took %.1f ms, compiling %.1f ms", static_cast<long long>(function.run.calls), what.c_str(),
                   static_cast<double>(function.run.totalNs) * 1e-6, static_cast<double>(function.compile.totalNs) * 1e-6);
        advice.place = function.location;
        advice.savesNs = static_cast<double>(function.run.totalNs) / 2;
        all.push_back(std::move(advice));
    }
}

} // namespace

std::vector<Advice> runAdvice(const ProfileData &data)
{
    std::vector<Advice> all;
    for (const FunctionInfo &function : data.functions) {
        if (function.run.calls < kManySmallCalls || function.run.totalNs == 0) continue;
        const std::int64_t perCall = function.run.totalNs / function.run.calls;
        const double overhead = 1 - static_cast<double>(function.run.thunkNs) / static_cast<double>(function.run.totalNs);
        const std::int64_t largest = largestOf(data, function);
        const bool isTiny = perCall < kTinyCallNs && overhead > 0.2 && largest >= 0 && largest <= kTinyBytes;
        if (perCall < kSmallCallNs && (overhead > 0.4 || isTiny)) {
            Advice advice;
            advice.id = "small-calls";
            advice.of = "the time of its calls";
            advice.gain = overhead;
            advice.savesNs = overhead * static_cast<double>(function.run.totalNs);
            advice.text =
                "Calls of " + shortTitle(function) + " are so small that calling costs more than computing: hand over more data at once";
            advice.evidence = format("%lld calls of %.2f us each, %.0f%% of it outside of ops", static_cast<long long>(function.run.calls),
                                     static_cast<double>(perCall) * 1e-3, 100 * overhead);
            if (isTiny) advice.evidence += format("; its largest array has %lld bytes", static_cast<long long>(largest));
            advice.place = function.location;
            advice.lines = {function.location};
            for (const HostUse &use : data.devices.hostUses)
                if (use.what == "call" && use.function == function.id && use.source.line > 0) {
                    advice.place = use.source;
                    advice.lines.push_back(use.source);
                    advice.text += placeText({use.source});
                }
            all.push_back(std::move(advice));
        }
    }
    slowModes(data, all);
    return all;
}

std::vector<Advice> memoryAdvice(const ProfileData &data)
{
    std::vector<Advice> all;
    std::string allowGc = "True";
    for (const Flag &flag : data.flags)
        if (flag.name == "allow_gc") allowGc = flag.value;
    const InputsOfApplies elementwise = inputsOfElementwise(data);
    const MainPlans mainPlans(data);
    for (const FunctionInfo &function : data.functions) {
        const PlanInfo plan = mainPlans.of(function.id);
        if (function.run.calls == 0 || plan.function != function.id) continue;
        const std::vector<BufferRow> buffers = mainPlans.buffersOf(function.id);
        int chances = 0;
        const std::int64_t lower = peakWithOverwriting(buffers, elementwise, chances);
        if (plan.peakBytes >= (1 << 20) && chances > 0 && lower * 10 < plan.peakBytes * 9) {
            Advice advice;
            advice.id = "inplace";
            advice.of = std::string("the memory peak"); // as a literal, gcc 12 warns of a read that nobody makes
            advice.gain = 1 - static_cast<double>(lower) / static_cast<double>(plan.peakBytes);
            advice.text = "Working in place would lower the memory peak of " + shortTitle(function) +
                          ": leave the in-place rewrites on, and do not keep what is computed on the way";
            advice.evidence = format("%d results have the size of an input that nobody reads any more; the peak is %s and would be %s",
                                     chances, liveness::sizeText(plan.peakBytes).c_str(), liveness::sizeText(lower).c_str());
            advice.place = function.location;
            all.push_back(std::move(advice));
        }
        if (allowGc == "True" && plan.arenaBytes > static_cast<std::int64_t>(liveness::kKeptArenaBytes) && function.run.calls >= 10) {
            Advice advice;
            advice.id = "allow-gc";
            advice.setting = "allow_gc=False";
            advice.text = "Memory is taken and given back with each call of " + shortTitle(function) + ": try allow_gc=False";
            advice.evidence = liveness::sizeText(plan.arenaBytes) + " for " + counted(function.run.calls, "call");
            advice.place = function.location;
            all.push_back(std::move(advice));
        }
        const auto plans = static_cast<std::int64_t>(mainPlans.countOf(function.id));
        if (plans >= 8 && function.run.calls < 20 * plans) {
            Advice advice;
            advice.id = "many-shapes";
            advice.gain = 0;
            advice.text = "Calls of " + shortTitle(function) + " come with ever new shapes, and each is planned anew: pad to a few sizes";
            advice.evidence =
                format("%lld shapes in %lld calls", static_cast<long long>(plans), static_cast<long long>(function.run.calls));
            advice.place = function.location;
            all.push_back(std::move(advice));
        }
    }
    return all;
}

std::vector<Advice> compileAdvice(const ProfileData &data)
{
    std::vector<Advice> all;
    compiledAgainAndAgain(data, all);
    std::set<SourceLine> again;
    for (const Advice &one : all) again.insert(one.place);
    rewritesThatCannotPay(data, again, all);
    return all;
}

} // namespace profiler
