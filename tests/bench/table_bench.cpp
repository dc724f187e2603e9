// The bounds that the engine promises to keep on the CPU, one ratio a row: what a compiled function takes from C++, outputs
// reused, over the same work written out by hand (limit_loops), both on one thread, in turns. `--compile` is for the program
// itself: it measures one compile in a fresh process.
#include "engine/compile/function/function.h"
#include "engine/device/cpu/blas.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/runtime/plan/threads.h"
#include "tests/bench/apply_alone.h"
#include "tests/bench/limit_loops.h"

#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>

using namespace engine;

namespace {

using Clock = std::chrono::steady_clock;
using Action = std::function<void()>;

double secondsOf(const Action &action, long times)
{
    const auto start = Clock::now();
    for (long i = 0; i < times; ++i) action();
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(times);
}

long batchOf(const Action &action)
{
    long times = 1;
    while (secondsOf(action, times) * static_cast<double>(times) < 1.5e-3 && times < 1 << 24) times *= 2;
    return times;
}

struct Measured {
    double least = 0, median = 0;
};

Measured summary(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return {times.front(), times[times.size() / 2]};
}

// Both sides in turns, so that a busy neighbour hits both.
void compare(const std::string &name, double bound, const Action &ours, const Action &limit, double &limitSeconds)
{
    constexpr int kRounds = 15;
    ours(), limit();
    const long ourBatch = batchOf(ours), limitBatch = batchOf(limit);
    std::vector<double> our, written;
    for (int round = 0; round < kRounds; ++round) {
        our.push_back(secondsOf(ours, ourBatch));
        written.push_back(secondsOf(limit, limitBatch));
    }
    const Measured a = summary(our), b = summary(written);
    limitSeconds = b.least;
    std::printf("%-46s %11.2f %11.2f %7.2f %7.2f  <= %-4g %s\n", name.c_str(), a.least * 1e6, b.least * 1e6, a.least / b.least,
                a.median / b.median, bound, a.least <= bound * b.least ? "" : "MISSED");
    std::fflush(stdout);
}

void compare(const std::string &name, double bound, const Action &ours, const Action &limit)
{
    double ignored = 0;
    compare(name, bound, ours, limit, ignored);
}

void against(const std::string &name, double boundMicroseconds, const Action &ours)
{
    ours();
    const long batch = batchOf(ours);
    std::vector<double> times;
    for (int round = 0; round < 15; ++round) times.push_back(secondsOf(ours, batch));
    const Measured m = summary(times);
    std::printf("%-46s %11.3f %11.3f %7.2f %7.2f  <= 1    %s\n", name.c_str(), m.least * 1e6, boundMicroseconds,
                m.least * 1e6 / boundMicroseconds, m.median * 1e6 / boundMicroseconds, m.least * 1e6 <= boundMicroseconds ? "" : "MISSED");
    std::fflush(stdout);
}

void head(const char *what, const char *expected)
{
    std::printf("\n%s\nexpected: %s\n%-46s %11s %11s %7s %7s\n", what, expected, "", "croton us", "limit us", "least", "median");
}

Tensor numbers(const Dims &shape, double scale = 1)
{
    Tensor result = Tensor::empty(DType::Float32, shape);
    for (std::int64_t i = 0; i < result.size(); ++i)
        result.as<float>()[i] = static_cast<float>(scale * static_cast<double>((i * 7919 + i / 13) % 2001 - 1000) / 1000);
    return result;
}

// Somewhere inside a cache line, as NumPy's arrays lie.
Tensor offLine(const Tensor &from)
{
    const Tensor wide = Tensor::empty(DType::Float32, {from.size() + 16});
    float *start = wide.as<float>() + 4;
    std::copy(from.as<float>(), from.as<float>() + from.size(), start);
    return Tensor(DType::Float32, from.shape(), from.strides(), start, wide.storage());
}

VarRef held(Tensor value, const char *name)
{
    const Type type = Type::ofRank(value.dtype(), value.rank());
    return Variable::shared(std::make_shared<Container>(Value(std::move(value))), type, name);
}

VarRef number(double value) { return constantOf(DType::Float32, value); }

std::shared_ptr<Function> compiled(FunctionSpec spec)
{
    spec.mode.name = "FAST_RUN";
    return Function::compile(std::move(spec));
}

// A function on its inputs, its kernels compiled; outputs are let go before the next call takes the same memory.
class Call {
public:
    Call(std::shared_ptr<Function> function, std::vector<Tensor> inputs) : m_function(std::move(function)), m_inputs(std::move(inputs))
    {
        for (const Tensor &input : m_inputs) m_views.push_back(input.view());
        (*this)();
        m_function->compileKernels();
    }
    void operator()() { m_function->callViews(m_views, m_outputs); }
    const std::vector<Tensor> &outputs() const { return m_outputs; }

private:
    std::shared_ptr<Function> m_function;
    std::vector<Tensor> m_inputs;
    std::vector<View> m_views;
    std::vector<Tensor> m_outputs;
};

constexpr std::int64_t kRows = 400, kFeatures = 784;

std::shared_ptr<Function> training(bool onePass, bool profiled = false)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), y = Variable::input(Type::ofRank(DType::Float32, 1), "y");
    const VarRef w = held(numbers({kFeatures}, 0.01), "w"), b = held(Tensor::zeros(DType::Float32, {}), "b");
    const VarRef p = trueDiv(number(1), add(number(1), exp(sub(neg(dot(x, w)), b))));
    const VarRef entropy = sub(mul(neg(y), log(p)), mul(sub(number(1), y), log(sub(number(1), p))));
    const VarRef cost = add(mean(entropy), mul(number(0.01), sum(sqr(w))));
    const VarRef wrt[] = {w, b};
    const auto g = grad(cost, wrt);
    FunctionSpec spec;
    spec.inputs = {{x}, {y}};
    spec.outputs = {elementwise(ScalarCode::Gt, {p, number(0.5)}), entropy};
    spec.updates = {{w, sub(w, mul(number(0.1), g[0]))}, {b, sub(b, mul(number(0.1), g[1]))}};
    spec.profile = profiled;
    if (!onePass) spec.mode.excluding.push_back("one_pass_over_rows");
    return compiled(std::move(spec));
}

