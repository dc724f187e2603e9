#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/costs.h"
#include "profiler/stats/times/tables.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

using namespace profiler;

namespace {

// One function whose applies have the given class, op and time.
struct Node {
    const char *opClass;
    const char *op;
    std::int64_t ns;
    std::int64_t calls;
    const char *implementation = "C";
};

ProfileData dataOf(const std::vector<Node> &nodes, std::int64_t callNs, std::int64_t vmNs)
{
    ProfileData data;
    FunctionInfo function;
    function.id = FunctionId{0};
    function.graph = GraphId{1};
    function.appliesOptimized = static_cast<int>(nodes.size());
    function.run.calls = 10002;
    function.run.totalNs = callNs;
    function.run.vmNs = vmNs;
    data.functions.push_back(function);
    data.graphs.push_back({GraphId{1}, FunctionId{0}});
    std::uint32_t id = 0;
    for (const Node &node : nodes) {
        ApplyRow row;
        row.graph = GraphId{1};
        row.apply = ApplyId{id};
        row.op = row.label = node.op;
        row.opClass = node.opClass;
        row.implementation = node.implementation;
        row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(id++);
        data.applies.push_back(row);
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = row.apply;
        stats.calls = node.calls;
        stats.totalNs = node.ns;
        data.stats.push_back(stats);
    }
    return data;
}

double sumOfPercents(const Table &table)
{
    return std::accumulate(table.rows.begin(), table.rows.end(), 0.0, [](double sum, const TableRow &row) { return sum + row.percent; });
}

// The published CPU profile of logistic regression: 88.512% of the calls are spent in thunks, and its
// class table begins 59.6%, 30.1%.
TEST(Tables, agreeWithThePublishedProfile)
{
    const ProfileData data = dataOf(
        {
            {"theano.tensor.blas_c.CGemv", "CGemv{inplace}", 839000000, 20001},
            {"theano.tensor.elemwise.Elemwise", "Elemwise{a}", 223000000, 10000},
            {"theano.tensor.elemwise.Elemwise", "Elemwise{b}", 201159000, 80001},
            {"theano.tensor.blas.Gemv", "Gemv{no_inplace}", 78000000, 1, "Py"},
            {"theano.tensor.basic.Alloc", "Alloc", 26000000, 20001},
            {"theano.tensor.elemwise.Sum", "Sum{acc_dtype=float64}", 18000000, 10000},
            {"theano.tensor.elemwise.DimShuffle", "InplaceDimShuffle{x}", 14000000, 30001},
            {"theano.compile.ops.Shape_i", "Shape_i{0}", 9000000, 20001},
        },
        1590916000, 1492365000);
    const ProfileSummary sum = summarize(data);
    EXPECT_EQ(sum.thunkNs, 1408159000);
    EXPECT_NEAR(sum.thunkPercent, 88.512, 0.0005);
    EXPECT_NEAR(sum.vmPercent, 93.805, 0.0005);
    const Table classes = makeTable(data, TableKind::Class);
    EXPECT_NEAR(classes.rows[0].percent, 59.6, 0.05);
    EXPECT_NEAR(classes.rows[1].percent, 30.1, 0.05);
    EXPECT_NEAR(classes.rows[1].cumulativePercent, 89.7, 0.05);
    EXPECT_NEAR(classes.rows[0].nsPerCall, 4.19e4, 100);
    EXPECT_EQ(classes.rows[1].applies, 2);
    EXPECT_EQ(classes.rows[1].ops, 2);
    EXPECT_EQ(classes.rows[2].type, "Py");
    EXPECT_NEAR(sumOfPercents(classes), 100, 1e-9);
    EXPECT_NEAR(classes.rows.back().cumulativePercent, 100, 1e-9);
}

TEST(Tables, splitTheTimeIntoCpuGpuAndTransfers)
{
    const SpentTimes spent = spentTimes(makeTable(dataOf({{"theano.sandbox.cuda.basic_ops.GpuElemwise", "GpuElemwise", 2465000000, 1},
                                                          {"theano.sandbox.cuda.basic_ops.HostFromGpu", "HostFromGpu", 234000000, 1},
                                                          {"theano.sandbox.cuda.basic_ops.GpuFromHost", "GpuFromHost", 127000000, 1},
                                                          {"theano.tensor.elemwise.Elemwise", "Elemwise", 40000000, 1}},
                                                         3000000000, 2900000000),
                                                  TableKind::Class));
    EXPECT_TRUE(spent.anyGpu);
    EXPECT_NEAR(spent.cpuPercent, 1.4, 0.05);
    EXPECT_NEAR(spent.gpuPercent, 86.0, 0.05);
    EXPECT_NEAR(spent.transferPercent, 12.6, 0.05);
}

// Buckets are wider than what was measured: 1000 to 1010 ns lie in one from 960 to 1088.
TEST(Tables, percentilesLieBetweenTheLeastAndTheMost)
{
    for (const auto &[least, most] : {std::pair<std::int64_t, std::int64_t>{962, 970}, {1080, 1086}}) {
        ProfileData data = dataOf({{"A", "a", least + most, 2}}, 10000, 9000);
        data.stats[0].minNs = least;
        data.stats[0].maxNs = most;
        data.stats[0].histogram.add(least);
        data.stats[0].histogram.add(most);
        const TableRow row = makeTable(data, TableKind::Apply).rows.at(0);
        for (const double ns : {row.medianNs, row.p95Ns, row.p99Ns}) {
            EXPECT_GE(ns, static_cast<double>(least));
            EXPECT_LE(ns, static_cast<double>(most));
        }
    }
}

TEST(Tables, mixedImplementationsAndEmptyInputs)
{
    const Table table = makeTable(dataOf({{"Elemwise", "a", 5, 1}, {"Elemwise", "b", 5, 1, "Py"}}, 20, 15), TableKind::Class);
    EXPECT_EQ(table.rows.at(0).type, "C Py");
    const Table empty = makeTable({}, TableKind::Op);
    EXPECT_TRUE(empty.rows.empty());
    EXPECT_EQ(summarize({}).thunkPercent, 0);
    const Table zero = makeTable(dataOf({{"A", "a", 0, 0}}, 0, 0), TableKind::Apply);
    EXPECT_EQ(zero.rows.at(0).percent, 0);
}

TEST(Tables, estimatesAboveTheCallsLeaveNothingOutside)
{
    const ProfileSummary sum = summarize(dataOf({{"A", "a", 260, 4}}, 200, 150));
    EXPECT_EQ(sum.thunkNs, 260);
    EXPECT_EQ(sum.overheadPercent, 0);
}

TEST(Tables, addTiersAndLeaveOutTheWarmUpOnRequest)
{
    ProfileData data = dataOf({{"A", "a", 100, 4}}, 200, 150);
    ApplyStats warmUp = data.stats[0];
    warmUp.steady = false;
    warmUp.tier = "interpreter";
    warmUp.totalNs = 900;
    warmUp.calls = 1;
    warmUp.maxNs = 900;
    data.stats.push_back(warmUp);
    EXPECT_EQ(makeTable(data, TableKind::Op).rows[0].ns, 1000);
    EXPECT_EQ(makeTable(data, TableKind::Op).rows[0].calls, 5);
    EXPECT_EQ(makeTable(data, TableKind::Op, {{}, true}).rows[0].ns, 100);
}

TEST(Tables, ofAWholeSessionAddUp)
{
    const ProfileData data = loadProfile(*SessionReader::open(CROTON_REAL_SESSION));
    int applies = 0;
    for (const FunctionInfo &function : data.functions) applies += function.appliesOptimized;
    for (const TableKind kind : {TableKind::Class, TableKind::Op, TableKind::Apply}) {
        const Table table = makeTable(data, kind);
        EXPECT_NEAR(sumOfPercents(table), 100, 1e-9);
        EXPECT_EQ(table.applies, applies);
        EXPECT_EQ(table.totalNs, summarize(data).thunkNs);
        for (const TableRow &row : table.rows) {
            EXPECT_LE(row.minNs, row.medianNs * 1.1);
            EXPECT_LE(row.medianNs, row.p95Ns);
            EXPECT_LE(row.p99Ns, static_cast<double>(row.maxNs) * 1.1);
            EXPECT_EQ(row.deviationNs > 0, row.minNs < row.maxNs);
        }
    }
    double lines = 0;
    bool estimated = false;
    for (const LineRow &line : lineTable(data)) {
        lines += line.percent;
        estimated = estimated || line.estimated;
    }
    EXPECT_NEAR(lines, 100, 1e-9);
    EXPECT_TRUE(estimated);
    std::int64_t applied = 0;
    for (const RewriteRow &row : rewriteTable(data)) applied += row.applied;
    for (const RewriteCount &count : data.rewrites.counts) applied -= count.applied;
    EXPECT_EQ(applied, 0);
}

// train.py:1 calls net.py:5, which calls itself and then net.py:7; train.py:2 stands alone.
std::shared_ptr<const Chains> recursiveChains()
{
    StringTable texts;
    texts.set(StringId{1}, "train.py");
    texts.set(StringId{2}, "net.py");
    const auto chains = std::make_shared<Chains>();
    const auto add = [&](std::uint32_t id, ChainId caller, std::uint32_t file, int line) {
        chains->add({ChainId{id}, caller, StringId{file}, line, kEmptyString}, texts);
    };
    add(0, kNoChain, 1, 1);
    add(1, ChainId{0}, 2, 5);
    add(2, ChainId{1}, 2, 5);
    add(3, ChainId{2}, 2, 7);
    add(4, kNoChain, 1, 2);
    return chains;
}

TEST(Tables, linesHaveTheTimeOfWhatTheyCallOnce)
{
    ProfileData data = dataOf({{"a.A", "A", 600, 10}, {"b.B", "B", 300, 10}, {"c.C", "C", 100, 5}}, 2000, 1500);
    data.chains.all = recursiveChains();
    const auto link = [&](std::uint32_t apply, const char *file, int line, double share) {
        data.sources.push_back({GraphId{1}, ApplyId{apply}, {file, line}, share, share < 1});
    };
    link(0, "net.py", 7, 1); // beneath net.py:5 twice
    link(1, "net.py", 7, 0.75);
    link(1, "train.py", 2, 0.25);
    link(2, "net.py", 7, 1); // by two chains
    data.chains.ofApplies.take({{GraphId{1}, ApplyId{0}, ChainId{3}, 1},
                                {GraphId{1}, ApplyId{1}, ChainId{3}, 0.75},
                                {GraphId{1}, ApplyId{1}, ChainId{4}, 0.25},
                                {GraphId{1}, ApplyId{2}, ChainId{2}, 0.5},
                                {GraphId{1}, ApplyId{2}, ChainId{3}, 0.5}});
    std::map<std::string, LineRow> rows;
    double own = 0;
    for (const LineRow &row : lineTable(data)) {
        own += row.percent;
        rows[row.source.file + ":" + std::to_string(row.source.line)] = row;
    }
    EXPECT_NEAR(own, 100, 1e-9);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows["train.py:1"].ns, 0);
    EXPECT_EQ(rows["train.py:1"].withCallsNs, 600 + 225 + 100);
    EXPECT_NEAR(rows["train.py:1"].withCallsPercent, 92.5, 1e-9);
    EXPECT_TRUE(rows["train.py:1"].isPassed() && rows["train.py:1"].isOfScript);
    EXPECT_TRUE(rows["train.py:1"].withCallsEstimated) << "a part of the second is another line's";
    EXPECT_EQ(rows["net.py:5"].withCallsNs, 925) << "a line that calls itself counts an apply once";
    EXPECT_FALSE(rows["net.py:5"].isOfScript);
    EXPECT_EQ(rows["net.py:7"].ns, 925);
    EXPECT_EQ(rows["net.py:7"].withCallsNs, 925) << "no less than its own";
    EXPECT_EQ(rows["train.py:2"].ns, 75);
    EXPECT_EQ(rows["train.py:2"].withCallsNs, 75);
    const Table applies = makeTable(data, TableKind::Apply);
    const Table byLine = tableOfLines(lineTable(data), applies, false);
    ASSERT_EQ(byLine.rows.size(), 4u);
    EXPECT_EQ(byLine.rows[0].name, "net.py:7");
    EXPECT_NEAR(*byLine.rows[2].withCallsPercent, 92.5, 1e-9);
    EXPECT_EQ(byLine.rows[2].applies, 0) << "only called through: behind those that have time of their own";
    for (const TableRow &row : tableOfLines(lineTable(data), applies, true).rows) EXPECT_FALSE(row.withCallsPercent);
    const Costs all(data);
    const FunctionCosts &costs = *all.of(FunctionId{0});
    EXPECT_DOUBLE_EQ(costs.lines.at({"train.py", 1}).withCallsOfLongest, 1);
    EXPECT_DOUBLE_EQ(costs.lines.at({"train.py", 1}).ofLongest, 0);
}

