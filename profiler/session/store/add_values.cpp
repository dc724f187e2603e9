#include "profiler/session/store/add_values.h"

#include "profiler/session/store/tables.h"

namespace profiler {

void addValues(const std::string &session, std::span<const ValueRow> rows, std::span<const ValueNote> notes)
{
    Database database(session, Database::Access::Write);
    Transaction transaction(database);
    for (const char *table : {ValueRow::kTable, ValueNote::kTable}) ensureTable(database, table);
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
