// From dot to BLAS: dot22, gemm with scale and addition folded in, gemv and ger for vectors, the compiled forms.
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace engine {
namespace {

bool isBlasType(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64 || isComplex(dtype); }

REWRITE(local_dot_to_dot22, Phase::Blas)
    .why("a matrix product of one float dtype is BLAS's work")
    .hurts("BLAS adds up in another order than a plain sum")
    .pass("local_dot_to_dot22")
    .example("x: dmatrix; y: dmatrix; dot(x, y)", "x: dmatrix; y: dmatrix; dot22(x, y)")
    .nearMiss("x: dmatrix; y: fmatrix; dot(x, y)")
    .tag("fast_compile")
    .tag("merge")
    .match<Dot>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0), y = node.input(1);
        if (x.dtype() != y.dtype()) return declined("the inputs have different dtypes: BLAS wants one");
        if (!isBlasType(x.dtype())) return declined("BLAS has no product of this dtype");
        static const OpRef dot22 = makeOp<Dot22>();
        const auto asRow = [&](VarHandle v) { return dimshuffle(edit, v, {DimShuffle::kNewAxis, 0}); };
        const auto asColumn = [&](VarHandle v) { return dimshuffle(edit, v, {0, DimShuffle::kNewAxis}); };
        const VarHandle left = x.rank() == 1 ? asRow(x) : x, right = y.rank() == 1 ? asColumn(y) : y;
        if (left.rank() != 2 || right.rank() != 2) return declined("neither vectors nor matrices");
        VarHandle after = edit.make(dot22, {left, right});
        if (x.rank() == 1 && y.rank() == 1) after = dimshuffle(edit, after, {});
        else if (x.rank() == 1) after = dimshuffle(edit, after, {1});
        else if (y.rank() == 1) after = dimshuffle(edit, after, {0});
        return become(edit, node, after);
    });

// --- gemm ---------------------------------------------------------------------------------------------------

/// One summand: scale (a number times 0-d variables) times an array.
struct Summand {
    double number = 1;
    std::vector<VarHandle> scalars; ///< any rank, all axes broadcastable
    VarHandle value;
};

/// `value` as numbers times scalars times one array, looking through what only it reads.
void collectSummands(VarHandle value, Summand scale, std::vector<Summand> &out, bool isRoot, int depth = 0)
{
    const ApplyId owner = ownerOf(value);
    const auto keep = [&] {
        scale.value = value;
        out.push_back(scale);
    };
    if (owner == kNoApply || (!isRoot && !value.hasOneClient()) || depth > 64) return keep();
    const NodeHandle node(value.graph(), owner);
    const Elemwise *op = elemwiseOf(node);
    if (!op || node.outputCount() != 1) return keep();
    for (const VarHandle &input : node.inputs())
        if (input.dtype() != value.dtype()) return keep();
    const auto sameShape = [&](VarHandle v) { return v.type() == value.type(); };
    switch (op->scalar()->code()) {
    case ScalarCode::Add:
    case ScalarCode::Sub:
        for (const VarHandle &input : node.inputs())
            if (!sameShape(input)) return keep();
        value.owner();
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
            Summand inner = scale;
            if (op->is(ScalarCode::Sub) && i == 1) inner.number = -inner.number;
            collectSummands(node.input(i), inner, out, false, depth + 1);
        }
        return;
    case ScalarCode::Neg:
        value.owner();
        scale.number = -scale.number;
        return collectSummands(node.input(0), scale, out, false, depth + 1);
    case ScalarCode::Mul: {
        std::optional<VarHandle> array;
        Summand inner = scale;
        for (const VarHandle &factor : node.inputs()) {
            if (isSingle(factor) && value.rank() > 0) {
                const auto constant = constantValue(factor);
                if (constant && !holdsDigits(value.dtype(), inner.number * *constant)) return keep();
                if (constant) inner.number *= *constant;
                else inner.scalars.push_back(factor);
            } else if (!array) {
                array = factor;
            } else {
                return keep();
            }
        }
        if (!array || !sameShape(*array)) return keep();
        value.owner();
        return collectSummands(*array, inner, out, false, depth + 1);
    }
    default: return keep();
    }
}

