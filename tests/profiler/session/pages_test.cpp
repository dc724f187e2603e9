// Rows in pages: what is written comes back, sqlite3 sees them by name, and what is damaged is an error.
#include "profiler/session/codec/pages.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

std::vector<ApplyStats> statsOf(GraphId graph, int count, std::int64_t ns)
{
    std::vector<ApplyStats> rows(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        ApplyStats &row = rows[static_cast<std::size_t>(i)];
        row.function = FunctionId{1};
        row.graph = graph;
        row.apply = ApplyId{static_cast<std::uint32_t>(i)};
        row.tier = "library";
        row.steady = i % 2 == 0;
        row.calls = i + 1;
        row.totalNs = ns + i;
        row.minNs = 1;
        row.maxNs = std::int64_t{1} << 40;
        row.sumSquares = 1.25e18 * i;
        if (i % 3 == 0) row.deviceNs = 7 * i;
        row.histogram.add(1000 * i, 3);
        row.histogram.add(12, 1);
    }
    return rows;
}

TEST(Pages, manyRowsComeBackInTheirOrderAndReplaceWhatWasThere)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    constexpr int kMany = 9 * static_cast<int>(kPageRows) + 17; // more than the queue takes at once
    {
        const auto writer = SessionWriter::create(path, {});
        writer->setApplyStats(statsOf(GraphId{1}, kMany, 1));
        writer->flush();
        std::vector<ApplyStats> both = statsOf(GraphId{1}, kMany - 700, 5), other = statsOf(GraphId{2}, 3, 9);
        both.insert(both.end(), other.begin(), other.end());
        writer->setApplyStats(std::move(both));
        writer->finish(0);
    }
    const auto reader = SessionReader::open(path);
    const std::vector<ApplyStats> rows = reader->applyStats();
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(kMany - 700 + 3));
    for (int i = 0; i < kMany - 700; ++i) {
        const ApplyStats &row = rows[static_cast<std::size_t>(i)];
        const ApplyStats expected = statsOf(GraphId{1}, i + 1, 5).back();
        ASSERT_EQ(raw(row.apply), static_cast<std::uint32_t>(i));
        ASSERT_EQ(row.graph, GraphId{1});
        ASSERT_EQ(row.function, FunctionId{1});
        ASSERT_EQ(row.tier, "library");
        ASSERT_EQ(row.steady, expected.steady);
        ASSERT_EQ(row.totalNs, 5 + i);
        ASSERT_EQ(row.maxNs, expected.maxNs);
        ASSERT_EQ(row.sumSquares, expected.sumSquares);
        ASSERT_EQ(row.deviceNs, expected.deviceNs);
        ASSERT_EQ(row.histogram.buckets(), expected.histogram.buckets());
        if (i == 40) i = kMany - 740; // the middle is like the rest
    }
    AsSqlite3 database(path);
    EXPECT_EQ(database.integer("SELECT count(*) FROM apply_stats WHERE graph=2"), 3);
    EXPECT_EQ(database.integer("SELECT total_ns FROM apply_stats WHERE graph=1 AND apply=1000"), 1005);
    EXPECT_EQ(database.integer("SELECT count(*) FROM apply_stats WHERE device_ns IS NULL AND graph=2"), 2);
}

TEST(Pages, textsComeBackAsTheyWere)
{
    BufferRow row;
    row.device = "a \"device\"\\\n\x01 ü";
    row.shape = "(3, 4)";
    row.offset = -1;
    row.of = kNoVariable;
    row.kind = BufferKind::Inplace;
    PageText text;
    text.add(row);
    const std::string page = text.take();
    BufferRow back;
    back.offset = 5;
    back.of = VariableId{3};
    PageRows rows(page);
    ASSERT_TRUE(rows.next(back));
    EXPECT_EQ(back.device, row.device);
    EXPECT_EQ(back.shape, row.shape);
    EXPECT_EQ(back.offset, -1);
    EXPECT_EQ(back.of, kNoVariable);
    EXPECT_EQ(back.kind, BufferKind::Inplace);
    EXPECT_FALSE(rows.next(back));
}

std::vector<CostFacts> costsOf(const std::string &text)
{
    std::vector<CostFacts> costs;
    PageRows rows(text);
    for (CostFacts one; rows.next(one); one = {}) costs.push_back(one);
    return costs;
}

TEST(Pages, ofOtherVersionsAreRead)
{
    const auto costs = costsOf("[[3],[4,2.5],[5,null,1e3,\"later\",[1,[\"]\"]],null,-7]]");
    ASSERT_EQ(costs.size(), 3u);
    EXPECT_EQ(costs[0].flops, -1);
    EXPECT_EQ(costs[1].flops, 2.5);
    EXPECT_EQ(costs[1].bytes, -1);
    EXPECT_EQ(raw(costs[2].apply), 5u);
    EXPECT_EQ(costs[2].bytes, 1000);
    EXPECT_TRUE(costsOf("[]").empty());
}

TEST(Pages, thatAreDamagedAreAnError)
{
    const std::string whole = "[[3,1.5,null],[4,2,\"a\\u000ab\"]]";
    for (std::size_t end = 0; end < whole.size(); ++end) EXPECT_THROW((void)costsOf(whole.substr(0, end)), SessionError) << end;
    for (const char *wrong : {"x", "[3]", "[[3 4]]", "[[3]4]", "[[]", "[[\"a\"]]", "[[3,nul]]", "[[3,,4]]"})
        EXPECT_THROW((void)costsOf(wrong), SessionError) << wrong;
    EXPECT_THROW((void)costsOf("[[1,2,3" + std::string(100'000, ',') + std::string(100'000, '[')), SessionError);
    EXPECT_THROW((void)costsOf("[[1,2,3," + std::string(100'000, '[')), SessionError);
    EXPECT_THROW((void)idsOfJson("[1,2"), SessionError);
    EXPECT_EQ(idsOfJson("[1,2,-4,99999999999]"), (std::vector<std::uint32_t>{1, 2, 0xffffffffu, 0xffffffffu}));
}

} // namespace
