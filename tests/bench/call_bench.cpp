// What a call costs when there is next to nothing to compute, and the steps that people train with, from C++.
#include "engine/compile/function/function.h"
#include "engine/device/cpu/blas.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace engine;

namespace {

std::shared_ptr<Function> compiled(std::vector<VarRef> inputs, std::vector<VarRef> outputs,
                                   std::vector<std::pair<VarRef, VarRef>> updates = {})
{
    FunctionSpec spec;
    for (const VarRef &input : inputs) spec.inputs.push_back({input});
    spec.outputs = std::move(outputs);
    spec.updates = std::move(updates);
    spec.mode = Mode::named("FAST_RUN");
    spec.profile = std::getenv("CROTON_BENCH_APPLIES") != nullptr;
    return Function::compile(std::move(spec));
}

void callRepeatedly(benchmark::State &state, Function &function, const std::vector<Tensor> &inputs)
{
    std::vector<View> views;
    for (const Tensor &input : inputs) views.push_back(input.view());
    std::vector<Tensor> outputs;
    for (int i = 0; i < 3; ++i) function.callViews(views, outputs);
    for (auto _ : state) {
        function.callViews(views, outputs);
        benchmark::DoNotOptimize(outputs.data());
    }
}

void tinyFunction(benchmark::State &state)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const auto function = compiled({x}, {add(x, x)});
    callRepeatedly(state, *function, {Tensor::full(DType::Float64, {4}, 1)});
}
BENCHMARK(tinyFunction);

void chainOfDots(benchmark::State &state)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 2), "x");
    VarRef y = x;
    for (int i = 0; i < 20; ++i) y = dot(y, x);
    const auto function = compiled({x}, {y});
    callRepeatedly(state, *function, {Tensor::full(DType::Float64, {2, 2}, 0.5)});
}
BENCHMARK(chainOfDots);

void logisticRegression(benchmark::State &state)
{
    const std::int64_t rows = 400, features = 784;
    Tensor data = Tensor::empty(DType::Float32, {rows, features}), labels = Tensor::empty(DType::Float32, {rows});
    for (std::int64_t i = 0; i < data.size(); ++i) data.as<float>()[i] = static_cast<float>(i * 7919 % 2001 - 1000) / 1000;
    for (std::int64_t i = 0; i < rows; ++i) labels.as<float>()[i] = static_cast<float>(i % 2);
    const auto sharedOf = [](Tensor value, const char *name) {
        const Type type = Type::ofRank(value.dtype(), value.rank());
        return Variable::shared(std::make_shared<Container>(Value(std::move(value))), type, name);
    };
    const VarRef x = sharedOf(data, "x"), y = sharedOf(labels, "y"), w = sharedOf(Tensor::zeros(DType::Float32, {features}), "w"),
                 b = sharedOf(Tensor::zeros(DType::Float32, {}), "b");
    const auto f = [](double v) { return literal(v, DType::Float32); };
    const VarRef one = f(1);
    const VarRef p = trueDiv(one, add(one, exp(sub(neg(dot(x, w)), b))));
    const VarRef xent = sub(mul(neg(y), log(p)), mul(sub(one, y), log(sub(one, p))));
    const VarRef cost = add(mean(xent), mul(f(0.01), sum(sqr(w))));
    GradOptions options;
    options.floatX = DType::Float32;
    const VarRef wrt[] = {w, b};
    const auto g = grad(cost, wrt, options);
    const auto function = compiled(
        {}, {p, xent}, {{w, cast(sub(w, mul(f(0.1), g[0])), DType::Float32)}, {b, cast(sub(b, mul(f(0.1), g[1])), DType::Float32)}});
    state.SetLabel(std::to_string(function->order().size()) + " applies, BLAS core " + blas().core);
    callRepeatedly(state, *function, {});
    if (!std::getenv("CROTON_BENCH_APPLIES") || state.iterations() < 1000) return;
    // Where the time goes, by apply.
    const auto totals = function->statistics().totals();
    for (std::size_t i = 0; i < function->order().size(); ++i) {
        const auto [calls, ticks] = totals[i];
        std::fprintf(stderr, "%8.2f us  %s\n", static_cast<double>(ticks) / static_cast<double>(calls) / ticksPerSecond() * 1e6,
                     function->graph().apply(function->order()[i]).op->name().c_str());
    }
}
BENCHMARK(logisticRegression);

} // namespace