/// The product behind a summand, and how it is reshuffled into it.
struct Product {
    VarHandle left, right;
    bool isColumn = false; ///< the summand is the product's only column, as a vector
    bool isRow = false;
};
std::optional<Product> productOf(VarHandle v)
{
    if (const auto dot = madeBy<Dot22>(v)) return Product{dot->input(0), dot->input(1)};
    const auto shuffle = madeBy<DimShuffle>(v);
    if (!shuffle || !shuffle->input(0).hasOneClient()) return std::nullopt;
    const auto dot = madeBy<Dot22>(shuffle->input(0));
    if (!dot) return std::nullopt;
    const std::vector<int> &order = shuffle->opAs<DimShuffle>()->order();
    if (order == std::vector<int>{0}) return Product{dot->input(0), dot->input(1), true, false};
    if (order == std::vector<int>{1}) return Product{dot->input(0), dot->input(1), false, true};
    return std::nullopt;
}

VarHandle scaleOf(Editor &edit, const Summand &summand, DType dtype)
{
    std::vector<VarHandle> factors;
    for (const VarHandle &scalar : summand.scalars) factors.push_back(dimshuffle(edit, scalar, {}));
    if (factors.empty()) return constantLike(edit, dtype, 0, summand.number);
    if (summand.number != 1) factors.insert(factors.begin(), constantLike(edit, dtype, 0, summand.number));
    return factors.size() == 1 ? factors[0] : elementwise(edit, scalarOp(ScalarCode::Mul), factors);
}

RewriteResult foldIntoGemm(const NodeHandle &node, Editor &edit)
{
    const VarHandle out = node.output();
    if (!elemwiseOf(node) || !isBlasType(out.dtype())) return declined("BLAS has no product of this dtype");
    if (out.rank() != 2 && out.rank() != 1) return declined("neither a vector nor a matrix");
    for (const Client &client : out.clients()) {
        if (client.isGraphOutput() || out.clients().size() != 1) continue;
        const NodeHandle reader(node.graph(), client.apply);
        const Elemwise *op = elemwiseOf(reader);
        if (!op || !(reader.output().type() == out.type())) continue;
        switch (op->scalar()->code()) {
        case ScalarCode::Add:
        case ScalarCode::Sub:
        case ScalarCode::Neg:
        case ScalarCode::Mul: return declined("its reader belongs to the same sum: it is treated there", client.apply);
        default: break;
        }
    }
    std::vector<Summand> summands;
    collectSummands(out, {}, summands, true);
    if (summands.size() < 2) return declined("a single product: there is nothing to add it to");

    // Equal arrays with plain numbers gather: w - 0.0002·w is 0.9998·w.
    std::vector<Summand> gathered;
    std::unordered_multimap<std::uint32_t, std::size_t> places; // in `gathered`, by array
    for (const Summand &summand : summands) {
        const auto [first, last] = places.equal_range(raw(summand.value.id()));
        const auto same = std::find_if(first, last, [&](const auto &place) { return gathered[place.second].scalars == summand.scalars; });
        if (same != last) {
            gathered[same->second].number += summand.number;
            continue;
        }
        places.emplace(raw(summand.value.id()), gathered.size());
        gathered.push_back(summand);
    }
    if (gathered.size() < 2) return declined("all terms are the same array");

    ApplyId blocker = kNoApply;
    for (std::size_t m = 0; m < gathered.size(); ++m) {
        const Summand &product = gathered[m];
        const auto found = productOf(product.value);
        if (!found) continue;
        // The product has to disappear, or it would be computed twice.
        if (product.value.clients().size() != 1) {
            blocker = ownerOf(product.value);
            continue;
        }
        for (std::size_t l = 0; l < gathered.size(); ++l) {
            const VarHandle addend = gathered[l].value;
            if (l == m || !(addend.type() == product.value.type())) continue;
            VarHandle z = addend;
            if (found->isColumn) z = dimshuffle(edit, addend, {0, DimShuffle::kNewAxis});
            if (found->isRow) z = dimshuffle(edit, addend, {DimShuffle::kNewAxis, 0});
            const VarHandle matrixType = z;
            if (matrixType.rank() != 2) continue;
            static const OpRef gemm = makeOp<Gemm>(false);
            VarHandle after = edit.make(
                gemm, {z, scaleOf(edit, product, out.dtype()), found->left, found->right, scaleOf(edit, gathered[l], out.dtype())});
            if (found->isColumn) after = dimshuffle(edit, after, {0});
            if (found->isRow) after = dimshuffle(edit, after, {1});
            std::vector<VarHandle> terms{after};
            for (std::size_t i = 0; i < gathered.size(); ++i) {
                if (i == l || i == m) continue;
                const Summand &rest = gathered[i];
                if (rest.number == 1 && rest.scalars.empty()) {
                    terms.push_back(rest.value);
                    continue;
                }
                terms.push_back(
                    elementwise(edit, ScalarCode::Mul, {padLeft(edit, scaleOf(edit, rest, out.dtype()), out.rank()), rest.value}));
            }
            return become(edit, node, total(edit, terms, out), "beta·L + alpha·A·B is one gemm");
        }
    }
    if (blocker != kNoApply) return declined("the product has other readers: it would be computed twice", blocker);
    return declined("no term is a product that only this sum reads");
}

