#include "profiler/session/codec/array_codec.h"

#include "profiler/session/model/model.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#ifdef CROTON_ZLIB
#include <zlib.h>
#endif

namespace profiler {

namespace {

constexpr std::uint8_t kAsIs = 0, kZlib = 1;
constexpr std::size_t kMostElementBytes = 16;

[[noreturn]] void unreadable(const char *what)
{
    throw SessionError(std::string("a captured array is damaged: ") + what,
                       "the rest of the session can be read; record again with --capture");
}

std::uint64_t wordAt(const std::uint8_t *bytes)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    return word;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
{
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

void putNumber(std::vector<std::uint8_t> &out, std::uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::uint32_t takeNumber(std::span<const std::uint8_t> &from)
{
    if (from.size() < 4) unreadable("it ends early");
    std::uint32_t number = 0;
    for (int i = 3; i >= 0; --i) number = number << 8 | from[static_cast<std::size_t>(i)];
    from = from.subspan(4);
    return number;
}

#ifdef CROTON_ZLIB
// Empty: it does not get smaller.
std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes)
{
    std::vector<std::uint8_t> out(compressBound(bytes.size()));
    uLongf size = out.size();
    if (compress2(out.data(), &size, bytes.data(), bytes.size(), 1) != Z_OK || size >= bytes.size()) return {};
    out.resize(size);
    return out;
}

bool isWorthwhile(std::span<const std::uint8_t> bytes)
{
    constexpr std::size_t kSample = 16u << 10;
    if (bytes.size() <= 2 * kSample) return true;
    const auto sample = bytes.subspan(bytes.size() / 2 / kSample * kSample, kSample);
    const std::size_t size = deflated(sample).size();
    return size > 0 && size < kSample * 4 / 5;
}
#endif

void packPlane(std::vector<std::uint8_t> &out, std::span<const std::uint8_t> plane)
{
#ifdef CROTON_ZLIB
    if (isWorthwhile(plane)) {
        const std::vector<std::uint8_t> small = deflated(plane);
        if (!small.empty()) {
            out.push_back(kZlib);
            putNumber(out, static_cast<std::uint32_t>(small.size()));
            out.insert(out.end(), small.begin(), small.end());
            return;
        }
    }
#endif
    out.push_back(kAsIs);
    putNumber(out, static_cast<std::uint32_t>(plane.size()));
    out.insert(out.end(), plane.begin(), plane.end());
}

void unpackPlane(std::span<const std::uint8_t> &from, std::span<std::uint8_t> plane)
{
    if (from.empty()) unreadable("it ends early");
    const std::uint8_t method = from.front();
    from = from.subspan(1);
    const std::uint32_t size = takeNumber(from);
    if (size > from.size()) unreadable("it ends early");
    const std::span<const std::uint8_t> stored = from.first(size);
    from = from.subspan(size);
    if (method == kAsIs) {
        if (stored.size() != plane.size()) unreadable("it has another size than it says");
        std::ranges::copy(stored, plane.begin());
        return;
    }
    if (method != kZlib) unreadable("it is packed in a way that this croton does not know");
#ifdef CROTON_ZLIB
    uLongf got = plane.size();
    uLong used = stored.size();
    if (uncompress2(plane.data(), &got, stored.data(), &used) != Z_OK || got != plane.size()) unreadable("it cannot be unpacked");
#else
    throw SessionError("captured arrays of this session are compressed, and this croton was built without zlib",
                       "build it where zlib1g-dev is installed");
#endif
}

} // namespace

std::string arrayKey(std::span<const std::uint8_t> bytes)
{
    constexpr std::uint64_t kA = 0x9e3779b97f4a7c15, kB = 0xc2b2ae3d27d4eb4f, kC = 0x165667b19e3779f9, kD = 0xd6e8feb86659fd93;
    std::uint64_t one = kA, other = kB;
    std::size_t at = 0;
    for (; at + 16 <= bytes.size(); at += 16) {
        const std::uint64_t first = wordAt(&bytes[at]), second = wordAt(&bytes[at + 8]);
        one = mixed(one ^ first, second ^ kC) + first;
        other = mixed(std::rotl(other, 29) ^ second, first ^ kD) + second;
    }
    std::uint8_t rest[16] = {};
    if (at < bytes.size()) std::memcpy(rest, &bytes[at], bytes.size() - at);
    one = mixed(one ^ wordAt(rest), wordAt(rest + 8) ^ kC ^ bytes.size());
    other = mixed(other ^ wordAt(rest + 8), wordAt(rest) ^ kD ^ bytes.size());
    char text[64];
    std::snprintf(text, sizeof text, "%016llx%016llx-%zx", static_cast<unsigned long long>(mixed(one ^ kB, kA)),
                  static_cast<unsigned long long>(mixed(other ^ kD, kC)), bytes.size());
    return text;
}

std::vector<std::uint8_t> packPart(std::span<const std::uint8_t> bytes, std::size_t elementBytes)
{
    const std::size_t width = elementBytes > 0 && elementBytes <= kMostElementBytes && bytes.size() % elementBytes == 0 ? elementBytes : 1;
    const std::size_t count = bytes.size() / width;
    std::vector<std::uint8_t> out{static_cast<std::uint8_t>(width)}, plane(count);
    out.reserve(bytes.size() + 64);
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t i = 0; i < count; ++i) plane[i] = bytes[i * width + k];
        packPlane(out, plane);
    }
    return out;
}

std::vector<std::uint8_t> unpackPart(std::span<const std::uint8_t> packed, std::size_t bytes)
{
    if (packed.empty()) unreadable("it ends early");
    const std::size_t width = packed.front();
    if (width == 0 || width > kMostElementBytes || bytes % width != 0) unreadable("its elements have no possible size");
    packed = packed.subspan(1);
    const std::size_t count = bytes / width;
    std::vector<std::uint8_t> out(bytes), plane(count);
    for (std::size_t k = 0; k < width; ++k) {
        unpackPlane(packed, plane);
        for (std::size_t i = 0; i < count; ++i) out[i * width + k] = plane[i];
    }
    if (!packed.empty()) unreadable("more follows than it says");
    return out;
}

} // namespace profiler
