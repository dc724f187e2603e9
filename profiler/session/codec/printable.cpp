#include "profiler/session/codec/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace profiler {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool isValid = true;
};

// The first character of a text that has one.
Character firstOf(std::string_view text)
{
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000}; // what needs so many bytes
    std::uint32_t code = lead & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80u) return {0, i, false};
        code = (code << 6) | (byte(i) & 0x3fu);
    }
    const bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (lead < 0xc2 || lead > 0xf4 || code < kLeast[bytes] || code > 0x10ffff || isSurrogate) return {0, 1, false};
    return {code, bytes};
}

bool isControl(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xfffe || code == 0xffff; // XML refuses the last two
}

std::string escapeOf(std::uint32_t code, bool isJson)
{
    char text[16];
    std::snprintf(text, sizeof text, code < 0x80 && !isJson ? "\\x%02x" : "\\u%04x", code);
    return text;
}

// Control characters that `keeps` takes stay as they are: called with what comes from there on.
template <class Keeps>
std::string withoutControls(std::string_view text, bool isJson, Keeps keeps)
{
    const auto isPlain = [](char c) { return c >= 0x20 && c < 0x7f; }; // no byte of a longer character is
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto plain = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), isPlain);
        const auto end = static_cast<std::size_t>(plain - text.begin());
        out += text.substr(at, end - at);
        at = end;
        if (at == text.size()) break;
        const Character one = firstOf(text.substr(at));
        if (!one.isValid) out += kReplacement;
        else if (!isControl(one.code) || keeps(text.substr(at))) out += text.substr(at, one.bytes);
        else if (one.code == '\n') out += "\\n";
        else out += escapeOf(one.code, isJson);
        at += one.bytes;
    }
    return out;
}

} // namespace

std::string printable(std::string_view text)
{
    return withoutControls(text, false,
                           [](std::string_view rest) { return rest[0] == '\n' || rest[0] == '\t' || rest.starts_with("\r\n"); });
}

std::string printableInLine(std::string_view text)
{
    return withoutControls(text, false, [](std::string_view) { return false; });
}

std::string printableJson(std::string_view json)
{
    return withoutControls(json, true, [](std::string_view rest) { return rest[0] == '\n'; });
}

} // namespace profiler
