// Images at other places than their pixels: Resize, Upsample, GridSample, AffineGrid.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace engine::onnx {
namespace {

using S = ScalarCode;

// --- Resize: along each axis a new line is a matrix times the old one ---------------------------------------

struct Resampling {
    std::string mode, coordinates, nearest;
    double cubic = -0.75, extrapolation = 0;
    bool excludesOutside = false, antialias = false;
};

double placeInOld(const Resampling &how, double out, std::int64_t from, std::int64_t to, double scale, double roiStart, double roiEnd)
{
    const auto old = static_cast<double>(from), fresh = scale * old;
    if (how.coordinates == "asymmetric") return out / scale;
    if (how.coordinates == "align_corners") return to == 1 ? 0 : out * (old - 1) / (fresh - 1);
    if (how.coordinates == "pytorch_half_pixel") return to == 1 ? -0.5 : (out + 0.5) / scale - 0.5;
    if (how.coordinates == "tf_half_pixel_for_nn") return (out + 0.5) / scale;
    if (how.coordinates == "half_pixel_symmetric") {
        const double adjustment = static_cast<double>(to) / fresh;
        return old / 2 * (1 - adjustment) + (out + 0.5) / scale - 0.5;
    }
    if (how.coordinates == "tf_crop_and_resize")
        return to == 1 ? (roiEnd + roiStart) * (old - 1) / 2
                       : out * (roiEnd - roiStart) * (old - 1) / static_cast<double>(to - 1) + roiStart * (old - 1);
    return (out + 0.5) / scale - 0.5;
}

// What each of the old elements counts: places from `first` on.
std::vector<double> weightsAt(const Resampling &how, double place, double scale, std::int64_t &first)
{
    const double squeezed = how.antialias ? std::min(scale, 1.0) : 1.0;
    if (how.mode == "nearest") {
        const bool isHalf = place - std::floor(place) == 0.5;
        double chosen = std::round(place);
        if (how.nearest == "floor") chosen = std::floor(place);
        else if (how.nearest == "ceil") chosen = std::ceil(place);
        else if (isHalf) chosen = how.nearest == "round_prefer_ceil" ? std::ceil(place) : std::floor(place);
        first = static_cast<std::int64_t>(chosen);
        return {1};
    }
    const bool isCubic = how.mode == "cubic";
    const double reach = (isCubic ? 2 : 1) / squeezed;
    first = static_cast<std::int64_t>(std::floor(place - reach)) + 1;
    const auto last = static_cast<std::int64_t>(std::ceil(place + reach)) - 1;
    std::vector<double> weights;
    const double a = how.cubic;
    for (std::int64_t i = first; i <= last; ++i) {
        const double x = std::fabs(static_cast<double>(i) - place) * squeezed;
        double weight = 0;
        if (!isCubic) weight = x < 1 ? 1 - x : 0;
        else if (x <= 1) weight = ((a + 2) * x - (a + 3)) * x * x + 1;
        else if (x < 2) weight = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
        weights.push_back(weight);
    }
    if (how.antialias) {
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (double &weight : weights) weight /= total;
    }
    return weights;
}

VarRef resampled(const Resampling &how, const VarRef &x, int axis, std::int64_t from, std::int64_t to, double scale, double roiStart,
                 double roiEnd)
{
    const DType dtype = isDiscrete(x->type().dtype()) ? DType::Float32 : x->type().dtype();
    const Tensor matrix = Tensor::zeros(DType::Float64, {to, from});
    const Tensor outside = Tensor::zeros(DType::Bool, {to});
    Ints picked0;
    bool isAnyOutside = false;
    for (std::int64_t o = 0; o < to; ++o) {
        const double place = placeInOld(how, static_cast<double>(o), from, to, scale, roiStart, roiEnd);
        if (how.coordinates == "tf_crop_and_resize" && (place < 0 || place > static_cast<double>(from - 1))) {
            outside.as<bool>()[o] = isAnyOutside = true;
            picked0.push_back(0);
            continue;
        }
        std::int64_t first = 0;
        std::vector<double> weights = weightsAt(how, place, scale, first);
        if (how.excludesOutside) {
            double total = 0;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                const std::int64_t at = first + static_cast<std::int64_t>(i);
                if (at < 0 || at >= from) weights[i] = 0;
                total += weights[i];
            }
            for (double &weight : weights) weight /= total;
        }
        for (std::size_t i = 0; i < weights.size(); ++i)
            matrix.as<double>()[o * from + std::clamp<std::int64_t>(first + static_cast<std::int64_t>(i), 0, from - 1)] += weights[i];
        picked0.push_back(std::clamp<std::int64_t>(first, 0, from - 1));
    }
    VarRef result;
    if (how.mode == "nearest") {
        result = pinned(picked(x, axis, picked0));
    } else {
        const int axes[] = {axis}, columns[] = {1};
        const VarRef product = pinned(tensordot(cast(x, dtype), Variable::constant(matrix.converted(dtype)), axes, columns));
        std::vector<int> order; // the new axis stands last
        for (int i = 0; i < x->type().rank(); ++i) order.push_back(i < axis ? i : i == axis ? x->type().rank() - 1 : i - 1);
        result = permuted(product, order);
    }
    if (!isAnyOutside) return result;
    std::vector<int> order(static_cast<std::size_t>(x->type().rank()), -1);
    order[static_cast<std::size_t>(axis)] = 0;
    return switchOn(permuted(Variable::constant(outside), order), number(result->type().dtype(), how.extrapolation), result);
}

