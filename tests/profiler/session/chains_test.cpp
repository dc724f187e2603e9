// Chains of calls: each line as it was reached once in a file, whoever names it.
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

constexpr GraphId kGraph{0};

class ChainsOfASession : public testing::Test {
protected:
    ChainsOfASession()
    {
        const auto writer = SessionWriter::create(m_path, {});
        const StringId train = writer->intern("train.py"), net = writer->intern("net.py"), layer = writer->intern("layer");
        FunctionInfo function;
        function.id = FunctionId{0};
        function.graph = kGraph;
        writer->setFunction(function);
        writer->setGraph({kGraph, FunctionId{0}});
        const ChainId main = writer->chainOf(kNoChain, {train, 3}, kEmptyString);
        const ChainId other = writer->chainOf(kNoChain, {train, 4}, kEmptyString);
        ChainId deep = main;
        for (int i = 0; i < 5; ++i) deep = writer->chainOf(deep, {net, 7}, layer);
        EXPECT_EQ(writer->chainOf(kNoChain, {train, 3}, kEmptyString), main) << "each once";
        EXPECT_NE(writer->chainOf(other, {net, 7}, layer), writer->chainOf(main, {net, 7}, layer));
        writer->setApplies({apply(0, net, 7, deep), apply(1, kEmptyString, 0, kNoChain), apply(2, train, 4, other)});
        writer->setLineShares({{kGraph, ApplyId{1}, net, 7, 0.75}, {kGraph, ApplyId{1}, train, 4, 0.25}});
        writer->setChainShares({{kGraph, ApplyId{1}, deep, 0.75}, {kGraph, ApplyId{1}, other, 0.25}});
        writer->setVariableChains({{kGraph, VariableId{9}, deep}});
        writer->finish(0);
    }
    static ApplyFacts apply(std::uint32_t id, StringId file, int line, ChainId chain)
    {
        ApplyFacts row;
        row.graph = kGraph;
        row.apply = ApplyId{id};
        row.inOptimized = true;
        row.file = file;
        row.line = line;
        row.chain = chain;
        return row;
    }
    void change(const char *sql) { AsSqlite3(m_path).execute(sql); }
    // "file:line own with calls" by apply.
    std::vector<std::string> callLines()
    {
        AsSqlite3 database(m_path);
        Statement all(database, "SELECT apply, file, line, own, with_calls FROM call_lines ORDER BY apply, file, line");
        std::vector<std::string> rows;
        while (all.step())
            rows.push_back(std::to_string(all.integer(0)) + " " + all.text(1) + ":" + std::to_string(all.integer(2)) + " " + all.text(3) +
                           " " + all.text(4));
        return rows;
    }

    Scratch m_scratch;
    std::string m_path = m_scratch / "s.croton";
};

TEST_F(ChainsOfASession, areReadAsTheyWereWritten)
{
    const auto reader = SessionReader::open(m_path);
    const GraphRows rows = reader->graphRows();
    const Chains &chains = *reader->chains();
    ASSERT_EQ(chains.size(), 8u);
    EXPECT_EQ(chains.lines().size(), 3u) << "distinct lines, however often they were reached";
    const auto own = chainsOf(*rows.chains.of(kGraph), ApplyId{0});
    ASSERT_EQ(own.size(), 1u);
    EXPECT_EQ(own[0].share, 1);
    std::vector<std::string> path;
    for (ChainId chain = own[0].chain; chains.has(chain); chain = chains.callerOf(chain))
        path.push_back(chains.lineOf(chain).file + " " + chains.functionOf(chain));
    EXPECT_EQ(path,
              (std::vector<std::string>{"net.py layer", "net.py layer", "net.py layer", "net.py layer", "net.py layer", "train.py "}));
    std::vector<SourceLine> once;
    ChainWalk(chains).each(own[0].chain, [&](std::uint32_t line) { once.push_back(chains.lines()[line]); });
    EXPECT_EQ(once, (std::vector<SourceLine>{{"net.py", 7}, {"train.py", 3}}));
    EXPECT_EQ(chainsOf(*rows.chains.of(kGraph), ApplyId{1}).size(), 2u);
    ASSERT_EQ(rows.variableChains.size(), 1u);
    EXPECT_EQ(rows.variableChains[0].chain, own[0].chain);
}

TEST_F(ChainsOfASession, areAView)
{
    EXPECT_EQ(callLines(), (std::vector<std::string>{"0 net.py:7 1.0 1.0", "0 train.py:3 0.0 1.0", "1 net.py:7 0.75 0.75",
                                                     "1 train.py:3 0.0 0.75", "1 train.py:4 0.25 0.25", "2 train.py:4 1.0 1.0"}));
}

TEST_F(ChainsOfASession, ofAnOlderFileAreNone)
{
    change("DROP VIEW call_lines; DROP VIEW chain_lines; DROP VIEW apply_chains; DROP VIEW variable_chains; DROP TABLE chains; "
           "DROP TABLE chain_pages; DROP TABLE variable_chain_pages; ALTER TABLE applies DROP COLUMN chain; PRAGMA user_version = 3009");
    const auto reader = SessionReader::open(m_path);
    const GraphRows rows = reader->graphRows();
    EXPECT_EQ(rows.applies.size(), 3u);
    EXPECT_EQ(rows.sources.size(), 4u);
    EXPECT_TRUE(rows.chains.empty());
    EXPECT_EQ(reader->chains()->size(), 0u);
}

TEST_F(ChainsOfASession, thatGoInCirclesEnd)
{
    change("UPDATE chains SET caller = 6 WHERE id = 0; UPDATE chains SET caller = 4 WHERE id = 4");
    const auto reader = SessionReader::open(m_path);
    (void)reader->graphRows();
    const Chains &chains = *reader->chains();
    EXPECT_EQ(chains.callerOf(ChainId{0}), kNoChain);
    EXPECT_EQ(chains.callerOf(ChainId{4}), kNoChain);
    EXPECT_FALSE(callLines().empty());
}

TEST_F(ChainsOfASession, thatAreNotThereAreNotNamed)
{
    change("DELETE FROM chains WHERE id > 0");
    const auto reader = SessionReader::open(m_path);
    const GraphRows rows = reader->graphRows();
    EXPECT_EQ(reader->chains()->size(), 1u);
    EXPECT_TRUE(rows.chains.empty());
    EXPECT_TRUE(rows.variableChains.empty());
    change("UPDATE chains SET id = 4000000000");
    EXPECT_EQ(SessionReader::open(m_path)->graphRows().chains.size(), 0u);
}

} // namespace
