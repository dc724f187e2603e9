// A call takes no more than its budget, gives the same bits, and the journal tells how.
#include "engine/gradient/gradient.h"
#include "engine/runtime/plan/order.h"
#include "tests/engine/compile/build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

using namespace build;

namespace {

VarRef tanh(const VarRef &x) { return elementwise(ScalarCode::Tanh, {x}); }
VarRef sigmoid(const VarRef &x) { return elementwise(ScalarCode::Sigmoid, {x}); }

struct Program {
    std::vector<VarRef> inputs, outputs;
};

// Layers by chance, forwards and back: what was made early is read again late.
Program randomProgram(unsigned seed)
{
    std::mt19937 random(seed);
    Program program{{matrix("x"), matrix("w")}, {}};
    std::vector<VarRef> values{tanh(dot(program.inputs[0], program.inputs[1]))};
    const auto any = [&] { return values[random() % values.size()]; };
    for (int layer = 0; layer < 6; ++layer) {
        switch (random() % 5) {
        case 0: values.push_back(tanh(dot(values.back(), program.inputs[1]))); break;
        case 1: values.push_back(exp(neg(sqr(any())))); break;
        case 2: values.push_back(mul(any(), values.back())); break;
        case 3: values.push_back(transpose(transpose(add(any(), values.back())))); break;
        default: values.push_back(sigmoid(dot(any(), program.inputs[1]))); break;
        }
    }
    const VarRef cost = sum(sqr(values.back()));
    program.outputs = grad(cost, program.inputs);
    program.outputs.push_back(cost);
    return program;
}

Tensor filled(std::int64_t rows, std::int64_t columns, unsigned seed)
{
    std::mt19937 random(seed);
    Tensor result = Tensor::empty(DType::Float64, {rows, columns});
    for (std::int64_t i = 0; i < result.size(); ++i) result.as<double>()[i] = static_cast<double>(random() % 1000) / 1000 - 0.5;
    return result;
}

struct Ran {
    std::vector<Tensor> outputs;
    std::size_t peak = 0;
    std::shared_ptr<Function> function;
};

Ran run(const Program &program, std::int64_t budget, std::int64_t rows = 90, const char *mode = "FAST_RUN")
{
    FunctionSpec spec = request(program.inputs, program.outputs, {}, mode);
    spec.mode.memoryBudget = budget;
    spec.onUnusedInput = OnUnusedInput::Ignore;
    spec.profile = true;
    Ran ran;
    ran.function = Function::compile(std::move(spec));
    for (int calls = 0; calls < 2; ++calls) {
        ran.outputs = call(*ran.function, {filled(rows, 64, 1), filled(64, 64, 2)});
        ran.peak = std::max(ran.peak, ran.function->statistics().callPeakBytes);
    }
    return ran;
}

void expectSameBits(const Ran &a, const Ran &b, unsigned seed)
{
    ASSERT_EQ(a.outputs.size(), b.outputs.size());
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        ASSERT_EQ(a.outputs[i].bytes(), b.outputs[i].bytes());
        EXPECT_EQ(std::memcmp(a.outputs[i].data(), b.outputs[i].data(), a.outputs[i].bytes()), 0) << "graph " << seed << ", output " << i;
    }
}

TEST(Budget, IsKeptByTheAllocatorAndGivesTheSameBits)
{
    int kept = 0, repeated = 0, refused = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Program program = randomProgram(seed);
        const Ran free = run(program, kNoMemoryBudget);
        for (const double share : {0.95, 0.85, 0.7, 0.4}) {
            const auto budget = static_cast<std::int64_t>(share * static_cast<double>(free.peak));
            try {
                const Ran bound = run(program, budget);
                EXPECT_LE(bound.peak, static_cast<std::size_t>(budget)) << "graph " << seed;
                expectSameBits(free, bound, seed);
                ++kept;
                repeated += bound.function->graph().liveApplyCount() > free.function->graph().liveApplyCount();
            } catch (const OutOfBudget &error) {
                ++refused;
                // What it says is enough, is.
                const std::string hint = error.hint();
                const auto least = std::stoll(hint.substr(std::string("memory_budget=").size()));
                EXPECT_GT(least, budget);
                const Ran bound = run(program, least);
                EXPECT_LE(bound.peak, static_cast<std::size_t>(least));
                expectSameBits(free, bound, seed);
            }
        }
    }
    EXPECT_GT(kept, 5);
    EXPECT_GT(repeated, 0);
    EXPECT_GT(refused, 2);
}