TEST(Tables, withoutChainsALineCallsNothing)
{
    ProfileData data = dataOf({{"a.A", "A", 600, 10}}, 2000, 1500);
    data.sources.push_back({GraphId{1}, ApplyId{0}, {"a.py", 3}, 1, false});
    const std::vector<LineRow> lines = lineTable(data);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].withCallsNs, 600);
    EXPECT_EQ(lines[0].ns, 600);
}

TEST(Tables, aLineRunsOnceACallHoweverManyAppliesItMade)
{
    // Line 3 made a chain of ten applies, of which one ran in half of the calls (a branch); line 4 made one of them with it.
    std::vector<Node> nodes(10, {"a.A", "A", 15'300'000, 1000});
    nodes[9].calls = 500;
    ProfileData data = dataOf(nodes, 200'000'000, 160'000'000);
    for (std::uint32_t apply = 0; apply < 10; ++apply)
        data.sources.push_back({GraphId{1}, ApplyId{apply}, {"chain.py", 3}, apply == 0 ? 0.5 : 1, false});
    data.sources.push_back({GraphId{1}, ApplyId{0}, {"chain.py", 4}, 0.5, false});
    // A second function from the same line.
    FunctionInfo second = data.functions.front();
    second.id = FunctionId{1};
    second.graph = GraphId{2};
    data.functions.push_back(second);
    data.graphs.push_back({GraphId{2}, FunctionId{1}});
    ApplyRow row = data.applies[0];
    row.graph = GraphId{2};
    data.applies.push_back(row);
    ApplyStats stats = data.stats.front();
    stats.function = FunctionId{1};
    stats.graph = GraphId{2};
    stats.calls = 7;
    stats.totalNs = 7000;
    data.stats.push_back(stats);
    data.sources.push_back({GraphId{2}, ApplyId{0}, {"chain.py", 3}, 1, false});

    const std::vector<LineRow> lines = lineTable(data);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].source.line, 3);
    EXPECT_EQ(lines[0].calls, 1000 + 7);
    EXPECT_EQ(lines[1].calls, 1000);
    const Table applies = makeTable(data, TableKind::Apply);
    const Table byLine = tableOfLines(lines, applies, false);
    EXPECT_EQ(byLine.rows[0].calls, 1007);
    EXPECT_EQ(byLine.rows[0].applies, 11);
    EXPECT_DOUBLE_EQ(byLine.rows[0].nsPerCall, (9.5 * 15'300'000 + 7000) / 1007) << "of the line, not of an apply of it";
    EXPECT_EQ(byLine.rows[1].calls, 1000);
    EXPECT_EQ(tableOfLines(lines, applies, true).rows[0].calls, 1007) << "a file likewise";
    EXPECT_EQ(applies.rows[0].calls, 1000) << "an apply keeps its own";
    const Costs costs(data);
    EXPECT_EQ(costs.of(FunctionId{0})->lineRows.rows[0].calls, 1000);
}

