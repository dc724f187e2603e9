// When two values count as the same: up to rounding, and up to what roundings do to the graph that gave them.
#pragma once

#include "engine/tensor/value.h"

#include <complex>
#include <random>
#include <string>
#include <vector>

namespace engine {

/// Are these the same values up to rounding? Where `before` is not finite `after` may be better.
bool agree(const Value &before, const Value &after);
/// Of values that do not: "7 became 9", "shape (3,) became (1,)".
std::string differenceText(const Value &before, const Value &after);
/// The largest one between numbers that are finite; of values of the same type and shape, else none.
struct Difference {
    double absolute = 0;
    double relative = 0; ///< to the number as it was

    void widen(const Difference &other);
};
Difference differenceOf(const Value &before, const Value &after);
/// The same numbers; NaN equals NaN.
bool areExactly(const Tensor &a, const Tensor &b);

/// Each floating-point number off by a rounding or two.
Value roundedOtherwise(const Value &value, std::mt19937 &random);

/// No NaN and no infinity in it, as far as it holds numbers.
bool isFinite(const Value &value);
/// The largest number there is where it is infinite.
Value withoutInfinity(const Value &value);

/// A value that differs from what was wanted. Where that changes as much by a few roundings, nothing is wrong: where digits
/// cancel, a rewrite rather brings them back.
class RoundingDoubt {
public:
    RoundingDoubt(const Tensor &wanted, const Tensor &value);
    /// What else came of a few roundings.
    void widen(const Tensor &other);
    bool isRounding() const;

private:
    std::vector<std::complex<double>> m_wanted;
    std::vector<double> m_distance, m_spread;
    std::vector<bool> m_settled;
};

} // namespace engine
