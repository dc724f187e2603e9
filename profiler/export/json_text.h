#pragma once
// JSON as text, of strings that may hold anything.

#include "profiler/session/codec/printable.h"

#include <nlohmann/json.hpp>

#include <string>

namespace profiler {

// With an end of line. What is no UTF-8 reads as U+FFFD; control characters are escaped. `indent` -1: all in one line.
template <class Json>
[[nodiscard]] std::string jsonText(const Json &json, int indent = 2)
{
    return printableJson(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + "\n";
}

} // namespace profiler
