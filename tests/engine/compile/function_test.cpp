// What a compiled function computes: outputs, updates, givens, shapes of every kind, in every mode.
#include "tests/engine/compile/build.h"

#include "engine/compile/request/observer.h"
#include "engine/compile/request/shared_values.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/text/notation.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace build;

namespace {

class InEveryMode : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Modes, InEveryMode, testing::Values("FAST_RUN", "FAST_COMPILE", "None"));

TEST_P(InEveryMode, outputsFollowTheInputs)
{
    const VarRef x = matrix("x"), y = vector("y");
    const auto f = Function::compile(request({x, y}, {add(x, y), sum(mul(x, x), {{0}}), dot(x, y)}, {}, GetParam()));
    const auto out = call(*f, {values({1, 2, 3, 4, 5, 6}, {3, 2}), values({10, 20})});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{11, 22, 13, 24, 15, 26}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{35, 56}));
    EXPECT_EQ(numbers(out[2]), (std::vector<double>{50, 110, 170}));
}

TEST_P(InEveryMode, updatesUseTheValuesFromBeforeTheCall)
{
    const VarRef a = shared(values({1, 2}), "a"), b = shared(values({10, 20}), "b");
    const auto f = Function::compile(request({}, {add(a, b)}, {{a, b}, {b, add(a, number(0.5))}}, GetParam()));
    auto out = call(*f, {});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{11, 22}));
    EXPECT_EQ(numbers(a->container()->value().tensor()), (std::vector<double>{10, 20}));
    EXPECT_EQ(numbers(b->container()->value().tensor()), (std::vector<double>{1.5, 2.5}));
    out = call(*f, {});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{11.5, 22.5}));
    EXPECT_EQ(numbers(a->container()->value().tensor()), (std::vector<double>{1.5, 2.5}));
}

TEST_P(InEveryMode, gradientDescentConverges)
{
    const VarRef w = shared(Tensor::zeros(DType::Float64, {2}), "w"), x = matrix("x"), y = vector("y");
    const VarRef cost = mean(sqr(sub(dot(x, w), y)));
    const VarRef wrt[] = {w};
    const VarRef g = grad(cost, wrt)[0];
    const auto f = Function::compile(request({x, y}, {cost}, {{w, sub(w, mul(number(0.1), g))}}, GetParam()));
    Tensor data = values({1, 0, 0, 1, 1, 1, 2, -1}, {4, 2}), target = values({3, -2, 1, 8});
    double last = 0;
    for (int i = 0; i < 300; ++i) last = call(*f, {data, target})[0].at(0);
    EXPECT_LT(last, 1e-12);
    const std::vector<double> got = numbers(w->container()->value().tensor());
    EXPECT_NEAR(got[0], 3, 1e-6);
    EXPECT_NEAR(got[1], -2, 1e-6);
}

TEST_P(InEveryMode, anArrayMayChangeItsShapeFromCallToCall)
{
    const VarRef x = matrix("x"), s = shared(values({1, 2, 3}), "s");
    const auto f = Function::compile(request({x}, {add(x, s), Variable::constant(Tensor::scalar(DType::Float64, 4))}, {}, GetParam()));
    for (std::int64_t rows : {1, 5, 0, 700, 5}) {
        const auto out = call(*f, {Tensor::full(DType::Float64, {rows, 3}, 1)});
        ASSERT_EQ(out[0].shape(), (Dims{rows, 3}));
        for (std::int64_t i = 0; i < out[0].size(); ++i) ASSERT_EQ(out[0].at(i), 2 + static_cast<double>(i % 3));
        EXPECT_EQ(out[1].at(0), 4);
    }
    s->container()->set(Value(values({1, 1, 1, 1})));
    EXPECT_EQ(call(*f, {Tensor::full(DType::Float64, {2, 4}, 1)})[0].at(7), 2);
}

TEST_P(InEveryMode, stridedInputs)
{
    const VarRef x = matrix("x");
    const auto f = Function::compile(request({x}, {add(x, number(1)), sum(x, {{1}}), dot(x, transpose(x))}, {}, GetParam()));
    const Tensor memory = values({0, 1, 2, 3, 4, 5}, {2, 3});
    const Tensor flipped(DType::Float64, {3, 2}, {8, 24}, memory.data(), memory.storage());
    const Tensor backwards(DType::Float64, {2, 3}, {-24, -8}, memory.as<double>() + 5, memory.storage());
    auto out = call(*f, {flipped});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{3, 5, 7}));
    EXPECT_EQ(numbers(out[2]), (std::vector<double>{9, 12, 15, 12, 17, 22, 15, 22, 29}));
    out = call(*f, {backwards});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{12, 3}));
}

TEST_P(InEveryMode, givensReplaceEverywhereAtOnce)
{
    const VarRef x = vector("x"), y = vector("y"), s = shared(values({5, 6}), "s");
    FunctionSpec spec = request({y}, {add(x, mul(y, y))}, {}, GetParam());
    spec.givens = {{x, add(s, y)}};
    const auto f = Function::compile(std::move(spec));
    EXPECT_EQ(numbers(call(*f, {values({1, 2})})[0]), (std::vector<double>{7, 12}));
}

