// Convolutions and pooling over any number of axes.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/conv.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine::onnx {
namespace {

using S = ScalarCode;

// Windows over the spatial axes: what convolutions and pooling share.
struct Windows {
    Windows(Call &call, const Ints &kernelSizes) : kernel(kernelSizes), spatial(kernel.size()), call(call)
    {
        strides = list("strides", 1);
        dilations = list("dilations", 1);
        for (std::size_t i = 0; i < spatial; ++i)
            if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1) call.fail("has a window, a stride or a dilation below 1");
        const Ints pads = call.integers("pads", Ints(2 * spatial, 0));
        if (pads.size() != 2 * spatial)
            call.fail("has " + std::to_string(pads.size()) + " numbers of padding for " + std::to_string(spatial) + " axes");
        before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial));
        after.assign(pads.begin() + static_cast<std::ptrdiff_t>(spatial), pads.end());
        const std::string automatic = call.text("auto_pad", "NOTSET");
        if (automatic == "VALID") before.assign(spatial, 0), after = before;
        if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") return;
        for (std::size_t i = 0; i < spatial; ++i) {
            const std::int64_t size = sizesOf(call.in(0))[i + 2];
            if (size == kUnknownDim) call.fail("needs to know the sizes of its image to pad it (auto_pad)");
            const std::int64_t out = (size + strides[i] - 1) / strides[i];
            const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * strides[i] + reach(i) - size);
            before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
            after[i] = total - before[i];
        }
    }
    Ints list(const char *name, std::int64_t otherwise) const
    {
        Ints given = call.integers(name, Ints(spatial, otherwise));
        if (given.size() != spatial)
            call.fail(std::string("has ") + std::to_string(given.size()) + " numbers as " + name + " for " + std::to_string(spatial) +
                      " axes");
        return given;
    }
    std::int64_t reach(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }

    Ints kernel;
    std::size_t spatial;
    Call &call;
    Ints strides, dilations, before, after;
};

Ints spatialSizes(Call &call, const VarRef &array)
{
    Ints sizes = sizesOf(array);
    if (sizes.size() < 3) call.fail("wants images: batch, channels and at least one axis");
    sizes.erase(sizes.begin(), sizes.begin() + 2);
    return sizes;
}

ConvInfo infoOf(const Windows &w, std::int64_t groups)
{
    ConvInfo info;
    info.border = ConvBorder::Given;
    info.flip = false;
    info.groups = groups;
    info.stride = w.strides;
    info.dilation = w.dilations;
    info.before = w.before;
    info.after = w.after;
    if (w.spatial == 1) { // lines are images of one row
        info.stride.insert(info.stride.begin(), 1);
        info.dilation.insert(info.dilation.begin(), 1);
        info.before.insert(info.before.begin(), 0);
        info.after.insert(info.after.begin(), 0);
    }
    return info;
}

VarRef asImage(const VarRef &a) { return a->type().rank() == 3 ? withAxes(a, {2}) : a; }
VarRef asGiven(const VarRef &a, int rank)
{
    return rank == 3 ? permuted(pinned(a, Ints{kUnknownDim, kUnknownDim, 1, kUnknownDim}), {0, 1, 3}) : a;
}

VarRef convolved(Call &call, const VarRef &image, const VarRef &kernels, const VarRef &bias)
{
    Ints sizes = call.hasAttribute("kernel_shape") ? call.integers("kernel_shape") : spatialSizes(call, kernels);
    if (static_cast<int>(sizes.size()) + 2 != image->type().rank()) call.fail("has kernels of other axes than its image");
    if (sizes.size() > 3) call.fail("goes over " + std::to_string(sizes.size()) + " axes; 3 are possible");
    const Windows w(call, sizes);
    VarRef result = asGiven(pinned(convolve(infoOf(w, call.integer("group", 1)), asImage(image), asImage(kernels))), image->type().rank());
    if (bias) result = add(result, alongChannels(bias, image->type().rank()));
    return result;
}

Vars conv(Call &call) { return {convolved(call, call.in(0), call.in(1), call.optional(2))}; }

Vars convInteger(Call &call)
{
    // Whole numbers of 8 bits: their products and sums are exact in floats of 64 bits.
    const auto shifted = [&](int input, int zero, bool isKernel) {
        VarRef x = cast(call.in(input), DType::Float64);
        if (!call.has(zero)) return x;
        VarRef z = cast(call.in(zero), DType::Float64);
        if (isKernel && z->type().rank() == 1 && !z->type().isBroadcastable(0)) {
            std::vector<int> order(static_cast<std::size_t>(x->type().rank()), -1);
            order[0] = 0;
            z = permuted(z, order);
        } else if (z->type().rank()) {
            z = reshapeTo(z, {});
        }
        return sub(x, z);
    };
    return {cast(convolved(call, shifted(0, 2, false), shifted(1, 3, true), {}), DType::Int32)};
}

