// PreciseMatrix products with more digits than their dtypes have.
#include "engine/graph/op/precise_form.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/precise_sum.h"
#include "engine/runtime/plan/threads.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace engine {
namespace {

// A matrix, or a window on one: element (i, j) lies at i * row + j * column.
struct PreciseMatrix {
    const Precise *data;
    std::int64_t rows, columns, row, column;
    const Precise &at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

PreciseMatrix matrixOf(const PreciseArray &a, bool isColumn = false)
{
    if (a.shape.rank() == 2) return {a.values.data(), a.shape[0], a.shape[1], a.shape[1], 1};
    return isColumn ? PreciseMatrix{a.values.data(), a.shape[0], 1, 1, 1} : PreciseMatrix{a.values.data(), 1, a.shape[0], a.shape[0], 1};
}

Precise sumOfProducts(const PreciseMatrix &x, const PreciseMatrix &y, std::int64_t i, std::int64_t j)
{
    PreciseSum sum;
    for (std::int64_t k = 0; k < x.columns; ++k) sum.add(x.at(i, k), y.at(k, j));
    return sum.total();
}

// Numbers as the sum of two doubles, the first in two halves whose products are exact; what the two leave out is part of the error.
class Doubles {
public:
    // Nothing: they are not finite, or so small or large that products of halves would not be exact.
    static std::optional<Doubles> of(const PreciseMatrix &matrix)
    {
        const auto size = static_cast<std::size_t>(matrix.rows * matrix.columns);
        Doubles all;
        for (std::vector<double> *part : {&all.high, &all.first, &all.second, &all.low, &all.error}) part->reserve(size);
        for (std::int64_t i = 0; i < matrix.rows; ++i)
            for (std::int64_t k = 0; k < matrix.columns; ++k) {
                const Precise &value = matrix.at(i, k);
                const double high = value.toDouble(), size = std::fabs(high);
                if (!(size < 1e120) || (size != 0 && size < 1e-120) || (size == 0 && !value.isZero())) return std::nullopt;
                const double low = static_cast<double>(value.high() - high), scaled = high * 134217729.0, first = scaled - (scaled - high);
                all.high.push_back(high);
                all.first.push_back(first);
                all.second.push_back(high - first);
                all.low.push_back(low);
                all.error.push_back(static_cast<double>(value.error()) + std::fabs(static_cast<double>(value.low())) + size * 0x1p-104);
            }
        return all;
    }
    std::vector<double> high, first, second, low, error;
};

// A row of the product: sums of products, what rounding took of them, how large they were, how far they may be off.
void sumRow(const Doubles &x, const Doubles &y, std::int64_t i, std::int64_t inner, std::int64_t columns, Precise *out)
{
    const auto n = static_cast<std::size_t>(columns);
    std::vector<double> sum(n, 0), rest(n, 0), sizes(n, 0), errors(n, 0);
    for (std::int64_t k = 0; k < inner; ++k) {
        const auto at = static_cast<std::size_t>(i * inner + k);
        const double a = x.high[at], a1 = x.first[at], a2 = x.second[at], al = x.low[at], aSize = std::fabs(a), aError = x.error[at];
        const std::size_t row = static_cast<std::size_t>(k) * n;
        const double *const b = &y.high[row], *const b1 = &y.first[row], *const b2 = &y.second[row], *const bl = &y.low[row],
                            *const bError = &y.error[row];
        for (std::size_t j = 0; j < n; ++j) {
            const double product = a * b[j];
            const double lost = ((a1 * b1[j] - product) + a1 * b2[j] + a2 * b1[j]) + a2 * b2[j];
            const double total = sum[j] + product, back = total - sum[j];
            rest[j] += ((sum[j] - (total - back)) + (product - back)) + (lost + (a * bl[j] + al * b[j]));
            sum[j] = total;
            const double bSize = std::fabs(b[j]);
            sizes[j] += aSize * bSize;
            errors[j] += aSize * bError[j] + aError * (bSize + bError[j]);
        }
    }
    // What rounding does to the rests: there are about 2 for each product, each of at most 2^-53 of the sum so far.
    const double terms = static_cast<double>(inner) + 4;
    for (std::size_t j = 0; j < n; ++j)
        out[j] = Precise::of(Quad(sum[j]) + Quad(rest[j]), 0, 1.01L * (errors[j] + sizes[j] * terms * terms * 0x1p-104L));
}

constexpr double kWorthDoubles = 1e6; // products
constexpr double kMostInDoubles = 2e9;

bool productInDoubles(const PreciseMatrix &x, const PreciseMatrix &y, PreciseArray &out)
{
    const std::optional<Doubles> a = Doubles::of(x), b = a ? Doubles::of(y) : std::nullopt;
    if (!b) return false;
    const auto rows = [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t i = first; i < end; ++i) sumRow(*a, *b, i, x.columns, y.columns, out.values.data() + i * y.columns);
    };
    if (!canShare()) rows(0, x.rows);
    else sharePieces(x.rows, 1, rows);
    return true;
}

PreciseArray preciseProduct(const Op &op, const PreciseMatrix &x, const PreciseMatrix &y, const Dims &shape)
{
    const double work = static_cast<double>(x.rows) * static_cast<double>(x.columns) * static_cast<double>(y.columns);
    if (work > kWorthDoubles && work <= kMostInDoubles)
        if (PreciseArray out = PreciseArray::sized(shape); productInDoubles(x, y, out)) return out;
    if (work > kMostPreciseProducts) throw NotPrecise(op.friendlyName() + " is too large to be done in more than 53 bits");
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
    return preciseProduct(op, matrixOf(a), matrixOf(b, true), shape);
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

void dotForm(PreciseCall &call)
{
    call.needAll();
    call.set(0, dotOf(call.op, call.input(0), call.input(1)));
}

void scaledDotForm(PreciseCall &call)
{
    call.needAll();
    PreciseArray out = dotOf(call.op, call.input(0), call.input(1));
    for (Precise &value : out.values) value = call.input(2).values[0] * value;
    call.set(0, std::move(out));
}

// Inputs z, alpha, x, y, beta of Gemm and Gemv.
void gemmForm(PreciseCall &call)
{
    call.needAll();
    addTo(call, call.input(0), call.input(1).values[0], dotOf(call.op, call.input(2), call.input(3)), call.input(4).values[0]);
}

void gerForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &x = call.input(2), &y = call.input(3);
    const Dims shape{x.shape[0], y.shape[0]};
    addTo(call, call.input(0), call.input(1).values[0], preciseProduct(call.op, matrixOf(x, true), matrixOf(y), shape), Precise(1));
}

void batchedForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &a = call.input(0), &b = call.input(1);
    const Dims shape{a.shape[0], a.shape[1], b.shape[2]};
    PreciseArray out = PreciseArray::sized(shape);
    const std::int64_t of = a.shape[1] * a.shape[2], by = b.shape[1] * b.shape[2], each = a.shape[1] * b.shape[2];
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        const PreciseMatrix x{a.values.data() + i * of, a.shape[1], a.shape[2], a.shape[2], 1};
        const PreciseMatrix y{b.values.data() + i * by, b.shape[1], b.shape[2], b.shape[2], 1};
        const PreciseArray one = preciseProduct(call.op, x, y, {a.shape[1], b.shape[2]});
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