void logisticRows()
{
    head("Logistic regression, a step on 400x784 float32",
         "1.2 both ways: two products at the speed of the second cache, and about 3 us of everything else");
    const Tensor x = numbers({kRows, kFeatures}), away = offLine(x), y = Tensor::empty(DType::Float32, {kRows});
    for (std::int64_t i = 0; i < kRows; ++i) y.as<float>()[i] = static_cast<float>(i % 2);
    Tensor w = numbers({kFeatures}, 0.01), b = Tensor::zeros(DType::Float32, {}), prediction = Tensor::empty(DType::Bool, {kRows});
    Tensor scratch[4];
    for (Tensor &s : scratch) s = Tensor::empty(DType::Float32, {1024});
    limits::Logistic step{kRows,
                          kFeatures,
                          x.as<float>(),
                          y.as<float>(),
                          w.as<float>(),
                          b.as<float>(),
                          prediction.as<unsigned char>(),
                          scratch[0].as<float>(),
                          scratch[1].as<float>(),
                          scratch[2].as<float>(),
                          scratch[3].as<float>()};
    Call without(training(false), {x, y}), with(training(true), {x, y}), elsewhere(training(true), {away, y});
    compare(
        "without the schedule group / two passes", 1.3, [&] { without(); }, [&] { limits::logisticTwoPasses(step); });
    compare(
        "with it / one pass", 1.3, [&] { with(); }, [&] { limits::logisticOnePass(step); });
    compare(
        "x 16 bytes off a cache line / one pass on it", 1.6, [&] { elsewhere(); }, [&] { limits::logisticOnePass(step); });
}

