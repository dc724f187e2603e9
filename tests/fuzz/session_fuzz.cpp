// Damaged and hostile session files: a clear error or a readable rest, never a crash.

#include "profiler/compare/compare.h"
#include "profiler/export/chrome_trace.h"
#include "profiler/export/csv_export.h"
#include "profiler/export/report.h"
#include "profiler/memory/memory.h"
#include "profiler/memory/min_peak.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/advice/advice.h"
#include "profiler/stats/advice/memory_choices.h"
#include "tests/fuzz/mutate.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

using namespace profiler;

namespace {

std::string readFile(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void writeFile(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Reads everything that anything reads. True: nothing was wrong.
bool readAll(const std::string &path)
{
    bool whole = true;
    const auto attempt = [&](const std::function<void()> &part) {
        try {
            part();
        } catch (const SessionError &error) {
            EXPECT_NE(std::string(error.what()), "");
            whole = false;
        }
    };
    std::unique_ptr<SessionReader> reader;
    attempt([&] { reader = SessionReader::open(path); });
    if (!reader) return false;
    attempt([&] {
        const ProfileData data = loadProfile(*reader);
        (void)profileReport(data);
        (void)profileModeReport(data);
        (void)summaryReport(data);
        (void)advise(data);
        for (const FunctionInfo &function : data.functions) {
            (void)minimumPeak(mainPlanBuffers(data, function.id), data.inputs, 2000);
            const MemoryChoices choices = memoryChoices(data, function.id);
            if (choices.whyNone.empty()) (void)planForBudget(choices, 1);
        }
        for (const std::string &table : csvTables()) (void)csvTable(data, table);
        const std::vector<Event> samples = reader->steadySamples(reader->functions());
        (void)compareSessions(data, samples, data, samples);
        std::ostringstream out;
        writeChromeTrace(out, data, loadTrace(*reader), reader->messages());
    });
    attempt([&] {
        for (const GraphInfo &graph : reader->graphs()) {
            GraphReplica replica = reader->replica(graph.id);
            replica.goTo(replica.stepCount());
            replica.goTo(0);
            (void)reader->steps(graph.id);
        }
    });
    attempt([&] {
        (void)reader->script();
        (void)reader->sources();
        (void)reader->outputs();
        (void)reader->messages();
        (void)reader->checks();
        (void)reader->dataVersion();
    });
    return whole;
}

class SessionFuzz : public testing::Test {
protected:
    SessionFuzz()
    {
        copyFile(CROTON_REAL_SESSION, m_path);
        AsSqlite3(m_path) // few events: a round is to be short
            .execute("DELETE FROM events WHERE id > 200; DELETE FROM memory_events WHERE id > 50; DELETE FROM apply_groups; VACUUM; "
                     "INSERT INTO apply_groups SELECT graph, optimized_index / 3, optimized_index, apply, 'one_pass_over_rows' "
                     "FROM graph_applies WHERE optimized_index < 6; UPDATE plan_item_pages SET rows = (SELECT json_group_array("
                     "json(iif(r.key < 3, json_set(r.value, '$[2]', r.key / 3), r.value))) FROM json_each(rows) r)");
        m_bytes = readFile(m_path);
    }
    Scratch m_scratch;
    std::string m_path = m_scratch / "a.croton";
    std::string m_bytes;
};

TEST_F(SessionFuzz, anUntouchedFileIsWhole) { EXPECT_TRUE(readAll(m_path)); }

TEST_F(SessionFuzz, damagedBytes)
{
    std::mt19937_64 random(fuzz::seed());
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(fuzz::seconds());
    int damaged = 0;
    for (int round = 0; std::chrono::steady_clock::now() < end; ++round) {
        std::string bytes = m_bytes;
        switch (random() % 4) {
        case 0: // some bytes anywhere
            for (int i = 0; i < 1 + static_cast<int>(random() % 20); ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
            break;
        case 1: // in the header and the schema
            for (int i = 0; i < 1 + static_cast<int>(random() % 4); ++i) bytes[16 + random() % 4000] = static_cast<char>(random());
            break;
        case 2: bytes.resize(random() % bytes.size()); break;
        default: { // a page in the place of another
            const std::size_t pages = bytes.size() / 4096;
            const std::size_t from = random() % pages;
            bytes.replace((random() % pages) * 4096, 4096, m_bytes, from * 4096, 4096);
        }
        }
        const std::string path = m_scratch / "damaged.croton";
        writeFile(path, bytes);
        damaged += readAll(path) ? 0 : 1;
    }
    std::printf("%d files were not whole\n", damaged);
    EXPECT_GT(damaged, 0);
}

// Rows that no writer makes: ids out of range, circles, huge numbers, wrong types.
TEST_F(SessionFuzz, hostileRows)
{
    static const char *const kValues[] = {
        "NULL",  "-1",          "0",  "4294967295", "9223372036854775807", "-9223372036854775808", "'text'", "x'ff00ff'",
        "1e308", "zeroblob(5)", "''", "'\"'"};
    std::vector<std::pair<std::string, std::string>> columns;
    {
        Database database(m_path, Database::Access::Read);
        Statement tables(database, "SELECT name FROM sqlite_schema WHERE type='table'");
        while (tables.step())
            for (const std::string &column : database.columns(tables.text(0))) columns.emplace_back(tables.text(0), column);
    }
    ASSERT_GT(columns.size(), 200u);
    std::mt19937_64 random(fuzz::seed());
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(fuzz::seconds());
    int rounds = 0;
    while (std::chrono::steady_clock::now() < end) {
        const std::string path = m_scratch / "hostile.croton";
        writeFile(path, m_bytes);
        try {
            Database database(path, Database::Access::Write);
            database.execute("PRAGMA ignore_check_constraints=ON; PRAGMA synchronous=OFF");
            for (int i = 0; i < 1 + static_cast<int>(random() % 3); ++i) {
                const auto &[table, column] = columns[random() % columns.size()];
                database.execute("UPDATE OR IGNORE " + table + " SET \"" + column + "\"=" + kValues[random() % std::size(kValues)]);
            }
        } catch (const SessionError &) {
            continue; // NOT NULL held: nothing to read
        }
        readAll(path);
        ++rounds;
    }
    EXPECT_GT(rounds, 0);
}

// Plans that contradict themselves: rows of another graph, rows twice, applies that run before what they read is there.
TEST_F(SessionFuzz, plansThatContradictThemselves)
{
    for (const char *sql :
         {"INSERT INTO buffer_pages SELECT function, plan, 99, page, rows FROM buffer_pages",
          "INSERT OR IGNORE INTO buffer_pages SELECT function, plan, graph + 1, page, rows FROM buffer_pages",
          "INSERT INTO buffer_pages SELECT function, plan, graph, page + 1, rows FROM buffer_pages", "UPDATE buffer_pages SET graph = 99",
          "UPDATE buffer_pages SET function = 1 - function",
          "UPDATE buffer_pages SET rows = (SELECT json_group_array(json(json_set(r.value, '$[9]', 100 - json_extract(r.value, '$[9]')))) "
          "FROM json_each(rows) r)",
          "UPDATE buffer_pages SET rows = (SELECT json_group_array(json(json_set(r.value, '$[1]', json_extract(r.value, '$[0]')))) "
          "FROM json_each(rows) r)",
          "UPDATE buffer_pages SET rows = (SELECT json_group_array(json(json_set(r.value, '$[8]', 3))) FROM json_each(rows) r)",
          "UPDATE applies SET inputs = '[1,2,3,4,5,6,7,8,9]' WHERE inputs IS NOT NULL"}) {
        const std::string path = m_scratch / "plans.croton";
        writeFile(path, m_bytes);
        AsSqlite3(path).execute(sql);
        EXPECT_TRUE(readAll(path)) << sql;
    }
}

// A schema that would run code, or stand where a table is looked for.
TEST_F(SessionFuzz, viewsAndTriggersAreNotTrusted)
{
    for (const char *sql :
         {"DROP TABLE events; CREATE VIEW events AS SELECT * FROM functions",
          "DROP TABLE messages; CREATE TABLE messages (id INTEGER, text TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000000))))",
          "DROP TABLE functions; CREATE VIEW functions AS SELECT 1 AS id",
          "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT hex(zeroblob(1000000000)); END"}) {
        const std::string path = m_scratch / "schema.croton";
        writeFile(path, m_bytes);
        {
            AsSqlite3 database(path);
            database.execute(sql);
        }
        readAll(path);
    }
}

} // namespace
