// Element types and NumPy's promotion rules between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

enum class DType : std::uint8_t {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
};
inline constexpr int kDTypeCount = 14;

std::size_t sizeOf(DType dtype);
std::string_view nameOf(DType dtype);
std::optional<DType> dtypeFromName(std::string_view name);

bool isComplex(DType dtype);
bool isFloat(DType dtype); ///< real floating point
bool isSignedInteger(DType dtype);
bool isUnsignedInteger(DType dtype);
bool isInteger(DType dtype);  ///< signed or unsigned, not bool
bool isDiscrete(DType dtype); ///< integer or bool
inline bool isContinuous(DType dtype) { return !isDiscrete(dtype); }

/// NumPy's promotion of two arrays.
DType promote(DType a, DType b);
/// The dtype in which exp, log, sqrt … of a discrete dtype are computed (Theano's rule): 8 and 16 bit and
/// bool give float32, wider ones float64; others stay.
DType floatUpgrade(DType dtype);
/// float32 for complex64, float64 for complex128, itself otherwise.
DType realPart(DType dtype);
/// The dtype of everything that is not told otherwise (configuration; float64 at first). Any thread may read it.
DType floatX();
void setFloatX(DType dtype);
/// May every value of `from` be stored in `to` without loss (NumPy's "safe" cast)?
bool canCastSafely(DType from, DType to);

} // namespace engine