// Where the time of a step goes, apply by apply; not part of the table.
void logisticApplies()
{
    const auto function = training(true, true);
    Call step(function, {numbers({kRows, kFeatures}), Tensor::full(DType::Float32, {kRows}, 1)});
    for (int i = 0; i < 1000; ++i) step();
    function->statistics().beginSteadyState();
    const double whole = secondsOf([&] { step(); }, 20000) * 1e6;
    double inside = 0;
    function->statistics().settle();
    for (std::size_t i = 0; i < function->order().size(); ++i) {
        const auto &counters = function->statistics().steady[FunctionStatistics::counterOf(i, function->tiers()[i])];
        const double spent = static_cast<double>(counters.ticks.get()) /
                             static_cast<double>(std::max<std::uint64_t>(counters.calls.get(), 1)) / ticksPerSecond() * 1e6;
        inside += spent;
        std::printf("%8.3f us  %-12s %s\n", spent, nameOf(function->tiers()[i]),
                    function->graph().apply(function->order()[i]).op->name().c_str());
    }
    std::printf("%8.3f us  in applies, %.3f us a call\n", inside, whole);
}

int (*g_sgemm)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float *, std::int64_t, const float *, std::int64_t, float,
               float *, std::int64_t) = nullptr;

void byOneDnn(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a, std::int64_t lda,
              const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc)
{
    g_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void byBlas(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a, std::int64_t lda, const float *b,
            std::int64_t ldb, float beta, float *c, std::int64_t ldc)
{
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, int(m), int(n), int(k), alpha, a, int(lda),
                b, int(ldb), beta, c, int(ldc));
}

void perceptronRows()
{
    head("Perceptron, a step on 60x784 - 500 tanh - 10 softmax, float32",
         "1.05: nine tenths of it are two big products that both sides have the same library do");
    constexpr std::int64_t batch = 60, hidden = 500, classes = 10;
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), y = Variable::input(Type::ofRank(DType::Int32, 1), "y");
    const VarRef w1 = held(numbers({kFeatures, hidden}, 0.05), "w1"), b1 = held(Tensor::zeros(DType::Float32, {hidden}), "b1");
    const VarRef w2 = held(numbers({hidden, classes}, 0.05), "w2"), b2 = held(Tensor::zeros(DType::Float32, {classes}), "b2");
    const VarRef h = elementwise(ScalarCode::Tanh, {add(dot(x, w1), dimshuffle(b1, {DimShuffle::kNewAxis, 0}))});
    const VarRef p = softmax(add(dot(h, w2), dimshuffle(b2, {DimShuffle::kNewAxis, 0})));
    const VarRef cost = mean(categoricalCrossentropy(p, y));
    const VarRef wrt[] = {w1, b1, w2, b2};
    const auto g = grad(cost, wrt);
    FunctionSpec spec;
    spec.inputs = {{x}, {y}};
    spec.outputs = {cost};
    for (std::size_t i = 0; i < g.size(); ++i) spec.updates.push_back({wrt[i], sub(wrt[i], mul(number(0.01), g[i]))});

    const Tensor image = numbers({batch, kFeatures}), label = Tensor::empty(DType::Int32, {batch});
    for (std::int64_t i = 0; i < batch; ++i) label.as<std::int32_t>()[i] = static_cast<std::int32_t>(i % classes);
    const Tensor lw1 = numbers({kFeatures, hidden}, 0.05), lb1 = Tensor::zeros(DType::Float32, {hidden}),
                 lw2 = numbers({hidden, classes}, 0.05), lb2 = Tensor::zeros(DType::Float32, {classes}),
                 s1 = Tensor::empty(DType::Float32, {batch, hidden}), s2 = Tensor::empty(DType::Float32, {batch, classes}),
                 s3 = Tensor::empty(DType::Float32, {batch, hidden});
    const limits::Perceptron net{
        batch,           kFeatures,       hidden,          classes,         image.as<float>(), label.as<std::int32_t>(),
        lw1.as<float>(), lb1.as<float>(), lw2.as<float>(), lb2.as<float>(), s1.as<float>(),    s2.as<float>(),
        s3.as<float>()};
    limits::Gemm gemm = byBlas;
    if (void *library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL))
        if (void *found = dlsym(library, "dnnl_sgemm"); found && blas().core == "SkylakeX") {
            std::memcpy(&g_sgemm, &found, sizeof found);
            if (secondsOf([&] { limits::perceptronStep(net, byOneDnn); }, 20) > 0 &&
                secondsOf([&] { limits::perceptronStep(net, byOneDnn); }, 200) <
                    secondsOf([&] { limits::perceptronStep(net, byBlas); }, 200))
                gemm = byOneDnn;
        }
    Call train(compiled(std::move(spec)), {image, label});
    compare(
        gemm == byOneDnn ? "a step / oneDNN's products" : "a step / OpenBLAS's products", 1.25, [&] { train(); },
        [&] { limits::perceptronStep(net, gemm); });
}

