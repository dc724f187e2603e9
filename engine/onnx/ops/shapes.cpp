// Sizes and axes: making, shaping, joining, cutting, repeating and padding arrays.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/known_sizes.h"
#include "engine/ops/shapes/repeat.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"

#include <algorithm>
#include <numeric>

namespace engine::onnx {
namespace {

using S = ScalarCode;

VarRef element(const VarRef &vector, std::int64_t i) { return elementAt(vector, i); }

// How many numbers a vector of sizes has, which decides the rank of a result.
std::int64_t lengthOf(Call &call, int input)
{
    const auto length = knownLength(call.in(input));
    if (length) return *length;
    return static_cast<std::int64_t>(call.constantInts(input).size());
}

// Sizes that an input gives: numbers where they are known, elements of it where not.
Vars sizesIn(Call &call, int input)
{
    const VarRef &vector = call.in(input);
    Vars sizes;
    if (vector->type().rank() == 0) return {vector};
    if (const auto value = call.known(vector)) {
        for (std::int64_t i = 0; i < value->size(); ++i) sizes.push_back(int64(value->intAt(i)));
        return sizes;
    }
    const std::int64_t length = lengthOf(call, input);
    if (length > kMaxRank) call.fail("wants " + std::to_string(length) + " axes; " + std::to_string(kMaxRank) + " are possible");
    for (std::int64_t i = 0; i < length; ++i) sizes.push_back(element(vector, i));
    return sizes;
}

Vars reshapeOf(Call &call)
{
    const VarRef &x = call.in(0);
    Vars sizes;
    if (call.opset() < 5)
        for (const std::int64_t size : call.integers("shape")) sizes.push_back(int64(size));
    else sizes = sizesIn(call, 1);
    const bool zeroStays = call.integer("allowzero", 0) == 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!zeroStays) continue;
        const bool isKnown = sizes[i]->kind() == Variable::Kind::Constant, mayStay = static_cast<int>(i) < call.rank();
        if (isKnown && sizes[i]->value().tensor().intAt(0) == 0) {
            if (!mayStay) call.fail("keeps the size of axis " + std::to_string(i) + ", which its input does not have");
            sizes[i] = sizeOf(x, static_cast<int>(i));
        } else if (!isKnown && mayStay) {
            sizes[i] = switchOn(elementwise(S::Eq, {sizes[i], int64(0)}), sizeOf(x, static_cast<int>(i)), sizes[i]);
        }
    }
    // -1 is what the others leave.
    const Ints known = sizesOf(x);
    std::int64_t total = 1, rest = 1, open = -1;
    bool isKnown = true;
    for (const std::int64_t size : known) isKnown = isKnown && size != kUnknownDim, total *= size;
    for (std::size_t i = 0; isKnown && i < sizes.size(); ++i) {
        if (sizes[i]->kind() != Variable::Kind::Constant) isKnown = false;
        else if (const std::int64_t size = sizes[i]->value().tensor().intAt(0); size == -1) open = static_cast<std::int64_t>(i);
        else rest *= size;
    }
    if (isKnown && open >= 0 && rest > 0) sizes[static_cast<std::size_t>(open)] = int64(total / rest);
    return {reshapeTo(x, sizes)};
}

Vars transposeOf(Call &call)
{
    std::vector<int> order;
    if (call.hasAttribute("perm")) {
        for (const std::int64_t axis : call.integers("perm")) order.push_back(call.axis(axis, call.rank()));
        if (static_cast<int>(order.size()) != call.rank())
            call.fail("has a permutation of " + std::to_string(order.size()) + " axes for an array of " + std::to_string(call.rank()));
        call.axes(call.integers("perm"), call.rank());
    } else {
        for (int i = call.rank(); i-- > 0;) order.push_back(i);
    }
    return {permuted(call.in(0), order)};
}

Vars concat(Call &call)
{
    const int axis = call.axis(call.integer("axis", 1), call.rank());
    if (call.inputCount() == 1) return {call.in(0)};
    Vars parts;
    for (int i = 0; i < call.inputCount(); ++i) parts.push_back(call.in(i));
    return {join(axis, parts)};
}

