#include "engine/scalar/cast_policy.h"
#include "engine/scalar/table.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <atomic>

namespace engine {
namespace {

std::atomic<bool> s_lowers{false};

DType upgradeAll(std::span<const DType> arguments)
{
    DType result = floatUpgrade(arguments[0]);
    for (DType dtype : arguments.subspan(1)) result = promote(result, floatUpgrade(dtype));
    return result;
}

// The real and imaginary part of a complex number made of two real ones.
DType pairPart(std::span<const DType> arguments)
{
    return floatUpgrade(upcast(arguments)) == DType::Float64 ? DType::Float64 : DType::Float32;
}

[[noreturn]] void refuse(const ScalarOp &op, DType dtype, const char *hint)
{
    throw TypeMismatch("[" + op.symbol() + "] is not defined for " + std::string(nameOf(dtype)), hint);
}

void refuseComplex(const ScalarOp &op, std::span<const DType> arguments)
{
    for (DType dtype : arguments)
        if (isComplex(dtype)) refuse(op, dtype, "use real(), imag() or abs_() first");
}

} // namespace

void setLowersToFloatX(bool lowers) { s_lowers.store(lowers, std::memory_order_relaxed); }

DType upcast(std::span<const DType> dtypes)
{
    DType result = dtypes[0];
    for (DType dtype : dtypes.subspan(1)) result = promote(result, dtype);
    const DType widest = floatX();
    if (!s_lowers.load(std::memory_order_relaxed) || !isFloat(result) || sizeOf(result) <= sizeOf(widest)) return result;
    const bool asked =
        std::any_of(dtypes.begin(), dtypes.end(), [&](DType dtype) { return isFloat(dtype) && sizeOf(dtype) > sizeOf(widest); });
    return asked ? result : widest;
}

DType resultOf(TypeRule rule, const ScalarOp &op, std::span<const DType> arguments)
{
    switch (rule) {
    case TypeRule::Upcast: return upcast(arguments);
    case TypeRule::UpcastNoBool: {
        const DType result = upcast(arguments);
        if (result == DType::Bool) refuse(op, result, "cast to int8 first, or use invert() and xor()");
        return result;
    }
    case TypeRule::UpcastMin8: {
        const DType result = upcast(arguments);
        return result == DType::Bool ? DType::Int8 : result;
    }
    case TypeRule::UpcastNoComplex: refuseComplex(op, arguments); return upcast(arguments);
    case TypeRule::FloatOnly:
        for (DType dtype : arguments)
            if (!isFloat(dtype)) refuse(op, dtype, "cast to a float dtype first");
        return upcast(arguments);
    case TypeRule::FloatUpgrade: return upgradeAll(arguments);
    case TypeRule::FloatUpgradeReal: refuseComplex(op, arguments); return upgradeAll(arguments);
    case TypeRule::Float64Real: refuseComplex(op, arguments); return DType::Float64;
    case TypeRule::TrueDiv: return std::all_of(arguments.begin(), arguments.end(), isDiscrete) ? floatX() : upcast(arguments);
    case TypeRule::CompareReal: refuseComplex(op, arguments); return DType::Bool;
    case TypeRule::Compare:
    case TypeRule::Test: return DType::Bool;
    case TypeRule::Bits:
        for (DType dtype : arguments)
            if (!isDiscrete(dtype)) refuse(op, dtype, "bitwise functions want bool or integers");
        if (!isDiscrete(upcast(arguments)))
            refuse(op, upcast(arguments), "no integer dtype holds all numbers of uint64 and of a signed one: cast one of the two first");
        return upcast(arguments);
    case TypeRule::Second: return arguments[1];
    case TypeRule::Switch: return upcast(arguments[1], arguments[2]);
    case TypeRule::RealPart:
    case TypeRule::Magnitude: return realPart(arguments[0]);
    case TypeRule::Angle: return DType::Float64;
    case TypeRule::Complex: refuseComplex(op, arguments); return sizeOf(pairPart(arguments)) == 4 ? DType::Complex64 : DType::Complex128;
    }
    return arguments[0];
}

std::optional<DType> computeOf(TypeRule rule, std::span<const DType> arguments)
{
    DType result = DType::Float64;
    switch (rule) {
    case TypeRule::Upcast:
    case TypeRule::UpcastNoBool:
    case TypeRule::UpcastNoComplex:
    case TypeRule::FloatOnly:
    case TypeRule::Compare:
    case TypeRule::CompareReal:
    case TypeRule::Magnitude:
    case TypeRule::Bits: result = upcast(arguments); break;
    case TypeRule::UpcastMin8:
        result = upcast(arguments);
        if (result == DType::Bool) result = DType::Int8;
        break;
    case TypeRule::FloatUpgrade:
    case TypeRule::FloatUpgradeReal: result = upgradeAll(arguments); break;
    case TypeRule::TrueDiv: result = std::all_of(arguments.begin(), arguments.end(), isDiscrete) ? floatX() : upcast(arguments); break;
    case TypeRule::Float64Real: break;
    case TypeRule::Second: result = arguments[1]; break;
    case TypeRule::Switch: result = upcast(arguments[1], arguments[2]); break;
    case TypeRule::Complex: return pairPart(arguments);
    case TypeRule::Test:
    case TypeRule::RealPart:
    case TypeRule::Angle: return std::nullopt;
    }
    return result == DType::Float16 ? DType::Float32 : result;
}

} // namespace engine