Vars qLinearConv(Call &call)
{
    const DType wide = DType::Float64;
    const int rank = call.rank();
    // A number, or one a filter: axis 1 of what comes out, axis 0 of the kernels.
    const auto spread = [&](int input, bool isKernel) {
        VarRef given = cast(call.in(input), wide);
        if (given->type().rank() == 0) return given;
        if (given->type().isBroadcastable(0)) return reshapeTo(given, {});
        std::vector<int> order(static_cast<std::size_t>(rank), -1);
        order[isKernel ? 0 : 1] = 0;
        return permuted(given, order);
    };
    const VarRef image = sub(cast(call.in(0), wide), spread(2, false)), kernels = sub(cast(call.in(3), wide), spread(5, true));
    VarRef sums = convolved(call, image, kernels, call.has(8) ? cast(call.in(8), wide) : VarRef());
    const VarRef factor = trueDiv(mul(spread(1, false), spread(4, false)), spread(6, false));
    const VarRef result = add(elementwise(S::RoundHalfToEven, {mul(sums, factor)}), spread(7, false));
    const DType out = call.dtype(7);
    const double low = isSignedInteger(out) ? -128 : 0;
    return {cast(elementwise(S::Clip, {result, number(wide, low), number(wide, low + 255)}), out)};
}

Vars convTranspose(Call &call)
{
    const VarRef &x = call.in(0), &kernels = call.in(1);
    const Ints image = spatialSizes(call, x);
    const Ints sizes = call.hasAttribute("kernel_shape") ? call.integers("kernel_shape") : spatialSizes(call, kernels);
    if (sizes.size() != image.size() || sizes.size() > 3) call.fail("goes over other axes than its image");
    // Its padding is that of the convolution whose gradient it is.
    const std::size_t axes = sizes.size();
    const Ints strides = call.integers("strides", Ints(axes, 1)), dilations = call.integers("dilations", Ints(axes, 1));
    const Ints more = call.integers("output_padding", Ints(axes, 0));
    Ints pads = call.integers("pads", Ints(2 * axes, 0)), wanted = call.integers("output_shape");
    if (wanted.size() > axes) wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(axes));
    const std::string automatic = call.text("auto_pad", "NOTSET");
    if (strides.size() != axes || dilations.size() != axes || more.size() != axes || pads.size() != 2 * axes ||
        (!wanted.empty() && wanted.size() != axes))
        call.fail("has lists of other lengths than its kernels have axes");
    Ints out(axes);
    for (std::size_t i = 0; i < axes; ++i) {
        if (image[i] == kUnknownDim) call.fail("needs to know the sizes of its image");
        const std::int64_t full = strides[i] * (image[i] - 1) + more[i] + (sizes[i] - 1) * dilations[i] + 1;
        const bool isSame = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
        if (!wanted.empty() || isSame) {
            out[i] = wanted.empty() ? image[i] * strides[i] : wanted[i];
            const std::int64_t total = std::max<std::int64_t>(0, full - out[i]);
            pads[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
            pads[axes + i] = total - pads[i];
        } else {
            if (automatic == "VALID") pads[i] = pads[axes + i] = 0;
            out[i] = full - pads[i] - pads[axes + i];
        }
        if (out[i] < 0) call.fail("pads more than there is");
    }
    // The whole gradient, of which the padding is cut off.
    ConvInfo info;
    info.pass = ConvPass::Inputs;
    info.border = ConvBorder::Given;
    info.flip = false;
    info.groups = call.integer("group", 1);
    info.stride = strides;
    info.dilation = dilations;
    info.before.assign(axes, 0);
    info.after.assign(axes, 0);
    Ints whole(axes);
    for (std::size_t i = 0; i < axes; ++i) whole[i] = strides[i] * (image[i] - 1) + (sizes[i] - 1) * dilations[i] + 1;
    Ints spread = whole;
    if (axes == 1) {
        info.stride.insert(info.stride.begin(), 1);
        info.dilation.insert(info.dilation.begin(), 1);
        info.before.assign(2, 0);
        info.after.assign(2, 0);
        spread.insert(spread.begin(), 1);
    }
    VarRef result = asGiven(convolve(info, asImage(kernels), asImage(x), intVector(spread)), x->type().rank());
    const std::int64_t filters = sizesOf(kernels)[1];
    Ints known{sizesOf(x)[0], filters == kUnknownDim ? kUnknownDim : filters * info.groups};
    known.insert(known.end(), whole.begin(), whole.end());
    result = pinned(result, known);
    Ints none(axes + 2, 0), behind = none;
    for (std::size_t i = 0; i < axes; ++i) {
        const std::int64_t end = pads[i] + out[i];
        behind[i + 2] = std::max<std::int64_t>(0, end - whole[i]);
    }
    result = pinned(padded(result, none, behind, number(call.dtype(), 0)));
    for (std::size_t i = 0; i < axes; ++i) result = sliced(result, static_cast<int>(i) + 2, pads[i], pads[i] + out[i]);
    if (call.has(2)) result = add(result, alongChannels(call.in(2), x->type().rank()));
    return {result};
}

