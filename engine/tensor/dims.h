// A short list of sizes or strides, kept in place: no allocation for any array a person writes.
#pragma once

#include "engine/tensor/errors.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace engine {

inline constexpr int kMaxRank = 12;

class Dims {
public:
    Dims() = default;
    Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
    explicit Dims(std::span<const std::int64_t> values)
    {
        resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) m_values[i] = values[i];
    }
    Dims(std::size_t count, std::int64_t value)
    {
        resize(count);
        for (std::size_t i = 0; i < count; ++i) m_values[i] = value;
    }

    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    int rank() const { return static_cast<int>(m_size); }
    void resize(std::size_t count)
    {
        if (count > static_cast<std::size_t>(kMaxRank))
            throw UserError("arrays of more than " + std::to_string(kMaxRank) + " dimensions are not supported");
        for (std::size_t i = m_size; i < count; ++i) m_values[i] = 0;
        m_size = static_cast<std::uint8_t>(count);
    }
    void push_back(std::int64_t value)
    {
        resize(m_size + 1u);
        m_values[m_size - 1u] = value;
    }
    std::int64_t &operator[](std::size_t i) { return m_values[i]; }
    std::int64_t operator[](std::size_t i) const { return m_values[i]; }
    const std::int64_t *data() const { return m_values.data(); }
    std::int64_t *data() { return m_values.data(); }
    const std::int64_t *begin() const { return m_values.data(); }
    const std::int64_t *end() const { return m_values.data() + m_size; }
    std::int64_t *begin() { return m_values.data(); }
    std::int64_t *end() { return m_values.data() + m_size; }
    operator std::span<const std::int64_t>() const { return {m_values.data(), m_size}; }

    std::int64_t product() const
    {
        std::int64_t result = 1;
        for (std::int64_t value : *this) result *= value;
        return result;
    }
    friend bool operator==(const Dims &a, const Dims &b)
    {
        if (a.m_size != b.m_size) return false;
        for (std::size_t i = 0; i < a.m_size; ++i)
            if (a.m_values[i] != b.m_values[i]) return false;
        return true;
    }

    /// "(400, 784)", "(3,)", "()" - as Python prints a tuple.
    std::string text() const;

private:
    std::array<std::int64_t, kMaxRank> m_values{};
    std::uint8_t m_size = 0;
};

/// Strides in bytes of a C-contiguous array.
Dims contiguousStrides(std::span<const std::int64_t> shape, std::size_t itemSize);

/// Bytes from `begin` to before `end`, counted from the first element of an array: negative strides lie before it.
struct ByteRange {
    std::int64_t begin = 0, end = 0;
};

/// What an array with these strides in bytes covers; an empty range, if it has no element.
inline ByteRange byteRange(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::size_t itemSize)
{
    ByteRange range{0, static_cast<std::int64_t>(itemSize)};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 0) return {};
        const std::int64_t reach = (shape[axis] - 1) * strides[axis];
        (reach < 0 ? range.begin : range.end) += reach;
    }
    return range;
}

} // namespace engine
