// Sizes in words: "200MB", "1.5 GiB", "4096".
#pragma once

#include <cstdint>
#include <string_view>

namespace liveness {

/// KB, MB and GB count by 1024, as the reports do. -1: no size.
std::int64_t bytesNamed(std::string_view text);

} // namespace liveness
