#include "profiler/export/graph_export.h"
#include "profiler/session/store/reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace profiler;

namespace {

class GraphExport : public testing::Test {
protected:
    GraphReplica optimized()
    {
        GraphReplica replica = m_reader->replica(m_train.graph);
        replica.goTo(replica.stepCount());
        return replica;
    }
    const std::unique_ptr<SessionReader> m_reader = SessionReader::open(CROTON_REAL_SESSION);
    const FunctionInfo m_train = m_reader->functions().at(0);
};

TEST_F(GraphExport, textNamesEachApplyOnceWithItsInputs)
{
    const std::string text = graphText(optimized());
    EXPECT_EQ(text.rfind("Elemwise{Composite{", 0), 0u) << text;
    EXPECT_NE(text.substr(0, text.find('\n')).find(" [id A] "), std::string::npos) << text;
    // x is read by CGemv and by its transpose: the line stands twice, with the same id.
    const std::size_t first = text.find("|x [id ");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_NE(text.find(text.substr(first, 9), first + 1), std::string::npos) << text;
    EXPECT_NE(graphText(m_reader->replica(m_train.graph)).find("dot [id "), std::string::npos);
    EXPECT_NE(graphText(optimized(), true).find("<TensorType(float32, matrix)>"), std::string::npos);
}

TEST_F(GraphExport, dotFollowsThePictureConventions)
{
    DotOptions options;
    options.updates = m_train.updates;
    const std::string dot = graphDot(optimized(), options);
    for (const char *part : {"digraph croton {", "shape=ellipse", "fillcolor=\"cyan\"", "color=red", "color=blue", "label=\"UPDATE\"",
                             "fillcolor=\"#FFAABB\""})
        EXPECT_NE(dot.find(part), std::string::npos) << part;
    EXPECT_EQ(dot.substr(dot.size() - 2), "}\n");
}

TEST_F(GraphExport, jsonIsClosedUnderItsIds)
{
    const nlohmann::json json = graphJson(optimized(), {}, {});
    std::set<int> variables;
    for (const auto &variable : json["variables"]) variables.insert(variable["id"].get<int>());
    for (const auto &apply : json["applies"])
        for (const auto &output : apply["outputs"]) variables.insert(output["id"].get<int>());
    EXPECT_EQ(json["applies"].size(), static_cast<std::size_t>(m_train.appliesOptimized));
    for (const auto &apply : json["applies"])
        for (const auto &id : apply["inputs"]) EXPECT_TRUE(variables.contains(id.get<int>()));
    for (const auto &id : json["outputs"]) EXPECT_TRUE(variables.contains(id.get<int>()));
}

} // namespace
