// A name for a text: two independent hashes of 64 bits as 32 hexadecimal digits.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace engine {

inline std::string digest(std::string_view text)
{
    std::uint64_t a = 1469598103934665603ull, b = 0x9E3779B97F4A7C15ull;
    for (unsigned char c : text) {
        a = (a ^ c) * 1099511628211ull;
        b = (b + c) * 0xD6E8FEB86659FD93ull;
        b ^= b >> 32;
    }
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    return buffer;
}

} // namespace engine
