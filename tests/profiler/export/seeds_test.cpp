// The arithmetic of the reports against profiles that Theano's users published: numbers in, lines out.

#include "profiler/export/report.h"
#include "profiler/memory/memory.h"
#include "profiler/memory/min_peak.h"
#include "profiler/session/model/model.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

struct Node {
    const char *opClass;
    const char *op;
    double seconds;
    std::int64_t calls;
    const char *implementation = "C";
    int id = 0;
};

std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9 + 0.5); }

FunctionInfo function(std::uint32_t id, const char *name, std::int64_t calls, double callSeconds, double vmSeconds)
{
    FunctionInfo one;
    one.id = FunctionId{id};
    one.name = name;
    one.graph = GraphId{id + 1};
    one.run.calls = calls;
    one.run.totalNs = ns(callSeconds);
    one.run.vmNs = ns(vmSeconds);
    return one;
}

void addNodes(ProfileData &data, std::size_t functionIndex, const std::vector<Node> &nodes)
{
    FunctionInfo &owner = data.functions[functionIndex];
    data.graphs.push_back({owner.graph, owner.id});
    std::uint32_t id = 0;
    for (const Node &node : nodes) {
        ApplyRow row;
        row.graph = owner.graph;
        row.apply = ApplyId{id++};
        row.op = row.label = node.op;
        row.opClass = node.opClass;
        row.implementation = node.implementation;
        row.inOptimized = true;
        row.optimizedIndex = node.id;
        data.applies.push_back(row);
        ApplyStats stats;
        stats.function = owner.id;
        stats.graph = owner.graph;
        stats.apply = row.apply;
        stats.calls = node.calls;
        stats.totalNs = ns(node.seconds);
        data.stats.push_back(stats);
        owner.run.thunkNs += stats.totalNs;
    }
    owner.appliesOptimized += static_cast<int>(nodes.size());
}

void expectLines(const std::string &report, std::initializer_list<const char *> lines)
{
    for (const char *line : lines) EXPECT_NE(report.find(line), std::string::npos) << line << "\nin\n" << report;
}

// The CPU profile of logistic regression, three functions summed.
TEST(Published, cpuProfileOfThreeFunctions)
{
    ProfileData data;
    data.functions = {function(0, "train", 10000, 1.5, 1.40), function(1, "predict", 1, 0.010916, 0.010365),
                      function(2, "probe", 1, 0.08, 0.082)};
    data.functions[0].compile.totalNs = ns(6.0);
    data.functions[1].compile.totalNs = ns(0.2);
    data.functions[2].compile.totalNs = ns(0.109664);
    addNodes(data, 0,
             {{"theano.tensor.blas_c.CGemv", "CGemv{inplace}", 0.445, 10000, "C", 7},
              {"theano.tensor.blas_c.CGemv", "CGemv{inplace}", 0.393, 10000, "C", 17},
              {"theano.tensor.elemwise.Elemwise", "Elemwise{softplus}", 0.223, 10000, "C", 14},
              {"theano.tensor.elemwise.Elemwise", "Elemwise{sigmoid}", 0.109, 10000, "C", 15},
              {"theano.tensor.elemwise.Elemwise", "Elemwise{others}", 0.092159, 70000, "C", 4},
              {"theano.tensor.basic.Alloc", "Alloc", 0.026, 20000, "C", 5},
              {"theano.tensor.elemwise.Sum", "Sum{acc_dtype=float64}", 0.018, 10000, "C", 16},
              {"theano.tensor.elemwise.DimShuffle", "InplaceDimShuffle{x}", 0.014, 30000, "C", 0},
              {"theano.compile.ops.Shape_i", "Shape_i{0}", 0.009, 20000, "C", 1}});
    addNodes(data, 1, {{"theano.tensor.blas_c.CGemv", "CGemv{inplace}", 0.001, 1, "C", 2}});
    addNodes(data, 2, {{"theano.tensor.blas.Gemv", "Gemv{no_inplace}", 0.078, 1, "Py", 0}});
    ReportOptions options;
    options.memory = false;
    const std::string report = profileReport(data, options);
    const std::string sum = report.substr(report.find("Message: Sum of all(3)"));
    expectLines(sum,
                {"Sum of all(3) printed profiles at exit excluding Scan op profile.",
                 "  Time in 10002 calls to Function.__call__: 1.590916e+00s", "  Time in Function.fn.__call__: 1.492365e+00s (93.805%)",
                 "  Time in thunks: 1.408159e+00s (88.512%)", "  Total compile time: 6.309664e+00s", "    Number of Apply nodes: 11",
                 "  59.6%    59.6%       0.839s     4.19e-05s     C      20001       3   theano.tensor.blas_c.CGemv",
                 "   5.5%    95.2%       0.078s     7.80e-02s     Py         1       1   theano.tensor.blas.Gemv", "   1.8%    ",
                 "(remaining 0 Classes account for   0.00%(0.00s) of the runtime)",
                 "  31.6%    31.6%       0.445s     4.45e-05s    10000     7   CGemv{inplace}",
                 "  27.9%    59.5%       0.393s     3.93e-05s    10000    17   CGemv{inplace}"});
    // Longest compile and call first.
    EXPECT_LT(report.find("Message: train"), report.find("Message: predict"));
    EXPECT_LT(report.find("Message: predict"), report.find("Message: probe"));
}

