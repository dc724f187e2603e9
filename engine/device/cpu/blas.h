// Matrix products on views of any strides, by BLAS where the dtype has one. One thread; whoever wants more splits above.
#pragma once

#include "engine/runtime/tensor.h"

#include <string>

namespace engine {

/// c = alpha · a × b + beta · c for 2-d views of one dtype. `alpha` and `beta` point to elements of that dtype.
/// beta of zero never reads c. c may not overlap a or b.
void gemm(const void *alpha, const View &a, const View &b, const void *beta, const View &c);
/// y = alpha · a × x + beta · y for a 2-d view and two 1-d ones.
void gemv(const void *alpha, const View &a, const View &x, const void *beta, const View &y);
/// a += alpha · x yᵀ.
void ger(const void *alpha, const View &x, const View &y, const View &a);

/// Which kernels the BLAS chose for this processor ("SkylakeX"), empty if it does not say.
std::string blasCore();

} // namespace engine
