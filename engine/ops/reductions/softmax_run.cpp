#include "engine/ops/elements/run_support.h"
#include "engine/ops/reductions/row_loops.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr std::int64_t kTogether = 4096; // elements that are worked on together

/// Each row by one over its total.
template <class T>
void scaleRows(T *x, std::int64_t rows, std::int64_t count, const double *totals)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const T scale = static_cast<T>(1 / totals[r]);
        for (std::int64_t i = 0; i < count; ++i) x[r * count + i] *= scale;
    }
}

void logarithms(double *x, std::int64_t count)
{
    const void *in[] = {x};
    rt_table()->loops[RT_LOG][RT_F64](x, in, count);
}

constexpr std::int64_t kElementCost = 6; // elements of a cheap function that one of a softmax costs as much as

// Rows by themselves: parted among threads where there is much to do.
template <class Body>
void shareRows(std::int64_t rows, std::int64_t count, const Body &body)
{
    if (rows * count * kElementCost < sharedElements()) return body(0, rows);
    const std::int64_t atLeast = std::max<std::int64_t>(1, kTogether / count);
    sharePieces(rows, pieceFor(rows, atLeast, std::max(atLeast, 65536 / count)),
                [&](std::int64_t first, std::int64_t end) { body(first, end - first); });
}

template <class T>
void softmaxRows(const T *x, T *out, std::int64_t rows, std::int64_t count)
{
    std::vector<double> totals(static_cast<std::size_t>(rows));
    std::vector<T> shifts(static_cast<std::size_t>(rows));
    // By rows that stay in the cache: the division reads what was just written.
    const std::int64_t step = std::max<std::int64_t>(1, kTogether / count);
    for (std::int64_t first = 0; first < rows; first += step) {
        const std::int64_t some = std::min(step, rows - first);
        shiftedExponentials(x + first * count, out + first * count, some, count, totals.data() + first, shifts.data() + first);
        scaleRows(out + first * count, some, count, totals.data() + first);
    }
}

template <class T>
void logSoftmaxRows(const T *x, T *out, std::int64_t rows, std::int64_t count)
{
    const std::int64_t step = std::max<std::int64_t>(1, kTogether / count);
    std::vector<T> powers(static_cast<std::size_t>(std::min(step, rows) * count));
    std::vector<double> totals(static_cast<std::size_t>(step));
    std::vector<T> shifts(static_cast<std::size_t>(step));
    for (std::int64_t first = 0; first < rows; first += step) {
        const std::int64_t some = std::min(step, rows - first);
        shiftedExponentials(x + first * count, powers.data(), some, count, totals.data(), shifts.data());
        logarithms(totals.data(), some);
        for (std::int64_t r = 0; r < some; ++r) {
            // Their sum would lose what is small beside the shift.
            const T shift = shifts[r], log = static_cast<T>(totals[r]);
            const std::int64_t row = (first + r) * count;
            for (std::int64_t i = 0; i < count; ++i) out[row + i] = (x[row + i] - shift) - log;
        }
    }
}

void sameRows(const Op &op, std::int64_t rows, std::int64_t others, const char *what)
{
    if (rows == others) return;
    throw ShapeMismatch("[" + op.name() + "] there are " + std::to_string(rows) + " rows but " + std::to_string(others) + " " + what);
}

std::int64_t checkedClass(const Op &op, std::int64_t y, std::int64_t count, std::int64_t row)
{
    if (y >= 0 && y < count) return y;
    throw ShapeMismatch("[" + op.name() + "] class " + std::to_string(y) + " in row " + std::to_string(row) +
                        " is out of bounds: there are " + std::to_string(count) + " classes");
}

