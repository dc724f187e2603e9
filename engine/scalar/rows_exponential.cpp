#include "engine/scalar/special.h"
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

const ScalarRow kRows[] = {
    {S::Exp, "exp", "exp", "Exp", "exp", "", 1, R::FloatUpgrade, 10, "th_exp@($0)", nullptr,
     [](A a, std::size_t) { return std::exp(a[0]); }, [](const Chain &c) -> Terms { return {c.g * c.out}; }},
    {S::Exp2, "exp2", "exp2", "Exp2", "2ˣ", "", 1, R::FloatUpgrade, 10, "th_exp2@($0)", nullptr,
     [](A a, std::size_t) { return std::exp2(a[0]); }, [](const Chain &c) -> Terms { return {c.g * c.out * std::numbers::ln2}; }},
    {S::Expm1, "expm1", "expm1", "Expm1", "eˣ−1", "", 1, R::FloatUpgrade, 10, "th_expm1@($0)", nullptr,
     [](A a, std::size_t) { return std::expm1(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Exp, c.in[0])}; }},
    {S::Log, "log", "log", "Log", "log", "", 1, R::FloatUpgrade, 10, "th_log@($0)", nullptr,
     [](A a, std::size_t) { return std::log(a[0]); }, [](const Chain &c) -> Terms { return {c.g / c.in[0]}; }},
    {S::Log2, "log2", "log2", "Log2", "log₂", "", 1, R::FloatUpgrade, 10, "th_log2@($0)", nullptr,
     [](A a, std::size_t) { return std::log2(a[0]); },
     [](const Chain &c) -> Terms { return {c.g / (c.in[0] * number(std::numbers::ln2, c.out))}; }},
    {S::Log10, "log10", "log10", "Log10", "log₁₀", "", 1, R::FloatUpgrade, 10, "th_log10@($0)", nullptr,
     [](A a, std::size_t) { return std::log10(a[0]); },
     [](const Chain &c) -> Terms { return {c.g / (c.in[0] * number(std::numbers::ln10, c.out))}; }},
    {S::Log1p, "log1p", "log1p", "Log1p", "log(1+x)", "", 1, R::FloatUpgrade, 12, "th_log1p@($0)", nullptr,
     [](A a, std::size_t) { return std::log1p(a[0]); }, [](const Chain &c) -> Terms { return {c.g / (number(1, c.out) + c.in[0])}; }},
    {S::Sigmoid, "scalar_sigmoid", "sigmoid", "ScalarSigmoid", "σ", "", 1, R::FloatUpgradeReal, 12, "th_sigmoid@($0)", nullptr,
     [](A a, std::size_t) { return special::sigmoid(a[0]); }, [](const Chain &c) -> Terms { return {c.g * c.out * (1 - c.out)}; }},
    {S::Softplus, "scalar_softplus", "softplus", "ScalarSoftplus", "softplus", "", 1, R::FloatUpgradeReal, 20, "th_softplus@($0)", nullptr,
     [](A a, std::size_t) { return special::softplus(a[0]); }, [](const Chain &c) -> Terms { return {c.g * call(S::Sigmoid, c.in[0])}; }},
    {S::UltraFastSigmoid, "ultra_fast_scalar_sigmoid", "ultra_fast_sigmoid", "UltraFastScalarSigmoid", "σ≈", "", 1, R::FloatUpgradeReal, 5,
     "th_ultrafastsigmoid@($0)", nullptr, [](A a, std::size_t) { return special::ultraFastSigmoid(a[0]); },
     [](const Chain &c) -> Terms {
         const Term exact = call(S::Sigmoid, c.in[0]);
         return {c.g * exact * (1 - exact)};
     }},
    {S::XLogX, "xlogx", "xlogx", "XlogX", "x·log x", "", 1, R::FloatUpgradeReal, 12, "th_xlogx@($0)", nullptr,
     [](A a, std::size_t) { return special::xlogx(a[0]); }, [](const Chain &c) -> Terms { return {c.g * (1 + call(S::Log, c.in[0]))}; }},
    {S::XLogY0, "xlogy0", "xlogy0", "XlogY0", "x·log y", "", 2, R::FloatUpgradeReal, 12, "th_xlogy0@($0, $1)", nullptr,
     [](A a, std::size_t) { return special::xlogy0(a[0], a[1]); },
     [](const Chain &c) -> Terms {
         return {c.g * call(S::Log, c.in[1]), c.g * c.in[0] / c.in[1]};
     }},
};

} // namespace

std::span<const ScalarRow> exponentialRows() { return kRows; }

} // namespace engine
