// Element access and conversion between dtypes, half precision included.
#pragma once

#include "engine/tensor/dtype.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>

namespace engine {

struct Half {
    std::uint16_t bits;
};

/// The runtime's own conversions, for one element.
namespace element {
using i64 = std::int64_t;
using u64 = std::uint64_t;
inline float th_asFloat(int bits) { return std::bit_cast<float>(bits); }
inline int th_asBits(float value) { return std::bit_cast<int>(value); }
inline double th_fabs(double value) { return std::fabs(value); }
#define FN inline
#define REAL double
#define INT32 i64
#include "engine/rt/functions/conversions.inc"
#include "engine/rt/functions/half.inc"
#undef FN
#undef REAL
#undef INT32
} // namespace element

inline float halfToFloat(Half h) { return element::th_fromHalf(h.bits); }
inline Half floatToHalf(float value) { return {element::th_toHalf(value)}; }
inline Half doubleToHalf(double value) { return floatToHalf(element::th_nearOdd(value)); } ///< rounded once

/// As x86-64 processors do, and NumPy's arrays with them: what does not fit becomes the most negative integer of 32 bits, of
/// which narrower ones keep the lower part, or of 64 bits.
template <class To>
inline To truncateElement(double value)
{
    if constexpr (std::is_same_v<To, std::uint64_t>) return element::th_toUnsigned(value);
    if constexpr (sizeof(To) < 4 || std::is_same_v<To, std::int32_t>) return static_cast<To>(element::th_toInt32(value));
    return static_cast<To>(element::th_toInt(value));
}

/// Calls f.template operator()<T>() with the C++ type that stores `dtype` (Half, std::complex included).
template <class F>
decltype(auto) withStorageType(DType dtype, F &&f)
{
    switch (dtype) {
    case DType::Bool: return f.template operator()<bool>();
    case DType::Int8: return f.template operator()<std::int8_t>();
    case DType::Int16: return f.template operator()<std::int16_t>();
    case DType::Int32: return f.template operator()<std::int32_t>();
    case DType::Int64: return f.template operator()<std::int64_t>();
    case DType::UInt8: return f.template operator()<std::uint8_t>();
    case DType::UInt16: return f.template operator()<std::uint16_t>();
    case DType::UInt32: return f.template operator()<std::uint32_t>();
    case DType::UInt64: return f.template operator()<std::uint64_t>();
    case DType::Float16: return f.template operator()<Half>();
    case DType::Float32: return f.template operator()<float>();
    case DType::Float64: return f.template operator()<double>();
    case DType::Complex64: return f.template operator()<std::complex<float>>();
    case DType::Complex128: break;
    }
    return f.template operator()<std::complex<double>>();
}

/// One element converted as NumPy's astype does (complex to real drops the imaginary part).
template <class To, class From>
inline To convertElement(From value)
{
    if constexpr (std::is_same_v<From, Half>) {
        return convertElement<To>(halfToFloat(value));
    } else if constexpr (std::is_same_v<To, Half>) {
        if constexpr (std::is_same_v<From, double> || std::is_same_v<From, std::complex<double>>)
            return doubleToHalf(convertElement<double>(value));
        else return floatToHalf(convertElement<float>(value));
    } else if constexpr (std::is_same_v<From, std::complex<float>> || std::is_same_v<From, std::complex<double>>) {
        if constexpr (std::is_same_v<To, std::complex<float>> || std::is_same_v<To, std::complex<double>>)
            return To(static_cast<typename To::value_type>(value.real()), static_cast<typename To::value_type>(value.imag()));
        else if constexpr (std::is_same_v<To, bool>) return value.real() != 0 || value.imag() != 0;
        else return convertElement<To>(value.real());
    } else if constexpr (std::is_same_v<To, std::complex<float>> || std::is_same_v<To, std::complex<double>>) {
        return To(static_cast<typename To::value_type>(value), 0);
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From{};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return truncateElement<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

} // namespace engine