std::string sized(const char *name, std::int64_t n)
{
    std::string text = std::to_string(n);
    if (n >= 1000 && n % 1000 == 0) text = n % 1000000 == 0 ? std::to_string(n / 1000000) + "e6" : std::to_string(n / 1000) + "e3";
    return std::string(name) + ", " + text;
}

void elementwiseRows()
{
    head("Elementwise, float32",
         "0.9 to 1.1; at 1e3 up to 1.2, where the step into a kernel shows. Each is the apply alone; calls are measured below");
    const VarRef a = Variable::input(Type::ofRank(DType::Float32, 1), "a"), b = Variable::input(Type::ofRank(DType::Float32, 1), "b"),
                 c = Variable::input(Type::ofRank(DType::Float32, 1), "c");
    const auto function = [](std::vector<VarRef> inputs, VarRef output) {
        FunctionSpec spec;
        for (VarRef &input : inputs) spec.inputs.push_back({std::move(input)});
        spec.outputs = {std::move(output)};
        return compiled(std::move(spec));
    };
    const auto exponent = function({a}, exp(a));
    const auto squares = function({a, b}, add(add(sqr(a), sqr(b)), mul(mul(number(2), a), b)));
    const auto combination = function({a, b}, add(mul(number(2), a), mul(number(3), b)));
    const auto ten = function({a, b, c}, add(add(mul(add(mul(a, b), c), sub(a, b)), trueDiv(sub(mul(c, c), a), number(2))), mul(b, a)));
    for (std::int64_t n : {1000, 10000, 100000, 230400, 1000000, 10000000}) {
        const Tensor x = numbers({n}), y = numbers({n}, 0.5), z = numbers({n}, 0.25), out = Tensor::empty(DType::Float32, {n});
        const float *p = x.as<float>(), *q = y.as<float>(), *r = z.as<float>();
        float *to = out.as<float>();
        ApplyAlone one(exponent, {x}), two(squares, {x, y}), three(combination, {x, y}), four(ten, {x, y, z});
        compare(
            sized("exp(a)", n), 1.2, [&] { one(); }, [&] { limits::exponential(p, to, n); });
        compare(
            sized("a**2 + b**2 + 2*a*b", n), 1.2, [&] { two(); }, [&] { limits::squares(p, q, to, n); });
        compare(
            sized("2*a + 3*b", n), 1.2, [&] { three(); }, [&] { limits::combination(p, q, to, n); });
        compare(
            sized("ten operations", n), 1.2, [&] { four(); }, [&] { limits::tenOperations(p, q, r, to, n); });
    }
}

