// What a big graph takes in a session: a bounded number of rows and bytes for each apply, however many steps rewrite it.
#include "engine/compile/function/function.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

// Each step is fused into a kernel of its own, whose body no other has.
std::string recurrence(int steps)
{
    std::string text = "x: dvector\ny0 = x\n";
    for (int i = 0; i < steps; ++i) {
        const std::string from = "y" + std::to_string(i);
        text += "y" + std::to_string(i + 1) + " = tanh(" + from + " * " + std::to_string(i) + ".5) * sum(" + from + ")\n";
    }
    return text + "y" + std::to_string(steps);
}

class GraphSize : public testing::Test {
protected:
    GraphSize()
    {
        Recorder recorder(m_path, SessionStart{});
        const engine::ParsedExpression parsed = engine::parseExpression(recurrence(kSteps));
        engine::FunctionSpec spec;
        for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
        spec.outputs = parsed.outputs;
        const auto function = engine::Function::compile(std::move(spec));
        recorder.finish(0);
    }
    std::int64_t rowsOf(const std::string &table) { return AsSqlite3(m_path).integer("SELECT count(*) FROM " + table); }

    static constexpr int kSteps = 400;
    Scratch m_scratch;
    std::string m_path = m_scratch / "s.croton";
};

TEST_F(GraphSize, growsWithAppliesNotWithWhatBodiesHold)
{
    const auto reader = SessionReader::open(m_path);
    std::size_t bodies = 0, withBodies = 0;
    for (const GraphInfo &graph : reader->graphs()) bodies += graph.kind == GraphKind::Composite;
    const GraphId own = reader->functions().at(0).graph;
    const std::size_t rows = reader->graphRows(own).applies.size();
    withBodies = reader->graphRows().applies.size();
    ASSERT_GT(bodies, std::size_t(kSteps) / 2);
    EXPECT_GE(withBodies, rows + 2 * bodies); // all are read
    EXPECT_EQ(rowsOf("applies"), static_cast<std::int64_t>(rows));
    EXPECT_EQ(rowsOf("variables"), static_cast<std::int64_t>(reader->graphRows(own).variables.size()));
    EXPECT_LE(rowsOf("last_declines"), reader->functions().at(0).appliesOptimized); // one, however many rewrites declined
}

TEST_F(GraphSize, isAFewHundredBytesAStep)
{
    const auto reader = SessionReader::open(m_path);
    const auto steps = static_cast<std::int64_t>(reader->functions().at(0).stepCount);
    const auto graphs = static_cast<std::int64_t>(reader->graphs().size());
    constexpr std::int64_t kEmpty = 400'000; // schema, catalogue, machine
    EXPECT_LT(static_cast<std::int64_t>(fileSize(m_path)), kEmpty + 1'000 * (steps + graphs));
}

// Rows of a body say what the body computes, though the file holds only how it is built.
TEST_F(GraphSize, leavesRowsOfBodiesReadable)
{
    const auto reader = SessionReader::open(m_path);
    for (const GraphInfo &graph : reader->graphs()) {
        if (graph.kind != GraphKind::Composite) continue;
        const auto applies = reader->graphRows(graph.id).applies;
        ASSERT_EQ(applies.size(), static_cast<std::size_t>(graph.appliesOriginal));
        const GraphReplica replica = reader->replica(graph.id);
        EXPECT_EQ(replica.applies().size(), applies.size());
        for (std::size_t i = 0; i < applies.size(); ++i) {
            EXPECT_EQ(applies[i].optimizedIndex, static_cast<int>(i));
            EXPECT_EQ(applies[i].label.find(applies[i].op + "("), 0u) << applies[i].label;
            for (const VariableId input : replica.apply(applies[i].apply)->inputs) {
                const ApplyId maker = replica.variable(input)->owner;
                EXPECT_TRUE(maker == kNoApply || raw(maker) < raw(applies[i].apply)) << "inputs come before who reads them";
            }
        }
        EXPECT_FALSE(reader->graphRows(graph.id).variables.empty());
        for (const OriginRow &origin : reader->graphRows(graph.id).origins) EXPECT_EQ(origin.originGraph, graph.parentGraph);
        EXPECT_FALSE(reader->graphRows(graph.id).origins.empty());
    }
}

} // namespace
