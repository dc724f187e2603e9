// Functions with sizes that are known only after something ran: in stages, each with plans of its own.
#include "tests/engine/compile/build.h"

#include "engine/ops/index/index_advanced.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace build;

namespace {

VarRef chosen(const VarRef &x, const VarRef &mask) { return subtensor(x, std::vector<IndexItem>{IndexItem::array(nonzero(mask)[0])}); }
VarRef positive(const VarRef &x) { return elementwise(ScalarCode::Gt, {x, number(0)}); }

Tensor ramp(std::int64_t size, double start)
{
    Tensor result = Tensor::empty(DType::Float64, {size});
    for (std::int64_t i = 0; i < size; ++i) result.as<double>()[i] = start + static_cast<double>(i);
    return result;
}

// Fails while it runs when its first element is negative.
class Sensitive final : public Op {
public:
    std::string_view className() const override { return "Sensitive"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
    {
        outputs = {{shapes.dim(0, 0)}};
        return true;
    }
    void perform(PerformArgs &args) const override
    {
        if (args.inputs[0].as<double>()[0] < 0) throw UserError("it is negative");
        copyConverted(args.inputs[0], args.outputs[0]);
    }
    bool canFold() const override { return false; }

protected:
    std::string exactName() const override { return "Sensitive"; }
};

// Counts in an object that is no array.
class CountObject final : public ForeignObject {
public:
    explicit CountObject(int count) : count(count) {}
    std::string text() const override { return std::to_string(count); }
    bool equals(const ForeignObject &) const override { return false; }
    int count;
};
class CountUp final : public Op {
public:
    std::string_view className() const override { return "CountUp"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type, inputs[1].type}; }
    bool worksOnValues() const override { return true; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override
    {
        const int count = static_cast<const CountObject *>(inputs[0].object().get())->count + 1;
        outputs[0] = Value(ForeignRef(new CountObject(count)));
        Tensor sum = inputs[1].tensor().copy();
        for (std::int64_t i = 0; i < sum.size(); ++i) sum.as<double>()[i] += count;
        outputs[1] = Value(std::move(sum));
    }
    bool canFold() const override { return false; }

protected:
    std::string exactName() const override { return "CountUp"; }
};

TEST(Stages, aFunctionOfKnownSizesIsOneStage)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {sum(exp(x))}));
    EXPECT_EQ(f->stageCount(), 1u);
    EXPECT_EQ(f->order().size(), 1u);
}

TEST(Stages, whatDoesNotWaitForTheCutRunsBeforeIt)
{
    const VarRef x = vector("x"), y = vector("y");
    const VarRef part = chosen(exp(x), positive(x));
    const auto f = Function::compile(request({x, y}, {sum(mul(part, part)), sum(exp(mul(y, y)))}));
    EXPECT_EQ(f->stageCount(), 2u);
    const auto order = f->order();
    const auto isCut = [&](ApplyId id) { return f->graph().apply(id).op->className() == "Nonzero"; };
    const auto cut = std::find_if(order.begin(), order.end(), isCut);
    ASSERT_NE(cut, order.end());
    // Behind it: what reads the places.
    EXPECT_EQ(order.end() - cut, 3);
    const auto out = call(*f, {values({1, -1, 2}), values({0, 1})});
    EXPECT_NEAR(out[0].at(0), std::exp(2.0) + std::exp(4.0), 1e-12);
    EXPECT_NEAR(out[1].at(0), 1 + std::exp(1.0), 1e-12);
}

TEST(Stages, cutsSideBySideShareTheirGap)
{
    const VarRef x = vector("x"), y = vector("y");
    const auto f = Function::compile(request({x, y}, {sum(exp(chosen(x, positive(x)))), sum(exp(chosen(y, positive(y))))}));
    EXPECT_EQ(f->stageCount(), 2u);
    const auto out = call(*f, {values({0.5, -1}), values({-1, 2, 3})});
    EXPECT_NEAR(out[0].at(0), std::exp(0.5), 1e-12);
    EXPECT_NEAR(out[1].at(0), std::exp(2.0) + std::exp(3.0), 1e-12);
}

TEST(Stages, aNumberThatAStageComputesIsASizeOfTheNext)
{
    const VarRef x = vector("x");
    // As many elements as are positive: no shape rule tells that, but no apply has to run by itself either.
    const VarRef count = sum(cast(positive(x), DType::Int64));
    const VarRef head = subtensor(x, std::vector<IndexItem>{IndexItem::slice(VarRef(), count)});
    const auto f = Function::compile(request({x}, {exp(head)}));
    EXPECT_EQ(f->stageCount(), 2u);
    EXPECT_EQ(call(*f, {values({0, 0, 5, 7})})[0].size(), 2);
    EXPECT_EQ(call(*f, {values({0, 0, 0, 7})})[0].size(), 1);
}

