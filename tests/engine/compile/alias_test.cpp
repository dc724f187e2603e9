// Nothing that a function returns shares memory with what it was given, keeps, or returned elsewhere.
#include "tests/engine/compile/build.h"

#include "engine/ops/shapes/alloc.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace build;

namespace {

TEST(Alias, anInputThatIsAnOutputIsCopied)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {x}));
    ASSERT_EQ(f->order().size(), 1u);
    EXPECT_EQ(f->graph().apply(f->order()[0]).op->name(), "DeepCopyOp");
    const Tensor given = values({1, 2});
    const auto out = call(*f, {given});
    EXPECT_NE(out[0].data(), given.data());
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 2}));
}

TEST(Alias, outputsDoNotShareMemoryWithEachOtherOrALaterCall)
{
    const VarRef x = matrix("x");
    const VarRef y = add(x, number(1));
    const auto f = Function::compile(request({x}, {y, transpose(y), y}));
    const Tensor given = values({1, 2, 3, 4}, {2, 2});
    const auto first = call(*f, {given});
    const auto kept = numbers(first[0]);
    first[1].as<double>()[0] = 99;
    first[2].as<double>()[0] = 77;
    EXPECT_EQ(numbers(first[0]), kept);
    const auto second = call(*f, {values({5, 6, 7, 8}, {2, 2})});
    EXPECT_EQ(numbers(first[0]), kept);
    EXPECT_EQ(numbers(second[1]), (std::vector<double>{6, 8, 7, 9}));
}

TEST(Alias, aSharedVariableIsNotReturnedItself)
{
    const VarRef s = shared(values({1, 2}), "s");
    const auto f = Function::compile(request({}, {s}, {{s, add(s, number(1))}}));
    const auto out = call(*f, {});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 2}));
    EXPECT_NE(out[0].data(), s->container()->value().tensor().data());
    call(*f, {});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 2}));
}

TEST(Alias, theNewValueOfAVariableIsNotTheReturnedArray)
{
    const VarRef s = shared(values({1, 2}), "s");
    const VarRef next = add(s, number(1));
    const auto f = Function::compile(request({}, {next}, {{s, next}}));
    auto out = call(*f, {});
    out[0].as<double>()[0] = 1000;
    EXPECT_EQ(numbers(s->container()->value().tensor()), (std::vector<double>{2, 3}));
}

TEST(Alias, aConstantOutputIsCopied)
{
    const VarRef x = vector("x");
    const VarRef c = Variable::constant(values({1, 2}));
    FunctionSpec spec = request({x}, {c});
    spec.onUnusedInput = OnUnusedInput::Ignore;
    const auto f = Function::compile(std::move(spec));
    const auto out = call(*f, {values({0})});
    out[0].as<double>()[0] = 5;
    EXPECT_EQ(numbers(c->value().tensor()), (std::vector<double>{1, 2}));
    EXPECT_EQ(numbers(call(*f, {values({0})})[0]), (std::vector<double>{1, 2}));
}

TEST(Alias, borrowedOutputsStayValid)
{
    const VarRef s = shared(values({1, 2}), "s");
    FunctionSpec spec = request({}, {s});
    spec.borrowOutput = {true};
    const auto f = Function::compile(std::move(spec));
    const auto out = call(*f, {});
    EXPECT_EQ(out[0].data(), s->container()->value().tensor().data());
    s->container()->set(Value(values({9, 9})));
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 2}));
}

TEST(Alias, outputsOutliveTheFunction)
{
    std::vector<Tensor> out;
    {
        const VarRef x = vector("x");
        const auto f = Function::compile(request({x}, {mul(x, x), transpose(dot(padLeft(x, 1), transpose(padLeft(x, 1))))}));
        out = call(*f, {values({1, 2, 3})});
    }
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 4, 9}));
    EXPECT_EQ(out[1].at(0), 14);
}

