#include "engine/scalar/special.h"
#include "engine/scalar/table.h"

#include <cmath>

namespace engine {
namespace {

using R = TypeRule;
using S = ScalarCode;
using A = const double *;

const ScalarRow kRows[] = {
    {S::Lt, "LT", "lt", "LT", "<", "<", 2, R::CompareReal, 1, "($0 < $1)", nullptr, [](A a, std::size_t) { return double(a[0] < a[1]); },
     nullptr},
    {S::Gt, "GT", "gt", "GT", ">", ">", 2, R::CompareReal, 1, "($0 > $1)", nullptr, [](A a, std::size_t) { return double(a[0] > a[1]); },
     nullptr},
    {S::Le, "LE", "le", "LE", "≤", "<=", 2, R::CompareReal, 1, "($0 <= $1)", nullptr, [](A a, std::size_t) { return double(a[0] <= a[1]); },
     nullptr},
    {S::Ge, "GE", "ge", "GE", "≥", ">=", 2, R::CompareReal, 1, "($0 >= $1)", nullptr, [](A a, std::size_t) { return double(a[0] >= a[1]); },
     nullptr},
    {S::Eq, "EQ", "eq", "EQ", "=", "==", 2, R::Compare, 1, "($0 == $1)", nullptr, [](A a, std::size_t) { return double(a[0] == a[1]); },
     nullptr},
    {S::Neq, "NEQ", "neq", "NEQ", "≠", "!=", 2, R::Compare, 1, "($0 != $1)", nullptr, [](A a, std::size_t) { return double(a[0] != a[1]); },
     nullptr},
    {S::IsNan, "IsNan", "isnan", "IsNan", "isnan", "", 1, R::Test, 1, "($0 != $0)", "0",
     [](A a, std::size_t) { return double(std::isnan(a[0])); }, nullptr},
    {S::IsInf, "IsInf", "isinf", "IsInf", "isinf", "", 1, R::Test, 1, "($0 == $0 && $0 - $0 != 0)", "0",
     [](A a, std::size_t) { return double(std::isinf(a[0])); }, nullptr},
    {S::InRange, "InRange{closed}", "inclosedrange", "InRange", "in range", "", 3, R::CompareReal, 2, "($0 >= $1 && $0 <= $2)", nullptr,
     [](A a, std::size_t) { return double(a[0] >= a[1] && a[0] <= a[2]); }, nullptr},
    {S::And, "AND", "and_", "AND", "&", "&", -1, R::Bits, 1, "($0 & $1)", nullptr,
     [](A a, std::size_t n) {
         std::int64_t result = std::int64_t(a[0]);
         for (std::size_t i = 1; i < n; ++i) result &= std::int64_t(a[i]);
         return double(result);
     },
     nullptr},
    {S::Or, "OR", "or_", "OR", "|", "|", -1, R::Bits, 1, "($0 | $1)", nullptr,
     [](A a, std::size_t n) {
         std::int64_t result = std::int64_t(a[0]);
         for (std::size_t i = 1; i < n; ++i) result |= std::int64_t(a[i]);
         return double(result);
     },
     nullptr},
    {S::Xor, "XOR", "xor", "XOR", "^", "^", -1, R::Bits, 1, "($0 ^ $1)", nullptr,
     [](A a, std::size_t n) {
         std::int64_t result = std::int64_t(a[0]);
         for (std::size_t i = 1; i < n; ++i) result ^= std::int64_t(a[i]);
         return double(result);
     },
     nullptr},
    // The bool case is !x; the text for it is made by TableScalar.
    {S::Invert, "INVERT", "invert", "Invert", "~", "", 1, R::Bits, 1, "(~$0)", nullptr,
     [](A a, std::size_t) { return double(~std::int64_t(a[0])); }, nullptr},
    {S::Ceil, "ceil", "ceil", "Ceil", "⌈x⌉", "", 1, R::FloatUpgradeReal, 1, "th_ceil@($0)", nullptr,
     [](A a, std::size_t) { return std::ceil(a[0]); }, nullptr},
    {S::Floor, "floor", "floor", "Floor", "⌊x⌋", "", 1, R::FloatUpgradeReal, 1, "th_floor@($0)", nullptr,
     [](A a, std::size_t) { return std::floor(a[0]); }, nullptr},
    {S::Trunc, "trunc", "trunc", "Trunc", "trunc", "", 1, R::FloatUpgradeReal, 1, "th_trunc@($0)", nullptr,
     [](A a, std::size_t) { return std::trunc(a[0]); }, nullptr},
    {S::RoundHalfToEven, "RoundHalfToEven", "round_half_to_even", "RoundHalfToEven", "round", "", 1, R::FloatOnly, 1, "th_rint@($0)",
     nullptr, [](A a, std::size_t) { return special::roundHalfToEven(a[0]); }, nullptr},
    {S::RoundHalfAwayFromZero, "RoundHalfAwayFromZero", "round_half_away_from_zero", "RoundHalfAwayFromZero", "round", "", 1, R::FloatOnly,
     1, "th_round@($0)", nullptr, [](A a, std::size_t) { return std::round(a[0]); }, nullptr},
};

} // namespace

std::span<const ScalarRow> logicRows() { return kRows; }

} // namespace engine
