#include "engine/compile/function/memory_budget.h"

#include "engine/graph/ir/editor.h"
#include "engine/liveness/cost.h"
#include "engine/liveness/sizes.h"
#include "engine/liveness/task_builder.h"

#include <numeric>
#include <unordered_map>

namespace engine {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

liveness::Sharing sharingOf(Residence residence)
{
    return residence == Residence::View      ? liveness::Sharing::View
           : residence == Residence::Inplace ? liveness::Sharing::Inplace
                                             : liveness::Sharing::Fresh;
}

// The same inputs give the same bits, whoever else runs meanwhile.
bool canRepeat(const Op &op) { return op.isCompiled() && !op.worksOnValues(); }

} // namespace

std::int64_t memoryBudgetNamed(std::string_view text)
{
    if (text.empty() || text == "none" || text == "None") return kNoMemoryBudget;
    if (text == "order") return kLeastPeakOrder;
    if (text == "least") return kLeastMemory;
    const std::int64_t bytes = liveness::bytesNamed(text);
    if (bytes < 0) throw UserError("memory_budget cannot be '" + std::string(text) + "'", "a size as 200MB, or one of: none, order, least");
    return bytes;
}

SizedTask sizedTask(const FunctionGraph &graph, const Stage &stage, const Plan &plan)
{
    std::unordered_map<std::uint32_t, const BufferInfo *> buffers;
    for (const BufferInfo &buffer : plan.buffers()) buffers.emplace(raw(buffer.var), &buffer);
    std::vector<char> joins(stage.order.size(), 0);
    for (const OrderedGroup &group : stage.groups)
        for (std::size_t i = 1; i < group.count; ++i) joins[group.first + i] = 1;
    SizedTask sized;
    liveness::TaskBuilder builder;
    for (VarId input : stage.inputs) builder.given(raw(input));
    for (std::size_t position = 0; position < stage.order.size(); ++position) {
        const ApplyId id = stage.order[position];
        const ApplyNode &node = graph.apply(id);
        std::vector<std::uint32_t> reads;
        std::vector<Dims> in, out;
        for (const Use &use : node.inputs) {
            reads.push_back(raw(use.var));
            in.push_back(buffers.at(raw(use.var))->shape);
        }
        std::vector<liveness::Made> makes;
        for (VarId var : node.outputs) {
            const BufferInfo &buffer = *buffers.at(raw(var));
            out.push_back(buffer.shape);
            makes.push_back({raw(var), raw(buffer.root), sharingOf(buffer.residence), static_cast<std::int64_t>(buffer.bytes),
                             buffer.device == DeviceId::Host});
        }
        const BranchId innermost = stage.branchAt(position);
        const bool repeats = canRepeat(*node.op) && innermost == kAlways;
        const Cost cost = repeats ? node.op->cost(in, out) : Cost{};
        if (joins[position]) builder.joinNext();
        else sized.applies.emplace_back();
        builder.add(reads, makes, liveness::repeatCost(cost.flops, cost.bytes), repeats);
        sized.applies.back().push_back(id);
        for (BranchId branch = innermost; branch != kAlways; branch = stage.branches[branch].around)
            builder.needs(raw(stage.branches[branch].condition));
    }
    for (VarId output : stage.outputs) builder.returns(raw(output));
    const auto note = [&](VarId var) {
        const int value = builder.valueOf(raw(var));
        if (value < 0) return;
        if (sized.variables.size() <= at(value)) sized.variables.resize(at(value) + 1, kNoVar);
        sized.variables[at(value)] = var;
    };
    for (const BufferInfo &buffer : plan.buffers()) note(buffer.var);
    sized.task = builder.take();
    sized.variables.resize(sized.task.values.size(), kNoVar);
    sized.order.resize(sized.task.works.size());
    std::iota(sized.order.begin(), sized.order.end(), 0);
    return sized;
}

bool applySchedule(FunctionGraph &graph, const SizedTask &sized, const liveness::Schedule &schedule)
{
    if (schedule.order == sized.order) return false;
    std::vector<std::vector<ApplyId>> applies = sized.applies;
    std::vector<VarId> variables = sized.variables;
    applies.resize(schedule.task.works.size());
    variables.resize(schedule.task.values.size(), kNoVar);
    Editor edit(graph);
    for (std::size_t next = 0; next < schedule.repeats.size();) {
        const int round = schedule.repeats[next].round;
        edit.beginStep("schedule", "memory_budget", "recompute");
        std::unordered_map<std::uint32_t, VarId> again;
        for (; next < schedule.repeats.size() && schedule.repeats[next].round == round; ++next) {
            const liveness::Repeat &repeat = schedule.repeats[next];
            const ApplyId old = applies[at(repeat.work)].front();
            graph.touch(old);
            std::vector<VarHandle> inputs;
            for (const Use &use : graph.apply(old).inputs) {
                const auto renewed = again.find(raw(use.var));
                inputs.push_back(edit.var(renewed == again.end() ? use.var : renewed->second));
            }
            const NodeHandle made = edit.applyFresh(graph.apply(old).op, inputs);
            applies[at(repeat.again)] = {made.id()};
            const std::vector<int> &makes = schedule.task.works[at(repeat.again)].makes;
            for (std::size_t out = 0; out < made.outputCount(); ++out) {
                again[raw(graph.apply(old).outputs[out])] = made.output(out).id();
                variables[at(makes[out])] = made.output(out).id();
            }
            if (const auto origins = graph.bodyOrigins.find(raw(old)); origins != graph.bodyOrigins.end())
                edit.setBodyOrigins(made.id(), std::vector(origins->second));
        }
        for (const liveness::Rewiring &wire : schedule.rewirings) {
            if (wire.round != round) continue;
            for (ApplyId reader : applies[at(wire.work)])
                for (std::uint32_t port = 0; graph.apply(reader).live && port < graph.apply(reader).inputs.size(); ++port)
                    if (graph.apply(reader).inputs[port].var == variables[at(wire.before)])
                        edit.setInput(reader, port, variables[at(wire.after)]);
        }
        edit.commitStep("kept, it would take more memory than there may be: it is computed again where it is needed next");
    }
    graph.schedule.clear();
    // What only made values that are computed later now has left the graph.
    for (int work : schedule.order)
        for (ApplyId id : applies[at(work)])
            if (graph.apply(id).live) graph.schedule.push_back(id);
    return true;
}

} // namespace engine
