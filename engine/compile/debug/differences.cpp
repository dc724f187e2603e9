#include "engine/compile/debug/differences.h"

#include "engine/tensor/dtype.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
namespace {

// float16 and float32 lose more digits than a reordered sum of float64 does.
double toleranceOf(DType dtype) { return realPart(dtype) == DType::Float64 ? 1e-6 : 1e-4; }

using Complex = std::complex<double>;

bool isFinite(const Complex &value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

bool agreeAt(const Complex &before, const Complex &after, double tolerance)
{
    return !isFinite(before) || std::abs(before - after) <= tolerance * (std::abs(before) + 0.1);
}

std::vector<Complex> numbersOf(const Tensor &tensor)
{
    const Tensor wide = tensor.converted(DType::Complex128);
    const auto *first = wide.as<Complex>();
    return {first, first + wide.size()};
}

std::string complexText(const Complex &value)
{
    if (value.imag() == 0) return Tensor::scalar(DType::Float64, value.real()).text();
    Tensor number = Tensor::empty(DType::Complex128, {});
    *number.as<Complex>() = value;
    return number.text();
}

template <class T>
void disturb(T *numbers, std::int64_t count, double step, std::mt19937 &random)
{
    std::uniform_int_distribution<int> roundings(-2, 2);
    for (std::int64_t i = 0; i < count; ++i) numbers[i] = static_cast<T>(numbers[i] * (1 + step * roundings(random)));
}

template <class T>
void bound(T *numbers, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        if (std::isinf(numbers[i])) numbers[i] = std::copysign(std::numeric_limits<T>::max(), numbers[i]);
}

/// `change(numbers, how many)` on a copy, the parts of complex ones for themselves; of float16 as `Half` says: its numbers as float32.
template <class Change, class Half>
Value changed(const Value &value, Change change, Half half)
{
    if (!value.isTensor() || isDiscrete(value.tensor().dtype())) return value;
    const Tensor &tensor = value.tensor();
    const std::int64_t parts = isComplex(tensor.dtype()) ? 2 : 1;
    switch (realPart(tensor.dtype())) {
    case DType::Float64: {
        Tensor other = tensor.copy();
        change(other.as<double>(), parts * other.size());
        return other;
    }
    case DType::Float32: {
        Tensor other = tensor.copy();
        change(other.as<float>(), parts * other.size());
        return other;
    }
    default: {
        Tensor wide = tensor.converted(DType::Float32);
        half(wide.as<float>(), wide.size());
        return wide.converted(tensor.dtype());
    }
    }
}

} // namespace

bool agree(const Value &before, const Value &after)
{
    if (!before.isTensor() || !after.isTensor()) return before.isTensor() == after.isTensor();
    const Tensor &a = before.tensor(), &b = after.tensor();
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    if (isDiscrete(a.dtype())) return a.sameAs(b);
    const double tolerance = toleranceOf(a.dtype());
    const std::vector<Complex> x = numbersOf(a), y = numbersOf(b);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!agreeAt(x[i], y[i], tolerance)) return false;
    return true;
}

std::string differenceText(const Value &before, const Value &after)
{
    if (!before.isTensor() || !after.isTensor()) return "another kind of value";
    const Tensor &x = before.tensor(), &y = after.tensor();
    if (x.dtype() != y.dtype()) return std::string(nameOf(x.dtype())) + " became " + std::string(nameOf(y.dtype()));
    if (x.shape() != y.shape()) return "shape " + x.shape().text() + " became " + y.shape().text();
    const std::vector<Complex> a = numbersOf(x), b = numbersOf(y);
    const double tolerance = isDiscrete(x.dtype()) ? 0 : toleranceOf(x.dtype());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!agreeAt(a[i], b[i], tolerance)) return complexText(a[i]) + " became " + complexText(b[i]);
    return "the values differ";
}

void Difference::widen(const Difference &other)
{
    absolute = std::max(absolute, other.absolute);
    relative = std::max(relative, other.relative);
}

Difference differenceOf(const Value &before, const Value &after)
{
    Difference largest;
    if (!before.isTensor() || !after.isTensor()) return largest;
    const Tensor &a = before.tensor(), &b = after.tensor();
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return largest;
    const std::vector<Complex> x = numbersOf(a), y = numbersOf(b);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!isFinite(x[i]) || !isFinite(y[i]) || x[i] == y[i]) continue;
        const double distance = std::abs(x[i] - y[i]);
        largest.widen({distance, x[i] == Complex() ? 0 : distance / std::abs(x[i])});
    }
    return largest;
}

bool areExactly(const Tensor &a, const Tensor &b)
{
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    if (a.sameAs(b)) return true;
    if (isDiscrete(a.dtype())) return false;
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    const std::vector<Complex> x = numbersOf(a), y = numbersOf(b);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!same(x[i].real(), y[i].real()) || !same(x[i].imag(), y[i].imag())) return false;
    return true;
}

Value roundedOtherwise(const Value &value, std::mt19937 &random)
{
    const auto half = [&](float *numbers, std::int64_t count) { disturb(numbers, count, 0x1p-10, random); };
    const auto change = [&]<class T>(T *numbers, std::int64_t count) {
        disturb(numbers, count, std::numeric_limits<T>::epsilon(), random);
    };
    return changed(value, change, half);
}

bool isFinite(const Value &value)
{
    if (!value.isTensor() || isDiscrete(value.tensor().dtype())) return true;
    const std::vector<Complex> numbers = numbersOf(value.tensor());
    return std::all_of(numbers.begin(), numbers.end(), [](const Complex &number) { return isFinite(number); });
}

Value withoutInfinity(const Value &value)
{
    constexpr float kLargestHalf = 65504;
    const auto half = [](float *numbers, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            if (std::isinf(numbers[i])) numbers[i] = std::copysign(kLargestHalf, numbers[i]);
    };
    return changed(
        value, [](auto *numbers, std::int64_t count) { bound(numbers, count); }, half);
}

RoundingDoubt::RoundingDoubt(const Tensor &wanted, const Tensor &value) : m_wanted(numbersOf(wanted))
{
    const double tolerance = toleranceOf(wanted.dtype());
    const std::vector<Complex> got = numbersOf(value);
    for (std::size_t i = 0; i < m_wanted.size(); ++i) {
        m_distance.push_back(std::abs(got[i] - m_wanted[i]));
        m_settled.push_back(agreeAt(m_wanted[i], got[i], tolerance));
    }
    m_spread.assign(m_wanted.size(), 0);
}

void RoundingDoubt::widen(const Tensor &other)
{
    const std::vector<Complex> numbers = numbersOf(other);
    if (numbers.size() != m_wanted.size()) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        m_spread[i] = std::fmax(m_spread[i], std::abs(numbers[i] - m_wanted[i]));
        if (!isFinite(numbers[i]) || m_distance[i] <= 4 * m_spread[i]) m_settled[i] = true;
    }
}

bool RoundingDoubt::isRounding() const
{
    return std::all_of(m_settled.begin(), m_settled.end(), [](bool settled) { return settled; });
}

} // namespace engine
