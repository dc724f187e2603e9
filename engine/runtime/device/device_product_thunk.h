// Matrix products on arrays of a device: the device's side of Dot22, Gemm, Gemv, Ger and their like.
#pragma once

#include "engine/runtime/thunks/thunk.h"

#include <memory>
#include <optional>
#include <string>

namespace engine {

/// out = beta·z + alpha·a·b. Vectors: `a` is a row, `b` a column; `isOuter`: the other way round. Factors are read on the host.
struct DeviceProductOperands {
    const SlotOperand *a = nullptr, *b = nullptr, *z = nullptr, *out = nullptr;
    const SlotOperand *alpha = nullptr, *beta = nullptr; ///< null: 1
    bool isOuter = false;
};

std::unique_ptr<Thunk> deviceProductThunk(const DeviceProductOperands &operands, const std::string &name);
/// Why devices do no products of such arrays; empty: they do.
std::string deviceProductProblem(DType dtype);

} // namespace engine
