// Pooling: rows of pixels at a time.
#include "engine/ops/products/pool_run.h"

#include "engine/graph/op/precise_form.h"
#include "engine/ops/elements/run_support.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {
namespace {

std::int64_t placesOf(const PoolAxis &axis, bool ignoreBorder)
{
    const std::int64_t size = axis.size + 2 * axis.border;
    if (ignoreBorder) return size < axis.window ? 0 : (size - axis.window) / axis.step + 1;
    if (size == 0) return 0;
    if (axis.step >= axis.window) return (size - 1) / axis.step + 1;
    return std::max<std::int64_t>(0, (size - 1 - axis.window + axis.step) / axis.step) + 1;
}

std::int64_t pixelsOf(const PoolAxes &axes) { return axes[0].size * axes[1].size * axes[2].size; }
std::int64_t placesOf(const PoolAxes &axes) { return axes[0].out * axes[1].out * axes[2].out; }

/// What comes out of an image of these sizes.
Dims pooledShape(Dims image, const PoolAxes &axes, int count)
{
    for (int a = 0; a < count; ++a) image[image.rank() - count + a] = axes[3 - count + a].out;
    return image;
}

/// body(place of the window, first pixel of its rows …) for each window of an image.
template <class Body>
void eachWindow(const PoolAxes &axes, const Body &body)
{
    std::int64_t place = 0;
    for (std::int64_t z = 0; z < axes[0].out; ++z) {
        const PoolAxis::Span inZ = axes[0].of(z);
        for (std::int64_t y = 0; y < axes[1].out; ++y) {
            const PoolAxis::Span inY = axes[1].of(y);
            for (std::int64_t x = 0; x < axes[2].out; ++x, ++place) body(place, inZ, inY, axes[2].of(x));
        }
    }
}

template <class Body>
void eachPixel(const PoolAxes &axes, const PoolAxis::Span &inZ, const PoolAxis::Span &inY, const PoolAxis::Span &inX, const Body &body)
{
    for (std::int64_t z = inZ.first; z < inZ.end; ++z)
        for (std::int64_t y = inY.first; y < inY.end; ++y) {
            const std::int64_t row = (z * axes[1].size + y) * axes[2].size;
            for (std::int64_t x = inX.first; x < inX.end; ++x) body(row + x);
        }
}

/// The larger one, or nan; or the sum.
template <class T>
T withNext(bool isMax, const T &a, const T &b)
{
    return !isMax ? static_cast<T>(a + b) : b > a || b != b ? b : a;
}

/// The loops on rows: of the best instructions for floats.
template <class T>
struct RowLoops {
    static void foldRows(bool isMax, const T *rows, std::int64_t count, std::int64_t size, T *into)
    {
        if constexpr (std::is_floating_point_v<T>) {
            const RtKind kind = std::is_same_v<T, float> ? RT_F32 : RT_F64;
            rt_table()->foldRows[isMax ? RT_MAX : RT_SUM][kind](reinterpret_cast<const char *>(rows), count,
                                                                size * static_cast<std::int64_t>(sizeof(T)), size, into);
        } else {
            for (std::int64_t row = 0; row < count; ++row, rows += size)
                for (std::int64_t i = 0; i < size; ++i) into[i] = withNext(isMax, into[i], rows[i]);
        }
    }
    static void foldWindows(bool isMax, const T *row, std::int64_t places, std::int64_t step, std::int64_t window, T *out)
    {
        const RtTable &table = *rt_table();
        if constexpr (std::is_same_v<T, float>) (isMax ? table.poolLargestF32 : table.poolSumF32)(row, places, step, window, out);
        else if constexpr (std::is_same_v<T, double>) (isMax ? table.poolLargestF64 : table.poolSumF64)(row, places, step, window, out);
        else
            for (std::int64_t i = 0; i < places; ++i) {
                out[i] = row[i * step];
                for (std::int64_t k = 1; k < window; ++k) out[i] = withNext(isMax, out[i], row[i * step + k]);
            }
    }
    static void spread(const T *values, std::int64_t places, std::int64_t between, std::int64_t step, std::int64_t window, T *row)
    {
        if constexpr (std::is_same_v<T, float>) rt_table()->spreadF32(values, places, between, step, window, row);
        else if constexpr (std::is_same_v<T, double>) rt_table()->spreadF64(values, places, between, step, window, row);
        else
            for (std::int64_t i = 0; i < places; ++i) std::fill_n(row + i * step, window, values[i * between]);
    }
    static void giveToLargest(const T *row, const T *largest, const T *grad, T *result, std::int64_t size)
    {
        if constexpr (std::is_same_v<T, float>) rt_table()->giveToLargestF32(row, largest, grad, result, size);
        else if constexpr (std::is_same_v<T, double>) rt_table()->giveToLargestF64(row, largest, grad, result, size);
        else
            for (std::int64_t i = 0; i < size; ++i) result[i] = result[i] + (row[i] == largest[i] ? grad[i] : T(0));
    }
    static void add(const T *row, T *result, std::int64_t size)
    {
        for (std::int64_t i = 0; i < size; ++i) result[i] = static_cast<T>(result[i] + row[i]);
    }
};

/// By how much the sum of a window is divided.
std::int64_t share(PoolMode mode, const PoolAxis::Span &z, const PoolAxis::Span &y, const PoolAxis::Span &x)
{
    if (mode == PoolMode::AverageWithBorder) return z.length * y.length * x.length;
    if (mode == PoolMode::AverageWithoutBorder) return z.pixels() * y.pixels() * x.pixels();
    return 1;
}

/// The rows under a row of windows become one, and that is pooled.
template <class T>
void forward(PoolMode mode, const PoolAxes &axes, const T *image, T *out)
{
    using Loops = RowLoops<T>;
    const bool isMax = mode == PoolMode::Max;
    T none = 0;
    if constexpr (std::is_integral_v<T>) none = isMax ? std::numeric_limits<T>::lowest() : T(0);
    else if (isMax) none = T(-std::numeric_limits<float>::infinity());
    const PoolAxis &across = axes[2];
    const auto [first, end] = across.whole();
    static thread_local std::vector<T> memory;
    memory.resize(static_cast<std::size_t>(across.size));
    Pace pace;
    for (std::int64_t z = 0; z < axes[0].out; ++z) {
        const PoolAxis::Span inZ = axes[0].of(z);
        for (std::int64_t y = 0; y < axes[1].out; ++y, out += across.out) {
            const PoolAxis::Span inY = axes[1].of(y);
            pace.did(inZ.pixels() * inY.pixels() * across.size);
            T *const row = memory.data();
            std::fill_n(row, across.size, none);
            for (std::int64_t plane = inZ.first; plane < inZ.end; ++plane)
                Loops::foldRows(isMax, image + (plane * axes[1].size + inY.first) * across.size, inY.pixels(), across.size, row);
            if (first < end)
                Loops::foldWindows(isMax, row + first * across.step - across.border, end - first, across.step, across.window, out + first);
            for (std::int64_t x = 0; x < across.out; ++x) {
                if (x == first) x = end;
                if (x == across.out) break;
                const PoolAxis::Span inX = across.of(x);
                out[x] = none;
                for (std::int64_t i = inX.first; i < inX.end; ++i) out[x] = withNext(isMax, out[x], row[i]);
            }
            if (isMax || mode == PoolMode::Sum) continue;
            for (std::int64_t x = 0; x < across.out; ++x)
                if (const std::int64_t count = share(mode, inZ, inY, across.of(x))) out[x] = static_cast<T>(out[x] / static_cast<T>(count));
        }
    }
}

/// A row with a value for each window, as rows of pixels: each pixel has the value of the window on it. Where windows lie over each
/// other there are several such rows, each with windows that do not.
template <class T>
struct SpreadRows {
    const PoolAxis &across;
    std::int64_t turns = (across.window + across.step - 1) / across.step;
    std::vector<T> rows = std::vector<T>(static_cast<std::size_t>(turns * across.size), T(0)); ///< 0 where no window lies