// In-place graphs written by hand: the reader of the old value runs before the one that overwrites it.
TEST(Alias, readersRunBeforeTheDestroyer)
{
    const VarRef x = vector("x");
    const VarRef y = add(x, number(1)); // fresh memory that is then overwritten
    const OpRef overwrite = makeOp<Elemwise>(scalarOp(ScalarCode::Exp), std::vector<Alias>{{0, 0}});
    const VarRef z = engine::apply(overwrite, {y});
    const VarRef reader = mul(y, y);
    FunctionSpec spec = request({x}, {z, reader}, {}, "None");
    const auto f = Function::compile(std::move(spec));
    const auto out = call(*f, {values({0, 1})});
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{1, 4}));
    EXPECT_NEAR(out[0].at(1), std::exp(2.0), 1e-12);
    std::size_t position[2] = {0, 0};
    for (std::size_t i = 0; i < f->order().size(); ++i) {
        const Op &op = *f->graph().apply(f->order()[i]).op;
        if (!op.destroyMap().empty()) position[0] = i;
        if (op.name() == "Elemwise{mul,no_inplace}") position[1] = i;
    }
    EXPECT_LT(position[1], position[0]);
}

TEST(Alias, theSecondDestroyerOfOneArrayGetsACopy)
{
    const VarRef x = vector("x");
    const VarRef y = add(x, number(1));
    const OpRef overwrite = makeOp<Elemwise>(scalarOp(ScalarCode::Sqr), std::vector<Alias>{{0, 0}});
    const OpRef other = makeOp<Elemwise>(scalarOp(ScalarCode::Neg), std::vector<Alias>{{0, 0}});
    const auto f = Function::compile(request({x}, {engine::apply(overwrite, {y}), engine::apply(other, {y})}, {}, "None"));
    const auto out = call(*f, {values({0, 1})});
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1, 4}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{-1, -2}));
}

TEST(Alias, whatSomebodyElseNeedsIsCopiedBeforeAnOpOverwritesIt)
{
    const VarRef x = vector("x"), w = shared(values({1, 2}), "w");
    const OpRef overwrite = makeOp<Elemwise>(scalarOp(ScalarCode::Sqr), std::vector<Alias>{{0, 0}});
    const VarRef y = add(x, number(1));
    // An argument, a shared variable without an update, an output, and a value whose reader needs what overwrites it.
    const VarRef over = engine::apply(overwrite, {y});
    const auto f =
        Function::compile(request({x}, {engine::apply(overwrite, {x}), engine::apply(overwrite, {w}), over, y, add(over, y)}, {}, "None"));
    const Tensor argument = values({0, 1});
    for (int i = 0; i < 2; ++i) {
        const auto out = call(*f, {argument});
        EXPECT_EQ(numbers(out[0]), (std::vector<double>{0, 1}));
        EXPECT_EQ(numbers(out[1]), (std::vector<double>{1, 4}));
        EXPECT_EQ(numbers(out[3]), (std::vector<double>{1, 2}));
        EXPECT_EQ(numbers(out[4]), (std::vector<double>{2, 6}));
    }
    EXPECT_EQ(numbers(argument), (std::vector<double>{0, 1}));
    EXPECT_EQ(numbers(w->container()->value().tensor()), (std::vector<double>{1, 2}));
}

TEST(Alias, updatesInPlaceKeepTheVariablesMemory)
{
    const VarRef w = shared(values({1, 2}), "w"), a = matrix("a"), x = vector("x");
    const OpRef gemv = makeOp<Gemv>(true, true);
    const VarRef one = number(1);
    const VarRef next = engine::apply(gemv, {w, one, a, x, one});
    const auto f = Function::compile(request({a, x}, {sum(w)}, {{w, next}}, "None"));
    const void *memory = w->container()->value().tensor().data();
    const auto out = call(*f, {values({1, 0, 0, 1}, {2, 2}), values({10, 20})});
    EXPECT_EQ(out[0].at(0), 3);
    EXPECT_EQ(numbers(w->container()->value().tensor()), (std::vector<double>{11, 22}));
    EXPECT_EQ(w->container()->value().tensor().data(), memory);
}

} // namespace
