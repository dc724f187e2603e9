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

inline float halfToFloat(Half h)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
    std::uint32_t exponent = (h.bits >> 10) & 0x1Fu;
    std::uint32_t mantissa = h.bits & 0x3FFu;
    if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
    if (exponent == 0) {
        if (mantissa == 0) return std::bit_cast<float>(sign);
        exponent = 1;
        while (!(mantissa & 0x400u)) {
            mantissa <<= 1;
            --exponent;
        }
        mantissa &= 0x3FFu;
    }
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

inline Half floatToHalf(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return {static_cast<std::uint16_t>(sign | 0x7E00u)};
    if (magnitude >= 0x477FF000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};
    if (magnitude < 0x33000001u) return {sign};
    const std::uint32_t exponent = magnitude >> 23;
    std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    const std::uint32_t shift = exponent < 113 ? 126u - exponent : 13u;
    const std::uint32_t half = 1u << (shift - 1);
    std::uint32_t result = mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1u << shift) - 1u);
    if (rest > half || (rest == half && (result & 1u))) ++result;
    if (exponent >= 113) result += (exponent - 113u) << 10;
    return {static_cast<std::uint16_t>(sign | result)};
}

/// Rounded once: what a float cannot hold is kept in its last bit, where it decides ties of the narrower format.
inline Half doubleToHalf(double value)
{
    const auto nearest = static_cast<float>(value);
    const std::uint32_t isBeyond = std::abs(static_cast<double>(nearest)) > std::abs(value),
                        isOther = static_cast<double>(nearest) != value;
    return floatToHalf(std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - isBeyond) | isOther));
}

/// As x86-64 processors do, and NumPy's arrays with them: what does not fit becomes the most negative integer of 32 bits, of
/// which narrower ones keep the lower part, or of 64 bits.
template <class To, class From>
inline To truncateElement(From value)
{
    if constexpr (std::is_same_v<To, std::uint64_t>) {
        if (value >= From(9223372036854775808.0)) return value < From(18446744073709551616.0) ? static_cast<To>(value) : 0;
    } else if constexpr (sizeof(To) < 4 || std::is_same_v<To, std::int32_t>) {
        const bool fits = static_cast<double>(value) > -2147483649.0 && static_cast<double>(value) < 2147483648.0;
        return static_cast<To>(fits ? static_cast<std::int32_t>(value) : INT32_MIN);
    }
    const bool fits = value >= From(-9223372036854775808.0) && value < From(9223372036854775808.0);
    return static_cast<To>(fits ? static_cast<std::int64_t>(value) : INT64_MIN);
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
