#include "engine/ops/index/index_gradient.h"

#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"

#include <algorithm>

namespace engine {
namespace {

// No gradient passes through integers: zeros, of a dtype that can hold one.
VarRef noGradient(const VarRef &x) { return zerosLike(x, isDiscrete(x->type().dtype()) ? floatX() : x->type().dtype()); }

VarRef applyAt(const OpRef &op, std::vector<VarRef> values, std::span<const VarRef> indices)
{
    values.insert(values.end(), indices.begin(), indices.end());
    return engine::apply(op, values);
}

} // namespace

std::vector<VarRef> gradientOfRead(const Apply &node, const VarRef &outputGrad, const OpRef &increase)
{
    const VarRef &x = node.input(0);
    std::vector<VarRef> terms(node.inputs().size(), disconnected());
    terms[0] = isDiscrete(x->type().dtype()) ? noGradient(x) : applyAt(increase, {zerosLike(x), outputGrad}, node.inputs().subspan(1));
    return terms;
}

std::vector<VarRef> gradientOfWrite(const Apply &node, const VarRef &outputGrad, const OpRef &read, const OpRef &erase)
{
    const VarRef &x = node.input(0), &y = node.input(1);
    std::vector<VarRef> terms(node.inputs().size(), disconnected());
    if (isDiscrete(x->type().dtype())) {
        terms[0] = noGradient(x);
        terms[1] = noGradient(y);
        return terms;
    }
    const auto indices = node.inputs().subspan(2);
    terms[0] = erase ? applyAt(erase, {outputGrad, zerosLike(y, outputGrad->type().dtype())}, indices) : outputGrad;
    terms[1] = sumOver(applyAt(read, {outputGrad}, indices), y->type());
    return terms;
}

std::vector<VarRef> directionAtIndex(const Apply &node, std::span<const VarRef> evalPoints, std::size_t values)
{
    const auto directions = evalPoints.first(values);
    if (std::none_of(directions.begin(), directions.end(), [](const VarRef &direction) { return bool(direction); })) return {VarRef()};
    std::vector<VarRef> inputs(node.inputs().begin(), node.inputs().end());
    for (std::size_t i = 0; i < values; ++i) inputs[i] = directions[i] ? directions[i] : zerosLike(inputs[i]);
    return {engine::apply(node.opRef(), inputs)};
}

} // namespace engine
