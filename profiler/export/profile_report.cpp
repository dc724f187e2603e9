#include "profiler/export/format.h"
#include "profiler/export/report.h"
#include "profiler/memory/memory.h"
#include "profiler/session/reader.h"
#include "profiler/stats/advice.h"

#include <algorithm>

namespace profiler {

namespace {

constexpr const char *kRowFormat = "  %4.1f%%   %5.1f%%     %7.3fs     %8.2es";

std::string trailer(const Table &table, std::size_t shown, const char *what) {
    std::int64_t rest = 0;
    for (std::size_t i = shown; i < table.rows.size(); ++i)
        rest += table.rows[i].ns;
    return format("   ... (remaining %zu %s account for %6.2f%%(%.2fs) of the runtime)\n",
                  table.rows.size() - shown, what, percentOf(rest, table.totalNs), seconds(rest));
}

std::string leading(const TableRow &row) {
    return format(kRowFormat, row.percent, row.cumulativePercent, seconds(row.ns),
                  row.nsPerCall * 1e-9);
}

std::string groupTable(const Table &table, int limit, std::size_t width, const char *title,
                       const char *nameTitle, const char *what) {
    std::string out = std::string(title) + "\n---\n<% time> <sum %> <apply time> <time per call> "
                      "<type> <#call> <#apply> <" + nameTitle + ">\n";
    const std::size_t shown = std::min(table.rows.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < shown; ++i) {
        const TableRow &row = table.rows[i];
        out += leading(row) + format("     %-4s %7lld   %5d   ", row.type.c_str(),
                                     static_cast<long long>(row.calls), row.applies);
        out += elided(row.name, width) + "\n";
    }
    return out + trailer(table, shown, what) + "\n";
}

std::string applyTable(const Table &table, int limit, std::size_t width) {
    std::string out =
        "Apply\n------\n<% time> <sum %> <apply time> <time per call> <#call> <id> <Apply name>\n";
    const std::size_t shown = std::min(table.rows.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < shown; ++i) {
        const TableRow &row = table.rows[i];
        out += leading(row) +
               format("  %7lld  %4d   ", static_cast<long long>(row.calls), row.position);
        out += elided(row.name, width) + "\n";
    }
    return out + trailer(table, shown, "Apply instances") + "\n";
}

std::string header(const ProfileData &data, const std::string &message,
                   const ProfileSummary &summary) {
    std::string out = "Function profiling\n==================\n  Message: " + message + "\n";
    out += format("  Time in %lld calls to Function.__call__: %es\n",
                  static_cast<long long>(summary.calls), seconds(summary.callNs));
    out += format("  Time in Function.fn.__call__: %es (%.3f%%)\n", seconds(summary.vmNs),
                  summary.vmPercent);
    out += format("  Time in thunks: %es (%.3f%%)\n", seconds(summary.thunkNs),
                  summary.thunkPercent);
    out += format("  Total compile time: %es\n", seconds(summary.compile.totalNs));
    out += format("    Number of Apply nodes: %d\n", summary.applies);
    out += format("    Theano Optimizer time: %es\n", seconds(summary.compile.optimizerNs));
    out += format("       Theano validate time: %es\n", seconds(summary.compile.validateNs));
    out += format("    Theano Linker time (includes C, CUDA code generation/compiling): %es\n",
                  seconds(summary.compile.linkerNs));
    out += format("       Import time %es\n", seconds(summary.compile.importNs));
    out += format("       Node make_thunk time %es\n\n", seconds(summary.compile.makeThunkNs));
    out += format("Time in all call to theano.grad() %es\n", seconds(data.info.gradNs));
    out += format("Time since theano import %.3fs\n", seconds(data.info.durationNs));
    return out;
}

std::string tables(const ProfileData &data, const TableScope &scope, const ReportOptions &options) {
    const Table classes = makeTable(data, TableKind::Class, scope);
    std::string out = groupTable(classes, options.classes, options.width, "Class", "Class name",
                                 "Classes");
    out += groupTable(makeTable(data, TableKind::Op, scope), options.ops, options.width, "Ops",
                      "Op name", "Ops");
    out += applyTable(makeTable(data, TableKind::Apply, scope), options.applies, options.width);
    const SpentTimes spent = spentTimes(classes);
    return out + format("Spent %.3fs(%.3f%%) in cpu Op, %.3fs(%.3f%%) in gpu Op and "
                        "%.3fs(%.3f%%) transfert Op\n\n",
                        seconds(spent.cpuNs), spent.cpuPercent, seconds(spent.gpuNs),
                        spent.gpuPercent, seconds(spent.transferNs), spent.transferPercent);
}

std::string memoryProfile(const ProfileData &data, const std::vector<FunctionId> &functions,
                          const ReportOptions &options) {
    std::int64_t peak = 0;
    std::int64_t noInplace = 0;
    std::int64_t noGc = 0;
    MemoryReport single;
    bool any = false;
    for (const FunctionId function : functions) {
        const std::vector<BufferRow> buffers = mainPlanBuffers(data, function);
        if (buffers.empty())
            continue;
        any = true;
        single = memoryReport(buffers);
        peak = std::max(peak, single.peak.bytes);
        noInplace = std::max(noInplace, single.peakNoInplace.bytes);
        noGc = std::max(noGc, single.noGcBytes);
    }
    if (!any)
        return {};
    const auto block = [](const char *title, std::int64_t bytes) {
        const std::int64_t kb = bytes / 1024;
        return format("    %s\n        CPU: %lldKB\n        GPU: 0KB\n        CPU + GPU: %lldKB\n",
                      title, static_cast<long long>(kb), static_cast<long long>(kb));
    };
    std::string out = "Memory Profile";
    if (functions.size() > 1)
        out += "\n(the max between all functions in that profile)";
    out += "\n(Sparse variables are ignored)\n---\n";
    out += block("Max peak memory with current setting", peak);
    out += block("Max peak memory with current setting and Theano flag optimizer_excluding=inplace",
                 noInplace);
    out += block("Max peak memory if allow_gc=False (linker don't make a difference)", noGc);
    if (functions.size() > 1)
        return out + "\n";
    out += "\n    <Sum apply outputs (bytes)> <Apply outputs shape> <created/inplace/view> "
           "<Apply node>\n";
    std::size_t shown = 0;
    std::int64_t rest = 0;
    std::int64_t all = 0;
    for (const MemoryRow &row : single.rows) {
        all += row.bytes;
        if (row.bytes < options.minMemoryBytes || shown >= static_cast<std::size_t>(options.applies)) {
            rest += row.bytes;
            continue;
        }
        ++shown;
        std::string name;
        for (const ApplyRow &apply : data.applies)
            if (apply.graph == row.node.graph && apply.apply == row.node.apply)
                name = apply.label.empty() ? apply.op : apply.label;
        out += format("    %12lldB  [%s] %c ", static_cast<long long>(row.bytes), row.shape.c_str(),
                      row.letter);
        out += elided(name, options.width) + "\n";
    }
    return out + format("   ... (remaining %zu Apply account for %lldB/%lldB (%.2f%%) of the Apply "
                        "with dense outputs sizes)\n\n",
                        single.rows.size() - shown, static_cast<long long>(rest),
                        static_cast<long long>(all), percentOf(rest, all));
}

std::string tips(const ProfileData &data) {
    std::string out = "Here are tips to potentially make your code run faster\n";
    const std::vector<Advice> advice = advise(data);
    if (advice.empty())
        return out + "  Sorry, no tip for today.\n";
    for (const Advice &one : advice)
        out += "  - " + one.text + (one.evidence.empty() ? "" : " (" + one.evidence + ")") + ".\n";
    return out;
}

} // namespace

std::string functionTitle(const FunctionInfo &function) {
    if (!function.name.empty())
        return function.name;
    return function.location.file + ":" + std::to_string(function.location.line);
}

std::string profileReport(const ProfileData &data, const ReportOptions &options) {
    std::vector<const FunctionInfo *> functions;
    for (const FunctionInfo &function : data.functions)
        if (options.functions.empty() ||
            std::find(options.functions.begin(), options.functions.end(), function.id) !=
                options.functions.end())
            functions.push_back(&function);
    std::stable_sort(functions.begin(), functions.end(),
                     [](const FunctionInfo *a, const FunctionInfo *b) {
                         return a->compile.totalNs + a->run.totalNs >
                                b->compile.totalNs + b->run.totalNs;
                     });
    std::string out;
    if (const std::string warning = sessionWarning(data.info); !warning.empty())
        out += warning + "\n\n";
    std::vector<FunctionId> printed;
    for (const FunctionInfo *function : functions) {
        if (function->run.calls == 0) {
            out += "Skipping empty Profile of " + functionTitle(*function) + "\n\n";
            continue;
        }
        const TableScope scope{{function->id}, false};
        std::string message = functionTitle(*function);
        if (!function->name.empty() && !function->location.file.empty())
            message += " (" + function->location.file + ":" +
                       std::to_string(function->location.line) + ")";
        out += header(data, message, summarize(data, scope)) + tables(data, scope, options);
        if (options.optimizer)
            out += optimizerReport(data, function->id) + "\n";
        if (options.memory)
            out += memoryProfile(data, {function->id}, options);
        printed.push_back(function->id);
    }
    if (printed.empty())
        out += "No compiled function was called.\n";
    if (printed.size() > 1) {
        const TableScope scope{printed, false};
        out += header(data,
                      format("Sum of all(%zu) printed profiles at exit excluding Scan op profile.",
                             printed.size()),
                      summarize(data, scope));
        out += tables(data, scope, options);
        if (options.memory)
            out += memoryProfile(data, printed, options);
    }
    return out + tips(data);
}

} // namespace profiler