    const T *row(std::int64_t turn) const { return rows.data() + turn * across.size; }
    void take(const T *values)
    {
        const auto [first, end] = across.whole();
        for (std::int64_t x = 0; x < across.out; ++x) {
            if (x == first) x = end;
            if (x == across.out) break;
            const PoolAxis::Span inX = across.of(x);
            std::fill_n(rows.data() + x % turns * across.size + inX.first, inX.pixels(), values[x]);
        }
        for (std::int64_t x = first; x < std::min(end, first + turns); ++x)
            RowLoops<T>::spread(values + x, (end - x + turns - 1) / turns, turns, turns * across.step, across.window,
                                rows.data() + x % turns * across.size + x * across.step - across.border);
    }
};

/// A row of windows is spread over the pixels under them, then goes down the rows under them.
template <class T>
void backward(PoolMode mode, const PoolAxes &axes, const T *image, const T *largest, const T *grad, T *result)
{
    using Loops = RowLoops<T>;
    const bool isMax = mode == PoolMode::Max, isMean = !isMax && mode != PoolMode::Sum;
    const PoolAxis &across = axes[2];
    const std::int64_t size = across.size;
    SpreadRows<T> most{across}, given{across};
    std::vector<T> parts(static_cast<std::size_t>(isMean ? across.out : 0));
    Pace pace;
    for (std::int64_t z = 0; z < axes[0].out; ++z) {
        const PoolAxis::Span inZ = axes[0].of(z);
        for (std::int64_t y = 0; y < axes[1].out; ++y, grad += across.out) {
            const PoolAxis::Span inY = axes[1].of(y);
            pace.did(inZ.pixels() * inY.pixels() * size * given.turns);
            for (std::int64_t x = 0; x < static_cast<std::int64_t>(parts.size()); ++x) {
                const std::int64_t count = share(mode, inZ, inY, across.of(x));
                parts[static_cast<std::size_t>(x)] = count ? static_cast<T>(grad[x] / static_cast<T>(count)) : grad[x];
            }
            given.take(isMean ? parts.data() : grad);
            if (isMax) {
                most.take(largest);
                largest += across.out;
            }
            for (std::int64_t plane = inZ.first; plane < inZ.end; ++plane)
                for (std::int64_t row = inY.first; row < inY.end; ++row) {
                    const std::int64_t at = (plane * axes[1].size + row) * size;
                    for (std::int64_t turn = 0; turn < given.turns; ++turn)
                        if (isMax) Loops::giveToLargest(image + at, most.row(turn), given.row(turn), result + at, size);
                        else Loops::add(given.row(turn), result + at, size);
                }
        }
    }
}

template <class T>
void pickLargest(const PoolAxes &axes, const T *image, const T *largest, const T *values, T *out)
{
    Pace pace;
    eachWindow(axes, [&](std::int64_t place, const PoolAxis::Span &z, const PoolAxis::Span &y, const PoolAxis::Span &x) {
        pace.did(z.pixels() * y.pixels() * x.pixels());
        T sum = 0;
        eachPixel(axes, z, y, x, [&](std::int64_t i) { sum = static_cast<T>(sum + (image[i] == largest[place] ? values[i] : T(0))); });
        out[place] = sum;
    });
}

/// One image: `second` and `third` as the pass reads them.
template <class T>
void passOver(const PoolInfo &info, const PoolAxes &axes, const T *image, const T *second, const T *third, T *result)
{
    switch (info.pass) {
    case PoolPass::Forward: return forward(info.mode, axes, image, result);
    case PoolPass::MaxGradGrad: return pickLargest(axes, image, second, third, result);
    case PoolPass::Gradient:
        std::fill_n(result, pixelsOf(axes), T(0));
        return backward(info.mode, axes, image, second, third ? third : second, result);
    }
}

constexpr std::int64_t kSharedPixels = 100'000;

} // namespace