// --- pooling ------------------------------------------------------------------------------------------------

// All windows as one more axis at the end: one index with arrays, whose places of padding hold `filler`.
struct Pooled {
    VarRef windows;     // batch, channels, outputs…, window
    Ints out;           // sizes of the outputs
    VarRef counts;      // outputs…: places of a window that are no padding beyond the image
    VarRef countsInPad; // … that are in the image or its padding
    VarRef places;      // outputs…, window: which pixel of a channel that is
};

Pooled pool(Call &call, double filler)
{
    const VarRef &x = call.in(0);
    const Ints image = spatialSizes(call, x);
    const Ints kernel = call.integers("kernel_shape");
    if (kernel.size() != image.size())
        call.fail("has a window of " + std::to_string(kernel.size()) + " axes for an image of " + std::to_string(image.size()));
    const Windows w(call, kernel);
    const std::size_t axes = image.size();
    const bool ceils = call.integer("ceil_mode", 0);
    const int rank = static_cast<int>(axes) + 2;
    Pooled result;
    Ints before(axes + 2, 0), after = before;
    for (std::size_t i = 0; i < axes; ++i) {
        if (image[i] == kUnknownDim) call.fail("needs to know the sizes of its image");
        const std::int64_t room = image[i] + w.before[i] + w.after[i] - w.reach(i);
        std::int64_t out = room < 0 ? 0 : (ceils ? (room + w.strides[i] - 1) / w.strides[i] : room / w.strides[i]) + 1;
        if (ceils && (out - 1) * w.strides[i] >= image[i] + w.before[i]) --out; // begins in the padding behind
        result.out.push_back(out);
        before[i + 2] = w.before[i];
        after[i + 2] = std::max(w.after[i], (out - 1) * w.strides[i] + w.reach(i) - image[i] - w.before[i]);
    }
    const VarRef wide = padded(x, before, after, number(call.dtype(), filler));
    std::vector<IndexItem> items{IndexItem::slice(), IndexItem::slice()};
    // Place along axis i: outputs on axis i, window on the axis behind all outputs.
    std::int64_t windowSize = 1;
    for (const std::int64_t size : kernel) windowSize *= size;
    std::int64_t outs = 1;
    for (const std::int64_t size : result.out) outs *= size;
    if (windowSize > 1 << 20) call.fail("has windows of " + std::to_string(windowSize) + " elements");
    std::vector<Ints> inWindow(axes, Ints(static_cast<std::size_t>(windowSize)));
    for (std::int64_t k = 0; k < windowSize; ++k) {
        std::int64_t rest = k;
        for (std::size_t i = axes; i-- > 0; rest /= kernel[i]) inWindow[i][static_cast<std::size_t>(k)] = rest % kernel[i] * w.dilations[i];
    }
    const auto shaped = [&](const Ints &values, std::size_t axis) { // along that axis of (outputs…, window)
        std::vector<int> order(axes + 1, -1);
        order[axis] = 0;
        return permuted(intVector(values), order);
    };
    VarRef inImage, inPadding, flat;
    const bool isColumns = call.integer("storage_order", 0);
    std::int64_t step = 1;
    Ints steps(axes);
    for (std::size_t n = 0; n < axes; ++n) {
        const std::size_t i = isColumns ? n : axes - 1 - n;
        steps[i] = step;
        step *= image[i];
    }
    for (std::size_t i = 0; i < axes; ++i) {
        Ints begins;
        for (std::int64_t o = 0; o < result.out[i]; ++o) begins.push_back(o * w.strides[i]);
        const VarRef place = add(shaped(begins, i), shaped(inWindow[i], axes));
        items.push_back(IndexItem::array(place));
        const VarRef own = sub(place, int64(w.before[i]));
        const VarRef inside = elementwise(S::And, {elementwise(S::Ge, {own, int64(0)}), elementwise(S::Lt, {own, int64(image[i])})});
        inImage = inImage ? elementwise(S::And, {inImage, inside}) : inside;
        const VarRef nearby = elementwise(S::Lt, {place, int64(image[i] + w.before[i] + w.after[i])});
        inPadding = inPadding ? elementwise(S::And, {inPadding, nearby}) : nearby;
        const VarRef part = mul(own, int64(steps[i]));
        flat = flat ? add(flat, part) : part;
    }
    result.windows = pinned(subtensor(wide, items));
    const std::vector<int> last{static_cast<int>(axes)};
    result.counts = sum(cast(inImage, DType::Int64), last);
    result.countsInPad = sum(cast(inPadding, DType::Int64), last);
    result.places = flat;
    (void)rank;
    return result;
}

