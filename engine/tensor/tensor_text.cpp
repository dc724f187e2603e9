// Arrays as NumPy prints them (str(array), eight digits, summarised beyond 1000 elements), but on one line.
#include "engine/tensor/convert.h"
#include "engine/tensor/tensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace engine {
namespace {

constexpr std::int64_t kSummaryThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr int kPrecision = 8;

/// 0.d1d2d3… × 10^exponent with the fewest digits that read back as the same value of the dtype.
struct Digits {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

Digits shortest(double value, DType dtype)
{
    char buffer[40];
    char *end = buffer;
    const DType real = realPart(dtype);
    const double magnitude = std::fabs(value);
    if (real == DType::Float64) {
        end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific).ptr;
    } else if (real == DType::Float32) {
        end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(magnitude), std::chars_format::scientific).ptr;
    } else {
        const Half wanted = floatToHalf(static_cast<float>(magnitude));
        for (int digits = 0; digits < 6; ++digits) {
            end = buffer + std::snprintf(buffer, sizeof buffer, "%.*e", digits, magnitude);
            if (floatToHalf(std::strtof(buffer, nullptr)).bits == wanted.bits) break;
        }
    }
    const std::string text(buffer, end);
    const std::size_t e = text.find('e');
    Digits result;
    result.negative = std::signbit(value);
    for (char c : text.substr(0, e))
        if (c != '.') result.digits += c;
    result.exponent = std::atoi(text.c_str() + e + 1) + 1;
    while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
    if (result.digits == "0") result.exponent = 1;
    return result;
}

struct Parts {
    std::string whole, fraction, exponent; ///< sign in `whole`
};

// Rounds half away in decimal digits that were cut from the exact value by printf, as NumPy's cutoff does.
Parts positional(double value, DType dtype)
{
    const Digits d = shortest(value, dtype);
    const int fraction = static_cast<int>(d.digits.size()) - d.exponent;
    Parts parts;
    if (fraction > kPrecision) {
        char buffer[400];
        std::snprintf(buffer, sizeof buffer, "%.*f", kPrecision, std::fabs(value));
        const std::string text = buffer;
        const std::size_t dot = text.find('.');
        parts.whole = text.substr(0, dot);
        parts.fraction = text.substr(dot + 1);
    } else if (d.exponent <= 0) {
        parts.whole = "0";
        parts.fraction = std::string(static_cast<std::size_t>(-d.exponent), '0') + d.digits;
    } else if (fraction <= 0) {
        parts.whole = d.digits + std::string(static_cast<std::size_t>(-fraction), '0');
    } else {
        parts.whole = d.digits.substr(0, static_cast<std::size_t>(d.exponent));
        parts.fraction = d.digits.substr(static_cast<std::size_t>(d.exponent));
    }
    while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.pop_back();
    if (d.negative) parts.whole.insert(0, 1, '-');
    return parts;
}

std::string exponentText(int exponent)
{
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return buffer;
}

Parts scientific(double value, DType dtype, int precision)
{
    Digits d = shortest(value, dtype);
    if (static_cast<int>(d.digits.size()) > precision + 1) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%.*e", precision, std::fabs(value));
        const std::string text = buffer;
        const std::size_t e = text.find('e');
        d.digits = text.substr(0, 1) + text.substr(2, e - 2);
        d.exponent = std::atoi(text.c_str() + e + 1) + 1;
        while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
    }
    const bool zero = d.digits == "0";
    return {(d.negative ? "-" : "") + d.digits.substr(0, 1), d.digits.substr(1), exponentText(zero ? 0 : d.exponent - 1)};
}

std::string nonFinite(double value) { return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf"; }

// A number that stands alone: 0.5, 1.0, 1e-05.
std::string scalarText(double value, DType dtype)
{
    if (!std::isfinite(value)) return nonFinite(value);
    const double magnitude = std::fabs(value);
    const Digits d = shortest(value, dtype);
    const std::string sign = d.negative ? "-" : "";
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
        std::string text = sign + d.digits.substr(0, 1);
        if (d.digits.size() > 1) text += "." + d.digits.substr(1);
        return text + exponentText(d.exponent - 1);
    }
    const auto length = static_cast<int>(d.digits.size());
    if (d.exponent <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-d.exponent), '0') + d.digits;
    if (d.exponent >= length) return sign + d.digits + std::string(static_cast<std::size_t>(d.exponent - length), '0') + ".0";
    return sign + d.digits.substr(0, static_cast<std::size_t>(d.exponent)) + "." + d.digits.substr(static_cast<std::size_t>(d.exponent));
}

// The parts of a complex number without trailing ".0": (1+2j).
std::string complexText(double re, double im, DType dtype)
{
    const auto part = [&](double value) {
        std::string text = scalarText(value, dtype);
        if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
        return text;
    };
    std::string second = part(im);
    if (second[0] != '-') second.insert(0, 1, '+');
    return "(" + part(re) + second + "j)";
}

std::string imagScalar(const Tensor &tensor, std::int64_t index)
{
    const Tensor wide = tensor.converted(DType::Complex128);
    const auto *element = wide.as<std::complex<double>>() + index;
    return complexText(element->real(), element->imag(), tensor.dtype());
}

class ArrayText {
public:
    ArrayText(const Tensor &tensor, std::size_t limit) : m_tensor(tensor), m_limit(limit), m_summary(tensor.size() > kSummaryThreshold) {}

