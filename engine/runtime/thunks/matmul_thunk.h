// Matrix products bound to shapes: through BLAS, own loops for vectors and tiny matrices, plain loops for dtypes
// that BLAS does not know.
#pragma once

#include "engine/runtime/thunks/thunk.h"

#include <memory>

namespace engine {

/// A factor that is read on each run (0-d, of the product's dtype), or 1 (absent).
struct Factor {
    const SlotOperand *operand = nullptr;
};

/// out = beta·z + alpha·a×b; `z` may be null or be the memory of `out`. Ranks: (2,2), (2,1), (1,2), (1,1). A factor of 0 keeps the nan
/// and inf of what it scales.
struct ProductSpec {
    const SlotOperand *a = nullptr;
    const SlotOperand *b = nullptr;
    const SlotOperand *z = nullptr;
    const SlotOperand *out = nullptr;
    Factor alpha;
    Factor beta;
};

/// Throws ShapeMismatch with the sizes in Theano's words. Operands of other dtypes than the result's are converted.
std::unique_ptr<Thunk> productThunk(const ProductSpec &spec);

/// out = a + alpha·x yᵀ.
std::unique_ptr<Thunk> outerThunk(const SlotOperand &a, const Factor &alpha, const SlotOperand &x, const SlotOperand &y,
                                  const SlotOperand &out);

} // namespace engine
