#include "engine/device/cpu/compiler/environment.h"

#include <cstdlib>
#include <utility>

extern char **environ;

namespace engine {
namespace {

thread_local const EnvironmentCopy *t_inUse = nullptr;

} // namespace

EnvironmentInUse::EnvironmentInUse(const EnvironmentCopy &copy) : m_before(std::exchange(t_inUse, &copy)) {}
EnvironmentInUse::~EnvironmentInUse() { t_inUse = m_before; }

EnvironmentCopy environmentCopy()
{
    if (t_inUse) return *t_inUse;
    EnvironmentCopy copy;
    for (char **entry = environ; entry && *entry; ++entry) copy.emplace_back(*entry);
    return copy;
}

std::optional<std::string> environmentValue(const std::string &name)
{
    std::string value;
    if (!t_inUse) {
        if (const char *text = std::getenv(name.c_str())) value = text;
    } else {
        for (const std::string &entry : *t_inUse)
            if (entry.starts_with(name + "=")) {
                value = entry.substr(name.size() + 1);
                break;
            }
    }
    return value.empty() ? std::nullopt : std::optional(value);
}

} // namespace engine
