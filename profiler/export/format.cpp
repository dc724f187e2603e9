#include "profiler/export/format.h"

namespace profiler {

double percentOf(std::int64_t part, std::int64_t whole)
{
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string listed(const std::vector<std::string> &words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

std::string elided(const std::string &text, std::size_t width)
{
    if (text.size() <= width) return text;
    std::size_t end = width - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end; // not inside of a character
    return text.substr(0, end) + "...";
}

std::string duration(double ns)
{
    const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    for (const auto &[scale, unit] : units)
        if (ns >= scale || scale == 1) return format("%.*f %s", ns / scale >= 100 ? 0 : ns / scale >= 10 ? 1 : 2, ns / scale, unit);
    return {};
}

} // namespace profiler
