// Sizes in words, and words for sizes: "200MB", "1.5 GiB", "4096".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace liveness {

/// kB, MB and GB count by 1000; KiB, MiB and GiB by 1024. -1: no size.
std::int64_t bytesNamed(std::string_view text);
/// "9999 B", "10.0 kB": by 1000, in a unit in which neighbours of a table can be compared. Theano's own tables count by 1024, as Theano
/// does.
std::string sizeText(std::int64_t bytes);

} // namespace liveness
