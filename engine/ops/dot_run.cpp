#include "engine/ops/dot.h"

#include "engine/runtime/matmul_thunk.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

// Sizes of the product, for outputs that nobody allocated.
void allocateProduct(PerformArgs &args, const View &a, const View &b)
{
    if (args.outputs[0].data) return;
    Dims shape;
    if (a.rank == 2) shape.push_back(a.shape[0]);
    if (b.rank == 2) shape.push_back(b.shape[1]);
    args.allocate(0, shape);
}

void allocateLike(PerformArgs &args, const View &z)
{
    if (!args.outputs[0].data) args.allocate(0, Dims(std::span(z.shape, static_cast<std::size_t>(z.rank))));
}

} // namespace

std::unique_ptr<Thunk> Dot::prepare(const ThunkSpec &spec) const
{
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0]});
}
void Dot::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Dot22::prepare(const ThunkSpec &spec) const
{
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0]});
}
void Dot22::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Dot22Scalar::prepare(const ThunkSpec &spec) const
{
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0], {&spec.inputs[2]}});
}
void Dot22Scalar::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Gemm::prepare(const ThunkSpec &spec) const
{
    return productThunk({&spec.inputs[2], &spec.inputs[3], &spec.inputs[0], &spec.outputs[0], {&spec.inputs[1]}, {&spec.inputs[4]}});
}
void Gemm::perform(PerformArgs &args) const
{
    allocateLike(args, args.inputs[0]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Gemv::prepare(const ThunkSpec &spec) const
{
    const Dims &y = spec.inputs[0].shape, &a = spec.inputs[2].shape, &x = spec.inputs[3].shape;
    const std::string sizes = ": y is " + y.text() + ", A is " + a.text() + ", x is " + x.text();
    if (a[1] != x[0]) throw ShapeMismatch("Shape mismatch: A.shape[1] != x.shape[0]" + sizes);
    if (a[0] != y[0]) throw ShapeMismatch("Shape mismatch: A.shape[0] != y.shape[0]" + sizes);
    return productThunk({&spec.inputs[2], &spec.inputs[3], &spec.inputs[0], &spec.outputs[0], {&spec.inputs[1]}, {&spec.inputs[4]}});
}
void Gemv::perform(PerformArgs &args) const
{
    allocateLike(args, args.inputs[0]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Ger::prepare(const ThunkSpec &spec) const
{
    return outerThunk(spec.inputs[0], {&spec.inputs[1]}, spec.inputs[2], spec.inputs[3], spec.outputs[0]);
}
void Ger::perform(PerformArgs &args) const
{
    allocateLike(args, args.inputs[0]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

} // namespace engine
