// Rewriting whole graphs in FAST_RUN. Expected: at most 10 us a node, and 100,000 nodes at most 12 x 10,000.
#include "engine/compile/request/mode.h"
#include "engine/rewrite/machine/driver.h"
#include "tests/bench/programs.h"

#include <benchmark/benchmark.h>

using namespace bench;

namespace {

void rewriting(benchmark::State &state, Program (*make)(int))
{
    const Program program = make(static_cast<int>(state.range(0)));
    const Mode mode = Mode::named("FAST_RUN");
    double nodes = 0, left = 0, steps = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto graph = std::make_unique<FunctionGraph>(program.inputs, program.outputs);
        nodes = graph->liveApplyCount();
        state.ResumeTiming();
        RewriteReport report = rewriteGraph(*graph, mode);
        state.PauseTiming();
        left = graph->liveApplyCount();
        steps = static_cast<double>(graph->journal().steps.size());
        if (!report.warnings.empty()) state.SkipWithError(report.warnings[0].c_str());
        graph.reset();
        state.ResumeTiming();
    }
    state.counters["nodes"] = nodes;
    state.counters["left"] = left;
    state.counters["steps"] = steps;
    state.counters["us/node"] =
        benchmark::Counter(nodes * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

#define SIZES ->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(rewriting, tanh_of_dots, tanhOfDots) SIZES;
BENCHMARK_CAPTURE(rewriting, tree_of_adds, treeOfAdds) SIZES;
BENCHMARK_CAPTURE(rewriting, unary_chain, unaryChain) SIZES;
BENCHMARK_CAPTURE(rewriting, add_mul_by_constants, addMulByConstants) SIZES;
BENCHMARK_CAPTURE(rewriting, unrolled_gradient, unrolledGradient) SIZES;

} // namespace
