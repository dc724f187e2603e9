// Which apply failed, and what the person reads of it.
#include "engine/compile/function_state.h"
#include "engine/compile/run_error.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

void Function::State::fail(const std::exception &error, const ApplyFailure &failure, std::size_t ran)
{
    const auto place = std::find(order.begin(), order.end(), failure.apply);
    std::string text =
        describeRunError(error.what(), *graph, lineage(), failure.apply, static_cast<std::size_t>(place - order.begin()), failure.inputs);
    std::string changed;
    for (std::size_t i = 0; i < ran; ++i)
        for (const Alias &alias : graph->apply(order[i]).op->destroyMap()) {
            const VarId root = storageRoot(*graph, graph->inputOf(order[i], alias.input));
            if (graph->var(root).kind == Variable::Kind::Shared) changed += (changed.empty() ? "" : ", ") + graph->displayName(root);
        }
    if (!changed.empty()) text += "\nShared variables that may have changed before the error: " + changed;
    const auto *user = dynamic_cast<const UserError *>(&error);
    throw RunError(text, user ? user->hint() : std::string(), id, failure.apply, std::current_exception());
}

// By then everything behind it may have run.
void Function::State::expectLater(std::uint64_t tag, ApplyFailure failure)
{
    if (!later)
        later = std::make_unique<LaterErrors>(
            [this](const std::exception &error, const ApplyFailure &found) { fail(error, found, order.size()); });
    later->expect(tag, std::move(failure));
}

namespace {

std::vector<Value> copiesOfViews(std::span<const View> views)
{
    std::vector<Value> copies;
    for (const View &view : views) {
        const auto rank = static_cast<std::size_t>(view.rank);
        copies.emplace_back(
            Tensor(view.dtype, Dims(std::span(view.shape, rank)), Dims(std::span(view.strides, rank)), view.data, nullptr).copy());
    }
    return copies;
}

bool runsHostCode(const Op &op)
{
    if (!op.isCompiled()) return true;
    const InnerGraph *inner = op.inner();
    if (!inner) return false;
    const std::vector<Apply *> applies = toposort(inner->outputs, inner->inputs);
    return std::any_of(applies.begin(), applies.end(), [](const Apply *apply) { return runsHostCode(apply->op()); });
}

} // namespace

// What is still there and fails, too, tells more: its place, its operands. The call is refused whatever that finds, so that nothing
// of the host language may run, which can do more than compute.
void Function::State::checkSizes(std::span<const View> inputs)
{
    ApplyFailure dropped{kNoApply, {}};
    try {
        sizeChecks->run(inputs, dropped);
    } catch (const UserError &error) {
        ApplyFailure failure{kNoApply, {}};
        try {
            const auto firstOfHost =
                std::find_if(order.begin(), order.end(), [&](ApplyId id) { return runsHostCode(*graph->apply(id).op); });
            if (onlyTensors)
                interpret(*graph, {order.begin(), firstOfHost}, graph->inputs(), copiesOfViews(inputs), {}, callNested, failure);
        } catch (const UserError &first) {
            if (failure.apply != kNoApply) fail(first, failure, 0);
        } catch (const std::exception &) { // what the sizes say is enough
        }
        fail(error, dropped, 0);
    }
}

// Sizes and windows that do not fit show when memory is laid out, before any apply of the stage runs. The interpreter finds the
// apply; it works on copies.
void Function::State::blame(const PlannedStage &planned)
{
    const Stage &stage = planned.stage;
    const auto isOnDevice = [&](VarId var) { return graph->var(var).type.device() != DeviceId::Host; };
    if (std::any_of(stage.inputs.begin(), stage.inputs.end(), isOnDevice)) return; // their views can be copied by nobody
    ApplyFailure failure{kNoApply, {}};
    try {
        interpret(*graph, stage.order, stage.inputs, copiesOfViews(planned.views), {}, callNested, failure);
    } catch (const UserError &error) {
        if (failure.apply != kNoApply) fail(error, failure, stage.first);
    }
}

} // namespace engine
