// What is done to the rows of arrays gives the same bits as one kernel and apply by apply, with compiled kernels and without.
#include "tests/engine/compile/groups.h"

#include "engine/codegen/kernel_service.h"
#include "engine/runtime/plan/threads.h"

#include <gtest/gtest.h>

using namespace build;

namespace {

constexpr const char *kRewrite = "croton_rows_in_one_kernel";

class Chains : public testing::TestWithParam<std::tuple<DType, int>> {};
INSTANTIATE_TEST_SUITE_P(RowKernel, Chains, testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Range(0, 8)));

TEST_P(Chains, giveTheBitsOfTheirParts)
{
    const auto [dtype, seed] = GetParam();
    Numbers numbers(static_cast<unsigned>(seed) + 77);
    const VarRef x = matrix("x", dtype), y = matrix("y", dtype), v = vector("v", dtype), s = vector("s", dtype);
    const VarRef line = dimshuffle(v, {DimShuffle::kNewAxis, 0}), column = dimshuffle(s, {0, DimShuffle::kNewAxis});
    const std::vector<VarRef> outputs = randomChain(numbers, 1, x, y, line, column);
    std::vector<std::vector<Tensor>> calls;
    for (const auto &[rows, columns] :
         {std::pair{5, 70}, {3, 33}, {5, 101}, {0, 50}, {4, 1}, {1, 300}, {7, 127}, {6, 128}, {9, 301}, {3, 1024}, {4, 2101}})
        for (const bool odd : {false, true})
            calls.push_back({randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {rows, columns}, 2, odd),
                             randomTensor(dtype, {columns}, 3), randomTensor(dtype, {rows}, 4)});
    expectSameBits(kRewrite, {x, y, v, s}, outputs, calls);
}

struct Named {
    const char *name;
    int groups;
    VarRef (*result)(const VarRef &x, const VarRef &g, const VarRef &line);
};

const Named kPrograms[] = {
    {"softmax", 0, [](const VarRef &x, const VarRef &, const VarRef &) { return softmax(x); }},
    {"its gradient", 1, [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(softmax(x), g)), x); }},
    {"log-softmax", 0, [](const VarRef &x, const VarRef &, const VarRef &) { return logSoftmax(x); }},
    {"gradient of log-softmax", 1,
     [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(logSoftmax(x), g)), x); }},
    {"log of sums of exponentials", 1,
     [](const VarRef &x, const VarRef &, const VarRef &) {
         return add(of(ScalarCode::Log, over(1, ReduceKind::Sum, powersOf(x, 1))), over(1, ReduceKind::Max, x));
     }},
    {"layer normalisation", 1, [](const VarRef &x, const VarRef &, const VarRef &line) { return add(mul(normalised(x, 1), line), line); }},
    {"its gradient", 1, [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(normalised(x, 1), g)), x); }},
    {"root mean square", 1,
     [](const VarRef &x, const VarRef &, const VarRef &line) {
         return mul(trueDiv(x, of(ScalarCode::Sqrt, add(meanOver(1, mul(x, x)), constantOf(x->type().dtype(), 1e-5)))), line);
     }},
    {"cross-entropy of soft targets", 1,
     [](const VarRef &x, const VarRef &g, const VarRef &) { return neg(sum(mul(softmax(g), logSoftmax(x)), std::vector<int>{1})); }},
};

class Programs : public testing::TestWithParam<std::tuple<DType, int>> {};
INSTANTIATE_TEST_SUITE_P(RowKernel, Programs,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64),
                                          testing::Range(0, static_cast<int>(std::size(kPrograms)))));

