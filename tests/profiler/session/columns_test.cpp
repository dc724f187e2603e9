// The tables and views of a session, as the structs of the model describe them.
#include "profiler/session/model/model_verified.h"
#include "profiler/session/store/schema.h"
#include "profiler/session/store/tables.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

using namespace profiler;

namespace {

struct Column {
    std::string type;
    bool isNeeded = false; // NOT NULL, or part of the key
    std::int64_t key = 0;  // its place there
    bool operator==(const Column &) const = default;
};
using Columns = std::map<std::string, Column>;

std::map<std::string, Columns> columnsOf(Database &database, const std::string &kind)
{
    std::map<std::string, Columns> all;
    Statement rows(database, "SELECT t.name, c.name, c.type, c.\"notnull\" OR c.pk, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c "
                             "WHERE t.type = ?");
    rows.bindAll(kind);
    while (rows.step()) all[rows.text(0)][rows.text(1)] = {rows.text(2), rows.integer(3) != 0, rows.integer(4)};
    return all;
}

class Schema : public testing::Test {
protected:
    Schema()
    {
        (void)SessionWriter::create(m_scratch / "a.croton", {});
        m_database.emplace(m_scratch / "a.croton");
    }

    Scratch m_scratch;
    std::optional<AsSqlite3> m_database;
};

TEST_F(Schema, isMadeByAnEmptySession)
{
    const auto tables = columnsOf(*m_database, "table"), views = columnsOf(*m_database, "view");
    std::set<std::string> names;
    for (const SchemaItem &item : schemaItems()) {
        EXPECT_TRUE(names.insert(item.name).second) << item.name << " is there twice";
        EXPECT_FALSE(item.about.empty()) << item.name;
        const auto &made = item.isView ? views : tables;
        ASSERT_TRUE(made.contains(item.name)) << item.name;
        const Columns &columns = made.at(item.name);
        for (const SchemaColumn &column : item.columns) {
            ASSERT_TRUE(columns.contains(column.name)) << item.name << "." << column.name;
            if (item.isView) continue;
            const Column &as = columns.at(column.name);
            EXPECT_EQ(as.type, column.type) << item.name << "." << column.name;
            EXPECT_EQ(as.isNeeded, !column.mayBeNull) << item.name << "." << column.name;
            EXPECT_EQ(as.key > 0, column.isPrimary) << item.name << "." << column.name;
        }
        EXPECT_TRUE(item.columns.empty() || item.columns.size() == columns.size()) << item.name;
    }
    EXPECT_EQ(names.size(), tables.size() + views.size());
}

// Within a major version nothing is removed or changes its type: what older versions wrote has the same tables.
TEST_F(Schema, hasEverythingThatOlderVersionsHad)
{
    const auto now = columnsOf(*m_database, "table"), views = columnsOf(*m_database, "view");
    int sessions = 0;
    for (const auto &file : std::filesystem::recursive_directory_iterator(CROTON_SOURCE "/samples")) {
        if (file.path().extension() != ".croton") continue;
        ++sessions;
        AsSqlite3 old(file.path());
        for (const auto &[table, columns] : columnsOf(old, "table"))
            for (const auto &[name, column] : columns) {
                ASSERT_TRUE(now.contains(table)) << table;
                ASSERT_TRUE(now.at(table).contains(name)) << table << "." << name;
                EXPECT_EQ(now.at(table).at(name), column) << table << "." << name;
            }
        for (const auto &[view, columns] : columnsOf(old, "view"))
            for (const auto &[name, column] : columns)
                EXPECT_TRUE(views.contains(view) && views.at(view).contains(name)) << view << "." << name;
    }
    EXPECT_GT(sessions, 5);
}

TEST_F(Schema, hasAVersionThatGrowsWithEachColumn)
{
    std::size_t columns = 0;
    for (const SchemaItem &item : schemaItems()) columns += item.isView ? 0 : item.columns.size();
    EXPECT_GT(columns, 12u) << "the minor version of the files before";
    EXPECT_LT(columns, 900u) << "soon too many for the version";
    const std::int64_t version = m_database->integer("PRAGMA user_version");
    EXPECT_EQ(version / 1000, kSchemaMajor);
    EXPECT_EQ(version % 1000, static_cast<std::int64_t>(columns));
}

// A table that only newer versions have is made from the same description.
TEST_F(Schema, isCompletedInASessionOfAnOlderVersion)
{
    m_database->execute("DROP TABLE verified_runs");
    ensureTable(*m_database, VerifiedRow::kTable);
    EXPECT_TRUE(columnsOf(*m_database, "table").contains("verified_runs"));
    EXPECT_THROW((void)schemaItem("no_such_table"), std::logic_error);
}

} // namespace
