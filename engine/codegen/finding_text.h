// How a kernel notes what it finds wrong: it has an array `found` and a number `tag`.
#pragma once

#include "engine/device/device_findings.h"

#include <string>

namespace engine {

/// Where something is wrong, the first that comes writes it down. The parts are texts of numbers.
inline std::string findingText(Finding kind, const std::string &value, const std::string &place, const std::string &size)
{
    const auto word = [](FindingWord at, const std::string &x) {
        return "found[" + std::to_string(static_cast<int>(at)) + "] = " + x + "; ";
    };
    return "if (th_isFirst(found)) { " + word(FindingWord::Tag, "tag") + word(FindingWord::Kind, std::to_string(static_cast<int>(kind))) +
           word(FindingWord::Value, value) + word(FindingWord::Place, place) + word(FindingWord::Size, size) + "}";
}

} // namespace engine