double smallest(DType dtype)
{
    if (isFloat(dtype)) return -std::numeric_limits<double>::infinity();
    return isUnsignedInteger(dtype) || dtype == DType::Bool ? 0 : -std::ldexp(1.0, static_cast<int>(sizeOf(dtype)) * 8 - 1);
}

Vars maxPool(Call &call)
{
    const Pooled p = pool(call, smallest(call.dtype()));
    const int last = p.windows->type().rank() - 1;
    const VarRef largest = reduce(ReduceKind::Max, p.windows, std::vector<int>{last});
    if (!call.wants(1)) return {largest};
    // Places count through batch and channels, too.
    const VarRef which = argmax(p.windows, std::vector<int>{last}, true);
    const VarRef &x = call.in(0);
    std::int64_t pixels = 1;
    for (const std::int64_t size : spatialSizes(call, x)) pixels *= size;
    Vars sizes = allSizes(p.windows);
    const VarRef all = pinned(alloc(p.places, sizes));
    std::vector<int> order;
    for (int i = 0; i < last; ++i) order.push_back(i);
    const VarRef place = permuted(pinned(gathered(all, which, last)), order);
    const int rank = last;
    std::vector<int> batchOrder(static_cast<std::size_t>(rank), -1), channelOrder = batchOrder;
    batchOrder[0] = 0;
    channelOrder[1] = 0;
    const VarRef image =
        add(mul(permuted(pinned(arange(sizeOf(x, 0))), batchOrder), sizeOf(x, 1)), permuted(pinned(arange(sizeOf(x, 1))), channelOrder));
    return {largest, add(place, mul(image, int64(pixels)))};
}

Vars averagePool(Call &call)
{
    const Pooled p = pool(call, 0);
    const std::vector<int> last{p.windows->type().rank() - 1};
    const VarRef counts = cast(call.integer("count_include_pad", 0) ? p.countsInPad : p.counts, call.dtype());
    return {trueDiv(cast(sum(p.windows, last), call.dtype()), counts)};
}

Vars lpPool(Call &call)
{
    const Pooled p = pool(call, 0);
    const double order = static_cast<double>(call.integer("p", 2));
    const VarRef powers = pow(elementwise(S::Abs, {p.windows}), number(call.dtype(), order));
    return {cast(pow(sum(powers, std::vector<int>{p.windows->type().rank() - 1}), number(call.dtype(), 1 / order)), call.dtype())};
}

std::vector<int> spatialAxes(Call &call)
{
    std::vector<int> axes;
    for (int i = 2; i < call.rank(); ++i) axes.push_back(i);
    return axes;
}
Vars globalAveragePool(Call &call) { return {mean(call.in(0), spatialAxes(call), true, call.dtype())}; }
Vars globalMaxPool(Call &call) { return {reduce(ReduceKind::Max, call.in(0), spatialAxes(call), true)}; }
Vars globalLpPool(Call &call)
{
    const double order = static_cast<double>(call.integer("p", 2));
    const VarRef powers = pow(elementwise(S::Abs, {call.in(0)}), number(call.dtype(), order));
    return {cast(pow(sum(powers, spatialAxes(call), true), number(call.dtype(), 1 / order)), call.dtype())};
}

