// A machine without a C compiler: everything runs on tier 0, and one function says so once.
#include "tests/engine/compile/build.h"

#include "engine/device/cpu/compiler/compiler.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace build;

namespace {

VarRef fusedExpression(const VarRef &x, double scale)
{
    ScalarBody body;
    body.inputCount = 1;
    body.inputTypes = {DType::Float64};
    body.instructions = {{nullptr, {}, DType::Float64, scale},
                         {scalarOp(ScalarCode::Mul), {0, 1}, DType::Float64},
                         {scalarOp(ScalarCode::Sqr), {2}, DType::Float64}};
    body.outputs = {3};
    return engine::apply(makeOp<Elemwise>(compositeOp(body)), {x});
}

TEST(NoCompiler, tierZeroDoesEverythingAndSaysSoOnce)
{
    setenv("CROTON_CC", "", 1);
    ASSERT_TRUE(compiler().path.empty());
    const VarRef x = vector("x");
    const auto first = Function::compile(request({x}, {fusedExpression(x, 3)}));
    const auto second = Function::compile(request({x}, {fusedExpression(x, 5)}));
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(call(*first, {values({1, 2})})[0].at(1), 36);
        EXPECT_EQ(call(*second, {values({1, 2})})[0].at(1), 100);
    }
    EXPECT_FALSE(first->kernels()[0].running);
    ASSERT_EQ(first->warnings().size() + second->warnings().size(), 1u);
    EXPECT_EQ(first->warnings()[0], compiler().reason);
}

} // namespace
