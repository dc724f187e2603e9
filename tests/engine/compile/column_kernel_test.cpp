// What is done to the columns of arrays gives the same bits as one kernel and apply by apply, with compiled kernels and without.
#include "tests/engine/compile/groups.h"

#include "engine/runtime/plan/threads.h"

#include <gtest/gtest.h>

using namespace build;

namespace {

constexpr const char *kRewrite = "croton_columns_in_one_kernel";

int groupsOfColumns(const Function &function)
{
    const auto &groups = function.graph().groups;
    return static_cast<int>(
        std::count_if(groups.begin(), groups.end(), [](const KernelGroup &group) { return group.rewrite == kRewrite; }));
}

VarRef asRow(const VarRef &v) { return dimshuffle(v, {DimShuffle::kNewAxis, 0}); }

class ColumnChains : public testing::TestWithParam<std::tuple<DType, int>> {};
INSTANTIATE_TEST_SUITE_P(ColumnKernel, ColumnChains,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Range(0, 8)));

TEST_P(ColumnChains, giveTheBitsOfTheirParts)
{
    const auto [dtype, seed] = GetParam();
    Numbers numbers(static_cast<unsigned>(seed) + 177);
    const VarRef x = matrix("x", dtype), y = matrix("y", dtype), v = vector("v", dtype), s = vector("s", dtype);
    const std::vector<VarRef> outputs = randomChain(numbers, 0, x, y, dimshuffle(s, {0, DimShuffle::kNewAxis}), asRow(v));
    std::vector<std::vector<Tensor>> calls;
    for (const auto &[rows, columns] : {std::pair{70, 64},
                                        {33, 65},
                                        {101, 127},
                                        {50, 0},
                                        {40, 1},
                                        {1, 300},
                                        {2, 70},
                                        {127, 7},
                                        {128, 48},
                                        {301, 200},
                                        {1024, 33},
                                        {2101, 70}})
        for (const bool odd : {false, true})
            calls.push_back({randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {rows, columns}, 2, odd),
                             randomTensor(dtype, {columns}, 3), randomTensor(dtype, {rows}, 4)});
    expectSameBits(kRewrite, {x, y, v, s}, outputs, calls);
}

struct Named {
    const char *name;
    VarRef (*result)(const VarRef &x, const VarRef &g, const VarRef &line);
};

const Named kPrograms[] = {
    {"softmax",
     [](const VarRef &x, const VarRef &, const VarRef &) { return trueDiv(powersOf(x, 0), over(0, ReduceKind::Sum, powersOf(x, 0))); }},
    {"its gradient",
     [](const VarRef &x, const VarRef &g, const VarRef &) {
         const VarRef powers = of(ScalarCode::Exp, x);
         return gradientOf(sum(mul(trueDiv(powers, over(0, ReduceKind::Sum, powers)), g)), x);
     }},
    {"gradient of its logarithm",
     [](const VarRef &x, const VarRef &g, const VarRef &) {
         const VarRef turned = logSoftmax(dimshuffle(x, {1, 0}));
         return gradientOf(sum(mul(dimshuffle(turned, {1, 0}), g)), x);
     }},
    {"log of sums of exponentials, taken off",
     [](const VarRef &x, const VarRef &, const VarRef &) {
         return sub(x, add(of(ScalarCode::Log, over(0, ReduceKind::Sum, powersOf(x, 0))), over(0, ReduceKind::Max, x)));
     }},
    {"standardisation", [](const VarRef &x, const VarRef &, const VarRef &) { return normalised(x, 0); }},
    {"batch normalisation", [](const VarRef &x, const VarRef &, const VarRef &line) { return add(mul(normalised(x, 0), line), line); }},
    {"its gradient", [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(normalised(x, 0), g)), x); }},
    {"from the smallest to the largest",
     [](const VarRef &x, const VarRef &, const VarRef &) {
         const VarRef least = over(0, ReduceKind::Min, x);
         return trueDiv(sub(x, least), sub(over(0, ReduceKind::Max, x), least));
     }},
};

class ColumnPrograms : public testing::TestWithParam<std::tuple<DType, int>> {};
INSTANTIATE_TEST_SUITE_P(ColumnKernel, ColumnPrograms,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64),
                                          testing::Range(0, static_cast<int>(std::size(kPrograms)))));

