#include "profiler/session/add_values.h"

#include "profiler/session/schema.h"
#include "profiler/session/tables.h"

namespace profiler {

namespace {

// The statement of schema.sql that makes a table, for a session of an older version.
std::string creationOf(const std::string &table)
{
    const std::string schema = kSchemaSql;
    const std::size_t begin = schema.find("CREATE TABLE " + table + " (");
    return schema.substr(begin, schema.find(';', begin) + 1 - begin);
}

} // namespace

void addValues(const std::string &session, std::span<const ValueRow> rows, std::span<const ValueNote> notes)
{
    Database database(session, Database::Access::Write);
    Transaction transaction(database);
    for (const char *table : {ValueRow::kTable, ValueNote::kTable})
        if (database.columns(table).empty()) database.execute(creationOf(table));
    for (const ValueRow &row : rows)
        if (row.position == 0)
            for (const char *table : {ValueRow::kTable, ValueNote::kTable})
                Statement(database, std::string("DELETE FROM ") + table + " WHERE function = ? AND call = ? AND side = ?")
                    .run(row.function, row.call, nameOf(row.side));
    Tables tables(database);
    tables.all(rows);
    tables.all(notes);
    tables.clear();
    transaction.commit();
}

} // namespace profiler
