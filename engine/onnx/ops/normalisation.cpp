// Normalisations, dropout, losses.
#include "engine/onnx/model/call.h"
#include "engine/onnx/model/reader.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"

#include <algorithm>

namespace engine::onnx {
namespace {

using S = ScalarCode;

VarRef inverseRoot(const VarRef &variance, double epsilon)
{
    const DType dtype = variance->type().dtype();
    return trueDiv(number(dtype, 1), elementwise(S::Sqrt, {add(variance, number(dtype, epsilon))}));
}

struct Moments {
    Moments(const VarRef &x, const std::vector<int> &axes)
        : average(pinned(mean(x, axes, true, x->type().dtype()))), centred(sub(x, average))
    {
        variance = pinned(mean(sqr(centred), axes, true, x->type().dtype()));
    }
    VarRef average, centred, variance;
};

std::vector<int> from(int axis, int rank)
{
    std::vector<int> axes;
    for (; axis < rank; ++axis) axes.push_back(axis);
    return axes;
}

Vars batchNormalization(Call &call)
{
    const VarRef &x = call.in(0);
    const int rank = call.rank();
    const double epsilon = call.number("epsilon", 1e-5f);
    const VarRef scale = alongChannels(call.in(1), rank), bias = alongChannels(call.in(2), rank);
    if (!call.integer("training_mode", 0)) {
        const VarRef average = alongChannels(call.in(3), rank), variance = alongChannels(call.in(4), rank);
        return {cast(add(mul(sub(x, average), mul(scale, inverseRoot(variance, epsilon))), bias), call.dtype())};
    }
    std::vector<int> axes = from(2, rank);
    axes.insert(axes.begin(), 0);
    const Moments own(x, axes);
    const double momentum = call.number("momentum", 0.9f);
    const auto running = [&](int before, const VarRef &now) {
        const DType dtype = call.dtype(before);
        const VarRef flat = cast(reduce(ReduceKind::Sum, now, axes, false), dtype); // of one element each
        return add(mul(call.in(before), number(dtype, momentum)), mul(flat, number(dtype, 1 - momentum)));
    };
    const VarRef result = add(mul(own.centred, mul(scale, inverseRoot(own.variance, epsilon))), bias);
    return {cast(result, call.dtype()), running(3, own.average), running(4, own.variance)};
}

Vars instanceNormalization(Call &call)
{
    const Moments own(call.in(0), from(2, call.rank()));
    const VarRef scale = alongChannels(call.in(1), call.rank()), bias = alongChannels(call.in(2), call.rank());
    return {add(mul(mul(own.centred, inverseRoot(own.variance, call.number("epsilon", 1e-5f))), scale), bias)};
}

Vars groupNormalization(Call &call)
{
    const VarRef &x = call.in(0);
    const int rank = call.rank();
    const std::int64_t groups = call.integer("num_groups");
    const std::int64_t channels = x->type().shape()[1];
    if (channels == kUnknownDim || groups < 1 || channels % groups)
        call.fail("has " + std::to_string(groups) + " groups for " + std::to_string(channels) + " channels");
    Vars sizes{sizeOf(x, 0), int64(groups), int64(channels / groups)};
    for (int i = 2; i < rank; ++i) sizes.push_back(sizeOf(x, i));
    const VarRef grouped = reshapeTo(x, sizes);
    const Moments own(grouped, from(2, rank + 1));
    const VarRef normal = mul(own.centred, inverseRoot(own.variance, call.number("epsilon", 1e-5f)));
    if (call.opset() < 21) { // a number a group
        std::vector<int> order(static_cast<std::size_t>(rank) + 1, -1);
        order[1] = 0;
        return {reshapeTo(add(mul(normal, permuted(call.in(1), order)), permuted(call.in(2), order)), allSizes(x))};
    }
    return {add(mul(reshapeTo(normal, allSizes(x)), alongChannels(call.in(1), rank)), alongChannels(call.in(2), rank))};
}

Vars layerNormalization(Call &call)
{
    const DType dtype = call.dtype();
    const int rank = call.rank(), axis = call.axis(call.integer("axis", -1), rank);
    const VarRef x = cast(call.in(0), dtype == DType::Float16 ? DType::Float32 : dtype);
    const Moments own(x, from(axis, rank));
    const VarRef inverse = inverseRoot(own.variance, call.number("epsilon", 1e-5f));
    VarRef result = mul(cast(mul(own.centred, inverse), dtype), call.in(1));
    if (call.has(2)) result = add(result, call.in(2));
    return {result, own.average, inverse};
}

Vars rmsNormalization(Call &call)
{
    const DType dtype = call.dtype();
    const int rank = call.rank(), axis = call.axis(call.integer("axis", -1), rank);
    const VarRef x = cast(call.in(0), dtype == DType::Float16 ? DType::Float32 : dtype);
    const VarRef square = pinned(mean(sqr(x), from(axis, rank), true, x->type().dtype()));
    return {mul(cast(mul(x, inverseRoot(square, call.number("epsilon", 1e-5f))), dtype), call.in(1))};
}

Vars lpNormalization(Call &call)
{
    const VarRef &x = call.in(0);
    const std::vector<int> axes{call.axis(call.integer("axis", -1), call.rank())};
    const bool isFirst = call.integer("p", 2) == 1;
    VarRef length = pinned(sum(isFirst ? elementwise(S::Abs, {x}) : sqr(x), axes, true));
    if (!isFirst) length = elementwise(S::Sqrt, {length});
    const VarRef zero = number(call.dtype(), 0);
    return {switchOn(elementwise(S::Eq, {length, zero}), zero, trueDiv(x, length))};
}

Vars meanVarianceNormalization(Call &call)
{
    const Moments own(call.in(0), call.axes(call.integers("axes", {0, 2, 3}), call.rank()));
    return {trueDiv(own.centred, add(elementwise(S::Sqrt, {own.variance}), number(call.dtype(), 1e-9)))};
}

Vars lrn(Call &call)
{
    const VarRef &x = call.in(0);
    const DType dtype = call.dtype();
    const std::int64_t size = call.integer("size");
    if (size < 1 || size > 1024) call.fail("has the size " + std::to_string(size));
    const std::int64_t channels = x->type().shape()[1];
    if (channels == kUnknownDim) call.fail("needs to know how many channels there are");
    Ints before(static_cast<std::size_t>(call.rank()), 0), after = before;
    before[1] = (size - 1) / 2;
    after[1] = size - 1 - before[1];
    const VarRef squares = pinned(padded(sqr(x), before, after, number(dtype, 0)));
    VarRef total;
    for (std::int64_t i = 0; i < size; ++i) {
        const VarRef part = sliced(squares, 1, i, i + channels);
        total = total ? add(total, part) : part;
    }
    const VarRef base =
        add(number(dtype, call.number("bias", 1)), mul(number(dtype, call.number("alpha", 1e-4f) / static_cast<double>(size)), total));
    return {trueDiv(x, pow(base, number(dtype, call.number("beta", 0.75))))};
}

Vars dropout(Call &call)
{
    const VarRef &x = call.in(0);
    const VarRef kept = pinned(alloc(number(DType::Bool, 1), allSizes(x)));
    bool trains = false;
    double ratio = call.number("ratio", 0.5);
    if (call.has(2)) trains = call.constant(2).intAt(0) != 0;
    if (trains && call.has(1)) ratio = call.constant(1).at(0);
    if (trains && ratio != 0) call.fail("is in training mode: Croton reads models to run them, not to train them");
    return {x, call.rank() ? kept : number(DType::Bool, 1)};
}

// --- losses -------------------------------------------------------------------------------------------------

VarRef reducedLoss(Call &call, const VarRef &loss, const VarRef &weights)
{
    const std::string how = call.text("reduction", "mean");
    if (how == "none") return loss;
    const DType dtype = loss->type().dtype();
    const VarRef total = cast(sum(loss), dtype);
    if (how == "sum") return total;
    if (weights) return trueDiv(total, cast(sum(weights), dtype));
    return cast(mean(loss), dtype);
}

// Minus the logarithms at the labels, and what each counts; classes stand on axis 1.
Vars negativeLogLikelihood(Call &call, const VarRef &logs, int labelInput, int weightInput)
{
    const DType dtype = logs->type().dtype();
    VarRef labels = call.in(labelInput);
    VarRef ignored;
    if (call.hasAttribute("ignore_index")) {
        ignored = elementwise(S::Eq, {labels, number(labels->type().dtype(), static_cast<double>(call.integer("ignore_index")))});
        labels = switchOn(ignored, number(labels->type().dtype(), 0), labels);
    }
    VarRef loss = neg(gathered(logs, withAxes(labels, {1}), 1));
    std::vector<int> order;
    for (int i = 0; i < loss->type().rank(); ++i)
        if (i != 1) order.push_back(i);
    loss = permuted(pinned(loss), order);
    VarRef weights;
    if (call.has(weightInput)) {
        weights = subtensor(call.in(weightInput), std::vector{IndexItem::array(labels)});
    } else if (ignored) {
        weights = pinned(alloc(number(dtype, 1), allSizes(labels)));
    }
    if (ignored) weights = switchOn(ignored, number(dtype, 0), weights);
    if (weights) loss = mul(loss, weights);
    return {loss, weights};
}

Vars negativeLogLikelihoodLoss(Call &call)
{
    const Vars parts = negativeLogLikelihood(call, call.in(0), 1, 2);
    return {reducedLoss(call, parts[0], parts[1])};
}

Vars softmaxCrossEntropyLoss(Call &call)
{
    const VarRef logs = pinned(softmaxOver(call.in(0), 1, true));
    const Vars parts = negativeLogLikelihood(call, logs, 1, 2);
    return {reducedLoss(call, parts[0], parts[1]), logs};
}

const OpRows kNormalisationRows{
    {"", "BatchNormalization", 7, batchNormalization},
    {"", "Dropout", 7, dropout},
    {"", "GroupNormalization", 18, groupNormalization},
    {"", "InstanceNormalization", 6, instanceNormalization},
    {"", "LRN", 1, lrn},
    {"", "LayerNormalization", 17, layerNormalization},
    {"", "LpNormalization", 1, lpNormalization},
    {"", "MeanVarianceNormalization", 9, meanVarianceNormalization},
    {"", "NegativeLogLikelihoodLoss", 12, negativeLogLikelihoodLoss},
    {"", "RMSNormalization", 23, rmsNormalization},
    {"", "SoftmaxCrossEntropyLoss", 12, softmaxCrossEntropyLoss},
};

} // namespace
} // namespace engine::onnx
