// What is done to the rows of arrays gives the same bits as one kernel and apply by apply, with compiled kernels and without.
#include "tests/engine/compile/build.h"

#include "engine/codegen/kernel_service.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/softmax.h"
#include "engine/runtime/threads.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace build;

namespace {

constexpr const char *kRewrite = "croton_rows_in_one_kernel";

class Numbers {
public:
    explicit Numbers(unsigned seed) : m_state(seed * 2654435761u + 1) {}
    std::uint32_t next()
    {
        m_state = m_state * 1664525u + 1013904223u;
        return m_state >> 8;
    }
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint32_t>(count)); }
    double unit() { return static_cast<double>(next()) / (1 << 24) - 0.5; }

private:
    std::uint32_t m_state;
};

Tensor randomTensor(DType dtype, const Dims &shape, unsigned seed, bool withOddOnes = false)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    Numbers numbers(seed);
    const double odd[] = {0.0,
                          -0.0,
                          1e-42,
                          -1e-310,
                          1e30,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
    for (std::int64_t i = 0; i < result.size(); ++i)
        result.as<double>()[i] = withOddOnes && numbers.below(150) == 0 ? odd[numbers.below(8)] : numbers.unit() * 4;
    return result.converted(dtype);
}

// Which nan it is depends on the order of operands, which compilers choose.
bool areSameBits(const Tensor &a, const Tensor &b)
{
    if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
    const std::size_t width = sizeOf(a.dtype());
    for (std::int64_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a.at(i)) && std::isnan(b.at(i))) continue;
        const std::size_t place = static_cast<std::size_t>(i) * width;
        if (std::memcmp(static_cast<const char *>(a.data()) + place, static_cast<const char *>(b.data()) + place, width) != 0) return false;
    }
    return true;
}

std::shared_ptr<Function> compiled(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, bool grouped)
{
    FunctionSpec spec = request(inputs, outputs);
    spec.onUnusedInput = OnUnusedInput::Ignore;
    if (!grouped) spec.mode.excluding.push_back(kRewrite);
    return Function::compile(spec);
}

// Parts that ran together in the last call.
int together(const Function &function)
{
    const std::vector<int> passes = function.passes();
    return static_cast<int>(std::count_if(passes.begin(), passes.end(), [](int pass) { return pass >= 0; }));
}

void expectSameBits(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, const std::vector<std::vector<Tensor>> &calls)
{
    const auto one = compiled(inputs, outputs, true), two = compiled(inputs, outputs, false);
    ASSERT_TRUE(two->graph().groups.empty());
    for (const std::vector<Tensor> &arrays : calls) {
        SCOPED_TRACE(arrays[0].shape().text());
        for (const bool kernels : {false, true}) {
            SCOPED_TRACE(kernels ? "kernels" : "interpreter");
            if (kernels) {
                one->compileKernels();
                two->compileKernels();
            }
            const auto a = call(*one, arrays), b = call(*two, arrays);
            for (std::size_t o = 0; o < a.size(); ++o) EXPECT_TRUE(areSameBits(a[o], b[o])) << "output " << o;
        }
    }
}

VarRef of(ScalarCode code, const VarRef &a) { return elementwise(code, {a}); }
VarRef overRows(ReduceKind kind, const VarRef &a) { return reduce(kind, a, std::vector<int>{1}, true); }
VarRef meanOfRows(const VarRef &a) { return mean(a, std::vector<int>{1}, true); }
VarRef one(const VarRef &like) { return constantOf(like->type().dtype(), 1); }

// A chain of elementwise work and reductions of its rows, some of it read several times and by others.
std::vector<VarRef> randomChain(Numbers &numbers, const VarRef &x, const VarRef &y, const VarRef &line, const VarRef &column)
{
    std::vector<VarRef> rows{x, y}, columns{column};
    const auto any = [&](const std::vector<VarRef> &of) {
        return of[static_cast<std::size_t>(numbers.below(static_cast<int>(of.size())))];
    };
    const auto late = [&](const std::vector<VarRef> &of) { return numbers.below(3) ? of.back() : any(of); };
    const int steps = 5 + numbers.below(8);
    for (int step = 0; step < steps; ++step) {
        const VarRef a = late(rows), b = any(rows), c = late(columns);
        switch (numbers.below(15)) {
        case 0: rows.push_back(sub(a, overRows(ReduceKind::Max, a))); break;
        case 1: rows.push_back(of(ScalarCode::Exp, sub(a, overRows(ReduceKind::Max, b)))); break;
        case 2: columns.push_back(overRows(ReduceKind::Sum, mul(a, b))); break;
        case 3: columns.push_back(meanOfRows(a)); break;
        case 4: columns.push_back(overRows(numbers.below(2) ? ReduceKind::Max : ReduceKind::Min, mul(a, line))); break;
        case 5: rows.push_back(add(mul(a, line), c)); break;
        case 6: rows.push_back(trueDiv(a, add(one(a), mul(c, c)))); break;
        case 7: rows.push_back(of(numbers.below(2) ? ScalarCode::Tanh : ScalarCode::Sigmoid, a)); break;
        case 8: columns.push_back(of(ScalarCode::Sqrt, add(one(c), mul(c, c)))); break;
        case 9: rows.push_back(elementwise(ScalarCode::Switch, {elementwise(ScalarCode::Gt, {a, c}), a, b})); break;
        case 10: rows.push_back(softmax(a)); break;
        case 11: rows.push_back(logSoftmax(a)); break;
        case 12: columns.push_back(of(ScalarCode::Log, add(one(c), mul(c, c)))); break;
        case 13: columns.push_back(sum(of(ScalarCode::Exp, sub(a, c)), std::vector<int>{1}, true)); break;
        default: rows.push_back(mul(sub(a, c), b)); break;
        }
    }
    std::vector<VarRef> outputs{add(rows.back(), columns.back())};
    if (numbers.below(2)) outputs.push_back(any(rows));
    if (numbers.below(2)) outputs.push_back(any(columns));
    return outputs;
}