TEST_P(ColumnPrograms, giveTheBitsOfTheirParts)
{
    const auto [dtype, number] = GetParam();
    const Named &program = kPrograms[number];
    SCOPED_TRACE(program.name);
    const VarRef x = matrix("x", dtype), g = matrix("g", dtype), v = vector("v", dtype);
    const VarRef result = program.result(x, g, asRow(v));
    std::vector<std::vector<Tensor>> calls;
    for (const auto &[rows, columns] : {std::pair{90, 64}, {200, 75}, {1000, 130}, {600, 1024}})
        for (const bool odd : {false, true})
            calls.push_back({randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {rows, columns}, 2, odd),
                             randomTensor(dtype, {columns}, 3)});
    expectSameBits(kRewrite, {x, g, v}, {result}, calls);
    const auto f = compiled({x, g, v}, {result});
    EXPECT_EQ(groupsOfColumns(*f), 1);
    call(*f, calls[0]); // small enough for any second cache
    f->compileKernels();
    call(*f, calls[0]);
    const auto kernels = f->kernels();
    ASSERT_FALSE(kernels.empty());
    for (const auto &kernel : kernels) {
        EXPECT_TRUE(kernel.running);
        EXPECT_EQ(kernel.key, kernels[0].key) << "all of it is one kernel";
    }
    EXPECT_GT(together(*f), 1);
}

// What normalises a batch has the sums and their roots as results, too.
TEST(ColumnKernel, numbersOfColumnsAreResults)
{
    const VarRef x = matrix("x", DType::Float32), v = vector("v", DType::Float32);
    const VarRef middle = mean(x, std::vector<int>{0}), centred = sub(x, asRow(middle));
    const VarRef spread = of(ScalarCode::Sqrt, add(mean(mul(centred, centred), std::vector<int>{0}), constantOf(DType::Float32, 1e-4)));
    const std::vector<VarRef> results{mul(trueDiv(centred, asRow(spread)), asRow(v)), middle, trueDiv(one(spread), spread),
                                      add(mul(v, constantOf(DType::Float32, 0.9)), middle)};
    expectSameBits(kRewrite, {x, v}, results,
                   {{randomTensor(DType::Float32, {60, 200}, 1), randomTensor(DType::Float32, {200}, 2)},
                    {randomTensor(DType::Float32, {61, 83}, 3, true), randomTensor(DType::Float32, {83}, 4)}});
    const auto f = compiled({x, v}, results);
    call(*f, {randomTensor(DType::Float32, {60, 200}, 1), randomTensor(DType::Float32, {200}, 2)});
    EXPECT_GT(together(*f), 1);
}

TEST(ColumnKernel, threadsShareTheColumnsWithTheSameBits)
{
    const VarRef x = matrix("x", DType::Float32), g = matrix("g", DType::Float32);
    const auto f = compiled({x, g}, {gradientOf(sum(mul(normalised(x, 0), g)), x), powersOf(x, 0)});
    const std::vector<Tensor> arrays{randomTensor(DType::Float32, {150, 501}, 1), randomTensor(DType::Float32, {150, 501}, 2)};
    call(*f, arrays);
    f->compileKernels();
    const auto alone = call(*f, arrays);
    setThreads(3);
    setSharedElements(1000);
    const auto shared = call(*f, arrays);
    setThreads(0);
    setSharedElements(0);
    EXPECT_GT(together(*f), 1);
    for (std::size_t o = 0; o < alone.size(); ++o) EXPECT_TRUE(areSameBits(alone[o], shared[o]));
}

TEST(ColumnKernel, whatOverwritesItsInputReadsItFirst) { expectSameInPlace(0, {65, 140}, kRewrite); }

TEST(ColumnKernel, elementsLieSideBySideOrRunPartByPart)
{
    const VarRef x = matrix("x"), g = matrix("g");
    const VarRef result = mul(normalised(x, 0), g);
    const Tensor base = randomTensor(DType::Float64, {120, 130}, 1), other = randomTensor(DType::Float64, {130, 120}, 2);
    const Tensor turned(DType::Float64, {130, 120}, {8, 130 * 8}, base.data(), base.storage());
    const Tensor everySecond(DType::Float64, {60, 130}, {2 * 130 * 8, 8}, base.data(), base.storage());
    const Tensor upwards(DType::Float64, {120, 130}, {-130 * 8, 8}, base.as<double>() + 119 * 130, base.storage());
    const Tensor backwards(DType::Float64, {120, 130}, {130 * 8, -8}, base.as<double>() + 129, base.storage());
    const Tensor sameRows(DType::Float64, {120, 130}, {0, 8}, base.data(), base.storage());
    const Tensor sameColumns(DType::Float64, {120, 130}, {130 * 8, 0}, base.data(), base.storage());
    const Tensor half = randomTensor(DType::Float64, {60, 130}, 3);
    expectSameBits(kRewrite, {x, g}, {result},
                   {{turned, other},
                    {everySecond, half},
                    {upwards, base},
                    {backwards, base},
                    {base, sameRows},
                    {base, sameColumns},
                    {sameRows, base}});
    const auto f = compiled({x, g}, {result});
    for (const std::vector<Tensor> &apart : {std::vector<Tensor>{turned, other}, {backwards, base}}) {
        call(*f, apart);
        EXPECT_EQ(together(*f), 0);
    }
    for (const std::vector<Tensor> &close : {std::vector<Tensor>{everySecond, half}, {upwards, base}, {base, sameColumns}}) {
        call(*f, close);
        EXPECT_GT(together(*f), 1);
    }
}

