#include "profiler/export/format.h"
#include "profiler/export/report.h"
#include "profiler/export/report_parts.h"
#include "profiler/memory/memory.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/times/profile_parts.h"
#include "profiler/stats/times/scope.h"

#include <algorithm>

namespace profiler {

namespace {

long long count(std::int64_t value) { return static_cast<long long>(value); }

std::string timeLines(const ProfileData &data, const ProfileSummary &sum)
{
    const std::int64_t since = data.info.durationNs;
    const std::int64_t compile = sum.compile.totalNs;
    const std::int64_t overhead = overheadNs(sum.callNs, sum.thunkNs);
    const std::int64_t rest = since - sum.callNs - compile;
    std::string out = format("Time since import %.3fs\n", seconds(since));
    out += format("Theano compile time: %.3fs (%.1f%% since import)\n", seconds(compile), percentOf(compile, since));
    out += format("    Optimization time: %.3fs\n", seconds(sum.compile.optimizerNs));
    out += format("    Linker time: %.3fs\n", seconds(sum.compile.linkerNs));
    out += format("Theano fct call %.3fs (%.1f%% since import)\n", seconds(sum.callNs), percentOf(sum.callNs, since));
    out += format("   Theano Op time %.3fs %.1f%%(since import) %.1f%%(of fct call)\n", seconds(sum.thunkNs), percentOf(sum.thunkNs, since),
                  percentOf(sum.thunkNs, sum.callNs));
    out += format("   Theano function overhead in ProfileMode %.3fs %.1f%%(since import) "
                  "%.1f%%(of fct call)\n",
                  seconds(overhead), percentOf(overhead, since), percentOf(overhead, sum.callNs));
    out += format("%lld Theano fct call, %.3es per call\n", count(sum.calls),
                  sum.calls > 0 ? seconds(sum.callNs) / static_cast<double>(sum.calls) : 0.0);
    out += format("Rest of the time since import %.3fs %.1f%%\n\n", seconds(rest), percentOf(rest, since));
    return out;
}

std::string functionLines(const ProfileData &data, const TableScope &scope, std::int64_t totalNs)
{
    std::string out = "Theano fct summary:\n<% total fct time> <total time> <time per call> "
                      "<nb call> <fct name>\n";
    const InScope inScope(scope);
    for (const FunctionInfo &function : data.functions) {
        if (!inScope(function.id)) continue;
        if (function.run.calls == 0) {
            out += " NOT CALLED " + functionTitle(function) + "\n";
            continue;
        }
        out += format("   %4.1f%%  %.3fs  %.2es  %lld  ", percentOf(function.run.totalNs, totalNs), seconds(function.run.totalNs),
                      seconds(function.run.totalNs) / static_cast<double>(function.run.calls), count(function.run.calls));
        out += functionTitle(function) + "\n";
    }
    return out + "\n";
}

// The columns that the three tables share, up to nb_call.
std::string profileModeColumns(const TableRow &row)
{
    return format("  %4.1f%%  %5.1f%%  %.3fs  %.3fs  %.2es %c %7lld", row.percent, row.cumulativePercent, seconds(row.ns),
                  seconds(row.cumulativeNs), row.nsPerCall * 1e-9, row.type == "C" ? '*' : ' ', count(row.calls));
}

template <class Tail>
std::string table(const Table &rows, int limit, const char *what, Tail tail)
{
    std::string out;
    const std::size_t shown = std::min(rows.rows.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < shown; ++i) out += profileModeColumns(rows.rows[i]) + tail(rows.rows[i]) + "\n";
    return out + restOfTable(rows, shown, what, 0, 1) + "(*) Op is running a c implementation\n\n";
}

std::string memoryOf(const ProfileData &data, const FunctionInfo &function, const ReportOptions &options)
{
    const MemoryReport report = memoryReport(mainPlanBuffers(data, function.id));
    if (report.allBytes < options.minMemoryBytes) return {};
    const auto kb = [](std::int64_t bytes) { return count(bytes / 1024); };
    std::string out = "Theano fct: " + functionTitle(function) + "\n";
    out += format("    Max without gc, inplace and view (KB) %lld\n", kb(report.allBytes));
    out += format("    Max FAST_RUN_NO_GC (KB) %lld\n", kb(report.noGcBytes));
    out += format("    Max FAST_RUN (KB) %lld\n", kb(report.peak.bytes));
    out += format("    Memory saved by view (KB) %lld\n", kb(report.viewBytes));
    out += format("    Memory saved by inplace (KB) %lld\n", kb(report.inplaceBytes));
    out += format("    Memory saved by GC (KB) %lld\n", kb(report.savedByGc));
    out += memoryAsItRuns(data, {function.id}, options);
    out += "    <Sum apply outputs (bytes)> <Apply outputs memory size(bytes)> "
           "<created/inplace/view> <Apply node>\n"
           "    <created/inplace/view> is taken from the op declaration, not ...\n";
    std::size_t shown = 0;
    std::int64_t rest = 0;
    const std::vector<ApplyMemory> applies = applyMemory(report);
    for (const ApplyMemory &row : applies) {
        if (row.bytes < options.minMemoryBytes || shown >= static_cast<std::size_t>(options.applies)) {
            rest += row.bytes;
            continue;
        }
        ++shown;
        out += format("      %9lldB  [%s] %s ", count(row.bytes), row.sizes.c_str(), row.letters.c_str()) +
               elided(applyName(data, row.node), options.width) + "\n";
    }
    return out + format("   ... (remaining %zu Apply account for %lldB(%.2f%%) of the Apply with "
                        "dense outputs sizes)\n\n",
                        applies.size() - shown, count(rest), percentOf(rest, report.allBytes));
}

} // namespace

std::string profileModeReport(const ProfileData &data, const ReportOptions &options)
{
    const TableScope scope{options.functions, options.steadyOnly};
    const ProfileSummary sum = summarize(data, scope);
    std::string out;
    if (const std::string note = sessionWarning(data.info); !note.empty()) out += note + "\n\n";
    out += "ProfileMode.print_summary()\n---------------------------\n\n";
    out += timeLines(data, sum) + functionLines(data, scope, sum.callNs);

    out += "Single Op-wise summary:\n<% of local_time spent on this kind of Op> <cumulative %> "
           "<self seconds> <cumulative seconds> <time per call> [*] <nb_call> <nb_op> <nb_apply> "
           "<Op name>\n";
    out += table(makeTable(data, TableKind::Class, scope), options.ops, "Single Op", [&](const TableRow &row) {
        const std::string name = row.name.substr(row.name.rfind('.') + 1);
        return format(" %3d %3d <", row.ops, row.applies) + name + ">";
    });
    out += "Op-wise summary:\n<% of local_time spent on this kind of Op> <cumulative %> "
           "<self seconds> <cumulative seconds> <time per call> [*] <nb_call> <nb apply> "
           "<Op name>\n";
    out += table(makeTable(data, TableKind::Op, scope), options.ops, "Op",
                 [&](const TableRow &row) { return format(" %3d ", row.applies) + elided(row.name, options.width); });
    out += "Apply-wise summary:\n<% of local_time spent at this position> <cumulative %> "
           "<apply time> <cumulative seconds> <time per call> [*] <nb_call> <Apply position> "
           "<Apply Op name>\n";
    out += table(makeTable(data, TableKind::Apply, scope), options.applies, "Apply instances",
                 [&](const TableRow &row) { return format(" %3d ", row.position) + elided(row.name, options.width); });
    if (options.memory) {
        out += "Profile of Theano functions memory:\n(This check only the output of each apply "
               "node. It don't check the temporary memory used by the op in the apply node.)\n";
        int skipped = 0;
        const InScope inScope(scope);
        const ProfileParts parts(data);
        for (const FunctionInfo &function : data.functions) {
            if (!inScope(function.id)) continue;
            const std::string part = memoryOf(parts.of(function.id), function, options);
            skipped += part.empty() ? 1 : 0;
            out += part;
        }
        if (skipped > 0)
            out += format("   We skipped %d theano function(s). Each of them used less than %lldB "
                          "of total intermediate memory size\n\n",
                          skipped, count(options.minMemoryBytes));
    }
    return out + recordingNote(data) + tipsText(data);
}

} // namespace profiler
