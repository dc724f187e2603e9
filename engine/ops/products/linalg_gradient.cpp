// Gradients and forward derivatives of linear algebra.
#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/products/linalg.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/shape.h"

#include <limits>

namespace engine {
namespace {

constexpr MatrixStructure kLower = MatrixStructure::LowerTriangular, kUpper = MatrixStructure::UpperTriangular;

VarRef offset(std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); }
VarRef productOfThree(const VarRef &a, const VarRef &b, const VarRef &c) { return dot(dot(a, b), c); }
VarRef numberLike(const VarRef &like, double value) { return constantOf(like->type().dtype(), value); }
VarRef unitMatrix(const VarRef &like, int axis) { return eye(shapeOf(like, axis), shapeOf(like, axis), offset(0), like->type().dtype()); }
VarRef asRow(const VarRef &vector) { return dimshuffle(vector, {DimShuffle::kNewAxis, 0}); }
VarRef asColumn(const VarRef &vector) { return dimshuffle(vector, {0, DimShuffle::kNewAxis}); }
bool arrives(const VarRef &grad) { return !isDisconnected(grad); }

/// The lower triangle with half of the diagonal.
VarRef lowerHalf(const VarRef &a) { return sub(tril(a, offset(0)), mul(diag(diag(a)), numberLike(a, 0.5))); }
/// What a full gradient says of a triangle that stands for both.
VarRef intoTriangle(const VarRef &grad, bool lower)
{
    return lower ? add(tril(grad, offset(0)), transpose(triu(grad, offset(1))))
                 : add(triu(grad, offset(0)), transpose(tril(grad, offset(-1))));
}
/// 1 / (columns - rows), 0 on the diagonal.
VarRef inverseDistances(const VarRef &values)
{
    const VarRef distances = sub(asRow(values), asColumn(values)), ones = unitMatrix(values, 0);
    return sub(trueDiv(numberLike(values, 1), add(distances, ones)), ones);
}
VarRef columns(const VarRef &a, const VarRef &from, const VarRef &to)
{
    const IndexItem items[] = {IndexItem::slice(), IndexItem::slice(from, to)};
    return subtensor(a, items);
}

std::vector<VarRef> undefined(const Apply &node, const char *why)
{
    return std::vector<VarRef>(node.inputs().size(), undefinedGradient(why));
}
bool isComplexNode(const Apply &node) { return isComplex(node.input(0)->type().dtype()); }
constexpr const char *kComplex = "the gradient of decompositions of complex matrices is not defined here";

} // namespace

std::vector<VarRef> MatrixInverse::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef turned = transpose(VarRef(node.output(0)));
    return {neg(productOfThree(turned, outputGrads[0], turned))};
}
std::vector<VarRef> MatrixInverse::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    const VarRef inverse(node.output(0));
    return {neg(productOfThree(inverse, evalPoints[0], inverse))};
}

namespace {

VarRef pinvGradient(const VarRef &x, const VarRef &z, const VarRef &g)
{
    const VarRef zt = transpose(z), gt = transpose(g);
    const VarRef first = neg(productOfThree(zt, g, zt));
    const VarRef second = productOfThree(sub(gt, productOfThree(x, z, gt)), z, zt);
    const VarRef third = dot(dot(zt, z), sub(gt, productOfThree(gt, z, x)));
    return add(add(first, second), third);
}

} // namespace

std::vector<VarRef> MatrixPinv::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {pinvGradient(node.input(0), VarRef(node.output(0)), outputGrads[0])};
}
std::vector<VarRef> MatrixPinv::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    const VarRef &x = node.input(0), &e = evalPoints[0];
    const VarRef z(node.output(0)), zt = transpose(z), et = transpose(e);
    const VarRef second = dot(dot(z, zt), sub(et, productOfThree(et, x, z)));
    const VarRef third = dot(sub(et, productOfThree(z, x, et)), dot(zt, z));
    return {add(add(neg(productOfThree(z, e, z)), second), third)};
}

