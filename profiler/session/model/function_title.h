#pragma once
// What a function is called.

#include "profiler/session/model/model_run.h"

namespace profiler {

// "name", else "file:line" of where it was made. Exact: with the path that was given for the script.
[[nodiscard]] inline std::string functionTitle(const FunctionInfo &function)
{
    return function.name.empty() ? function.location.file + ":" + std::to_string(function.location.line) : function.name;
}

[[nodiscard]] inline bool isNamedByPlace(const FunctionInfo &function)
{
    return function.location.line > 0 && functionTitle(function).ends_with(":" + std::to_string(function.location.line));
}

// For people: a function that is named by its place is "model.py:44", without the folders.
[[nodiscard]] inline std::string shortTitle(const FunctionInfo &function)
{
    const std::string title = functionTitle(function);
    return isNamedByPlace(function) ? title.substr(title.rfind('/') + 1) : title;
}

} // namespace profiler
