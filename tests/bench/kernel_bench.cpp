// Elementwise functions and reductions from C++, against the loop that a person would write out. Arg: elements.
// Each pair runs in one program: compare the two lines, not runs of different days.
#include "engine/compile/function/function.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <functional>

using namespace engine;

namespace {

using Instructions = std::vector<ScalarInstruction>;

ScalarInstruction step(ScalarCode code, std::vector<std::uint32_t> arguments)
{
    return {scalarOp(code), std::move(arguments), DType::Float32};
}
ScalarInstruction number(double value) { return {nullptr, {}, DType::Float32, value}; }

void runFunction(benchmark::State &state, std::uint32_t inputs, Instructions instructions, bool compiled)
{
    ScalarBody body;
    body.inputCount = inputs;
    body.inputTypes.assign(inputs, DType::Float32);
    body.outputs = {inputs + static_cast<std::uint32_t>(instructions.size()) - 1};
    body.instructions = std::move(instructions);
    FunctionSpec spec;
    std::vector<VarRef> variables;
    for (std::uint32_t i = 0; i < inputs; ++i) {
        variables.push_back(Variable::input(Type::ofRank(DType::Float32, 1)));
        spec.inputs.push_back({variables.back()});
    }
    spec.outputs = {engine::apply(makeOp<Elemwise>(compositeOp(body)), variables)};
    spec.mode = Mode::named("FAST_RUN");
    if (!compiled) spec.mode.linker = Linker::Vm;
    const auto function = Function::compile(std::move(spec));
    std::vector<Tensor> arrays, outputs;
    std::vector<View> views;
    for (std::uint32_t i = 0; i < inputs; ++i) {
        arrays.push_back(Tensor::empty(DType::Float32, {state.range(0)}));
        for (std::int64_t k = 0; k < state.range(0); ++k) arrays.back().as<float>()[k] = static_cast<float>(k % 1000) / 500 - 1;
    }
    for (const Tensor &array : arrays) views.push_back(array.view());
    function->callViews(views, outputs);
    if (compiled) function->compileKernels();
    for (auto _ : state) function->callViews(views, outputs);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class F>
__attribute__((noinline)) void writtenOut(const float *a, const float *b, const float *c, float *out, std::int64_t n, F f)
{
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i], c[i]);
}

template <class F>
void runLoop(benchmark::State &state, F f)
{
    std::vector<Tensor> arrays;
    for (int i = 0; i < 4; ++i) arrays.push_back(Tensor::full(DType::Float32, {state.range(0)}, 0.5));
    for (auto _ : state) {
        writtenOut(arrays[0].as<float>(), arrays[1].as<float>(), arrays[2].as<float>(), arrays[3].as<float>(), state.range(0), f);
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

using S = ScalarCode;
Instructions squares() // a**2 + b**2 + 2*a*b
{
    return {number(2),           step(S::Sqr, {0}), step(S::Sqr, {1}), step(S::Add, {3, 4}), step(S::Mul, {2, 0}), step(S::Mul, {6, 1}),
            step(S::Add, {5, 7})};
}
Instructions tenOps() // (a*b + c)*(a - b) + (c*c - a)/2 + b*a
{
    return {number(2),
            step(S::Mul, {0, 1}),
            step(S::Add, {4, 2}),
            step(S::Sub, {0, 1}),
            step(S::Mul, {5, 6}),
            step(S::Mul, {2, 2}),
            step(S::Sub, {8, 0}),
            step(S::TrueDiv, {9, 3}),
            step(S::Add, {7, 10}),
            step(S::Mul, {1, 0}),
            step(S::Add, {11, 12})};
}
Instructions expMix() { return {step(S::Exp, {0}), step(S::Mul, {3, 1}), step(S::Tanh, {2}), step(S::Add, {4, 5})}; }

void squaresTier0(benchmark::State &s) { runFunction(s, 2, squares(), false); }
void squaresCompiled(benchmark::State &s) { runFunction(s, 2, squares(), true); }
void squaresLoop(benchmark::State &s)
{
    runLoop(s, [](float a, float b, float) { return a * a + b * b + 2 * a * b; });
}
void tenOpsTier0(benchmark::State &s) { runFunction(s, 3, tenOps(), false); }
void tenOpsCompiled(benchmark::State &s) { runFunction(s, 3, tenOps(), true); }
void tenOpsLoop(benchmark::State &s)
{
    runLoop(s, [](float a, float b, float c) { return (a * b + c) * (a - b) + (c * c - a) / 2 + b * a; });
}
void expMixTier0(benchmark::State &s) { runFunction(s, 3, expMix(), false); }
void expMixCompiled(benchmark::State &s) { runFunction(s, 3, expMix(), true); }
void expTier0(benchmark::State &s) { runFunction(s, 1, {step(S::Exp, {0})}, false); }

#define SIZES Arg(1000)->Arg(65536)->Arg(1000000)
BENCHMARK(squaresTier0)->SIZES;
BENCHMARK(squaresCompiled)->SIZES;
BENCHMARK(squaresLoop)->SIZES;
BENCHMARK(tenOpsTier0)->SIZES;
BENCHMARK(tenOpsCompiled)->SIZES;
BENCHMARK(tenOpsLoop)->SIZES;
BENCHMARK(expMixTier0)->SIZES;
BENCHMARK(expMixCompiled)->SIZES;
BENCHMARK(expTier0)->Arg(230400);

void runReduction(benchmark::State &state, ReduceKind kind, Dims shape, std::optional<std::vector<int>> axes)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, shape.rank()));
    FunctionSpec spec;
    spec.inputs = {{x}};
    spec.outputs = {reduce(kind, x, axes)};
    const auto function = Function::compile(std::move(spec));
    const Tensor array = Tensor::full(DType::Float32, shape, 0.5);
    const View view = array.view();
    std::vector<Tensor> outputs;
    for (auto _ : state) function->callViews({&view, 1}, outputs);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(array.bytes()));
}
void sumAll(benchmark::State &s) { runReduction(s, ReduceKind::Sum, {s.range(0)}, {}); }
void maxAll(benchmark::State &s) { runReduction(s, ReduceKind::Max, {s.range(0)}, {}); }
void sumColumns(benchmark::State &s) { runReduction(s, ReduceKind::Sum, {s.range(0), s.range(0)}, {{0}}); }
void sumRows(benchmark::State &s) { runReduction(s, ReduceKind::Sum, {s.range(0), s.range(0)}, {{1}}); }
BENCHMARK(sumAll)->SIZES;
BENCHMARK(maxAll)->SIZES;
BENCHMARK(sumColumns)->Arg(64)->Arg(256)->Arg(2000);
BENCHMARK(sumRows)->Arg(64)->Arg(256)->Arg(2000);

} // namespace