TEST_P(InEveryMode, sizesFromValues)
{
    const VarRef n = scalar("n", DType::Int64), v = scalar("v");
    const VarRef sizes[] = {n, literal(std::int64_t(2))};
    const auto f = Function::compile(request({n, v}, {alloc(v, sizes)}, {}, GetParam()));
    for (std::int64_t rows : {3, 0, 8}) {
        const auto out = call(*f, {Tensor::scalarInt(DType::Int64, rows), Tensor::scalar(DType::Float64, 7)});
        ASSERT_EQ(out[0].shape(), (Dims{rows, 2}));
        for (double value : numbers(out[0])) ASSERT_EQ(value, 7);
    }
}

TEST_P(InEveryMode, aGraphInsideAnApply)
{
    const VarRef a = vector("a"), b = vector("b");
    const OpRef op = opFromGraph({a, b}, {add(mul(a, b), exp(a)), sub(a, b)}, "inner");
    const VarRef x = vector("x");
    const VarRef args[] = {x, add(x, number(1))};
    const ApplyRef node = Apply::create(op, args);
    const auto f = Function::compile(request({x}, {add(VarRef(node->output(0)), number(1)), VarRef(node->output(1))}, {}, GetParam()));
    const auto out = call(*f, {values({0, 1, 2})});
    EXPECT_NEAR(out[0].at(2), 2 * 3 + std::exp(2) + 1, 1e-12);
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{-1, -1, -1}));
    ASSERT_EQ(f->nested().size(), 1u);
    EXPECT_EQ(f->nested()[0].second->spec().parent->first, f->id());
}

struct DroppedNames : RunObserver {
    std::vector<std::string> names;
    void functionDropped(Function &function) override { names.push_back(function.name()); }
};

// As constant folding and test values do it.
double evaluated(const OpRef &op, double value)
{
    const Value inputs[] = {values({value})};
    Value outputs[1];
    op->performValues(inputs, outputs);
    return outputs[0].tensor().at(0);
}

TEST(GraphInsideAnOp, isEvaluatedByAFunctionThatGoesWithTheOp)
{
    DroppedNames dropped;
    setRunObserver(&dropped);
    {
        const VarRef a = vector("a");
        const OpRef op = opFromGraph({a}, {mul(a, number(3))}, "tripled");
        EXPECT_EQ(evaluated(op, 2), 6);
        EXPECT_EQ(evaluated(op, 5), 15);
        EXPECT_EQ(dropped.names, std::vector<std::string>()) << "made once";
    }
    setRunObserver(nullptr);
    EXPECT_EQ(dropped.names, std::vector<std::string>{"tripled"});
}

TEST(Linkers, sayByTheirNamesWhoExecutes)
{
    for (const char *name : {"cvm", "cvm_nogc", "c|py", "c|py_nogc", "c"}) EXPECT_TRUE(compilesKernels(linkerNamed(name))) << name;
    for (const char *name : {"vm", "vm_nogc", "py"}) EXPECT_FALSE(compilesKernels(linkerNamed(name))) << name;
    EXPECT_EQ(nameOf(linkerNamed("c|py_nogc")), "c|py_nogc");
    EXPECT_THROW(linkerNamed("cvn"), UserError);
}

TEST(Function, concurrentCallsWait)
{
    const VarRef x = vector("x"), s = shared(values({0}), "s");
    const auto f = Function::compile(request({x}, {}, {{s, add(s, sum(x, {}, true))}}));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) call(*f, {Tensor::full(DType::Float64, {10}, 1)});
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(s->container()->value().tensor().at(0), 20000);
    EXPECT_EQ(f->statistics().calls.get(), 2000u);
}

TEST(Function, sharedVariablesMayBeSetWhileFunctionsRun)
{
    // Every value is uniform, so whoever sees two different elements has seen two values.
    const VarRef s = shared(Tensor::full(DType::Float64, {100}, 1), "s");
    const ParsedExpression parsed = parseExpression("w: dvector; max(w) - min(w), w * 0.5");
    FunctionSpec looks = request({}, {parsed.outputs[0]}), updates = request({}, {parsed.outputs[0]}, {{s, parsed.outputs[1]}});
    looks.givens = updates.givens = {{parsed.inputs[0], s}};
    updates.mode.excluding.push_back("inplace");
    const auto step = Function::compile(std::move(updates)), look = Function::compile(std::move(looks));
    std::atomic<int> mixed{0};
    std::vector<std::thread> threads;
    for (Function *function : {step.get(), look.get()})
        threads.emplace_back([&, function] {
            for (int i = 0; i < 400; ++i) mixed += call(*function, {})[0].at(0) != 0;
        });
    threads.emplace_back([&] {
        for (int i = 0; i < 400; ++i) setSharedValue(*s->container(), Value(Tensor::full(DType::Float64, {1 + i * 37 % 5000}, i)));
    });
    threads.emplace_back([&] {
        for (int i = 0; i < 400; ++i) {
            const Value value = sharedValue(*s->container());
            mixed += value.tensor().at(0) != value.tensor().at(value.tensor().size() - 1);
            step->free();
        }
    });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(mixed, 0);
}

