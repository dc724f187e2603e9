#pragma once
// LEB128: seven bits a byte, lowest first. Ids are small, so most numbers take one or two bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace profiler {

inline void putVarint(std::vector<std::uint8_t> &out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::uint8_t>(value));
}

// Ids with "none" = 0xffffffff as 0, so that none takes one byte.
inline void putId(std::vector<std::uint8_t> &out, std::uint32_t id) { putVarint(out, static_cast<std::uint32_t>(id + 1)); }

class VarintReader {
public:
    explicit VarintReader(std::span<const std::uint8_t> bytes) : m_bytes(bytes) {}
    [[nodiscard]] bool atEnd() const { return m_at == m_bytes.size(); }
    [[nodiscard]] std::size_t left() const { return m_bytes.size() - m_at; }

    // nullopt at the end of the bytes or for a number over 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> next()
    {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && m_at < m_bytes.size(); shift += 7) {
            const std::uint8_t byte = m_bytes[m_at++];
            if (shift == 63 && byte > 1) return std::nullopt;
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::span<const std::uint8_t>> take(std::size_t count)
    {
        if (count > left()) return std::nullopt;
        const auto part = m_bytes.subspan(m_at, count);
        m_at += count;
        return part;
    }

private:
    std::span<const std::uint8_t> m_bytes;
    std::size_t m_at = 0;
};

} // namespace profiler
