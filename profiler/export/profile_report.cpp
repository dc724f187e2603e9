#include "profiler/export/report.h"

#include "profiler/export/format.h"
#include "profiler/export/report_parts.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/times/profile_parts.h"
#include "profiler/stats/times/scope.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace profiler {

namespace {

constexpr const char *kRowFormat = "  %4.1f%%   %5.1f%%     %7.3fs     %8.2es";
constexpr std::size_t kSlowestNodes = 5; // of make_thunk

std::string leadingColumns(const TableRow &row)
{
    return format(kRowFormat, row.percent, row.cumulativePercent, seconds(row.ns), row.nsPerCall * 1e-9);
}

std::string groupTable(const Table &table, int limit, std::size_t width, const char *title, const char *nameTitle, const char *what)
{
    std::string out = std::string(title) +
                      "\n---\n<% time> <sum %> <apply time> <time per call> "
                      "<type> <#call> <#apply> <" +
                      nameTitle + ">\n";
    const std::size_t shown = std::min(table.rows.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < shown; ++i) {
        const TableRow &row = table.rows[i];
        out += leadingColumns(row) + format("     %-4s %7lld   %5d   ", row.type.c_str(), static_cast<long long>(row.calls), row.applies);
        out += elided(row.name, width) + "\n";
    }
    return out + restOfTable(table, shown, what, 6, 2) + "\n";
}

using BuffersByVariable = std::unordered_map<std::uint64_t, const BufferRow *>;

std::uint64_t keyOf(GraphId graph, VariableId variable) { return (std::uint64_t{raw(graph)} << 32) | raw(variable); }

// One line for each input and output of an apply, as the last plan laid them out.
std::string operandLines(const ProfileData &data, const ApplyKey &node, const BuffersByVariable &buffers)
{
    std::string out;
    const auto line = [&](const char *what, int index, VariableId variable) {
        std::string dtype;
        for (const VariableRow &row : data.variables)
            if (row.graph == node.graph && row.variable == variable) dtype = row.dtype;
        const auto found = buffers.find(keyOf(node.graph, variable));
        if (found != buffers.end())
            out += format("    %s %d: dtype=%s, shape=%s, strides=%s\n", what, index, dtype.c_str(), found->second->shape.c_str(),
                          found->second->strides.c_str());
    };
    for (const ApplyInput &input : data.inputs)
        if (input.graph == node.graph && input.apply == node.apply) line("input", input.port, input.variable);
    for (const auto &[key, row] : buffers)
        if (row->graph == node.graph && row->apply == node.apply) line("output", row->port, row->variable);
    return out;
}

std::string applyTable(const ProfileData &data, const Table &table, const ReportOptions &options)
{
    std::string out = std::string("Apply\n------\n<% time> <sum %> <apply time> <time per call> "
                                  "<#call> <id>") +
                      (options.operands ? " <Mflops> <Gflops/s>" : "") + " <Apply name>\n";
    BuffersByVariable buffers;
    std::vector<BufferRow> rows;
    if (options.operands) {
        const MainPlans plans(data);
        for (const FunctionInfo &function : data.functions)
            for (BufferRow &row : plans.buffersOf(function.id)) rows.push_back(std::move(row));
        for (const BufferRow &row : rows) buffers.emplace(keyOf(row.graph, row.variable), &row);
    }
    const std::size_t shown = std::min(table.rows.size(), static_cast<std::size_t>(options.applies));
    for (std::size_t i = 0; i < shown; ++i) {
        const TableRow &row = table.rows[i];
        out += leadingColumns(row) + format("  %7lld  %4d   ", static_cast<long long>(row.calls), row.position);
        if (options.operands)
            out += row.flops > 0 && row.nsPerCall > 0
                       ? format("%8.1f %10.1f ", row.flops / 0x1p20, row.flops / 0x1p30 / (row.nsPerCall * 1e-9))
                       : std::string(20, ' ');
        out += elided(row.name, options.width) + "\n";
        if (options.operands && !row.nodes.empty()) out += operandLines(data, row.nodes.front(), buffers);
    }
    return out + restOfTable(table, shown, "Apply instances", 6, 2) + "\n";
}

// Which of the rows above are parts of one kernel, in the plan that was used most.
std::string oneKernelLines(const ProfileData &data, const Table &applies)
{
    std::set<FunctionId> shown;
    for (const TableRow &row : applies.rows) shown.insert(row.function);
    std::string out;
    const MainPlans plans(data);
    std::map<FunctionId, std::map<int, std::vector<int>>> groupsOf;
    for (const PlanItem &item : data.planItems)
        if (item.group >= 0 && shown.contains(item.function) && plans.of(item.function).plan == item.plan)
            groupsOf[item.function][item.group].push_back(item.position);
    for (const auto &[function, groups] : groupsOf) {
        for (const auto &[number, positions] : groups) {
            std::string ids;
            for (std::size_t i = 0; i < positions.size(); ++i)
                ids += (i == 0 ? "" : i + 1 == positions.size() ? " and " : ", ") + std::to_string(positions[i]);
            if (positions.size() > 1)
                out +=
                    "Applies " + ids +
                    " run as one kernel: their times are its time, divided as some calls measured it or, where it cannot be told apart, as the "
                    "cost model estimates it.\n";
        }
    }
    return out;
}

// The applies whose thunks took longest to make.
std::string slowestNodes(const ProfileData &data, const TableScope &scope)
{
    const InScope inScope(scope);
    std::vector<const PlanItem *> items;
    for (const PlanItem &item : data.planItems)
        if (item.prepareNs > 0 && item.plan == 0 && inScope(item.function)) items.push_back(&item);
    std::stable_sort(items.begin(), items.end(), [](const PlanItem *a, const PlanItem *b) { return a->prepareNs > b->prepareNs; });
    std::string out;
    for (std::size_t i = 0; i < std::min(items.size(), kSlowestNodes); ++i)
        out += "    Node " + applyName(data, {items[i]->graph, items[i]->apply}) + format(" time %es\n", seconds(items[i]->prepareNs));
    return out;
}

std::string header(const ProfileData &data, const std::string &message, const TableScope &scope)
{
    const ProfileSummary summary = summarize(data, scope);
    std::string out = "Function profiling\n==================\n  Message: " + message + "\n";
    out += format("  Time in %lld calls to Function.__call__: %es\n", static_cast<long long>(summary.calls), seconds(summary.callNs));
    out += format("  Time in Function.fn.__call__: %es (%.3f%%)\n", seconds(summary.vmNs), summary.vmPercent);
    out += format("  Time in thunks: %es (%.3f%%)\n", seconds(summary.thunkNs), summary.thunkPercent);
    out += format("  Total compile time: %es\n", seconds(summary.compile.totalNs));
    out += format("    Number of Apply nodes: %lld\n", static_cast<long long>(summary.applies));
    out += format("    Theano Optimizer time: %es\n", seconds(summary.compile.optimizerNs));
    out += format("       Theano validate time: %es\n", seconds(summary.compile.validateNs));
    out += format("    Theano Linker time (includes C, CUDA code generation/compiling): %es\n", seconds(summary.compile.linkerNs));
    out += format("       Import time %es\n", seconds(summary.compile.importNs));
    out += format("  Node make_thunk time, in the first call of each function: %es\n", seconds(summary.compile.makeThunkNs));
    out += slowestNodes(data, scope) + "\n";
    out += format("Time in all call to theano.grad() %es\n", seconds(data.info.gradNs));
    out += format("Time since theano import %.3fs\n", seconds(data.info.durationNs));
    return out;
}

// What keeps a program on the processor: float64 that comes in, and applies that make it of something else.
std::string float64Lines(const ProfileData &data, const Table &applies)
{
    std::string out;
    std::set<FunctionId> seen;
    for (const TableRow &row : applies.rows) seen.insert(row.function);
    for (const FunctionInfo &function : data.functions)
        if (seen.contains(function.id))
            for (const FunctionInput &input : function.inputs)
                if (input.type.find("float64") != std::string::npos)
                    out += "    input " + input.name + " of " + functionTitle(function) + "\n";
    if (!out.empty()) out = "Theano function input that are float64\n" + out;
    std::set<std::uint64_t> variables; // in float64
    std::set<ApplyKey> from, to;
    for (const VariableRow &variable : data.variables) {
        if (variable.dtype != "float64") continue;
        variables.insert(keyOf(variable.graph, variable.variable));
        to.insert({variable.graph, variable.owner});
    }
    for (const ApplyInput &input : data.inputs)
        if (variables.contains(keyOf(input.graph, input.variable))) from.insert({input.graph, input.apply});
    std::string made;
    for (const TableRow &row : applies.rows)
        if (to.contains(row.nodes.at(0)) && !from.contains(row.nodes[0])) made += "    " + row.name + "\n";
    if (!made.empty()) out += "List of apply that don't have float64 as input but have float64 in outputs\n" + made;
    return out;
}

std::string tables(const ProfileData &data, const TableScope &scope, const ReportOptions &options)
{
    const Table classes = makeTable(data, TableKind::Class, scope);
    const Table applies = makeTable(data, TableKind::Apply, scope);
    std::string out = groupTable(classes, options.classes, options.width, "Class", "Class name", "Classes");
    out += groupTable(makeTable(data, TableKind::Op, scope), options.ops, options.width, "Ops", "Op name", "Ops");
    out += applyTable(data, applies, options);
    out += oneKernelLines(data, applies);
    const SpentTimes spent = spentTimes(classes);
    out += format("Spent %.3fs(%.3f%%) in cpu Op, %.3fs(%.3f%%) in gpu Op and "
                  "%.3fs(%.3f%%) transfert Op\n",
                  seconds(spent.cpuNs), spent.cpuPercent, seconds(spent.gpuNs), spent.gpuPercent, seconds(spent.transferNs),
                  spent.transferPercent);
    if (spent.anyGpu) out += float64Lines(data, applies);
    return out + "\n" + deviceTimes(data, scope);
}

std::vector<ProfileGroup> groupsOf(const ProfileData &data, const ReportOptions &options)
{
    if (!options.groups.empty()) return options.groups;
    const InScope inScope({options.functions});
    std::vector<ProfileGroup> groups;
    for (const FunctionInfo &function : data.functions)
        if (inScope(function.id)) groups.push_back({function.message, {function.id}});
    return groups;
}

// What the bodies of loops did, each behind the function that runs it.
std::string scanProfiles(const ProfileData &data, const TableScope &scope, const ReportOptions &options)
{
    std::string out;
    const InScope inScope(scope);
    std::map<ApplyKey, std::pair<std::int64_t, std::int64_t>> times; // calls and nanoseconds
    for (const ApplyStats &stats : data.stats) {
        if (scope.steadyOnly && !stats.steady) continue;
        auto &[calls, ns] = times[{stats.graph, stats.apply}];
        calls += stats.calls;
        ns += stats.totalNs;
    }
    const ProfileParts parts(data);
    for (const GraphInfo &graph : data.graphs) {
        if (graph.kind != GraphKind::Scan || !inScope(graph.function)) continue;
        const auto [calls, callNs] = times[{graph.parentGraph, graph.parentApply}];
        if (calls == 0) continue;
        // A table takes the graph of a function: here that is the body.
        ProfileData inner = parts.ofNested(graph);
        FunctionInfo body;
        body.id = graph.function;
        body.graph = graph.id;
        body.run.calls = 1;
        inner.functions = {body};
        const TableScope inside{{graph.function}, scope.steadyOnly};
        const Table applies = makeTable(inner, TableKind::Apply, inside);
        std::int64_t steps = 0;
        for (const TableRow &row : applies.rows) steps = std::max(steps, row.calls);
        out += graph.label.empty() ? "Scan Op profiling\n" : "Scan Op profiling ( " + graph.label + " )\n";
        out += "==================\n  Message: None\n";
        out += format("  Time in %lld calls of the op (for a total of %lld steps) %es\n\n", static_cast<long long>(calls),
                      static_cast<long long>(steps), seconds(callNs));
        out += format("  Total time spent in calling the VM %es (%.3f%%)\n", seconds(applies.totalNs), percentOf(applies.totalNs, callNs));
        out += format("  Total overhead (computing slices..) %es (%.3f%%)\n\n", seconds(overheadNs(callNs, applies.totalNs)),
                      percentOf(overheadNs(callNs, applies.totalNs), callNs));
        out += tables(inner, inside, options);
    }
    return out;
}

std::string messageOf(const ProfileData &data, const ProfileGroup &group)
{
    if (!group.message.empty()) return group.message;
    for (const FunctionInfo &function : data.functions) {
        if (group.functions.empty() || function.id != group.functions.front()) continue;
        std::string text = functionTitle(function);
        if (!function.name.empty() && !function.location.file.empty())
            text += " (" + function.location.file + ":" + std::to_string(function.location.line) + ")";
        return text;
    }
    return {};
}

} // namespace

