// A number as the sum of two, each with 113 bits and far more range than a double, and how far it may be off: what the digits of
// others are measured with. The two need not lie close together, so 1 + exp(-800) is neither 1 nor rounded.
#pragma once

#include "engine/scalar/scalar_op.h"

#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace engine {

__extension__ typedef __float128 Quad;
inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }
inline long double size(Quad x) { return static_cast<long double>(magnitude(x)); }
/// What one operation on 113 bits loses, with some room.
inline constexpr long double kQuadRounding = 0x1p-111L;

class Precise {
public:
    Precise() = default;
    template <class T>
    requires std::is_arithmetic_v<T> Precise(T value) : m_high(value) {}
    /// `high` is the larger one.
    static Precise of(Quad high, Quad low, long double error);
    static Precise exact(Quad value) { return of(value, 0, 0); }

    Quad high() const { return m_high; }
    Quad low() const { return m_low; }
    /// It is off by at most that much.
    long double error() const { return m_error; }
    bool isNan() const { return m_high != m_high; }
    bool isFinite() const;
    bool isZero() const { return m_high == 0 && m_low == 0; }
    double toDouble() const { return static_cast<double>(m_high); }
    /// The same with an error that is larger by `more`.
    Precise blurred(long double more) const { return of(m_high, m_low, m_error + more); }

    friend Precise operator+(const Precise &x, const Precise &y);
    friend Precise operator-(const Precise &x, const Precise &y) { return x + -y; }
    friend Precise operator*(const Precise &x, const Precise &y);
    friend Precise operator/(const Precise &x, const Precise &y);
    Precise operator-() const { return of(-m_high, -m_low, m_error); }
    Precise &operator+=(const Precise &y) { return *this = *this + y; }

    // By their values, whatever their errors.
    friend bool operator<(const Precise &x, const Precise &y) { return x.m_high < y.m_high || (x.m_high == y.m_high && x.m_low < y.m_low); }
    friend bool operator>(const Precise &x, const Precise &y) { return y < x; }
    friend bool operator==(const Precise &x, const Precise &y) { return x.m_high == y.m_high && x.m_low == y.m_low; }
    friend bool operator<=(const Precise &x, const Precise &y) { return x < y || x == y; }
    friend bool operator>=(const Precise &x, const Precise &y) { return y <= x; }

private:
    Quad m_high = 0, m_low = 0;
    long double m_error = 0;
};

/// The value of a scalar function (not of a Composite); `result` is the dtype that it has in the graph. Nothing: the function has no form
/// of more than 53 bits (the special functions without one in the C library, complex numbers).
std::optional<Precise> preciseValue(const ScalarOp &function, std::span<const Precise> arguments, DType result);

/// Digits of `value` that are wrong, of those that a number of `dtype` has: 0 where it is right to the last one, all of
/// them where nothing of it is, as where a number too small for the dtype became 0. What the reference cannot tell counts as right.
double digitsLost(double value, const Precise &reference, DType dtype);
/// Decimal digits that a number of that dtype has; 0: none, it is counted with.
double digitsOf(DType dtype);
/// "1.9287498479639177783e-22"
std::string textOf(const Precise &value, int digits);
/// Is the reference good enough to tell the last digit of such a number?
bool isSure(const Precise &reference, DType dtype);

} // namespace engine