std::vector<VarRef> Det::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {mul(mul(outputGrads[0], VarRef(node.output(0))), transpose(matrixInverse(node.input(0))))};
}
std::vector<VarRef> Det::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    return {mul(VarRef(node.output(0)), trace(solve(node.input(0), evalPoints[0])))};
}

std::vector<VarRef> SLogDet::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    // The sign is flat.
    if (!arrives(outputGrads[1])) return {zerosLike(node.input(0))};
    return {mul(outputGrads[1], transpose(matrixInverse(node.input(0))))};
}
std::vector<VarRef> SLogDet::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0] || isComplexNode(node)) return {VarRef(), VarRef()};
    return {zerosLike(VarRef(node.output(0))), trace(solve(node.input(0), evalPoints[0]))};
}

// Iain Murray, "Differentiation of the Cholesky decomposition", 2016.
VarRef choleskyGrad(const VarRef &factor, const VarRef &grad, bool lower)
{
    const VarRef l = lower ? factor : transpose(factor), g = lower ? grad : transpose(grad), turned = transpose(l);
    const VarRef half = lowerHalf(dot(turned, g));
    const VarRef s = solve(turned, transpose(solve(turned, transpose(half), kUpper)), kUpper);
    const VarRef both = add(s, transpose(s));
    return sub(lower ? tril(both, offset(0)) : triu(both, offset(0)), diag(diag(s)));
}

std::vector<VarRef> Cholesky::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    VarRef factor(node.output(0));
    const VarRef &grad = outputGrads[0];
    if (m_raises) return {choleskyGrad(factor, grad, m_lower)};
    const VarRef isBad = reduce(ReduceKind::Any, elementwise(ScalarCode::IsNan, {factor}));
    factor = switchOn(isBad, unitMatrix(factor, 0), factor);
    return {switchOn(isBad, numberLike(factor, std::numeric_limits<double>::quiet_NaN()), choleskyGrad(factor, grad, m_lower))};
}
std::vector<VarRef> Cholesky::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0] || isComplexNode(node)) return {VarRef()};
    const VarRef factor(node.output(0)), &e = evalPoints[0];
    const VarRef l = m_lower ? factor : transpose(factor), turned = m_lower ? e : transpose(e);
    const VarRef symmetric = add(tril(turned, offset(0)), transpose(tril(turned, offset(-1))));
    const VarRef inner = solve(l, transpose(solve(l, symmetric, kLower)), kLower);
    const VarRef result = dot(l, lowerHalf(inner));
    return {m_lower ? result : transpose(result)};
}

std::vector<VarRef> Solve::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &a = node.input(0), &b = node.input(1);
    const VarRef x(node.output(0));
    const VarRef right = engine::apply(makeOp<Solve>(m_structure, m_lower, !m_transposed, m_unit), {a, outputGrads[0]});
    const bool isVector = b->type().rank() == 1;
    VarRef left =
        m_transposed ? (isVector ? outer(x, right) : dot(x, transpose(right))) : (isVector ? outer(right, x) : dot(right, transpose(x)));
    left = neg(left);
    const VarRef first = offset(m_unit ? (m_structure == kLower ? -1 : 1) : 0);
    if (m_structure == kLower) left = tril(left, first);
    else if (m_structure == kUpper) left = triu(left, first);
    return {sumToPattern(left, a->type()), sumToPattern(right, b->type())};
}
std::vector<VarRef> Solve::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    VarRef right = evalPoints[1];
    if (evalPoints[0]) {
        VarRef change = evalPoints[0];
        const VarRef first = offset(m_unit ? (m_structure == kLower ? -1 : 1) : 0);
        if (m_structure == kLower) change = tril(change, first);
        else if (m_structure == kUpper) change = triu(change, first);
        const VarRef term = neg(dot(m_transposed ? transpose(change) : change, VarRef(node.output(0))));
        right = sums::sumOf(right, term);
    }
    return {right ? engine::apply(node.opRef(), {node.input(0), right}) : VarRef()};
}

