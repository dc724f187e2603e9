// What the rows of rt/functions say of a scalar function beside its value.
#pragma once

#include "engine/scalar/terms.h"

#include <span>
#include <vector>

namespace engine {

/// How the dtype of the result and of the computation follow from the arguments.
enum class TypeRule : std::uint8_t {
    Upcast,           ///< NumPy's promotion
    UpcastNoBool,     ///< the same, two bools are refused
    UpcastMin8,       ///< the same, bool becomes int8
    UpcastNoComplex,  ///< the same, complex is refused
    FloatOnly,        ///< promotion of floats, anything else is refused
    FloatUpgrade,     ///< discrete arguments become float32 or float64
    FloatUpgradeReal, ///< the same, complex is refused
    TrueDiv,          ///< two discrete arguments give floatX
    Compare,          ///< bool, computed in the promotion
    CompareReal,      ///< the same, complex is refused
    Test,             ///< bool, the argument stays as it is
    Bits,             ///< promotion of discrete dtypes, floats are refused
    Second,           ///< dtype of the second argument
    Switch,           ///< promotion of the second and third argument
    RealPart,         ///< the real dtype of a complex one
    Magnitude,        ///< the same, computed in the complex dtype
    Float64Real,      ///< float64; complex is refused
    Angle,            ///< float64
    Complex,          ///< complex128, or complex64 if both arguments fit float32
};

DType resultOf(TypeRule rule, const ScalarOp &op, std::span<const DType> arguments);
std::optional<DType> computeOf(TypeRule rule, std::span<const DType> arguments);

/// One term per argument.
using Derivative = std::vector<terms::Term> (*)(const terms::Chain &chain);

struct ScalarRow {
    ScalarCode code;
    const char *name;
    const char *symbol;
    const char *className;
    const char *friendly;
    const char *infix;
    int arity;
    TypeRule types;
    double cost;
    Derivative derivative; ///< null: zero everywhere
};

std::span<const ScalarRow> scalarRows();

} // namespace engine
