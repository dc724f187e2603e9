#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"
#include "profiler/memory/memory.h"
#include "profiler/memory/min_peak.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace profiler {

namespace {

struct Peaks {
    std::int64_t cpu = 0;
    std::int64_t gpu = 0;
    std::int64_t both = 0;

    void raise(const Peaks &other)
    {
        cpu = std::max(cpu, other.cpu);
        gpu = std::max(gpu, other.gpu);
        both = std::max(both, other.both);
    }
};

Peaks peaksOf(const std::vector<BufferRow> &all, std::int64_t (*number)(const MemoryReport &))
{
    std::vector<BufferRow> cpu;
    std::vector<BufferRow> gpu;
    for (const BufferRow &row : all) (row.device.empty() || row.device == "cpu" ? cpu : gpu).push_back(row);
    return {number(memoryReport(cpu)), number(memoryReport(gpu)), number(memoryReport(all))};
}

std::string memorySize(std::int64_t bytes, const ReportOptions &options)
{
    return options.theanoSizes ? std::to_string(bytes / 1024) + "KB" : liveness::sizeText(bytes);
}

// `bracketed`: the number for linkers that run in toposort order. Croton's plans always do.
std::string block(const char *title, const Peaks &peaks, bool bracketed, const ReportOptions &options)
{
    const auto line = [&](const char *device, std::int64_t bytes) {
        const std::string size = memorySize(bytes, options);
        return std::string("        ") + device + ": " + size + (bracketed ? " (" + size + ")" : "") + "\n";
    };
    return format("    %s\n", title) + line("CPU", peaks.cpu) + line("GPU", peaks.gpu) + line("CPU + GPU", peaks.both);
}

std::string minimumLine(const ProfileData &data, const std::vector<FunctionId> &functions, const ReportOptions &options)
{
    std::int64_t bytes = 0;
    const auto begin = std::chrono::steady_clock::now();
    bool complete = true;
    const ProfileParts parts(data);
    for (const FunctionId function : functions) {
        const ProfileData own = parts.of(function);
        const MinimumPeak found = minimumPeak(mainPlanBuffers(own, function), own.inputs);
        bytes = std::max(bytes, found.bytes);
        complete = complete && found.complete;
    }
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return format("    Minimum peak from all valid apply node order is %s%s(took %.3fs)\n", memorySize(bytes, options).c_str(),
                  complete ? " " : " or less, not all orders were tried ", took);
}

// What holds memory when most is held.
std::string holders(const ProfileData &data, const MemoryReport &report, const std::vector<BufferRow> &buffers)
{
    constexpr std::size_t kShown = 5;
    std::string out;
    std::size_t shown = 0;
    std::int64_t rest = 0;
    std::unordered_map<VariableId, std::vector<const BufferRow *>> rowsOf;
    for (const BufferRow &row : buffers) rowsOf[row.variable].push_back(&row);
    for (const VariableId id : report.peak.holders)
        for (const BufferRow *row : rowsOf[id]) {
            if (shown++ < kShown)
                out += format("      %12lldB  from %d to %d  ", static_cast<long long>(row->bytes), row->from, row->to) +
                       elided(applyName(data, {row->graph, row->apply}), 100) + "\n";
            else rest += row->bytes;
        }
    if (out.empty()) return {};
    if (shown > kShown) out += format("      %12lldB  in %zu more\n", static_cast<long long>(rest), shown - kShown);
    return format("    Held when most is held (at apply %d): bytes, first and last apply that needs them, made by\n",
                  report.peak.position) +
           out;
}

std::string applyLines(const ProfileData &data, const MemoryReport &report, const ReportOptions &options)
{
    std::string out = "\n    <Sum apply outputs (bytes)> <Apply outputs shape> "
                      "<created/inplace/view> <Apply node>\n";
    std::size_t shown = 0;
    std::int64_t rest = 0;
    std::int64_t all = 0;
    for (const ApplyMemory &row : applyMemory(report)) {
        all += row.bytes;
        if (row.bytes < options.minMemoryBytes || shown >= static_cast<std::size_t>(options.applies)) {
            rest += row.bytes;
            continue;
        }
        ++shown;
        out += format("    %12lldB  [%s] %s ", static_cast<long long>(row.bytes), row.shapes.c_str(), row.letters.c_str());
        out += elided(applyName(data, row.node), options.width) + "\n";
    }
    const std::size_t count = applyMemory(report).size();
    return out + format("   ... (remaining %zu Apply account for %4lldB/%lldB ((%.2f%%)) of the Apply "
                        "with dense outputs sizes)\n\n"
                        "    <created/inplace/view> is taken from the Op's declaration.\n\n",
                        count - shown, static_cast<long long>(rest), static_cast<long long>(all), percentOf(rest, all));
}

} // namespace

