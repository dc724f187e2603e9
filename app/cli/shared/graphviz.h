#pragma once

#include <string>
#include <vector>

namespace app {

// Runs `dot -Tsvg` as a child process. Throws CliError when there is none or it fails.
[[nodiscard]] std::string svgOfDot(const std::string &dot);
// One for each, by one child process; empty for an empty text.
[[nodiscard]] std::vector<std::string> svgsOfDots(const std::vector<std::string> &dots);

} // namespace app
