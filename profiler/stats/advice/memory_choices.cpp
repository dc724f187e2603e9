#include "profiler/stats/advice/memory_choices.h"

#include "engine/liveness/cost.h"
#include "engine/liveness/sizes.h"
#include "profiler/memory/memory.h"
#include "profiler/memory/product_copies.h"
#include "profiler/session/codec/pages.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace profiler {
namespace {

void readGroups(const ProfileData &data, const PlanInfo &plan, const std::set<GraphId> &graphs, PlanFacts &facts)
{
    std::map<ApplyKey, int> positions;
    for (const PlanItem &item : data.planItems)
        if (item.function == plan.function && item.plan == plan.plan) positions.emplace(ApplyKey{item.graph, item.apply}, item.position);
    for (const GroupMember &member : data.groupMembers) {
        if (!graphs.contains(member.graph)) continue;
        const bool isFirst = facts.groups.empty() || facts.groups.back().front().graph != member.graph || member.position == 0;
        if (isFirst) facts.groups.emplace_back();
        facts.groups.back().push_back({member.graph, member.apply});
    }
    for (std::size_t i = 0; i < facts.groups.size(); ++i) {
        std::set<int> places;
        for (const ApplyKey &apply : facts.groups[i])
            if (const auto place = positions.find(apply); place != positions.end()) places.insert(place->second);
        const auto count = static_cast<int>(facts.groups[i].size());
        if (static_cast<int>(places.size()) != count || *places.rbegin() - *places.begin() + 1 != count) continue;
        for (const ApplyKey &apply : facts.groups[i]) facts.passes[apply] = static_cast<int>(i);
    }
}

void readPlan(const ProfileData &data, const PlanInfo &plan, PlanFacts &facts)
{
    std::set<GraphId> graphs;
    for (const BufferRow &row : facts.buffers) graphs.insert(row.graph);
    for (const VariableRow &variable : data.variables)
        if (variable.isOutput && graphs.contains(variable.graph)) facts.outputs.insert(variable.variable);
    const bool isScheduled = std::any_of(data.flags.begin(), data.flags.end(), [](const Flag &flag) {
        return flag.name == "memory_budget" && !flag.value.empty() && flag.value != "none" && flag.value != "None";
    });
    for (const GraphInfo &graph : data.graphs)
        if (!isScheduled && graphs.contains(graph.id) && !graph.outputs.empty())
            for (const std::uint32_t output : idsOfJson(graph.outputs)) facts.returned.push_back(VariableId{output});
    readGroups(data, plan, graphs, facts);
    std::set<ApplyKey> holdGraphs;
    for (const GraphInfo &graph : data.graphs)
        if (graph.kind == GraphKind::Scan || graph.kind == GraphKind::OpFromGraph)
            holdGraphs.insert({graph.parentGraph, graph.parentApply});
    for (const ApplyRow &apply : data.applies) {
        const ApplyKey key{apply.graph, apply.apply};
        if (!apply.inOptimized || !graphs.contains(apply.graph) || apply.implementation == "Py" || holdGraphs.contains(key)) continue;
        facts.repeats[key] = liveness::repeatCost(apply.flops, apply.costBytes);
    }
}

// Of a shape as a session holds it: "(1, 300)".
bool hasManyElements(const std::string &shape)
{
    for (std::size_t at = shape.find_first_of("0123456789"); at != std::string::npos; at = shape.find_first_of("0123456789", at)) {
        const std::size_t end = std::min(shape.find_first_not_of("0123456789", at), shape.size());
        if (shape.compare(at, end - at, "1") != 0) return true;
        at = end;
    }
    return false;
}

// Why floatX does not make float32 of all that is float64; empty: nothing speaks against it.
std::string whyFloat64Stays(const ProfileData &data, FunctionId function)
{
    for (const Flag &flag : data.flags)
        if (flag.name == "floatX" && flag.value != "float64") return "floatX is " + flag.value + " already";
    std::set<GraphId> graphs;
    for (const GraphInfo &graph : data.graphs)
        if (graph.function == function) graphs.insert(graph.id);
    std::map<ApplyKey, bool> makesFloat64; // and has whole numbers of many bits among its inputs
    std::map<ApplyKey, const VariableRow *> variables;
    for (const VariableRow &variable : data.variables) {
        if (!graphs.contains(variable.graph)) continue;
        variables[{variable.graph, ApplyId{raw(variable.variable)}}] = &variable;
        if (variable.kind == VariableKind::Constant && variable.inOptimized && variable.dtype == "float64" &&
            hasManyElements(variable.shape))
            return "a constant array is float64 whatever floatX says";
        if (variable.owner != kNoApply && variable.inOptimized && variable.dtype == "float64")
            makesFloat64[{variable.graph, variable.owner}] = false;
    }
    for (const ApplyInput &input : data.inputs) {
        const auto apply = makesFloat64.find({input.graph, input.apply});
        const auto variable = variables.find({input.graph, ApplyId{raw(input.variable)}});
        if (apply == makesFloat64.end() || variable == variables.end()) continue;
        const std::string &dtype = variable->second->dtype;
        if (dtype == "int64" || dtype == "int32" || dtype == "uint64" || dtype == "uint32") apply->second = true;
    }
    for (const ApplyRow &apply : data.applies) {
        const auto found = makesFloat64.find({apply.graph, apply.apply});
        if (found == makesFloat64.end()) continue;
        if (classNameOf(apply.opClass) == "ARange") return "arange counts in float64 whatever floatX says";
        const OpRole role = roleOf(apply);
        const bool computes = role == OpRole::Elementwise || role == OpRole::Reduction; // which may have fused what it reads
        if (computes && found->second) return "whole numbers make float64 of float32";
    }
    return {};
}

void takeFlag(MemoryChoices &choices, const std::string &why)
{
    for (MemoryAlternative &one : choices.all) {
        if (one.choice != MemoryChoice::Float32 || why.empty()) continue;
        one.flags.clear();
        one.whyNoFlag = why;
    }
}

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// dvector, dmatrices, float64 … as words.
bool asksForFloat64(const std::string &text)
{
    static const std::set<std::string> kNames{"float64",   "double",   "dscalar",  "dvector",   "dmatrix",  "drow",
                                              "dcol",      "dtensor3", "dtensor4", "dtensor5",  "dscalars", "dvectors",
                                              "dmatrices", "drows",    "dcols",    "dtensor3s", "dtensor4s"};
    std::string word;
    for (const char c : text + " ") {
        if (isOfName(c)) word += c;
        else if (kNames.contains(std::exchange(word, {}))) return true;
    }
    return false;
}

} // namespace

