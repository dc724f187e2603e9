// What a call overwrites belongs to it alone: an input that somebody else may look into is copied before.
#include "engine/compile/function_state.h"
#include "engine/tensor/foreign_storage.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace engine {
namespace {

constexpr std::size_t kOneGroup = 8; // so few are compared faster than put in order

bool meet(const InputMemory &a, const InputMemory &b) { return a.begin < b.end && b.begin < a.end; }

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
        if (isDestroyed[i]) destroyed.push_back(i);
    for (std::size_t i = 0; i < shared.size(); ++i)
        hasTwins |= std::find(shared.begin() + static_cast<std::ptrdiff_t>(i) + 1, shared.end(), shared[i]) != shared.end();
}

InputMemory::InputMemory(const View &view, const Storage *storage) : memory(storage ? memoryNow(*storage) : Memory::Borrowed)
{
    if (memory == Memory::Ours) { // all of it, for less than a look at strides
        begin = static_cast<const char *>(storage->data());
        end = begin + storage->bytes();
        return;
    }
    if (!view.data || view.size() == 0) return;
    begin = view.as<char>();
    end = begin + sizeOf(view.dtype);
    for (int axis = 0; axis < view.rank; ++axis) {
        const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
        (reach < 0 ? begin : end) += reach;
    }
}

bool Function::State::isDestroyedOurs() const
{
    // The container holds it and `sharedNow` does: nobody else can look into it.
    return std::all_of(destroyed.begin(), destroyed.end(), [&](std::size_t i) {
        if (i < spec.inputs.size()) return false;
        const StorageRef &storage = sharedNow[i - spec.inputs.size()].storage();
        return storage && storage->memory() == Memory::Ours && storage->useCount() <= 2;
    });
}

// Ranges in the order of their beginnings fall into groups that are apart from each other: only within a group can two meet.
void Function::State::groupMemory()
{
    const auto begins = [&](std::size_t a, std::size_t b) { return inputMemory[a].begin < inputMemory[b].begin; };
    byPlace.clear();
    for (std::size_t i = 0; i < inputMemory.size(); ++i)
        if (inputMemory[i].begin < inputMemory[i].end) byPlace.push_back(i);
    if (byPlace.size() <= kOneGroup) {
        for (std::size_t i : byPlace) inputMemory[i].groupEnd = byPlace.size();
        return;
    }
    if (!std::is_sorted(byPlace.begin(), byPlace.end(), begins)) std::sort(byPlace.begin(), byPlace.end(), begins);
    for (std::size_t first = 0; first < byPlace.size();) {
        std::size_t last = first;
        const char *end = nullptr;
        while (last < byPlace.size() && (last == first || inputMemory[byPlace[last]].begin < end))
            end = std::max(end, inputMemory[byPlace[last++]].end);
        for (std::size_t i = first; i < last; ++i) {
            inputMemory[byPlace[i]].group = first;
            inputMemory[byPlace[i]].groupEnd = last;
        }
        first = last;
    }
}

const std::vector<std::size_t> &Function::State::findEndangered(std::span<const View> inputs)
{
    endangered.clear();
    const auto isOurs = [](const InputMemory &memory) { return memory.memory == Memory::Ours; };
    if (!hasTwins && std::all_of(inputMemory.begin(), inputMemory.end(), isOurs)) return endangered;
    groupMemory();
    for (std::size_t written : destroyed) {
        InputMemory &place = inputMemory[written];
        bool isEndangered = place.memory == Memory::ReadOnly || (!isOurs(place) && meetsItself(inputs[written]));
        for (std::size_t i = place.group; i < place.groupEnd && !isEndangered; ++i)
            isEndangered = byPlace[i] != written && !inputMemory[byPlace[i]].isEndangered && meet(place, inputMemory[byPlace[i]]);
        if (!isEndangered) continue;
        place.isEndangered = true; // it gets memory of its own
        endangered.push_back(written);
    }
    return endangered;
}

} // namespace engine
