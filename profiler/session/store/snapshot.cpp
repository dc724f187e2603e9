#include "profiler/session/store/snapshot.h"

#include "profiler/session/codec/printable.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/schema.h"
#include "profiler/session/store/tables.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace profiler {

namespace {

bool canBeRead(Database &copy, const std::string &view)
{
    try {
        const Statement tried(copy, "SELECT * FROM " + Database::quoted(view));
        return true;
    } catch (const SessionError &) {
        return false; // a session of an older version lacks what it shows
    }
}

// A copy goes to other people and programs, which may trust what its schema defines.
void keepOwnSchema(Database &copy)
{
    std::vector<std::string> removals;
    {
        Statement rows(copy, "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY type = 'view'");
        while (rows.step()) removals.push_back("DROP " + rows.text(0) + " IF EXISTS " + Database::quoted(rows.text(1)));
    }
    Transaction transaction(copy);
    for (const std::string &removal : removals) copy.execute(removal);
    copy.execute("PRAGMA trusted_schema=ON"); // from here on the views are ours
    for (const SchemaItem &view : schemaItems()) {
        if (!view.isView) continue;
        // A foreign table may have taken the name.
        if (copy.integer("SELECT count(*) FROM sqlite_schema WHERE name = '" + view.name + "' COLLATE NOCASE") > 0) continue;
        copy.execute(view.sql);
        if (!canBeRead(copy, view.name)) copy.execute("DROP VIEW " + view.name);
    }
    copy.execute("PRAGMA trusted_schema=OFF");
    transaction.commit();
}

// Throws SessionError where there is none of that name.
void keepOnly(Database &copy, const std::string &only)
{
    Statement(copy, "CREATE TEMP TABLE kept (id INTEGER PRIMARY KEY)").run();
    Statement(copy, "INSERT INTO temp.kept SELECT id FROM functions WHERE name=?1 OR CAST(id AS TEXT)=?1").run(only);
    if (copy.integer("SELECT count(*) FROM temp.kept") == 0)
        throw SessionError("there is no function " + only + " in the session",
                           "there are: " + printableInLine(copy.text("SELECT group_concat(iif(name='', id, name), ', ') FROM functions")));
    std::vector<std::string> tables;
    {
        Statement names(copy, "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'");
        while (names.step()) tables.push_back(names.text(0));
    }
    copy.execute("DELETE FROM functions WHERE id NOT IN (SELECT id FROM temp.kept)");
    const auto has = [&](const std::string &table, const char *column) {
        const std::vector<std::string> &columns = copy.columns(table);
        return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    for (const std::string &table : tables) // graphs among them
        if (table != "progress" && has(table, "function"))
            copy.execute("DELETE FROM " + Database::quoted(table) +
                         " WHERE function IS NOT NULL AND function NOT IN (SELECT id FROM temp.kept)");
    for (const std::string &table : tables)
        if (table != "progress" && has(table, "graph") && !has(table, "function"))
            copy.execute("DELETE FROM " + Database::quoted(table) + " WHERE graph IS NOT NULL AND graph NOT IN (SELECT id FROM graphs)");
    if (!copy.columns("captured_arrays").empty())
        copy.execute("DELETE FROM captured_arrays WHERE array_key NOT IN (SELECT array_key FROM captured_values UNION SELECT document "
                     "FROM captured_functions)");
    copy.execute("DROP TABLE temp.kept");
    copy.execute("VACUUM");
}

} // namespace

void snapshotSession(const std::string &from, const std::string &to, const std::string &only)
{
    const SessionState state = SessionReader::open(from)->info().state;
    std::error_code error;
    if (std::filesystem::equivalent(from, to, error)) throw SessionError("a session cannot be copied onto itself", "name another file");
    checkSessionPlace(to);
    const std::string draft = to + ".new";
    removeSession(draft);
    try {
        Database source(from, Database::Access::Read);
        Database copy(draft, Database::Access::Create);
        copy.copyFrom(source);
        keepOwnSchema(copy);
        copy.execute("PRAGMA journal_mode=DELETE");
        if (!only.empty()) keepOnly(copy, only);
        Tables tables(copy);
        tables.meta("file_number", std::to_string(fileNumber(draft)));
        if (state == SessionState::Running) {
            tables.meta("state", "cut off");
            tables.meta("end_reason", "this is a snapshot, taken while the run went on");
        }
    } catch (...) {
        removeSession(draft);
        throw;
    }
    removeSession(to);
    moveFile(draft, to);
}

} // namespace profiler