TEST(Function, aValueThatIsHeldStaysWhenAnotherIsSet)
{
    const VarRef s = shared(values({1, 2}), "s"), x = vector("x");
    const auto f = Function::compile(request({x}, {}, {{s, add(s, x)}}));
    call(*f, {values({1, 1})});
    EXPECT_EQ(numbers(s->container()->value().tensor()), (std::vector<double>{2, 3}));
    const Value before = s->container()->value();
    s->container()->set(Value(values({10, 10, 10})));
    EXPECT_EQ(numbers(before.tensor()), (std::vector<double>{2, 3}));
    call(*f, {values({1, 1, 1})});
    EXPECT_EQ(numbers(s->container()->value().tensor()), (std::vector<double>{11, 11, 11}));
    EXPECT_EQ(numbers(before.tensor()), (std::vector<double>{2, 3}));
}

TEST(Function, profilesEveryApply)
{
    const VarRef x = vector("x");
    FunctionSpec spec = request({x}, {sum(exp(x))});
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    for (int i = 0; i < 3; ++i) call(*f, {Tensor::full(DType::Float64, {1000}, 1)});
    ASSERT_EQ(f->statistics().applyCount, f->order().size());
    const auto totals = f->statistics().totals(); // while all of it waits to be counted
    f->statistics().settle();
    EXPECT_EQ(f->statistics().totals(), totals);
    for (std::size_t i = 0; i < f->order().size(); ++i) {
        EXPECT_EQ(totals.at(i).first, 3u);
        EXPECT_GT(totals[i].second, 0u);
        for (const Tier tier : {Tier::Interpreter, Tier::Compiled, Tier::Library}) {
            const ApplyCounters &counters = f->statistics().steady[FunctionStatistics::counterOf(i, tier)];
            if (counters.calls.get() == 0) continue;
            EXPECT_LE(counters.minTicks.get(), counters.maxTicks.get());
            const double count = static_cast<double>(counters.calls.get()), sum = static_cast<double>(counters.ticks.get());
            EXPECT_GE(counters.squares.load() * count, sum * sum * 0.999);
            std::uint64_t histogram = 0;
            counters.visitClasses([&](unsigned, std::uint32_t count) { histogram += count; });
            EXPECT_EQ(histogram, counters.calls.get());
        }
    }
}

TEST(Function, keepsTheWarmUpApart)
{
    const VarRef x = vector("x");
    FunctionSpec spec = request({x}, {sum(exp(x))});
    spec.profile = true;
    spec.mode = Mode::named("FAST_COMPILE");
    const auto f = Function::compile(std::move(spec));
    f->statistics().warmUpCalls = 4;
    for (int i = 0; i < 10; ++i) call(*f, {Tensor::full(DType::Float64, {1000}, 1)});
    EXPECT_EQ(f->statistics().lastSwap.get(), 4u);
    f->statistics().settle();
    for (std::size_t i = 0; i < f->order().size(); ++i) {
        std::uint64_t warm = 0, steady = 0;
        for (const Tier tier : {Tier::Interpreter, Tier::Compiled, Tier::Library}) {
            warm += f->statistics().warmUp[FunctionStatistics::counterOf(i, tier)].calls.get();
            steady += f->statistics().steady[FunctionStatistics::counterOf(i, tier)].calls.get();
        }
        EXPECT_EQ(warm, 4u);
        EXPECT_EQ(steady, 6u);
    }
}

TEST(Function, tracesTheCallThatWasAskedFor)
{
    const VarRef x = vector("x");
    FunctionSpec spec = request({x}, {sum(exp(x))});
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    f->statistics().trace.nextCall = 2;
    for (int i = 0; i < 4; ++i) {
        call(*f, {Tensor::full(DType::Float64, {1000}, 1)});
        const CallTrace &trace = f->statistics().trace;
        ASSERT_EQ(trace.ticks.size(), i == 2 ? f->order().size() + 1 : 0u) << i;
        EXPECT_TRUE(std::is_sorted(trace.ticks.begin(), trace.ticks.end()));
    }
    EXPECT_GE(f->statistics().callPeakBytes, 8u);
    EXPECT_EQ(f->statistics().planSerial, 1u);
}

TEST(TickHistogram, classesFollowOneAnother)
{
    std::uint64_t last = 0;
    for (unsigned i = 1; i < TickHistogram::kClasses; ++i) {
        const std::uint64_t start = TickHistogram::startOf(i);
        EXPECT_GT(start, last);
        EXPECT_EQ(TickHistogram::classOf(start), i);
        EXPECT_EQ(TickHistogram::classOf(start - 1), i - 1);
        EXPECT_LE(static_cast<double>(start), static_cast<double>(last) * 1.07 + 1);
        last = start;
    }
    EXPECT_EQ(TickHistogram::classOf(~std::uint64_t(0)), TickHistogram::kClasses - 1);
}

} // namespace