/// The classes of a cross-entropy, row by row.
class RowClasses : public ClassesOfRows {
public:
    RowClasses(const Op &op, Classes sort, const View &y, std::int64_t rows, std::int64_t count)
        : ClassesOfRows(op, sort, rows, y.shape[0]), m_op(op), m_sort(sort), m_y(integers(y)), m_count(count)
    {}
    std::int64_t of(std::int64_t row) const
    {
        const std::int64_t y = m_y[repeats ? 0 : row];
        // An index counts from the end where it is negative.
        return checkedClass(m_op, m_sort != Classes::EachRow && y < 0 ? y + m_count : y, m_count, row);
    }
    /// All of them, before threads part the rows.
    void check() const
    {
        for (std::int64_t row = 0; row < losses; ++row) of(row);
    }

private:
    const Op &m_op;
    Classes m_sort;
    Dense<std::int64_t> m_y;
    std::int64_t m_count;
};

/// Rows of a matrix as dense elements of T: in their place if they lie so, else some at a time in memory of the thread.
template <class T>
class RowBlocks {
public:
    RowBlocks(const View &view, DType work)
        : m_view(view), m_work(work), m_columns(view.shape[1]), m_isDirect(view.dtype == work && view.isContiguous())
    {}
    bool isDirect() const { return m_isDirect; }
    T *place(std::int64_t first, std::int64_t some, std::vector<T> &block) const
    {
        if (m_isDirect) return m_view.as<T>() + first * m_columns;
        block.resize(static_cast<std::size_t>(some * m_columns));
        return block.data();
    }
    const T *read(std::int64_t first, std::int64_t some, std::vector<T> &block) const
    {
        T *const at = place(first, some, block);
        if (!m_isDirect) copy(first, some, block, true);
        return at;
    }
    void write(std::int64_t first, std::int64_t some, std::vector<T> &block) const
    {
        if (!m_isDirect) copy(first, some, block, false);
    }

private:
    void copy(std::int64_t first, std::int64_t some, std::vector<T> &block, bool reads) const
    {
        const Dims shape{some, m_columns}, dense = contiguousStrides(shape, sizeof(T));
        const View rows{m_view.as<char>() + first * m_view.strides[0], m_view.dtype, 2, shape.data(), m_view.strides};
        const View values{block.data(), m_work, 2, shape.data(), dense.data()};
        copyConverted(reads ? rows : values, reads ? values : rows);
    }

    View m_view;
    DType m_work;
    std::int64_t m_columns;
    bool m_isDirect;
};

/// Calls `body(first, some)` for all rows, parted among threads; a few at a time where they have to be copied.
template <class Body>
void eachBlock(std::int64_t rows, std::int64_t count, bool isDirect, const Body &body)
{
    shareRows(rows, count, [&](std::int64_t begin, std::int64_t all) {
        const std::int64_t step = isDirect ? all : std::max<std::int64_t>(1, kTogether / count);
        for (std::int64_t first = begin; first < begin + all; first += step) body(first, std::min(step, begin + all - first));
    });
}

// Row by row: `function(from, to, rows, columns)`.
template <class Function>
void performRows(PerformArgs &args, Function function)
{
    const View &x = args.inputs[0];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    const View &out = output(args, 0, shapeOfView(x));
    if (count == 0) return;
    withFloat(x.dtype, [&]<class T>(DType work) {
        const RowBlocks<T> in(x, work), result(out, work);
        eachBlock(rows, count, in.isDirect() && result.isDirect(), [&](std::int64_t first, std::int64_t some) {
            std::vector<T> from, to;
            function(in.read(first, some, from), result.place(first, some, to), some, count);
            result.write(first, some, to);
        });
    });
}

} // namespace

void Softmax::perform(PerformArgs &args) const
{
    performRows(args, [](const auto *from, auto *to, std::int64_t rows, std::int64_t count) { softmaxRows(from, to, rows, count); });
}

void LogSoftmax::perform(PerformArgs &args) const
{
    performRows(args, [](const auto *from, auto *to, std::int64_t rows, std::int64_t count) { logSoftmaxRows(from, to, rows, count); });
}

