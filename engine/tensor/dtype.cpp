#include "engine/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace engine {
namespace {

struct Info {
    std::string_view name;
    std::size_t size;
    char kind; // b, i, u, f, c
};

constexpr std::array<Info, kDTypeCount> kInfo{{
    {"bool", 1, 'b'},
    {"int8", 1, 'i'},
    {"int16", 2, 'i'},
    {"int32", 4, 'i'},
    {"int64", 8, 'i'},
    {"uint8", 1, 'u'},
    {"uint16", 2, 'u'},
    {"uint32", 4, 'u'},
    {"uint64", 8, 'u'},
    {"float16", 2, 'f'},
    {"float32", 4, 'f'},
    {"float64", 8, 'f'},
    {"complex64", 8, 'c'},
    {"complex128", 16, 'c'},
}};

const Info &info(DType dtype) { return kInfo[static_cast<std::size_t>(dtype)]; }

DType signedOfSize(std::size_t size)
{
    switch (size) {
    case 1: return DType::Int8;
    case 2: return DType::Int16;
    case 4: return DType::Int32;
    default: return DType::Int64;
    }
}

// The smallest float that holds every value of a discrete dtype, as NumPy sees it.
DType floatFor(DType dtype)
{
    if (isFloat(dtype)) return dtype;
    if (info(dtype).size == 1) return DType::Float16;
    return info(dtype).size == 2 ? DType::Float32 : DType::Float64;
}

} // namespace

std::size_t sizeOf(DType dtype) { return info(dtype).size; }
std::string_view nameOf(DType dtype) { return info(dtype).name; }

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (int i = 0; i < kDTypeCount; ++i)
        if (kInfo[i].name == name) return static_cast<DType>(i);
    return std::nullopt;
}

bool isComplex(DType dtype) { return info(dtype).kind == 'c'; }
bool isFloat(DType dtype) { return info(dtype).kind == 'f'; }
bool isSignedInteger(DType dtype) { return info(dtype).kind == 'i'; }
bool isUnsignedInteger(DType dtype) { return info(dtype).kind == 'u'; }
bool isInteger(DType dtype) { return isSignedInteger(dtype) || isUnsignedInteger(dtype); }
bool isDiscrete(DType dtype) { return isInteger(dtype) || dtype == DType::Bool; }

DType realPart(DType dtype)
{
    if (dtype == DType::Complex64) return DType::Float32;
    if (dtype == DType::Complex128) return DType::Float64;
    return dtype;
}

DType promote(DType a, DType b)
{
    if (a == b) return a;
    if (a == DType::Bool) return b;
    if (b == DType::Bool) return a;
    if (isComplex(a) || isComplex(b)) {
        const DType real = promote(isComplex(a) ? realPart(a) : floatFor(a), isComplex(b) ? realPart(b) : floatFor(b));
        return real == DType::Float64 ? DType::Complex128 : DType::Complex64;
    }
    if (isFloat(a) || isFloat(b)) return std::max(floatFor(a), floatFor(b));
    if (isSignedInteger(a) == isSignedInteger(b)) return sizeOf(a) >= sizeOf(b) ? a : b;
    const DType sgn = isSignedInteger(a) ? a : b;
    const DType uns = isSignedInteger(a) ? b : a;
    if (uns == DType::UInt64) return DType::Float64;
    return signedOfSize(std::max(sizeOf(sgn), sizeOf(uns) * 2));
}

DType floatUpgrade(DType dtype)
{
    if (!isDiscrete(dtype)) return dtype;
    return sizeOf(dtype) <= 2 ? DType::Float32 : DType::Float64;
}

static std::atomic<DType> s_floatX{DType::Float64};
DType floatX() { return s_floatX.load(std::memory_order_relaxed); }
void setFloatX(DType dtype) { s_floatX.store(dtype, std::memory_order_relaxed); }

bool canCastSafely(DType from, DType to) { return promote(from, to) == to; }

} // namespace engine
