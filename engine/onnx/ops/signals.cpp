// Windows, Fourier transforms, random numbers.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/random.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"

#include <cmath>
#include <numbers>

namespace engine::onnx {
namespace {

using S = ScalarCode;
constexpr double kPi = std::numbers::pi;

// --- windows ------------------------------------------------------------------------------------------------

Vars window(Call &call, double a, double b, double c)
{
    const std::int64_t size = call.constantInts(0).at(0);
    if (size < 0 || size > 1 << 24) call.fail("expects a window of 0 to 16777216 values, not " + std::to_string(size));
    const double steps = static_cast<double>(call.integer("periodic", 1) ? size : size - 1);
    const Tensor values = Tensor::empty(DType::Float64, {size});
    for (std::int64_t i = 0; i < size; ++i) {
        const double angle = steps > 0 ? 2 * kPi * static_cast<double>(i) / steps : 0;
        values.as<double>()[i] = a - b * std::cos(angle) + c * std::cos(2 * angle);
    }
    return {Variable::constant(values.converted(call.type("output_datatype", DType::Float32)))};
}
Vars hann(Call &call) { return window(call, 0.5, 0.5, 0); }
Vars hamming(Call &call) { return window(call, 25.0 / 46, 21.0 / 46, 0); }
Vars blackman(Call &call) { return window(call, 0.42, 0.5, 0.08); }

Vars melWeights(Call &call)
{
    const std::int64_t bins = call.constantInts(0).at(0), length = call.constantInts(1).at(0), rate = call.constantInts(2).at(0);
    const double low = call.constant(3).at(0), high = call.constant(4).at(0);
    const std::int64_t spectrum = length / 2 + 1;
    if (bins < 1 || bins > 1 << 16 || length < 1 || length > 1 << 20)
        call.fail("wants " + std::to_string(bins) + " bins of " + std::to_string(length));
    const auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double step = (toMel(high) - toMel(low)) / static_cast<double>(bins + 2);
    Ints edges;
    for (std::int64_t i = 0; i < bins + 2; ++i) {
        const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + toMel(low)) / 2595) - 1);
        edges.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
    }
    const Tensor values = Tensor::zeros(DType::Float64, {spectrum, bins});
    const auto put = [&](std::int64_t row, std::int64_t column, double value) {
        if (row >= 0 && row < spectrum) values.as<double>()[row * bins + column] = value;
    };
    for (std::int64_t i = 0; i < bins; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t left = edges[at], middle = edges[at + 1], right = edges[at + 2];
        if (middle == left) put(middle, i, 1);
        for (std::int64_t k = left; k <= middle && middle > left; ++k)
            put(k, i, static_cast<double>(k - left) / static_cast<double>(middle - left));
        for (std::int64_t k = middle; k < right && right > middle; ++k)
            put(k, i, static_cast<double>(right - k) / static_cast<double>(right - middle));
    }
    return {Variable::constant(values.converted(call.type("output_datatype", DType::Float32)))};
}

// --- Fourier transforms: pairs of numbers on the last axis, products with a matrix of angles -----------------

VarRef angles(std::int64_t rows, std::int64_t columns, std::int64_t length, bool isSine, double scale, DType dtype)
{
    const Tensor values = Tensor::empty(DType::Float64, {rows, columns});
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < columns; ++k) {
            const double angle = 2 * kPi * static_cast<double>(i * k % length) / static_cast<double>(length);
            values.as<double>()[i * columns + k] = scale * (isSine ? std::sin(angle) : std::cos(angle));
        }
    return Variable::constant(values.converted(dtype));
}

// (…, length) real and imaginary parts, transformed along the last axis.
Vars transformed(const VarRef &real, const VarRef &imaginary, std::int64_t length, std::int64_t out, bool isInverse)
{
    const DType dtype = real->type().dtype();
    const double scale = isInverse ? 1 / static_cast<double>(length) : 1;
    const VarRef cosines = angles(length, out, length, false, scale, dtype),
                 sines = angles(length, out, length, true, isInverse ? -scale : scale, dtype);
    VarRef re = matMul(real, cosines), im = neg(matMul(real, sines));
    if (imaginary) {
        re = add(re, matMul(imaginary, sines));
        im = add(im, matMul(imaginary, cosines));
    }
    return {pinned(re), pinned(im)};
}

