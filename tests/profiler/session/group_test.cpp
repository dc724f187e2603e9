// Groups of applies that one kernel runs together: in the file, in the replica, in text and picture.
#include "profiler/export/graph_export.h"
#include "profiler/export/report.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

using namespace profiler;

namespace {

class Groups : public testing::Test {
protected:
    Groups() : m_path(m_scratch / "a.croton")
    {
        copyFile(CROTON_REAL_SESSION, m_path);
        execute("DELETE FROM apply_groups");
        const auto reader = SessionReader::open(m_path);
        m_function = reader->functions().at(0).id;
        m_graph = reader->functions().at(0).graph;
        for (const PlanItem &item : reader->planItems(m_function))
            if (item.position >= 2 && item.position < 5) m_members.push_back(item.apply);
    }
    void execute(const std::string &sql) { Database(m_path, Database::Access::Write).execute(sql); }
    void addGroup(const std::vector<ApplyId> &members, int number = 0)
    {
        for (std::size_t i = 0; i < members.size(); ++i)
            execute("INSERT INTO apply_groups VALUES (" + std::to_string(raw(m_graph)) + "," + std::to_string(number) + "," +
                    std::to_string(i) + "," + std::to_string(raw(members[i])) + ",'one_pass_over_rows')");
    }
    void runTogether()
    {
        execute(
            "UPDATE plan_item_pages SET rows=(SELECT json_group_array(json(iif(r.key BETWEEN 2 AND 4, json_set(r.value, '$[2]', 0), r.value)))"
            " FROM json_each(rows) r) WHERE function=" +
            std::to_string(raw(m_function)));
    }

    [[nodiscard]] std::vector<ApplyGroup> groupsIn(GraphId graph) const
    {
        const auto reader = SessionReader::open(m_path);
        std::vector<PlanItem> items = reader->planItems();
        std::erase_if(items, [graph](const PlanItem &item) { return item.graph != graph; });
        return groupsOf(byGraph(reader->graphRows().groupMembers)[graph], items);
    }

    Scratch m_scratch;
    std::string m_path;
    FunctionId m_function = kNoFunction;
    GraphId m_graph = kNoGraph;
    std::vector<ApplyId> m_members;
};

TEST_F(Groups, areReadWithWhetherAPlanRanThemAsOne)
{
    addGroup(m_members);
    {
        const auto groups = groupsIn(m_graph);
        ASSERT_EQ(groups.size(), 1u);
        EXPECT_EQ(groups[0].applies, m_members);
        EXPECT_EQ(groups[0].rewrite, "one_pass_over_rows");
        EXPECT_FALSE(groups[0].runsAsOne);
    }
    runTogether();
    ASSERT_EQ(groupsIn(m_graph).size(), 1u);
    EXPECT_TRUE(groupsIn(m_graph)[0].runsAsOne);
    EXPECT_TRUE(groupsIn(GraphId{raw(m_graph) + 1}).empty());
}

TEST_F(Groups, ofOlderSessionsAreWhatTheirPlansRanAsOne)
{
    runTogether();
    execute("DROP TABLE apply_groups");
    const auto groups = groupsIn(m_graph);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].applies, m_members);
    EXPECT_TRUE(groups[0].runsAsOne);
    EXPECT_EQ(groupCaption(groups[0]), "one kernel");
}

TEST_F(Groups, belongToTheOptimizedGraphOnly)
{
    addGroup(m_members);
    GraphReplica replica = SessionReader::open(m_path)->replica(m_graph);
    EXPECT_TRUE(replica.groups().empty());
    replica.goTo(replica.stepCount());
    ASSERT_EQ(replica.groups().size(), 1u);
    replica.goTo(0);
    EXPECT_TRUE(replica.groups().empty());
}

TEST_F(Groups, thatADamagedFileMadeUpAreLeftOut)
{
    Database(m_path, Database::Access::Write).execute("DROP INDEX apply_groups_by_apply");
    addGroup({m_members[0], ApplyId{123456}});
    addGroup({m_members[1]}, 1);
    addGroup({m_members[1], m_members[1]}, 2);
    GraphReplica replica = SessionReader::open(m_path)->replica(m_graph);
    replica.goTo(replica.stepCount());
    EXPECT_TRUE(replica.groups().empty());
}

TEST_F(Groups, areInTextPictureAndJson)
{
    addGroup(m_members);
    runTogether();
    GraphReplica replica = SessionReader::open(m_path)->replica(m_graph);
    EXPECT_EQ(graphDot(replica).find("cluster"), std::string::npos);
    replica.goTo(replica.stepCount());
    const std::string text = graphText(replica);
    EXPECT_NE(text.find("\none kernel: one_pass_over_rows: "), std::string::npos) << text;
    const std::string dot = graphDot(replica);
    EXPECT_NE(dot.find("subgraph cluster_group0 {\n    label=\"one kernel: one_pass_over_rows\""), std::string::npos) << dot;
    for (ApplyId id : m_members) EXPECT_NE(dot.find(" a" + std::to_string(raw(id)) + ";"), std::string::npos);
    const nlohmann::json json = graphJson(replica, {}, {});
    ASSERT_EQ(json["groups"].size(), 1u);
    EXPECT_EQ(json["groups"][0]["applies"].size(), m_members.size());
    EXPECT_EQ(json["groups"][0]["runs_as_one"], true);
}

TEST_F(Groups, areNamedUnderTheTableOfApplies)
{
    const std::string sentence = "Applies 2, 3 and 4 run as one kernel";
    EXPECT_EQ(profileReport(loadProfile(*SessionReader::open(m_path))).find(sentence), std::string::npos);
    runTogether();
    EXPECT_NE(profileReport(loadProfile(*SessionReader::open(m_path))).find(sentence), std::string::npos);
}

TEST(GroupWriter, replacesTheGroupsOfAGraph)
{
    const Scratch scratch;
    const std::string path = scratch / "b.croton";
    const auto writer = SessionWriter::create(path, {});
    writer->setApplyGroups(GraphId{3},
                           {{GraphId{3}, 0, "a", {ApplyId{1}, ApplyId{2}, ApplyId{3}}}, {GraphId{3}, 1, "b", {ApplyId{4}, ApplyId{5}}}});
    writer->setApplyGroups(GraphId{4}, {{GraphId{4}, 0, "c", {ApplyId{1}, ApplyId{2}}}});
    writer->setApplyGroups(GraphId{3}, {{GraphId{3}, 0, "d", {ApplyId{7}, ApplyId{6}}}});
    writer->finish(0);
    AsSqlite3 database(path);
    EXPECT_EQ(database.text("SELECT group_concat(graph || grp || position || '>' || apply || rewrite) FROM apply_groups"),
              "300>7d,301>6d,400>1c,401>2c");
}

} // namespace