void SoftmaxGrad::perform(PerformArgs &args) const
{
    const View &g = args.inputs[0], &sm = args.inputs[1];
    const std::int64_t rows = sm.shape[0], count = sm.shape[1];
    if (!(shapeOfView(g) == shapeOfView(sm)))
        throw ShapeMismatch("[SoftmaxGrad] the gradient has shape " + shapeOfView(g).text() + ", the softmax " + shapeOfView(sm).text());
    const View &out = output(args, 0, shapeOfView(sm));
    if (count == 0) return;
    withFloat(out.dtype, [&]<class T>(DType work) {
        const RowBlocks<T> dy(g, work), p(sm, work), result(out, work);
        const bool isDirect = dy.isDirect() && p.isDirect() && result.isDirect();
        eachBlock(rows, count, isDirect, [&](std::int64_t first, std::int64_t some) {
            std::vector<T> dyBlock, pBlock, toBlock;
            const T *d = dy.read(first, some, dyBlock), *s = p.read(first, some, pBlock);
            T *to = result.place(first, some, toBlock);
            for (std::int64_t r = 0; r < some; ++r, d += count, s += count, to += count) {
                const T mean = static_cast<T>(sumOfProducts(d, s, count));
                for (std::int64_t i = 0; i < count; ++i) to[i] = (d[i] - mean) * s[i];
            }
            result.write(first, some, toBlock);
        });
    });
}

void SoftmaxWithBias::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &b = args.inputs[1];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    if (b.shape[0] != count)
        throw ShapeMismatch("[SoftmaxWithBias] x has " + std::to_string(count) + " columns, b has " + std::to_string(b.shape[0]) +
                            " elements");
    const View &out = output(args, 0, shapeOfView(x));
    if (count == 0) return;
    withFloat(out.dtype, [&]<class T>(DType work) {
        const Dense<T> bias(b, work);
        const RowBlocks<T> in(x, work), result(out, work);
        eachBlock(rows, count, in.isDirect() && result.isDirect(), [&](std::int64_t first, std::int64_t some) {
            std::vector<T> from, to;
            const T *const xs = in.read(first, some, from);
            T *const made = result.place(first, some, to);
            for (std::int64_t r = 0; r < some; ++r)
                for (std::int64_t i = 0; i < count; ++i) made[r * count + i] = xs[r * count + i] + bias[i];
            softmaxRows(made, made, some, count);
            result.write(first, some, to);
        });
    });
}

void CrossentropyCategorical1Hot::perform(PerformArgs &args) const
{
    const View &p = args.inputs[0];
    const std::int64_t rows = p.shape[0], count = p.shape[1];
    sameRows(*this, rows, args.inputs[1].shape[0], "classes");
    const auto classes = integers(args.inputs[1]);
    const View &out = output(args, 0, Dims{rows});
    withFloat(p.dtype, [&]<class T>(DType work) {
        const Dense<T> in(p, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) result[r] = -std::log(in[r * count + checkedClass(*this, classes[r], count, r)]);
        result.finish();
    });
}

void CrossentropyCategorical1HotGrad::perform(PerformArgs &args) const
{
    const View &p = args.inputs[1];
    const std::int64_t rows = p.shape[0], count = p.shape[1];
    sameRows(*this, rows, args.inputs[0].shape[0], "gradients");
    sameRows(*this, rows, args.inputs[2].shape[0], "classes");
    const auto classes = integers(args.inputs[2]);
    const View &out = output(args, 0, shapeOfView(p));
    withFloat(p.dtype, [&]<class T>(DType work) {
        const Dense<T> g(args.inputs[0], work), in(p, work);
        DenseOutput<T> result(out, work);
        std::fill_n(result.data(), rows * count, T(0));
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int64_t place = r * count + checkedClass(*this, classes[r], count, r);
            result[place] = -g[r] / in[place];
        }
        result.finish();
    });
}

ClassesOfRows::ClassesOfRows(const Op &op, Classes sort, std::int64_t rows, std::int64_t given)
    : losses(sort == Classes::FirstRows ? given : rows), repeats(sort == Classes::OneOrEach && given == 1)
{
    if (losses > rows)
        throw OutOfBounds("[" + op.name() + "] index " + std::to_string(rows) + " is out of bounds for axis 0 with size " +
                          std::to_string(rows));
    if (sort != Classes::FirstRows && !repeats) sameRows(op, rows, given, "classes");
}

