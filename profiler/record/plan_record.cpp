#include "profiler/record/plan_record.h"

#include "engine/device/device.h"
#include "profiler/record/function_record.h"
#include "profiler/record/text_numbers.h"

#include <algorithm>
#include <utility>

namespace profiler {
namespace {

struct Interval {
    std::size_t birth, death;
    std::int64_t bytes;
};

// Largest sum of bytes alive at one position of the order.
std::int64_t peakOf(const std::vector<Interval> &intervals, std::size_t positions)
{
    std::vector<std::int64_t> change(positions + 2, 0);
    for (const Interval &one : intervals) {
        change[one.birth] += one.bytes;
        change[one.death + 1] -= one.bytes;
    }
    std::int64_t live = 0, peak = 0;
    for (std::int64_t delta : change) {
        live += delta;
        peak = std::max(peak, live);
    }
    return peak;
}

BufferKind kindOf(const engine::FunctionGraph &graph, const engine::BufferInfo &buffer)
{
    switch (buffer.residence) {
    case engine::Residence::View: return BufferKind::View;
    case engine::Residence::Inplace: return BufferKind::Inplace;
    case engine::Residence::Constant: return BufferKind::Constant;
    case engine::Residence::Input:
        return graph.var(buffer.var).kind == engine::Variable::Kind::Shared ? BufferKind::Shared : BufferKind::Input;
    default: return BufferKind::Created;
    }
}

} // namespace

PlanInfo recordPlan(SessionWriter &writer, int number, FunctionId function, GraphId graph, const engine::Function &source,
                    const std::vector<engine::BufferInfo> &buffers, const TickClock &clock)
{
    const engine::FunctionGraph &from = source.graph();
    const std::size_t positions = source.order().size();
    // Of a root: its number, and the last use of everything that shares it.
    std::vector<std::pair<int, std::size_t>> roots(from.varCount(), {-1, 0});
    int count = 0;
    for (const engine::BufferInfo &buffer : buffers) {
        auto &[place, lastUse] = roots[engine::raw(buffer.root)];
        if (place < 0) place = count++;
        lastUse = std::max(lastUse, buffer.death);
    }

    PlanInfo plan;
    plan.function = function;
    plan.plan = number;
    plan.arenaBytes = static_cast<std::int64_t>(source.arenaBytes());
    plan.workBytes = static_cast<std::int64_t>(source.workBytes());
    std::vector<BufferRow> rows;
    std::vector<Interval> current, withoutInplace;
    ShapeTexts shapes, strides;
    rows.reserve(buffers.size());
    for (const engine::BufferInfo &buffer : buffers) {
        const engine::VarNode &node = from.var(buffer.var);
        BufferRow row;
        row.function = function;
        row.plan = number;
        row.graph = graph;
        row.variable = VariableId{engine::raw(buffer.var)};
        if (node.owner != engine::kNoApply) row.apply = ApplyId{engine::raw(node.owner)};
        row.port = static_cast<int>(node.index);
        const auto &[place, lastUse] = roots[engine::raw(buffer.root)];
        row.buffer = place;
        if (buffer.residence == engine::Residence::Arena) row.offset = static_cast<std::int64_t>(buffer.offset);
        row.bytes = static_cast<std::int64_t>(buffer.bytes);
        row.device = engine::deviceOf(buffer.device).info().name;
        row.kind = kindOf(from, buffer);
        if (buffer.root != buffer.var) row.of = VariableId{engine::raw(buffer.root)};
        row.from = static_cast<int>(buffer.birth);
        row.shape = shapes.of(buffer.shape);
        row.strides = strides.of(buffer.strides);
        // What is returned stays until the end of the call.
        const bool returned = buffer.residence == engine::Residence::Returned;
        const std::size_t lastPosition = positions ? positions - 1 : 0;
        row.to = static_cast<int>(returned ? lastPosition : buffer.death);
        const std::size_t death = returned ? lastPosition : lastUse;
        if (row.kind == BufferKind::Created) {
            current.push_back({buffer.birth, death, row.bytes});
            withoutInplace.push_back({buffer.birth, death, row.bytes});
            plan.peakNoGcBytes += row.bytes;
        } else if (row.kind == BufferKind::Inplace) {
            withoutInplace.push_back({buffer.birth, buffer.death, row.bytes});
        }
        if (node.owner != engine::kNoApply) plan.noReuseBytes += row.bytes;
        const bool isFound = buffer.residence == engine::Residence::Found; // its size was known only after its apply ran
        if (row.kind == BufferKind::Input || row.kind == BufferKind::Shared || isFound)
            plan.key += (plan.key.empty() ? "" : ", ") + from.displayName(buffer.var) + " " + row.shape;
        rows.push_back(std::move(row));
    }
    plan.peakBytes = peakOf(current, positions);
    plan.peakNoInplaceBytes = peakOf(withoutInplace, positions);

    const std::vector<engine::Tier> tiers = source.tiers();
    const std::vector<int> passes = source.passes();
    const std::vector<std::uint64_t> prepared = source.prepareTicks();
    const bool compiles = engine::compilesKernels(source.spec().mode.linker);
    std::vector<PlanItem> items;
    items.reserve(positions);
    for (std::size_t i = 0; i < positions; ++i) {
        const engine::Op &op = *from.apply(source.order()[i]).op;
        PlanItem item;
        item.function = function;
        item.plan = number;
        item.position = static_cast<int>(i);
        item.graph = graph;
        item.apply = ApplyId{engine::raw(source.order()[i])};
        const engine::Tier tier = i < tiers.size() ? tiers[i] : engine::Tier::Interpreter;
        item.runs = tier == engine::Tier::Library    ? "library"
                    : tier == engine::Tier::Compiled ? "kernel"
                    : !op.viewMap().empty()          ? "view"
                    : op.isCompiled()                ? "interpreter"
                    : op.runsCompiled(compiles)      ? "kernel" // its own C code
                                                     : "python";
        if (i < passes.size()) item.group = passes[i];
        if (i < prepared.size()) item.prepareNs = clock.toNs(prepared[i]);
        items.push_back(std::move(item));
    }
    writer.setPlan(plan, std::move(items), std::move(rows));
    return plan;
}

} // namespace profiler
