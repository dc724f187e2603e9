// Linear algebra: systems solved in place of inverses, by the factor that is there already; determinants by their logarithms.
#include "engine/ops/products/dot.h"
#include "engine/ops/products/linalg.h"
#include "engine/ops/shapes/creation.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>

namespace engine {
namespace {

bool isMatrixTranspose(const NodeHandle &node)
{
    const auto *op = node.opAs<DimShuffle>();
    return op && op->order() == std::vector<int>{1, 0};
}
/// What `v` is the transpose of, as a matrix.
std::optional<VarHandle> transposed(VarHandle v)
{
    const auto node = madeBy<DimShuffle>(v);
    return node && isMatrixTranspose(*node) ? std::optional(node->input(0)) : std::nullopt;
}
VarHandle turned(Editor &edit, VarHandle v) { return v.rank() == 2 ? dimshuffle(edit, v, {1, 0}) : v; }

REWRITE(transinv_to_invtrans, Phase::Canonicalize)
    .why("the transpose of an inverse is the inverse of the transpose, whose transpose may vanish")
    .hurts("rounding differs: the pivots are others")
    .keepsNan("what is nan in the inverse depends on the pivots")
    .infinite("the same")
    .example("x: dmatrix; matrix_inverse(x).T", "x: dmatrix; matrix_inverse(x.T)")
    .nearMiss("x: dmatrix; matrix_inverse(x.T)")
    .match<DimShuffle>([](const NodeHandle &node, Editor &edit) {
        if (!isMatrixTranspose(node)) return declined("it does not transpose a matrix");
        const auto inverse = madeBy<MatrixInverse>(node.input(0));
        if (!inverse) return declined("its input is no inverse", ownerOf(node.input(0)));
        return become(edit, node, edit.make(inverse->op(), {turned(edit, inverse->input(0))}));
    });

REWRITE(inv_as_solve, Phase::Stabilize)
    .why("a system is solved with fewer steps and less rounding than its inverse is made and multiplied")
    .hurts("rounding differs")
    .keepsNan("what is nan in the inverse depends on the pivots")
    .infinite("the same")
    .example("a: dmatrix; b: dmatrix; dot(matrix_inverse(a), b)", "a: dmatrix; b: dmatrix; solve(a, b)")
    .example("a: dmatrix; b: dvector; dot(matrix_inverse(a), b)", "a: dmatrix; b: dvector; solve(a, b)")
    .example("a: dmatrix; b: dvector; dot(b, matrix_inverse(a))", "a: dmatrix; b: dvector; solve(a.T, b)")
    .nearMiss("a: dmatrix; b: fmatrix; dot(matrix_inverse(a), b)")
    .nearMiss("a: dmatrix; b: dmatrix; dot(matrix_inverse(a), b) + matrix_inverse(a)")
    .match<Dot>([](const NodeHandle &node, Editor &edit) {
        const VarHandle left = node.input(0), right = node.input(1);
        const auto first = madeBy<MatrixInverse>(left), second = madeBy<MatrixInverse>(right);
        if (!first && !second) return declined("neither factor is an inverse");
        if (left.dtype() != right.dtype()) return declined("the factors have different dtypes");
        if (!(first ? left : right).hasOneClient()) return declined("the inverse is needed anyway");
        static const OpRef solve = makeOp<Solve>(MatrixStructure::General, false, false, false);
        if (first) return become(edit, node, edit.make(solve, {first->input(0), right}));
        return become(edit, node, turned(edit, edit.make(solve, {turned(edit, second->input(0)), turned(edit, left)})));
    });

REWRITE(tag_solve_triangular, Phase::Canonicalize)
    .why("Cholesky's factor is a triangle: its system needs no factors of its own")
    .example("x: dmatrix; b: dvector; solve(cholesky(x), b)", "x: dmatrix; b: dvector; solve_lower_triangular(cholesky(x), b)")
    .example("x: dmatrix; b: dvector; solve(cholesky(x).T, b)", "x: dmatrix; b: dvector; solve_upper_triangular(cholesky(x).T, b)")
    .nearMiss("x: dmatrix; b: dvector; solve(x, b)")
    .also({Phase::Stabilize})
    .match<Solve>([](const NodeHandle &node, Editor &edit) {
        const auto *op = node.opAs<Solve>();
        if (op->structure() != MatrixStructure::General) return declined("what the matrix is made of is known already");
        const auto below = transposed(node.input(0));
        const auto factor = madeBy<Cholesky>(below.value_or(node.input(0)));
        if (!factor) return declined("the matrix is no factor of Cholesky's", ownerOf(node.input(0)));
        const bool isLower = factor->opAs<Cholesky>()->lower() != below.has_value();
        const OpRef solve =
            makeOp<Solve>(isLower ? MatrixStructure::LowerTriangular : MatrixStructure::UpperTriangular, false, op->transposed(), false);
        return become(edit, node, edit.make(solve, {node.input(0), node.input(1)}));
    });

REWRITE(local_det_chol, Phase::Canonicalize)
    .why("where Cholesky's factor of a matrix is there, its determinant is the square of a product")
    .improves("where a product on the way overflows")
    .example("x: dmatrix; y = dot(x, x.T) + eye(x.shape[0]); det(y) + sum(cholesky(y))",
             "x: dmatrix; y = dot(x, x.T) + eye(x.shape[0]); l = cholesky(y); prod(sqr(diag(l))) + sum(l)")
    .nearMiss("x: dmatrix; y = dot(x, x.T) + eye(x.shape[0]); det(x) + sum(cholesky(y))")
    .also({Phase::Stabilize})
    .match<Det>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        for (const Client &client : x.clients()) {
            if (client.isGraphOutput()) continue;
            const NodeHandle reader(node.graph(), client.apply);
            const auto *cholesky = reader.opAs<Cholesky>();
            if (!cholesky || !cholesky->raises() || isComplex(x.dtype())) continue;
            static const OpRef diagonal = makeOp<ExtractDiag>(0, 0, 1);
            const OpRef product = makeOp<CAReduce>(ReduceKind::Prod, std::nullopt, x.dtype(), DType::Float64);
            const VarHandle squares = elementwise(edit, ScalarCode::Sqr, {edit.make(diagonal, {reader.output()})});
            return become(edit, node, edit.make(product, {squares}));
        }
        return declined("nobody makes Cholesky's factor of its matrix");
    });