    std::string run()
    {
        collect(0, 0);
        format();
        write(0);
        return std::move(m_out);
    }

private:
    bool skips(std::int64_t size) const { return m_summary && size > 2 * kEdgeItems; }

    template <class F>
    void eachShown(int axis, F visit) const
    {
        const std::int64_t size = m_tensor.shape()[axis];
        for (std::int64_t i = 0; i < size; ++i) {
            if (skips(size) && i == kEdgeItems) i = size - kEdgeItems;
            visit(i);
        }
    }

    void collect(int axis, std::int64_t flat)
    {
        if (axis == m_tensor.rank()) {
            m_shown.push_back(flat);
            return;
        }
        eachShown(axis, [&](std::int64_t i) { collect(axis + 1, flat * m_tensor.shape()[axis] + i); });
    }

    void format()
    {
        const DType dtype = m_tensor.dtype();
        if (isFloat(dtype)) {
            formatFloats();
            return;
        }
        for (std::int64_t index : m_shown) {
            if (dtype == DType::Bool) m_texts.push_back(m_tensor.intAt(index) ? "True" : "False");
            else if (dtype == DType::UInt64) m_texts.push_back(std::to_string(static_cast<std::uint64_t>(m_tensor.intAt(index))));
            else if (isInteger(dtype)) m_texts.push_back(std::to_string(m_tensor.intAt(index)));
            else m_texts.push_back(imagScalar(m_tensor, index));
        }
        std::size_t width = 0;
        for (const std::string &text : m_texts) width = std::max(width, text.size());
        if (dtype == DType::Bool) width = std::max(width, std::size_t{5});
        if (isComplex(dtype)) return;
        for (std::string &text : m_texts) text.insert(0, width - text.size(), ' ');
    }

    void formatFloats()
    {
        const DType dtype = m_tensor.dtype();
        double largest = 0, smallest = INFINITY;
        bool finiteOnly = true, negativeInfinity = false;
        std::vector<double> values;
        for (std::int64_t index : m_shown) {
            values.push_back(m_tensor.at(index));
            const double value = values.back(), magnitude = std::fabs(value);
            if (!std::isfinite(value)) {
                finiteOnly = false;
                negativeInfinity |= value < 0;
            } else if (magnitude != 0) {
                largest = std::max(largest, magnitude);
                smallest = std::min(smallest, magnitude);
            }
        }
        const bool exponents = largest != 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000.0);
        std::vector<Parts> parts(values.size());
        std::size_t left = 0, fraction = 0, exponent = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i])) continue;
            parts[i] = exponents ? scientific(values[i], dtype, kPrecision) : positional(values[i], dtype);
            left = std::max(left, parts[i].whole.size());
            fraction = std::max(fraction, parts[i].fraction.size());
            exponent = std::max(exponent, parts[i].exponent.size());
        }
        const std::size_t right = fraction + exponent;
        if (!finiteOnly) {
            const std::size_t wanted = 3u + (negativeInfinity ? 1u : 0u);
            if (wanted > right + 1) left = std::max(left, wanted - right - 1);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i])) {
                std::string text = nonFinite(values[i]);
                const std::size_t width = left + right + 1;
                if (text.size() < width) text.insert(0, width - text.size(), ' ');
                m_texts.push_back(std::move(text));
                continue;
            }
            Parts &part = parts[i];
            std::string text = std::string(left - part.whole.size(), ' ') + part.whole + "." + part.fraction;
            // Digits fill up with zeros before an exponent, with blanks where the number ends.
            text += std::string(fraction - part.fraction.size(), exponents ? '0' : ' ');
            m_texts.push_back(text + part.exponent);
        }
    }

    void write(int axis)
    {
        if (m_out.size() > m_limit) return;
        if (axis == m_tensor.rank()) {
            m_out += m_texts[m_next++];
            return;
        }
        m_out += '[';
        bool first = true;
        const std::int64_t size = m_tensor.shape()[axis];
        eachShown(axis, [&](std::int64_t i) {
            if (!first) m_out += ' ';
            if (skips(size) && i == size - kEdgeItems) m_out += "... ";
            first = false;
            write(axis + 1);
        });
        m_out += ']';
    }

    const Tensor &m_tensor;
    std::size_t m_limit;
    bool m_summary;
    std::vector<std::int64_t> m_shown;
    std::vector<std::string> m_texts;
    std::size_t m_next = 0;
    std::string m_out;
};

} // namespace

std::string Tensor::text(std::size_t limit) const
{
    if (device() != DeviceId::Host) return m_shape.text() + " on a device";
    std::string out;
    if (rank() == 0) {
        if (m_dtype == DType::Bool) out = intAt(0) ? "True" : "False";
        else if (m_dtype == DType::UInt64) out = std::to_string(static_cast<std::uint64_t>(intAt(0)));
        else if (isInteger(m_dtype)) out = std::to_string(intAt(0));
        else if (isComplex(m_dtype)) out = imagScalar(*this, 0);
        else out = scalarText(at(0), m_dtype);
    } else {
        out = size() == 0 ? "[]" : ArrayText(*this, limit).run();
    }
    if (out.size() > limit) out = out.substr(0, limit) + "…";
    return out;
}

} // namespace engine
