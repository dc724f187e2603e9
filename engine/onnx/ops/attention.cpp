// Attention, and what stands around it in transformers.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"

#include <cmath>
#include <limits>

namespace engine::onnx {
namespace {

using S = ScalarCode;

// (batch, length, heads·width) as (batch, heads, length, width).
VarRef inHeads(Call &call, const VarRef &x, const char *attribute)
{
    if (x->type().rank() == 4) return x;
    const std::int64_t heads = call.integer(attribute), width = sizesOf(x)[2];
    if (heads < 1 || width == kUnknownDim || width % heads) call.fail(std::string("has ") + attribute + " that does not fit its last axis");
    return permuted(reshapeTo(x, {sizeOf(x, 0), sizeOf(x, 1), int64(heads), int64(width / heads)}), {0, 2, 1, 3});
}

VarRef outOfHeads(const VarRef &x)
{
    const VarRef turned = permuted(x, {0, 2, 1, 3});
    const Ints sizes = sizesOf(x);
    const VarRef width = sizes[1] != kUnknownDim && sizes[3] != kUnknownDim ? int64(sizes[1] * sizes[3]) : mul(sizeOf(x, 1), sizeOf(x, 3));
    return reshapeTo(turned, {sizeOf(turned, 0), sizeOf(turned, 1), width});
}

// Each head of keys serves several heads of queries.
VarRef repeatedHeads(Call &call, const VarRef &x, std::int64_t heads)
{
    const std::int64_t own = sizesOf(x)[1];
    if (own == kUnknownDim || own < 1 || heads % own) call.fail("has heads of queries that are no multiple of those of its keys");
    if (own == heads) return x;
    const VarRef wide = withAxes(x, {2});
    Vars sizes = allSizes(wide);
    sizes[2] = int64(heads / own);
    return reshapeTo(pinned(alloc(wide, sizes)), {sizeOf(x, 0), int64(heads), sizeOf(x, 2), sizeOf(x, 3)});
}

Vars attention(Call &call)
{
    const bool isFlat = call.rank() == 3;
    VarRef q = inHeads(call, call.in(0), "q_num_heads"), k = inHeads(call, call.in(1), "kv_num_heads"),
           v = inHeads(call, call.in(2), "kv_num_heads");
    const DType dtype = q->type().dtype();
    VarRef past = int64(0);
    if (call.has(4)) {
        const VarRef keys[] = {call.in(4), k}, values[] = {call.in(5), v};
        k = pinned(join(2, keys));
        v = pinned(join(2, values));
        past = sizeOf(call.in(4), 2);
    }
    const VarRef presentKeys = k, presentValues = v;
    const std::int64_t heads = sizesOf(q)[1], width = sizesOf(q)[3];
    if (heads == kUnknownDim || width == kUnknownDim) call.fail("needs to know heads and width of its queries");
    k = repeatedHeads(call, k, heads);
    v = repeatedHeads(call, v, heads);
    const double scale = call.number("scale", 1 / std::sqrt(static_cast<double>(width)));
    const VarRef root = number(dtype, std::sqrt(scale));
    VarRef scores = pinned(matMul(mul(q, root), mul(permuted(k, {0, 1, 3, 2}), root)));
    const VarRef raw = scores;
    const VarRef low = number(dtype, -std::numeric_limits<double>::infinity()), none = number(dtype, 0);
    VarRef bias;
    const auto put = [&](const VarRef &more) { bias = bias ? add(bias, more) : more; };
    const VarRef length = sizeOf(q, 2), total = sizeOf(k, 2);
    // Which keys a query sees: those up to its own place, or a window around that.
    const std::int64_t left = call.integer("left_window_size", -1), right = call.integer("right_window_size", -1);
    const bool isCausal = call.integer("is_causal", 0);
    if (isCausal || left >= 0 || right >= 0) {
        VarRef offset = past;
        if (call.has(6)) offset = withAxes(sub(cast(call.in(6), DType::Int64), length), {1, 2, 3});
        const VarRef place = add(withAxes(pinned(arange(length)), {1}), offset), columns = withAxes(pinned(arange(total)), {0});
        if (isCausal) put(switchOn(elementwise(S::Le, {columns, place}), none, low));
        if (left >= 0) put(switchOn(elementwise(S::Ge, {columns, sub(place, int64(left))}), none, low));
        if (right >= 0) put(switchOn(elementwise(S::Le, {columns, add(place, int64(right))}), none, low));
    }
    if (call.has(3)) {
        VarRef mask = call.in(3);
        if (mask->type().dtype() == DType::Bool) mask = switchOn(mask, none, low);
        const std::int64_t given = sizesOf(mask).back(), all = sizesOf(k)[2];
        if (given != kUnknownDim && all != kUnknownDim && given < all) {
            Ints before(static_cast<std::size_t>(mask->type().rank()), 0), after = before;
            after.back() = all - given;
            mask = pinned(padded(mask, before, after, low));
        }
        put(cast(mask, dtype));
    }
    if (call.has(6)) { // how many keys of each batch are there
        const VarRef columns = permuted(pinned(arange(total)), {-1, -1, -1, 0});
        put(switchOn(elementwise(S::Lt, {columns, withAxes(cast(call.in(6), DType::Int64), {1, 2, 3})}), none, low));
    }
    const double cap = call.number("softcap", 0);
    const auto capped = [&](const VarRef &a) {
        return cap > 0 ? mul(number(dtype, cap), elementwise(S::Tanh, {trueDiv(a, number(dtype, cap))})) : a;
    };
    VarRef shown = raw;
    const std::int64_t mode = call.integer("qk_matmul_output_mode", 0);
    VarRef afterCap = capped(scores);
    VarRef biased = bias ? add(afterCap, bias) : afterCap;
    // A row of which nothing is left gives zeros.
    const DType inner = call.type("softmax_precision", dtype);
    VarRef weights = pinned(softmaxOver(cast(biased, inner), 3));
    if (bias) weights = switchOn(elementwise(S::IsNan, {weights}), number(inner, 0), weights);
    weights = cast(weights, dtype);
    if (mode == 1) shown = afterCap;
    if (mode == 2) shown = biased;
    if (mode == 3) shown = weights;
    VarRef result = pinned(matMul(weights, v));
    if (isFlat) result = outOfHeads(result);
    return {result, presentKeys, presentValues, shown};
}

Vars rotaryEmbedding(Call &call)
{
    const VarRef &given = call.in(0);
    const bool isFlat = call.rank() == 3;
    VarRef x = isFlat ? inHeads(call, given, "num_heads") : given; // batch, heads, length, width
    const std::int64_t width = sizesOf(x)[3];
    if (width == kUnknownDim) call.fail("needs to know the width of its heads");
    std::int64_t turned = call.integer("rotary_embedding_dim", 0);
    if (turned == 0) turned = width;
    VarRef cosines = call.in(1), sines = call.in(2);
    if (call.has(3)) {
        const std::vector<IndexItem> items{IndexItem::array(call.in(3))};
        cosines = pinned(subtensor(cosines, items));
        sines = pinned(subtensor(sines, items));
    }
    cosines = withAxes(sliced(cosines, 2, 0, turned / 2), {1});
    sines = withAxes(sliced(sines, 2, 0, turned / 2), {1});
    const bool interleaves = call.integer("interleaved", 0);
    const VarRef first = interleaves ? sliced(x, 3, 0, turned, 2) : sliced(x, 3, 0, turned / 2);
    const VarRef second = interleaves ? sliced(x, 3, 1, turned, 2) : sliced(x, 3, turned / 2, turned);
    const VarRef real = pinned(sub(mul(cosines, first), mul(sines, second))),
                 imaginary = pinned(add(mul(sines, first), mul(cosines, second)));
    VarRef result;
    const VarRef parts[] = {real, imaginary};
    if (interleaves) {
        Vars sizes = allSizes(x);
        sizes[3] = int64(turned);
        result = reshapeTo(pinned(stack(parts, 4)), sizes);
    } else {
        result = pinned(join(3, parts));
    }
    if (turned < width) {
        const VarRef all[] = {result, sliced(x, 3, turned, width)};
        result = pinned(join(3, all));
    }
    return {isFlat ? outOfHeads(result) : result};
}

Vars swiGlu(Call &call)
{
    const VarRef &gate = call.in(0);
    return {mul(mul(gate, elementwise(S::Sigmoid, {mul(number(call.dtype(), call.number("alpha", 1)), gate)})), call.in(1))};
}

// Each channel by itself, of what is before it: the state is the end of what was before.
Vars causalConvolution(Call &call)
{
    const VarRef &x = call.in(0), &weights = call.in(1);
    const std::int64_t width = sizesOf(weights).at(2), length = sizesOf(x).at(2);
    if (width == kUnknownDim || length == kUnknownDim || width < 1) call.fail("needs to know the sizes of its input");
    VarRef whole;
    if (call.has(3)) {
        const VarRef parts[] = {cast(call.in(3), call.dtype()), x};
        whole = pinned(join(2, parts));
    } else {
        whole = pinned(padded(x, {0, 0, width - 1}, {0, 0, 0}, number(call.dtype(), 0)));
    }
    const DType inner = call.dtype() == DType::Float16 ? DType::Float32 : call.dtype();
    VarRef result;
    for (std::int64_t i = 0; i < width; ++i) {
        const VarRef factor = permuted(sliced(weights, 2, i, i + 1), {1, 0, 2});
        const VarRef part = mul(cast(sliced(whole, 2, i, i + length), inner), cast(factor, inner));
        result = result ? add(result, part) : part;
    }
    if (call.has(2)) result = add(result, cast(alongChannels(call.in(2), 3), inner));
    const std::string activation = call.text("activation", "none");
    if (activation == "silu" || activation == "swish") result = mul(result, elementwise(S::Sigmoid, {result}));
    else if (activation != "none") call.fail("has the activation \"" + activation + "\", which is none of ONNX's");
    return {cast(result, call.dtype()), sliced(whole, 2, length, length + width - 1)};
}

const OpRows kAttentionRows{
    {"", "Attention", 23, attention},
    {"", "CausalConvWithState", 27, causalConvolution},
    {"", "RotaryEmbedding", 23, rotaryEmbedding},
    {"", "SwiGLU", 28, swiGlu},
};

} // namespace
} // namespace engine::onnx
