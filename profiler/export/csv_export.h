#pragma once
// One table of a session as CSV (RFC 4180, UTF-8, a header line, times in nanoseconds).

#include "profiler/stats/times/tables.h"

#include <string>
#include <vector>

namespace profiler {

// A text as a cell, on one line. What a spreadsheet would take for a formula (=, +, -, @ and no number) begins with an apostrophe.
[[nodiscard]] std::string csvCell(const std::string &text);
// Names of the tables there are: "applies", "ops", "classes", "lines", "functions", "rewrites", "memory", "transfers".
[[nodiscard]] const std::vector<std::string> &csvTables();
// Throws SessionError for a table that is not one of them.
[[nodiscard]] std::string csvTable(const ProfileData &data, const std::string &table, const TableScope &scope = {});

} // namespace profiler
