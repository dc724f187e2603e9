#pragma once
// Settings of a worker from options that `profile`, `graph` and `passes` share.

#include "app/cli/command.h"
#include "app/cli/worker.h"

namespace app {

[[nodiscard]] const std::vector<Option> &settingOptions();
[[nodiscard]] WorkerRequest profileRequest(const Arguments &arguments, const std::string &commandName);

} // namespace app
