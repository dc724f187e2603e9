// Loops over rows of dense floats, on the runtime's vector primitives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace engine {

/// NaN if there is one, as NumPy's max.
template <class T>
T largest(const T *values, std::int64_t count);

/// Of the first NaN, else of the first largest element.
template <class T>
std::int64_t placeOfLargest(const T *values, std::int64_t count);
template <class T>
    requires std::is_integral_v<T>
std::int64_t placeOfLargest(const T *values, std::int64_t count)
{
    return std::max_element(values, values + count) - values;
}

/// out = exp(x - max of the row); totals[r] = its sum over row r, shifts[r] = the maximum. `x` may be `out`.
template <class T>
void shiftedExponentials(const T *x, T *out, std::int64_t rows, std::int64_t count, double *totals, T *shifts);

} // namespace engine
