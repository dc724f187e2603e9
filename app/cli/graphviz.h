#pragma once

#include <string>

namespace app {

// Runs `dot -Tsvg` as a child process. Throws CliError when there is none or it fails.
[[nodiscard]] std::string svgOfDot(const std::string &dot);

} // namespace app
