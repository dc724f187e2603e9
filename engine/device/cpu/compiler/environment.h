// The environment variables that a compile works with. A script may set variables while another thread compiles: that thread uses a copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace engine {

/// NAME=VALUE each.
using EnvironmentCopy = std::vector<std::string>;

/// The variables of this thread: those of the process, unless an EnvironmentInUse gives it a copy.
EnvironmentCopy environmentCopy();
/// Nothing: not set, or empty.
std::optional<std::string> environmentValue(const std::string &name);

/// While it lives, this thread reads the copy. The process's own variables may then be changed by any other thread.
class EnvironmentInUse {
public:
    explicit EnvironmentInUse(const EnvironmentCopy &copy);
    ~EnvironmentInUse();
    EnvironmentInUse(const EnvironmentInUse &) = delete;
    EnvironmentInUse &operator=(const EnvironmentInUse &) = delete;

private:
    const EnvironmentCopy *m_before;
};

} // namespace engine
