// What ops that put elements in order share: which elements have one, and arrays as lines along an axis.
#pragma once

#include "engine/ops/elements/run_support.h"
#include "engine/ops/reductions/radix.h"

namespace engine {

inline void wantOrdered(const char *symbol, Type type)
{
    if (!type.isTensor()) throw TypeMismatch(std::string("[") + symbol + "] wants a tensor, got " + type.text());
    if (isComplex(type.dtype())) throw TypeMismatch(std::string("[") + symbol + "] complex numbers have no order", "take abs_() first");
}

// Smaller first, NaN last.
template <class T>
bool before(const T &a, const T &b)
{
    if constexpr (std::is_floating_point_v<T>) return (a < b) | ((b != b) & (a == a)); // no branches
    else return a < b;
}

/// Calls f<T>(dtype) with the type in which elements are compared (halves in float).
template <class F>
void withOrdered(DType dtype, F &&f)
{
    const DType work = dtype == DType::Float16 ? DType::Float32 : dtype;
    withStorageType(work, [&]<class T>() {
        if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
            throw InternalError("complex numbers have no order");
        else f.template operator()<T>(work);
    });
}

// The axis last, so that each line is dense.
struct Lines {
    Dims shape, strides;
    Lines(const View &x, int axis)
    {
        for (int i = 0; i < x.rank; ++i) {
            if (i == axis) continue;
            shape.push_back(x.shape[i]);
            strides.push_back(x.strides[i]);
        }
        shape.push_back(x.shape[axis]);
        strides.push_back(x.strides[axis]);
    }
    View view(const View &x) const { return {x.data, x.dtype, x.rank, shape.data(), strides.data()}; }
};

} // namespace engine
