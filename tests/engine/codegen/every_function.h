// One Composite with an output for each scalar function that takes a dtype: what kernels for devices must be able to say.
#pragma once

#include "engine/codegen/device_reduction.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/runtime/thunks/reduce_thunk.h"
#include "engine/scalar/registers.h"
#include "engine/scalar/scalar_op.h"
#include "engine/tensor/errors.h"

#include <string>
#include <vector>

namespace every {

using namespace engine;

struct Functions {
    ScalarOpPtr composite = nullptr;
    std::vector<ScalarOpPtr> each;
    std::vector<std::size_t> arities;
    std::vector<DType> results;
};

inline constexpr DType kRealTypes[] = {DType::Bool,   DType::Int8,   DType::Int16,  DType::Int32,   DType::Int64,   DType::UInt8,
                                       DType::UInt16, DType::UInt32, DType::UInt64, DType::Float16, DType::Float32, DType::Float64};

inline Functions of(DType dtype)
{
    Functions functions;
    ScalarBody body;
    body.inputCount = 3;
    body.inputTypes.assign(3, dtype);
    const auto add = [&](ScalarOpPtr op, std::size_t arity) {
        const std::vector<DType> arguments(arity, dtype);
        try {
            const DType result = op->resultType(arguments);
            // What integers and halves become floats for says nothing that floats do not.
            const bool isSaidOfFloats = (isDiscrete(dtype) || dtype == DType::Float16) && isContinuous(result) && op->cost() > 10;
            if (isComplex(result) || isSaidOfFloats) return;
            std::vector<std::uint32_t> places;
            for (std::uint32_t i = 0; i < arity; ++i) places.push_back(i);
            body.instructions.push_back({op, places, result, 0});
            body.outputs.push_back(body.inputCount + static_cast<std::uint32_t>(body.instructions.size()) - 1);
            functions.each.push_back(op);
            functions.arities.push_back(arity);
            functions.results.push_back(result);
        } catch (const TypeMismatch &) { // it does not take them
        }
    };
    for (ScalarOpPtr op : allScalarOps()) add(op, op->arity() < 0 ? 2 : static_cast<std::size_t>(op->arity()));
    for (DType target : kRealTypes)
        if (target != dtype) add(castOp(target), 1);
    functions.composite = compositeOp(std::move(body));
    return functions;
}

inline KernelSource kernelOf(const Functions &functions, DType dtype, Dialect dialect)
{
    const std::vector<DType> inputs(3, dtype);
    const ScalarProgram program(functions.composite, inputs, functions.results);
    const DeviceArrays arrays{inputs, functions.results, std::vector(3 + functions.results.size(), DeviceAccess::Flat), 1};
    return sourceOf(deviceElementwise(program, arrays, KernelTarget(dialect), "every function of " + std::string(nameOf(dtype))), dialect);
}

/// x·exp(y) + 1
inline ScalarOpPtr small(DType dtype)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {dtype, dtype};
    body.instructions = {{nullptr, {}, dtype, 1},
                         {scalarOp(ScalarCode::Exp), {1}, dtype, 0},
                         {scalarOp(ScalarCode::Mul), {0, 3}, dtype, 0},
                         {scalarOp(ScalarCode::Add), {4, 2}, dtype, 0}};
    body.outputs = {5};
    return compositeOp(std::move(body));
}

inline KernelSource smallKernel(DType dtype, std::vector<DeviceAccess> access, std::size_t rank, Dialect dialect)
{
    const std::vector<DType> inputs(2, dtype), outputs{dtype};
    const ScalarProgram program(small(dtype), inputs, outputs);
    return sourceOf(deviceElementwise(program, {inputs, outputs, std::move(access), rank}, KernelTarget(dialect), "small"), dialect);
}

/// The rows of a matrix, or its columns (`isAcross`), as CAReduce combines them; what lies in parts is written in parts.
inline KernelSource reduction(ReduceKind kind, DType dtype, bool isAcross, bool inParts, Dialect dialect)
{
    const CAReduce op(kind, std::vector<int>{isAcross ? 0 : 1});
    const RtKind accumulator = accumulatorKind(op.primitive(), op.accumulatorDType(dtype));
    alignas(16) std::byte identity[16] = {};
    writeIdentity(op.primitive(), accumulator, identity);
    const ScalarProgram elements(scalarOp(ScalarCode::Identity), {&dtype, 1}, {&dtype, 1});
    const DeviceReduction one{op.primitive(),
                              accumulator == RT_BOOL ? DType::Bool : op.accumulatorDType(dtype),
                              identity,
                              inParts ? nativeDType(accumulator) : op.resultDType(dtype),
                              {dtype},
                              {DeviceAccess::Strided},
                              1,
                              1,
                              isAcross};
    const std::string name = kReduceNames[static_cast<std::size_t>(kind)] + (" of " + std::string(nameOf(dtype)));
    return sourceOf(deviceReduction(elements, one, KernelTarget(dialect), name), dialect);
}
inline constexpr ReduceKind kReductions[] = {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max,
                                             ReduceKind::Min, ReduceKind::Any,  ReduceKind::All};

} // namespace every