Vars splitOf(Call &call)
{
    const VarRef &x = call.in(0);
    const int axis = call.axis(call.integer("axis", 0), call.rank());
    const auto given = call.intsOf("split", 1);
    Ints sizes;
    if (given) {
        sizes = *given;
    } else {
        const std::int64_t size = x->type().shape()[static_cast<std::size_t>(axis)],
                           count = call.integer("num_outputs", call.outputCount());
        if (size == kUnknownDim) call.fail("needs to know the size of axis " + std::to_string(axis));
        const std::int64_t each = (size + count - 1) / std::max<std::int64_t>(count, 1);
        for (std::int64_t i = 0; i < count; ++i) sizes.push_back(std::clamp(size - i * each, std::int64_t(0), each));
    }
    if (static_cast<int>(sizes.size()) < call.outputCount()) call.fail("has fewer sizes than outputs");
    Vars parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0) call.fail("splits off a part of the size " + std::to_string(size));
        parts.push_back(sliced(x, axis, begin, begin + size));
        begin += size;
    }
    return parts;
}

Vars slice(Call &call)
{
    const VarRef &x = call.in(0);
    const bool isOld = call.opset() < 10;
    std::vector<IndexItem> items(static_cast<std::size_t>(call.rank()), IndexItem::slice());
    Vars starts, stops, steps;
    Ints axes;
    if (isOld) {
        for (const std::int64_t value : call.integers("starts")) starts.push_back(int64(value));
        for (const std::int64_t value : call.integers("ends")) stops.push_back(int64(value));
        axes = call.integers("axes");
    } else {
        starts = sizesIn(call, 1);
        stops = sizesIn(call, 2);
        if (call.has(3)) axes = call.constantInts(3);
        if (call.has(4))
            for (const std::int64_t step : call.constantInts(4)) steps.push_back(int64(step));
    }
    if (axes.empty())
        for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    if (axes.size() != starts.size() || stops.size() != starts.size() || (!steps.empty() && steps.size() != starts.size()))
        call.fail("has lists of starts, ends, axes and steps that are not equally long");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const int axis = call.axis(axes[i], call.rank());
        const std::int64_t step = steps.empty() ? 1 : steps[i]->value().tensor().intAt(0);
        if (step == 0) call.fail("has a step of 0");
        VarRef stop = stops[i], start = starts[i];
        // Before the first element, as the end of a slice that goes backwards, is Python's None.
        if (stop->kind() == Variable::Kind::Constant) {
            const std::int64_t end = stop->value().tensor().intAt(0), size = x->type().shape()[static_cast<std::size_t>(axis)];
            if (step < 0 && (end < -(std::int64_t(1) << 31) + 2 || (size != kUnknownDim && end < -size))) stop = {};
            else if (end > (std::int64_t(1) << 31) - 2) stop = {};
        }
        items[static_cast<std::size_t>(axis)] = IndexItem::slice(start, stop, step == 1 ? VarRef() : int64(step));
    }
    return {subtensor(x, items)};
}

Vars squeezeOf(Call &call)
{
    const auto given = call.intsOf("axes", 1);
    std::vector<int> gone;
    if (given) {
        gone = call.axes(*given, call.rank());
    } else {
        for (int i = 0; i < call.rank(); ++i)
            if (call.in(0)->type().isBroadcastable(i)) gone.push_back(i);
    }
    std::vector<std::pair<int, bool>> ones;
    for (const int axis : gone)
        if (!call.in(0)->type().isBroadcastable(axis)) ones.emplace_back(axis, true);
    return {squeeze(rebroadcast(call.in(0), ones), gone)};
}

Vars unsqueezeOf(Call &call)
{
    const auto given = call.intsOf("axes", 1);
    if (!given) call.fail("lacks its axes");
    return {withAxes(call.in(0), call.axes(*given, call.rank() + static_cast<int>(given->size())))};
}

Vars flattenOf(Call &call)
{
    const VarRef &x = call.in(0);
    const std::int64_t given = call.integer("axis", 1);
    const int axis = given == call.rank() ? call.rank() : call.axis(given, call.rank());
    Vars sizes{int64(1), int64(1)};
    std::int64_t known[2]{1, 1};
    bool isKnown[2]{true, true};
    for (int i = 0; i < call.rank(); ++i) {
        const int side = i >= axis;
        const std::int64_t size = x->type().shape()[static_cast<std::size_t>(i)];
        isKnown[side] = isKnown[side] && size != kUnknownDim;
        known[side] *= size;
        sizes[static_cast<std::size_t>(side)] = mul(sizes[static_cast<std::size_t>(side)], sizeOf(x, i));
    }
    for (int side = 0; side < 2; ++side)
        if (isKnown[side]) sizes[static_cast<std::size_t>(side)] = int64(known[side]);
    return {reshapeTo(x, sizes)};
}

