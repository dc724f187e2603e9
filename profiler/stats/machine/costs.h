#pragma once
// What everything costs, for each function and for all of them together: what tables, pictures and inspectors show.

#include "profiler/stats/advice/advice.h"
#include "profiler/stats/times/tables.h"

#include <map>
#include <memory>
#include <utility>

namespace profiler {

// How the times of applies were taken.
enum class ClockKind : std::uint8_t { Host, Blocking, Device };

// A row with so few calls says little.
[[nodiscard]] bool isDoubtful(const TableRow &row);
[[nodiscard]] ClockKind clockOf(const TableRow &row);

// What one apply costs among those of its function.
struct ApplyShare {
    const TableRow *row = nullptr; // of the function's Apply table
    double share = 0;              // of the function's time in thunks, 0..1
    double shareOfSlowest = 0;     // of the slowest apply, by time per call
};

// What descends from one line: its own, and with what it calls.
struct LineCost {
    std::int64_t ns = 0;
    double share = 0;       // of the time in thunks
    bool estimated = false; // some of it is split by the cost model
    std::int64_t withCallsNs = 0;
    double withCallsShare = 0;
    bool withCallsEstimated = false;
    double ofLongest = 0; // of the line with most time, called through or own
    double withCallsOfLongest = 0;
};

// A bar beside a row of a table, 0..1 of the largest one in it.
struct RowBars {
    double time = 0;
    double timePerCall = 0;
};

struct FunctionCosts {
    // The nodes of a row stand by their time, the slowest first, so that choosing a row leads to what made it large.
    Table classes, ops, applies, lineRows, files, devices;
    ProfileSummary summary;
    SpentTimes spent;
    std::map<SourceLine, LineCost> lines;
    double nsPerCall = 0;  // of a whole call
    double fastestNs = -1; // per call, of the applies that were called; negative: none was
    double slowestNs = -1;
};

// The first rows of a table, and what all others have together.
struct LargestShares {
    std::vector<std::pair<std::string, double>> rows; // name, percent
    double otherPercent = 0;
    bool others = false;
};

class Costs {
public:
    explicit Costs(const ProfileData &data);
    Costs(const Costs &) = delete; // applies point into tables
    Costs &operator=(const Costs &) = delete;

    // Of one function, or of all with kNoFunction; null for one that is not in the session.
    [[nodiscard]] const FunctionCosts *of(FunctionId function) const;
    // Of what runs inside a Scan or another op that holds a graph; null for every other graph. Calls are those of its function.
    [[nodiscard]] const FunctionCosts *ofNested(GraphId graph) const;
    // Null for an apply that is in no table.
    [[nodiscard]] const ApplyShare *find(const ApplyKey &apply) const;
    [[nodiscard]] const std::vector<Advice> &advice() const { return m_advice; }
    [[nodiscard]] ClockKind clock() const { return m_clock; }

private:
    // `data`: the part of it.
    void add(const ProfileData &data, FunctionId function, GraphId nested = kNoGraph);

    std::map<FunctionId, std::shared_ptr<FunctionCosts>> m_functions;
    std::map<GraphId, FunctionCosts> m_nested;
    std::map<ApplyKey, ApplyShare> m_applies;
    std::vector<Advice> m_advice;
    ClockKind m_clock = ClockKind::Host;
};

// One for each row of the table.
[[nodiscard]] std::vector<RowBars> rowBars(const Table &table);
[[nodiscard]] LargestShares largestShares(const Table &table, std::size_t count = 3);

} // namespace profiler
