// A training step of logistic regression from C++: in one pass over the rows, in two, and what the two products alone cost.
#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/rt/rt.h"

#include <benchmark/benchmark.h>

#include <cmath>

using namespace engine;

namespace {

Tensor numbers(const Dims &shape)
{
    Tensor result = Tensor::empty(DType::Float32, shape);
    for (std::int64_t i = 0; i < result.size(); ++i) result.as<float>()[i] = static_cast<float>(std::sin(0.1 * static_cast<double>(i)));
    return result;
}

std::shared_ptr<Function> training(bool onePass, std::int64_t features)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 2), "x"), y = Variable::input(Type::ofRank(DType::Float32, 1), "y");
    const auto held = [](Tensor value, const char *name) {
        const Type type = Type::ofRank(value.dtype(), value.rank());
        return Variable::shared(std::make_shared<Container>(Value(std::move(value))), type, name);
    };
    const VarRef w = held(numbers({features}), "w"), b = held(Tensor::zeros(DType::Float32, {}), "b");
    const auto number = [](double value) { return constantOf(DType::Float32, value); };
    const VarRef p = trueDiv(number(1), add(number(1), exp(sub(neg(dot(x, w)), b))));
    const VarRef entropy = sub(mul(neg(y), log(p)), mul(sub(number(1), y), log(sub(number(1), p))));
    const VarRef cost = add(mean(entropy), mul(number(0.01), sum(sqr(w))));
    const VarRef wrt[] = {w, b};
    const auto g = grad(cost, wrt);
    FunctionSpec spec;
    spec.inputs = {{x}, {y}};
    spec.outputs = {elementwise(ScalarCode::Gt, {p, number(0.5)}), entropy};
    spec.updates = {{w, sub(w, mul(number(0.1), g[0]))}, {b, sub(b, mul(number(0.1), g[1]))}};
    spec.mode = Mode::named("FAST_RUN");
    if (!onePass) spec.mode.excluding.push_back("one_pass_over_rows");
    return Function::compile(spec);
}

void steps(benchmark::State &state, bool onePass)
{
    const auto train = training(onePass, state.range(1));
    const Tensor x = numbers({state.range(0), state.range(1)}), y = Tensor::full(DType::Float32, {state.range(0)}, 1);
    const View inputs[] = {x.view(), y.view()};
    std::vector<Tensor> outputs;
    train->callViews(inputs, outputs);
    train->compileKernels();
    for (auto _ : state) train->callViews(inputs, outputs);
    state.SetBytesProcessed(state.iterations() * x.size() * 4);
}

void onePass(benchmark::State &state) { steps(state, true); }
void twoPasses(benchmark::State &state) { steps(state, false); }

void productsAlone(benchmark::State &state)
{
    const std::int64_t rows = state.range(0), features = state.range(1);
    const Tensor x = numbers({rows, features}), w = numbers({features});
    Tensor z = numbers({rows}), g = numbers({features});
    const RtTable *rt = rt_table();
    for (auto _ : state) {
        rt->gemvF32(rows, features, 1, x.as<float>(), features, w.as<float>(), z.as<float>());
        rt->gemvTransposedF32(rows, features, 1e-9f, x.as<float>(), features, z.as<float>(), g.as<float>());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * x.size() * 4);
}

// Down to matrices that the first cache holds, where two passes are as good.
const std::vector<std::vector<std::int64_t>> kSizes = {{16, 32, 48, 64, 100, 400, 4000, 40000}, {100, 784, 3000}};
BENCHMARK(productsAlone)->Args({400, 784})->Args({4000, 784})->Args({40000, 784});
BENCHMARK(twoPasses)->ArgsProduct(kSizes);
BENCHMARK(onePass)->ArgsProduct(kSizes);

} // namespace