PoolAxes poolAxes(const PoolInfo &info, const Dims &image, std::span<const View> sizes, const std::string &symbol)
{
    const Dense<std::int64_t> window = integers(sizes[0]), step = integers(sizes[1]), border = integers(sizes[2]);
    for (const View &one : sizes.first(3))
        if (one.size() != info.axes)
            throw ShapeMismatch(symbol + "window, stride and padding have " + std::to_string(info.axes) + " numbers each");
    PoolAxes axes;
    for (int a = 0; a < info.axes; ++a) {
        PoolAxis &axis = axes[3 - info.axes + a];
        axis = {image[image.rank() - info.axes + a], window[a], step[a], border[a], 1};
        if (axis.window < 1 || axis.step < 1) throw UserError(symbol + "window and stride are at least 1");
        if (axis.border < 0 || (axis.border > 0 && !info.ignoreBorder))
            throw UserError(symbol + "padding works only with ignore_border=True");
        if (axis.border >= axis.window) throw UserError(symbol + "padding must be smaller than the window");
        axis.out = placesOf(axis, info.ignoreBorder);
    }
    return axes;
}

void Pooling::perform(PerformArgs &args) const
{
    const View &image = args.inputs[0];
    const auto arrays = static_cast<std::size_t>(m_info.arrays());
    const std::string symbol = "[" + shortName() + "] ";
    const Dims shape = shapeOfView(image);
    const PoolAxes axes = poolAxes(m_info, shape, args.inputs.subspan(arrays), symbol);
    const Dims out = pooledShape(shape, axes, m_info.axes);
    const std::int64_t pixels = pixelsOf(axes), places = placesOf(axes);
    std::int64_t images = 1;
    for (int a = 0; a < image.rank - m_info.axes; ++a) images *= shape[a];
    const auto wants = [&](std::size_t input, const Dims &size) {
        if (!(shapeOfView(args.inputs[input]) == size))
            throw ShapeMismatch(symbol + "argument " + std::to_string(input + 1) + " has shape " + shapeOfView(args.inputs[input]).text() +
                                ", not " + size.text());
    };
    if (m_info.pass != PoolPass::Forward) {
        wants(1, out);
        if (arrays == 3) wants(2, m_info.pass == PoolPass::MaxGradGrad ? shape : out);
    }
    const View &target = output(args, 0, m_info.pass == PoolPass::Gradient ? shape : out);

    const auto run = [&]<class T>(DType work) {
        const Dense<T> pixelsIn(image, work);
        std::optional<Dense<T>> second, third;
        if (arrays > 1) second.emplace(args.inputs[1], work);
        if (arrays > 2) third.emplace(args.inputs[2], work);
        DenseOutput<T> result(target, work);
        const std::int64_t thirdSize = m_info.pass == PoolPass::MaxGradGrad ? pixels : places;
        const std::int64_t resultSize = m_info.pass == PoolPass::Gradient ? pixels : places;
        const auto one = [&](std::int64_t n) {
            passOver<T>(m_info, axes, pixelsIn.data() + n * pixels, second ? second->data() + n * places : nullptr,
                        third ? third->data() + n * thirdSize : nullptr, result.data() + n * resultSize);
        };
        if (images * pixels < kSharedPixels)
            for (std::int64_t n = 0; n < images; ++n) one(n);
        else shareParts(images, one);
        result.finish();
    };
    if (isDiscrete(target.dtype)) run.template operator()<std::int64_t>(DType::Int64);
    else withFloat(target.dtype, run);
}