REWRITE(gemm_optimizer, Phase::Blas)
    .why("BLAS adds and scales while it multiplies: beta·L + alpha·A·B is one call")
    .pass("gemm_optimizer")
    .hurts("rounds a little differently from adding afterwards")
    .example("x: dmatrix; y: dmatrix; z: dmatrix; z - 0.5 * dot(x, y)", "x: dmatrix; y: dmatrix; z: dmatrix; gemm(z, -0.5, x, y, 1.0)")
    .with({"local_dot_to_dot22"})
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; z * dot(x, y)")
    .tag("fast_compile")
    .tag("merge")
    .match<ScalarCode::Add, ScalarCode::Sub, ScalarCode::Neg, ScalarCode::Mul>(foldIntoGemm);

/// Is `v` a product that only its reader sees, perhaps scaled?
bool isOwnProduct(VarHandle v, int depth = 0)
{
    if (!v.hasOneClient() || depth > 4) return false;
    if (productOf(v)) return true;
    const auto scaled = madeBy(v, ScalarCode::Mul);
    if (!scaled) return false;
    for (const VarHandle &factor : scaled->inputs())
        if (factor.type() == v.type() && isOwnProduct(factor, depth + 1)) return true;
    return false;
}

REWRITE(croton_scale_product_by_inverse, Phase::Blas)
    .why("a mean over n rows divides a product by n: as a factor it goes into gemm or gemv, and the update is one call")
    .hurts("rounds twice, once for the reciprocal")
    .pass("gemm_optimizer")
    .at(-1)
    .example("x: dmatrix; y: dmatrix; z: dmatrix; s: dscalar; z - dot(x, y) / s",
             "x: dmatrix; y: dmatrix; z: dmatrix; s: dscalar; z - inv(dimshuffle(s, 'x', 'x')) * dot22(x, y)")
    .with({"local_dot_to_dot22"})
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; dot(x, y) / z")
    .tag("croton")
    .match<ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output(), divisor = node.input(1);
        if (!elemwiseOf(node) || !isBlasType(out.dtype()) || isComplex(out.dtype())) return declined("BLAS has no product of this dtype");
        if (divisor.dtype() != out.dtype() || !(node.input(0).type() == out.type())) return declined("the dtype or the shape would change");
        if (!isSingle(divisor)) return declined("the divisor is no scalar", ownerOf(divisor));
        if (const auto number = constantValue(divisor); number && !holdsDigits(out.dtype(), 1 / *number))
            return declined("its reciprocal is no number of this dtype", ownerOf(divisor));
        if (!isOwnProduct(node.input(0))) return declined("the numerator is no product that only it reads", ownerOf(node.input(0)));
        return become(edit, node, elementwise(edit, ScalarCode::Mul, {elementwise(edit, ScalarCode::Inv, {divisor}), node.input(0)}));
    });

REWRITE(local_dot22_to_dot22scalar, Phase::Blas)
    .why("BLAS scales while it multiplies: s·A·B is one call")
    .hurts("each sum is scaled when it is complete, in BLAS's own order: the last digits may differ")
    .pass("local_dot22_to_dot22scalar")
    .example("x: dmatrix; y: dmatrix; s: dscalar; s * dot(x, y)", "x: dmatrix; y: dmatrix; s: dscalar; dot22scalar(x, y, s)")
    .with({"local_dot_to_dot22"})
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; z * dot(x, y)")
    .match<ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || out.rank() != 2) return declined("no matrix");
        std::vector<VarHandle> others;
        std::optional<NodeHandle> dot;
        std::optional<VarHandle> scalar;
        ApplyId blocker = kNoApply;
        for (const VarHandle &factor : node.inputs()) {
            const auto product = madeBy<Dot22>(factor);
            if (product && !factor.hasOneClient()) blocker = product->id();
            if (!dot && product && factor.hasOneClient()) dot = product;
            else if (!scalar && factor.type().isBroadcastable(0) && factor.type().isBroadcastable(1) && factor.dtype() == out.dtype())
                scalar = factor;
            else others.push_back(factor);
        }
        if (!dot && blocker != kNoApply) return declined("the product has other readers: it would be computed twice", blocker);
        if (!dot) return declined("no factor is a product that only it reads");
        if (!scalar) return declined("no factor is a scalar of the matrix's dtype");
        if (dot->output().dtype() != out.dtype()) return declined("the dtype would change");
        static const OpRef op = makeOp<Dot22Scalar>();
        const VarHandle scaled = edit.make(op, {dot->input(0), dot->input(1), dimshuffle(edit, *scalar, {})});
        others.insert(others.begin(), scaled);
        return become(edit, node, product(edit, others, out));
    });