Vars expand(Call &call)
{
    const VarRef &x = call.in(0);
    Vars wanted = sizesIn(call, 1);
    const int rank = std::max(call.rank(), static_cast<int>(wanted.size()));
    wanted.insert(wanted.begin(), static_cast<std::size_t>(rank) - wanted.size(), int64(1));
    Vars sizes;
    for (int i = 0; i < rank; ++i) {
        const int own = i - (rank - call.rank());
        const VarRef &size = wanted[static_cast<std::size_t>(i)];
        if (own < 0) sizes.push_back(size);
        else if (x->type().isBroadcastable(own)) sizes.push_back(size);
        else if (size->kind() == Variable::Kind::Constant) sizes.push_back(sizeOf(x, own));
        else sizes.push_back(elementwise(S::Maximum, {sizeOf(x, own), size}));
    }
    return {pinned(alloc(x, sizes))};
}

Vars tileOf(Call &call)
{
    if (call.opset() < 6) call.fail("is read from opset 6 on");
    return {tile(call.in(0), sizesIn(call, 1))};
}

Vars shapeOfInput(Call &call)
{
    const int rank = call.rank();
    const auto bound = [&](std::int64_t place) {
        return static_cast<int>(std::clamp<std::int64_t>(place < 0 ? place + rank : place, 0, rank));
    };
    const int start = bound(call.integer("start", 0)), end = bound(call.integer("end", rank));
    Vars sizes;
    Ints known;
    for (int i = start; i < end; ++i) {
        sizes.push_back(sizeOf(call.in(0), i));
        if (sizes.back()->kind() == Variable::Kind::Constant) known.push_back(sizes.back()->value().tensor().intAt(0));
    }
    if (known.size() == sizes.size()) return {intVector(known)};
    return {makeVector(sizes)};
}

Vars sizeOfInput(Call &call)
{
    VarRef result = int64(1);
    std::int64_t known = 1;
    bool isKnown = true;
    for (int i = 0; i < call.rank(); ++i) {
        const VarRef size = sizeOf(call.in(0), i);
        isKnown = isKnown && size->kind() == Variable::Kind::Constant;
        if (isKnown) known *= size->value().tensor().intAt(0);
        result = mul(result, size);
    }
    return {isKnown ? int64(known) : result};
}

Vars constantOfShape(Call &call)
{
    VarRef value = number(DType::Float32, 0);
    if (call.hasAttribute("value")) {
        const Tensor given = call.tensor("value");
        if (given.size() != 1) call.fail("has a value of " + std::to_string(given.size()) + " elements instead of one");
        value = reshape(Variable::constant(given), std::vector<std::int64_t>{});
    }
    const Vars sizes = sizesIn(call, 0);
    if (sizes.empty()) return {value};
    return {pinned(alloc(value, sizes))};
}

Vars constantValue(Call &call)
{
    if (call.hasAttribute("value")) return {Variable::constant(call.tensor("value"))};
    if (call.hasAttribute("value_int")) return {int64(call.integer("value_int"))};
    if (call.hasAttribute("value_float")) return {number(DType::Float32, call.number("value_float", 0))};
    if (call.hasAttribute("value_ints")) return {intVector(call.integers("value_ints"))};
    if (call.hasAttribute("value_floats")) {
        const std::vector<double> values = call.numbers("value_floats");
        const Tensor result = Tensor::empty(DType::Float32, {static_cast<std::int64_t>(values.size())});
        std::transform(values.begin(), values.end(), result.as<float>(), [](double value) { return static_cast<float>(value); });
        return {Variable::constant(result)};
    }
    call.fail("has no value that is an array of numbers");
}

Vars range(Call &call)
{
    const auto plain = [&](int i) { return call.rank(i) == 1 ? squeeze(call.in(i), std::vector<int>{0}) : call.in(i); };
    return {arange(plain(0), plain(1), plain(2), call.dtype())};
}