TEST(ColumnKernel, columnsOfSeveralAxesAndColumnsInSeveralAxes)
{
    const VarRef x = input(DType::Float32, 3, "x"), v = vector("v", DType::Float32);
    const VarRef line = dimshuffle(v, {DimShuffle::kNewAxis, DimShuffle::kNewAxis, 0});
    for (const std::vector<int> &axes : {std::vector<int>{0}, {0, 1}}) {
        const VarRef centred = sub(x, mean(x, axes, true));
        const VarRef normal = trueDiv(centred, of(ScalarCode::Sqrt, add(mean(mul(centred, centred), axes, true), one(x))));
        const std::vector<Tensor> arrays{randomTensor(DType::Float32, {14, 5, 70}, 1), randomTensor(DType::Float32, {70}, 2)};
        for (const VarRef &result : {normal, mul(normal, line)})
            expectSameBits(kRewrite, {x, v}, {result},
                           {arrays, {randomTensor(DType::Float32, {13, 1, 140}, 1, true), randomTensor(DType::Float32, {140}, 2)}});
        const auto f = compiled({x, v}, {normal});
        call(*f, arrays);
        EXPECT_GT(together(*f), 1);
    }
}

TEST(ColumnKernel, columnsThatNoCacheHoldsRunPartByPart)
{
    const VarRef x = matrix("x", DType::Float32);
    const Tensor tall = randomTensor(DType::Float32, {200'003, 83}, 1);
    expectSameBits(kRewrite, {x}, {normalised(x, 0)}, {{tall}});
    const auto f = compiled({x}, {normalised(x, 0)});
    call(*f, {tall});
    EXPECT_EQ(together(*f), 0);
}

TEST(ColumnKernel, theGroupIsInTheGraphAndItsTimesAddUp)
{
    const VarRef x = matrix("x", DType::Float32);
    FunctionSpec spec = request({x}, {normalised(x, 0)});
    spec.profile = true;
    const auto f = Function::compile(spec);
    ASSERT_EQ(groupsOfColumns(*f), 1);
    std::size_t reductions = 0;
    for (ApplyId id : f->graph().groups[0].applies) reductions += f->graph().apply(id).op->className() == "Sum";
    EXPECT_EQ(reductions, 2u);
    const Tensor data = randomTensor(DType::Float32, {300, 500}, 1);
    call(*f, {data});
    f->compileKernels();
    for (int turn = 0; turn < 4; ++turn) call(*f, {data});
    const auto totals = f->statistics().totals();
    const std::vector<int> passes = f->passes();
    const std::vector<Tier> tiers = f->tiers();
    for (std::size_t i = 0; i < f->order().size(); ++i) {
        EXPECT_EQ(totals.at(i).first, 5u);
        if (passes[i] < 0 || !f->graph().apply(f->order()[i]).op->viewMap().empty()) continue;
        EXPECT_GT(totals[i].second, 0u);
        EXPECT_EQ(tiers[i], Tier::Compiled);
    }
}

// Large ones run as a kernel and part by part in turns, until it is known what is faster here.
TEST(ColumnKernel, largeOnesGiveTheSameBitsWhateverIsFaster)
{
    const VarRef x = matrix("x", DType::Float32);
    const auto f = compiled({x}, {normalised(x, 0)});
    const Tensor data = randomTensor(DType::Float32, {300, 500}, 1);
    const Tensor first = call(*f, {data})[0];
    f->compileKernels();
    for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(areSameBits(call(*f, {data})[0], first)) << turn;
}

// One pass over the columns, and two with something between them that needs all columns.
TEST(ColumnKernel, whatGainsNothingIsLeftAlone)
{
    const VarRef x = matrix("x"), g = matrix("g");
    const VarRef step = mul(x, of(ScalarCode::Tanh, g));
    EXPECT_EQ(groupsOfColumns(*compiled({x, g}, {step, sum(step, std::vector<int>{0})})), 0);
    EXPECT_EQ(groupsOfColumns(*compiled({x}, {mean(x, std::vector<int>{0})})), 0);
    const VarRef shifted = sub(x, over(0, ReduceKind::Max, x));
    const VarRef whole = dimshuffle(sum(shifted), {DimShuffle::kNewAxis, DimShuffle::kNewAxis});
    expectSameBits(kRewrite, {x}, {sub(shifted, mul(meanOver(0, shifted), whole))}, {{randomTensor(DType::Float64, {64, 50}, 1)}});
}

} // namespace
