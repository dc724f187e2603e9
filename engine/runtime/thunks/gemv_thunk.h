// The product of a matrix and a vector, shared among threads, with the same bits for any number of them.
#pragma once

#include "engine/runtime/thunks/matmul_thunk.h"

#include <memory>

namespace engine::products {

/// `transpose`: x stands on the left of a.
template <class T>
std::unique_ptr<Thunk> gemvThunk(const ProductSpec &spec, const SlotOperand &a, const SlotOperand &x, bool transpose, std::int64_t m,
                                 std::int64_t n);

} // namespace engine::products
