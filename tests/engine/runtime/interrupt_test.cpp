// A caller that wants its call to end is heard between pieces of the work, on all threads, and nothing is left behind.
#include "engine/tensor/interrupt.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/reductions/topk.h"
#include "engine/runtime/plan/threads.h"
#include "tests/engine/compile/build.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace build;

namespace {

/// Wants the end from the `after`-th time on that it is asked, and is asked at every check.
class Impatient final : public InterruptWatch {
public:
    explicit Impatient(int after) : m_left(after) { hurry(); }
    int asked() const { return m_asked; }

protected:
    bool isEndWanted() override
    {
        ++m_asked;
        hurry();
        return m_left-- <= 0;
    }

private:
    int m_left, m_asked = 0;
};

/// Begins a call: the watch is asked from its first check on.
class Call {
public:
    explicit Call(InterruptWatch &watch) : m_call(&watch) { watch.hurry(); }

private:
    WatchedCall m_call;
};

TEST(Interrupt, nobodyIsAskedWithoutAWatch)
{
    checkInterrupt();
    Impatient watch(0);
    EXPECT_EQ(watch.asked(), 0);
    EXPECT_EQ(currentWatch(), nullptr);
}

TEST(Interrupt, itStaysWantedUntilTheCallIsOver)
{
    Impatient watch(2);
    {
        const Call call(watch);
        checkInterrupt();
        checkInterrupt();
        EXPECT_THROW(checkInterrupt(), Interrupted);
        EXPECT_THROW(checkInterrupt(), Interrupted);
        EXPECT_EQ(isInterruptWanted(), 1);
        EXPECT_EQ(watch.asked(), 3) << "who has said it once is not asked again";
        watch.settle();
        EXPECT_TRUE(currentWatch() == &watch);
    }
    checkInterrupt();
    const Call next(watch);
    EXPECT_FALSE(watch.isEnded());
}

TEST(Interrupt, aCallWithinACallHasTheSameWatch)
{
    Impatient outer(100), inner(0);
    const Call call(outer);
    const WatchedCall within(&inner);
    EXPECT_FALSE(within.isOutermost());
    checkInterrupt();
    EXPECT_EQ(inner.asked(), 0);
    EXPECT_GT(outer.asked(), 0);
}

TEST(Interrupt, partsThatAreLeftDoNotRun)
{
    for (const int threads : {1, 4}) {
        setThreads(threads);
        for (int after = 0; after < 20; ++after) {
            Impatient watch(after);
            std::atomic<int> ran{0};
            const Call call(watch);
            EXPECT_THROW(shareParts(1'000'000, [&](std::int64_t) { ran.fetch_add(1); }), Interrupted);
            EXPECT_LT(ran.load(), 1'000'000);
        }
        std::atomic<int> ran{0};
        shareParts(1000, [&](std::int64_t) { ran.fetch_add(1); });
        EXPECT_EQ(ran.load(), 1000) << "the next work is whole";
    }
    setThreads(0);
}

TEST(Interrupt, helpersOfAnotherCallGoOn)
{
    setThreads(4);
    std::atomic<bool> isOver{false};
    std::atomic<int> whole{0};
    int interrupted = 0;
    std::thread other([&] {
        while (!isOver) {
            std::atomic<int> ran{0};
            shareParts(50, [&](std::int64_t) { ran.fetch_add(1); });
            EXPECT_EQ(ran.load(), 50);
            ++whole;
        }
    });
    for (int round = 0; round < 300; ++round) {
        Impatient watch(round % 5);
        const Call call(watch);
        try {
            shareParts(100'000, [&](std::int64_t) { checkInterrupt(); });
        } catch (const Interrupted &) {
            ++interrupted; // helpers may be done before this thread looks often enough, on a busy machine
        }
    }
    EXPECT_GT(interrupted, 0);
    isOver = true;
    other.join();
    setThreads(0);
    EXPECT_GT(whole.load(), 0);
}

bool sameBytes(const Tensor &a, const Tensor &b)
{
    return a.shape() == b.shape() && a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// How often work looks, on one thread; several share what there is to look at. The function is interrupted and gives what it ever gave
/// afterwards.
void expectLooks(const std::string &what, const VarRef &x, const VarRef &made, const Tensor &value)
{
    const auto function = Function::compile(request({x}, {made}));
    const Tensor wanted = call(*function, {value})[0];
    int looks = 0;
    {
        Impatient watch(1 << 30);
        const Call watched(watch);
        call(*function, {value});
        looks = watch.asked();
    }
    EXPECT_TRUE(threads() > 1 || looks >= 4) << what << " is done in one go: " << looks << " looks";
    for (int after = 0; after < (threads() == 1 ? 3 : 1); ++after) {
        Impatient watch(after);
        {
            const Call watched(watch);
            EXPECT_THROW(call(*function, {value}), Interrupted) << what << ", " << after << " of " << looks;
        }
        EXPECT_TRUE(sameBytes(call(*function, {value})[0], wanted)) << what;
    }
}

TEST(Interrupt, longWorkLooksBetweenItsPieces)
{
    std::mt19937 random(5);
    Tensor value = Tensor::empty(DType::Float64, {std::int64_t(1) << 23});
    for (std::int64_t i = 0; i < value.size(); ++i) value.as<double>()[i] = std::uniform_real_distribution<double>(0, 1)(random);
    const Tensor rows(DType::Float64, {1 << 19, 16}, {128, 8}, value.data(), value.storage());
    const Tensor longRows(DType::Float64, {4, 1 << 21}, {8 << 21, 8}, value.data(), value.storage());
    const Tensor across(DType::Float64, {16, 1 << 19}, {8, 128}, value.data(), value.storage());
    const Tensor square(DType::Float64, {1280, 1280}, {10240, 8}, value.data(), value.storage());
    const VarRef x = vector("x"), m = matrix("m");
    const VarRef five = constantOf(DType::Int64, 5);
    for (const int threads : {1, 3}) {
        setThreads(threads);
        expectLooks("exp", x, engine::exp(x), value);
        expectLooks("a sum with a number", m, engine::add(m, number(1)), across);
        expectLooks("a sum", x, sum(x), value);
        expectLooks("sums of rows", m, sum(engine::exp(m), std::vector<int>{1}), rows);
        expectLooks("sums of long rows", m, sum(engine::exp(m), std::vector<int>{1}), longRows);
        expectLooks("sums of columns", m, sum(m, std::vector<int>{0}), rows);
        expectLooks("argmax", x, argmax(x, std::vector<int>{0}), value);
        expectLooks("argmax of columns", m, argmax(m, std::vector<int>{0}), rows);
        expectLooks("softmax", m, softmax(m), rows);
        expectLooks("sort", x, sort(x, 0), value);
        expectLooks("sort of rows", m, sort(m, 1), rows);
        expectLooks("argsort", x, argsort(x, 0), value);
        expectLooks("topk", x, topK(x, five, 0, true, DType::Int64, true, false)[0], value);
        expectLooks("cumsum", x, cumsum(x, 0), value);
        expectLooks("nonzero", x, nonzero(x)[0], value);
        expectLooks("a product", m, dot(m, m), square);
    }
    setThreads(0);
}

} // namespace
