#include "engine/compile/function/function_errors.h"

#include "engine/compile/function/run_error.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

void FunctionErrors::fail(const std::exception &error, const ApplyFailure &failure, std::size_t ran) const
{
    const FunctionGraph &graph = *m_compiled.graph;
    const std::vector<ApplyId> &order = m_compiled.order;
    const auto place = std::find(order.begin(), order.end(), failure.apply);
    std::string text = describeRunError(error.what(), graph, m_compiled.lineage(), failure.apply,
                                        static_cast<std::size_t>(place - order.begin()), failure.inputs);
    std::string changed;
    for (std::size_t i = 0; i < ran; ++i)
        for (const Alias &alias : graph.apply(order[i]).op->destroyMap()) {
            const VarId root = storageRoot(graph, graph.inputOf(order[i], alias.input));
            if (graph.var(root).kind == Variable::Kind::Shared) changed += (changed.empty() ? "" : ", ") + graph.displayName(root);
        }
    if (!changed.empty()) text += "\nShared variables that may have changed before the error: " + changed;
    const auto *user = dynamic_cast<const UserError *>(&error);
    throw RunError(text, user ? user->hint() : std::string(), m_compiled.id, failure.apply, std::current_exception());
}

// By then everything behind it may have run.
void FunctionErrors::expectLater(std::uint64_t tag, ApplyFailure failure)
{
    if (!m_later)
        m_later = std::make_unique<LaterErrors>(
            [this](const std::exception &error, const ApplyFailure &found) { fail(error, found, m_compiled.order.size()); });
    m_later->expect(tag, std::move(failure));
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
void FunctionErrors::checkSizes(std::span<const View> inputs) const
{
    const FunctionGraph &graph = *m_compiled.graph;
    const std::vector<ApplyId> &order = m_compiled.order;
    ApplyFailure dropped{kNoApply, {}};
    try {
        m_compiled.sizeChecks->run(inputs, dropped);
    } catch (const UserError &error) {
        ApplyFailure failure{kNoApply, {}};
        try {
            const auto firstOfHost =
                std::find_if(order.begin(), order.end(), [&](ApplyId id) { return runsHostCode(*graph.apply(id).op); });
            if (m_compiled.onlyTensors)
                interpret(graph, {order.begin(), firstOfHost}, graph.inputs(), copiesOfViews(inputs), {}, m_compiled.callNested, failure);
        } catch (const UserError &first) {
            if (failure.apply != kNoApply) fail(first, failure, 0);
        } catch (const std::exception &) { // what the sizes say is enough
        }
        fail(error, dropped, 0);
    }
}

void FunctionErrors::checkSizesOf(std::span<const Value> inputs)
{
    std::vector<View> views;
    std::vector<std::int64_t> sizes;
    for (const Value &value : inputs) {
        views.push_back(value.isTensor() ? value.tensor().view() : View{});
        const View &view = views.back();
        sizes.insert(sizes.end(), view.shape, view.shape + view.rank);
    }
    if (!m_compiled.sizeChecks->readsValues() && sizes == m_checkedSizes) return;
    checkSizes(views);
    m_checkedSizes = std::move(sizes);
}

// Sizes and windows that do not fit show when memory is laid out, before any apply of the stage runs. The interpreter finds the
// apply; it works on copies.
void FunctionErrors::blame(const Stage &stage, std::span<const View> views) const
{
    const FunctionGraph &graph = *m_compiled.graph;
    const auto isOnDevice = [&](VarId var) { return graph.var(var).type.device() != DeviceId::Host; };
    if (std::any_of(stage.inputs.begin(), stage.inputs.end(), isOnDevice)) return; // the host cannot copy their views
    ApplyFailure failure{kNoApply, {}};
    try {
        interpret(graph, stage.order, stage.inputs, copiesOfViews(views), {}, m_compiled.callNested, failure);
    } catch (const UserError &error) {
        if (failure.apply != kNoApply) fail(error, failure, stage.first);
    }
}

} // namespace engine
