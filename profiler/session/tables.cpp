#include "profiler/session/tables.h"

#include "profiler/session/edit_codec.h"

namespace profiler {

namespace {

std::optional<std::int64_t> unlessNegative(std::int64_t value) { return value < 0 ? std::nullopt : std::optional(value); }

std::optional<std::string_view> unlessEmpty(const std::string &text)
{
    return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

std::string jsonStrings(const std::vector<std::string> &strings)
{
    std::string out = "[";
    for (const std::string &one : strings) {
        if (out.size() > 1) out += ',';
        appendJson(out, one);
    }
    return out + "]";
}

} // namespace

Statement &Tables::statement(const char *sql)
{
    const auto found = m_statements.find(sql);
    if (found != m_statements.end()) return found->second;
    return m_statements.emplace(std::string_view(sql), Statement(m_database, sql)).first->second;
}

Statement &Tables::removal(const char *table, std::span<const char *const> key)
{
    const auto found = m_removals.find(table);
    if (found != m_removals.end()) return found->second;
    std::string sql = std::string("DELETE FROM ") + table;
    for (std::size_t i = 0; i < key.size(); ++i) ((sql += i ? " AND " : " WHERE ") += key[i]) += "=?";
    sql += " AND page>=?";
    return m_removals.emplace(std::string_view(table), Statement(m_database, sql)).first->second;
}

Statement &Tables::insertion(const char *table, std::size_t columns, std::size_t rows)
{
    auto &known = rows == 1 ? m_statements : m_manyRows;
    const auto found = known.find(table);
    if (found != known.end()) return found->second;
    std::string row = "(?";
    for (std::size_t i = 1; i < columns; ++i) row += ",?";
    row += ")";
    std::string sql = std::string("INSERT OR REPLACE INTO ") + table + " VALUES " + row;
    for (std::size_t i = 1; i < rows; ++i) sql += "," + row;
    return known.emplace(std::string_view(table), Statement(m_database, sql)).first->second;
}

void Tables::meta(const std::string &key, const std::string &value) { insert("meta", key, value); }

void Tables::progress(const Progress &row) { insert("progress", 1, row.activity, row.function, row.call, row.graph, row.step, row.timeNs); }

void Tables::script(const ScriptInfo &row) { insert("script", 1, row.path, row.text, jsonStrings(row.arguments)); }

void Tables::source(const SourceFile &row) { insert("sources", row.file, row.text); }

void Tables::flag(const Flag &row) { insert("flags", row.name, row.value, row.origin); }

void Tables::nameValue(const char *table, const NameValue &row) { insert(table, row.name, row.value); }

void Tables::roof(const Roof &row) { insert("roofs", row.device, row.name, row.value, row.unit); }

void Tables::device(const DeviceInfo &row) { insert("devices", row.name, row.description, row.available, row.reason, row.memoryBytes); }

void Tables::clock(const Clock &row) { insert("clocks", row.name, row.description, row.resolutionNs, row.offsetNs, row.overheadNs); }

void Tables::string(std::uint32_t id, std::string_view text) { insert("strings", id, text); }

void Tables::function(const FunctionInfo &row)
{
    insert("functions", row.id, row.name, row.location.file, row.location.line, row.mode, row.linker, row.device, row.graph, row.state,
           row.createdNs, row.appliesOriginal, row.appliesOptimized, row.stepCount, row.compile.totalNs, row.compile.graphNs,
           row.compile.optimizerNs, row.compile.validateNs, row.compile.linkerNs, row.compile.importNs, row.compile.makeThunkNs,
           row.run.calls, row.run.totalNs, row.run.vmNs, row.run.thunkNs, row.run.firstCallNs, row.run.lastCallNs, row.run.warmupCalls,
           row.message.empty() ? std::nullopt : std::optional(row.message));
    run("DELETE FROM function_inputs WHERE function=?", row.id);
    run("DELETE FROM updates WHERE function=?", row.id);
    int position = 0;
    for (const FunctionInput &input : row.inputs)
        insert("function_inputs", row.id, position++, input.variable, input.name, input.type, variableKindName(input.kind));
    for (const FunctionUpdate &update : row.updates) insert("updates", row.id, update.variable, update.output, update.name);
}

void Tables::calls(FunctionId function, const FunctionCalls &row)
{
    run("UPDATE functions SET calls=?, call_ns=?, vm_ns=?, thunk_ns=?, first_call_ns=?, "
        "last_call_ns=?, warmup_calls=? WHERE id=?",
        row.calls, row.totalNs, row.vmNs, row.thunkNs, row.firstCallNs, row.lastCallNs, row.warmupCalls, function);
}

void Tables::graph(const GraphInfo &row)
{
    insert("graphs", row.id, row.function, row.parentGraph, row.parentApply, graphKindName(row.kind), row.label, row.stepCount,
           row.appliesOriginal, row.appliesOptimized);
}

void Tables::step(const StepFacts &row)
{
    insert("rewrite_steps", row.graph, row.index, row.phase, row.pass, row.rewrite, row.reason, row.ns, row.nodesBefore, row.nodesAfter,
           row.matched, row.produced, row.lineage, row.editCount, row.edits);
}

void Tables::pass(const PassInfo &row)
{
    insert("passes", row.graph, row.index, row.phase, row.name, row.kind, row.iteration, row.firstStep, row.stepCount, row.ns,
           row.validateNs, row.nodesBefore, row.nodesAfter);
}

void Tables::passRewrite(const PassRewrite &row)
{
    insert("pass_rewrites", row.graph, row.pass, row.rewrite, row.applied, row.ns, row.nodesCreated);
}

void Tables::rewriteCount(const RewriteCount &row)
{
    insert("rewrite_counts", row.graph, row.rewrite, row.tried, row.applied, row.declined, row.failed, row.ns, row.nodesCreated);
}

void Tables::apply(const ApplyFacts &row)
{
    insert("applies", row.graph, row.apply, row.op, row.friendly, row.opClass, row.device, row.inOriginal, row.inOptimized,
           unlessNegative(row.originalIndex), unlessNegative(row.optimizedIndex), row.createdStep, row.createdPhase, row.createdRewrite,
           row.inOriginal ? std::optional(fateName(row.fate)) : std::nullopt, row.label, row.implementation, unlessEmpty(row.inputs),
           unlessEmpty(row.origins), row.source.line ? std::optional(row.source.file) : std::nullopt,
           row.source.line ? std::optional(row.source.line) : std::nullopt);
}

void Tables::applyGroup(const ApplyGroup &group, int position)
{
    insert("apply_groups", group.graph, group.group, position, group.applies[static_cast<std::size_t>(position)], group.rewrite);
}

void Tables::bodyOrigins(const BodyFacts &body) { insert("body_origins", body.info.id, kept(encodeOrigins(body.origins))); }

void Tables::rewrite(const RewriteInfo &row)
{
    insert("rewrites", row.name, row.phase, row.position, row.tags, row.why, row.hurts, row.exampleBefore, row.exampleAfter, row.code.file,
           row.code.line);
}

void Tables::declineReason(const DeclineReason &row) { insert("decline_reasons", row.graph, row.rewrite, row.reason, row.count); }

void Tables::decline(const Decline &row) { insert("declines", row.graph, row.rewrite, row.apply, row.step, row.reason, row.because); }

void Tables::lastDeclines(const LastDeclines &row)
{
    insert("last_declines", row.graph, row.apply, row.step, kept(encodeWords(row.words)));
}

void Tables::kernel(const Kernel &row)
{
    insert("kernels", row.function, row.graph, row.apply, row.language, row.symbol, row.source, row.flags, row.cacheKey, row.fromCache,
           row.compileNs);
}

void Tables::plan(const PlanInfo &row)
{
    insert("plans", row.function, row.plan, row.key, row.arenaBytes, row.peakBytes, row.peakNoInplaceBytes, row.peakNoGcBytes,
           row.noReuseBytes, unlessNegative(row.measuredPeakBytes), row.uses);
}

void Tables::planUse(const PlanInfo &row)
{
    run("UPDATE plans SET uses=?, measured_peak_bytes=? WHERE function=? AND plan=?", row.uses, unlessNegative(row.measuredPeakBytes),
        row.function, row.plan);
}

void Tables::lane(const Lane &row) { insert("lanes", row.id, laneKindName(row.kind), row.device, row.name); }

void Tables::event(const Event &row)
{
    const std::optional<std::string_view> name = row.name.empty() ? std::nullopt : std::optional<std::string_view>(row.name);
    const auto unlessZero = [](std::int64_t value) { return value == 0 ? std::nullopt : std::optional(value); };
    insert("events", nullptr, row.lane, eventKindName(row.kind), row.startNs, row.durationNs, row.function, unlessNegative(row.call),
           row.graph, row.apply, unlessZero(row.correlation), unlessZero(row.bytes), name);
}

void Tables::transfer(const Transfer &row)
{
    insert("transfers", row.function, row.graph, row.apply, row.direction, row.device, row.count, row.bytes, row.totalNs);
}

void Tables::deviceKernel(const DeviceKernel &row)
{
    insert("device_kernels", row.device, row.symbol, row.function, row.graph, row.apply, row.launches, row.totalNs, row.minNs, row.maxNs,
           row.grid, row.block, row.registers, row.sharedBytes, row.occupancy, row.bytes);
}

void Tables::memoryEvent(const MemoryEvent &row)
{
    insert("memory_events", nullptr, row.timeNs, row.device, row.deltaBytes, row.liveBytes, row.function, row.graph, row.apply);
}

void Tables::output(const OutputText &row) { insert("outputs", nullptr, row.timeNs, row.stream, row.text); }

void Tables::message(const Message &row)
{
    insert("messages", nullptr, row.timeNs, severityName(row.severity), row.text, row.hint, row.detail, row.source.file, row.source.line,
           row.function, row.graph, row.apply);
}

void Tables::check(const Check &row)
{
    insert("checks", nullptr, row.function, row.graph, row.apply, row.step, row.kind, row.passed, row.text, row.maxAbsolute,
           row.maxRelative);
}

void Tables::drop(const Drop &row) { insert("drops", row.what, row.count, row.reason); }

} // namespace profiler
