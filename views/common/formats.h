#pragma once

#include <QString>

#include <concepts>
#include <cstdint>
#include <optional>

/// Numbers as the studio writes them: always the same digits for the same unit, a no-break space before the unit.
namespace views::formats {

/// "0.718 µs", "22.3 µs", "4.12 ms", "2.866 s"; negative values keep a true minus sign.
QString time(double seconds);
QString timeNs(double ns);
inline QString timeNs(std::integral auto ns) { return timeNs(static_cast<double>(ns)); }
/// "+0.718 µs", "−22.3 µs": a difference with its sign.
QString signedTimeNs(double ns);
inline QString signedTimeNs(std::integral auto ns) { return signedTimeNs(static_cast<double>(ns)); }
/// In the unit that `time` gives the reference, so that a column has one unit: "11.02 ms", "0.08 ms".
QString timeLike(double seconds, double reference);
/// Seconds with three digits whatever the size: the columns of the tables.
QString seconds(double seconds);
/// "384 B", "1.6 kB", "14.2 MB": decimal units.
QString bytes(double bytes);
inline QString bytes(std::integral auto size) { return bytes(static_cast<double>(size)); }
/// "31.6%" from a share of 1. Under 0.05 % but not zero: "<0.1%".
QString percent(double share);
/// "+31.6%", "−0.4%": a difference with its sign.
QString signedPercent(double share);
/// "10 002" with thin no-break spaces.
QString count(std::int64_t value);
/// "−3", "+4", "0": a difference with its sign.
QString signedCount(std::int64_t value);
/// "1.23 Gflop/s" from flops per second; "28.2 GB/s" from bytes per second.
QString flopRate(double flopPerSecond);
QString byteRate(double bytesPerSecond);
/// Step of an elapsed time for people: "12 s", "3 min 5 s".
QString elapsed(double seconds);

} // namespace views::formats
