// What a call overwrites belongs to it alone: an input that somebody else may look into is copied before.
#include "engine/compile/function_state.h"
#include "engine/runtime/order.h"

#include <algorithm>
#include <cstdlib>

namespace engine {
namespace {

struct Extent {
    const char *begin = nullptr, *end = nullptr;
    bool meets(const Extent &other) const { return begin < other.end && other.begin < end; }
};

Extent extentOf(const View &view)
{
    if (!view.data || view.size() == 0) return {};
    Extent extent{view.as<char>(), view.as<char>() + sizeOf(view.dtype)};
    for (int axis = 0; axis < view.rank; ++axis) {
        const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
        (reach < 0 ? extent.begin : extent.end) += reach;
    }
    return extent;
}

// True also for windows whose axes interleave without meeting: nobody makes these on purpose.
bool meetsItself(const View &view)
{
    if (view.isContiguous()) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> axes; // stride, shape
    for (int axis = 0; axis < view.rank; ++axis) {
        if (view.shape[axis] == 0) return false;
        if (view.shape[axis] > 1) axes.emplace_back(std::abs(view.strides[axis]), view.shape[axis]);
    }
    std::sort(axes.begin(), axes.end());
    auto covered = static_cast<std::int64_t>(sizeOf(view.dtype));
    for (const auto &[stride, shape] : axes) {
        if (stride < covered) return true;
        covered += (shape - 1) * stride;
    }
    return false;
}

} // namespace

void Function::State::findDestroyed()
{
    const auto inputs = graph->inputs();
    for (ApplyId apply : order)
        for (const Alias &alias : graph->apply(apply).op->destroyMap()) {
            const VarId root = storageRoot(*graph, graph->inputOf(apply, static_cast<std::uint32_t>(alias.input)));
            const auto place = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), root) - inputs.begin());
            if (place < inputs.size() && std::find(destroyed.begin(), destroyed.end(), place) == destroyed.end()) destroyed.push_back(place);
        }
}

std::vector<std::size_t> Function::State::endangered(std::span<const View> inputs) const
{
    std::vector<std::size_t> found;
    const auto isEndangered = [&](std::size_t written) {
        const Memory memory = inputMemory[written];
        if (memory == Memory::ReadOnly) return true;
        if (memory == Memory::Borrowed && meetsItself(inputs[written])) return true;
        const Extent mine = extentOf(inputs[written]);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (i == written || (memory == Memory::Ours && inputMemory[i] == Memory::Ours)) continue;
            if (std::find(found.begin(), found.end(), i) != found.end()) continue; // it gets memory of its own
            if (mine.meets(extentOf(inputs[i]))) return true;
        }
        return false;
    };
    for (std::size_t place : destroyed)
        if (isEndangered(place)) found.push_back(place);
    return found;
}

} // namespace engine
