#include "profiler/session/store/tables.h"

#include "profiler/session/store/schema.h"

namespace profiler {

void ensureTable(Database &database, const char *table)
{
    if (database.columns(table).empty()) database.execute(schemaItem(table).sql);
}

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

Statement &Tables::insertion(const char *table, Columns columns, std::size_t rows)
{
    auto &known = rows == 1 ? m_statements : m_manyRows;
    const auto found = known.find(table);
    if (found != known.end()) return found->second;
    std::string names, row;
    for (const char *column : columns()) {
        (names += names.empty() ? "(" : ", ") += column;
        row += row.empty() ? "(?" : ",?";
    }
    row += ")";
    std::string sql = std::string("INSERT OR REPLACE INTO ") + table + " " + names + ") VALUES " + row;
    for (std::size_t i = 1; i < rows; ++i) sql += "," + row;
    return known.emplace(std::string_view(table), Statement(m_database, sql)).first->second;
}

Statement &Tables::change(const char *table, Columns columns, const char *condition)
{
    const auto found = m_statements.find(condition);
    if (found != m_statements.end()) return found->second;
    std::string sql;
    for (const char *column : columns()) ((sql += sql.empty() ? " SET " : ", ") += column) += "=?";
    return m_statements.emplace(std::string_view(condition), Statement(m_database, std::string("UPDATE ") + table + sql + " " + condition))
        .first->second;
}

void Tables::function(const FunctionInfo &row)
{
    insert(row);
    statement("DELETE FROM function_inputs WHERE function=?").run(row.id);
    statement("DELETE FROM updates WHERE function=?").run(row.id);
    int position = 0;
    for (FunctionInput input : row.inputs) {
        input.function = row.id;
        input.position = position++;
        insert(input);
    }
    for (FunctionUpdate update : row.updates) {
        update.function = row.id;
        insert(update);
    }
}

void Tables::groups(GraphId graph, std::span<const ApplyGroup> groups)
{
    statement("DELETE FROM apply_groups WHERE graph=?").run(graph);
    for (const ApplyGroup &group : groups) {
        GroupMember member{group.graph, group.group, 0, kNoApply, group.rewrite};
        for (ApplyId apply : group.applies) {
            member.apply = apply;
            insert(member);
            ++member.position;
        }
    }
}

} // namespace profiler