std::vector<VarRef> Eigh::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    const VarRef w(node.output(0)), v(node.output(1)), turned = transpose(v);
    VarRef inner;
    if (arrives(outputGrads[0])) inner = diag(outputGrads[0]);
    if (arrives(outputGrads[1])) inner = sums::sumOf(inner, mul(dot(turned, outputGrads[1]), inverseDistances(w)));
    if (!inner) return {disconnected()};
    return {intoTriangle(productOfThree(v, inner, turned), m_lower)};
}

std::vector<VarRef> GeneralEigh::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    const VarRef w(node.output(0)), v(node.output(1)), turned = transpose(v);
    VarRef a, b;
    if (arrives(outputGrads[0])) {
        a = diag(outputGrads[0]);
        b = diag(mul(outputGrads[0], w));
    }
    if (arrives(outputGrads[1])) {
        const VarRef inner = dot(turned, outputGrads[1]), apart = mul(inner, inverseDistances(w));
        a = sums::sumOf(a, apart);
        b = sums::sumOf(b, add(mul(apart, asRow(w)), mul(diag(diag(inner)), numberLike(inner, 0.5)))); // their length goes by B
    }
    if (!a) return {disconnected(), disconnected()};
    return {intoTriangle(productOfThree(v, a, turned), m_lower), intoTriangle(neg(productOfThree(v, b, turned)), m_lower)};
}

std::vector<VarRef> Eig::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    const VarRef &x = node.input(0);
    const VarRef w(node.output(0)), v(node.output(1)), turned = transpose(v);
    VarRef inner;
    if (arrives(outputGrads[0])) inner = diag(outputGrads[0]);
    if (const VarRef &g = outputGrads[1]; arrives(g)) {
        // Vectors keep the length 1.
        const VarRef across = sub(g, mul(v, sum(mul(v, g), std::vector<int>{0}, true)));
        inner = sums::sumOf(inner, mul(dot(turned, across), inverseDistances(w)));
    }
    if (!inner) return {disconnected()};
    // The real parts of complex vectors are no eigenvectors: nothing follows from them.
    const auto largest = [](const VarRef &a) { return reduce(ReduceKind::Max, elementwise(ScalarCode::Abs, {a})); };
    const double least = x->type().dtype() == DType::Float64 ? 1e-7 : 1e-3;
    const VarRef left = largest(sub(dot(x, v), mul(v, asRow(w))));
    const VarRef isReal = elementwise(ScalarCode::Le, {left, mul(largest(x), numberLike(w, least))});
    const VarRef result = solve(switchOn(isReal, turned, unitMatrix(v, 0)), dot(inner, turned));
    return {switchOn(isReal, result, numberLike(w, std::numeric_limits<double>::quiet_NaN()))};
}

// James Townsend, "Differentiating the singular value decomposition", 2016.
std::vector<VarRef> Svd::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    const VarRef &x = node.input(0);
    if (!m_vectors || (!arrives(outputGrads[0]) && !arrives(outputGrads[2]))) {
        const VarRef &grad = outputGrads[m_vectors ? 1 : 0];
        if (!arrives(grad)) return {disconnected()};
        const std::vector<VarRef> parts = svd(x, false);
        return {dot(mul(parts[0], asRow(grad)), parts[2])};
    }
    if (m_full) return undefined(node, "the vectors of a singular value decomposition have a gradient with full_matrices=False only");
    const VarRef u(node.output(0)), s(node.output(1)), vt(node.output(2)), ut = transpose(u), v = transpose(vt);
    const VarRef distances = inverseDistances(sqr(s)), row = asRow(s), column = asColumn(s);
    VarRef inner, result;
    if (arrives(outputGrads[1])) inner = diag(outputGrads[1]);
    if (const VarRef &g = outputGrads[0]; arrives(g)) {
        const VarRef turned = dot(ut, g);
        inner = sums::sumOf(inner, mul(mul(distances, sub(turned, transpose(turned))), row));
        result = dot(trueDiv(sub(g, dot(u, turned)), row), vt);
    }
    if (arrives(outputGrads[2])) {
        const VarRef g = transpose(outputGrads[2]), turned = dot(vt, g);
        inner = sums::sumOf(inner, mul(column, mul(distances, sub(turned, transpose(turned)))));
        result = sums::sumOf(result, dot(u, trueDiv(transpose(sub(g, dot(v, turned))), column)));
    }
    return {add(result, productOfThree(u, inner, vt))};
}

