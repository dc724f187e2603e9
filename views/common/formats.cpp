#include "views/common/formats.h"

#include "engine/liveness/sizes.h"
#include "views/common/numbers.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>
#include <cmath>

namespace views::formats {
namespace {

constexpr QChar kUnitSpace(0x00A0);
constexpr QChar kThousandSpace(0x202F);
constexpr QChar kMinus(0x2212);

QString fixed(double value, int decimals)
{
    QString text = number(std::fabs(value), 'f', decimals);
    if (value < 0 && text.contains(QRegularExpression(QStringLiteral("[1-9]")))) text.prepend(kMinus);
    return text;
}

QString withUnit(double value, int decimals, const char *unit) { return fixed(value, decimals) + kUnitSpace + QString::fromUtf8(unit); }

QString scaled(double value, const std::array<const char *, 5> &units)
{
    double scaledValue = value;
    std::size_t unit = 0;
    while (std::fabs(scaledValue) >= 999.5 && unit + 1 < units.size()) {
        scaledValue /= 1000.0;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::fabs(scaledValue) < 99.95 ? 1 : 0;
    return withUnit(scaledValue, decimals, units[unit]);
}

} // namespace

QString time(double seconds)
{
    if (!std::isfinite(seconds)) return QStringLiteral("–");
    const double size = std::fabs(seconds);
    if (size >= 0.9995) return withUnit(seconds, 3, "s");
    if (size >= 0.9995e-3) return withUnit(seconds * 1e3, 2, "ms");
    if (size >= 0.9995e-6) return withUnit(seconds * 1e6, 1, "µs");
    return size == 0 ? withUnit(0, 0, "µs") : withUnit(seconds * 1e6, 3, "µs");
}

QString timeLike(double seconds, double reference)
{
    if (!std::isfinite(seconds)) return QStringLiteral("–");
    const double size = std::fabs(reference);
    if (size >= 0.9995) return withUnit(seconds, 3, "s");
    if (size >= 0.9995e-3) return withUnit(seconds * 1e3, 2, "ms");
    return withUnit(seconds * 1e6, 1, "µs");
}

QString timeNs(double ns) { return time(ns * 1e-9); }

QString signedTimeNs(double ns) { return (ns > 0 ? QStringLiteral("+") : QString()) + timeNs(ns); }

QString seconds(double seconds) { return withUnit(seconds, 3, "s"); }

QString bytes(double bytes)
{
    const liveness::Size size = liveness::inUnit(bytes);
    return withUnit(size.value, size.decimals, size.unit);
}

QString percent(double share)
{
    if (!std::isfinite(share)) return QStringLiteral("–");
    const double value = share * 100.0;
    if (value > 0 && value < 0.05) return QLatin1Char('<') + fixed(0.1, 1) + QLatin1Char('%');
    return fixed(value, 1) + QLatin1Char('%');
}

QString signedPercent(double share)
{
    return (share > 0 ? QStringLiteral("+") : share < 0 ? QString(kMinus) : QString()) + percent(std::fabs(share));
}

QString count(std::int64_t value)
{
    QString digits = QString::number(value < 0 ? -value : value);
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, kThousandSpace);
    if (value < 0) digits.prepend(kMinus);
    return digits;
}

QString signedCount(std::int64_t value) { return value > 0 ? QLatin1Char('+') + count(value) : count(value); }

QString flopRate(double flopPerSecond) { return scaled(flopPerSecond, {"flop/s", "kflop/s", "Mflop/s", "Gflop/s", "Tflop/s"}); }

QString byteRate(double bytesPerSecond) { return scaled(bytesPerSecond, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}); }

QString elapsed(double seconds)
{
    const auto whole = static_cast<std::int64_t>(seconds);
    if (whole < 60) return QStringLiteral("%1 s").arg(whole);
    return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

} // namespace views::formats