TEST(Stages, sizesChangeFromCallToCall)
{
    const VarRef x = vector("x");
    const VarRef part = chosen(x, positive(x));
    const auto f = Function::compile(request({x}, {exp(part), sum(mul(part, part)), part}));
    for (int round = 0; round < 30; ++round) {
        const Tensor given = ramp(10, -(round * 7 % 12));
        const auto out = call(*f, {given});
        std::vector<double> wanted;
        for (double value : numbers(given))
            if (value > 0) wanted.push_back(value);
        ASSERT_EQ(numbers(out[2]), wanted);
        ASSERT_EQ(out[0].size(), out[2].size());
        double squares = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            squares += wanted[i] * wanted[i];
            EXPECT_DOUBLE_EQ(out[0].at(static_cast<std::int64_t>(i)), std::exp(wanted[i]));
        }
        EXPECT_DOUBLE_EQ(out[1].at(0), squares);
    }
}

TEST(Stages, whatIsReturnedOutlivesLaterCallsAndTheFunction)
{
    const VarRef x = vector("x");
    const VarRef before = exp(x), part = chosen(before, positive(x));
    auto f = Function::compile(request({x}, {before, part, mul(part, part)}));
    const auto first = call(*f, {values({1, -1, 2})});
    const auto kept = numbers(first[1]), keptBefore = numbers(first[0]), keptSquares = numbers(first[2]);
    for (int i = 0; i < 5; ++i) call(*f, {values({3, 4, -5})});
    EXPECT_EQ(numbers(first[1]), kept);
    EXPECT_EQ(numbers(first[0]), keptBefore);
    f.reset();
    EXPECT_EQ(numbers(first[2]), keptSquares);
    EXPECT_NE(first[0].data(), first[1].data());
}

TEST(Stages, aViewOfWhatAnEarlierStageMadeKeepsItAlive)
{
    const VarRef x = matrix("x");
    const VarRef turned = transpose(exp(x));
    const VarRef part = subtensor(turned, std::vector<IndexItem>{IndexItem::array(nonzero(positive(sum(x, {{0}})))[0])});
    const auto f = Function::compile(request({x}, {part, turned}));
    EXPECT_EQ(f->stageCount(), 2u);
    const auto out = call(*f, {values({1, -1, 2, -2}, {2, 2})});
    EXPECT_EQ(out[0].shape(), (Dims{1, 2}));
    EXPECT_EQ(out[1].shape(), (Dims{2, 2}));
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(out[0].at(i), std::exp(1.0 + i), 1e-12);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[1].at(i), std::exp(i < 2 ? 1.0 + i : 1.0 - i), 1e-12);
}

TEST(Stages, sharedVariablesAreUpdatedInPlaceBehindACut)
{
    const VarRef x = vector("x"), w = shared(values({1, 1}), "w");
    const VarRef gain = sum(chosen(x, positive(x)));
    const auto f = Function::compile(request({x}, {sum(w)}, {{w, add(w, gain)}}));
    const void *memory = w->container()->value().tensor().data();
    EXPECT_EQ(call(*f, {values({1, -3, 2})})[0].at(0), 2);
    EXPECT_EQ(numbers(w->container()->value().tensor()), (std::vector<double>{4, 4}));
    EXPECT_EQ(call(*f, {values({-3, 5})})[0].at(0), 8);
    EXPECT_EQ(numbers(w->container()->value().tensor()), (std::vector<double>{9, 9}));
    EXPECT_EQ(w->container()->value().tensor().data(), memory);
}

TEST(Stages, readersOfAnOverwrittenArrayRunBeforeInWhateverStage)
{
    // w is overwritten where nothing waits for the cut; its old value is read behind the cut.
    const VarRef x = vector("x"), w = shared(values({1, 2, 3}), "w");
    const VarRef old = chosen(w, positive(x));
    const auto f = Function::compile(request({x}, {mul(old, old)}, {{w, mul(w, number(10))}}));
    EXPECT_EQ(numbers(call(*f, {values({1, -1, 1})})[0]), (std::vector<double>{1, 9}));
    EXPECT_EQ(numbers(call(*f, {values({-1, 1, 1})})[0]), (std::vector<double>{400, 900}));
}

