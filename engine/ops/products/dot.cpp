#include "engine/ops/products/dot.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/complex_slopes.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

double productWork(const Dims &x, const Dims &y, const Dims &z)
{
    const std::int64_t inner = x.rank() > 0 ? x[x.size() - 1] : 1;
    (void)y;
    return 2.0 * static_cast<double>(inner) * static_cast<double>(z.product());
}

} // namespace

std::vector<Type> Dot::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, y = inputs[1].type;
    if (!x.isTensor() || !y.isTensor()) throw TypeMismatch("[dot] wants tensors, got " + x.text() + " and " + y.text());
    if (x.rank() < 1 || x.rank() > 2 || y.rank() < 1 || y.rank() > 2)
        throw ShapeMismatch("[dot] wants vectors or matrices, got " + x.text() + " and " + y.text(),
                            "use tensordot for more dimensions and * for numbers");
    std::int64_t shape[2];
    std::size_t rank = 0;
    if (x.rank() == 2) shape[rank++] = x.shape()[0];
    if (y.rank() == 2) shape[rank++] = y.shape()[1];
    return {Type::tensor(promote(x.dtype(), y.dtype()), std::span<const std::int64_t>(shape, rank))};
}

bool Dot::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape;
    if (shapes.inputRank(0) == 2) shape.push_back(shapes.dim(0, 0));
    if (shapes.inputRank(1) == 2) shape.push_back(shapes.dim(1, 1));
    outputs = {shape};
    return true;
}

std::vector<SizeRule> Dot::sizeRules(ShapeBuilder &shapes) const
{
    const int last = shapes.inputRank(0) - 1;
    return {{shapes.dim(0, last), shapes.dim(1, 0), 0, last, 1, 0}};
}

namespace {

std::vector<VarRef> productSlopes(const Apply &node, const VarRef &g)
{
    const VarRef &x = node.input(0), &y = node.input(1);
    const DType dtype = node.output(0)->type().dtype();
    if (isDiscrete(dtype)) return {zerosLike(x, floatX()), zerosLike(y, floatX())};
    const int xRank = x->type().rank(), yRank = y->type().rank();
    const auto product = [&](const VarRef &a, const VarRef &b) { return engine::apply(node.opRef(), {a, b}); };
    const auto outer = [&](const VarRef &a, const VarRef &b) {
        return product(dimshuffle(a, {0, DimShuffle::kNewAxis}), dimshuffle(b, {DimShuffle::kNewAxis, 0}));
    };
    VarRef gx, gy;
    if (xRank == 1 && yRank == 1) {
        gx = mul(g, y);
        gy = mul(g, x);
    } else if (xRank == 1) {
        gx = product(g, transpose(y));
        gy = outer(x, g);
    } else if (yRank == 1) {
        gx = outer(g, y);
        gy = product(transpose(x), g);
    } else {
        gx = product(g, transpose(y));
        gy = product(transpose(x), g);
    }
    return {sumToPattern(gx, x->type()), sumToPattern(gy, y->type())};
}

} // namespace

std::vector<VarRef> Dot::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return throughConjugates(node, outputGrads, [&](std::span<const VarRef> grads) { return productSlopes(node, grads[0]); });
}

std::vector<VarRef> productRop(const Apply &node, std::span<const VarRef> evalPoints)
{
    VarRef total;
    if (evalPoints[0]) total = engine::apply(node.opRef(), {evalPoints[0], node.input(1)});
    if (evalPoints[1]) {
        const VarRef term = engine::apply(node.opRef(), {node.input(0), evalPoints[1]});
        total = total ? add(total, term) : term;
    }
    return {total};
}

std::vector<VarRef> Dot::rop(const Apply &node, std::span<const VarRef> evalPoints) const { return productRop(node, evalPoints); }

Cost Dot::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    return {productWork(inputs[0], inputs[1], outputs[0])};
}

VarRef dot(const VarRef &a, const VarRef &b)
{
    const int aRank = a->type().rank(), bRank = b->type().rank();
    if (aRank == 0 || bRank == 0) return mul(a, b);
    if (aRank > 2 || bRank > 2) {
        const int axesA[] = {aRank - 1}, axesB[] = {std::max(bRank - 2, 0)};
        return tensordot(a, b, axesA, axesB);
    }
    static const OpRef op = makeOp<Dot>();
    return engine::apply(op, {a, b});
}

OP_CARD(Dot, Product, arity(2));
NOTATION("dot(x, y)", dot);
NOTATION("outer(x, y)", outer);
PRETTY(Dot, [](const Apply &node, PrettyWriter &out) { prettyInfix("\\dot", node, out); });

} // namespace engine
