// What keeps large sessions small: texts and rows that are held once, lists within their nodes, pages that copies share.
#include "profiler/session/codec/node_pages.h"
#include "profiler/session/codec/rows_of_graphs.h"
#include "profiler/session/codec/shared_text.h"
#include "profiler/session/model/few.h"
#include "profiler/session/model/model_graph.h"

#include <gtest/gtest.h>

#include <random>

using namespace profiler;

namespace {

TEST(SharedText, readsAsTheTextItIs)
{
    const SharedText none, op = "Elemwise{exp,no_inplace}", same = std::string("Elemwise{exp,no_inplace}");
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none, "");
    EXPECT_EQ(SharedText(""), none);
    EXPECT_EQ(op, same);
    EXPECT_EQ(op, "Elemwise{exp,no_inplace}");
    EXPECT_NE(op, std::string("x"));
    EXPECT_LT(SharedText("a"), SharedText("b"));
    EXPECT_EQ(op + "(x)", "Elemwise{exp,no_inplace}(x)");
    EXPECT_EQ(std::string("<") + op + '>', "<Elemwise{exp,no_inplace}>");
    SharedText copy = op;
    copy = "another";
    EXPECT_EQ(op, same);
    copy = std::move(copy); // NOLINT: to itself
    EXPECT_EQ(copy, "another");
}

TEST(SharedText, aPoolGivesEqualTextsAsOne)
{
    TextPool pool;
    const SharedText a = pool.of("TensorType(float64, matrix)"), b = pool.of(std::string("TensorType(float64, matrix)"));
    EXPECT_EQ(&a.str(), &b.str());
    EXPECT_NE(&a.str(), &pool.of("TensorType(float64, vector)").str());
    EXPECT_TRUE(pool.of("").empty());
}

TEST(Few, isAVectorOfWhateverSize)
{
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::vector<VariableId> wanted;
        Few<VariableId> list;
        for (int change = 0; change < 12; ++change) {
            const auto at = static_cast<std::ptrdiff_t>(wanted.empty() ? 0 : random() % wanted.size());
            const VariableId id{static_cast<std::uint32_t>(random() % 5)};
            switch (random() % 5) {
            case 0:
                wanted.insert(wanted.begin() + at, id);
                list.insert(list.begin() + at, id);
                break;
            case 1:
                if (wanted.empty()) break;
                wanted.erase(wanted.begin() + at);
                list.erase(list.begin() + at);
                break;
            case 2:
                std::erase(wanted, id);
                list.eraseIf([id](VariableId one) { return one == id; });
                break;
            case 3: {
                Few<VariableId> copy = list;
                list = std::move(copy);
                break;
            }
            default: wanted.push_back(id); list.push_back(id);
            }
            EXPECT_EQ(std::vector<VariableId>(list.begin(), list.end()), wanted);
        }
    }
    Few<SourceRef> whole;
    whole.append(std::vector<SourceRef>(100, {StringId{4}, 2}));
    EXPECT_EQ(whole.size(), 100u);
    EXPECT_EQ(whole.back(), (SourceRef{StringId{4}, 2}));
    static_assert(sizeof(Few<SourceRef>) == 16);
}

TEST(NodePages, copiesShareUntilOneChanges)
{
    NodePages<int> first;
    for (std::uint32_t id : {0u, 31u, 32u, 4'000'000'000u}) first.make(id) = static_cast<int>(id % 1000);
    NodePages<int> second = first;
    EXPECT_EQ(first.find(0), second.find(0));
    *second.change(0) = 7;
    second.erase(4'000'000'000u);
    EXPECT_EQ(*first.find(0), 0);
    EXPECT_EQ(*second.find(0), 7);
    EXPECT_EQ(first.find(32), second.find(32)); // of a page that nobody changed
    EXPECT_EQ(second.find(4'000'000'000u), nullptr);
    EXPECT_NE(first.find(4'000'000'000u), nullptr);
    EXPECT_EQ(first.change(5), nullptr);
    int count = 0;
    first.forEach([&](int) { ++count; });
    EXPECT_EQ(count, 4);
}

OriginRow row(std::uint32_t graph, std::uint32_t apply) { return {GraphId{graph}, ApplyId{apply}, GraphId{graph}, ApplyId{apply}}; }

TEST(RowsOfGraphs, areBlocksThatCopiesShare)
{
    RowsOfGraphs<OriginRow> rows;
    EXPECT_TRUE(rows.empty());
    EXPECT_TRUE(rows.of(GraphId{3})->empty());
    rows.take({row(5, 0), row(5, 1), row(7, 0)});
    rows.add(std::make_shared<std::vector<OriginRow>>(std::vector{row(2, 9)}));
    rows.sortByGraph();
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows.blocks().size(), 3u);
    EXPECT_EQ(raw(rows[0].graph), 2u);
    EXPECT_EQ(raw(std::as_const(rows)[2].apply), 1u);
    EXPECT_EQ(rows.of(GraphId{5})->size(), 2u);
    EXPECT_TRUE(rows.of(GraphId{6})->empty());
    std::vector<std::uint32_t> graphs;
    for (const OriginRow &one : std::as_const(rows)) graphs.push_back(raw(one.graph));
    EXPECT_EQ(graphs, (std::vector<std::uint32_t>{2, 5, 5, 7}));
    RowsOfGraphs<OriginRow> copy = rows;
    EXPECT_EQ(copy.of(GraphId{5}), rows.of(GraphId{5}));
    copy[1].apply = ApplyId{77};
    copy.pop_back();
    EXPECT_EQ(raw(std::as_const(rows)[1].apply), 0u);
    EXPECT_EQ(rows.size(), 4u);
    EXPECT_EQ(copy.size(), 3u);
}

} // namespace
