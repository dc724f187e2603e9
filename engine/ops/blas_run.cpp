// Running the products: every layout is taken as it comes; dtypes without BLAS are converted or looped over.
#include "engine/device/cpu/blas.h"
#include "engine/graph/errors.h"
#include "engine/ops/dot.h"
#include "engine/runtime/convert.h"
#include "engine/runtime/thunk.h"

#include <array>
#include <complex>
#include <cstring>

namespace engine {
namespace {

std::string sizes(const View &view) { return Dims(std::span(view.shape, static_cast<std::size_t>(view.rank))).text(); }

[[noreturn]] void mismatch(const std::string &op, const View &x, const View &y)
{
    if (x.rank == 2 && y.rank == 2)
        throw ShapeMismatch("Shape mismatch: x has " + std::to_string(x.shape[1]) + " cols (and " + std::to_string(x.shape[0]) +
                                " rows) but y has " + std::to_string(y.shape[0]) + " rows (and " + std::to_string(y.shape[1]) + " cols)",
                            "the inner sizes of " + op + " must be equal");
    throw ShapeMismatch("Shape mismatch: " + op + " of shapes " + sizes(x) + " and " + sizes(y), "the inner sizes must be equal");
}

// 0 and 1 of a dtype, as elements.
struct Element {
    alignas(16) std::array<char, 16> bytes{};
    Element(DType dtype, double value)
    {
        withStorageType(dtype, [&]<class T>() {
            const T element = convertElement<T>(value);
            std::memcpy(bytes.data(), &element, sizeof(T));
        });
    }
    const void *data() const { return bytes.data(); }
};

// A 1-d view as one row or one column.
struct AsMatrix {
    std::int64_t shape[2], strides[2];
    View view;
    AsMatrix(const View &v, bool asRow)
    {
        if (v.rank == 2) {
            view = v;
            return;
        }
        shape[asRow ? 0 : 1] = 1;
        strides[asRow ? 0 : 1] = 0;
        shape[asRow ? 1 : 0] = v.shape[0];
        strides[asRow ? 1 : 0] = v.strides[0];
        view = {v.data, v.dtype, 2, shape, strides};
    }
    AsMatrix(const AsMatrix &) = delete;
};

// float16 multiplies in float32; other dtypes in the dtype of the result.
DType workType(DType out) { return out == DType::Float16 ? DType::Float32 : out; }

Tensor convertedIfNeeded(const View &view, DType dtype, View &use)
{
    use = view;
    if (view.dtype == dtype) return {};
    Tensor owner = Tensor::empty(dtype, Dims(std::span(view.shape, static_cast<std::size_t>(view.rank))));
    copyConverted(view, owner.view());
    use = owner.view();
    return owner;
}

// x · y for any mix of 1-d and 2-d into `out`, which has the matching rank.
void product(const std::string &name, const void *alpha, View x, View y, View out)
{
    const DType work = workType(out.dtype);
    View xs, ys;
    const Tensor xOwner = convertedIfNeeded(x, work, xs), yOwner = convertedIfNeeded(y, work, ys);
    // The views point into the owners' own shapes.
    if (xOwner.valid()) xs = xOwner.view();
    if (yOwner.valid()) ys = yOwner.view();
    const AsMatrix a(xs, true), b(ys, false);
    if (a.view.shape[1] != b.view.shape[0]) mismatch(name, x, y);
    Tensor target;
    View result = out;
    if (out.dtype != work) {
        target = Tensor::empty(work, Dims(std::span(out.shape, static_cast<std::size_t>(out.rank))));
        result = target.view();
    }
    const Element one(work, 1), zero(work, 0);
    const void *factor = alpha ? alpha : one.data();
    if (xs.rank == 2 && ys.rank == 1) {
        gemv(factor, xs, ys, zero.data(), result);
    } else if (xs.rank == 1 && ys.rank == 2) {
        const std::int64_t shape[2] = {ys.shape[1], ys.shape[0]}, strides[2] = {ys.strides[1], ys.strides[0]};
        gemv(factor, View{ys.data, ys.dtype, 2, shape, strides}, xs, zero.data(), result);
    } else {
        const std::int64_t step = static_cast<std::int64_t>(sizeOf(work));
        const std::int64_t shape[2] = {1, 1}, strides[2] = {step, step};
        gemm(factor, a.view, b.view, zero.data(), result.rank == 2 ? result : View{result.data, work, 2, shape, strides});
    }
    if (target.valid()) copyConverted(target.view(), out);
}

void start(const View &from, const View &out)
{
    if (from.data == out.data) return;
    for (int axis = 0; axis < out.rank; ++axis)
        if (from.shape[axis] != out.shape[axis])
            throw ShapeMismatch("Shape mismatch: the product has shape " + sizes(out) + " but is added to " + sizes(from));
    copyConverted(from, out);
}

} // namespace

void Dot::perform(PerformArgs &args) const { product("dot", nullptr, args.inputs[0], args.inputs[1], args.outputs[0]); }

void Dot22::perform(PerformArgs &args) const { product("dot", nullptr, args.inputs[0], args.inputs[1], args.outputs[0]); }

void Dot22Scalar::perform(PerformArgs &args) const
{
    product("dot", args.inputs[2].data, args.inputs[0], args.inputs[1], args.outputs[0]);
}

void Gemm::perform(PerformArgs &args) const
{
    const View &z = args.inputs[0], &x = args.inputs[2], &y = args.inputs[3], &out = args.outputs[0];
    if (x.shape[1] != y.shape[0]) mismatch("gemm", x, y);
    if (x.shape[0] != z.shape[0] || y.shape[1] != z.shape[1])
        throw ShapeMismatch("Shape mismatch: the product of " + sizes(x) + " and " + sizes(y) + " is added to an array of shape " + sizes(z));
    start(z, out);
    gemm(args.inputs[1].data, x, y, args.inputs[4].data, out);
}

void Gemv::perform(PerformArgs &args) const
{
    const View &y = args.inputs[0], &a = args.inputs[2], &x = args.inputs[3], &out = args.outputs[0];
    if (a.shape[1] != x.shape[0]) mismatch("gemv", a, x);
    if (a.shape[0] != y.shape[0])
        throw ShapeMismatch("Shape mismatch: the product of " + sizes(a) + " and " + sizes(x) + " is added to an array of shape " + sizes(y));
    start(y, out);
    gemv(args.inputs[1].data, a, x, args.inputs[4].data, out);
}

void Ger::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0], &x = args.inputs[2], &y = args.inputs[3], &out = args.outputs[0];
    if (a.shape[0] != x.shape[0] || a.shape[1] != y.shape[0])
        throw ShapeMismatch("Shape mismatch: the outer product of " + sizes(x) + " and " + sizes(y) + " is added to an array of shape " + sizes(a));
    start(a, out);
    ger(args.inputs[1].data, x, y, out);
}

} // namespace engine
