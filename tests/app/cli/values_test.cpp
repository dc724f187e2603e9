// `croton values` on expressions: what it prints, what it stores, what it refuses.
#include "profiler/stats/advice/digits.h"
#include "tests/app/cli/program.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>

using profiler::Scratch;

namespace {

class Values : public testing::Test {
protected:
    app::Result values(std::vector<std::string> words)
    {
        words.insert(words.begin(), {CROTON_PROGRAM, "values"});
        return app::run(words, m_scratch / ".");
    }
    Scratch m_scratch;
};

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST_F(Values, showsWhatStabilizeRepairs)
{
    const app::Result result = values({"x: dvector; log(1 - sigmoid(x))", "--values", "x = [3, 800]"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string written = result.out.substr(0, result.out.find("As compiled")), compiled = result.out.substr(written.size());
    EXPECT_TRUE(has(written, "the first inf was born in log: element 1 of 2: log(0) gave -inf, right is -800")) << written;
    EXPECT_TRUE(has(written, "more than half of the digits are gone from − on")) << written;
    EXPECT_FALSE(has(compiled, "inf born")) << compiled;
    EXPECT_FALSE(has(compiled, "more than half")) << compiled;
}

TEST_F(Values, areKeptInASession)
{
    const std::string session = m_scratch / "s.croton";
    ASSERT_EQ(values({"x: dvector; tanh(log(x)) + 1", "--values", "x = [1, -1]", "-o", session}).status, 0);
    const auto reader = profiler::SessionReader::open(session);
    const profiler::FunctionInfo function = reader->functions().at(0);
    const auto sides = profiler::sidesOf(reader->values(), reader->valueNotes());
    ASSERT_EQ(sides.size(), 2u);
    EXPECT_EQ(sides[0].side, profiler::ValueSide::Original);
    const profiler::GraphRows rows = reader->graphRows(function.graph);
    for (const profiler::ValuesOfSide &side : sides) {
        const auto births = side.births();
        ASSERT_FALSE(births.empty());
        EXPECT_EQ(births[0].first, "nan");
        EXPECT_EQ(births[0].second->op, "log");
        EXPECT_EQ(births[0].second->step >= 0, side.side == profiler::ValueSide::Optimized);
        for (const profiler::ValueRow &row : side.rows) {
            EXPECT_EQ(row.graph, function.graph);
            const auto is = [&](const profiler::ApplyRow &apply) {
                return apply.apply == row.apply && (side.side == profiler::ValueSide::Original ? apply.inOriginal : apply.inOptimized);
            };
            EXPECT_TRUE(row.apply == profiler::kNoApply || std::any_of(rows.applies.begin(), rows.applies.end(), is)) << row.name;
        }
    }
}

TEST_F(Values, wrongWordsAreSentences)
{
    EXPECT_EQ(values({}).status, 2);
    EXPECT_EQ(values({"x", "--side", "left"}).status, 2);
    const app::Result place = values({"x: dvector; foo(x)"});
    EXPECT_EQ(place.status, 1);
    EXPECT_TRUE(has(place.err, "column 13: there is no function foo")) << place.err;
    const app::Result target = values({"x + 1", "-o", "out.txt"});
    EXPECT_EQ(target.status, 2);
    EXPECT_TRUE(has(target.err, "-o wants a session, for example run.croton")) << target.err;
    EXPECT_FALSE(has(target.err, "--format")) << target.err;
}

} // namespace
