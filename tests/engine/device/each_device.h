// The devices that the tests of all devices run on. Those that this machine does not have are skipped with the reason.
#pragma once

#include "engine/device/device.h"

#include <string>
#include <vector>

namespace each_device {

/// Except the host: the shadow device, and one of each kind of devices that Croton knows.
std::vector<const char *> others();
/// The device of this name, or the first of this kind. Null if this machine does not have it.
engine::Device *find(const std::string &name);
std::string problem(const std::string &name);
/// For names of tests: letters, digits and underscores only.
std::string testName(std::string name);

} // namespace each_device