Vars resize(Call &call)
{
    VarRef x = call.in(0);
    const int rank = call.rank();
    const bool isOld = call.opset() < 11;
    Resampling how;
    how.mode = call.text("mode", "nearest");
    how.coordinates = isOld ? "asymmetric" : call.text("coordinate_transformation_mode", "half_pixel");
    how.nearest = isOld ? "floor" : call.text("nearest_mode", "round_prefer_floor");
    how.cubic = call.number("cubic_coeff_a", -0.75);
    how.extrapolation = call.number("extrapolation_value", 0);
    how.excludesOutside = call.integer("exclude_outside", 0);
    how.antialias = call.integer("antialias", 0);
    std::vector<int> axes;
    if (call.hasAttribute("axes"))
        for (const std::int64_t axis : call.integers("axes")) axes.push_back(call.axis(axis, rank));
    else
        for (int i = 0; i < rank; ++i) axes.push_back(i);
    std::vector<double> scales, roi;
    Ints sizes;
    const int scaleInput = isOld ? 1 : 2;
    if (call.hasAttribute("scales")) scales = call.numbers("scales");
    if (call.has(scaleInput)) {
        const Tensor given = call.constant(scaleInput);
        for (std::int64_t i = 0; i < given.size(); ++i) scales.push_back(given.at(i));
    }
    if (!isOld && call.has(3)) sizes = call.constantInts(3);
    if (!isOld && call.has(1)) {
        const Tensor given = call.constant(1);
        for (std::int64_t i = 0; i < given.size(); ++i) roi.push_back(given.at(i));
    }
    const std::size_t count = axes.size();
    if ((sizes.empty() ? scales.size() : sizes.size()) != count) call.fail("has another number of scales or sizes than of axes");
    Ints from(count);
    for (std::size_t i = 0; i < count; ++i) {
        from[i] = sizesOf(x)[static_cast<std::size_t>(axes[i])];
        if (from[i] == kUnknownDim || from[i] < 1) call.fail("needs to know the size of axis " + std::to_string(axes[i]));
    }
    if (!sizes.empty()) {
        scales.assign(count, 1);
        for (std::size_t i = 0; i < count; ++i) scales[i] = static_cast<double>(sizes[i]) / static_cast<double>(from[i]);
        const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
        if (policy != "stretch") {
            const double scale =
                policy == "not_larger" ? *std::min_element(scales.begin(), scales.end()) : *std::max_element(scales.begin(), scales.end());
            scales.assign(count, scale);
            for (std::size_t i = 0; i < count; ++i)
                sizes[i] = static_cast<std::int64_t>(std::floor(scale * static_cast<double>(from[i]) + 0.5));
        }
    } else {
        for (std::size_t i = 0; i < count; ++i)
            sizes.push_back(static_cast<std::int64_t>(std::floor(scales[i] * static_cast<double>(from[i]))));
    }
    const DType dtype = call.dtype();
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] < 0 || sizes[i] > 1 << 20) call.fail("wants the size " + std::to_string(sizes[i]));
        const bool crops = how.coordinates == "tf_crop_and_resize";
        if (crops && roi.size() != 2 * count) call.fail("lacks the part (roi) that it crops");
        if (scales[i] == 1 && !crops) continue;
        x = resampled(how, x, axes[i], from[i], sizes[i], scales[i], crops ? roi[i] : 0, crops ? roi[i + count] : 0);
    }
    if (isDiscrete(dtype) && !isDiscrete(x->type().dtype())) x = cast(elementwise(S::RoundHalfToEven, {x}), dtype);
    return {x};
}

