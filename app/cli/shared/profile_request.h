#pragma once
// Settings of a worker from options that `profile`, `graph` and `passes` share.

#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"

namespace app {

[[nodiscard]] const std::vector<Option> &settingOptions();
[[nodiscard]] WorkerRequest profileRequest(const Arguments &arguments, const std::string &commandName);

} // namespace app