// --- gemv and ger -------------------------------------------------------------------------------------------

VarHandle asVector(Editor &edit, VarHandle matrix, bool isColumn) { return dimshuffle(edit, matrix, {isColumn ? 0 : 1}); }
VarHandle transposeOf(Editor &edit, VarHandle matrix) { return dimshuffle(edit, matrix, {1, 0}); }
bool isColumn(VarHandle v) { return v.type().isBroadcastable(1); }
bool isRow(VarHandle v) { return v.type().isBroadcastable(0); }

OpRef gemvOp()
{
    static const OpRef op = makeOp<Gemv>(false, false);
    return op;
}
OpRef gerOp()
{
    static const OpRef op = makeOp<Ger>(false, false);
    return op;
}

REWRITE(local_gemm_to_gemv, Phase::Blas)
    .why("a product with one row or column is a matrix times a vector")
    .hurts("gemv adds up in another order than gemm: the last digits may differ")
    .pass("local_gemm_to_gemv")
    .example("x: dmatrix; v: dvector; z: dvector; z + 2 * dot(x, v)", "x: dmatrix; v: dvector; z: dvector; gemv(z, 2.0, x, v, 1.0)")
    .with({"local_dot_to_dot22", "gemm_optimizer", "local_blas_dimshuffle"})
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; gemm(z, 2.0, x, y, 1.0)")
    .tag("fast_compile")
    .tag("merge")
    .match<Gemm>([](const NodeHandle &node, Editor &edit) {
        if (node.opAs<Gemm>()->inplace()) return declined("it works in place already");
        const VarHandle z = node.input(0), a = node.input(1), x = node.input(2), y = node.input(3), b = node.input(4);
        if (isRow(x) && isRow(z) && !isColumn(y)) {
            const VarHandle r = edit.make(gemvOp(), {asVector(edit, z, false), a, transposeOf(edit, y), asVector(edit, x, false), b});
            return become(edit, node, dimshuffle(edit, r, {DimShuffle::kNewAxis, 0}));
        }
        if (isColumn(y) && isColumn(z)) {
            const VarHandle r = edit.make(gemvOp(), {asVector(edit, z, true), a, x, asVector(edit, y, true), b});
            return become(edit, node, dimshuffle(edit, r, {0, DimShuffle::kNewAxis}));
        }
        return declined("neither side is a single row or column");
    });

REWRITE(local_gemm_to_ger, Phase::Blas)
    .why("a column times a row added to a matrix is one pass over the matrix")
    .hurts("ger adds each product to the matrix at once: one rounding less than a product that is added afterwards")
    .pass("local_gemm_to_gemv")
    .at(1)
    .example("x: dvector; y: dvector; z: dmatrix; z + 2 * dot(dimshuffle(x, 0, 'x'), dimshuffle(y, 'x', 0))",
             "x: dvector; y: dvector; z: dmatrix; ger(z, 2.0, x, y)")
    .with({"local_dot_to_dot22", "gemm_optimizer", "local_blas_dimshuffle"})
    .nearMiss("x: dmatrix; y: dmatrix; z: dmatrix; gemm(z, 2.0, x, y, 1.0)")
    .tag("fast_compile")
    .tag("merge")
    .match<Gemm>([](const NodeHandle &node, Editor &edit) {
        if (node.opAs<Gemm>()->inplace()) return declined("it works in place already");
        const VarHandle z = node.input(0), a = node.input(1), x = node.input(2), y = node.input(3);
        if (!isColumn(x) || !isRow(y)) return declined("the inputs are no column and row");
        if (constantValue(node.input(4)) != 1.0) return declined("beta is not 1");
        return become(edit, node, edit.make(gerOp(), {z, a, asVector(edit, x, true), asVector(edit, y, false)}));
    });