Vars maxUnpool(Call &call)
{
    const VarRef &x = call.in(0), &places = call.in(1);
    Ints out = sizesOf(x);
    if (call.has(2)) {
        out = call.constantInts(2);
    } else {
        const Windows w(call, call.integers("kernel_shape"));
        for (std::size_t i = 0; i < w.spatial; ++i) {
            if (out[i + 2] == kUnknownDim) call.fail("needs to know the sizes of its image");
            out[i + 2] = (out[i + 2] - 1) * w.strides[i] + w.kernel[i] - w.before[i] - w.after[i];
        }
    }
    std::int64_t total = 1;
    Vars sizes;
    // Places count in an image of the sizes without `output_shape`.
    for (const std::int64_t size : out) sizes.push_back(int64(size)), total *= size;
    Ints from = sizesOf(x);
    const Windows w(call, call.integers("kernel_shape"));
    std::int64_t source = 1;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (i >= 2) from[i] = (from[i] - 1) * w.strides[i - 2] + w.kernel[i - 2] - w.before[i - 2] - w.after[i - 2];
        source *= from[i];
    }
    Vars fromSizes;
    for (const std::int64_t size : from) fromSizes.push_back(int64(size));
    const VarRef flat = pinned(alloc(number(call.dtype(), 0), std::vector<VarRef>{int64(source)}));
    const std::vector<IndexItem> items{IndexItem::array(reshapeTo(places, {int64(-1)}))};
    VarRef result = reshapeTo(setSubtensor(subtensor(flat, items), reshapeTo(x, {int64(-1)})), fromSizes);
    Ints none(out.size(), 0), behind = none;
    for (std::size_t i = 0; i < out.size(); ++i) behind[i] = std::max<std::int64_t>(0, out[i] - from[i]);
    return {padded(result, none, behind, number(call.dtype(), 0))};
}

Vars col2Im(Call &call)
{
    const VarRef &x = call.in(0);
    const Ints image = call.constantInts(1), block = call.constantInts(2);
    const Windows w(call, block);
    const Ints s = sizesOf(x);
    std::int64_t blockSize = 1;
    for (const std::int64_t size : block) blockSize *= size;
    if (image.size() != block.size() || s.size() != 3 || s[1] == kUnknownDim || s[1] % blockSize)
        call.fail("has blocks that do not fit its columns");
    Vars wideSizes{sizeOf(x, 0), int64(s[1] / blockSize)}, outs;
    Ints out;
    for (std::size_t i = 0; i < image.size(); ++i) {
        wideSizes.push_back(int64(image[i] + w.before[i] + w.after[i]));
        out.push_back((image[i] + w.before[i] + w.after[i] - w.reach(i)) / w.strides[i] + 1);
        outs.push_back(int64(out.back()));
    }
    VarRef result = pinned(alloc(number(call.dtype(), 0), wideSizes));
    Vars sizes{sizeOf(x, 0), int64(s[1] / blockSize), int64(blockSize)};
    sizes.insert(sizes.end(), outs.begin(), outs.end());
    const VarRef columns = reshapeTo(x, sizes);
    for (std::int64_t k = 0; k < blockSize; ++k) {
        std::vector<IndexItem> items{IndexItem::slice(), IndexItem::slice()};
        std::int64_t rest = k;
        Ints at(block.size());
        for (std::size_t i = block.size(); i-- > 0; rest /= block[i]) at[i] = rest % block[i] * w.dilations[i];
        for (std::size_t i = 0; i < block.size(); ++i)
            items.push_back(IndexItem::slice(int64(at[i]), int64(at[i] + (out[i] - 1) * w.strides[i] + 1), int64(w.strides[i])));
        const std::vector<IndexItem> part{IndexItem::slice(), IndexItem::slice(), IndexItem::at(k)};
        result = incSubtensor(subtensor(result, items), subtensor(columns, part));
    }
    for (std::size_t i = 0; i < image.size(); ++i) result = sliced(result, static_cast<int>(i) + 2, w.before[i], w.before[i] + image[i]);
    return {result};
}

const OpRows kImagesRows{
    {"", "AveragePool", 1, averagePool},
    {"", "Col2Im", 18, col2Im},
    {"", "Conv", 1, conv},
    {"", "ConvInteger", 10, convInteger},
    {"", "ConvTranspose", 1, convTranspose},
    {"", "GlobalAveragePool", 1, globalAveragePool},
    {"", "GlobalLpPool", 2, globalLpPool},
    {"", "GlobalMaxPool", 1, globalMaxPool},
    {"", "LpPool", 2, lpPool},
    {"", "MaxPool", 1, maxPool},
    {"", "MaxUnpool", 9, maxUnpool},
    {"", "QLinearConv", 10, qLinearConv},
};

} // namespace
} // namespace engine::onnx