// With more digits than its dtype has.
PRECISE_FORM(Pooling, [](PreciseCall &call) {
    const auto &op = static_cast<const Pooling &>(call.op);
    const auto arrays = static_cast<std::size_t>(op.info().arrays());
    for (std::size_t i = 0; i < arrays; ++i)
        if (!call.inputs[i]) throw NotPrecise(op.friendlyName() + " reads what has no precise form");
    std::vector<View> given;
    for (std::size_t i = arrays; i < arrays + 3; ++i) given.push_back(call.values[i].tensor().view());
    const Dims shape = call.input(0).shape;
    const PoolAxes axes = poolAxes(op.info(), shape, given, op.friendlyName());
    const std::int64_t pixels = pixelsOf(axes), places = placesOf(axes);
    const bool isGradient = op.info().pass == PoolPass::Gradient;
    PreciseArray result = PreciseArray::sized(isGradient ? shape : pooledShape(shape, axes, op.info().axes));
    const std::int64_t images = pixels > 0 ? shape.product() / pixels : 0;
    for (std::int64_t n = 0; n < images; ++n) {
        const auto of = [&](std::size_t i, std::int64_t size) { return i < arrays ? call.input(i).values.data() + n * size : nullptr; };
        passOver<Precise>(op.info(), axes, of(0, pixels), of(1, places), of(2, op.info().pass == PoolPass::MaxGradGrad ? pixels : places),
                          result.values.data() + n * (isGradient ? pixels : places));
    }
    call.set(0, std::move(result));
});

} // namespace engine