REWRITE(local_dot22_to_ger_or_gemv, Phase::Blas)
    .why("a product with one row or column is a matrix times a vector, column times row is an outer product")
    .hurts("gemv and ger add up in another order than a product of matrices: the last digits may differ")
    .pass("local_gemm_to_gemv")
    .at(2)
    .example("x: dmatrix; v: dvector; dot(x, v)", "x: dmatrix; v: dvector; gemv(alloc(constant(0.0, float64), x.shape[0]), 1.0, x, v, 0.0)")
    .with({"local_dot_to_dot22", "local_blas_dimshuffle"})
    .nearMiss("x: dmatrix; y: dmatrix; dot(x, y)")
    .tag("fast_compile")
    .tag("merge")
    .match<Dot22>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0), y = node.input(1);
        const DType dtype = x.dtype();
        const VarHandle one = constantLike(edit, dtype, 0, 1), zero = constantLike(edit, dtype, 0, 0);
        static const OpRef alloc = makeOp<Alloc>();
        if (isColumn(x) && isRow(y)) {
            if (isRow(x) && isColumn(y)) return declined("both sides are single numbers");
            const VarHandle base = edit.make(alloc, {zero, sizeOrShape(edit, x, 0), sizeOrShape(edit, y, 1)});
            return become(edit, node, edit.make(gerOp(), {base, one, asVector(edit, x, true), asVector(edit, y, false)}));
        }
        if (isColumn(y)) {
            const VarHandle base = edit.make(alloc, {zero, sizeOrShape(edit, x, 0)});
            const VarHandle r = edit.make(gemvOp(), {base, one, x, asVector(edit, y, true), zero});
            return become(edit, node, dimshuffle(edit, r, {0, DimShuffle::kNewAxis}));
        }
        if (isRow(x)) {
            const VarHandle base = edit.make(alloc, {zero, sizeOrShape(edit, y, 1)});
            const VarHandle r = edit.make(gemvOp(), {base, one, transposeOf(edit, y), asVector(edit, x, false), zero});
            return become(edit, node, dimshuffle(edit, r, {DimShuffle::kNewAxis, 0}));
        }
        return declined("neither side is a single row or column");
    });

REWRITE(local_blas_dimshuffle, Phase::Blas)
    .why("the reshuffles that turned vectors into matrices and back cancel")
    .pass("local_gemm_to_gemv")
    .at(3)
    .example("x: dmatrix; dimshuffle(dimshuffle(x, 1, 0), 1, 0) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; dimshuffle(x, 1, 0) + 1")
    .tag("fast_compile")
    .tag("merge")
    .match<DimShuffle>([](const NodeHandle &node, Editor &edit) {
        const DimShuffle *shuffle = node.opAs<DimShuffle>();
        if (shuffle->isIdentity()) return become(edit, node, node.input(0));
        const auto inner = madeBy<DimShuffle>(node.input(0));
        if (!inner) return declined("its input is not reshuffled", ownerOf(node.input(0)));
        std::vector<int> order;
        for (int axis : shuffle->order()) order.push_back(axis == DimShuffle::kNewAxis ? axis : inner->opAs<DimShuffle>()->order()[axis]);
        return become(edit, node, dimshuffle(edit, inner->input(0), std::move(order)));
    });

REWRITE(use_c_blas, Phase::Blas)
    .why("the compiled form calls BLAS without going through an interpreter")
    .pass("use_c_blas")
    .example("x: dmatrix; v: dvector; z: dvector; gemv(z, 2.0, x, v, 1.0)", "x: dmatrix; v: dvector; z: dvector; cgemv(z, 2.0, x, v, 1.0)")
    .nearMiss("x: zmatrix; v: zvector; z: zvector; gemv(z, 2.0, x, v, 1.0)")
    .tag("fast_compile")
    .tag("merge")
    .match<Gemv, Ger>([](const NodeHandle &node, Editor &edit) {
        OpRef op;
        if (const Gemv *gemv = node.opAs<Gemv>()) {
            if (gemv->isC()) return declined("it is the compiled form already");
            op = makeOp<Gemv>(gemv->inplace(), true);
        } else {
            const Ger *ger = node.opAs<Ger>();
            if (ger->isC()) return declined("it is the compiled form already");
            op = makeOp<Ger>(ger->inplace(), true);
        }
        if (isComplex(node.output().dtype())) return declined("complex products stay with the plain form");
        return become(edit, node, edit.make(op, node.inputs()));
    });

} // namespace
} // namespace engine