void readScript(MemoryChoices &choices, const std::string &text)
{
    if (asksForFloat64(text)) takeFlag(choices, "the script asks for float64 by name");
}

MemoryChoices memoryChoices(const ProfileData &data, FunctionId function)
{
    MemoryChoices choices;
    choices.plan = mainPlan(data, function);
    if (choices.plan.function != function) {
        choices.whyNone = "it was not called, so no memory was planned";
        return choices;
    }
    for (const FunctionInfo &info : data.functions)
        if (info.id == function && info.stages > 1)
            choices.whyNone = "it runs in " + std::to_string(info.stages) +
                              " stages, as some sizes are known only while it runs: what another plan would take cannot be said before";
    choices.buffers = mainPlanBuffers(data, function);
    for (const auto &[device, bytes] : peaksByDevice(choices.buffers))
        if (device != "cpu") choices.otherDevices.emplace_back(device, bytes);
    if (!choices.whyNone.empty()) return choices;
    std::map<ApplyKey, const ApplyRow *> applies;
    for (const ApplyRow &apply : data.applies)
        if (apply.inOptimized) applies.emplace(ApplyKey{apply.graph, apply.apply}, &apply);
    ProductCopies copies = productCopies(choices.buffers, data.inputs, applies);
    choices.beside = {choices.plan.workBytes, choices.plan.arenaBytes, std::min(choices.plan.workBytes, copies.forInplace),
                      std::move(copies.bytes)};
    choices.facts.buffers = choices.buffers;
    choices.facts.inputs = data.inputs;
    readPlan(data, choices.plan, choices.facts);
    std::map<VariableId, std::string> types;
    std::set<GraphId> graphs;
    for (const BufferRow &row : choices.buffers) graphs.insert(row.graph);
    for (const VariableRow &variable : data.variables)
        if (graphs.contains(variable.graph)) types[variable.variable] = variable.type;
    choices.all = memoryAlternatives(choices.facts, types, choices.beside);
    takeFlag(choices, whyFloat64Stays(data, function));
    return choices;
}

MemoryAlternative planForBudget(const MemoryChoices &choices, std::int64_t budget)
{
    return planForBudget(choices.facts, budget, choices.beside);
}

std::int64_t bytesNamed(const std::string &text) { return liveness::bytesNamed(text); }

} // namespace profiler
