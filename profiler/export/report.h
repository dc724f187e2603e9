#pragma once
// Reports as text, in Theano's two styles and a short one of Croton's own.

#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/tables.h"

#include <string>
#include <unordered_map>

namespace profiler {

// A block of its own: one function, or those that share a profile object.
struct ProfileGroup {
    std::string message; // empty: the title of its first function
    std::vector<FunctionId> functions;
};

struct ReportOptions {
    int classes = 20;
    int ops = 20;
    int applies = 20;                   // ProfileMode prints 15
    int lines = 5;                      // the slowest, of linesReport
    std::size_t width = 512;            // names are cut at
    bool theanoSizes = true;            // memory in KB of 1024 bytes, as Theano prints it
    std::int64_t minMemoryBytes = 1024; // smaller applies are left out of the memory tables
    bool memory = true;
    bool operands = false;             // flops of applies and the layout of what they read and write
    bool optimizer = false;            // the optimizer profile of each function
    bool steadyOnly = false;           // without the calls before the steady state
    bool minPeak = false;              // search the order of applies with the smallest peak
    std::vector<FunctionId> functions; // empty = all
    std::vector<ProfileGroup> groups;  // of profileReport; empty = one for each function
};

// The titles of functions, with their numbers where others have the same.
class DistinctTitles {
public:
    explicit DistinctTitles(const std::vector<FunctionInfo> &all);
    [[nodiscard]] std::string of(const FunctionInfo &function) const;

private:
    std::unordered_map<std::string, int> m_counts;
};

// profile=True: one block for each called function, longest compile and call first, and their sum.
[[nodiscard]] std::string profileReport(const ProfileData &data, const ReportOptions &options = {});
// The blocks alone, without tips.
[[nodiscard]] std::string theanoTables(const ProfileData &data, const ReportOptions &options = {});
// mode=ProfileMode: one block for all functions.
[[nodiscard]] std::string profileModeReport(const ProfileData &data, const ReportOptions &options = {});
// One screen: where the time went by op and by line, what compiling cost, what was dropped.
[[nodiscard]] std::string summaryReport(const ProfileData &data, const ReportOptions &options = {});
// Phases, passes and rewrites of one function with counts and times.
[[nodiscard]] std::string optimizerReport(const ProfileData &data, FunctionId function, const DistinctTitles &titles,
                                          bool onlyChanged = false);
// By its title, where the folder may be left out, or its number.
[[nodiscard]] bool isCalled(const FunctionInfo &function, const std::string &name);

} // namespace profiler