// Not part of the table: what the threads of this machine gain, and that small work does not pay for them.
void threadRows()
{
    const int most = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
    std::printf("%-46s %11s %11s %7s\n", "", "1 thread us", "all us", "ratio");
    const VarRef a = Variable::input(Type::ofRank(DType::Float32, 1), "a"), m = Variable::input(Type::ofRank(DType::Float32, 2), "m");
    const auto build = [](const VarRef &input, VarRef output) {
        FunctionSpec spec;
        spec.inputs = {{input}};
        spec.outputs = {std::move(output)};
        return compiled(std::move(spec));
    };
    const auto row = [&](const std::string &name, Call &call) {
        setThreads(1);
        const long batch = batchOf([&] { call(); });
        double alone = 1e9, shared = 1e9;
        for (int round = 0; round < 15; ++round) {
            setThreads(1);
            alone = std::min(alone, secondsOf([&] { call(); }, batch));
            setThreads(most);
            shared = std::min(shared, secondsOf([&] { call(); }, batch));
        }
        setThreads(1);
        std::printf("%-46s %11.2f %11.2f %7.2f\n", name.c_str(), alone * 1e6, shared * 1e6, shared / alone);
        std::fflush(stdout);
    };
    const auto cheap = build(a, add(mul(number(2), a), number(3)));
    const auto dear = build(a, elementwise(ScalarCode::Tanh, {add(exp(a), a)}));
    const auto total = build(a, sum(a)), rows = build(m, softmax(m)), product = build(m, dot(m, m));
    for (std::int64_t n : {10000, 100000, 200000, 400000, 1000000, 10000000}) {
        const Tensor x = numbers({n});
        Call one(cheap, {x}), two(dear, {x}), three(total, {x});
        row(sized("2*a + 3", n), one);
        row(sized("tanh(exp(a) + a)", n), two);
        row(sized("sum(a)", n), three);
    }
    for (std::int64_t n : {100, 300, 1000}) {
        const Tensor x = numbers({n, n}, 0.01);
        Call one(rows, {x}), two(product, {x});
        row(sized("softmax, n x n", n), one);
        row(sized("dot, n x n", n), two);
    }
}

void reductionRows()
{
    head("Reductions, float32 (sums in float64)", "0.9 to 1.1; softmax of short rows well under the loop, which cannot use vectors there");
    volatile double keep = 0;
    const auto function = [](int rank, const std::function<VarRef(const VarRef &)> &build) {
        const VarRef x = Variable::input(Type::ofRank(DType::Float32, rank), "x");
        FunctionSpec spec;
        spec.inputs = {{x}};
        spec.outputs = {build(x)};
        return compiled(std::move(spec));
    };
    const auto total = function(1, [](const VarRef &x) { return sum(x); });
    const auto place = function(1, [](const VarRef &x) { return argmax(x); });
    const auto rows = function(2, [](const VarRef &x) { return softmax(x); });
    for (std::int64_t n : {1000, 65536, 1000000, 16000000}) {
        const Tensor x = numbers({n});
        const float *p = x.as<float>();
        ApplyAlone ours(total, {x});
        Call where(place, {x});
        compare(
            sized("sum", n), 1.3, [&] { ours(); }, [&] { keep = limits::sum(p, n); });
        compare(
            sized("argmax", n), 1.3, [&] { where(); }, [&] { keep = static_cast<double>(limits::argmax(p, n)); });
    }
    const Tensor x = numbers({60, 10}), out = Tensor::empty(DType::Float32, {60, 10});
    Call ours(rows, {x});
    compare(
        "softmax 60x10", 1.3, [&] { ours(); }, [&] { limits::softmax(x.as<float>(), out.as<float>(), 60, 10); });
}

