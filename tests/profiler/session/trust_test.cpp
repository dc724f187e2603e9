// Sessions come from anywhere: what their schema defines must not run where they are opened to add to them, nor in a copy.

#include "profiler/session/store/add_values.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/snapshot.h"
#include "profiler/session/store/trials.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <set>

using namespace profiler;

namespace {

class HostileSession : public testing::Test {
protected:
    HostileSession() { copyFile(CROTON_REAL_SESSION, m_path); }

    void define(const std::string &sql) const { Database(m_path, Database::Access::Write).execute(sql); }
    static std::set<std::string> names(const std::string &path, const std::string &type)
    {
        Database database(path, Database::Access::Read);
        Statement rows(database, "SELECT name || ' ' || sql FROM sqlite_schema WHERE type = '" + type + "'");
        std::set<std::string> all;
        while (rows.step()) all.insert(rows.text(0));
        return all;
    }
    static std::string label(const std::string &path) { return SessionReader::open(path)->info().label; }

    Scratch m_scratch;
    std::string m_path = m_scratch / "a.croton";
    std::string m_copy = m_scratch / "copy.croton";
};

TEST_F(HostileSession, firesNoTriggerWhereItIsAddedTo)
{
    for (const char *table : {ValueNote::kTable, Roof::kTable})
        for (const char *when : {"AFTER INSERT", "BEFORE DELETE", "AFTER UPDATE"})
            define(std::string("CREATE TRIGGER \"t ") + table + when + "\" " + when + " ON " + table +
                   " BEGIN UPDATE meta SET value = 'a trigger fired' WHERE key = 'label'; END");
    const std::string before = label(m_path);
    ValueNote note;
    note.function = FunctionId{0};
    note.text = "a note";
    addValues(m_path, {}, std::span(&note, 1));
    const Roof roof{"cpu", "bandwidth.memory", 1e10, "B/s"};
    storeRoofs(m_path, std::span(&roof, 1));
    storeRoofs(m_path, std::span(&roof, 1));
    EXPECT_FALSE(SessionReader::open(m_path)->valueNotes().empty());
    EXPECT_EQ(label(m_path), before);
}

TEST_F(HostileSession, leavesTriggersAndForeignViewsOutOfACopy)
{
    const std::set<std::string> ours = names(m_path, "view");
    ASSERT_GT(ours.size(), 10u);
    define("CREATE TRIGGER t AFTER INSERT ON meta BEGIN UPDATE meta SET value = 'a trigger fired' WHERE key = 'label'; END;"
           "CREATE TRIGGER u AFTER DELETE ON functions BEGIN UPDATE meta SET value = 'a trigger fired' WHERE key = 'label'; END;"
           "CREATE VIEW more AS SELECT * FROM nowhere; CREATE VIEW \"a \"\"b\" AS SELECT 1;"
           "DROP VIEW steps; CREATE VIEW steps AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
    const std::string before = label(m_path);
    for (const char *only : {"", "train"}) {
        snapshotSession(m_path, m_copy, only);
        EXPECT_EQ(names(m_copy, "trigger"), std::set<std::string>{});
        EXPECT_EQ(names(m_copy, "view"), ours);
        EXPECT_EQ(label(m_copy), before);
        EXPECT_FALSE(SessionReader::open(m_copy)->functions().empty());
    }
}

TEST_F(HostileSession, namesOfTablesAreNoStatements)
{
    const std::string other = m_scratch / "other";
    define("CREATE TABLE \"x\"\"; ATTACH '" + other + "' AS o; CREATE TABLE o.t(y); --\" (function INTEGER)");
    define("CREATE TABLE \"y\"\"; ATTACH '" + other + "' AS o; CREATE TABLE o.t(y); --\" (graph INTEGER)");
    snapshotSession(m_path, m_copy, "train");
    EXPECT_FALSE(fileExists(other));
    EXPECT_EQ(SessionReader::open(m_copy)->functions().size(), 1u);
}

// An older version lacks what a view of today shows.
TEST_F(HostileSession, aCopyHasNoViewThatCannotBeRead)
{
    define("DROP VIEW call_lines; DROP VIEW chain_lines; DROP TABLE chains");
    snapshotSession(m_path, m_copy);
    AsSqlite3 copy(m_copy);
    for (const std::string &view : names(m_copy, "view")) {
        EXPECT_NE(view.substr(0, view.find(' ')), "chain_lines");
        EXPECT_NO_THROW(Statement(copy, "SELECT * FROM " + view.substr(0, view.find(' ')))) << view;
    }
}

} // namespace
