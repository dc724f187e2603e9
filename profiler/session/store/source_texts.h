#pragma once
// The text of single lines of a script and its modules.

#include "profiler/session/model/model.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

class SourceTexts {
public:
    SourceTexts() = default; // knows no line
    explicit SourceTexts(const std::vector<SourceFile> &files);

    // Without the space around it; empty where the session does not hold it.
    [[nodiscard]] std::string of(const SourceLine &line) const;

private:
    std::unordered_map<std::string, std::vector<std::string>> m_lines;
};

} // namespace profiler
