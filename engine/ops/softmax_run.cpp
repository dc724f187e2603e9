#include "engine/ops/run_support.h"
#include "engine/ops/softmax.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

// Row in, row out; returns log Σ exp(x - max) and leaves exp(x - max) / Σ in `out`.
template <class T>
void softmaxRow(const T *x, T *out, std::int64_t count)
{
    T top = x[0];
    for (std::int64_t i = 1; i < count; ++i) top = std::max(top, x[i]);
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = std::exp(x[i] - top);
        total += out[i];
    }
    const T scale = static_cast<T>(1 / total);
    for (std::int64_t i = 0; i < count; ++i) out[i] *= scale;
}

template <class T>
void logSoftmaxRow(const T *x, T *out, std::int64_t count)
{
    T top = x[0];
    for (std::int64_t i = 1; i < count; ++i) top = std::max(top, x[i]);
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) total += std::exp(x[i] - top);
    const T shift = top + static_cast<T>(std::log(total));
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] - shift;
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

} // namespace

void Softmax::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    const View &out = output(args, 0, shapeOfView(x));
    if (count == 0) return;
    withFloat(x.dtype, [&]<class T>(DType work) {
        const Dense<T> in(x, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) softmaxRow(in.data() + r * count, result.data() + r * count, count);
        result.finish();
    });
}

void LogSoftmax::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    const View &out = output(args, 0, shapeOfView(x));
    if (count == 0) return;
    withFloat(x.dtype, [&]<class T>(DType work) {
        const Dense<T> in(x, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) logSoftmaxRow(in.data() + r * count, result.data() + r * count, count);
        result.finish();
    });
}

void SoftmaxGrad::perform(PerformArgs &args) const
{
    const View &g = args.inputs[0], &sm = args.inputs[1];
    const std::int64_t rows = sm.shape[0], count = sm.shape[1];
    if (!(shapeOfView(g) == shapeOfView(sm)))
        throw ShapeMismatch("[SoftmaxGrad] the gradient has shape " + shapeOfView(g).text() + ", the softmax " + shapeOfView(sm).text());
    const View &out = output(args, 0, shapeOfView(sm));
    withFloat(out.dtype, [&]<class T>(DType work) {
        const Dense<T> dy(g, work), p(sm, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) {
            const T *d = dy.data() + r * count, *s = p.data() + r * count;
            double total = 0;
            for (std::int64_t i = 0; i < count; ++i) total += double(d[i]) * s[i];
            const T mean = static_cast<T>(total);
            for (std::int64_t i = 0; i < count; ++i) result[r * count + i] = (d[i] - mean) * s[i];
        }
        result.finish();
    });
}

void SoftmaxWithBias::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &b = args.inputs[1];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    if (b.shape[0] != count)
        throw ShapeMismatch("[SoftmaxWithBias] x has " + std::to_string(count) + " columns, b has " + std::to_string(b.shape[0]) + " elements");
    const View &out = output(args, 0, shapeOfView(x));
    if (count == 0) return;
    withFloat(out.dtype, [&]<class T>(DType work) {
        const Dense<T> in(x, work), bias(b, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) {
            T *row = result.data() + r * count;
            for (std::int64_t i = 0; i < count; ++i) row[i] = in[r * count + i] + bias[i];
            softmaxRow(row, row, count);
        }
        result.finish();
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
        for (std::int64_t r = 0; r < rows; ++r)
            result[r] = -std::log(in[r * count + checkedClass(*this, classes[r], count, r)]);
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

void CrossentropySoftmaxArgmax1HotWithBias::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &b = args.inputs[1];
    const std::int64_t rows = x.shape[0], count = x.shape[1];
    if (b.shape[0] != count)
        throw ShapeMismatch("[" + name() + "] x has " + std::to_string(count) + " columns, b has " + std::to_string(b.shape[0]) + " elements");
    sameRows(*this, rows, args.inputs[2].shape[0], "classes");
    const auto classes = integers(args.inputs[2]);
    output(args, 0, Dims{rows});
    output(args, 1, Dims{rows, count});
    output(args, 2, Dims{rows});
    DenseOutput<std::int64_t> places(args.outputs[2], DType::Int64);
    withFloat(args.outputs[1].dtype, [&]<class T>(DType work) {
        const Dense<T> in(x, work), bias(b, work);
        DenseOutput<T> nll(args.outputs[0], work), sm(args.outputs[1], work);
        for (std::int64_t r = 0; r < rows; ++r) {
            T *row = sm.data() + r * count;
            for (std::int64_t i = 0; i < count; ++i) row[i] = in[r * count + i] + bias[i];
            const std::int64_t y = checkedClass(*this, classes[r], count, r);
            const std::int64_t best = std::max_element(row, row + count) - row;
            const T top = row[best], wanted = row[y];
            double total = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                row[i] = std::exp(row[i] - top);
                total += row[i];
            }
            const T scale = static_cast<T>(1 / total);
            for (std::int64_t i = 0; i < count; ++i) row[i] *= scale;
            places[r] = best;
            nll[r] = static_cast<T>(std::log(total)) - (wanted - top);
        }
        nll.finish();
        sm.finish();
    });
    places.finish();
}

void CrossentropySoftmax1HotWithBiasDx::perform(PerformArgs &args) const
{
    const View &g = args.inputs[0], &sm = args.inputs[1];
    const std::int64_t rows = sm.shape[0], count = sm.shape[1];
    const bool isVector = g.rank == 1 && g.shape[0] != 1;
    if (isVector) sameRows(*this, rows, g.shape[0], "gradients");
    sameRows(*this, rows, args.inputs[2].shape[0], "classes");
    const auto classes = integers(args.inputs[2]);
    const View &out = output(args, 0, shapeOfView(sm));
    withFloat(out.dtype, [&]<class T>(DType work) {
        const Dense<T> dy(g, work), p(sm, work);
        DenseOutput<T> result(out, work);
        for (std::int64_t r = 0; r < rows; ++r) {
            const T scale = dy[isVector ? r : 0];
            for (std::int64_t i = 0; i < count; ++i) result[r * count + i] = scale * p[r * count + i];
            result[r * count + checkedClass(*this, classes[r], count, r)] -= scale;
        }
        result.finish();
    });
}

} // namespace engine