TEST(Tables, byLineFileAndDevice)
{
    ProfileData data = dataOf({{"a.A", "A", 600, 10}, {"b.B", "B", 300, 10}, {"c.C", "C", 100, 5}}, 2000, 1500);
    data.applies[1].device = "cuda0";
    const auto link = [&](std::uint32_t apply, const char *file, int line, double share, bool estimated) {
        SourceLink source;
        source.graph = GraphId{1};
        source.apply = ApplyId{apply};
        source.source = {file, line};
        source.share = share;
        source.estimated = estimated;
        data.sources.push_back(source);
    };
    link(0, "model.py", 3, 0.5, true);
    link(0, "model.py", 4, 0.5, true);
    link(1, "train.py", 9, 1, false);
    const Table applies = makeTable(data, TableKind::Apply);
    const std::vector<LineRow> lines = lineTable(data);
    const Table byLine = tableOfLines(lines, applies, false);
    ASSERT_EQ(byLine.rows.size(), 4u);
    EXPECT_EQ(byLine.totalNs, 1000);
    EXPECT_NEAR(sumOfPercents(byLine), 100, 1e-9);
    EXPECT_EQ(byLine.rows[0].ns, 300);
    EXPECT_EQ(byLine.rows[2].name, "train.py:9");
    EXPECT_EQ(byLine.rows[3].name, ""); // of no line
    EXPECT_FALSE(byLine.rows[2].estimated);
    const Table byFile = tableOfLines(lines, applies, true);
    ASSERT_EQ(byFile.rows.size(), 3u);
    EXPECT_EQ(byFile.rows[0].name, "model.py");
    EXPECT_EQ(byFile.rows[0].ns, 600);
    EXPECT_EQ(byFile.rows[0].applies, 1); // once, although two of its lines lead to it
    EXPECT_EQ(byFile.rows[0].calls, 10);
    EXPECT_DOUBLE_EQ(byFile.rows[0].nsPerCall, 60);
    EXPECT_TRUE(byFile.rows[0].estimated);
    const Table devices = makeTable(data, TableKind::Device);
    ASSERT_EQ(devices.rows.size(), 2u);
    EXPECT_EQ(devices.rows[0].name, "cpu");
    EXPECT_EQ(devices.rows[0].ns, 700);
    EXPECT_EQ(devices.rows[1].name, "cuda0");
}

} // namespace
