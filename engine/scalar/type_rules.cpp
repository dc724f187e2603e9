#include "engine/graph/errors.h"
#include "engine/scalar/table.h"

#include <algorithm>

namespace engine {
namespace {

DType promoteAll(std::span<const DType> arguments)
{
    DType result = arguments[0];
    for (DType dtype : arguments.subspan(1)) result = promote(result, dtype);
    return result;
}

DType upgradeAll(std::span<const DType> arguments)
{
    DType result = floatUpgrade(arguments[0]);
    for (DType dtype : arguments.subspan(1)) result = promote(result, floatUpgrade(dtype));
    return result;
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

DType resultOf(TypeRule rule, const ScalarOp &op, std::span<const DType> arguments)
{
    switch (rule) {
    case TypeRule::Upcast: return promoteAll(arguments);
    case TypeRule::UpcastNoBool: {
        const DType result = promoteAll(arguments);
        if (result == DType::Bool) refuse(op, result, "cast to int8 first, or use invert() and xor()");
        return result;
    }
    case TypeRule::UpcastMin8: {
        const DType result = promoteAll(arguments);
        return result == DType::Bool ? DType::Int8 : result;
    }
    case TypeRule::UpcastNoComplex: refuseComplex(op, arguments); return promoteAll(arguments);
    case TypeRule::FloatOnly:
        for (DType dtype : arguments)
            if (!isFloat(dtype)) refuse(op, dtype, "cast to a float dtype first");
        return promoteAll(arguments);
    case TypeRule::FloatUpgrade: return upgradeAll(arguments);
    case TypeRule::FloatUpgradeReal: refuseComplex(op, arguments); return upgradeAll(arguments);
    case TypeRule::TrueDiv:
        return std::all_of(arguments.begin(), arguments.end(), isDiscrete) ? floatX() : promoteAll(arguments);
    case TypeRule::CompareReal: refuseComplex(op, arguments); return DType::Bool;
    case TypeRule::Compare:
    case TypeRule::Test: return DType::Bool;
    case TypeRule::Bits:
        for (DType dtype : arguments)
            if (!isDiscrete(dtype)) refuse(op, dtype, "bitwise functions want bool or integers");
        return promoteAll(arguments);
    case TypeRule::Second: return arguments[1];
    case TypeRule::Switch: return promote(arguments[1], arguments[2]);
    case TypeRule::RealPart:
    case TypeRule::Magnitude: return realPart(arguments[0]);
    case TypeRule::Angle: return DType::Float64;
    case TypeRule::Complex:
        refuseComplex(op, arguments);
        return promoteAll(arguments) == DType::Float32 ? DType::Complex64 : DType::Complex128;
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
    case TypeRule::Bits: result = promoteAll(arguments); break;
    case TypeRule::UpcastMin8:
        result = promoteAll(arguments);
        if (result == DType::Bool) result = DType::Int8;
        break;
    case TypeRule::FloatUpgrade:
    case TypeRule::FloatUpgradeReal: result = upgradeAll(arguments); break;
    case TypeRule::TrueDiv:
        result = std::all_of(arguments.begin(), arguments.end(), isDiscrete) ? floatX() : promoteAll(arguments);
        break;
    case TypeRule::Second: result = arguments[1]; break;
    case TypeRule::Switch: result = promote(arguments[1], arguments[2]); break;
    case TypeRule::Complex:
        result = promoteAll(arguments) == DType::Float32 ? DType::Float32 : DType::Float64;
        break;
    case TypeRule::Test:
    case TypeRule::RealPart:
    case TypeRule::Angle: return std::nullopt;
    }
    return result == DType::Float16 ? DType::Float32 : result;
}

} // namespace engine
