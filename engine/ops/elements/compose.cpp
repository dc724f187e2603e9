#include "engine/ops/elements/compose.h"

#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

VarRef number(double value) { return literal(value, floatX()); }
VarRef whole(std::int64_t value) { return literal(value); }
VarRef call(ScalarCode code, const VarRef &a) { return elementwise(code, {a}); }
VarRef absolute(const VarRef &a) { return call(ScalarCode::Abs, a); }
VarRef isPositive(const VarRef &a) { return elementwise(ScalarCode::Gt, {a, whole(0)}); }

int positiveAxis(const char *symbol, int axis, int rank)
{
    const int axes[] = {axis};
    return normalizedAxes(symbol, axes, rank)[0];
}

std::vector<int> allAxes(const VarRef &a)
{
    std::vector<int> all;
    for (int i = 0; i < a->type().rank(); ++i) all.push_back(i);
    return all;
}

VarRef countOf(const VarRef &a, const Axes &axes)
{
    VarRef count;
    for (int axis : axes ? normalizedAxes("var", *axes, a->type().rank()) : allAxes(a))
        count = count ? mul(count, shapeOf(a, axis)) : shapeOf(a, axis);
    return count ? count : constantOf(DType::Int64, 1);
}

VarRef sliceOf(const VarRef &a, int axis, const VarRef &start, const VarRef &stop)
{
    std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
    items.push_back(IndexItem::slice(start, stop));
    return subtensor(a, items);
}

// The float dtype that functions such as sqrt have for it.
DType floatOf(const VarRef &a)
{
    const DType dtype[] = {a->type().dtype()};
    return scalarOp(ScalarCode::Sqrt)->resultType(dtype);
}

} // namespace

VarRef variance(const VarRef &a, const Axes &axes, bool keepDims, int ddof, bool corrected)
{
    const VarRef distance = sub(a, mean(a, axes, true));
    VarRef result;
    if (ddof == 0) {
        result = mean(sqr(distance), axes, keepDims);
    } else {
        const VarRef freedom = cast(sub(countOf(a, axes), whole(ddof)), distance->type().dtype());
        result = trueDiv(sum(sqr(distance), axes, keepDims), freedom);
    }
    if (corrected) result = sub(result, sqr(mean(distance, axes, keepDims)));
    result->setName("var");
    return result;
}

VarRef standardDeviation(const VarRef &a, const Axes &axes, bool keepDims, int ddof, bool corrected)
{
    const VarRef result = call(ScalarCode::Sqrt, variance(a, axes, keepDims, ddof, corrected));
    result->setName("std");
    return result;
}

VarRef peakToPeak(const VarRef &a, const Axes &axes) { return sub(reduce(ReduceKind::Max, a, axes), reduce(ReduceKind::Min, a, axes)); }

VarRef norm(const VarRef &a, double order, const Axes &axes, bool keepDims)
{
    if (order == 0 || !std::isfinite(order)) throw UserError("[norm] the order L is a number other than 0");
    const VarRef power = order == std::floor(order) ? whole(static_cast<std::int64_t>(order)) : number(order);
    return pow(sum(pow(absolute(a), power), axes, keepDims), number(1 / order));
}

VarRef relu(const VarRef &x) { return mul(number(0.5), add(x, absolute(x))); }

VarRef leakyRelu(const VarRef &x, const VarRef &alpha)
{
    const VarRef rising = mul(number(0.5), add(whole(1), alpha)), falling = mul(number(0.5), sub(whole(1), alpha));
    return add(mul(rising, x), mul(falling, absolute(x)));
}

VarRef elu(const VarRef &x, const VarRef &alpha) { return switchOn(isPositive(x), x, mul(alpha, call(ScalarCode::Expm1, x))); }

VarRef selu(const VarRef &x) { return mul(number(1.0507009873554804934193349852946), elu(x, number(1.6732632423543772848170429916717))); }

VarRef hardSigmoid(const VarRef &x)
{
    const DType dtype = floatOf(x);
    return elementwise(ScalarCode::Clip, {add(mul(x, constantOf(dtype, 0.2)), constantOf(dtype, 0.5)), whole(0), whole(1)});
}

VarRef softsign(const VarRef &x)
{
    const DType dtype = floatOf(x);
    const VarRef wide = cast(x, dtype == DType::Float16 ? DType::Float32 : dtype);
    return cast(trueDiv(wide, add(constantOf(wide->type().dtype(), 1), absolute(wide))), dtype);
}

VarRef binaryCrossentropy(const VarRef &p, const VarRef &t)
{
    const VarRef hit = mul(t, log(p)), miss = mul(sub(number(1), t), log(sub(number(1), p)));
    return neg(add(hit, miss));
}

VarRef sigmoidBinaryCrossentropy(const VarRef &logit, const VarRef &t)
{
    const VarRef step = cast(isPositive(logit), logit->type().dtype());
    return add(call(ScalarCode::Softplus, neg(absolute(logit))), mul(logit, sub(step, t)));
}

VarRef squeeze(const VarRef &a, const Axes &axes)
{
    const int rank = a->type().rank();
    const std::vector<int> dropped = axes ? normalizedAxes("squeeze", *axes, rank) : std::vector<int>();
    std::vector<int> order;
    for (int i = 0; i < rank; ++i)
        if (axes ? !std::binary_search(dropped.begin(), dropped.end(), i) : !a->type().isBroadcastable(i)) order.push_back(i);
    return dimshuffle(a, order);
}

VarRef swapAxes(const VarRef &a, int first, int second)
{
    const int rank = a->type().rank();
    std::vector<int> order = allAxes(a);
    std::swap(order[positiveAxis("swapaxes", first, rank)], order[positiveAxis("swapaxes", second, rank)]);
    return dimshuffle(a, order);
}

VarRef roll(const VarRef &a, const VarRef &shift, std::optional<int> axis)
{
    if (!axis && a->type().rank() > 1) return reshape(roll(flatten(a), shift, 0), shape(a), a->type().rank());
    const int place = positiveAxis("roll", axis.value_or(0), a->type().rank());
    const VarRef size = shapeOf(a, place);
    const VarRef cut = sub(size, elementwise(ScalarCode::Mod, {shift, size}));
    const VarRef parts[] = {sliceOf(a, place, cut, {}), sliceOf(a, place, {}, cut)};
    return join(place, parts);
}

// --- notation ---------------------------------------------------------------------------------------

NOTATION("var(x, axis=None, keepdims=False, ddof=0, corrected=False)", variance);
NOTATION("std(x, axis=None, keepdims=False, ddof=0, corrected=False)", standardDeviation);
NOTATION("ptp(x, axis=None)", peakToPeak);
NOTATION("norm(x, L, axis=None, keepdims=False)", norm);
NOTATION("squeeze(x, axis=None)", squeeze);
NOTATION("swapaxes(x, axis1, axis2)", swapAxes);
NOTATION("roll(x, shift, axis=None)", roll);
NOTATION("relu(x, alpha=0)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const auto alpha = call.variableIfGiven("alpha");
    return alpha ? leakyRelu(x, *alpha) : relu(x);
});
NOTATION("elu(x, alpha=1)", elu);
NOTATION("selu(x)", selu);
NOTATION("softsign(x)", softsign);
NOTATION("hard_sigmoid(x)", hardSigmoid);
NOTATION("binary_crossentropy(p, t)", binaryCrossentropy);
NOTATION("sigmoid_binary_crossentropy(logit, t)", sigmoidBinaryCrossentropy);

} // namespace engine
