// How wide the result of dtypes that meet is.
#pragma once

#include "engine/tensor/dtype.h"

#include <span>

namespace engine {

/// The flag cast_policy=numpy+floatX: what nobody asked to be wider than floatX is not.
void setLowersToFloatX(bool lowers);
/// The dtype that holds all of them, under that policy.
DType upcast(std::span<const DType> dtypes);
inline DType upcast(DType a, DType b)
{
    const DType both[] = {a, b};
    return upcast(both);
}

} // namespace engine