void CrossentropySoftmaxArgmax1HotWithBias::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &b = args.inputs[1];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    if (b.shape[0] != count)
        throw ShapeMismatch("[" + name() + "] x has " + std::to_string(count) + " columns, b has " + std::to_string(b.shape[0]) +
                            " elements");
    const RowClasses classes(*this, m_classes, args.inputs[2], rows, count);
    classes.check();
    output(args, 0, Dims{classes.losses});
    output(args, 1, Dims{rows, count});
    output(args, 2, Dims{rows});
    DenseOutput<std::int64_t> places(args.outputs[2], DType::Int64);
    if (count == 0) std::fill_n(places.data(), rows, 0);
    else
        withFloat(args.outputs[1].dtype, [&]<class T>(DType work) {
            const Dense<T> bias(b, work);
            const RowBlocks<T> in(x, work), sm(args.outputs[1], work);
            DenseOutput<T> nll(args.outputs[0], work);
            shareRows(rows, count, [&](std::int64_t begin, std::int64_t all) {
                const std::int64_t step = std::min(all, std::max<std::int64_t>(1, kTogether / count));
                std::vector<double> totals(static_cast<std::size_t>(step));
                std::vector<T> shifts(totals.size()), wanted(totals.size()), from, to;
                for (std::int64_t first = begin; first < begin + all; first += step) {
                    const std::int64_t some = std::min(step, begin + all - first), losses = std::min(some, classes.losses - first);
                    const T *const read = in.read(first, some, from);
                    T *const block = sm.place(first, some, to);
                    for (std::int64_t r = 0; r < some; ++r)
                        for (std::int64_t i = 0; i < count; ++i) block[r * count + i] = read[r * count + i] + bias[i];
                    placesOfLargest(block, some, count, places.data() + first);
                    for (std::int64_t r = 0; r < losses; ++r) wanted[r] = block[r * count + classes.of(first + r)];
                    shiftedExponentials(block, block, some, count, totals.data(), shifts.data());
                    scaleRows(block, some, count, totals.data());
                    logarithms(totals.data(), some);
                    for (std::int64_t r = 0; r < losses; ++r) nll[first + r] = static_cast<T>(totals[r]) - (wanted[r] - shifts[r]);
                    sm.write(first, some, to);
                }
            });
            nll.finish();
        });
    places.finish();
}

void CrossentropySoftmax1HotWithBiasDx::perform(PerformArgs &args) const
{
    const View &g = args.inputs[0], &sm = args.inputs[1];
    const std::int64_t rows = sm.shape[0], count = sm.shape[1];
    const bool isVector = g.rank == 1 && g.shape[0] != 1;
    const RowClasses classes(*this, m_classes, args.inputs[2], rows, count);
    if (isVector) sameRows(*this, classes.losses, g.shape[0], "gradients");
    classes.check();
    const View &out = output(args, 0, shapeOfView(sm));
    if (count == 0) return;
    withFloat(out.dtype, [&]<class T>(DType work) {
        const Dense<T> dy(g, work);
        const RowBlocks<T> p(sm, work), result(out, work);
        eachBlock(rows, count, p.isDirect() && result.isDirect(), [&](std::int64_t first, std::int64_t some) {
            std::vector<T> from, to;
            const T *read = p.read(first, some, from);
            T *row = result.place(first, some, to);
            for (std::int64_t r = first; r < first + some; ++r, read += count, row += count) {
                if (r >= classes.losses) {
                    std::fill_n(row, count, T(0));
                    continue;
                }
                const T scale = dy[isVector ? r : 0];
                for (std::int64_t i = 0; i < count; ++i) row[i] = scale * read[i];
                row[classes.of(r)] -= scale;
            }
            result.write(first, some, to);
        });
    });
}

} // namespace engine
