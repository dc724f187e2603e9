#pragma once
// Small things that several files here say.

#include "profiler/lessons/value.h"

#include <string>
#include <vector>

namespace profiler {

// "a, b, c"; "none" of nothing.
[[nodiscard]] inline std::string listOf(const std::vector<std::string> &names)
{
    std::string all;
    for (const std::string &name : names) all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "none" : all;
}

using FactArguments = std::vector<Value>;
// An argument as a word; empty where there is none.
[[nodiscard]] inline std::string word(const FactArguments &arguments, std::size_t index)
{
    return index < arguments.size() ? textOf(arguments[index]) : std::string();
}

} // namespace profiler