std::string memoryAsItRuns(const ProfileData &data, const std::vector<FunctionId> &functions, const ReportOptions &options)
{
    FunctionId most = kNoFunction;
    std::int64_t measured = -1;
    const MainPlans plans(data);
    for (const FunctionId function : functions)
        if (plans.of(function).measuredPeakBytes > measured) most = function, measured = plans.of(function).measuredPeakBytes;
    if (measured < 0) return {};
    const OutsideMemory outside = outsideMemory(plans.buffersOf(most));
    std::string out =
        "    The figures above are Theano's count: sizes of outputs, from where they are made to where they are needed last.\n"
        "    Croton lays out one arena before it runs, and takes all of it at once:\n";
    out += format("        planned: an arena of %s, and at most %s outside of it (outputs, new values of shared variables%s)\n",
                  memorySize(plans.of(most).arenaBytes, options).c_str(), memorySize(outside.peakBytes, options).c_str(),
                  outside.hasIntermediates ? ", what goes from stage to stage" : "");
    out += format("        Measured by the allocator, at most in one call: %s\n", memorySize(measured, options).c_str());
    out += outside.hasIntermediates ? "        allow_gc=False: the arenas and values of all stages stay until the call ends\n"
                                    : "        allow_gc=False: the same in a call; the arena is kept until the next one\n";
    return out;
}

std::string memoryProfile(const ProfileData &data, const std::vector<FunctionId> &functions, const ReportOptions &options)
{
    Peaks current;
    Peaks withoutInplace;
    Peaks withoutGc;
    MemoryReport single;
    bool any = false;
    const MainPlans plans(data);
    for (const FunctionId function : functions) {
        const std::vector<BufferRow> buffers = plans.buffersOf(function);
        if (buffers.empty()) continue;
        any = true;
        single = memoryReport(buffers);
        current.raise(peaksOf(buffers, [](const MemoryReport &r) { return r.peak.bytes; }));
        withoutInplace.raise(peaksOf(buffers, [](const MemoryReport &r) { return r.peakNoInplace.bytes; }));
        withoutGc.raise(peaksOf(buffers, [](const MemoryReport &r) { return r.noGcBytes; }));
    }
    if (!any) return {};
    std::string out = "Memory Profile\n";
    if (functions.size() > 1) out += "(the max between all functions in that profile)\n";
    out += "(Sparse variables are ignored)\n(For values in brackets, it's for linker = c|py)\n---\n";
    out += block("Max peak memory with current setting", current, true, options);
    out += block("Max peak memory with current setting and Theano flag optimizer_excluding=inplace", withoutInplace, true, options);
    out += block("Max peak memory if allow_gc=False (linker don't make a difference)", withoutGc, false, options);
    out += memoryAsItRuns(data, functions, options);
    if (options.minPeak) out += minimumLine(data, functions, options);
    if (functions.size() > 1) return out + "---\n\n";
    return out + holders(data, single, plans.buffersOf(functions.front())) + "---\n" + applyLines(data, single, options);
}

} // namespace profiler