TEST(Budget, TheOrderOfLeastPeakRepeatsNothing)
{
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Program program = randomProgram(seed);
        const Ran free = run(program, kNoMemoryBudget), ordered = run(program, kLeastPeakOrder), least = run(program, kLeastMemory);
        EXPECT_EQ(ordered.function->graph().liveApplyCount(), free.function->graph().liveApplyCount());
        EXPECT_LE(ordered.peak, free.peak);
        EXPECT_LE(least.peak, ordered.peak);
        expectSameBits(free, ordered, seed);
        expectSameBits(free, least, seed);
    }
}

TEST(Budget, TheJournalTellsWhatIsComputedAgain)
{
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Program program = randomProgram(seed);
        const Ran least = run(program, kLeastMemory);
        const FunctionGraph &graph = least.function->graph();
        std::size_t steps = 0;
        for (const Step &step : graph.journal().steps) {
            if (step.phase != "schedule" || step.rewrite != "recompute") continue;
            ++steps;
            EXPECT_FALSE(graph.journal().region(step).empty());
            EXPECT_FALSE(graph.journal().produced(step).empty());
            for (ApplyId again : graph.journal().produced(step)) EXPECT_FALSE(least.function->lineage().origins[raw(again)].empty());
        }
        EXPECT_EQ(steps > 0, graph.liveApplyCount() > run(program, kNoMemoryBudget).function->graph().liveApplyCount());
        EXPECT_EQ(executionOrder(graph), std::vector<ApplyId>(least.function->order().begin(), least.function->order().end()));
        EXPECT_EQ(least.function->order().size(), graph.liveApplyCount());
    }
}

// Sizes are known when it is called: a small batch fits as it is, a large one is scheduled then, and counters stay with their applies.
TEST(Budget, LargerArraysAreScheduledWhenTheyCome)
{
    const Program program = randomProgram(0);
    const std::size_t large = run(program, kLeastMemory, 180).peak;
    FunctionSpec spec = request(program.inputs, program.outputs);
    spec.mode.memoryBudget = static_cast<std::int64_t>(large);
    spec.onUnusedInput = OnUnusedInput::Ignore;
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    call(*f, {filled(5, 64, 1), filled(64, 64, 2)});
    EXPECT_TRUE(f->graph().schedule.empty());
    const std::size_t applies = f->order().size();
    for (int calls = 0; calls < 3; ++calls) call(*f, {filled(180, 64, 1), filled(64, 64, 2)});
    EXPECT_LE(f->statistics().callPeakBytes, large);
    EXPECT_GE(f->order().size(), applies);
    const auto totals = f->statistics().totals();
    ASSERT_EQ(totals.size(), f->order().size());
    // Applies that were there from the first call on have been counted four times, new ones three times.
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const std::uint32_t step = f->graph().apply(f->order()[i]).step;
        const bool isNew = step > 0 && f->graph().journal().steps[step - 1].rewrite == "recompute";
        EXPECT_EQ(totals[i].first, isNew ? 3u : 4u);
    }
}

TEST(Budget, WordsOfABudget)
{
    EXPECT_EQ(memoryBudgetNamed(""), kNoMemoryBudget);
    EXPECT_EQ(memoryBudgetNamed("none"), kNoMemoryBudget);
    EXPECT_EQ(memoryBudgetNamed("order"), kLeastPeakOrder);
    EXPECT_EQ(memoryBudgetNamed("least"), kLeastMemory);
    EXPECT_EQ(memoryBudgetNamed("2MB"), 2'000'000);
    EXPECT_THROW(memoryBudgetNamed("much"), UserError);
}

} // namespace
