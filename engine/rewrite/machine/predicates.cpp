#include "engine/rewrite/machine/predicates.h"

#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/stabilize/logistic.h"

namespace engine {

bool isSingle(VarHandle v)
{
    for (int axis = 0; axis < v.rank(); ++axis)
        if (!v.type().isBroadcastable(axis)) return false;
    return true;
}

bool isSize(VarHandle v, int depth)
{
    if (depth == 0) return false;
    if (madeBy<Shape_i>(v)) return true;
    if (const auto value = constantValue(v)) return *value >= 0 && isDiscrete(v.dtype());
    if (const auto sum = madeBy(v, ScalarCode::Add)) {
        for (const VarHandle &term : sum->inputs())
            if (!isSize(term, depth - 1)) return false;
        return true;
    }
    if (const auto shuffle = madeBy<DimShuffle>(v)) return isSize(shuffle->input(0), depth - 1);
    return false;
}

bool isNeverNegative(VarHandle v)
{
    if (const auto value = constantValue(v)) return *value >= 0;
    const ApplyId owner = ownerOf(v);
    const Elemwise *op = owner == kNoApply || !isFloatType(v) ? nullptr : elemwiseOf(NodeHandle(v.graph(), owner));
    if (!op) return false;
    switch (op->scalar()->code()) {
    case ScalarCode::Exp:
    case ScalarCode::Sigmoid:
    case ScalarCode::Softplus:
    case ScalarCode::Abs:
    case ScalarCode::Sqr:
    case ScalarCode::Sqrt: return true;
    default: return false;
    }
}

bool isLogarithm(VarHandle v)
{
    const VarHandle inner = negationOf(v).value_or(v);
    const ScalarCode code = codeOf(inner.graph(), inner.id());
    return code == ScalarCode::Softplus || code == ScalarCode::Log || code == ScalarCode::Log1p;
}

std::optional<VarHandle> squareRootOf(VarHandle v)
{
    if (const auto square = madeBy(v, ScalarCode::Sqr)) return square->input(0);
    if (const auto product = madeBy(v, ScalarCode::Mul); product && product->inputCount() == 2 && product->input(0) == product->input(1))
        return product->input(0);
    if (const auto power = madeBy(v, ScalarCode::Pow); power && isConstantOf(power->input(1), 2) && power->input(0).type() == v.type())
        return power->input(0);
    return std::nullopt;
}

} // namespace engine
