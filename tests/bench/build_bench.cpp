// Building expressions and their gradients. Expected: at most 500 ns a node built, 1000 ns a new node of the gradient.
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"

#include <benchmark/benchmark.h>

using namespace engine;

namespace {

// add, dimshuffle + mul, tanh: four nodes a turn.
VarRef chain(const VarRef &x, const VarRef &row, int turns)
{
    VarRef value = x;
    for (int i = 0; i < turns; ++i) value = elementwise(ScalarCode::Tanh, {mul(add(value, x), row)});
    return value;
}

std::size_t applies(std::span<const VarRef> outputs) { return toposort(outputs).size(); }

void build100000Nodes(benchmark::State &state)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), row = Variable::input(Type::ofRank(DType::Float32, 1), "b");
    for (auto _ : state) {
        VarRef value = chain(x, row, 25000);
        benchmark::DoNotOptimize(value);
        state.PauseTiming();
        value = VarRef();
        state.ResumeTiming();
    }
    state.counters["ns/node"] = benchmark::Counter(100000e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(build100000Nodes)->Unit(benchmark::kMillisecond);

void gradientOf100000Nodes(benchmark::State &state)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), row = Variable::input(Type::ofRank(DType::Float32, 1), "b");
    const VarRef wrt[] = {x, row};
    const VarRef cost = sum(chain(x, row, 25000));
    double created = 0;
    for (auto _ : state) {
        std::vector<VarRef> terms = grad(cost, wrt);
        state.PauseTiming();
        const VarRef whole[] = {cost, terms[0], terms[1]}, before[] = {cost};
        created = static_cast<double>(applies(whole) - applies(before));
        terms.clear();
        state.ResumeTiming();
    }
    state.counters["ns/new node"] =
        benchmark::Counter(created * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(gradientOf100000Nodes)->Unit(benchmark::kMillisecond);

void logisticRegressionWithGradient(benchmark::State &state)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), y = Variable::input(Type::ofRank(DType::Float32, 1), "y");
    const VarRef w = Variable::input(Type::ofRank(DType::Float32, 1), "w"), b = Variable::input(Type::scalar(DType::Float32), "b");
    const VarRef wrt[] = {w, b};
    for (auto _ : state) {
        const VarRef one = literal(std::int64_t(1));
        const VarRef p = trueDiv(one, add(one, exp(sub(neg(dot(x, w)), b))));
        const VarRef cross = sub(mul(neg(y), log(p)), mul(sub(one, y), log(sub(one, p))));
        const VarRef cost = add(mean(cross), mul(literal(0.01, DType::Float32), sum(sqr(w))));
        benchmark::DoNotOptimize(grad(cost, wrt));
    }
}
BENCHMARK(logisticRegressionWithGradient)->Unit(benchmark::kMicrosecond);

} // namespace
