// What a call overwrites belongs to it alone: an input that somebody else may look into is copied before.
#include "engine/compile/function_state.h"
#include "engine/runtime/foreign_storage.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace engine {
namespace {

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
                const auto below = inputBelow.find(raw(apply.inputs[static_cast<std::size_t>(alias.input)].var));
                if (below == inputBelow.end()) continue;
                const std::size_t input = below->second;
                if (destroys) isDestroyed[input] = true;
                inputBelow.emplace(raw(apply.outputs[static_cast<std::size_t>(alias.output)]), input);
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

const std::vector<std::size_t> &Function::State::findEndangered(std::span<const View> inputs)
{
    endangered.clear();
    borrowed.clear();
    for (std::size_t i = 0; i < inputMemory.size(); ++i)
        if (inputMemory[i].memory != Memory::Ours) borrowed.push_back(i);
    const auto meets = [&](std::size_t written, std::size_t other) {
        return other != written && meet(inputMemory[written], inputMemory[other]) &&
               std::find(endangered.begin(), endangered.end(), other) == endangered.end(); // else it gets memory of its own
    };
    for (std::size_t written : destroyed) {
        bool isEndangered = false;
        if (inputMemory[written].memory == Memory::Ours && !hasTwins) {
            // What is ours meets only what was borrowed from it.
            for (std::size_t other : borrowed) isEndangered |= meets(written, other);
        } else {
            isEndangered = inputMemory[written].memory == Memory::ReadOnly || meetsItself(inputs[written]);
            for (std::size_t other = 0; other < inputs.size() && !isEndangered; ++other) isEndangered = meets(written, other);
        }
        if (isEndangered) endangered.push_back(written);
    }
    return endangered;
}

} // namespace engine
