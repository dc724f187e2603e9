// Activations of networks, softmax and its relatives.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/creation.h"

#include <cmath>
#include <numbers>

namespace engine::onnx {
namespace {

using S = ScalarCode;

// What most activations need: x, and numbers of its dtype.
struct Activation {
    explicit Activation(Call &call) : x(call.in(0)), dtype(call.dtype()), call(call) {}
    VarRef n(double value) const { return number(dtype, value); }
    VarRef attribute(const char *name, double otherwise) const { return n(call.number(name, otherwise)); }
    VarRef isBelow(const VarRef &limit) const { return elementwise(S::Lt, {x, limit}); }
    VarRef isAbove(const VarRef &limit) const { return elementwise(S::Gt, {x, limit}); }
    VarRef sigmoid(const VarRef &a) const { return elementwise(S::Sigmoid, {a}); }

    const VarRef &x;
    DType dtype;
    Call &call;
};

Vars reluOf(Call &call)
{
    const Activation a(call);
    return {elementwise(S::Maximum, {a.x, a.n(0)})};
}
Vars sigmoidOf(Call &call) { return {elementwise(S::Sigmoid, {call.in(0)})}; }
Vars softplusOf(Call &call) { return {elementwise(S::Softplus, {call.in(0)})}; }
Vars leakyReluOf(Call &call)
{
    const Activation a(call);
    return {switchOn(a.isBelow(a.n(0)), mul(a.x, a.attribute("alpha", 0.01f)), a.x)};
}
Vars eluOf(Call &call)
{
    const Activation a(call);
    return {switchOn(a.isBelow(a.n(0)), mul(a.attribute("alpha", 1), elementwise(S::Expm1, {a.x})), a.x)};
}
Vars celuOf(Call &call)
{
    const Activation a(call);
    const VarRef alpha = a.attribute("alpha", 1);
    return {switchOn(a.isBelow(a.n(0)), mul(alpha, elementwise(S::Expm1, {trueDiv(a.x, alpha)})), a.x)};
}
Vars seluOf(Call &call)
{
    const Activation a(call);
    const VarRef alpha = a.attribute("alpha", 1.67326319217681884765625), gamma = a.attribute("gamma", 1.05070102214813232421875);
    return {mul(gamma, switchOn(a.isAbove(a.n(0)), a.x, mul(alpha, elementwise(S::Expm1, {a.x}))))};
}
VarRef hardSigmoidWith(const Activation &a, const VarRef &alpha, const VarRef &beta)
{
    return elementwise(S::Maximum, {a.n(0), elementwise(S::Minimum, {a.n(1), add(mul(alpha, a.x), beta)})});
}
Vars hardSigmoidOf(Call &call)
{
    const Activation a(call);
    return {hardSigmoidWith(a, a.attribute("alpha", 0.2f), a.attribute("beta", 0.5))};
}
Vars hardSwishOf(Call &call)
{
    const Activation a(call);
    return {mul(a.x, hardSigmoidWith(a, a.n(1.0 / 6), a.n(0.5)))};
}
Vars mishOf(Call &call)
{
    const Activation a(call);
    return {mul(a.x, elementwise(S::Tanh, {elementwise(S::Softplus, {a.x})}))};
}
Vars swishOf(Call &call)
{
    const Activation a(call);
    return {mul(a.x, a.sigmoid(mul(a.attribute("alpha", 1), a.x)))};
}
Vars geluOf(Call &call)
{
    const Activation a(call);
    const VarRef half = mul(a.n(0.5), a.x);
    if (call.text("approximate", "none") == "tanh") {
        const VarRef inner = mul(a.n(std::sqrt(2 / std::numbers::pi)), add(a.x, mul(a.n(0.044715), mul(a.x, sqr(a.x)))));
        return {mul(half, add(a.n(1), elementwise(S::Tanh, {inner})))};
    }
    return {mul(half, add(a.n(1), elementwise(S::Erf, {mul(a.x, a.n(std::numbers::sqrt2 / 2))})))};
}
Vars softsignOf(Call &call)
{
    const Activation a(call);
    return {trueDiv(a.x, add(a.n(1), elementwise(S::Abs, {a.x})))};
}
Vars thresholdedReluOf(Call &call)
{
    const Activation a(call);
    return {switchOn(a.isAbove(a.attribute("alpha", 1)), a.x, a.n(0))};
}
Vars shrinkOf(Call &call)
{
    const Activation a(call);
    const VarRef lambda = a.attribute("lambd", 0.5), bias = a.attribute("bias", 0);
    const VarRef up = switchOn(a.isAbove(lambda), sub(a.x, bias), a.n(0));
    return {cast(switchOn(a.isBelow(neg(lambda)), add(a.x, bias), up), a.dtype)};
}

// --- softmax ------------------------------------------------------------------------------------------------

// Below opset 13 an op of this family saw a matrix: the axes before `axis` are its rows.
VarRef asMatrix(Call &call, VarRef (*function)(const VarRef &))
{
    const VarRef &x = call.in(0);
    const std::int64_t given = call.integer("axis", 1);
    const int axis = given == call.rank() ? call.rank() : call.axis(given, call.rank());
    VarRef rows = int64(1), columns = int64(1);
    bool isKnown = true;
    std::int64_t count = 1, width = 1;
    for (int i = 0; i < call.rank(); ++i) {
        const std::int64_t size = x->type().shape()[static_cast<std::size_t>(i)];
        isKnown = isKnown && size != kUnknownDim;
        (i < axis ? count : width) *= size;
        (i < axis ? rows : columns) = mul(i < axis ? rows : columns, sizeOf(x, i));
    }
    const VarRef matrix = reshapeTo(x, isKnown ? Vars{int64(count), int64(width)} : Vars{rows, columns});
    return reshapeTo(function(matrix), allSizes(x));
}
VarRef softmaxRows(const VarRef &matrix) { return softmax(matrix); }
VarRef logSoftmaxRows(const VarRef &matrix) { return logSoftmax(matrix); }
VarRef hardmaxOver(const VarRef &x, int axis)
{
    std::vector<int> order(static_cast<std::size_t>(x->type().rank()), -1);
    order[static_cast<std::size_t>(axis)] = 0;
    const VarRef places = permuted(arange(sizeOf(x, axis)), order);
    return cast(elementwise(S::Eq, {places, argmax(x, std::vector<int>{axis}, true)}), x->type().dtype());
}
VarRef hardmaxRows(const VarRef &matrix) { return hardmaxOver(matrix, 1); }

Vars softmaxOld(Call &call) { return {asMatrix(call, softmaxRows)}; }
Vars logSoftmaxOld(Call &call) { return {asMatrix(call, logSoftmaxRows)}; }
Vars hardmaxOld(Call &call) { return {asMatrix(call, hardmaxRows)}; }
Vars softmaxNew(Call &call) { return {softmaxOver(call.in(0), call.axis(call.integer("axis", -1), call.rank()))}; }
Vars logSoftmaxNew(Call &call) { return {softmaxOver(call.in(0), call.axis(call.integer("axis", -1), call.rank()), true)}; }
Vars hardmaxNew(Call &call) { return {hardmaxOver(call.in(0), call.axis(call.integer("axis", -1), call.rank()))}; }

const OpRows kActivationsRows{
    {"", "Celu", 12, celuOf},
    {"", "Elu", 1, eluOf},
    {"", "Gelu", 20, geluOf},
    {"", "HardSigmoid", 1, hardSigmoidOf},
    {"", "HardSwish", 14, hardSwishOf},
    {"", "Hardmax", 1, hardmaxOld},
    {"", "Hardmax", 13, hardmaxNew},
    {"", "LeakyRelu", 1, leakyReluOf},
    {"", "LogSoftmax", 1, logSoftmaxOld},
    {"", "LogSoftmax", 13, logSoftmaxNew},
    {"", "Mish", 18, mishOf},
    {"", "Relu", 1, reluOf},
    {"", "Selu", 1, seluOf},
    {"", "Shrink", 9, shrinkOf},
    {"", "Sigmoid", 1, sigmoidOf},
    {"", "Softmax", 1, softmaxOld},
    {"", "Softmax", 13, softmaxNew},
    {"", "Softplus", 1, softplusOf},
    {"", "Softsign", 1, softsignOf},
    {"", "Swish", 24, swishOf},
    {"", "ThresholdedRelu", 10, thresholdedReluOf},
};

} // namespace
} // namespace engine::onnx
