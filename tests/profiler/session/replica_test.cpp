#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/model/model.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/replica.h"
#include "tests/profiler/session/dump.h"

#include <gtest/gtest.h>

#include <random>

using namespace profiler;

namespace {

TEST(Replica, steppingForthAndBackGivesEqualDumps)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    for (const GraphInfo &graph : reader->graphs()) {
        GraphReplica replica = reader->replica(graph.id);
        std::vector<std::string> dumps;
        for (int step = 0; step <= replica.stepCount(); ++step) {
            replica.goTo(step);
            dumps.push_back(canonicalDump(replica));
            EXPECT_EQ(replica.stepInfo(step).nodesAfter, replica.applyCount()) << step;
            EXPECT_EQ(replica.toposort().size(), replica.applies().size());
        }
        for (int step = replica.stepCount(); step >= 0; --step) {
            replica.goTo(step);
            ASSERT_EQ(canonicalDump(replica), dumps[step]) << "back at step " << step;
        }
        for (int step = 1; step <= replica.stepCount(); ++step) EXPECT_NE(dumps[step], dumps[step - 1]);
        EXPECT_EQ(replica.stepCount(), graph.stepCount);
        EXPECT_EQ(replica.applyCount(), graph.appliesOriginal);
    }
}

TEST(Replica, matchesTheTablesOfTheSession)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const GraphId train = reader->functions().at(0).graph;
    GraphReplica replica = reader->replica(train);
    replica.goTo(replica.stepCount());
    std::vector<ApplyId> optimized;
    for (const ApplyRow &row : reader->graphRows(train).applies) {
        if (!row.inOptimized) continue;
        optimized.push_back(row.apply);
        ASSERT_NE(replica.apply(row.apply), nullptr);
        EXPECT_EQ(replica.text(replica.apply(row.apply)->op), row.op);
    }
    EXPECT_EQ(optimized, replica.applies());
    EXPECT_GT(replica.stepCount(), 50);
}

TEST(Replica, everyKindOfEditSurvivesTheCodec)
{
    AddVariable variable{VariableId{3}, VariableKind::Shared, StringId{1}, StringId{2}, StringId{9}, {{StringId{4}, 12}}};
    AddApply apply{ApplyId{7},
                   StringId{1},
                   StringId{2},
                   StringId{3},
                   StringId{4},
                   {VariableId{3}, VariableId{3}},
                   {{VariableId{8}, StringId{5}, StringId{0}}},
                   {{0, 1}},
                   {{0, 0}},
                   {{StringId{4}, 13}, {StringId{4}, 14}}};
    const std::vector<Edit> edits{variable,
                                  apply,
                                  SetInput{ApplyId{7}, 1, VariableId{3}, VariableId{8}},
                                  SetOutput{0, kNoVariable, VariableId{8}},
                                  Rename{VariableId{8}, StringId{0}, StringId{300}},
                                  PruneApply{ApplyId{7}},
                                  PruneVariable{VariableId{3}},
                                  AddSources{ApplyId{7}, {{StringId{4}, 70000}}}};
    const std::vector<std::uint8_t> blob = encodeEdits(edits);
    EXPECT_EQ(decodeEdits(blob), edits);
    // Every cut inside it is an error, never a crash; a record of an unknown kind is skipped.
    int errors = 0;
    for (std::size_t size = 0; size < blob.size(); ++size) {
        try {
            (void)decodeEdits(std::span(blob).first(size));
        } catch (const SessionError &) {
            ++errors;
        }
    }
    EXPECT_EQ(errors, static_cast<int>(blob.size() - edits.size()));
    std::vector<std::uint8_t> newer{99, 2, 1, 1};
    newer.insert(newer.end(), blob.begin(), blob.end());
    EXPECT_EQ(decodeEdits(newer), edits);
}

TEST(Replica, hostileBytesGiveErrorsOnly)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const GraphId train = reader->functions().at(0).graph;
    const std::vector<Step> good = reader->graphRows(train).steps;
    auto strings = std::make_shared<StringTable>();
    strings->set(StringId{2000}, "");
    std::mt19937 random(1);
    int errors = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<Step> steps = good;
        const std::size_t victim = random() % steps.size();
        std::vector<std::uint8_t> blob = encodeEdits(steps[victim].edits.all());
        if (blob.empty()) continue;
        for (int hits = 0; hits < 3; ++hits) blob[random() % blob.size()] = static_cast<std::uint8_t>(random());
        try {
            steps[victim].edits = decodeEdits(blob);
            GraphReplica replica(train, strings, steps);
            int reached = 0;
            std::string before;
            try {
                for (; reached <= replica.stepCount(); ++reached) {
                    replica.goTo(reached);
                    before = canonicalDump(replica);
                }
            } catch (const SessionError &) {
                // it stands at the last good step, whole
                EXPECT_EQ(canonicalDump(replica), before);
                ++errors;
            }
            replica.goTo(0);
        } catch (const SessionError &) {
            ++errors;
        }
    }
    EXPECT_GT(errors, 200);
}

TEST(Replica, aCopyThatMovesLeavesTheOtherWhereItStands)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const GraphReplica original = reader->replica(reader->functions().at(0).graph);
    const std::string before = canonicalDump(original);
    GraphReplica moved = original;
    moved.goTo(moved.stepCount());
    const std::string end = canonicalDump(moved);
    EXPECT_NE(end, before);
    EXPECT_EQ(canonicalDump(original), before);
    GraphReplica back = moved;
    back.goTo(0);
    EXPECT_EQ(canonicalDump(back), before);
    EXPECT_EQ(canonicalDump(moved), end);
}

TEST(Replica, contradictionsNameTheStep)
{
    auto strings = std::make_shared<StringTable>();
    const auto message = [&](std::vector<Edit> edits) -> std::string {
        Step import;
        import.edits.push_back(AddVariable{VariableId{0}, VariableKind::Input, {}, {}, {}, {}});
        import.edits.push_back(AddApply{ApplyId{0}, {}, {}, {}, {}, {VariableId { 0 }}, {{ VariableId{1}, {}, {} }}, {}, {}, {}});
        import.edits.push_back(SetOutput{0, kNoVariable, VariableId { 1 }});
        Step bad;
        bad.info.index = 1;
        bad.edits = std::move(edits);
        try {
            GraphReplica replica(GraphId{1}, strings, {import, bad});
            replica.goTo(1);
        } catch (const SessionError &error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(message({SetInput{ApplyId{5}, 0, VariableId{0}, VariableId{0}}}), "step 1 of graph 1: apply 5 is not in the graph");
    EXPECT_EQ(message({PruneApply{ApplyId{0}}}), "step 1 of graph 1: apply 0 is removed while it is still read");
    EXPECT_EQ(message({SetOutput{3, VariableId{1}, VariableId{0}}}), "step 1 of graph 1: output 3 is not variable 1");
    EXPECT_EQ(message({SetInput{ApplyId{0}, 0, VariableId{0}, VariableId{1}}}), "accepted");
}

} // namespace
