#pragma once
// Pieces that the reports share.

#include "profiler/export/report.h"
#include "profiler/stats/advice/advice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

// "Memory Profile" of one function, or the maximum over several.
[[nodiscard]] std::string memoryProfile(const ProfileData &data, const std::vector<FunctionId> &functions, const ReportOptions &options);
// What Croton lays out for them and what the allocator saw, for the one that took most; empty where nothing was measured.
[[nodiscard]] std::string memoryAsItRuns(const ProfileData &data, const std::vector<FunctionId> &functions, const ReportOptions &options);
// Of each op that ran on a device: the time that the host gave it, the one it took where launches wait, the device's own. Empty without.
[[nodiscard]] std::string deviceTimes(const ProfileData &data, const TableScope &scope);
// Of each called function: a call now and at the roofs of the machine, and the applies that make the difference.
[[nodiscard]] std::string headroomText(const ProfileData &data, const TableScope &scope, int rows = 5);
// One paragraph for each tip; "Sorry, no tip for today." when there is none.
[[nodiscard]] std::string adviceText(const std::vector<Advice> &advice);
// Theano's tips, then Croton's own, under Theano's title.
[[nodiscard]] std::string tipsText(const ProfileData &data);
// Theano's profile of the optimizer: passes by time, rewrites by time, those that never applied.
[[nodiscard]] std::string theanoOptimizerProfile(const ProfileData &data, FunctionId function);
// "... (remaining 7 Ops account for   3.20%(0.01s) of the runtime)": the rows behind the first `shown`, their share in that width and
// digits.
[[nodiscard]] std::string restOfTable(const Table &table, std::size_t shown, const char *what, int width, int digits);
// Of calls, around their applies; estimated times of applies may come out above those of the calls: then 0.
[[nodiscard]] std::int64_t overheadNs(std::int64_t callNs, std::int64_t thunkNs);
// What people call it, in at most so many letters: of a place the end, which tells places apart.
[[nodiscard]] std::string titleIn(std::size_t width, const FunctionInfo &function);
// The name of an apply with its inputs.
[[nodiscard]] std::string applyName(const ProfileData &data, const ApplyKey &node);
// "Recording took 0.012s (0.8% of the calls): 21ns an apply, 350ns a call"; empty when it is not known.
[[nodiscard]] std::string recordingNote(const ProfileData &data);

} // namespace profiler