TEST_P(Programs, giveTheBitsOfTheirParts)
{
    const auto [dtype, number] = GetParam();
    const Named &program = kPrograms[number];
    SCOPED_TRACE(program.name);
    const VarRef x = matrix("x", dtype), g = matrix("g", dtype), v = vector("v", dtype);
    const VarRef result = program.result(x, g, dimshuffle(v, {DimShuffle::kNewAxis, 0}));
    std::vector<std::vector<Tensor>> calls;
    for (const auto &[rows, columns] : {std::pair{6, 90}, {5, 200}, {3, 1000}, {2, 1500}})
        for (const bool odd : {false, true})
            calls.push_back({randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {rows, columns}, 2, odd),
                             randomTensor(dtype, {columns}, 3)});
    expectSameBits(kRewrite, {x, g, v}, {result}, calls);
    const auto f = compiled({x, g, v}, {result});
    EXPECT_EQ(f->graph().groups.size(), static_cast<std::size_t>(program.groups));
    call(*f, calls[2]);
    f->compileKernels();
    call(*f, calls[2]);
    const auto kernels = f->kernels();
    ASSERT_FALSE(kernels.empty());
    for (const auto &kernel : kernels) {
        EXPECT_TRUE(kernel.running);
        EXPECT_EQ(kernel.key, kernels[0].key) << "all of it is one kernel";
    }
    if (program.groups) {
        EXPECT_GT(together(*f), 1);
    }
}

Tensor randomClasses(DType dtype, std::int64_t rows, std::int64_t lowest, std::int64_t end, unsigned seed)
{
    Tensor result = Tensor::empty(DType::Int64, {rows});
    Numbers numbers(seed);
    for (std::int64_t i = 0; i < rows; ++i) result.as<std::int64_t>()[i] = lowest + numbers.below(static_cast<int>(end - lowest));
    return result.converted(dtype);
}

class CrossEntropies : public testing::TestWithParam<std::tuple<DType, DType, Classes>> {
protected:
    DType dtype = std::get<0>(GetParam()), labels = std::get<1>(GetParam());
    Classes classes = std::get<2>(GetParam());
    VarRef x = matrix("x", dtype), b = vector("b", dtype), y = vector("y", labels), g = vector("g", dtype);
    std::vector<VarRef> entropy = outputsOf(apply(makeOp<CrossentropySoftmaxArgmax1HotWithBias>(classes), {x, b, y}));

    static std::vector<VarRef> outputsOf(const VarRef &first)
    {
        return {first, VarRef(first->owner()->output(1)), VarRef(first->owner()->output(2))};
    }
    std::vector<Tensor> arrays(int rows, int columns, bool odd) const
    {
        const int lowest = classes == Classes::EachRow ? 0 : -std::min(columns, 100);
        return {randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {columns}, 2),
                randomClasses(labels, rows, lowest, std::min(columns, 100), 3), randomTensor(dtype, {rows}, 4)};
    }
};
INSTANTIATE_TEST_SUITE_P(RowKernel, CrossEntropies,
                         testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Values(DType::Int64, DType::Int8),
                                          testing::Values(Classes::EachRow, Classes::FirstRows, Classes::OneOrEach)));

TEST_P(CrossEntropies, giveTheBitsOfTheirParts)
{
    const VarRef loss = entropy[0], wrt[] = {x};
    const std::vector<std::vector<VarRef>> wanted{
        {loss}, {entropy[2], loss}, {entropy[1]}, {loss, gradientOf(sum(mul(loss, g)), x)}, {gradientOf(sum(loss), x), entropy[2]}};
    for (std::size_t w = 0; w < wanted.size(); ++w) {
        SCOPED_TRACE(w);
        std::vector<std::vector<Tensor>> calls;
        for (const auto &[rows, columns] : {std::pair{6, 90}, {3, 1500}, {33, 10}, {1, 70}})
            for (const bool odd : {false, true}) calls.push_back(arrays(rows, columns, odd));
        expectSameBits(kRewrite, {x, b, y, g}, wanted[w], calls);
    }
    const auto f = compiled({x, b, y, g}, {gradientOf(sum(mul(loss, g)), x)});
    ASSERT_EQ(f->graph().groups.size(), 1u);
    call(*f, arrays(6, 90, false));
    f->compileKernels();
    call(*f, arrays(6, 90, false));
    EXPECT_GT(together(*f), 1);
}