// --- GridSample ---------------------------------------------------------------------------------------------

struct Grid {
    bool aligns;
    std::string padding, mode;
};

// From −1…1 to pixels.
VarRef pixels(const Grid &grid, const VarRef &place, std::int64_t size)
{
    const DType dtype = place->type().dtype();
    const auto n = [&](double value) { return number(dtype, value); };
    const auto length = static_cast<double>(size);
    if (grid.aligns) return mul(add(place, n(1)), n((length - 1) / 2));
    return sub(mul(add(place, n(1)), n(length / 2)), n(0.5));
}

VarRef reflected(const Grid &grid, const VarRef &place, std::int64_t size)
{
    const DType dtype = place->type().dtype();
    const auto n = [&](double value) { return number(dtype, value); };
    const double low = grid.aligns ? 0 : -0.5, high = grid.aligns ? static_cast<double>(size) - 1 : static_cast<double>(size) - 0.5,
                 range = high - low;
    if (range <= 0) return mul(place, n(0));
    const VarRef period = elementwise(S::Mod, {sub(place, n(low)), n(2 * range)});
    return add(n(low), switchOn(elementwise(S::Gt, {period, n(range)}), sub(n(2 * range), period), period));
}

// The pixels of all channels there, and zeros outside where nothing is repeated.
VarRef pixelsAt(const Grid &grid, const VarRef &x, const Vars &places)
{
    const int spatial = static_cast<int>(places.size()), rank = places[0]->type().rank(); // batch, outputs…
    std::vector<IndexItem> items;
    std::vector<int> batchOrder(static_cast<std::size_t>(rank) + 1, -1), channelOrder = batchOrder;
    batchOrder[0] = 0;
    channelOrder[1] = 0;
    items.push_back(IndexItem::array(permuted(pinned(arange(sizeOf(x, 0))), batchOrder)));
    items.push_back(IndexItem::array(permuted(pinned(arange(sizeOf(x, 1))), channelOrder)));
    VarRef inside;
    for (int i = 0; i < spatial; ++i) {
        const std::int64_t size = sizesOf(x)[static_cast<std::size_t>(i) + 2];
        VarRef place = places[static_cast<std::size_t>(i)];
        const DType dtype = place->type().dtype();
        if (grid.padding == "reflection") place = reflected(grid, place, size);
        const VarRef whole = place;
        const VarRef limited = elementwise(S::Clip, {whole, number(dtype, 0), number(dtype, static_cast<double>(size) - 1)});
        items.push_back(IndexItem::array(withAxes(cast(limited, DType::Int64), {1})));
        const VarRef is = elementwise(S::Eq, {whole, limited});
        inside = inside ? elementwise(S::And, {inside, is}) : is;
    }
    const VarRef found = pinned(subtensor(x, items));
    if (grid.padding != "zeros") return found;
    return switchOn(withAxes(inside, {1}), found, number(x->type().dtype(), 0));
}

