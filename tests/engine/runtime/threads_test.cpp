// Work that is shared among threads: each part once, the same bits for any number of threads, nothing after fork.
#include "engine/runtime/plan/threads.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "tests/engine/compile/build.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace build;

namespace {

class Threads : public testing::Test {
protected:
    void SetUp() override
    {
        setThreads(4);
        setSharedElements(1000);
    }
    void TearDown() override
    {
        setThreads(0);
        setSharedElements(0);
    }
};

TEST_F(Threads, everyPartRunsOnce)
{
    for (int round = 0; round < 2000; ++round) {
        const int parts = 1 + round % 37;
        std::vector<std::atomic<int>> counts(static_cast<std::size_t>(parts));
        shareParts(parts, [&](std::int64_t part) { counts[static_cast<std::size_t>(part)].fetch_add(1); });
        for (const auto &count : counts) ASSERT_EQ(count.load(), 1) << "round " << round;
    }
}

TEST_F(Threads, piecesCoverTheWhole)
{
    for (std::int64_t size : {0, 1, 7, 8, 9, 1000, 100000}) {
        std::atomic<std::int64_t> sum{0};
        sharePieces(size, 8, [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t i = first; i < end; ++i) sum.fetch_add(i + 1);
        });
        EXPECT_EQ(sum.load(), size * (size + 1) / 2);
    }
}

TEST_F(Threads, severalCallersAtOnceAndPartsThatShareAgain)
{
    std::atomic<int> total{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&] {
            for (int round = 0; round < 200; ++round)
                shareParts(5, [&](std::int64_t) { shareParts(3, [&](std::int64_t) { total.fetch_add(1); }); });
        });
    for (std::thread &caller : callers) caller.join();
    EXPECT_EQ(total.load(), 4 * 200 * 5 * 3);
}

TEST_F(Threads, theFirstExceptionReachesTheCallerAndTheRestIsDone)
{
    std::atomic<int> done{0};
    EXPECT_THROW(shareParts(20,
                            [&](std::int64_t part) {
                                done.fetch_add(1);
                                if (part % 7 == 3) throw std::runtime_error("part " + std::to_string(part));
                            }),
                 std::runtime_error);
    EXPECT_EQ(done.load(), 20);
    shareParts(20, [&](std::int64_t) { done.fetch_add(1); });
    EXPECT_EQ(done.load(), 40);
}

