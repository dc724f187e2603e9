#pragma once
// The table of subcommands, in the order of `croton --help`: help, completions and the manual are made of it.

#include "app/cli/shared/command.h"

#include <string>
#include <vector>

namespace app {

[[nodiscard]] std::vector<Command> commands();
[[nodiscard]] std::string helpOfAll();

// "bash", "zsh" or "fish": a script that completes commands, options and files. Throws UsageError.
[[nodiscard]] std::string completionScript(const std::string &shell);
// croton(1) in the man macros.
[[nodiscard]] std::string manualPage();

} // namespace app