// The GPU one: how the time splits, and cut tables.
TEST(Published, gpuProfileSplitsTheTime)
{
    ProfileData data;
    data.functions = {function(0, "train", 10000, 3.535239, 3.420863)};
    addNodes(data, 0,
             {{"theano.sandbox.cuda.basic_ops.GpuElemwise", "GpuElemwise{all}", 1.308, 80001},
              {"theano.sandbox.cuda.blas.GpuGemv", "GpuGemv{inplace}", 0.492, 20002},
              {"theano.sandbox.cuda.basic_ops.GpuAlloc", "GpuAlloc", 0.433, 20001},
              {"theano.sandbox.cuda.basic_ops.HostFromGpu", "HostFromGpu", 0.234, 20002},
              {"theano.sandbox.cuda.basic_ops.GpuCAReduce", "GpuCAReduce{add}{1}", 0.207, 10000},
              {"theano.sandbox.cuda.basic_ops.GpuFromHost", "GpuFromHost", 0.127, 10003},
              {"theano.sandbox.cuda.basic_ops.GpuDimShuffle", "GpuDimShuffle{x}", 0.025, 30001},
              {"theano.tensor.elemwise.Elemwise", "Elemwise{gt}", 0.020, 20001},
              {"theano.compile.ops.Shape_i", "Shape_i{0}", 0.0139, 20001},
              {"theano.tensor.elemwise.DimShuffle", "InplaceDimShuffle{x}", 0.006, 10000}});
    ReportOptions options;
    options.memory = false;
    options.ops = 4;
    const std::string report = profileReport(data, options);
    expectLines(report,
                {"Time in thunks: 2.865900e+00s (81.067%)",
                 "Spent 0.040s(1.392%) in cpu Op, 2.465s(86.011%) in gpu Op and 0.361s(12.596%) transfert Op",
                 "(remaining 6 Ops account for  13.92%(0.40s) of the runtime)",
                 "  45.6%    45.6%       1.308s     1.63e-05s     C      80001       1   theano.sandbox.cuda.basic_ops.GpuElemwise"});
}

// The old profiler: 33.456 s = 1.023 compile + 30.878 calls + 1.555 rest.
TEST(Published, profileModeSummary)
{
    ProfileData data;
    data.info.durationNs = ns(33.456);
    data.functions = {function(0, "train", 10000, 30.877, 30), function(1, "predict", 1, 0.001, 0.001), function(2, "unused", 0, 0, 0)};
    data.functions[0].compile.totalNs = ns(1.023);
    data.functions[0].compile.optimizerNs = ns(0.789);
    data.functions[0].compile.linkerNs = ns(0.221);
    addNodes(data, 0,
             {{"theano.tensor.blas.Gemv", "Gemv{inplace}", 25.672, 10000, "Py", 15},
              {"theano.tensor.basic.Dot", "dot", 2.843, 10000, "Py", 1},
              {"theano.tensor.elemwise.Elemwise", "Elemwise{Composite}", 0.691, 90000, "C", 9},
              {"theano.tensor.basic.Alloc", "Alloc", 0.127, 10000, "Py", 10},
              {"theano.tensor.elemwise.DimShuffle", "InplaceDimShuffle{x}", 0.053, 30000, "C", 0},
              {"theano.tensor.elemwise.Sum", "Sum", 0.014, 10000, "C", 12},
              {"theano.tensor.basic.Shape_i", "Shape_i{0}", 0.011, 10000, "C", 2}});
    ReportOptions options;
    options.memory = false;
    options.applies = 3;
    const std::string report = profileModeReport(data, options);
    expectLines(report, {"Time since import 33.456s\n", "Theano compile time: 1.023s (3.1% since import)", "    Optimization time: 0.789s",
                         "    Linker time: 0.221s", "Theano fct call 30.878s (92.3% since import)",
                         "   Theano Op time 29.411s 87.9%(since import) 95.2%(of fct call)",
                         "   Theano function overhead in ProfileMode 1.467s 4.4%(since import) 4.8%(of fct call)",
                         "10001 Theano fct call, 3.087e-03s per call", "Rest of the time since import 1.555s 4.6%",
                         "   100.0%  30.877s  3.09e-03s  10000  train", "NOT CALLED unused",
                         "  87.3%   87.3%  25.672s  25.672s  2.57e-03s     10000   1   1 <Gemv>",
                         "   2.3%   99.3%  0.691s  29.206s  7.68e-06s *   90000   1   1 <Elemwise>",
                         "(remaining 4 Apply instances account for 0.7%(", "(*) Op is running a c implementation"});
}

