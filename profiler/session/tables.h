#pragma once
// One INSERT per struct of the model: what the writing thread does inside a transaction.

#include "profiler/session/database.h"
#include "profiler/session/model.h"

#include <map>
#include <string>
#include <string_view>

namespace profiler {

class Tables {
public:
    explicit Tables(Database &database) : m_database(database) {}
    void clear() { m_statements.clear(); }

    void meta(const std::string &key, const std::string &value);
    void progress(const Progress &row);
    void script(const ScriptInfo &row);
    void source(const SourceFile &row);
    void flag(const Flag &row);
    void nameValue(const char *table, const NameValue &row);
    void roof(const Roof &row);
    void device(const DeviceInfo &row);
    void clock(const Clock &row);
    void string(std::uint32_t id, std::string_view text);
    void function(const FunctionInfo &row);
    void calls(FunctionId function, const FunctionCalls &row);
    void graph(const GraphInfo &row);
    void step(const StepInfo &row, const std::vector<std::uint8_t> &edits);
    void pass(const PassInfo &row);
    void passRewrite(const PassRewrite &row);
    void rewriteCount(const RewriteCount &row);
    void lineage(const LineageRow &row);
    void apply(const ApplyRow &row);
    void applyInput(const ApplyInput &row);
    void applyGroup(const ApplyGroup &group, int position);
    void variable(const VariableRow &row);
    void origin(const OriginRow &row);
    void sourceLink(const SourceLink &row);
    void rewrite(const RewriteInfo &row);
    void declineReason(const DeclineReason &row);
    void decline(const Decline &row);
    void kernel(const Kernel &row);
    void plan(const PlanInfo &row);
    void planUse(const PlanInfo &row); // only how often and how much
    void planItem(const PlanItem &row);
    void buffer(const BufferRow &row);
    void applyStats(const ApplyStats &row);
    void lane(const Lane &row);
    void event(const Event &row);
    void transfer(const Transfer &row);
    void deviceKernel(const DeviceKernel &row);
    void memoryEvent(const MemoryEvent &row);
    void output(const OutputText &row);
    void message(const Message &row);
    void check(const Check &row);
    void drop(const Drop &row);

    // Runs a statement with arguments; it is prepared once. `sql` must be a literal.
    template <class... Args>
    void run(const char *sql, const Args &...args) {
        statement(sql).run(args...);
    }
    // INSERT OR REPLACE INTO table VALUES with one argument per column.
    template <class... Args>
    void insert(const char *table, const Args &...args) {
        insertion(table, sizeof...(args)).run(args...);
    }

private:
    Statement &statement(const char *sql);
    Statement &insertion(const char *table, std::size_t columns);

    Database &m_database;
    std::map<std::string_view, Statement> m_statements; // keyed by literals
};

} // namespace profiler