class Chains : public testing::TestWithParam<std::tuple<DType, int>> {};
INSTANTIATE_TEST_SUITE_P(RowKernel, Chains, testing::Combine(testing::Values(DType::Float32, DType::Float64), testing::Range(0, 8)));

TEST_P(Chains, giveTheBitsOfTheirParts)
{
    const auto [dtype, seed] = GetParam();
    Numbers numbers(static_cast<unsigned>(seed) + 77);
    const VarRef x = matrix("x", dtype), y = matrix("y", dtype), v = vector("v", dtype), s = vector("s", dtype);
    const VarRef line = dimshuffle(v, {DimShuffle::kNewAxis, 0}), column = dimshuffle(s, {0, DimShuffle::kNewAxis});
    const std::vector<VarRef> outputs = randomChain(numbers, x, y, line, column);
    std::vector<std::vector<Tensor>> calls;
    for (const auto &[rows, columns] :
         {std::pair{5, 70}, {3, 33}, {5, 101}, {0, 50}, {4, 1}, {1, 300}, {7, 127}, {6, 128}, {9, 301}, {3, 1024}, {4, 2101}})
        for (const bool odd : {false, true})
            calls.push_back({randomTensor(dtype, {rows, columns}, 1, odd), randomTensor(dtype, {rows, columns}, 2, odd),
                             randomTensor(dtype, {columns}, 3), randomTensor(dtype, {rows}, 4)});
    expectSameBits({x, y, v, s}, outputs, calls);
}

struct Named {
    const char *name;
    int groups;
    VarRef (*result)(const VarRef &x, const VarRef &g, const VarRef &line);
};

VarRef normalised(const VarRef &x)
{
    const VarRef centred = sub(x, meanOfRows(x));
    return trueDiv(centred, of(ScalarCode::Sqrt, add(meanOfRows(mul(centred, centred)), constantOf(x->type().dtype(), 1e-5))));
}
VarRef gradientOf(const VarRef &cost, const VarRef &x)
{
    const VarRef wrt[] = {x};
    return grad(cost, wrt)[0];
}
VarRef powersOf(const VarRef &x) { return of(ScalarCode::Exp, sub(x, overRows(ReduceKind::Max, x))); }

const Named kPrograms[] = {
    {"softmax", 0, [](const VarRef &x, const VarRef &, const VarRef &) { return softmax(x); }},
    {"its gradient", 1, [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(softmax(x), g)), x); }},
    {"log-softmax", 0, [](const VarRef &x, const VarRef &, const VarRef &) { return logSoftmax(x); }},
    {"gradient of log-softmax", 1,
     [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(logSoftmax(x), g)), x); }},
    {"log of sums of exponentials", 1,
     [](const VarRef &x, const VarRef &, const VarRef &) {
         return add(of(ScalarCode::Log, overRows(ReduceKind::Sum, powersOf(x))), overRows(ReduceKind::Max, x));
     }},
    {"layer normalisation", 1, [](const VarRef &x, const VarRef &, const VarRef &line) { return add(mul(normalised(x), line), line); }},
    {"its gradient", 1, [](const VarRef &x, const VarRef &g, const VarRef &) { return gradientOf(sum(mul(normalised(x), g)), x); }},
    {"root mean square", 1,
     [](const VarRef &x, const VarRef &, const VarRef &line) {
         return mul(trueDiv(x, of(ScalarCode::Sqrt, add(meanOfRows(mul(x, x)), constantOf(x->type().dtype(), 1e-5)))), line);
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
    expectSameBits({x, g, v}, {result}, calls);
    const auto f = compiled({x, g, v}, {result}, true);
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
        expectSameBits({x, b, y, g}, wanted[w], calls);
    }
    const auto f = compiled({x, b, y, g}, {gradientOf(sum(mul(loss, g)), x)}, true);
    ASSERT_EQ(f->graph().groups.size(), 1u);
    call(*f, arrays(6, 90, false));
    f->compileKernels();
    call(*f, arrays(6, 90, false));
    EXPECT_GT(together(*f), 1);
}

