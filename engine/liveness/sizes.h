// Sizes in words, and words for sizes: "200MB", "1.5 GiB", "4096".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace liveness {

/// kB, MB and GB count by 1000; KiB, MiB and GiB by 1024. -1: no size.
std::int64_t bytesNamed(std::string_view text);
/// A size in the unit that is read best: below 1000, by 1000. All of Croton says sizes so; only Theano's own tables count by 1024.
struct Size {
    double value = 0;
    int decimals = 0;
    const char *unit = "B";
};
Size inUnit(double bytes);
/// "999 B", "1.6 kB", "14.2 MB", "142 MB".
std::string sizeText(double bytes);
inline std::string sizeText(std::int64_t bytes) { return sizeText(static_cast<double>(bytes)); }
inline std::string sizeText(std::size_t bytes) { return sizeText(static_cast<double>(bytes)); }

} // namespace liveness