Vars eyeLike(Call &call)
{
    const VarRef &x = call.in(0);
    return {pinned(eye(sizeOf(x, 0), sizeOf(x, 1), int64(call.integer("k", 0)), call.type("dtype", call.dtype())))};
}

Vars trilu(Call &call)
{
    const VarRef &x = call.in(0);
    const int rank = call.rank();
    VarRef k = call.has(1) ? call.in(1) : int64(0);
    if (k->type().rank() > 0) k = reshape(k, std::vector<std::int64_t>{});
    const VarRef rows = withAxes(pinned(arange(sizeOf(x, rank - 2))), {1}), columns = withAxes(pinned(arange(sizeOf(x, rank - 1))), {0});
    const VarRef distance = sub(columns, rows);
    const VarRef stays = elementwise(call.integer("upper", 1) ? S::Ge : S::Le, {distance, k});
    return {switchOn(stays, x, number(call.dtype(), 0))};
}

// The block of an op that moves pixels between channels and places. Fails where the sizes of the image are not known.
std::int64_t blockSize(Call &call)
{
    const std::int64_t block = call.integer("blocksize");
    const Ints sizes = sizesOf(call.in(0));
    if (sizes.size() != 4 || block < 1) call.fail("expects an image with 4 dimensions and a block of at least 1");
    for (std::size_t i = 1; i < 4; ++i)
        if (sizes[i] == kUnknownDim) call.fail("needs to know the sizes of its image");
    return block;
}

Vars depthToSpace(Call &call)
{
    const VarRef &x = call.in(0);
    const std::int64_t b = blockSize(call);
    const Ints s = sizesOf(x);
    if (b > s[1] || s[1] % (b * b) != 0) call.fail("expects a number of channels that is a multiple of the block's area");
    const VarRef n = sizeOf(x, 0);
    const bool isColumns = call.text("mode", "DCR") == "CRD";
    const VarRef parts = isColumns ? reshapeTo(x, {n, int64(s[1] / (b * b)), int64(b), int64(b), int64(s[2]), int64(s[3])})
                                   : reshapeTo(x, {n, int64(b), int64(b), int64(s[1] / (b * b)), int64(s[2]), int64(s[3])});
    const VarRef turned = permuted(parts, isColumns ? std::vector<int>{0, 1, 4, 2, 5, 3} : std::vector<int>{0, 3, 4, 1, 5, 2});
    return {reshapeTo(turned, {n, int64(s[1] / (b * b)), int64(s[2] * b), int64(s[3] * b)})};
}

Vars spaceToDepth(Call &call)
{
    const VarRef &x = call.in(0);
    const std::int64_t b = blockSize(call);
    const Ints s = sizesOf(x);
    if (s[2] % b != 0 || s[3] % b != 0) call.fail("expects an image whose height and width are multiples of the block");
    const VarRef n = sizeOf(x, 0);
    const VarRef parts = reshapeTo(x, {n, int64(s[1]), int64(s[2] / b), int64(b), int64(s[3] / b), int64(b)});
    const bool isColumns = call.text("mode", "DCR") == "CRD";
    return {reshapeTo(permuted(parts, isColumns ? std::vector<int>{0, 1, 3, 5, 2, 4} : std::vector<int>{0, 3, 5, 1, 2, 4}),
                      {n, int64(s[1] * b * b), int64(s[2] / b), int64(s[3] / b)})};
}

// Which element of a line stands at each place after padding, for the modes that repeat elements.
Ints paddedPlaces(Call &call, std::int64_t size, std::int64_t before, std::int64_t after, const std::string &mode)
{
    Ints places;
    if (size < 1) call.fail("repeats elements of an axis that has none");
    if (before + after > (std::int64_t(1) << 31)) call.fail("asks for too much padding");
    for (std::int64_t i = -before; i < size + after; ++i) {
        std::int64_t place = i;
        if (mode == "edge") place = std::clamp<std::int64_t>(i, 0, size - 1);
        else if (mode == "wrap") place = (i % size + size) % size;
        else if (size == 1) place = 0;
        else { // reflect
            const std::int64_t period = 2 * (size - 1);
            place = (i % period + period) % period;
            if (place >= size) place = period - place;
        }
        places.push_back(place);
    }
    return places;
}

