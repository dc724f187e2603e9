#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"
#include "profiler/stats/times/scope.h"

#include <algorithm>

namespace profiler {

namespace {

constexpr std::size_t kMostRows = 20;

std::string milliseconds(const std::optional<std::int64_t> &ns) { return ns ? format("%.3f", static_cast<double>(*ns) / 1e6) : "-"; }

// Launches, and how full they make the device; the kernels that took longest.
std::string deviceKernels(const ProfileData &data, const TableScope &scope)
{
    const InScope inScope(scope);
    std::vector<const DeviceKernel *> rows;
    for (const DeviceKernel &kernel : data.devices.kernels)
        if (kernel.registers >= 0 && inScope(kernel.function)) rows.push_back(&kernel);
    if (rows.empty()) return {};
    std::stable_sort(rows.begin(), rows.end(), [](const DeviceKernel *a, const DeviceKernel *b) { return a->totalNs > b->totalNs; });
    std::string out = "Kernels\n";
    out += format("  %8s  %14s  %14s  %9s  %6s  %9s  %s\n", "launches", "grid", "block", "registers", "shared", "occupancy", "op");
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
        const DeviceKernel &row = *rows[i];
        const std::string occupancy = row.occupancy < 0 ? "-" : format("%.0f%%", 100 * row.occupancy);
        out +=
            format("  %8lld  %14s  %14s  %9d  %6lld  %9s  %s\n", static_cast<long long>(row.launches), row.grid.c_str(), row.block.c_str(),
                   row.registers, static_cast<long long>(row.sharedBytes), occupancy.c_str(), elided(row.symbol, 60).c_str());
    }
    if (rows.size() > kMostRows) out += format("  %zu more\n", rows.size() - kMostRows);
    return out +
           "Registers are each thread's, shared memory a block's, in bytes; occupancy is the share of a processor's threads that they leave "
           "room for.\n\n";
}

std::string besideWork(const ProfileData &data)
{
    std::string out;
    const bool isSimulated = !data.info.simulated.empty();
    for (const DeviceWork &row : data.devices.work) {
        const std::string count = counted(row.count, "time");
        const std::string time = isSimulated ? std::string() : format(", %.3f ms", static_cast<double>(row.totalNs) / 1e6);
        if (row.what == "taken")
            out += row.device + ": memory was taken of the driver " + count + ", " + liveness::sizeText(row.bytes) + "\n";
        if (row.what == "given back") out += row.device + ": memory was given back " + count + ", " + liveness::sizeText(row.bytes) + "\n";
        if (row.what == "wait") out += row.device + ": the host waited " + count + time + "\n";
        if (row.what == "kernel of the script")
            out += row.device + ": the script itself started " + counted(row.count, "kernel") + ", outside of functions" + time + "\n";
        if (row.what == "overhead") out += row.device + ": watching it took time of its own " + count + time + "\n";
    }
    return out.empty() ? out : out + "\n";
}

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
    const bool isSimulated = !data.info.simulated.empty();
    out += format("  %10s  %10s  %10s  %8s  %s\n", "host", "blocking", isSimulated ? "simulated" : "device", "calls", "op");
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
        out += format("  %10s  %10s  %10s  %8lld  %s\n", milliseconds(rows[i]->ns).c_str(), milliseconds(rows[i]->blockingNs).c_str(),
                      milliseconds(rows[i]->deviceNs).c_str(), static_cast<long long>(rows[i]->calls), elided(rows[i]->name, 80).c_str());
    if (rows.size() > kMostRows) out += format("  %zu more\n", rows.size() - kMostRows);
    out += "They differ because the host only gives the work and goes on: its clock sees what giving takes, and the next copy to the host\n"
           "waits for all before. With CUDA_LAUNCH_BLOCKING=1 each op waits for its own work, and nothing overlaps any more. The device's\n"
           "clock says what the work took.\n";
    if (isSimulated) out += data.info.simulated + " is a simulation on the processor: what stands there says nothing of a card.\n";
    const bool hasBlocking = std::any_of(rows.begin(), rows.end(), [](const TableRow *row) { return row->blockingNs.has_value(); });
    if (!hasBlocking) out += "Blocking times: croton profile --both, on a device of CUDA.\n";
    return out + "\n" + deviceKernels(data, scope) + besideWork(data);
}

} // namespace profiler
