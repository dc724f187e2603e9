// Which work of a plan can be given to a device as a whole.
#include "engine/graph/ir/expression.h"
#include "engine/runtime/plan/plan.h"

#include <algorithm>
#include <functional>

namespace engine {
namespace {

constexpr std::size_t kMostNumberBytes = sizeof(void *);

// Sizes do not depend on elements.
bool readsNoElements(const FunctionGraph &graph, const ApplyNode &node)
{
    if (!node.op->takesDeviceArrays()) return false;
    std::vector<VarRef> inputs;
    for (const Use &use : node.inputs) inputs.push_back(Variable::input(graph.var(use.var).type, ""));
    const VarRef made = engine::apply(node.op, inputs);
    return std::ranges::all_of(node.op->connectionPattern(*made->owner()),
                               [](const std::vector<bool> &input) { return std::ranges::none_of(input, std::identity()); });
}

} // namespace

bool Plan::isHostNumber(VarId var) const
{
    const Array &array = m_layout.arrays[slotOf(var)];
    return array.device == DeviceId::Host && array.shape.product() == 1 && sizeOf(array.dtype) <= kMostNumberBytes;
}

std::optional<DeviceId> Plan::deviceOfWork(const Work &work, std::span<const Slot> fixed, bool takesNumbers, StretchParts &parts) const
{
    const ApplyNode &node = m_graph.apply(m_stage.order[work.position]);
    if (work.pass || !node.op->isOnDevice() || node.op->worksOnValues()) return std::nullopt;
    std::optional<DeviceId> device;
    const auto lies = [&](VarId var) {
        const Slot slot = slotOf(var);
        const Array &array = m_layout.arrays[slot];
        if (array.residence == Residence::Constant) return true;
        if (array.device == DeviceId::Host || array.device != device.value_or(array.device)) return false;
        device = array.device;
        parts.slots.push_back(slot);
        return true;
    };
    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
        const Use &use = node.inputs[port];
        if (lies(use.var)) continue;
        if (isHostNumber(use.var) && std::ranges::count(fixed, m_layout.roots[slotOf(use.var)])) continue;
        if (!takesNumbers || !isHostNumber(use.var)) return std::nullopt;
        parts.numbers.emplace_back(slotOf(use.var), sizeOf(m_layout.arrays[slotOf(use.var)].dtype));
    }
    for (VarId var : node.outputs)
        if (!lies(var)) return std::nullopt;
    return device;
}

// Numbers that follow from others and from sizes: nothing that a device still works on.
bool Plan::makesHostNumbers(const Work &work) const
{
    const ApplyNode &node = m_graph.apply(m_stage.order[work.position]);
    const Op &op = *node.op;
    if (work.pass || op.isOnDevice() || op.worksOnValues() || !op.isCompiled() || !op.canFold() || !op.destroyMap().empty()) return false;
    return std::ranges::all_of(node.outputs, [&](VarId var) { return isHostNumber(var); }) &&
           (std::ranges::all_of(node.inputs, [&](const Use &use) { return isHostNumber(use.var); }) || readsNoElements(m_graph, node));
}

bool Plan::followsFromSizes(const Work &work, std::span<const Slot> fixed) const
{
    const ApplyNode &node = m_graph.apply(m_stage.order[work.position]);
    return readsNoElements(m_graph, node) || std::ranges::all_of(node.inputs, [&](const Use &use) {
               const Slot slot = slotOf(use.var);
               return m_layout.arrays[slot].residence == Residence::Constant || std::ranges::count(fixed, m_layout.roots[slot]);
           });
}

bool Plan::sharesMemory(Slot a, Slot b) const
{
    const Slot first = m_layout.roots[a], second = m_layout.roots[b];
    const Array &one = m_layout.arrays[first], &other = m_layout.arrays[second];
    if (first == second || one.residence != Residence::Arena || other.residence != Residence::Arena) return first == second;
    const auto end = [](const Array &array) {
        return array.offset + array.shape.product() * static_cast<std::int64_t>(sizeOf(array.dtype));
    };
    return one.device == other.device && one.offset < end(other) && other.offset < end(one);
}

// Kernels are kept with the numbers that they were given. Those that may change are made ahead of all kernels, and then compared: none of
// them may be overwritten.
void Plan::formGraphs()
{
    if (!m_stage.branchOf.empty()) return;
    m_work.graphed = stretches(true);
    if (std::ranges::any_of(m_work.graphed, [](const GraphedPiece &piece) { return piece.stretch.hasNumbers(); }))
        m_work.graphedApart = stretches(false);
}

std::vector<Plan::GraphedPiece> Plan::stretches(bool takeNumbers) const
{
    std::vector<GraphedPiece> pieces;
    constexpr std::size_t kLeast = 2; // pieces of work: one alone is given as fast by itself
    for (std::size_t first = 0; first < m_work.list.size();) {
        StretchParts parts;
        std::optional<DeviceId> device;
        std::vector<Slot> fixed; // numbers that follow from sizes, which are the plan's
        const auto isFree = [&](VarId var) {
            return std::ranges::none_of(parts.numbers, [&](const auto &number) { return sharesMemory(number.first, slotOf(var)); });
        };
        std::size_t end = first;
        for (; end < m_work.list.size(); ++end) {
            const Work &work = m_work.list[end];
            Thunk *const thunk = m_work.thunks[work.position].get();
            if (thunk && thunk->actsOnHost()) break;
            if (makesHostNumbers(work)) {
                const std::vector<VarId> &outputs = m_graph.apply(m_stage.order[work.position]).outputs;
                if (!std::ranges::all_of(outputs, isFree)) break;
                for (VarId var : outputs) {
                    std::erase(fixed, m_layout.roots[slotOf(var)]);
                    if (followsFromSizes(work, fixed)) fixed.push_back(m_layout.roots[slotOf(var)]);
                }
                parts.thunks.push_back(thunk);
                parts.ahead.push_back(thunk);
                continue;
            }
            StretchParts with = parts;
            const std::optional<DeviceId> here = deviceOfWork(work, fixed, takeNumbers, with);
            if (!here || (device && *device != *here)) break;
            device = here;
            parts = std::move(with);
            parts.thunks.push_back(thunk);
        }
        if (parts.thunks.size() - parts.ahead.size() >= kLeast) {
            const auto onlyOnce = [](auto &list) {
                std::ranges::sort(list);
                list.erase(std::unique(list.begin(), list.end()), list.end());
            };
            onlyOnce(parts.slots);
            onlyOnce(parts.numbers);
            pieces.push_back({first, end - first, GraphedStretch(deviceOf(*device).stream(), std::move(parts))});
        }
        first = std::max(end, first + 1);
    }
    return pieces;
}

} // namespace engine
