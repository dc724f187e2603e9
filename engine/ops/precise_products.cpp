// Matrix products with more digits than their dtypes have.
#include "engine/graph/precise_form.h"
#include "engine/ops/dot.h"
#include "engine/runtime/threads.h"

#include <algorithm>

namespace engine {
namespace {

constexpr double kMost = 1e8; // products that take ten seconds

long double size(Quad x) { return static_cast<long double>(x < 0 ? -x : x); }

// A matrix, or a window on one: element (i, j) lies at i * row + j * column.
struct Matrix {
    const Precise *data;
    std::int64_t rows, columns, row, column;
    const Precise &at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

Matrix matrixOf(const PreciseArray &a, bool isColumn = false)
{
    if (a.shape.rank() == 2) return {a.values.data(), a.shape[0], a.shape[1], a.shape[1], 1};
    return isColumn ? Matrix{a.values.data(), a.shape[0], 1, 1, 1} : Matrix{a.values.data(), 1, a.shape[0], a.shape[0], 1};
}

// What the products of 113 bits lose in the sum is bounded, not kept: sums of products are where the time goes.
Precise sumOfProducts(const Matrix &x, const Matrix &y, std::int64_t i, std::int64_t j)
{
    Quad total = 0, rest = 0;
    long double sizes = 0, errors = 0;
    for (std::int64_t k = 0; k < x.columns; ++k) {
        const Precise &a = x.at(i, k), &b = y.at(k, j);
        const Quad product = a.high() * b.high();
        total += product;
        if (a.low() != 0 || b.low() != 0) rest += a.high() * b.low() + a.low() * b.high();
        sizes += size(product);
        if (a.error() != 0 || b.error() != 0) errors += size(a.high()) * b.error() + size(b.high()) * a.error() + a.error() * b.error();
    }
    const auto terms = static_cast<long double>(x.columns + 2);
    return Precise::exact(total) + Precise::of(rest, 0, errors + sizes * terms * 0x1p-112L);
}

PreciseArray product(const Op &op, const Matrix &x, const Matrix &y, const Dims &shape)
{
    const double work = static_cast<double>(x.rows) * static_cast<double>(x.columns) * static_cast<double>(y.columns);
    if (work > kMost) throw NotPrecise(op.friendlyName() + " is too large to be done in more than 53 bits");
    PreciseArray out = PreciseArray::sized(shape);
    const auto rows = [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t i = first; i < end; ++i)
            for (std::int64_t j = 0; j < y.columns; ++j) out.values[i * y.columns + j] = sumOfProducts(x, y, i, j);
    };
    if (work < 1e5 || !canShare()) rows(0, x.rows);
    else sharePieces(x.rows, 1, rows);
    return out;
}

PreciseArray dotOf(const Op &op, const PreciseArray &a, const PreciseArray &b)
{
    Dims shape;
    if (a.shape.rank() == 2) shape.push_back(a.shape[0]);
    if (b.shape.rank() == 2) shape.push_back(b.shape[1]);
    return product(op, matrixOf(a), matrixOf(b, true), shape);
}

// beta·z + alpha·xy. A z that nobody asks for may hold anything.
void addTo(PreciseCall &call, const PreciseArray &z, const Precise &alpha, PreciseArray product, const Precise &beta)
{
    for (std::size_t i = 0; i < product.values.size(); ++i) {
        product.values[i] = alpha * product.values[i];
        if (!beta.isZero()) product.values[i] += beta * z.values[i];
    }
    call.set(0, std::move(product));
}

void needAll(const PreciseCall &call)
{
    for (const PreciseRef &input : call.inputs)
        if (!input) throw NotPrecise(call.op.friendlyName() + " reads what has no precise form");
}

void dotForm(PreciseCall &call)
{
    needAll(call);
    call.set(0, dotOf(call.op, call.input(0), call.input(1)));
}

void scaledDotForm(PreciseCall &call)
{
    needAll(call);
    PreciseArray out = dotOf(call.op, call.input(0), call.input(1));
    for (Precise &value : out.values) value = call.input(2).values[0] * value;
    call.set(0, std::move(out));
}

// Inputs z, alpha, x, y, beta of Gemm and Gemv.
void gemmForm(PreciseCall &call)
{
    needAll(call);
    addTo(call, call.input(0), call.input(1).values[0], dotOf(call.op, call.input(2), call.input(3)), call.input(4).values[0]);
}

void gerForm(PreciseCall &call)
{
    needAll(call);
    const PreciseArray &x = call.input(2), &y = call.input(3);
    const Dims shape{x.shape[0], y.shape[0]};
    addTo(call, call.input(0), call.input(1).values[0], product(call.op, matrixOf(x, true), matrixOf(y), shape), Precise(1));
}

void batchedForm(PreciseCall &call)
{
    needAll(call);
    const PreciseArray &a = call.input(0), &b = call.input(1);
    const Dims shape{a.shape[0], a.shape[1], b.shape[2]};
    PreciseArray out = PreciseArray::sized(shape);
    const std::int64_t of = a.shape[1] * a.shape[2], by = b.shape[1] * b.shape[2], each = a.shape[1] * b.shape[2];
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        const Matrix x{a.values.data() + i * of, a.shape[1], a.shape[2], a.shape[2], 1};
        const Matrix y{b.values.data() + i * by, b.shape[1], b.shape[2], b.shape[2], 1};
        const PreciseArray one = product(call.op, x, y, {a.shape[1], b.shape[2]});
        std::copy(one.values.begin(), one.values.end(), out.values.begin() + i * each);
    }
    call.set(0, std::move(out));
}

PRECISE_FORM(Dot, dotForm);
PRECISE_FORM(Dot22, dotForm);
PRECISE_FORM(Dot22Scalar, scaledDotForm);
PRECISE_FORM(Gemm, gemmForm);
PRECISE_FORM(Gemv, gemmForm);
PRECISE_FORM(Ger, gerForm);
PRECISE_FORM(BatchedDot, batchedForm);

} // namespace
} // namespace engine