Vars gridSample(Call &call)
{
    const VarRef &x = call.in(0), &grid = call.in(1);
    const int spatial = call.rank() - 2;
    Grid how{call.integer("align_corners", 0) != 0, call.text("padding_mode", "zeros"),
             call.text("mode", call.opset() < 20 ? "bilinear" : "linear")};
    if (how.mode == "bilinear") how.mode = "linear";
    if (how.mode == "bicubic") how.mode = "cubic";
    Vars places; // of the first spatial axis first; the grid names the last one first
    for (int i = 0; i < spatial; ++i) {
        const std::int64_t size = sizesOf(x)[static_cast<std::size_t>(i) + 2];
        if (size == kUnknownDim) call.fail("needs to know the sizes of its image");
        std::vector<IndexItem> items(static_cast<std::size_t>(grid->type().rank()) - 1, IndexItem::slice());
        items.push_back(IndexItem::at(spatial - 1 - i));
        VarRef place = pixels(how, pinned(subtensor(grid, items)), size);
        if (how.padding == "border" && how.mode != "cubic")
            place = elementwise(S::Clip,
                                {place, number(place->type().dtype(), 0), number(place->type().dtype(), static_cast<double>(size) - 1)});
        if (how.padding == "reflection" && how.mode != "cubic") place = reflected(how, place, size);
        places.push_back(place);
    }
    if (how.mode == "nearest") {
        for (VarRef &place : places) place = elementwise(S::RoundHalfToEven, {place});
        return {cast(pixelsAt(how, x, places), call.dtype())};
    }
    const bool isCubic = how.mode == "cubic";
    const int reach = isCubic ? 4 : 2;
    Vars floors, rests;
    for (const VarRef &place : places) {
        floors.push_back(elementwise(S::Floor, {place}));
        rests.push_back(sub(place, floors.back()));
    }
    const DType dtype = places[0]->type().dtype();
    const auto n = [&](double value) { return number(dtype, value); };
    const auto weight = [&](const VarRef &rest, int k) -> VarRef {
        if (!isCubic) return k ? rest : sub(n(1), rest);
        const double a = -0.75;
        const int distance = k - 1; // −1, 0, 1, 2
        const VarRef t = elementwise(S::Abs, {sub(rest, n(distance))});
        if (k == 1 || k == 2) return add(mul(mul(sub(mul(n(a + 2), t), n(a + 3)), t), t), n(1));
        return sub(mul(add(mul(sub(mul(n(a), t), n(5 * a)), t), n(8 * a)), t), n(4 * a));
    };
    std::int64_t corners = 1;
    for (int i = 0; i < spatial; ++i) corners *= reach;
    VarRef total;
    for (std::int64_t corner = 0; corner < corners; ++corner) {
        std::int64_t rest = corner;
        Vars at;
        VarRef factor;
        for (int i = 0; i < spatial; ++i, rest /= reach) {
            const int k = static_cast<int>(rest % reach);
            at.push_back(add(floors[static_cast<std::size_t>(i)], n(isCubic ? k - 1 : k)));
            const VarRef one = weight(rests[static_cast<std::size_t>(i)], k);
            factor = factor ? mul(factor, one) : one;
        }
        const VarRef part = mul(pixelsAt(how, x, at), withAxes(factor, {1}));
        total = total ? add(total, part) : part;
    }
    return {cast(total, call.dtype())};
}

Vars affineGrid(Call &call)
{
    const VarRef &theta = call.in(0);
    const Ints size = call.constantInts(1);
    const DType dtype = call.dtype();
    const int spatial = static_cast<int>(size.size()) - 2;
    if (spatial < 2 || spatial > 3) call.fail("wants images of 2 or 3 axes");
    std::vector<int> order;
    Vars parts;
    Vars all;
    for (int i = 0; i < spatial; ++i) all.push_back(int64(size[static_cast<std::size_t>(i) + 2]));
    for (int i = spatial; i-- > 0;) { // the last axis is named first
        const std::int64_t length = size[static_cast<std::size_t>(i) + 2];
        if (length < 0 || length > 1 << 20) call.fail("wants the size " + std::to_string(length));
        const Tensor line = Tensor::empty(DType::Float64, {length});
        const bool aligns = call.integer("align_corners", 0);
        for (std::int64_t k = 0; k < length; ++k)
            line.as<double>()[k] = aligns ? (length == 1 ? 0 : -1 + 2.0 * static_cast<double>(k) / static_cast<double>(length - 1))
                                          : -1 + (2.0 * static_cast<double>(k) + 1) / static_cast<double>(length);
        std::vector<int> own(static_cast<std::size_t>(spatial), -1);
        own[static_cast<std::size_t>(i)] = 0;
        parts.push_back(permuted(Variable::constant(line.converted(dtype)), own));
    }
    Vars results;
    for (int row = 0; row < spatial; ++row) {
        VarRef total;
        for (int column = 0; column <= spatial; ++column) {
            const std::vector<IndexItem> items{IndexItem::slice(), IndexItem::at(row), IndexItem::at(column)};
            std::vector<int> own(static_cast<std::size_t>(spatial) + 1, -1);
            own[0] = 0;
            const VarRef factor = permuted(pinned(subtensor(theta, items)), own);
            const VarRef part = column < spatial ? mul(factor, withAxes(parts[static_cast<std::size_t>(column)], {0})) : factor;
            total = total ? add(total, part) : part;
        }
        results.push_back(total);
    }
    return {stack(results, spatial + 1)};
}

const OpRows kResamplingRows{
    {"", "AffineGrid", 20, affineGrid},
    {"", "GridSample", 16, gridSample},
    {"", "Resize", 10, resize},
    {"", "Upsample", 7, resize},
};

} // namespace
} // namespace engine::onnx
