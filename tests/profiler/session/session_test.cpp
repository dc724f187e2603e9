#include "profiler/session/database.h"
#include "profiler/session/files.h"
#include "profiler/session/reader.h"
#include "profiler/session/writer.h"
#include "tests/profiler/session/fixture.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

using namespace profiler;

namespace {

TEST(Session, givesBackWhatWasWritten)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    fixture::FixtureSession session(path);
    EXPECT_FALSE(fileExists(path + "-wal"));
    const auto reader = SessionReader::open(path);
    const SessionInfo info = reader->info();
    EXPECT_EQ(info.state, SessionState::Finished);
    EXPECT_EQ(info.label, fixture::kLabel);
    EXPECT_EQ(sessionWarning(info), "");
    const ScriptInfo script = reader->script();
    EXPECT_EQ(script.path, "/home/ada/logistic.py");
    EXPECT_EQ(script.arguments, (std::vector<std::string>{"--rate", "0.1"}));
    const std::vector<FunctionInfo> functions = reader->functions();
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(functions[0].name, "train");
    EXPECT_EQ(functions[0].run.calls, 100);
    EXPECT_EQ(functions[0].updates.size(), 2u);
    EXPECT_EQ(functions[0].inputs.at(0).kind, VariableKind::Shared);
    std::int64_t thunks = 0;
    int applies = 0;
    for (const ApplyStats &stats : reader->applyStats()) {
        EXPECT_EQ(stats.histogram.count(), static_cast<std::uint64_t>(stats.calls));
        thunks += stats.totalNs;
        ++applies;
    }
    EXPECT_EQ(thunks, functions[0].run.thunkNs + functions[1].run.thunkNs);
    EXPECT_EQ(applies, functions[0].appliesOptimized + functions[1].appliesOptimized);
    EXPECT_EQ(reader->messages().size(), 2u);
    EXPECT_EQ(reader->messages().at(1).source.line, 16);
    EXPECT_EQ(reader->devices().at(1).reason, "no CUDA driver: libcuda.so.1 is missing");
    EXPECT_EQ(reader->outputs().size(), 1u);
    EXPECT_FALSE(reader->kernels(functions[0].id).empty());
    EXPECT_EQ(reader->events(0, INT64_MAX, 10).size(), 10u);
    EXPECT_EQ(reader->planItems(functions[0].id).size(), static_cast<std::size_t>(functions[0].appliesOptimized));
}

TEST(Session, everyOriginalApplyHasOneFateAndEveryOptimizedOneAnOrigin)
{
    const Scratch scratch;
    fixture::FixtureSession session(scratch / "a.croton");
    const auto reader = SessionReader::open(scratch / "a.croton");
    const GraphId train = reader->functions().at(0).graph;
    std::set<ApplyId> withOrigin;
    for (const OriginRow &row : reader->origins(train)) withOrigin.insert(row.apply);
    std::map<ApplyId, int> removed;
    for (const LineageRow &row : reader->lineage(train)) ++removed[row.from];
    for (const ApplyRow &row : reader->applies(train)) {
        if (row.inOptimized) {
            EXPECT_TRUE(withOrigin.contains(row.apply)) << row.op;
            EXPECT_EQ(removed.count(row.apply), 0u);
        } else {
            EXPECT_EQ(removed[row.apply], 1) << row.op;
            EXPECT_NE(row.fate, Fate::Kept);
        }
    }
}

// The questions of profiler/session/queries.md, as written there.
TEST(Session, answersTheDocumentedQuestions)
{
    const Scratch scratch;
    fixture::FixtureSession session(scratch / "a.croton");
    Database database(scratch / "a.croton", Database::Access::Write); // as sqlite3 opens it
    std::ifstream questions(CROTON_SOURCE "/profiler/session/queries.md");
    int asked = 0;
    for (std::string line; std::getline(questions, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, std::regex("[0-9]+\\. ([^:]+): `(SELECT .*;)`"))) continue;
        ++asked;
        Statement statement(database, match[2].str());
        // The made-up run has no device, and no groups.
        const bool nothing = match[1].str().find("transfer") != std::string::npos || match[1].str().find("one kernel") != std::string::npos;
        EXPECT_NE(statement.step(), nothing) << line;
    }
    EXPECT_EQ(asked, 11);
}

// A comment for every table and for what its columns mean; the file is the documentation.
TEST(Session, everyTableOfTheSchemaIsExplained)
{
    std::ifstream schema(CROTON_SOURCE "/profiler/session/schema.sql");
    std::string before;
    int tables = 0;
    for (std::string line; std::getline(schema, line); before = line)
        if (line.rfind("CREATE TABLE", 0) == 0) {
            ++tables;
            EXPECT_EQ(before.rfind("--", 0), 0u) << line;
        }
    EXPECT_GT(tables, 30);
}

} // namespace