TEST_P(CrossEntropies, refuseClassesThatAreNotThere)
{
    const auto f = compiled({x, b, y}, {gradientOf(sum(entropy[0]), x)}, true);
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
    expectSameBits({x, b, y, g}, {entropy[0], entropy[2], gradientOf(sum(mul(entropy[0], g)), x)}, calls);
}

TEST(RowKernel, threadsShareTheRowsWithTheSameBits)
{
    const VarRef x = matrix("x", DType::Float32), g = matrix("g", DType::Float32);
    const auto f = compiled({x, g}, {gradientOf(sum(mul(normalised(x), g)), x), softmax(x)}, true);
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

TEST(RowKernel, whatOverwritesItsInputReadsItFirst)
{
    Tensor start = randomTensor(DType::Float64, {40, 65}, 1);
    std::vector<Tensor> ends;
    for (const bool grouped : {true, false}) {
        const VarRef w = shared(start.copy(), "w"), x = matrix("x");
        const VarRef step = sub(w, mul(overRows(ReduceKind::Max, w), mul(x, normalised(w))));
        FunctionSpec spec = request({x}, {}, {{w, step}});
        if (!grouped) spec.mode.excluding.push_back(kRewrite);
        const auto f = Function::compile(spec);
        for (int turn = 0; turn < 3; ++turn) {
            call(*f, {randomTensor(DType::Float64, {40, 65}, 2)});
            if (turn == 0) f->compileKernels();
        }
        EXPECT_EQ(together(*f) > 1, grouped);
        ends.push_back(w->container()->value().tensor().copy());
    }
    EXPECT_TRUE(areSameBits(ends[0], ends[1]));
}

TEST(RowKernel, arraysThatDoNotLieInRowsRunPartByPart)
{
    const VarRef x = matrix("x"), g = matrix("g");
    const VarRef result = mul(normalised(x), g);
    const Tensor base = randomTensor(DType::Float64, {200, 130}, 1), other = randomTensor(DType::Float64, {130, 200}, 2);
    const Tensor turned(DType::Float64, {130, 200}, {8, 130 * 8}, base.data(), base.storage());
    const Tensor everySecond(DType::Float64, {65, 130}, {2 * 130 * 8, 8}, base.data(), base.storage());
    const Tensor backwards(DType::Float64, {200, 130}, {130 * 8, -8}, base.as<double>() + 129, base.storage());
    const Tensor same(DType::Float64, {200, 130}, {0, 8}, base.data(), base.storage());
    expectSameBits({x, g}, {result},
                   {{turned, other}, {everySecond, randomTensor(DType::Float64, {65, 130}, 3)}, {backwards, base}, {base, same}});
    const auto f = compiled({x, g}, {result}, true);
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
            {x, v, mask}, {result},
            {{randomTensor(DType::Float32, {4, 5, 70}, 1), randomTensor(DType::Float32, {70}, 2), randomTensor(DType::Float32, {4, 5}, 3)},
             {randomTensor(DType::Float32, {3, 1, 140}, 1), randomTensor(DType::Float32, {140}, 2),
              randomTensor(DType::Float32, {3, 1}, 3)}});
    }
}

TEST(RowKernel, aRowThatNoCacheHoldsGivesTheSameBits)
{
    const VarRef x = matrix("x", DType::Float32), g = matrix("g", DType::Float32);
    expectSameBits({x, g},
                   {gradientOf(sum(mul(softmax(x), g)), x),
                    add(of(ScalarCode::Tanh, sub(x, overRows(ReduceKind::Max, g))), overRows(ReduceKind::Sum, x))},
                   {{randomTensor(DType::Float32, {3, 200'003}, 1), randomTensor(DType::Float32, {3, 200'003}, 2)}});
}

TEST(RowKernel, theGroupIsInTheGraphAndItsTimesAddUp)
{
    const VarRef x = matrix("x", DType::Float32);
    FunctionSpec spec = request({x}, {normalised(x)});
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
    const VarRef shifted = sub(x, overRows(ReduceKind::Max, x));
    const VarRef whole = sum(shifted);
    const VarRef result = sub(shifted, mul(meanOfRows(shifted), dimshuffle(whole, {DimShuffle::kNewAxis, DimShuffle::kNewAxis})));
    expectSameBits({x}, {result}, {{randomTensor(DType::Float64, {50, 64}, 1)}});
    const VarRef single = mean(x, std::vector<int>{1});
    EXPECT_TRUE(compiled({x}, {single}, true)->graph().groups.empty());
}

} // namespace
