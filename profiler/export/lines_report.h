#pragma once
// What a person reads first: the slowest lines of the script, why they are slow, and what to try.

#include "profiler/export/report.h"
#include "profiler/session/store/source_texts.h"

#include <string>

namespace profiler {

// The slowest lines and the tips, then Theano's tables.
[[nodiscard]] std::string linesReport(const ProfileData &data, const SourceTexts &texts, const ReportOptions &options = {});
// The slowest line, and why it is slow or, without a tip for it, the first tip. Empty where no compiled function was called.
[[nodiscard]] std::string slowestLineText(const ProfileData &data, const SourceTexts &texts);
// Where a library, or a function of the script, has the time: the script's lines that called it. Empty where no line calls another.
[[nodiscard]] std::string callingLines(std::vector<LineRow> lines, const SourceTexts &texts, std::size_t most);

} // namespace profiler
