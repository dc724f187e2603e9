#include "engine/liveness/sizes.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace liveness {

std::int64_t bytesNamed(std::string_view text)
{
    std::string word;
    for (char c : text)
        if (!std::isspace(static_cast<unsigned char>(c)) && c != '_')
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number < 0) return -1;
    const std::string unit = word.substr(static_cast<std::size_t>(end - word.data()));
    double factor = 1;
    if (!unit.empty() && unit != "b" && unit != "bytes") {
        const std::size_t power = std::string_view("kmgt").find(unit[0]);
        const std::string rest = unit.substr(1);
        if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) return -1;
        factor = std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(power) + 1);
    }
    const double bytes = number * factor;
    return bytes < 9e18 ? static_cast<std::int64_t>(bytes) : -1;
}

Size inUnit(double bytes)
{
    constexpr const char *kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    constexpr double kRoundsUp = 999.5, kHasDecimals = 99.95; // 999.6 kB is 1.0 MB, and 99.96 MB is 100 MB
    std::size_t unit = 0;
    double value = bytes;
    for (; std::fabs(value) >= kRoundsUp && unit + 1 < std::size(kUnits); value /= 1000) ++unit;
    return {value, unit > 0 && std::fabs(value) < kHasDecimals ? 1 : 0, kUnits[unit]};
}

std::string sizeText(double bytes)
{
    const Size size = inUnit(bytes);
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %s", size.decimals, size.value, size.unit);
    return text;
}

} // namespace liveness
