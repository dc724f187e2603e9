// What a lesson can ask of a run: times, memory, transfers, flags, and what was printed.
#include "profiler/lessons/facts.h"
#include "profiler/lessons/words.h"

#include "profiler/stats/times/call_memory.h"

#include <algorithm>

namespace profiler {

namespace {

using Arguments = FactArguments;

const Table &tableOf(SessionFacts &facts, const std::string &kind)
{
    const FunctionCosts &costs = facts.functionCosts();
    if (kind == "classes") return costs.classes;
    if (kind == "ops") return costs.ops;
    if (kind == "applies") return costs.applies;
    if (kind == "lines") return costs.lineRows;
    throw FactError("there is no table '" + kind + "'; there are: classes, ops, applies, lines");
}

// The rows of the ops table that a name means.
std::vector<const TableRow *> rowsOf(SessionFacts &facts, const std::string &name)
{
    std::vector<const TableRow *> rows;
    std::vector<std::string> names;
    const FunctionCosts &costs = facts.functionCosts();
    std::set<ApplyId> wanted;
    for (const ApplyRow &row : facts.data().applies)
        if (row.graph == facts.function().graph && row.inOptimized && isNamed(name, row.op, row.friendly, row.opClass))
            wanted.insert(row.apply);
    for (const TableRow &row : costs.applies.rows) {
        if (row.nodes.size() == 1 && wanted.contains(row.nodes.front().apply)) rows.push_back(&row);
    }
    for (const TableRow &row : costs.ops.rows) names.push_back(row.name);
    if (rows.empty())
        throw FactError("no op of '" + facts.function().name + "' that ran is called '" + name + "'; there are: " + listOf(names));
    return rows;
}

Value calls(SessionFacts &facts, const Arguments &) { return Value::of(static_cast<double>(facts.function().run.calls)); }

Value functions(SessionFacts &facts, const Arguments &) { return Value::of(static_cast<double>(facts.data().functions.size())); }

double perCall(SessionFacts &facts, double ns)
{
    const auto calls = static_cast<double>(facts.function().run.calls);
    if (calls == 0) throw FactError("the function '" + facts.function().name + "' was never called");
    return ns / calls;
}

Value callTime(SessionFacts &facts, const Arguments &)
{
    return Value::of(perCall(facts, static_cast<double>(facts.function().run.totalNs)), ValueUnit::Nanoseconds);
}

Value time(SessionFacts &facts, const Arguments &arguments)
{
    double ns = 0;
    for (const TableRow *row : rowsOf(facts, word(arguments, 0))) ns += static_cast<double>(row->ns);
    return Value::of(perCall(facts, ns), ValueUnit::Nanoseconds);
}

Value deviceTime(SessionFacts &facts, const Arguments &arguments)
{
    double ns = 0;
    for (const TableRow *row : rowsOf(facts, word(arguments, 0))) {
        if (!row->deviceNs) throw FactError("'" + row->name + "' has no time by the device's clock");
        ns += static_cast<double>(*row->deviceNs);
    }
    return Value::of(perCall(facts, ns), ValueUnit::Nanoseconds);
}

Value share(SessionFacts &facts, const Arguments &arguments)
{
    double percent = 0;
    for (const TableRow *row : rowsOf(facts, word(arguments, 0))) percent += row->percent;
    return Value::of(percent, ValueUnit::Percent);
}

Value overhead(SessionFacts &facts, const Arguments &)
{
    return Value::of(facts.functionCosts().summary.overheadPercent, ValueUnit::Percent);
}

Value compileTime(SessionFacts &facts, const Arguments &arguments)
{
    const FunctionTimes &times = facts.function().compile;
    const std::string part = word(arguments, 0);
    const std::int64_t ns = part.empty()           ? times.totalNs
                            : part == "rewriting"  ? times.optimizerNs
                            : part == "generating" ? times.linkerNs
                                                   : -1;
    if (ns < 0) throw FactError("compiling has the parts rewriting and generating, not '" + part + "'");
    return Value::of(static_cast<double>(ns), ValueUnit::Nanoseconds);
}

Value top(SessionFacts &facts, const Arguments &arguments)
{
    const Table &table = tableOf(facts, word(arguments, 0));
    if (!arguments[1].isNumber()) throw FactError("top wants a number of rows");
    const auto most = static_cast<std::size_t>(std::max(1.0, arguments[1].number));
    std::vector<std::string> names, sizes;
    for (const TableRow &row : table.rows)
        if (names.size() < most && !row.name.empty()) {
            names.push_back(row.name);
            sizes.push_back(textOf(Value::of(row.percent, ValueUnit::Percent)) + " of the time");
        }
    return Value::of(std::move(names), std::move(sizes));
}

Value slowest(SessionFacts &facts, const Arguments &arguments)
{
    const Table &table = tableOf(facts, word(arguments, 0));
    if (table.rows.empty()) throw FactError("the table " + word(arguments, 0) + " is empty");
    return Value::of(table.rows.front().name);
}

Value hot(SessionFacts &facts, const Arguments &arguments)
{
    if (!arguments[0].isNumber()) throw FactError("hot wants a number of nodes");
    std::set<ApplyId> nodes;
    for (const TableRow &row : facts.functionCosts().applies.rows)
        if (static_cast<double>(nodes.size()) < arguments[0].number && !row.nodes.empty()) nodes.insert(row.nodes.front().apply);
    return Value::of(std::move(nodes));
}

Value spent(SessionFacts &facts, const Arguments &arguments)
{
    const SpentTimes &times = facts.functionCosts().spent;
    const std::string where = word(arguments, 0);
    if (where == "cpu") return Value::of(times.cpuPercent, ValueUnit::Percent);
    if (where == "gpu") return Value::of(times.gpuPercent, ValueUnit::Percent);
    if (where == "transfer") return Value::of(times.transferPercent, ValueUnit::Percent);
    throw FactError("time is spent in cpu, gpu or transfer, not in '" + where + "'");
}

Value peak(SessionFacts &facts, const Arguments &arguments)
{
    const CallMemory memory = callMemory(facts.data(), facts.function().id);
    if (memory.plan.function == kNoFunction) throw FactError("no call of '" + facts.function().name + "' was planned");
    const std::string without = word(arguments, 0);
    const std::int64_t bytes = without.empty()        ? memory.report.peak.bytes
                               : without == "inplace" ? memory.report.peakNoInplace.bytes
                               : without == "gc"      ? memory.report.noGcBytes
                               : without == "all"     ? memory.report.allBytes
                                                      : -1;
    if (bytes < 0) throw FactError("a peak is without inplace, gc or all, not without '" + without + "'");
    return Value::of(static_cast<double>(bytes), ValueUnit::Bytes);
}

Value moved(SessionFacts &facts, const Arguments &arguments)
{
    const std::string direction = word(arguments, 0);
    if (direction != "there" && direction != "back") throw FactError("bytes move \"there\" or \"back\", not '" + direction + "'");
    double bytes = 0;
    for (const Transfer &transfer : facts.data().devices.transfers)
        if (transfer.function == facts.function().id && transfer.direction == (direction == "there" ? "HtoD" : "DtoH"))
            bytes += static_cast<double>(transfer.bytes);
    return Value::of(perCall(facts, bytes), ValueUnit::Bytes);
}

Value ownKernels(SessionFacts &facts, const Arguments &)
{
    std::int64_t kernels = 0;
    for (const DeviceWork &row : facts.data().devices.work)
        if (row.what == "kernel of the script") kernels += row.count;
    return Value::of(static_cast<double>(kernels));
}

Value flag(SessionFacts &facts, const Arguments &arguments)
{
    const std::string name = word(arguments, 0);
    for (const Flag &each : facts.data().flags)
        if (each.name == name) return Value::of(each.value);
    throw FactError("the session knows no flag '" + name + "'; the help page 'Every flag' lists them");
}

Value machine(SessionFacts &facts, const Arguments &arguments)
{
    std::vector<std::string> names;
    for (const NameValue &each : facts.data().machine.facts) {
        if (each.name == word(arguments, 0)) return Value::of(each.value);
        names.push_back(each.name);
    }
    throw FactError("of the machine nothing is called '" + word(arguments, 0) + "'; known are: " + listOf(names));
}

Value printed(SessionFacts &facts, const Arguments &arguments)
{
    return Value::of(facts.printed().find(word(arguments, 0)) != std::string::npos);
}

Value hasFunction(SessionFacts &facts, const Arguments &arguments)
{
    const auto &all = facts.data().functions;
    return Value::of(std::any_of(all.begin(), all.end(), [&](const FunctionInfo &each) { return each.name == word(arguments, 0); }));
}

Value advised(SessionFacts &facts, const Arguments &arguments)
{
    const std::vector<Advice> &all = facts.costs().advice();
    return Value::of(static_cast<double>(std::count_if(
        all.begin(), all.end(), [&](const Advice &each) { return word(arguments, 0).empty() || each.id == word(arguments, 0); })));
}

constexpr Fact kRunFacts[] = {
    {"calls", "calls()", "how often the function was called", 0, 0, calls},
    {"functions", "functions()", "how many functions were compiled", 0, 0, functions},
    {"has_function", "has_function(NAME)", "1 where a function of that name was compiled, else 0", 1, 1, hasFunction},
    {"call_time", "call_time()", "time of one call, in the mean", 0, 0, callTime},
    {"time", "time(OP)", "time of an op in one call, by the processor's clock", 1, 1, time},
    {"device_time", "device_time(OP)", "the same by the device's clock", 1, 1, deviceTime},
    {"share", "share(OP)", "the op's part of the time in ops", 1, 1, share},
    {"overhead", "overhead()", "the part of a call that is in no op", 0, 0, overhead},
    {"compile_time", "compile_time([rewriting|generating])", "time to compile the function, or a part of it", 0, 1, compileTime},
    {"slowest", "slowest(classes|ops|applies|lines)", "the first row of a table: what takes most time", 1, 1, slowest},
    {"top", "top(classes|ops|applies|lines, COUNT)", "a list: the first rows of a table", 2, 2, top},
    {"hot", "hot(COUNT)", "the nodes of the optimized graph that take most time", 1, 1, hot, "Others take more time than these."},
    {"spent", "spent(cpu|gpu|transfer)", "the part of the time in ops that is spent there", 1, 1, spent},
    {"peak", "peak([inplace|gc|all])", "memory of a call at its peak; or as it would be without", 0, 1, peak},
    {"moved", "moved(there|back)", "bytes that a call brings to the device, or back", 1, 1, moved},
    {"own_kernels", "own_kernels()", "how many kernels the script itself started on a device, outside of functions", 0, 0, ownKernels},
    {"flag", "flag(NAME)", "the value of a flag", 1, 1, flag},
    {"machine", "machine(NAME)", "what is known of the machine", 1, 1, machine},
    {"printed", "printed(TEXT)", "1 where the script printed the text, else 0", 1, 1, printed},
    {"advised", "advised([ID])", "how many pieces of advice there are, or how many of one kind", 0, 1, advised},
};

} // namespace

std::span<const Fact> runFacts() { return kRunFacts; }

} // namespace profiler