TEST_F(Threads, aChildOfForkWorksAlone)
{
    shareParts(8, [](std::int64_t) {});
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        int done = 0; // no other thread may touch it
        shareParts(8, [&](std::int64_t) { ++done; });
        _exit(done == 8 && !canShare() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Tensor waves(const Dims &shape, double step)
{
    Tensor result = Tensor::empty(DType::Float32, shape);
    for (std::int64_t i = 0; i < result.size(); ++i) result.as<float>()[i] = static_cast<float>(std::sin(step * static_cast<double>(i)));
    return result;
}

// Every walk: flat, by rows, by tiles of short rows, in place of strided operands; on tier 0 and compiled.
TEST_F(Threads, elementwiseWorkGivesTheSameBits)
{
    const VarRef m = matrix("m"), row = Variable::input(Type::tensor(DType::Float64, std::vector<std::int64_t>{1, kUnknownDim}), "row");
    const VarRef expression = add(mul(exp(m), row), elementwise(ScalarCode::Tanh, {sub(m, row)}));
    for (const Dims &shape : {Dims{1, 100000}, Dims{300, 400}, Dims{20000, 7}, Dims{3, 50001}}) {
        const Tensor a = waves(shape, 0.37).converted(DType::Float64), b = waves({1, shape[1]}, 0.11).converted(DType::Float64);
        const Dims flipped{sizeof(double), static_cast<std::int64_t>(sizeof(double)) * shape[0]};
        const Tensor source = waves({shape[1], shape[0]}, 0.37).converted(DType::Float64);
        const Tensor transposed(DType::Float64, shape, flipped, source.data(), source.storage());
        for (const Tensor &x : {a, transposed}) {
            const auto function = Function::compile(request({m, row}, {expression}));
            setThreads(1);
            const Tensor alone = call(*function, {x, b})[0];
            setThreads(4);
            const Tensor shared = call(*function, {x, b})[0];
            function->compileKernels();
            const Tensor compiled = call(*function, {x, b})[0];
            EXPECT_TRUE(shared.sameAs(alone)) << shape.text();
            EXPECT_TRUE(compiled.sameAs(alone)) << shape.text();
        }
    }
}

// Sums, maxima and softmax over every kind of axis: results are parted, sums never are by the number of threads.
TEST_F(Threads, reductionsAndRowsGiveTheSameBits)
{
    const VarRef m = matrix("m", DType::Float32), v = vector("v", DType::Float32);
    const auto everything = Function::compile(request({v}, {sum(v), reduce(ReduceKind::Max, v, {}), argmax(v)}));
    const auto byAxis =
        Function::compile(request({m}, {sum(m, {{0}}), sum(m, {{1}}), reduce(ReduceKind::Max, m, {{0}}), reduce(ReduceKind::Max, m, {{1}}),
                                        argmax(m, {{1}}), softmax(m), logSoftmax(m), sum(m)}));
    const auto expectSame = [](Function &function, const Tensor &x) {
        setThreads(1);
        const std::vector<Tensor> alone = call(function, {x});
        for (int count : {2, 3, 7}) {
            setThreads(count);
            const std::vector<Tensor> shared = call(function, {x});
            for (std::size_t i = 0; i < alone.size(); ++i)
                EXPECT_TRUE(shared[i].sameAs(alone[i])) << "output " << i << " of " << x.shape().text() << " on " << count << " threads";
        }
        return alone;
    };
    for (std::int64_t n : {100000, 1048577, 3000001}) {
        const Tensor x = waves({n}, 0.7);
        double wanted = 0;
        for (std::int64_t i = 0; i < n; ++i) wanted += static_cast<double>(x.as<float>()[i]);
        EXPECT_NEAR(expectSame(*everything, x)[0].at(0), wanted, 1e-3);
    }
    for (const Dims &shape : {Dims{1000, 300}, Dims{3, 100000}, Dims{100000, 3}, Dims{1200, 1000}}) expectSame(*byAxis, waves(shape, 0.7));
}

// Rows of a product with a vector are added up by one thread each; products of matrices may differ in the last bits.
TEST_F(Threads, productsOfLargeMatrices)
{
    const VarRef a = matrix("a", DType::Float32), b = matrix("b", DType::Float32), x = vector("x", DType::Float32);
    const auto vectors = Function::compile(request({a, x}, {dot(a, x)}));
    const auto transposed = Function::compile(request({a, x}, {dot(transpose(a), x)}));
    const auto matrices = Function::compile(request({a, b}, {dot(a, b), dot(transpose(b), transpose(a))}));
    const Tensor large = waves({1500, 1210}, 0.3), right = waves({1210, 90}, 0.2);
    setThreads(1);
    const Tensor y = call(*vectors, {large, waves({1210}, 0.5)})[0], z = call(*transposed, {large, waves({1500}, 0.5)})[0];
    const std::vector<Tensor> products = call(*matrices, {large, right});
    for (int count : {2, 3, 5}) {
        setThreads(count);
        EXPECT_TRUE(call(*vectors, {large, waves({1210}, 0.5)})[0].sameAs(y));
        EXPECT_TRUE(call(*transposed, {large, waves({1500}, 0.5)})[0].sameAs(z));
        const std::vector<Tensor> shared = call(*matrices, {large, right});
        for (std::size_t which = 0; which < 2; ++which)
            for (std::int64_t i = 0; i < products[which].size(); i += 37)
                ASSERT_NEAR(shared[which].at(i), products[which].at(i), 1e-3) << "product " << which << ", element " << i;
    }
}

// Rows and columns of transposed matrices, with a part of columns left over; more products than threads, and fewer.
TEST_F(Threads, batchedProductsGiveTheSameBits)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 3), "x"), y = Variable::input(Type::ofRank(DType::Float32, 3), "y");
    const auto products =
        Function::compile(request({x, y}, {batchedDot(x, y), batchedDot(dimshuffle(y, {0, 2, 1}), dimshuffle(x, {0, 2, 1}))}));
    for (const auto &[batch, rows, inner, columns] : {std::tuple{203, 31, 40, 33}, {700, 60, 50, 1}, {2, 31, 40, 33}, {0, 3, 4, 5}}) {
        const Tensor a = waves({batch, rows, inner}, 0.3), b = waves({batch, inner, columns}, 0.2);
        setThreads(1);
        const std::vector<Tensor> alone = call(*products, {a, b});
        if (batch) {
            double last = 0;
            for (int k = 0; k < inner; ++k) last += a.at(a.size() - inner + k) * b.at(b.size() - (inner - k) * columns + columns - 1);
            EXPECT_NEAR(alone[0].at(alone[0].size() - 1), last, 1e-4);
        }
        for (int count : {2, 5}) {
            setThreads(count);
            const std::vector<Tensor> shared = call(*products, {a, b});
            EXPECT_TRUE(shared[0].sameAs(alone[0])) << batch;
            EXPECT_TRUE(shared[1].sameAs(alone[1])) << batch;
        }
    }
}

// A pass over the rows of a matrix: sums over its parts are added in the order of the rows, whoever made them.
TEST_F(Threads, passesOverRowsGiveTheSameBits)
{
    for (const DType dtype : {DType::Float32, DType::Float64})
        for (const auto &[rows, features] : {std::pair{4003, 300}, {1100, 3000}, {300'000, 9}, {100, 30'000}}) {
            const VarRef x = matrix("x", dtype), w = vector("w", dtype), y = vector("y", dtype);
            const VarRef error = sub(elementwise(ScalarCode::Sigmoid, {dot(x, w)}), y);
            const auto compiled = [&](bool profiled, bool inPasses) {
                FunctionSpec spec = request({x, w, y}, {error, dot(transpose(x), error)});
                spec.profile = profiled;
                if (!inPasses) spec.mode.excluding.push_back("one_pass_over_rows");
                return Function::compile(spec);
            };
            const auto function = compiled(false, true), profiled = compiled(true, true), apart = compiled(false, false);
            ASSERT_EQ(function->graph().groups.size(), 1u);
            ASSERT_TRUE(apart->graph().groups.empty());
            const std::vector<Tensor> arrays = {waves({rows, features}, 0.3).converted(dtype), waves({features}, 0.01).converted(dtype),
                                                waves({rows}, 0.2).converted(dtype)};
            setThreads(1);
            const std::vector<Tensor> alone = call(*function, arrays);
            for (int count : {1, 2, 3}) {
                setThreads(count);
                for (const auto &any : {function, profiled, apart}) {
                    const std::vector<Tensor> shared = call(*any, arrays);
                    EXPECT_TRUE(shared[0].sameAs(alone[0])) << rows << " rows on " << count << " threads";
                    EXPECT_TRUE(shared[1].sameAs(alone[1])) << rows << " rows on " << count << " threads";
                }
                function->compileKernels();
            }
        }
}

} // namespace