TEST_P(CrossEntropies, refuseClassesThatAreNotThere)
{
    const auto f = compiled({x, b, y}, {gradientOf(sum(entropy[0]), x)});
    std::vector<Tensor> given = arrays(6, 90, false);
    given.pop_back();
    call(*f, given);
    f->compileKernels();
    for (const std::int64_t wrong : {90, -91, -1}) {
        Tensor changed = given[2].converted(DType::Int64).copy();
        changed.as<std::int64_t>()[3] = wrong;
        const std::vector<Tensor> other{given[0], given[1], changed.converted(labels)};
        if (wrong == -1 && classes != Classes::EachRow) call(*f, other);
        else EXPECT_ANY_THROW(call(*f, other)) << wrong;
        call(*f, given);
    }
}

// One class for all rows, and rows that have none.
TEST_P(CrossEntropies, haveAsManyClassesAsTheyTake)
{
    if (classes == Classes::EachRow) return;
    std::vector<std::vector<Tensor>> calls;
    for (const int columns : {20, 90}) {
        std::vector<Tensor> given = arrays(6, columns, false);
        given[2] = randomClasses(labels, classes == Classes::OneOrEach ? 1 : 4, 0, columns, 5);
        if (classes == Classes::FirstRows) given[3] = randomTensor(dtype, {4}, 6);
        calls.push_back(given);
    }
    expectSameBits(kRewrite, {x, b, y, g}, {entropy[0], entropy[2], gradientOf(sum(mul(entropy[0], g)), x)}, calls);
}