// Reductions of rows and what is done to the rows.
void rowRows()
{
    constexpr std::int64_t kRows = 1000, kColumns = 1000;
    head("Rows of 1000x1000, float32 (sums in float64)", "1.0 to 1.15");
    const Tensor data = numbers({kRows, kColumns}), other = numbers({kRows, kColumns}, 0.5), line = numbers({kColumns}),
                 out = Tensor::empty(DType::Float32, {kRows, kColumns}), column = Tensor::empty(DType::Float32, {kRows}),
                 chances = Tensor::empty(DType::Float32, {kRows, kColumns});
    const float *a = data.as<float>(), *b = other.as<float>(), *v = line.as<float>();
    float *to = out.as<float>();
    const std::vector<int> along{1};
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), g = Variable::input(Type::ofRank(DType::Float32, 2), "g"),
                 w = Variable::input(Type::ofRank(DType::Float32, 1), "w");
    const VarRef gain = dimshuffle(w, {DimShuffle::kNewAxis, 0}), least = constantOf(DType::Float32, 1e-5);
    const auto root = [](const VarRef &v) { return elementwise(ScalarCode::Sqrt, {v}); };
    const auto powers = [](const VarRef &v) { return elementwise(ScalarCode::Exp, {v}); };
    const VarRef top = reduce(ReduceKind::Max, x, along, true), centred = sub(x, mean(x, along, true));
    const VarRef normal = trueDiv(centred, root(add(mean(mul(centred, centred), along, true), least)));
    const VarRef shifted = powers(sub(x, top));
    const VarRef wrt[] = {x};
    const auto row = [&](const char *name, const VarRef &result, std::vector<std::pair<VarRef, Tensor>> inputs, const Action &limit) {
        FunctionSpec spec;
        std::vector<Tensor> arrays;
        for (auto &[variable, tensor] : inputs) spec.inputs.push_back({variable}), arrays.push_back(tensor);
        spec.outputs = {result};
        const auto function = compiled(std::move(spec));
        Call ours(function, arrays);
        compare(
            name, 1.15, [&] { ours(); }, limit);
    };
    row("softmax", softmax(x), {{x, data}}, [&] { limits::softmax(a, to, kRows, kColumns); });
    row("softmax by hand", trueDiv(shifted, sum(shifted, along, true)), {{x, data}}, [&] { limits::softmax(a, to, kRows, kColumns); });
    row("gradient of a softmax", grad(sum(mul(softmax(x), g)), wrt)[0], {{x, data}, {g, other}}, [&] {
        limits::softmax(a, chances.as<float>(), kRows, kColumns);
        limits::softmaxGradient(b, chances.as<float>(), to, kRows, kColumns);
    });
    row("log of sums of exponentials", add(elementwise(ScalarCode::Log, {sum(shifted, along, true)}), top), {{x, data}},
        [&] { limits::logSumExp(a, column.as<float>(), to, kRows, kColumns); });
    row("layer normalisation", add(mul(normal, gain), gain), {{x, data}, {w, line}},
        [&] { limits::layerNorm(a, v, v, to, kRows, kColumns); });
    row("its gradient", grad(sum(mul(normal, g)), wrt)[0], {{x, data}, {g, other}},
        [&] { limits::layerNormGradient(a, b, to, kRows, kColumns); });
    const VarRef byRoot = trueDiv(x, root(add(mean(mul(x, x), along, true), least)));
    row("root mean square normalisation", mul(byRoot, gain), {{x, data}, {w, line}},
        [&] { limits::rootMeanSquareNorm(a, v, to, kRows, kColumns); });
    row("its gradient", grad(sum(mul(byRoot, g)), wrt)[0], {{x, data}, {g, other}},
        [&] { limits::rootMeanSquareGradient(a, b, to, kRows, kColumns); });
    row("standardisation", normal, {{x, data}}, [&] { limits::standardised(a, to, kRows, kColumns); });
    row("log-softmax", logSoftmax(x), {{x, data}}, [&] { limits::logSoftmax(a, to, kRows, kColumns); });
    row("its gradient", grad(sum(mul(logSoftmax(x), g)), wrt)[0], {{x, data}, {g, other}},
        [&] { limits::logSoftmaxGradient(a, b, to, kRows, kColumns); });
    row("cross-entropy of soft targets", neg(sum(mul(logSoftmax(x), g), along)), {{x, data}, {g, other}},
        [&] { limits::crossEntropy(a, b, column.as<float>(), to, kRows, kColumns); });
    const std::vector<int> down{0};
    const VarRef fromMean = sub(x, mean(x, down, true)), spread = root(add(mean(mul(fromMean, fromMean), down, true), least));
    const VarRef unit = trueDiv(fromMean, spread);
    row("batch normalisation (columns)", add(mul(unit, gain), gain), {{x, data}, {w, line}},
        [&] { limits::batchNorm(a, v, v, to, kRows, kColumns); });
    row("its gradient", grad(sum(mul(unit, g)), wrt)[0], {{x, data}, {g, other}},
        [&] { limits::batchNormGradient(a, b, to, kRows, kColumns); });
}

void callRows()
{
    head("A call from C++ (limit: the bound)", "0.17 and 0.5 us");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x"), m = Variable::input(Type::ofRank(DType::Float64, 2), "m");
    FunctionSpec tiny;
    tiny.inputs = {{x}};
    tiny.outputs = {add(x, x)};
    Call one(compiled(std::move(tiny)), {Tensor::full(DType::Float64, {4}, 1)});
    against("one tiny op", 0.2, [&] { one(); });
    VarRef y = m;
    for (int i = 0; i < 20; ++i) y = dot(y, m);
    FunctionSpec chain;
    chain.inputs = {{m}};
    chain.outputs = {y};
    Call twenty(compiled(std::move(chain)), {Tensor::full(DType::Float64, {2, 2}, 0.5)});
    against("20 products of 2x2", 0.6, [&] { twenty(); });
}