VarRef lastOf(const VarRef &x, std::int64_t i)
{
    std::vector<IndexItem> items(static_cast<std::size_t>(x->type().rank()) - 1, IndexItem::slice());
    items.push_back(IndexItem::at(i));
    return pinned(subtensor(x, items));
}

VarRef resizedLast(const VarRef &x, std::int64_t from, std::int64_t to)
{
    const int rank = x->type().rank();
    if (to < from) return sliced(x, rank - 1, 0, to);
    if (to == from) return x;
    Ints none(static_cast<std::size_t>(rank), 0), after = none;
    after.back() = to - from;
    return pinned(padded(x, none, after, number(x->type().dtype(), 0)));
}

Vars dft(Call &call)
{
    const VarRef &x = call.in(0);
    const int rank = call.rank();
    std::int64_t given = call.integer("axis", 1);
    if (call.opset() >= 20) given = call.has(2) ? call.constantInts(2).at(0) : -2;
    const int axis = call.axis(given, rank);
    const bool isInverse = call.integer("inverse", 0), isOneSided = call.integer("onesided", 0);
    const std::int64_t parts = sizesOf(x).back(), from = sizesOf(x)[static_cast<std::size_t>(axis)];
    if (axis == rank - 1 || parts == kUnknownDim || from == kUnknownDim) call.fail("needs to know the sizes of its signal");
    std::int64_t length = from;
    if (call.has(1)) length = call.constantInts(1).at(0);
    if (length < 1 || length > 1 << 14) call.fail("transforms " + std::to_string(length) + " elements; 16384 are possible");
    std::vector<int> order;
    for (int i = 0; i < rank - 1; ++i)
        if (i != axis) order.push_back(i);
    order.push_back(axis);
    VarRef real = permuted(lastOf(x, 0), order), imaginary = parts == 2 ? permuted(lastOf(x, 1), order) : VarRef();
    if (isInverse && isOneSided) { // the other half mirrors this one
        const std::int64_t whole = call.has(1) ? length : 2 * (from - 1), half = whole / 2 + 1, mirrored = whole - half;
        real = resizedLast(real, from, half);
        imaginary = imaginary ? resizedLast(imaginary, from, half) : mul(real, number(call.dtype(), 0));
        Ints places;
        for (std::int64_t i = 0; i < mirrored; ++i) places.push_back(mirrored - i);
        const VarRef reals[] = {real, pinned(picked(real, rank - 2, places))},
                     imaginaries[] = {imaginary, neg(pinned(picked(imaginary, rank - 2, places)))};
        const Vars result = transformed(pinned(join(rank - 2, reals)), pinned(join(rank - 2, imaginaries)), whole, whole, true);
        std::vector<int> back(static_cast<std::size_t>(rank) - 1);
        for (int i = 0; i < rank - 1; ++i) back[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
        return {withAxes(permuted(result[0], back), {rank - 1})};
    }
    real = resizedLast(real, from, length);
    if (imaginary) imaginary = resizedLast(imaginary, from, length);
    const Vars result = transformed(real, imaginary, length, isOneSided ? length / 2 + 1 : length, isInverse);
    std::vector<int> back(static_cast<std::size_t>(rank) - 1);
    for (int i = 0; i < rank - 1; ++i) back[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
    const VarRef both[] = {permuted(result[0], back), permuted(result[1], back)};
    return {stack(both, rank - 1)};
}

Vars stft(Call &call)
{
    VarRef x = call.in(0);
    const std::int64_t step = call.constantInts(1).at(0);
    std::int64_t length = call.has(3) ? call.constantInts(3).at(0) : 0;
    if (!length && call.has(2)) length = sizesOf(call.in(2)).at(0);
    const std::int64_t size = sizesOf(x).at(1);
    if (length < 1 || length > 1 << 14 || step < 1 || size == kUnknownDim || size < length)
        call.fail("has frames that do not fit its signal");
    const std::int64_t frames = (size - length) / step + 1;
    VarRef real = x, imaginary;
    if (call.rank() == 3) {
        real = lastOf(x, 0);
        if (sizesOf(x)[2] == 2) imaginary = lastOf(x, 1);
    }
    Ints places;
    for (std::int64_t f = 0; f < frames; ++f)
        for (std::int64_t i = 0; i < length; ++i) places.push_back(f * step + i);
    const auto framed = [&](const VarRef &a) {
        VarRef result = reshapeTo(pinned(picked(a, 1, places)), {sizeOf(a, 0), int64(frames), int64(length)});
        return call.has(2) ? pinned(mul(result, call.in(2))) : result;
    };
    const bool isOneSided = call.integer("onesided", 1) && !imaginary;
    const Vars result =
        transformed(framed(real), imaginary ? framed(imaginary) : VarRef(), length, isOneSided ? length / 2 + 1 : length, false);
    return {stack(std::vector<VarRef>{result[0], result[1]}, 3)};
}

// --- random numbers: of Croton's own streams, the same in each call -----------------------------------------

VarRef uniform(Call &call, const Vars &sizes, DType dtype)
{
    const auto seed = static_cast<std::int64_t>(std::fabs(call.number("seed", 12345))) % 2147462579;
    std::vector<std::int64_t> state(
        6, seed + 1 + static_cast<std::int64_t>(call.node().output_size() ? std::hash<std::string>()(call.node().output(0)) % 1000 : 0));
    const VarRef states = Variable::constant(mrgSubstreams(state, 64));
    const DType drawn = dtype == DType::Float64 ? DType::Float64 : DType::Float32;
    if (sizes.empty())
        return cast(reshape(mrgUniform(states, intVector(Ints{1}), {true}, drawn).at(1), std::vector<std::int64_t>{}), dtype);
    std::vector<bool> pattern;
    for (const VarRef &size : sizes) pattern.push_back(size->kind() == Variable::Kind::Constant && size->value().tensor().intAt(0) == 1);
    return cast(mrgUniform(states, makeVector(sizes), pattern, drawn).at(1), dtype);
}

Vars sizesOfAttribute(Call &call)
{
    Vars sizes;
    for (const std::int64_t size : call.integers("shape")) sizes.push_back(int64(size));
    return sizes;
}

VarRef normal(Call &call, const Vars &sizes, DType dtype)
{
    // Box and Muller's way: two uniform numbers make a normal one.
    Vars twice = sizes;
    twice.insert(twice.begin(), int64(2));
    const VarRef both = uniform(call, twice, dtype);
    const VarRef radius = elementwise(S::Sqrt, {mul(number(dtype, -2), log(elementAt(both, 0)))});
    const VarRef result = mul(radius, elementwise(S::Cos, {mul(number(dtype, 2 * kPi), elementAt(both, 1))}));
    return add(mul(cast(result, dtype), number(dtype, call.number("scale", 1))), number(dtype, call.number("mean", 0)));
}

VarRef between(Call &call, const Vars &sizes, DType dtype)
{
    const double low = call.number("low", 0), high = call.number("high", 1);
    return add(mul(uniform(call, sizes, dtype), number(dtype, high - low)), number(dtype, low));
}

Vars randomUniform(Call &call) { return {between(call, sizesOfAttribute(call), call.type("dtype", DType::Float32))}; }
Vars randomNormal(Call &call) { return {normal(call, sizesOfAttribute(call), call.type("dtype", DType::Float32))}; }
Vars randomUniformLike(Call &call) { return {between(call, allSizes(call.in(0)), call.type("dtype", call.dtype()))}; }
Vars randomNormalLike(Call &call) { return {normal(call, allSizes(call.in(0)), call.type("dtype", call.dtype()))}; }
Vars bernoulli(Call &call)
{
    const VarRef drawn = uniform(call, allSizes(call.in(0)), call.dtype());
    return {cast(elementwise(S::Lt, {drawn, call.in(0)}), call.type("dtype", call.dtype()))};
}

const OpRows kSignalsRows{
    {"", "Bernoulli", 15, bernoulli},
    {"", "BlackmanWindow", 17, blackman},
    {"", "DFT", 17, dft},
    {"", "HammingWindow", 17, hamming},
    {"", "HannWindow", 17, hann},
    {"", "MelWeightMatrix", 17, melWeights},
    {"", "RandomNormal", 1, randomNormal},
    {"", "RandomNormalLike", 1, randomNormalLike},
    {"", "RandomUniform", 1, randomUniform},
    {"", "RandomUniformLike", 1, randomUniformLike},
    {"", "STFT", 17, stft},
};

} // namespace
} // namespace engine::onnx
