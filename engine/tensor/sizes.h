// How many bytes an array takes, where sizes come from the person and may be anything.
#pragma once

#include "engine/tensor/dims.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/errors.h"

#include <new>
#include <string>

namespace engine {

/// More than any machine addresses; Python shows it as MemoryError.
class TooLarge : public std::bad_alloc {
public:
    explicit TooLarge(std::string text) : m_text(std::move(text)) {}
    const char *what() const noexcept override { return m_text.c_str(); }

private:
    std::string m_text;
};

/// Throws ShapeMismatch for a negative size, TooLarge where the product is beyond 2^47 bytes.
inline std::size_t checkedBytes(const Dims &shape, DType dtype)
{
    constexpr std::int64_t limit = std::int64_t(1) << 47;
    auto bytes = static_cast<std::int64_t>(sizeOf(dtype));
    bool isEmpty = false, isLarge = false;
    for (std::int64_t size : shape) {
        if (size < 0) throw ShapeMismatch("an array cannot have the shape " + shape.text() + ": a size is negative");
        isEmpty |= size == 0;
        isLarge |= size > limit || __builtin_mul_overflow(bytes, size == 0 ? 1 : size, &bytes) || bytes > limit;
    }
    if (isEmpty) return 0;
    if (isLarge)
        throw TooLarge("an array of shape " + shape.text() + " and dtype " + std::string(nameOf(dtype)) + " does not fit into any memory");
    return static_cast<std::size_t>(bytes);
}

/// A size as libraries count it. Throws ShapeMismatch where it is larger than they do.
inline int librarySize(std::int64_t size, const char *library)
{
    constexpr std::int64_t most = 0x7fffffff;
    if (size > most)
        throw ShapeMismatch("a size of " + std::to_string(size) + " is more than " + library + " counts (" + std::to_string(most) + ")",
                            "cut the array into parts");
    return static_cast<int>(size);
}

} // namespace engine
