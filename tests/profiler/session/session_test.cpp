#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace profiler;

namespace {

TEST(Session, addsUp)
{
    EXPECT_FALSE(fileExists(CROTON_REAL_SESSION "-wal"));
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const SessionInfo info = reader->info();
    EXPECT_EQ(info.state, SessionState::Finished);
    EXPECT_EQ(info.label, "logistic regression");
    EXPECT_EQ(sessionWarning(info), "");
    EXPECT_EQ(reader->script().path, "<expression>");
    const std::vector<FunctionInfo> functions = reader->functions();
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(functions[0].name, "train");
    EXPECT_EQ(functions[0].run.calls, 1003);
    EXPECT_EQ(functions[0].updates.size(), 2u);
    EXPECT_EQ(functions[0].inputs.at(0).kind, VariableKind::Shared);
    std::int64_t thunks = 0;
    std::set<ApplyKey> applies;
    for (const ApplyStats &stats : reader->applyStats()) {
        EXPECT_EQ(stats.histogram.count(), static_cast<std::uint64_t>(stats.calls));
        thunks += stats.totalNs;
        applies.insert({stats.graph, stats.apply});
    }
    EXPECT_EQ(thunks, functions[0].run.thunkNs + functions[1].run.thunkNs);
    EXPECT_EQ(static_cast<int>(applies.size()), functions[0].appliesOptimized + functions[1].appliesOptimized);
    EXPECT_FALSE(reader->kernels(functions[0].id).empty());
    EXPECT_FALSE(reader->events().empty());
    EXPECT_EQ(reader->planItems(functions[0].id).size(), static_cast<std::size_t>(functions[0].appliesOptimized));
}

TEST(Session, lastsAsLongAsTheScript)
{
    const Scratch scratch;
    const std::string path = scratch / "s.croton";
    const auto writer = SessionWriter::create(path, {});
    writer->finish(0, {}, 4'711);
    EXPECT_EQ(SessionReader::open(path)->info().durationNs, 4'711) << "what is measured afterwards is not the script's";
}

TEST(Session, givesBackWhatWasWritten)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    {
        SessionStart start;
        start.script = {"/home/ada/logistic.py", "print('a \"b\"')\n", {"--rate", "0.1", "a\n\"b\"\\"}};
        const auto writer = SessionWriter::create(path, start);
        writer->setFlags({{"floatX", "float32", "THEANO_FLAGS"}, {"device", "cpu", "default"}});
        writer->setMachine({{"cores", "2"}});
        writer->setDevices({{"cuda0", "", false, "no CUDA driver: libcuda.so.1 is missing", 0}, {"cpu", "a processor", true, "", 8 << 20}});
        Message warning;
        warning.severity = Severity::Warning;
        warning.text = "the loss is never used";
        warning.source = {"/home/ada/logistic.py", 16};
        writer->addMessage(warning);
        writer->addOutput(2, "said");
        writer->finish(3, "it had enough");
    }
    const auto reader = SessionReader::open(path);
    EXPECT_EQ(sessionWarning(reader->info()), "The script ended with status 3: it had enough.");
    EXPECT_EQ(reader->script().text, "print('a \"b\"')\n");
    EXPECT_EQ(reader->script().arguments, (std::vector<std::string>{"--rate", "0.1", "a\n\"b\"\\"}));
    ASSERT_EQ(reader->flags().size(), 2u);
    EXPECT_EQ(reader->flags()[1].origin, "THEANO_FLAGS");
    EXPECT_EQ(reader->machine().at(0).value, "2");
    EXPECT_EQ(reader->devices().at(1).reason, "no CUDA driver: libcuda.so.1 is missing");
    EXPECT_TRUE(reader->devices().at(0).available);
    EXPECT_EQ(reader->messages().at(0).severity, Severity::Warning);
    EXPECT_EQ(reader->messages().at(0).source.line, 16);
    EXPECT_EQ(reader->messages().at(0).apply, kNoApply);
    EXPECT_EQ(reader->outputs().at(0).stream, 2);
    EXPECT_EQ(reader->outputs().at(0).text, "said");
}

TEST(Session, everyOriginalApplyHasOneFateAndEveryOptimizedOneAnOrigin)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const GraphRows rows = reader->graphRows(reader->functions().at(0).graph);
    std::set<ApplyId> withOrigin;
    for (const OriginRow &row : rows.origins) withOrigin.insert(row.apply);
    std::map<ApplyId, int> removed;
    for (const LineageRow &row : lineageOf(rows.steps)) ++removed[row.from];
    for (const ApplyRow &row : rows.applies) {
        if (row.inOptimized) {
            EXPECT_TRUE(withOrigin.contains(row.apply)) << row.op;
            EXPECT_EQ(removed.count(row.apply), 0u);
        } else {
            EXPECT_GE(removed[row.apply], 1) << row.op; // one that became several is told for each
            EXPECT_NE(row.fate, Fate::Kept);
        }
    }
}

} // namespace