// The old profiler's memory lines: 2481 = 16 + 2450 + 15.
TEST(Published, profileModeMemory)
{
    ProfileData data;
    data.functions = {function(0, "train", 10, 1, 1)};
    data.functions[0].appliesOptimized = 3;
    data.graphs.push_back({GraphId{1}, FunctionId{0}});
    const auto add = [&](std::uint32_t id, const char *label, BufferKind kind, std::int64_t bytes, std::uint32_t of) {
        ApplyRow apply;
        apply.graph = GraphId{1};
        apply.apply = ApplyId{id};
        apply.label = apply.op = label;
        apply.opClass = "Some";
        apply.inOptimized = true;
        data.applies.push_back(apply);
        BufferRow row;
        row.function = FunctionId{0};
        row.graph = GraphId{1};
        row.variable = VariableId{id};
        row.apply = kind == BufferKind::Shared ? kNoApply : ApplyId{id};
        row.kind = kind;
        row.bytes = bytes;
        row.of = of == 99 ? kNoVariable : VariableId{of};
        row.from = static_cast<int>(id);
        row.to = 20;
        data.buffers.push_back(row);
    };
    PlanInfo plan;
    plan.function = FunctionId{0};
    plan.uses = 10;
    data.plans.push_back(plan);
    add(0, "x", BufferKind::Shared, 2508800, 99);
    add(1, "w", BufferKind::Shared, 6272, 99);
    add(2, "InplaceDimShuffle{1,0}(x)", BufferKind::View, 2508800, 0);
    add(3, "Elemwise{a}(y)", BufferKind::Created, 16416, 99);
    add(4, "Elemwise{b}(y)", BufferKind::Inplace, 9600, 3);
    add(5, "Gemv{inplace}(w, ...)", BufferKind::Inplace, 6272, 1);
    const std::string report = profileModeReport(data);
    expectLines(report, {"Max without gc, inplace and view (KB) 2481", "Max FAST_RUN_NO_GC (KB) 16", "Max FAST_RUN (KB) 16",
                         "Memory saved by view (KB) 2450", "Memory saved by inplace (KB) 15", "Memory saved by GC (KB) 0",
                         "2508800B  [2508800] v InplaceDimShuffle{1,0}(x)", "6272B  [6272] i Gemv{inplace}(w, ...)",
                         "16416B  [16416] c Elemwise{a}(y)"});
    const std::string profile = profileReport(data);
    expectLines(profile, {"Memory Profile\n(Sparse variables are ignored)",
                          "    Max peak memory with current setting\n        CPU: 16KB (16KB)\n        GPU: 0KB (0KB)",
                          "Theano flag optimizer_excluding=inplace\n        CPU: 31KB (31KB)",
                          "Max peak memory if allow_gc=False (linker don't make a difference)\n        CPU: 16KB\n"});
}

// Two chains that join: one after the other needs less than side by side.
TEST(MinimumPeak, findsTheBestOrder)
{
    std::vector<BufferRow> buffers;
    std::vector<ApplyInput> inputs;
    const auto add = [&](std::uint32_t id, std::int64_t bytes, std::initializer_list<std::uint32_t> reads) {
        BufferRow row;
        row.graph = GraphId{1};
        row.variable = VariableId{id};
        row.apply = ApplyId{id};
        row.bytes = bytes;
        buffers.push_back(row);
        int port = 0;
        for (const std::uint32_t read : reads) inputs.push_back({GraphId{1}, ApplyId{id}, port++, VariableId{read}});
    };
    add(0, 100, {}); // large …
    add(1, 10, {0}); // … then small
    add(2, 100, {});
    add(3, 10, {2});
    add(4, 1, {1, 3});
    const MinimumPeak found = minimumPeak(buffers, inputs);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.bytes, 120); // 100 + 10, freed, then 10 + 100 + 10; the recorded order would hold 200 at once if it began with both
    EXPECT_FALSE(minimumPeak(buffers, inputs, 2).complete);
    EXPECT_EQ(minimumPeak({}, {}).bytes, 0);
}

} // namespace