TEST(Stages, memoryOfAStageIsReturnedAfterItsLastReader)
{
    const VarRef x = vector("x");
    VarRef y = x;
    for (int i = 0; i < 5; ++i) y = exp(mul(y, y));
    const VarRef part = chosen(y, positive(x));
    FunctionSpec spec = request({x}, {sum(part)}, {}, "None");
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    const Tensor given = Tensor::full(DType::Float64, {10000}, 0.01);
    call(*f, {given});
    // The stage before the cut: two arrays in turn; handed on: y and the places; behind: the chosen ones.
    EXPECT_LT(f->statistics().callPeakBytes, 5 * 80'000u);
    call(*f, {given});
    const auto buffers = f->buffers();
    std::size_t handed = 0;
    for (const BufferInfo &buffer : buffers) {
        handed += buffer.residence == Residence::Handed || buffer.residence == Residence::Found;
        EXPECT_LE(buffer.death, f->order().size() - 1);
        EXPECT_LE(buffer.birth, buffer.death);
    }
    EXPECT_GE(handed, 2u);
    EXPECT_GT(f->arenaBytes(), 0u);
}

TEST(Stages, everyVariableOfTheOrderHasOneBuffer)
{
    const VarRef x = vector("x");
    const VarRef part = chosen(exp(x), positive(x));
    FunctionSpec spec = request({x}, {sum(mul(part, part)), part});
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    EXPECT_TRUE(f->buffers().empty());
    call(*f, {values({1, -1, 2})});
    const auto buffers = f->buffers();
    for (std::size_t i = 0; i < f->order().size(); ++i)
        for (VarId out : f->graph().apply(f->order()[i]).outputs) {
            const auto count = std::count_if(buffers.begin(), buffers.end(), [&](const BufferInfo &b) { return b.var == out; });
            EXPECT_EQ(count, 1);
            const auto found = std::find_if(buffers.begin(), buffers.end(), [&](const BufferInfo &b) { return b.var == out; });
            EXPECT_EQ(found->birth, i);
            for (const Client &client : f->graph().var(out).clients) {
                if (client.isGraphOutput()) continue;
                const auto place = std::find(f->order().begin(), f->order().end(), client.apply) - f->order().begin();
                EXPECT_GE(found->death, static_cast<std::size_t>(place));
            }
        }
    EXPECT_EQ(f->tiers().size(), f->order().size());
    EXPECT_EQ(f->passes().size(), f->order().size());
    EXPECT_EQ(f->prepareTicks().size(), f->order().size());
}

TEST(Stages, countsEveryApplyOfEveryCall)
{
    const VarRef x = vector("x");
    const VarRef part = chosen(exp(x), positive(x));
    FunctionSpec spec = request({x}, {sum(mul(part, part))});
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    f->statistics().trace.nextCall = 2;
    for (int i = 0; i < 6; ++i) {
        call(*f, {values({1, -1, i < 3 ? 2.0 : -2.0})});
        CallTrace &trace = f->statistics().trace;
        ASSERT_EQ(trace.ticks.size(), i == 2 ? f->order().size() + 1 : 0u);
        if (i != 2) continue;
        EXPECT_TRUE(std::is_sorted(trace.ticks.begin(), trace.ticks.end()));
        for (const auto &[position, began] : trace.pauses) {
            EXPECT_GE(began, trace.ticks[position]);
            EXPECT_LE(began, trace.ticks[position + 1]);
        }
        EXPECT_EQ(f->statistics().planSerial, 1u);
    }
    EXPECT_EQ(f->statistics().planSerial, 2u); // other sizes behind the cut
    ASSERT_EQ(f->statistics().totals().size(), f->order().size());
    for (const auto &[calls, ticks] : f->statistics().totals()) EXPECT_EQ(calls, 6u);
    EXPECT_GT(f->statistics().runTicks.get(), 0u);
    call(*f, {values({1, -1, 2})});
    EXPECT_EQ(f->statistics().planSerial, 1u);
}

TEST(Stages, kernelsRunInEveryStageWithTheSameBits)
{
    const VarRef x = vector("x"), z = vector("z");
    const auto several = [](const VarRef &v) { return sub(add(mul(exp(v), v), mul(number(3), v)), number(1)); };
    const VarRef y = several(x), part = chosen(y, positive(z));
    const auto f = Function::compile(request({x, z}, {y, several(mul(part, number(0.01)))}));
    Tensor given = Tensor::empty(DType::Float64, {1000});
    for (std::int64_t i = 0; i < 1000; ++i) given.as<double>()[i] = static_cast<double>(i - 300) / 100;
    const auto before = call(*f, {given, given});
    f->compileKernels();
    const auto kernels = f->kernels();
    ASSERT_GE(kernels.size(), 2u);
    const auto order = f->order();
    for (const auto &kernel : kernels) {
        EXPECT_TRUE(kernel.running);
        const auto place = std::find(order.begin(), order.end(), kernel.apply);
        ASSERT_NE(place, order.end());
        EXPECT_EQ(f->tiers()[static_cast<std::size_t>(place - order.begin())], Tier::Compiled);
    }
    EXPECT_NE(kernels.front().apply, kernels.back().apply);
    const auto after = call(*f, {given, given});
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(before[i].sameAs(after[i]));
}

template <class Error, class Action>
std::string messageOf(Action action)
{
    try {
        action();
    } catch (const Error &error) {
        return error.what();
    }
    return "(nothing was thrown)";
}

TEST(Stages, anErrorBehindACutNamesItsApplyItsOperandsAndWhatMayHaveChanged)
{
    const VarRef x = vector("x"), w = shared(values({1, 2}), "w"), v = vector("v");
    const VarRef first = engine::apply(makeOp<Elemwise>(scalarOp(ScalarCode::Add), std::vector<Alias>{{0, 0}}), {w, v});
    const VarRef bad = engine::apply(makeOp<Sensitive>(), {chosen(x, positive(mul(x, x)))});
    const auto f = Function::compile(request({x, v}, {exp(bad)}, {{w, first}}, "None"));
    EXPECT_EQ(call(*f, {values({2, 0}), values({1, 1})})[0].size(), 1);
    const std::string text = messageOf<RunError>([&] { call(*f, {values({-5, 0, 3}), values({1, 1})}); });
    EXPECT_NE(text.find("it is negative"), std::string::npos) << text;
    EXPECT_NE(text.find("Sensitive"), std::string::npos) << text;
    EXPECT_NE(text.find("Inputs shapes: [(2,)]"), std::string::npos) << text;
    EXPECT_NE(text.find("[-5.  3.]"), std::string::npos) << text;
    EXPECT_NE(text.find("may have changed before the error: w"), std::string::npos) << text;
    EXPECT_EQ(call(*f, {values({2, 0}), values({1, 1})})[0].size(), 1); // it works again
}

TEST(Stages, sizesThatDoNotFitBehindACutNameTheirApply)
{
    const VarRef x = vector("x"), y = vector("y");
    const auto f = Function::compile(request({x, y}, {add(chosen(x, positive(x)), y)}, {}, "None"));
    EXPECT_EQ(numbers(call(*f, {values({1, -1, 2}), values({10, 20})})[0]), (std::vector<double>{11, 22}));
    const std::string text = messageOf<RunError>([&] { call(*f, {values({1, 1, 2}), values({10, 20})}); });
    EXPECT_NE(text.find("Apply node that caused the error: Elemwise{add"), std::string::npos) << text;
    EXPECT_NE(text.find("(3,)"), std::string::npos) << text;
    EXPECT_EQ(text.find("may have changed"), std::string::npos) << text;
}

TEST(Stages, objectsThatAreNoArraysGoFromApplyToApply)
{
    const Type plain = Type::plain(TypeKind::Generic);
    const VarRef state = Variable::shared(std::make_shared<Container>(Value(ForeignRef(new CountObject(0)))), plain, "state");
    const VarRef x = vector("x");
    const ApplyRef count = Apply::create(makeOp<CountUp>(), std::vector<VarRef>{state, exp(x)});
    const auto f =
        Function::compile(request({x}, {mul(VarRef(count->output(1)), VarRef(count->output(1)))}, {{state, VarRef(count->output(0))}}));
    EXPECT_EQ(f->stageCount(), 2u);
    for (int i = 1; i <= 3; ++i) {
        std::vector<Value> outputs;
        f->call(std::vector<Value>{values({0, 0})}, outputs);
        EXPECT_EQ(outputs[0].tensor().at(1), (1.0 + i) * (1.0 + i));
    }
    EXPECT_EQ(state->container()->value().object()->text(), "3");
}

TEST(Stages, withoutGcArenasStay)
{
    const VarRef x = vector("x");
    const VarRef part = chosen(exp(exp(x)), positive(x));
    FunctionSpec spec = request({x}, {sum(exp(mul(part, part)))}, {}, "None");
    spec.mode.allowGc = false;
    spec.profile = true;
    const auto f = Function::compile(std::move(spec));
    const Tensor given = Tensor::full(DType::Float64, {1000}, 0.01);
    const double once = call(*f, {given})[0].at(0);
    const std::size_t peak = f->statistics().callPeakBytes;
    EXPECT_EQ(call(*f, {given})[0].at(0), once);
    EXPECT_NEAR(static_cast<double>(f->statistics().callPeakBytes), static_cast<double>(peak), 256);
    EXPECT_GE(f->arenaBytes(), 2 * 8000u);
}

} // namespace
