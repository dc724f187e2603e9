// The devices of the suite, by name: those that this machine has not got are left out, and say why.
#pragma once

#include "engine/device/device.h"

#include <array>
#include <span>
#include <string>

namespace each_device {

inline constexpr std::array kAll{"cpu", "shadow0", "opencl0:0", "cuda0"};
/// Beside the host.
inline constexpr auto kOthers = std::span(kAll).subspan<1>();
/// Null: this machine has not got it.
engine::Device *find(const std::string &name);
std::string problem(const std::string &name);
/// For names of tests: letters, digits and underscores only.
std::string testName(std::string name);

} // namespace each_device
