#include "engine/ops/products/dot.h"

#include "engine/codegen/loop_writer.h"
#include "engine/runtime/device/device_halves.h"
#include "engine/runtime/device/device_product_thunk.h"
#include "engine/runtime/thunks/matmul_thunk.h"
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

// `operands(spec)`: what it is that is multiplied.
template <class Operands>
std::unique_ptr<Thunk> productOnDevice(const ThunkSpec &spec, const std::string &name, Operands operands)
{
    return inSingles(
        spec, [&](const ThunkSpec &singles) { return deviceProductThunk(operands(singles), name); }, name);
}

DeviceProductOperands factorsOnly(const ThunkSpec &spec) { return {.a = &spec.inputs[0], .b = &spec.inputs[1], .out = &spec.outputs[0]}; }

DeviceProductOperands scaledSum(const ThunkSpec &spec)
{
    return {&spec.inputs[2], &spec.inputs[3], &spec.inputs[0], &spec.outputs[0], &spec.inputs[1], &spec.inputs[4]};
}

std::string problemOf(std::span<const Type> inputs, std::span<const Type> outputs, std::initializer_list<std::size_t> factors)
{
    for (std::size_t factor : factors)
        if (inputs[factor].dtype() != outputs[0].dtype()) return "devices multiply arrays of one dtype only";
    return deviceProductProblem(outputs[0].dtype());
}

} // namespace

std::unique_ptr<Thunk> Dot::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice()) return productOnDevice(spec, name(), factorsOnly);
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0]});
}
void Dot::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Dot22::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice()) return productOnDevice(spec, name(), factorsOnly);
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0]});
}
void Dot22::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Dot22Scalar::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice())
        return productOnDevice(spec, name(), [](const ThunkSpec &given) -> DeviceProductOperands {
            return {.a = &given.inputs[0], .b = &given.inputs[1], .out = &given.outputs[0], .alpha = &given.inputs[2]};
        });
    return productThunk({&spec.inputs[0], &spec.inputs[1], nullptr, &spec.outputs[0], {&spec.inputs[2]}});
}
void Dot22Scalar::perform(PerformArgs &args) const
{
    allocateProduct(args, args.inputs[0], args.inputs[1]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Gemm::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice()) return productOnDevice(spec, name(), scaledSum);
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
    if (isOnDevice()) return productOnDevice(spec, name(), scaledSum);
    return productThunk({&spec.inputs[2], &spec.inputs[3], &spec.inputs[0], &spec.outputs[0], {&spec.inputs[1]}, {&spec.inputs[4]}});
}
void Gemv::perform(PerformArgs &args) const
{
    allocateLike(args, args.inputs[0]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::unique_ptr<Thunk> Ger::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice())
        return productOnDevice(spec, name(), [](const ThunkSpec &given) -> DeviceProductOperands {
            return {.a = &given.inputs[2],
                    .b = &given.inputs[3],
                    .z = &given.inputs[0],
                    .out = &given.outputs[0],
                    .alpha = &given.inputs[1],
                    .isOuter = true};
        });
    return outerThunk(spec.inputs[0], {&spec.inputs[1]}, spec.inputs[2], spec.inputs[3], spec.outputs[0]);
}
void Ger::perform(PerformArgs &args) const
{
    allocateLike(args, args.inputs[0]);
    performThroughThunk(args, [&](const ThunkSpec &spec) { return prepare(spec); });
}

std::string Dot::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {0, 1});
}
std::string Dot22::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {0, 1});
}
std::string Dot22Scalar::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {0, 1});
}
bool Dot22Scalar::readsInputOnHost(std::size_t input, const Operand &) const { return input == 2; }
std::string Gemm::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {2, 3});
}
bool Gemm::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1 || input == 4; }
std::string Gemv::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {2, 3});
}
bool Gemv::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1 || input == 4; }
std::string Ger::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {2, 3});
}
bool Ger::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }
std::string BatchedDot::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    return problemOf(inputs, outputs, {0, 1});
}

std::unique_ptr<Thunk> BatchedDot::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return productOnDevice(spec, name(), factorsOnly);
}

// The host has two forms of these, devices one.
std::string Gemv::deviceName() const { return m_inplace ? "GpuGemv{inplace}" : "GpuGemv{no_inplace}"; }
std::string Gemv::deviceClass() const { return "GpuGemv"; }
std::string Ger::deviceName() const { return m_inplace ? "GpuGer{inplace}" : "GpuGer{no_inplace}"; }
std::string Ger::deviceClass() const { return "GpuGer"; }

IN_LOOPS(Dot, [](const Dot &, LoopWriter &writer) { return writer.writeProduct({}); })
IN_LOOPS(Dot22, [](const Dot22 &, LoopWriter &writer) { return writer.writeProduct({}); })
IN_LOOPS(Dot22Scalar, [](const Dot22Scalar &, LoopWriter &writer) { return writer.writeProduct({.alpha = 2}); })
IN_LOOPS(Gemm, [](const Gemm &, LoopWriter &writer) { return writer.writeProduct({.a = 2, .b = 3, .z = 0, .alpha = 1, .beta = 4}); })
IN_LOOPS(Gemv, [](const Gemv &, LoopWriter &writer) { return writer.writeProduct({.a = 2, .b = 3, .z = 0, .alpha = 1, .beta = 4}); })
IN_LOOPS(Ger, [](const Ger &, LoopWriter &writer) { return writer.writeProduct({.a = 2, .b = 3, .z = 0, .alpha = 1, .isOuter = true}); })

} // namespace engine