std::vector<VarRef> Qr::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isComplexNode(node)) return undefined(node, kComplex);
    if (m_mode == QrMode::Complete || m_mode == QrMode::Raw)
        return undefined(node, "qr has a gradient in its modes 'reduced' and 'r' only");
    // What is wider than high is a square part and columns that Q turns.
    const VarRef &x = node.input(0);
    const VarRef few = elementwise(ScalarCode::Minimum, {shapeOf(x, 0), shapeOf(x, 1)});
    const std::vector<VarRef> parts = m_mode == QrMode::R ? qr(x) : std::vector<VarRef>{VarRef(node.output(0)), VarRef(node.output(1))};
    const VarRef &q = parts[0], square = columns(parts[1], {}, few);
    VarRef gradQ = m_mode == QrMode::R || !arrives(outputGrads[0]) ? zerosLike(q) : outputGrads[0];
    VarRef gradR = outputGrads[m_mode == QrMode::R ? 0 : 1];
    if (!arrives(gradR)) gradR = zerosLike(parts[1]);
    const VarRef gradSquare = columns(gradR, {}, few), gradRest = columns(gradR, few, {});
    gradQ = add(gradQ, dot(columns(x, few, {}), transpose(gradRest)));
    const VarRef m = sub(dot(square, transpose(gradSquare)), dot(transpose(gradQ), q));
    const VarRef symmetric = add(tril(m, offset(0)), transpose(tril(m, offset(-1))));
    const VarRef left = transpose(solve(square, transpose(add(gradQ, dot(q, symmetric))), kUpper));
    const VarRef both[] = {left, dot(q, gradRest)};
    return {sumToPattern(join(1, both), x->type())};
}

std::vector<VarRef> LeastSquares::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef none = undefinedGradient("rcond is a tolerance");
    if (isComplexNode(node)) return undefined(node, kComplex);
    for (const std::size_t other : {1u, 3u})
        if (arrives(outputGrads[other])) return undefined(node, "of lstsq only the solution has a gradient");
    const VarRef &a = node.input(0), &b = node.input(1), &g = outputGrads[0];
    if (!arrives(g)) return {disconnected(), disconnected(), none};
    const VarRef inverse = pinv(a);
    const VarRef gradInverse = b->type().rank() == 1 ? outer(g, b) : dot(g, transpose(b));
    return {pinvGradient(a, inverse, gradInverse), dot(transpose(inverse), g), none};
}

namespace {

/// The derivative of expm at x in a direction: it stands in a corner of the exponential of twice the size.
VarRef expmAlong(const VarRef &x, const VarRef &direction)
{
    const VarRef upper[] = {x, direction}, lower[] = {zerosLike(x), x};
    const VarRef rows[] = {join(1, upper), join(1, lower)};
    const VarRef size = shapeOf(x, 0);
    const IndexItem corner[] = {IndexItem::slice({}, size), IndexItem::slice(size)};
    return subtensor(expm(join(0, rows)), corner);
}

} // namespace

std::vector<VarRef> Expm::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {sumToPattern(expmAlong(transpose(node.input(0)), outputGrads[0]), node.input(0)->type())};
}
std::vector<VarRef> Expm::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? expmAlong(node.input(0), evalPoints[0]) : VarRef()};
}

} // namespace engine