// --- compiling, in a process of its own -----------------------------------------------------------------------

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int measureCompile()
{
    const Tensor x = numbers({kRows, kFeatures}), y = Tensor::full(DType::Float32, {kRows}, 1);
    const View inputs[] = {x.view(), y.view()};
    std::vector<Tensor> outputs;
    const auto start = Clock::now();
    const auto train = training(true);
    train->callViews(inputs, outputs);
    const double first = since(start);
    const double rewriting = static_cast<double>(train->times().optimizerNs) * 1e-9;
    const auto settled = [&] {
        const auto kernels = train->kernels();
        return std::all_of(kernels.begin(), kernels.end(), [](const Function::KernelInfo &k) { return k.running; });
    };
    while (!settled() && since(start) < 10) train->callViews(inputs, outputs);
    std::printf("%.3f %.3f %.3f %zu\n", first * 1e3, since(start) * 1e3, rewriting * 1e3, train->kernels().size());
    return 0;
}

void compileRows(const char *self)
{
    head("Compiling `train` (limit: the bound; ms)", "15 until the first result, 120 until compiled code runs, 5 where the cache has it");
    namespace fs = std::filesystem;
    const fs::path directory = fs::temp_directory_path() / ("croton-table-" + std::to_string(getpid()));
    std::vector<double> first, swapped, warm;
    const auto child = [&](double &a, double &b, double &rewriting) {
        const std::string command = "CROTON_CACHE_DIR='" + directory.string() + "' '" + self + "' --compile";
        FILE *pipe = popen(command.c_str(), "r");
        const bool read = pipe && std::fscanf(pipe, "%lf %lf %lf", &a, &b, &rewriting) == 3;
        if (pipe) pclose(pipe);
        return read;
    };
    for (int round = 0; round < 7; ++round) {
        fs::remove_all(directory);
        double a = 0, b = 0, rewriting = 0;
        if (!child(a, b, rewriting)) continue;
        first.push_back(a);
        swapped.push_back(b);
        if (child(a, b, rewriting)) warm.push_back(b - rewriting);
    }
    fs::remove_all(directory);
    const auto row = [](const char *name, double bound, const std::vector<double> &times) {
        if (times.empty()) return;
        const Measured m = summary(times);
        std::printf("%-46s %11.2f %11.2f %7.2f %7.2f  <= 1    %s\n", name, m.least, bound, m.least / bound, m.median / bound,
                    m.median <= bound ? "" : "MISSED");
    };
    row("cold, until the first result (tier 0)", 30, first);
    row("cold, until compiled code runs", 250, swapped);
    row("warm cache, after rewriting", 10, warm);
}

} // namespace

int main(int argc, char **argv)
{
    // oneDNN reads its settings when it is loaded: begin again where they differ from what is compared.
    if (!std::getenv("OMP_NUM_THREADS")) {
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    setThreads(1);
    const std::string wanted = argc > 1 ? argv[1] : "";
    if (wanted == "--compile") return measureCompile();
    std::printf("BLAS core: %s (%s)\n", blas().core.c_str(), blas().library.c_str());
    if (wanted == "applies") return logisticApplies(), 0;
    if (wanted == "threads") return threadRows(), 0;
    const std::pair<const char *, std::function<void()>> parts[] = {
        {"steps", logisticRows},
        {"perceptron", perceptronRows},
        {"elementwise", elementwiseRows},
        {"reductions", reductionRows},
        {"rows", rowRows},
        {"calls", callRows},
        {"compile", [] { compileRows(std::filesystem::read_symlink("/proc/self/exe").c_str()); }}};
    for (const auto &[name, run] : parts)
        if (wanted.empty() || wanted == name) run();
    return 0;
}
