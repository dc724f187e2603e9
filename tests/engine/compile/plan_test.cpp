// Plans: chosen by sizes, laid out by liveness, free to be dropped.
#include "engine/ops/index/index.h"
#include "tests/engine/compile/build.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

using namespace build;

namespace {

TEST(Plan, aChainOfStepsNeedsTwoArrays)
{
    const VarRef x = vector("x");
    VarRef y = x;
    for (int i = 0; i < 10; ++i) y = exp(y);
    FunctionSpec spec = request({x}, {sum(y)}, {}, "None");
    const auto f = Function::compile(std::move(spec));
    call(*f, {Tensor::full(DType::Float64, {1000}, 0)});
    std::size_t end = 0;
    for (const BufferInfo &buffer : f->buffers())
        if (buffer.residence == Residence::Arena) end = std::max(end, buffer.offset + buffer.bytes);
    EXPECT_GT(end, 0u);
    EXPECT_LE(end, 2 * 8192u);
}

TEST(Plan, liveArraysNeverOverlap)
{
    const VarRef x = vector("x"), y = vector("y");
    const VarRef a = exp(x), b = mul(a, y), c = add(a, b), d = mul(c, c), e = sub(d, a);
    const auto f = Function::compile(request({x, y}, {sum(e), sum(mul(b, d))}, {}, "None"));
    call(*f, {Tensor::full(DType::Float64, {100}, 0), Tensor::full(DType::Float64, {100}, 1)});
    const auto buffers = f->buffers();
    for (const BufferInfo &p : buffers)
        for (const BufferInfo &q : buffers) {
            if (p.residence != Residence::Arena || q.residence != Residence::Arena || p.var == q.var) continue;
            const bool together = p.birth <= q.death && q.birth <= p.death;
            const bool apart = p.offset + p.bytes <= q.offset || q.offset + q.bytes <= p.offset;
            EXPECT_TRUE(!together || apart);
        }
}

TEST(Plan, viewsCostNothing)
{
    const VarRef x = matrix("x");
    const auto f = Function::compile(request({x}, {sum(transpose(x), {{0}})}, {}, "None"));
    call(*f, {Tensor::full(DType::Float64, {3, 4}, 1)});
    bool seen = false;
    for (const BufferInfo &buffer : f->buffers())
        if (buffer.residence == Residence::View) {
            seen = true;
            EXPECT_EQ(buffer.shape, (Dims{4, 3}));
            EXPECT_EQ(buffer.strides, (Dims{8, 32}));
        }
    EXPECT_TRUE(seen);
}

// Bounds of a minibatch, fused into one function of several results: sizes are known all the same.
TEST(Plan, sizesComeThroughFusedIntegers)
{
    const VarRef x = vector("x"), i = scalar("i", DType::Int64);
    const VarRef sixtyFour = constantOf(DType::Int64, 4);
    const VarRef start = mul(i, sixtyFour), stop = mul(add(i, constantOf(DType::Int64, 1)), sixtyFour);
    const VarRef batch = apply(makeOp<Subtensor>(std::vector<IndexEntry>{{true, DType::Int64, DType::Int64, {}}}), {x, start, stop});
    const auto f = Function::compile(request({x, i}, {exp(add(batch, batch)), add(start, stop)}));
    for (std::int64_t at : {0, 1, 2, 3}) {
        const auto out = call(*f, {values({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), Tensor::scalarInt(DType::Int64, at)});
        EXPECT_EQ(out[0].size(), std::max<std::int64_t>(0, std::min<std::int64_t>(4, 10 - 4 * at)));
        if (at < 3) {
            EXPECT_DOUBLE_EQ(out[0].at(0), std::exp(8.0 * static_cast<double>(at)));
        }
    }
    EXPECT_FALSE(f->buffers().empty()); // a plan, not apply by apply
}

TEST(Plan, freeDropsThePlansAndTheNextCallMakesThemAgain)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {exp(add(x, x))}));
    call(*f, {values({0, 0})});
    EXPECT_FALSE(f->buffers().empty());
    f->free();
    EXPECT_TRUE(f->buffers().empty());
    EXPECT_EQ(call(*f, {values({0, 0})})[0].at(1), 1);
}

TEST(Plan, manyShapesOneAfterTheOther)
{
    const VarRef x = matrix("x");
    const auto f = Function::compile(request({x}, {sum(mul(x, x), {{1}})}));
    for (int round = 0; round < 2; ++round)
        for (std::int64_t rows = 1; rows < 20; ++rows) {
            const auto out = call(*f, {Tensor::full(DType::Float64, {rows, 20 - rows}, 2)});
            ASSERT_EQ(out[0].size(), rows);
            ASSERT_EQ(out[0].at(rows - 1), 4.0 * static_cast<double>(20 - rows));
        }
}

// Plans come and go with every call: whoever looks waits for it.
TEST(Plan, anotherThreadMayLookAtAnyTime)
{
    const VarRef x = matrix("x");
    const auto f = Function::compile(request({x}, {sum(mul(x, exp(x)), {{1}})}));
    std::atomic<bool> isOver{false};
    std::thread caller([&] {
        for (int round = 0; round < 300; ++round)
            for (std::int64_t rows = 1; rows < 20; ++rows) call(*f, {Tensor::full(DType::Float64, {rows, 20 - rows}, 2)});
        isOver = true;
    });
    std::size_t seen = 0;
    while (!isOver) {
        for (const BufferInfo &buffer : f->buffers()) seen += buffer.bytes > 0;
        const std::vector<Tier> tiers = f->tiers();
        EXPECT_TRUE(tiers.empty() || tiers.size() == f->order().size());
        seen += f->passes().size() + f->prepareTicks().size() + f->deviceTags().size() + f->kernels().size() + f->notes().size();
        seen += f->arenaBytes() + f->workBytes();
    }
    caller.join();
    EXPECT_GT(seen, 0u);
}

} // namespace