std::string theanoTables(const ProfileData &data, const ReportOptions &options)
{
    const ProfileParts parts(data);
    std::vector<std::pair<std::int64_t, ProfileGroup>> blocks;
    for (ProfileGroup &group : groupsOf(data, options)) {
        std::int64_t ns = 0;
        for (const FunctionInfo &function : parts.functionsOf(group.functions)) ns += function.compile.totalNs + function.run.totalNs;
        blocks.emplace_back(ns, std::move(group));
    }
    std::stable_sort(blocks.begin(), blocks.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::string out;
    for (const Drop &drop : data.drops) // samples of events and the like are meant to be some of many
        if (drop.reason == kSlowDisk)
            out += format("Not recorded: %lld %s (%s)\n\n", static_cast<long long>(drop.count), drop.what.c_str(), drop.reason.c_str());
    std::vector<FunctionId> printed;
    std::size_t printedBlocks = 0;
    for (const auto &[ns, group] : blocks) {
        const TableScope scope{group.functions, options.steadyOnly};
        const ProfileData own = parts.of(group.functions);
        if (summarize(own, scope).calls == 0) {
            out += "Skipping empty Profile of " + messageOf(own, group) + "\n\n";
            continue;
        }
        out += header(own, messageOf(own, group), scope) + tables(own, scope, options);
        if (options.optimizer)
            for (const FunctionId function : group.functions) out += theanoOptimizerProfile(own, function);
        if (options.memory) out += memoryProfile(own, group.functions, options);
        out += scanProfiles(own, scope, options);
        printed.insert(printed.end(), group.functions.begin(), group.functions.end());
        ++printedBlocks;
    }
    if (printed.empty()) out += "No compiled function was called.\n";
    if (printedBlocks > 1) {
        const TableScope scope{printed, options.steadyOnly};
        out += header(data, format("Sum of all(%zu) printed profiles at exit excluding Scan op profile.", printedBlocks), scope);
        out += tables(data, scope, options);
        if (options.memory) out += memoryProfile(data, printed, options);
    }
    return out;
}

std::string profileReport(const ProfileData &data, const ReportOptions &options)
{
    const std::string warning = sessionWarning(data.info);
    return (warning.empty() ? "" : warning + "\n\n") + theanoTables(data, options) + recordingNote(data) + tipsText(data);
}

} // namespace profiler
