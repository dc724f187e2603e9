#pragma once
// The bytes of captured arrays: what they are known by, and how they are packed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace profiler {

inline constexpr std::size_t kArrayPartBytes = 4u << 20; // what is packed at once; the last part of an array may be shorter

// 128 bits of hash and the number of bytes: arrays of the same content have the same key. It also tells damage.
[[nodiscard]] std::string arrayKey(std::span<const std::uint8_t> bytes);

// Packs a part. The first bytes of all elements stand together, then the second ones …: those that repeat (signs, exponents, high
// bytes) are compressed by zlib, the others are kept as they are, which a look at some of them decides. Without zlib nothing is compressed.
[[nodiscard]] std::vector<std::uint8_t> packPart(std::span<const std::uint8_t> bytes, std::size_t elementBytes);
// Throws SessionError when it was not packed like this, or does not give `bytes` bytes.
[[nodiscard]] std::vector<std::uint8_t> unpackPart(std::span<const std::uint8_t> packed, std::size_t bytes);

} // namespace profiler
