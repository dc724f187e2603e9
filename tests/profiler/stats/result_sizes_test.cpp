#include "profiler/stats/times/result_sizes.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

constexpr VariableId kX{0}, kDotOut{1}, kDot22Out{2}, kExpOut{3}, kInplaceOut{4}, kLogOut{5};
constexpr ApplyId kDot{0}, kDot22{1}, kExp{2}, kInplace{3}, kLog{4};

AddApply applyOf(ApplyId id, VariableId in, VariableId out)
{
    AddApply apply;
    apply.id = id;
    apply.inputs = {in};
    apply.outputs = {{out, kEmptyString, kEmptyString}};
    return apply;
}

// log(exp(dot(x))) becomes Dot22 and an exp in its place; of log nothing stays.
struct Graph {
    std::shared_ptr<StringTable> strings = std::make_shared<StringTable>();
    std::vector<VariableRow> variables;
    std::unique_ptr<GraphReplica> final;

    Graph()
    {
        AddVariable x;
        x.id = kX;
        AddApply inplace = applyOf(kInplace, kDot22Out, kInplaceOut);
        inplace.destroys = {{0, 0}};
        std::vector<Step> steps(4);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i].info.graph = GraphId{1};
            steps[i].info.index = static_cast<int>(i);
        }
        steps[0].edits = std::vector<Edit>{x, applyOf(kDot, kX, kDotOut), applyOf(kExp, kDotOut, kExpOut), applyOf(kLog, kExpOut, kLogOut),
                                           SetOutput{0, kNoVariable, kLogOut}};
        steps[1].edits = std::vector<Edit>{SetOutput{0, kLogOut, kExpOut}, PruneApply{kLog}};
        steps[2].edits = std::vector<Edit>{applyOf(kDot22, kX, kDot22Out), SetInput{kExp, 0, kDotOut, kDot22Out}, PruneApply{kDot}};
        steps[3].edits = std::vector<Edit>{inplace, SetOutput{0, kExpOut, kInplaceOut}, PruneApply{kExp}};
        final = std::make_unique<GraphReplica>(GraphId{1}, strings, std::move(steps));
        final->goTo(3);
        for (const VariableId id : {kDot22Out, kInplaceOut}) {
            VariableRow row;
            row.graph = GraphId{1};
            row.variable = id;
            row.inOptimized = true;
            row.bytes = 8000;
            variables.push_back(row);
        }
    }
};

TEST(ResultSizes, WhatWasReplacedHadTheSizeOfWhatTookItsPlace)
{
    const Graph graph;
    const ResultSizes sizes(*graph.final, graph.variables);
    EXPECT_EQ(sizes.ownBytes(kDot), 8000);
    EXPECT_EQ(sizes.ownBytes(kExp), 8000);
    EXPECT_EQ(sizes.ownBytes(kLog), 8000); // which was replaced twice
    EXPECT_EQ(sizes.ownBytes(kInplace), 0);
    EXPECT_EQ(sizes.ownBytes(ApplyId{77}), std::nullopt);
    // One product for another: nothing more, though only the second one ever ran.
    EXPECT_EQ(sizes.bytesMore({kDot}, {kDot22}), 0);
    EXPECT_EQ(sizes.bytesMore({kExp}, {kInplace}), -8000);
    EXPECT_EQ(sizes.bytesMore({}, {kDot22}), 8000);
}

TEST(ResultSizes, WhatIsNotKnownIsNotSaid)
{
    Graph graph;
    graph.variables.pop_back();
    const ResultSizes sizes(*graph.final, graph.variables);
    EXPECT_EQ(sizes.ownBytes(kExp), std::nullopt);
    EXPECT_EQ(sizes.bytesMore({kExp, kDot}, {kDot22}), std::nullopt);
}

} // namespace
