#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"
#include "profiler/stats/tables.h"

#include <algorithm>

namespace profiler {

namespace {

constexpr std::size_t kMostRows = 20;

std::string milliseconds(const std::optional<std::int64_t> &ns) { return ns ? format("%.3f", static_cast<double>(*ns) / 1e6) : "-"; }

} // namespace

std::string deviceTimes(const ProfileData &data, const TableScope &scope)
{
    const Table table = makeTable(data, TableKind::Op, scope);
    std::vector<const TableRow *> rows;
    for (const TableRow &row : table.rows)
        if (row.deviceNs && *row.deviceNs > 0) rows.push_back(&row);
    if (rows.empty()) return {};
    std::stable_sort(rows.begin(), rows.end(), [](const TableRow *a, const TableRow *b) { return *a->deviceNs > *b->deviceNs; });
    std::string out = "Times of ops on devices, in ms\n";
    out += format("  %10s  %10s  %10s  %8s  %s\n", "host", "blocking", "device", "calls", "op");
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
        out += format("  %10s  %10s  %10s  %8lld  %s\n", milliseconds(rows[i]->ns).c_str(), milliseconds(rows[i]->blockingNs).c_str(),
                      milliseconds(rows[i]->deviceNs).c_str(), static_cast<long long>(rows[i]->calls), elided(rows[i]->name, 80).c_str());
    if (rows.size() > kMostRows) out += format("  %zu more\n", rows.size() - kMostRows);
    out += "They differ because the host only gives the work and goes on: its clock sees what giving takes, and the next copy to the host\n"
           "waits for all before. With CUDA_LAUNCH_BLOCKING=1 each op waits for its own work, and nothing overlaps any more. The device's\n"
           "clock says what the work took.\n";
    const bool hasBlocking = std::any_of(rows.begin(), rows.end(), [](const TableRow *row) { return row->blockingNs.has_value(); });
    if (!hasBlocking) out += "Blocking times: croton profile --both, on a device of CUDA.\n";
    return out + "\n";
}

} // namespace profiler
