#include "profiler/compare/fingerprint.h"
#include "profiler/compare/history.h"
#include "profiler/compare/pairing.h"
#include "profiler/export/history_report.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace profiler;

namespace {

constexpr GraphId kGraph{1};

// w' = gemv(w, x); what else reads w stands in `readers`, with its line.
ProfileData graph(const std::string &gemv, const std::vector<int> &readers, bool inPlace)
{
    ProfileData data;
    const auto add = [&](std::uint32_t id, const std::string &op, int line) {
        ApplyRow original;
        original.graph = kGraph;
        original.apply = ApplyId{100 + id};
        original.op = opWithoutPlace(op);
        original.inOriginal = true;
        original.originalIndex = static_cast<int>(id);
        data.applies.push_back(original);
        ApplyRow row;
        row.graph = kGraph;
        row.apply = ApplyId{id};
        row.op = op;
        row.label = op + "(w)";
        row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(id);
        data.applies.push_back(row);
        data.origins.push_back({kGraph, row.apply, kGraph, original.apply});
        data.inputs.push_back({kGraph, row.apply, 0, VariableId{0}});
        data.sources.push_back({kGraph, row.apply, {"/home/ada/model.py", line}});
    };
    add(1, gemv, 12);
    for (std::size_t i = 0; i < readers.size(); ++i) add(static_cast<std::uint32_t>(2 + i), "Sum", readers[i]);
    if (inPlace) {
        BufferRow buffer;
        buffer.graph = kGraph;
        buffer.apply = ApplyId{1};
        buffer.kind = BufferKind::Inplace;
        buffer.of = VariableId{0};
        data.buffers.push_back(buffer);
    }
    return data;
}

std::vector<std::string> changes(const ProfileData &a, const ProfileData &b)
{
    std::vector<std::string> texts;
    for (const GraphChange &one : graphChanges(a, kGraph, b, kGraph)) texts.push_back(one.text());
    return texts;
}

TEST(GraphChanges, NameTheReaderThatKeepsAnOpFromWorkingInPlace)
{
    const ProfileData before = graph("CGemv{inplace}", {}, true), now = graph("CGemv{no_inplace}", {31}, false);
    EXPECT_EQ(changes(before, now),
              (std::vector<std::string>{"CGemv is no longer in place: the reader at model.py:31 is new", "Sum is new (model.py:31)"}));
    EXPECT_EQ(changes(now, before), (std::vector<std::string>{"CGemv is in place now (model.py:12)", "Sum is gone (model.py:31)"}));
    EXPECT_TRUE(changes(before, before).empty());
}

TEST(GraphChanges, AreCountedWhereTheyAreTheSame)
{
    const ProfileData before = graph("CGemv{inplace}", {}, true);
    EXPECT_EQ(changes(before, graph("CGemv{inplace}", {20, 21}, true)), std::vector<std::string>{"2 Sum are new (model.py:20 and others)"});
    ProfileData moved = graph("GpuGemv{inplace}", {}, true);
    moved.applies[1].device = "cuda0";
    ProfileData host = graph("Gemv{inplace}", {}, true);
    EXPECT_EQ(changes(host, moved), std::vector<std::string>{"Gemv runs on cuda0 now, not on cpu (model.py:12)"});
}

class Histories : public testing::Test {
protected:
    // A copy of the real session with these changes.
    std::string session(const std::string &name, const std::string &sql)
    {
        const std::string path = m_scratch / name;
        std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        Database database(path, Database::Access::Write);
        database.execute(sql);
        return path;
    }
    Scratch m_scratch;
};

TEST_F(Histories, EachFunctionHasAPointASession)
{
    const std::vector<std::string> paths{
        session("a.croton", "UPDATE meta SET value = '1000' WHERE key = 'created_unix_ms'"),
        session(
            "b.croton",
            "UPDATE meta SET value = '2000' WHERE key = 'created_unix_ms'; DELETE FROM flags WHERE name = 'speed'; INSERT INTO flags (name, value, origin) VALUES ('speed', 'high', 'script')")};
    const History history = makeHistory(paths);
    ASSERT_EQ(history.sessions.size(), 2u);
    ASSERT_EQ(history.functions.size(), 2u);
    for (const FunctionHistory &function : history.functions) {
        ASSERT_EQ(function.points.size(), 2u) << function.name;
        EXPECT_EQ(function.points[0].optimized, function.points[1].optimized);
        EXPECT_TRUE(function.points[1].changes.empty());
        EXPECT_FALSE(function.points[1].writtenAnew);
        EXPECT_GT(function.points[0].nsPerCall, 0);
        EXPECT_GT(function.points[0].applies, 0);
    }
    ASSERT_EQ(history.sessions[1].changes.size(), 1u);
    EXPECT_EQ(history.sessions[1].changes[0].text(), "speed is high now, it was not set");
    const std::string report = historyReport(history);
    for (const char *part : {"2 sessions", "\ntrain\n", "\npredict\n", "a.croton", "b.croton"})
        EXPECT_NE(report.find(part), std::string::npos) << part;
    EXPECT_EQ(historyJson(history)["functions"][0]["points"].size(), 2u);
    EXPECT_EQ(historyReport(history, 1).find("a.croton"), std::string::npos);
}

TEST_F(Histories, ADamagedSessionIsASentence)
{
    const std::string good = session("a.croton", "SELECT 1"), bad = m_scratch / "b.croton";
    std::ofstream(bad) << "this is no session";
    const std::string cut = m_scratch / "c.croton";
    std::filesystem::copy_file(good, cut);
    std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
    EXPECT_FALSE(glanceAt(bad).problem.empty());
    const History history = makeHistory({good, bad, cut});
    EXPECT_EQ(history.sessions.size() + history.leftOut.size(), 3u);
    EXPECT_GE(history.leftOut.size(), 1u);
    EXPECT_NE(historyReport(history).find("Left out: " + bad), std::string::npos);
}

TEST_F(Histories, SessionsBelongTogetherByFileTextOrGraphs)
{
    const auto named = [](const std::string &script, std::uint64_t text, std::uint64_t signature, std::int64_t created) {
        SessionGlance glance;
        glance.path = std::to_string(created);
        glance.script = script;
        glance.scriptText = text;
        glance.signature = signature;
        glance.createdUnixMs = created;
        return glance;
    };
    SessionGlance damaged = named("/a/train.py", 1, 0, 9);
    damaged.problem = "no";
    const auto groups = groupByScript({named("/a/train.py", 1, 0, 3), named("/b/copied.py", 1, 0, 2), named("/b/copied.py", 2, 0, 4),
                                       named("/c/other.py", 5, 0, 8), damaged});
    EXPECT_EQ(groups, (std::vector<std::vector<std::size_t>>{{3}, {1, 0, 2}}));

    SessionGlance here = glanceAt(session("a.croton", "SELECT 1")), there = glanceAt(session("b.croton", "SELECT 1"));
    ASSERT_NE(here.signature, 0u);
    here.script = "/a/x.py", there.script = "/b/y.py";
    here.scriptText = 1, there.scriptText = 2;
    EXPECT_EQ(groupByScript({here, there}).size(), 1u) << "the same graphs";
    there.signature += 1;
    EXPECT_EQ(groupByScript({here, there}).size(), 2u);
}

TEST_F(Histories, HundredsOfSessionsCanBeLeftInBetween)
{
    const std::vector<std::string> many(300, session("a.croton", "SELECT 1"));
    const History history = makeHistory(many, [](std::size_t done) { return done < 5; });
    EXPECT_EQ(history.sessions.size(), 5u);
}

} // namespace
