#include "engine/scalar/table.h"

#include <cmath>
#include <numbers>

namespace engine {
namespace {

using namespace terms;
using R = TypeRule;
using S = ScalarCode;
using A = const double *;
using Terms = std::vector<Term>;

// x² in the dtype of the result: int8 would overflow.
Term squared(const Chain &c, std::size_t i = 0) { return call(S::Sqr, real(c, i)); }
Term sqrtOf(const Term &x) { return call(S::Sqrt, x); }

const ScalarRow kRows[] = {
    {S::Sin, "sin", "sin", "Sin", "sin", "", 1, R::FloatUpgrade, 12, "th_sin@($0)", nullptr,
     [](A a, std::size_t) { return std::sin(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Cos, c.in[0])}; }},
    {S::Cos, "cos", "cos", "Cos", "cos", "", 1, R::FloatUpgrade, 12, "th_cos@($0)", nullptr,
     [](A a, std::size_t) { return std::cos(a[0]); }, [](const Chain &c) -> Terms { return {-c.g * call(S::Sin, c.in[0])}; }},
    {S::Tan, "tan", "tan", "Tan", "tan", "", 1, R::FloatUpgrade, 16, "th_tan@($0)", nullptr,
     [](A a, std::size_t) { return std::tan(a[0]); }, [](const Chain &c) -> Terms { return {c.g / call(S::Sqr, call(S::Cos, c.in[0]))}; }},
    {S::Sinh, "sinh", "sinh", "Sinh", "sinh", "", 1, R::FloatUpgrade, 14, "th_sinh@($0)", nullptr,
     [](A a, std::size_t) { return std::sinh(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Cosh, c.in[0])}; }},
    {S::Cosh, "cosh", "cosh", "Cosh", "cosh", "", 1, R::FloatUpgrade, 14, "th_cosh@($0)", nullptr,
     [](A a, std::size_t) { return std::cosh(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Sinh, c.in[0])}; }},
    {S::Tanh, "tanh", "tanh", "Tanh", "tanh", "", 1, R::FloatUpgrade, 12, "th_tanh@($0)", nullptr,
     [](A a, std::size_t) { return std::tanh(a[0]); }, [](const Chain &c) -> Terms { return {c.g * (1 - call(S::Sqr, c.out))}; }},
    {S::Arcsin, "arcsin", "arcsin", "ArcSin", "arcsin", "", 1, R::FloatUpgrade, 16, "th_asin@($0)", nullptr,
     [](A a, std::size_t) { return std::asin(a[0]); }, [](const Chain &c) -> Terms { return {c.g / sqrtOf(1 - squared(c))}; }},
    {S::Arccos, "arccos", "arccos", "ArcCos", "arccos", "", 1, R::FloatUpgrade, 16, "th_acos@($0)", nullptr,
     [](A a, std::size_t) { return std::acos(a[0]); }, [](const Chain &c) -> Terms { return {-c.g / sqrtOf(1 - squared(c))}; }},
    {S::Arctan, "arctan", "arctan", "ArcTan", "arctan", "", 1, R::FloatUpgrade, 16, "th_atan@($0)", nullptr,
     [](A a, std::size_t) { return std::atan(a[0]); }, [](const Chain &c) -> Terms { return {c.g / (1 + squared(c))}; }},
    {S::Arcsinh, "arcsinh", "arcsinh", "ArcSinh", "arcsinh", "", 1, R::FloatUpgrade, 16, "th_asinh@($0)", nullptr,
     [](A a, std::size_t) { return std::asinh(a[0]); }, [](const Chain &c) -> Terms { return {c.g / sqrtOf(squared(c) + 1)}; }},
    {S::Arccosh, "arccosh", "arccosh", "ArcCosh", "arccosh", "", 1, R::FloatUpgrade, 16, "th_acosh@($0)", nullptr,
     [](A a, std::size_t) { return std::acosh(a[0]); }, [](const Chain &c) -> Terms { return {c.g / sqrtOf(squared(c) - 1)}; }},
    {S::Arctanh, "arctanh", "arctanh", "ArcTanh", "arctanh", "", 1, R::FloatUpgrade, 16, "th_atanh@($0)", nullptr,
     [](A a, std::size_t) { return std::atanh(a[0]); }, [](const Chain &c) -> Terms { return {c.g / (1 - squared(c))}; }},
    {S::Arctan2, "arctan2", "arctan2", "ArcTan2", "arctan2", "", 2, R::FloatUpgradeReal, 20, "th_atan2@($0, $1)", nullptr,
     [](A a, std::size_t) { return std::atan2(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         const Term norm = squared(c, 0) + squared(c, 1);
         return {c.g * c.in[1] / norm, -c.g * c.in[0] / norm};
     }},
    {S::Deg2Rad, "deg2rad", "deg2rad", "Deg2Rad", "deg2rad", "", 1, R::FloatUpgradeReal, 1, "th_deg2rad@($0)", nullptr,
     [](A a, std::size_t) { return a[0] * (std::numbers::pi / 180); },
     [](const Chain &c) -> Terms { return {c.g * (std::numbers::pi / 180)}; }},
    {S::Rad2Deg, "rad2deg", "rad2deg", "Rad2Deg", "rad2deg", "", 1, R::FloatUpgradeReal, 1, "th_rad2deg@($0)", nullptr,
     [](A a, std::size_t) { return a[0] * (180 / std::numbers::pi); },
     [](const Chain &c) -> Terms { return {c.g * (180 / std::numbers::pi)}; }},
};

} // namespace

std::span<const ScalarRow> trigonometricRows() { return kRows; }

} // namespace engine
