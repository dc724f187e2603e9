// Stable sorting digit by digit, from the lowest one on: a few passes over the memory, whatever the values are.
#pragma once

#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace engine::radix {

template <std::size_t bytes>
using KeyOfSize =
    std::conditional_t<bytes == 1, std::uint8_t,
                       std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
using Key = KeyOfSize<sizeof(T)>;

template <class T>
inline constexpr Key<T> kTopBit = static_cast<Key<T>>(Key<T>(1) << (8 * sizeof(T) - 1));

/// Unsigned numbers in the order of the values, NaN last.
template <class T>
inline Key<T> keyOf(T value)
{
    Key<T> bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    if constexpr (std::is_floating_point_v<T>) {
        const Key<T> ordered =
            bits ^ (bits & kTopBit<T> ? static_cast<Key<T>>(~Key<T>(0)) : kTopBit<T>); // no branches: loops become vectors
        return value != value ? static_cast<Key<T>>(~Key<T>(0)) : ordered;
    } else {
        return std::is_signed_v<T> ? static_cast<Key<T>>(bits ^ kTopBit<T>) : bits;
    }
}

/// The same, where -0 is 0.
template <class T>
inline Key<T> orderedKeyOf(T value)
{
    return keyOf(value == T(0) ? T(0) : value);
}

template <class T>
inline T valueOf(Key<T> key)
{
    if constexpr (std::is_floating_point_v<T>) key = key & kTopBit<T> ? static_cast<Key<T>>(key ^ kTopBit<T>) : static_cast<Key<T>>(~key);
    else if constexpr (std::is_signed_v<T>) key ^= kTopBit<T>;
    T value;
    __builtin_memcpy(&value, &key, sizeof value);
    return value;
}

/// From here on it pays: each digit costs a walk over 256 counters.
template <class T>
inline bool pays(std::int64_t count)
{
    return count >= static_cast<std::int64_t>(32 * sizeof(T)) && count < (std::int64_t(1) << 32);
}

/// body(first, end) for [0, count) in parts, between which it looks for an interrupt.
template <class Body>
void inParts(std::size_t count, Body body)
{
    constexpr std::size_t kPart = 1 << 20;
    for (std::size_t first = 0; first < count; first += kPart) {
        if (first > 0) checkInterrupt();
        body(first, std::min(first + kPart, count));
    }
}

/// Sorts by `key(item)`; the result is in one of the two arrays, which is returned.
template <class K, class Item, class KeyOf>
Item *sort(Item *items, Item *spare, std::size_t count, KeyOf key)
{
    std::uint32_t counts[sizeof(K)][256] = {};
    inParts(count, [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            const K k = key(items[i]);
            for (std::size_t digit = 0; digit < sizeof(K); ++digit) ++counts[digit][static_cast<std::uint8_t>(k >> (8 * digit))];
        }
    });
    for (std::size_t digit = 0; digit < sizeof(K); ++digit) {
        std::uint32_t *places = counts[digit];
        if (places[static_cast<std::uint8_t>(key(items[0]) >> (8 * digit))] == count) continue; // all have the same
        std::uint32_t before = 0;
        for (int value = 0; value < 256; ++value) {
            const std::uint32_t here = places[value];
            places[value] = before;
            before += here;
        }
        inParts(count, [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) spare[places[static_cast<std::uint8_t>(key(items[i]) >> (8 * digit))]++] = items[i];
        });
        std::swap(items, spare);
    }
    return items;
}

} // namespace engine::radix