Vars pad(Call &call)
{
    VarRef x = call.in(0);
    const int rank = call.rank();
    Ints pads;
    VarRef value = number(call.dtype(), call.number("value", 0));
    if (call.opset() < 11) pads = call.integers(call.opset() < 2 ? "paddings" : "pads");
    else {
        pads = call.constantInts(1);
        if (call.has(2)) value = call.in(2)->type().rank() ? reshape(call.in(2), std::vector<std::int64_t>{}) : call.in(2);
    }
    std::vector<int> axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (call.has(3)) {
        axes.clear();
        for (const std::int64_t axis : call.constantInts(3)) axes.push_back(call.axis(axis, rank));
    }
    if (pads.size() != 2 * axes.size())
        call.fail("has " + std::to_string(pads.size()) + " numbers of padding for " + std::to_string(axes.size()) + " axes");
    Ints before(static_cast<std::size_t>(rank), 0), after = before;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        before[axis] = pads[i];
        after[axis] = pads[i + axes.size()];
    }
    const std::string mode = call.text("mode", "constant");
    // What is negative cuts off.
    std::vector<IndexItem> items;
    bool cuts = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
        cuts = cuts || before[i] < 0 || after[i] < 0;
        items.push_back(IndexItem::slice(before[i] < 0 ? int64(-before[i]) : VarRef(), after[i] < 0 ? int64(after[i]) : VarRef()));
        before[i] = std::max<std::int64_t>(before[i], 0);
        after[i] = std::max<std::int64_t>(after[i], 0);
    }
    if (cuts) x = pinned(subtensor(x, items));
    if (mode == "constant") return {padded(x, before, after, value)};
    for (int axis = 0; axis < rank; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        if (!before[i] && !after[i]) continue;
        const std::int64_t size = x->type().shape()[i];
        if (size == kUnknownDim) call.fail("needs to know the size of axis " + std::to_string(axis) + " to repeat elements");
        x = pinned(picked(x, axis, paddedPlaces(call, size, before[i], after[i], mode)));
    }
    return {x};
}

Vars centerCropPad(Call &call)
{
    VarRef x = call.in(0);
    const Ints wanted = call.constantInts(1);
    std::vector<int> axes;
    if (call.hasAttribute("axes"))
        for (const std::int64_t axis : call.integers("axes")) axes.push_back(call.axis(axis, call.rank()));
    else
        for (int i = 0; i < call.rank(); ++i) axes.push_back(i);
    Ints before(static_cast<std::size_t>(call.rank()), 0), after = before;
    for (std::size_t i = 0; i < axes.size() && i < wanted.size(); ++i) {
        const std::int64_t size = x->type().shape()[static_cast<std::size_t>(axes[i])];
        if (size == kUnknownDim) call.fail("needs to know the size of axis " + std::to_string(axes[i]));
        const std::int64_t more = wanted[i] - size;
        if (more < 0) x = sliced(x, axes[i], -more / 2, -more / 2 + wanted[i]);
        else before[static_cast<std::size_t>(axes[i])] = more / 2, after[static_cast<std::size_t>(axes[i])] = more - more / 2;
    }
    return {padded(x, before, after, number(call.dtype(), 0))};
}

const OpRows kShapesRows{
    {"", "CenterCropPad", 18, centerCropPad},
    {"", "Concat", 1, concat},
    {"", "Constant", 1, constantValue},
    {"", "ConstantOfShape", 9, constantOfShape},
    {"", "DepthToSpace", 1, depthToSpace},
    {"", "Expand", 8, expand},
    {"", "EyeLike", 9, eyeLike},
    {"", "Flatten", 1, flattenOf},
    {"", "Pad", 1, pad},
    {"", "Range", 11, range},
    {"", "Reshape", 1, reshapeOf},
    {"", "Shape", 1, shapeOfInput},
    {"", "Size", 1, sizeOfInput},
    {"", "Slice", 1, slice},
    {"", "SpaceToDepth", 1, spaceToDepth},
    {"", "Split", 1, splitOf},
    {"", "Squeeze", 1, squeezeOf},
    {"", "Tile", 1, tileOf},
    {"", "Transpose", 1, transposeOf},
    {"", "Trilu", 14, trilu},
    {"", "Unsqueeze", 1, unsqueezeOf},
};

} // namespace
} // namespace engine::onnx
