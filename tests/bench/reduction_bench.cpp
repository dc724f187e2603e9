// Reductions of elementwise expressions from C++: in one pass, as a pair of applies, and as the loop that a person would
// write out. Arg: elements in all (square matrices for the rows and columns). Compare the lines of one run.
#include "engine/compile/function/function.h"
#include "engine/text/notation.h"

#include <benchmark/benchmark.h>
#include <cmath>

using namespace engine;

namespace {

enum class How { Fused, Pair, FusedTier0, PairTier0 };

void runText(benchmark::State &state, const std::string &text, How how)
{
    const ParsedExpression parsed = parseExpression(text);
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    spec.mode = Mode::named("FAST_RUN");
    if (how == How::FusedTier0 || how == How::PairTier0) spec.mode.linker = Linker::Vm;
    if (how == How::Pair || how == How::PairTier0) spec.mode.excluding.push_back("croton_reduction_fusion");
    const auto function = Function::compile(std::move(spec));
    std::vector<Tensor> arrays, outputs;
    std::vector<View> views;
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(state.range(0)))));
    for (const VarRef &input : parsed.inputs) {
        Dims shape;
        for (int axis = 0; axis < input->type().rank(); ++axis)
            shape.push_back(input->type().isBroadcastable(axis) ? 1 : input->type().rank() == 1 ? state.range(0) : side);
        arrays.push_back(Tensor::empty(input->type().dtype(), shape));
        for (std::int64_t k = 0; k < arrays.back().size(); ++k) arrays.back().as<float>()[k] = static_cast<float>(k % 1000) / 500 - 1;
    }
    for (const Tensor &array : arrays) views.push_back(array.view());
    function->callViews(views, outputs);
    if (how == How::Fused || how == How::Pair) function->compileKernels();
    for (auto _ : state) function->callViews(views, outputs);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

// The loops: 64 lanes in double, as limits of a reduction in float64 are written.
template <class F>
__attribute__((noinline)) double lanes(const float *x, const float *y, std::int64_t n, F f)
{
    double lane[64] = {};
    std::int64_t i = 0;
    for (; i + 64 <= n; i += 64)
#pragma GCC ivdep
        for (int j = 0; j < 64; ++j) lane[j] += static_cast<double>(f(x[i + j], y[i + j]));
    double total = 0;
    for (; i < n; ++i) total += static_cast<double>(f(x[i], y[i]));
    for (double part : lane) total += part;
    return total;
}

template <class F>
__attribute__((noinline)) float largest(const float *x, std::int64_t n, F f)
{
    float lane[64];
    int nan[64] = {};
    for (float &part : lane) part = -INFINITY;
    std::int64_t i = 0;
    for (; i + 64 <= n; i += 64)
#pragma GCC ivdep
        for (int j = 0; j < 64; ++j) {
            const float v = f(x[i + j]);
            lane[j] = v > lane[j] ? v : lane[j];
            nan[j] |= v != v;
        }
    float result = -INFINITY;
    int found = 0;
    for (; i < n; ++i) {
        const float v = f(x[i]);
        result = v > result ? v : result;
        found |= v != v;
    }
    for (int j = 0; j < 64; ++j) {
        result = lane[j] > result ? lane[j] : result;
        found |= nan[j];
    }
    return found ? NAN : result;
}

template <class F>
__attribute__((noinline)) void columns(const float *x, std::int64_t rows, std::int64_t width, double *acc, F f)
{
    for (std::int64_t j = 0; j < width; ++j) acc[j] = 0;
    for (std::int64_t r = 0; r < rows; ++r)
#pragma GCC ivdep
        for (std::int64_t j = 0; j < width; ++j) acc[j] += static_cast<double>(f(x[r * width + j]));
}

template <class Body>
void runLoop(benchmark::State &state, Body body)
{
    Tensor x = Tensor::empty(DType::Float32, {state.range(0)}), y = Tensor::empty(DType::Float32, {state.range(0)});
    for (std::int64_t k = 0; k < state.range(0); ++k) x.as<float>()[k] = y.as<float>()[k] = static_cast<float>(k % 1000) / 500 - 1;
    for (auto _ : state) {
        body(x.as<float>(), y.as<float>(), state.range(0));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
std::int64_t sideOf(std::int64_t n) { return std::lround(std::sqrt(static_cast<double>(n))); }

#define SIZES Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->Arg(10000000)
#define PROGRAM(name, text)                                                                                                                \
    void name##Fused(benchmark::State &s) { runText(s, text, How::Fused); }                                                                \
    void name##Pair(benchmark::State &s) { runText(s, text, How::Pair); }                                                                  \
    void name##FusedTier0(benchmark::State &s) { runText(s, text, How::FusedTier0); }                                                      \
    void name##PairTier0(benchmark::State &s) { runText(s, text, How::PairTier0); }                                                        \
    BENCHMARK(name##Fused)->SIZES;                                                                                                         \
    BENCHMARK(name##Pair)->SIZES;                                                                                                          \
    BENCHMARK(name##FusedTier0)->SIZES;                                                                                                    \
    BENCHMARK(name##PairTier0)->SIZES
#define LOOP(name, ...)                                                                                                                    \
    void name##Loop(benchmark::State &s)                                                                                                   \
    {                                                                                                                                      \
        runLoop(s, [](const float *x, const float *y, std::int64_t n) { __VA_ARGS__; });                                                   \
    }                                                                                                                                      \
    BENCHMARK(name##Loop)->SIZES

PROGRAM(squares, "x: fvector; y: fvector; sum((x - y) ** 2)");
LOOP(squares, benchmark::DoNotOptimize(lanes(x, y, n, [](float a, float b) { return (a - b) * (a - b); })));
PROGRAM(absolute, "x: fvector; max(abs(x))");
LOOP(absolute, (void)y; benchmark::DoNotOptimize(largest(x, n, [](float a) { return std::fabs(a); })));
PROGRAM(powers, "x: fvector; y: fvector; sum(exp(x) * y)");
PROGRAM(rowSquares, "x: fmatrix; y: fmatrix; sum((x - y) ** 2, axis=1)");
LOOP(rowSquares, for (std::int64_t r = 0, side = sideOf(n); r < side; ++r)
                     benchmark::DoNotOptimize(lanes(x + r * side, y + r * side, side, [](float a, float b) { return (a - b) * (a - b); })));
PROGRAM(columnSquares, "x: fmatrix; sum(x ** 2, axis=0)");
LOOP(columnSquares, (void)y; static std::vector<double> acc(4096);
     columns(x, sideOf(n), sideOf(n), acc.data(), [](float a) { return a * a; }); benchmark::DoNotOptimize(acc.data()));
PROGRAM(spread, "x: fmatrix; m: frow; sum((x - m) ** 2)");
PROGRAM(entropy, "z: fvector; y: fvector; mean(-y * log(sigmoid(z)) - (1 - y) * log(1 - sigmoid(z)))");

} // namespace