TEST(RowKernel, threadsShareTheRowsWithTheSameBits)
{
    const VarRef x = matrix("x", DType::Float32), g = matrix("g", DType::Float32);
    const auto f = compiled({x, g}, {gradientOf(sum(mul(normalised(x, 1), g)), x), softmax(x)});
    const std::vector<Tensor> arrays{randomTensor(DType::Float32, {301, 150}, 1), randomTensor(DType::Float32, {301, 150}, 2)};
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

TEST(RowKernel, whatOverwritesItsInputReadsItFirst) { expectSameInPlace(1, {40, 130}, kRewrite); }

// What is done once for each short row costs more than passes over memory do.
TEST(RowKernel, shortRowsOfWhichOnlyNumbersComeOutRunPartByPart)
{
    const VarRef x = matrix("x", DType::Float32);
    const VarRef logarithm = of(ScalarCode::Log, over(1, ReduceKind::Sum, powersOf(x, 1)));
    for (const auto &[columns, isGrouped] : {std::pair{20, false}, {300, true}}) {
        const auto numbers = compiled({x}, {logarithm});
        call(*numbers, {randomTensor(DType::Float32, {100, columns}, 1)});
        EXPECT_EQ(together(*numbers) > 1, isGrouped) << columns;
    }
    const auto rows = compiled({x}, {sub(x, meanOver(1, x))});
    call(*rows, {randomTensor(DType::Float32, {100, 64}, 1)});
    EXPECT_GT(together(*rows), 1);
}

TEST(RowKernel, arraysThatDoNotLieInRowsRunPartByPart)
{
    const VarRef x = matrix("x"), g = matrix("g");
    const VarRef result = mul(normalised(x, 1), g);
    const Tensor base = randomTensor(DType::Float64, {200, 130}, 1), other = randomTensor(DType::Float64, {130, 200}, 2);
    const Tensor turned(DType::Float64, {130, 200}, {8, 130 * 8}, base.data(), base.storage());
    const Tensor everySecond(DType::Float64, {65, 130}, {2 * 130 * 8, 8}, base.data(), base.storage());
    const Tensor backwards(DType::Float64, {200, 130}, {130 * 8, -8}, base.as<double>() + 129, base.storage());
    const Tensor same(DType::Float64, {200, 130}, {0, 8}, base.data(), base.storage());
    expectSameBits(kRewrite, {x, g}, {result},
                   {{turned, other}, {everySecond, randomTensor(DType::Float64, {65, 130}, 3)}, {backwards, base}, {base, same}});
    const auto f = compiled({x, g}, {result});
    call(*f, {turned, other});
    EXPECT_EQ(together(*f), 0);
    call(*f, {base, same});
    EXPECT_GT(together(*f), 1);
}

TEST(RowKernel, rowsOfSeveralAxesAndRowsInSeveralAxes)
{
    const VarRef x = input(DType::Float32, 3, "x"), v = vector("v", DType::Float32), mask = matrix("mask", DType::Float32);
    const VarRef line = dimshuffle(v, {DimShuffle::kNewAxis, DimShuffle::kNewAxis, 0}),
                 column = dimshuffle(mask, {0, 1, DimShuffle::kNewAxis});
    for (const std::vector<int> &axes : {std::vector<int>{2}, {1, 2}}) {
        const VarRef centred = sub(mul(x, column), mean(x, axes, true));
        const VarRef result = add(trueDiv(centred, of(ScalarCode::Sqrt, add(mean(mul(centred, centred), axes, true), one(x)))), line);
        expectSameBits(
            kRewrite, {x, v, mask}, {result},
            {{randomTensor(DType::Float32, {4, 5, 70}, 1), randomTensor(DType::Float32, {70}, 2), randomTensor(DType::Float32, {4, 5}, 3)},
             {randomTensor(DType::Float32, {3, 1, 140}, 1), randomTensor(DType::Float32, {140}, 2),
              randomTensor(DType::Float32, {3, 1}, 3)}});
    }
}

// The channels of a batch of images: each a piece in each of them.
class Channels : public testing::TestWithParam<DType> {
protected:
    DType dtype = GetParam();
    VarRef x = input(dtype, 4, "x"), g = input(dtype, 4, "g"), v = vector("v", dtype);
    VarRef gain = dimshuffle(v, {DimShuffle::kNewAxis, 0, DimShuffle::kNewAxis, DimShuffle::kNewAxis});

    static VarRef normal(const VarRef &a)
    {
        const std::vector<int> axes{0, 2, 3};
        const VarRef centred = sub(a, mean(a, axes, true));
        return trueDiv(centred, of(ScalarCode::Sqrt, add(mean(mul(centred, centred), axes, true), constantOf(a->type().dtype(), 1e-4))));
    }
    std::vector<Tensor> arrays(const Dims &shape, bool odd = false) const
    {
        return {randomTensor(dtype, shape, 1, odd), randomTensor(dtype, shape, 2, odd), randomTensor(dtype, {shape[1]}, 3)};
    }
};
INSTANTIATE_TEST_SUITE_P(RowKernel, Channels, testing::Values(DType::Float32, DType::Float64));

TEST_P(Channels, giveTheBitsOfTheirParts)
{
    const std::vector<std::vector<VarRef>> wanted{
        {add(mul(normal(x), gain), gain)},
        {normal(x), mean(x, std::vector<int>{0, 2, 3})},
        {gradientOf(sum(mul(normal(x), g)), x)},
        {mul(normal(of(ScalarCode::Tanh, mul(x, gain))), g)},
        {mul(normal(of(ScalarCode::Exp, x)), gain)},
        {sub(x, dimshuffle(reduce(ReduceKind::Max, x, std::vector<int>{0, 2, 3}),
                           {DimShuffle::kNewAxis, 0, DimShuffle::kNewAxis, DimShuffle::kNewAxis}))},
    };
    for (std::size_t w = 0; w < wanted.size(); ++w) {
        SCOPED_TRACE(w);
        std::vector<std::vector<Tensor>> calls;
        for (const Dims &shape : {Dims{3, 4, 10, 10},
                                  {2, 3, 7, 7},
                                  {5, 2, 9, 15},
                                  {1, 5, 12, 12},
                                  {4, 3, 40, 31},
                                  {6, 1, 8, 16},
                                  {0, 3, 9, 9},
                                  {20, 16, 64, 16}})
            for (const bool odd : {false, true})
                if (shape[0] > 0 || w + 1 < wanted.size()) calls.push_back(arrays(shape, odd)); // nothing has no largest element
        expectSameBits(kRewrite, {x, g, v}, wanted[w], calls);
    }
}

TEST_P(Channels, runAsOneKernelHoweverManyThreadsTakePart)
{
    const auto f = compiled({x, g, v}, {gradientOf(sum(mul(normal(x), g)), x)});
    ASSERT_EQ(f->graph().groups.size(), 1u);
    const std::vector<Tensor> given = arrays({5, 7, 12, 12});
    call(*f, given);
    f->compileKernels();
    const auto alone = call(*f, given);
    EXPECT_GT(together(*f), 1);
    setThreads(3);
    setSharedElements(1000);
    const auto shared = call(*f, given);
    setThreads(0);
    setSharedElements(0);
    EXPECT_TRUE(areSameBits(alone[0], shared[0]));
}

TEST_P(Channels, thatLieInPartsOfOthersAndNumbersOfImages)
{
    const std::size_t width = sizeOf(dtype);
    const Tensor base = randomTensor(dtype, {4, 10, 10, 10}, 1);
    const auto step = static_cast<std::int64_t>(width);
    const Tensor some(dtype, {4, 5, 10, 10}, {1000 * step, 200 * step, 10 * step, step}, base.data(), base.storage());
    const Tensor cut(dtype, {4, 5, 10, 8}, {1000 * step, 200 * step, 10 * step, step}, base.data(), base.storage());
    std::vector<Tensor> whole = arrays({4, 5, 10, 10}), narrow = arrays({4, 5, 10, 8});
    whole[0] = some;
    narrow[0] = cut;
    expectSameBits(kRewrite, {x, g, v}, {mul(normal(x), g)}, {whole, narrow});
    const auto f = compiled({x, g, v}, {mul(normal(x), g)});
    call(*f, whole);
    EXPECT_GT(together(*f), 1);
    call(*f, narrow);
    EXPECT_EQ(together(*f), 0);
    const VarRef weights = dimshuffle(v, {0, DimShuffle::kNewAxis, DimShuffle::kNewAxis, DimShuffle::kNewAxis});
    expectSameBits(kRewrite, {x, g, v}, {normal(mul(x, weights))}, {{whole[0], whole[1], randomTensor(dtype, {4}, 3)}});
}

// A sum of what is made and no more is done as it lies in memory.
TEST_P(Channels, withOnePassAreLeftAlone)
{
    const VarRef step = mul(x, of(ScalarCode::Tanh, g));
    EXPECT_TRUE(compiled({x, g}, {step, sum(step, std::vector<int>{0, 2, 3})})->graph().groups.empty());
}

TEST(RowKernel, aRowThatNoCacheHoldsGivesTheSameBits)
{
    const VarRef x = matrix("x", DType::Float32), g = matrix("g", DType::Float32);
    expectSameBits(kRewrite, {x, g},
                   {gradientOf(sum(mul(softmax(x), g)), x),
                    add(of(ScalarCode::Tanh, sub(x, over(1, ReduceKind::Max, g))), over(1, ReduceKind::Sum, x))},
                   {{randomTensor(DType::Float32, {3, 200'003}, 1), randomTensor(DType::Float32, {3, 200'003}, 2)}});
}

TEST(RowKernel, theGroupIsInTheGraphAndItsTimesAddUp)
{
    const VarRef x = matrix("x", DType::Float32);
    FunctionSpec spec = request({x}, {normalised(x, 1)});
    spec.profile = true;
    const auto f = Function::compile(spec);
    ASSERT_EQ(f->graph().groups.size(), 1u);
    EXPECT_EQ(f->graph().groups[0].rewrite, kRewrite);
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

// Two reductions with something between them that needs all rows: there is no kernel for both.
TEST(RowKernel, whatNeedsAllRowsInBetweenIsLeftAlone)
{
    const VarRef x = matrix("x");
    const VarRef shifted = sub(x, over(1, ReduceKind::Max, x));
    const VarRef whole = sum(shifted);
    const VarRef result = sub(shifted, mul(meanOver(1, shifted), dimshuffle(whole, {DimShuffle::kNewAxis, DimShuffle::kNewAxis})));
    expectSameBits(kRewrite, {x}, {result}, {{randomTensor(DType::Float64, {50, 64}, 1)}});
    const VarRef single = mean(x, std::vector<int>{1});
    EXPECT_TRUE(compiled({x}, {single})->graph().groups.empty());
}

} // namespace
