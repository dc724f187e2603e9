#include "profiler/export/csv_export.h"

#include "profiler/export/format.h"
#include "profiler/export/report.h"
#include "profiler/memory/memory.h"
#include "profiler/session/codec/printable.h"
#include "profiler/stats/times/profile_parts.h"
#include "profiler/stats/times/scope.h"

#include <charconv>
#include <initializer_list>
#include <map>
#include <string_view>
#include <unordered_map>

namespace profiler {

namespace {

bool isNumber(const std::string &text)
{
    double value = 0;
    const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(begin, end, value);
    return problem == std::errc{} && rest == end;
}

class Csv {
public:
    explicit Csv(std::initializer_list<const char *> titles)
    {
        for (const char *title : titles) cell(std::string(title));
        end();
    }
    Csv &cell(const std::string &text)
    {
        m_text += (m_first ? "" : ",") + csvCell(text);
        m_first = false;
        return *this;
    }
    Csv &cell(std::int64_t value) { return cell(std::to_string(value)); }
    Csv &cell(int value) { return cell(std::to_string(value)); }
    Csv &cell(double value) { return cell(format("%.9g", value)); }
    void end()
    {
        m_text += "\r\n";
        m_first = true;
    }
    [[nodiscard]] const std::string &text() const { return m_text; }

private:
    std::string m_text;
    bool m_first = true;
};

// Names of functions and applies, for tables that have a row of each.
class Names {
public:
    explicit Names(const ProfileData &data)
    {
        for (const FunctionInfo &function : data.functions) m_functions.emplace(function.id, &function);
        for (const ApplyRow &apply : data.applies) m_applies.emplace(ApplyKey{apply.graph, apply.apply}, &apply);
    }
    [[nodiscard]] std::string of(FunctionId id) const
    {
        const auto found = m_functions.find(id);
        return found == m_functions.end() ? std::string() : functionTitle(*found->second);
    }
    [[nodiscard]] std::string of(const ApplyKey &key) const
    {
        const auto found = m_applies.find(key);
        if (found == m_applies.end()) return {};
        return found->second->label.empty() ? found->second->op : found->second->label;
    }

private:
    std::unordered_map<FunctionId, const FunctionInfo *> m_functions;
    std::unordered_map<ApplyKey, const ApplyRow *, ApplyKeyHash> m_applies;
};

std::string costs(const ProfileData &data, TableKind kind, const TableScope &scope)
{
    Csv csv({"name", "function", "id", "percent", "ns", "calls", "applies", "ns_per_call", "min_ns", "median_ns", "p95_ns", "p99_ns",
             "max_ns", "deviation_ns", "type", "flops"});
    const Names names(data);
    for (const TableRow &row : makeTable(data, kind, scope).rows) {
        csv.cell(row.name).cell(names.of(row.function));
        row.position >= 0 ? csv.cell(row.position) : csv.cell(std::string());
        csv.cell(row.percent).cell(row.ns).cell(row.calls).cell(row.applies).cell(row.nsPerCall);
        csv.cell(row.minNs).cell(row.medianNs).cell(row.p95Ns).cell(row.p99Ns).cell(row.maxNs);
        csv.cell(row.deviationNs).cell(row.type);
        row.flops >= 0 ? csv.cell(row.flops) : csv.cell(std::string());
        csv.end();
    }
    return csv.text();
}

std::string lines(const ProfileData &data, const TableScope &scope)
{
    Csv csv({"file", "line", "percent", "ns", "calls", "estimated", "with_calls_percent", "with_calls_ns"});
    for (const LineRow &row : lineTable(data, scope)) {
        csv.cell(row.source.file).cell(row.source.line).cell(row.percent).cell(row.ns).cell(row.calls);
        csv.cell(row.estimated ? 1 : 0).cell(row.withCallsPercent).cell(row.withCallsNs).end();
    }
    return csv.text();
}

std::string functions(const ProfileData &data, const TableScope &scope)
{
    Csv csv({"name", "file", "line", "mode", "device", "applies_original", "applies_optimized", "steps", "compile_ns", "optimizer_ns",
             "linker_ns", "calls", "warmup_calls", "call_ns", "vm_ns", "thunk_ns"});
    const InScope inScope(scope);
    for (const FunctionInfo &one : data.functions) {
        if (!inScope(one.id)) continue;
        csv.cell(one.name).cell(one.location.file).cell(one.location.line).cell(one.mode).cell(one.device);
        csv.cell(one.appliesOriginal).cell(one.appliesOptimized).cell(one.stepCount);
        csv.cell(one.compile.totalNs).cell(one.compile.optimizerNs).cell(one.compile.linkerNs);
        csv.cell(one.run.calls).cell(one.run.warmupCalls).cell(one.run.totalNs).cell(one.run.vmNs);
        csv.cell(one.run.thunkNs).end();
    }
    return csv.text();
}

std::string rewrites(const ProfileData &data, const TableScope &scope)
{
    Csv csv({"rewrite", "phase", "tried", "applied", "declined", "ns", "nodes_created"});
    for (const RewriteRow &row : rewriteTable(data, scope)) {
        csv.cell(row.rewrite).cell(row.phase).cell(row.tried).cell(row.applied).cell(row.declined);
        csv.cell(row.ns).cell(row.nodesCreated).end();
    }
    return csv.text();
}

std::string memory(const ProfileData &data, const TableScope &scope)
{
    Csv csv({"function", "apply", "position", "bytes", "kind", "shape"});
    const InScope inScope(scope);
    const Names names(data);
    const MainPlans plans(data);
    for (const FunctionInfo &function : data.functions) {
        if (!inScope(function.id)) continue;
        for (const MemoryRow &row : memoryReport(plans.buffersOf(function.id)).rows)
            csv.cell(functionTitle(function))
                .cell(names.of(row.node))
                .cell(row.position)
                .cell(row.bytes)
                .cell(std::string(row.letter == 'v'   ? "view"
                                  : row.letter == 'i' ? "inplace"
                                                      : "created"))
                .cell(row.shape)
                .end();
    }
    return csv.text();
}

std::string transfers(const ProfileData &data, const TableScope &scope)
{
    Csv csv({"function", "apply", "direction", "device", "count", "bytes", "ns"});
    const InScope inScope(scope);
    const Names names(data);
    for (const Transfer &row : data.devices.transfers)
        if (inScope(row.function))
            csv.cell(names.of(row.function))
                .cell(names.of(ApplyKey{row.graph, row.apply}))
                .cell(row.direction)
                .cell(row.device)
                .cell(row.count)
                .cell(row.bytes)
                .cell(row.totalNs)
                .end();
    return csv.text();
}

using Maker = std::string (*)(const ProfileData &, const TableScope &);

const std::map<std::string, Maker> &makers()
{
    static const std::map<std::string, Maker> all{
        {"applies", [](const ProfileData &d, const TableScope &s) { return costs(d, TableKind::Apply, s); }},
        {"ops", [](const ProfileData &d, const TableScope &s) { return costs(d, TableKind::Op, s); }},
        {"classes", [](const ProfileData &d, const TableScope &s) { return costs(d, TableKind::Class, s); }},
        {"lines", lines},
        {"functions", functions},
        {"rewrites", rewrites},
        {"memory", memory},
        {"transfers", transfers},
    };
    return all;
}

} // namespace

std::string csvCell(const std::string &text)
{
    std::string shown = printableInLine(text);
    const bool isFormula = !shown.empty() && std::string_view("=+-@").find(shown[0]) != std::string_view::npos && !isNumber(shown);
    if (isFormula) shown.insert(0, 1, '\'');
    if (!isFormula && shown.find_first_of(",\"") == std::string::npos) return shown;
    std::string out = "\"";
    for (const char c : shown) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

const std::vector<std::string> &csvTables()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const auto &[name, maker] : makers()) list.push_back(name);
        return list;
    }();
    return names;
}

std::string csvTable(const ProfileData &data, const std::string &table, const TableScope &scope)
{
    const auto found = makers().find(table);
    if (found != makers().end()) return found->second(data, scope);
    std::string known;
    for (const std::string &name : csvTables()) known += (known.empty() ? "" : ", ") + name;
    throw SessionError("there is no table '" + table + "'", known);
}

} // namespace profiler
