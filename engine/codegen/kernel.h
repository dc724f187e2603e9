// A kernel in the C dialect: no includes, contiguous loops, the vector functions reached through a table.
#pragma once

#include "engine/graph/op/thunk.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

class ScalarProgram;

/// How the operands of a kernel lie in memory. What is not of its register's own kind is converted on the way.
struct KernelArrays {
    std::vector<bool> single; ///< by input: one element for all
    std::vector<DType> inputs;
    std::vector<DType> outputs; ///< of reductions: empty
};
/// Does a kernel read and write memory of that dtype by itself? What is not: half floats and narrow complex numbers.
bool isKernelMemory(DType dtype);

/// The loop over a scalar program, or nothing where the interpreter is as good (a single step that converts nothing) or the only one
/// that can.
std::optional<KernelText> elementwiseKernel(const ScalarProgram &program, const KernelArrays &arrays);

/// What a kernel does with its elements instead of writing them.
struct ReductionSink {
    RtReduce reduce = RT_SUM;
    RtKind accumulator = RT_F64;
    /// 64, 32, 16 or 4: element i is combined with lane i % lanes (operand behind the inputs: the lanes; n is a multiple of
    /// them but in the last call of a row). 0: n columns side by side (operands behind the inputs: the accumulators, then an
    /// array of the number of rows and, per input, the bytes from row to row). Maxima and minima with lanes take pieces of
    /// 1024 and stop at one that holds nan (operands behind the inputs: the accumulator, then where they stopped).
    int lanes = 0;
};
/// Do registers of `element` become those of `accumulator` by a plain conversion in C?
bool elementsBecome(RtKind element, RtKind accumulator);
/// The loop over a scalar program of one output, its elements combined at once.
std::optional<KernelText> reductionKernel(const ScalarProgram &program, const KernelArrays &arrays, const ReductionSink &sink);

/// What stands before the kernels of a unit.
std::string kernelPrelude();

} // namespace engine
