// Loops over rows of dense floats, on the runtime's vector primitives.
#pragma once

#include "engine/rt/rt.h"

#include <cstdint>
#include <type_traits>

namespace engine {

/// How the runtime's tables name T in memory.
template <class T>
constexpr RtDType rtDType()
{
    if constexpr (std::is_same_v<T, float>) return RT_D_F32;
    else if constexpr (std::is_same_v<T, double>) return RT_D_F64;
    else if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? RT_D_I8 : RT_D_U8;
    else if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? RT_D_I16 : RT_D_U16;
    else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? RT_D_I32 : RT_D_U32;
    else return std::is_signed_v<T> ? RT_D_I64 : RT_D_U64;
}

/// Of the first NaN, else of the first largest element.
template <class T>
std::int64_t placeOfLargest(const T *values, std::int64_t count)
{
    return rt_table()->placeOfLargest[rtDType<T>()](values, count);
}

/// The same for each of several rows, one behind the other.
template <class T>
void placesOfLargest(const T *values, std::int64_t rows, std::int64_t count, std::int64_t *places)
{
    rt_table()->placesInRows[rtDType<T>()](values, rows, count, reinterpret_cast<long long *>(places));
}

/// Products are rounded to T, their sum is in double.
template <class T>
double sumOfProducts(const T *a, const T *b, std::int64_t count);

/// out = exp(x - max of the row); totals[r] = its sum over row r, shifts[r] = the maximum. `x` may be `out`.
template <class T>
void shiftedExponentials(const T *x, T *out, std::int64_t rows, std::int64_t count, double *totals, T *shifts);

} // namespace engine