REWRITE(croton_log_det, Phase::Stabilize)
    .why("the determinant of a large matrix overflows or vanishes; the sum of its pivots' logarithms does neither")
    .improves("where the determinant leaves the range of numbers")
    .example("x: dmatrix; log(abs(det(x)))", "x: dmatrix; slogdet(x)[1]")
    .example("x: dmatrix; log(det(x))", "x: dmatrix; switch(slogdet(x)[0] < 0, sqrt(slogdet(x)[0]), slogdet(x)[1])")
    .nearMiss("x: dmatrix; log(1 + det(x))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        if (isComplex(x.dtype())) return declined("complex determinants have complex logarithms");
        const auto size = madeBy(x, ScalarCode::Abs);
        const auto det = madeBy<Det>(size ? size->input(0) : x);
        if (!det) return declined("its input is no determinant", ownerOf(x));
        if (!x.hasOneClient()) return declined("the determinant is needed anyway");
        static const OpRef both = makeOp<SLogDet>();
        const VarHandle sign = edit.make(both, {det->input(0)});
        const VarHandle logarithm = sign.owner()->output(1);
        if (size) return become(edit, node, logarithm);
        const VarHandle isNegative = elementwise(edit, ScalarCode::Lt, {sign, constantLike(edit, sign, 0)});
        return become(edit, node,
                      elementwise(edit, ScalarCode::Switch, {isNegative, elementwise(edit, ScalarCode::Sqrt, {sign}), logarithm}));
    });

} // namespace
} // namespace engine
