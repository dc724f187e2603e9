// Applies of a plan that run together: what they do to rows becomes one kernel, or they pass over the rows of a matrix at once.
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/plan/row_pass.h"

#include <algorithm>

namespace engine {
namespace {

// The same elements in the same order: axes of one element do not count.
bool areSameElements(const Dims &aShape, const Dims &aStrides, const Dims &bShape, const Dims &bStrides)
{
    std::size_t b = 0;
    for (std::size_t a = 0; a < aShape.size(); ++a) {
        if (aShape[a] == 1) continue;
        while (b < bShape.size() && bShape[b] == 1) ++b;
        if (b == bShape.size() || aShape[a] != bShape[b] || aStrides[a] != bStrides[b]) return false;
        ++b;
    }
    while (b < bShape.size() && bShape[b] == 1) ++b;
    return b == bShape.size();
}

} // namespace

// The array whose elements it has, seen through windows that show all of them as they lie.
VarId Plan::viewedArray(VarId var) const
{
    for (;;) {
        const Array &array = m_layout.arrays[slotOf(var)];
        if (array.residence != Residence::View || array.offset != 0 || m_graph.var(var).owner == kNoApply) return var;
        const Array &base = m_layout.arrays[array.base];
        if (base.dtype != array.dtype || !areSameElements(base.shape, base.strides, array.shape, array.strides)) return var;
        var = base.var;
    }
}

bool Plan::isReadOutside(VarId var, std::size_t first, std::size_t count) const
{
    const auto begin = m_stage.order.begin() + static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
    if (std::find(m_stage.outputs.begin(), m_stage.outputs.end(), var) != m_stage.outputs.end()) return true;
    for (const Client &client : m_graph.var(var).clients) {
        if (client.isGraphOutput()) return true;
        const ApplyNode &node = m_graph.apply(client.apply);
        const bool isWindow = std::any_of(node.outputs.begin(), node.outputs.end(), [&](VarId out) {
            const auto slot = m_layout.slotOfVar.find(raw(out));
            return slot != m_layout.slotOfVar.end() && m_layout.arrays[slot->second].residence == Residence::View;
        });
        if (isWindow) {
            for (VarId out : node.outputs)
                if (isReadOutside(out, first, count)) return true;
        } else if (std::find(begin, end, client.apply) == end) {
            return true;
        }
    }
    return false;
}

RowMember Plan::memberAt(std::size_t position, std::size_t first, std::size_t count) const
{
    const ApplyNode &node = m_graph.apply(m_stage.order[position]);
    RowMember member;
    member.thunk = m_work.thunks[position].get();
    if (!member.thunk) return member;
    const auto begin = m_stage.order.begin() + static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
    std::vector<Sized> in, out;
    for (const Use &use : node.inputs) {
        const VarId behind = viewedArray(use.var);
        const ApplyId maker = m_graph.var(behind).owner;
        const bool isMade = maker != kNoApply && std::find(begin, end, maker) != end;
        // What shows the elements of a member's array otherwise cannot be had before the array is there.
        VarId root = behind;
        while (m_layout.arrays[slotOf(root)].residence == Residence::View) root = m_layout.arrays[m_layout.arrays[slotOf(root)].base].var;
        const ApplyId rootMaker = m_graph.var(root).owner;
        const bool isTurned = root != behind && rootMaker != kNoApply && std::find(begin, end, rootMaker) != end;
        member.inputs.push_back({isTurned ? -1 : raw(slotOf(isMade ? behind : use.var)), operandOf(use.var), false});
        in.push_back({member.inputs.back().place.type, member.inputs.back().place.shape});
    }
    for (VarId var : node.outputs) {
        member.outputs.push_back({raw(slotOf(var)), operandOf(var), isReadOutside(var, first, count)});
        out.push_back({member.outputs.back().place.type, member.outputs.back().place.shape});
    }
    member.weight = costOf(*node.op, in, out).flops;
    return member;
}

std::unique_ptr<GroupedWork> Plan::groupedWork(std::size_t first, std::size_t count) const
{
    std::vector<Thunk *> thunks;
    for (std::size_t i = first; i < first + count; ++i) thunks.push_back(m_work.thunks[i].get());
    if (count == 1) {
        if (!RowKernelWork::paysAlone(thunks[0])) return nullptr;
    } else if (auto pass = RowPass::of(thunks)) {
        return pass;
    }
    std::vector<RowMember> members;
    for (std::size_t i = first; i < first + count; ++i) members.push_back(memberAt(i, first, count));
    return RowKernelWork::of(members);
}

} // namespace engine
