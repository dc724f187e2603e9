// The rules of grad, Lop and Rop: names, casts, disconnected and undefined terms, known gradients, constants.
#include "tests/engine/ops/evaluate.h"

#include "engine/graph/op/op.h"
#include "engine/ops/elements/gradient_view.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

using namespace testing_ops;
using List = std::vector<double>;

namespace {

VarRef vector(const char *name, DType dtype = DType::Float64) { return Variable::input(Type::ofRank(dtype, 1), name); }
VarRef scalar(const char *name, DType dtype = DType::Float64) { return Variable::input(Type::scalar(dtype), name); }

VarRef gradOf(const VarRef &cost, const VarRef &wrt, const GradOptions &options = {})
{
    const VarRef list[] = {wrt};
    return grad(cost, list, options)[0];
}

std::size_t applies(const VarRef &variable)
{
    const VarRef list[] = {variable};
    return toposort(list).size();
}

} // namespace

TEST(Grad, NamesTheResultWhereBothAreNamed)
{
    const VarRef w = vector("w");
    VarRef cost = sum(sqr(w));
    EXPECT_EQ(gradOf(cost, w)->name(), "");
    cost->setName("cost");
    EXPECT_EQ(gradOf(cost, w)->name(), "(dcost/dw)");
    GradOptions silent;
    silent.addNames = false;
    EXPECT_EQ(gradOf(cost, w, silent)->name(), "");
}

// As fusion makes it: sigmoid(x) * y and x + y of one kernel.
TEST(Grad, OfACompositeWithSeveralOutputsIsTheSumOverThem)
{
    const VarRef x = vector("x"), y = vector("y");
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {DType::Float64, DType::Float64};
    body.instructions = {{scalarOp(ScalarCode::Sigmoid), {0}, DType::Float64},
                         {scalarOp(ScalarCode::Mul), {2, 1}, DType::Float64},
                         {scalarOp(ScalarCode::Add), {0, 1}, DType::Float64}};
    body.outputs = {3, 4};
    const VarRef product = elementwise(compositeOp(body), std::vector<VarRef>{x, y});
    const VarRef total = product->owner()->output(1);
    const auto at = [](double first, double second) { return fromList({first, second}, {2}, DType::Float64); };
    const std::vector<Tensor> values = {at(0, 1), at(3, -2)};
    const auto slopes = [&](const VarRef &cost, const VarRef &wrt) { return run(gradOf(cost, wrt), {x, y}, values); };
    const VarRef cost = add(sum(product), sum(sqr(total)));
    const VarRef written = add(sum(mul(elementwise(ScalarCode::Sigmoid, {x}), y)), sum(sqr(add(x, y))));
    for (const VarRef &wrt : {x, y})
        for (std::int64_t i = 0; i < 2; ++i) EXPECT_NEAR(slopes(cost, wrt).at(i), slopes(written, wrt).at(i), 1e-12) << wrt->name() << i;
    EXPECT_EQ(slopes(sum(total), x).at(0), 1) << "an output that no cost reads adds nothing";
}

TEST(Grad, OfItselfIsOne)
{
    const VarRef x = scalar("x");
    EXPECT_EQ(run(gradOf(x, x), {x}, {Tensor::scalar(DType::Float64, 5)}).at(0), 1);
}

TEST(Grad, CostMustBeAScalarOfReals)
{
    const VarRef w = vector("w");
    try {
        gradOf(w, w);
        FAIL();
    } catch (const TypeMismatch &error) {
        EXPECT_NE(std::string(error.what()).find("cost must be a scalar"), std::string::npos);
        EXPECT_FALSE(error.hint().empty());
    }
    const VarRef z = scalar("z", DType::Complex128);
    EXPECT_THROW(gradOf(z, z), TypeMismatch);
    EXPECT_THROW(gradOf(VarRef(), w), TypeMismatch);
}

TEST(Grad, IntegerCostsAndInputsGiveFloats)
{
    const VarRef i = scalar("i", DType::Int32);
    const VarRef g = gradOf(sqr(i), i);
    EXPECT_EQ(g->type().dtype(), floatX());
    EXPECT_EQ(run(g, {i}, {Tensor::scalarInt(DType::Int32, 3)}).at(0), 0) << "flat between integers";
    // A product of an integer and a float has a normal slope in both.
    const VarRef x = vector("x"), n = vector("n", DType::Int64);
    const VarRef d = gradOf(dot(x, n), n);
    EXPECT_EQ(d->type().dtype(), DType::Float64);
    EXPECT_EQ(listOf(run(d, {x, n}, {fromList({1, 2}, {2}), fromList({3, 4}, {2}, DType::Int64)})), (List{1, 2}));
}

TEST(Grad, ArrivesInTheDTypeOfEachOutput)
{
    const VarRef x = vector("x", DType::Float32);
    const VarRef wide = sum(mul(cast(x, DType::Float64), constantOf(DType::Float64, 3)));
    EXPECT_EQ(gradOf(wide, x)->type().dtype(), DType::Float64) << "a cast hands on what it gets";
    const VarRef inner = elementwise(ScalarCode::Tanh, {x});
    const VarRef through = gradOf(sum(cast(inner, DType::Float64)), x);
    EXPECT_EQ(through->type().dtype(), DType::Float32);
}

TEST(Grad, DisconnectedInputsByChoice)
{
    const VarRef x = vector("x"), y = vector("y");
    const VarRef cost = sum(sqr(x));
    try {
        gradOf(cost, y);
        FAIL();
    } catch (const DisconnectedInput &error) {
        EXPECT_NE(std::string(error.what()).find("y"), std::string::npos);
    }
    GradOptions options;
    options.onDisconnected = OnDisconnected::Ignore;
    EXPECT_EQ(listOf(run(gradOf(cost, y, options), {y}, {fromList({5, 6}, {2})})), (List{0, 0}));
    std::vector<std::string> warnings;
    options.onDisconnected = OnDisconnected::Warn;
    options.warnings = &warnings;
    options.disconnectedResult = DisconnectedResult::None;
    EXPECT_FALSE(gradOf(cost, y, options));
    EXPECT_EQ(warnings.size(), 1u);
    options.disconnectedResult = DisconnectedResult::Disconnected;
    EXPECT_TRUE(isDisconnected(gradOf(cost, y, options)));
    // Only the shape of x matters here: no elements, so no connection.
    const VarRef counted = mul(cast(shapeOf(x, 0), DType::Float64), sum(y));
    EXPECT_THROW(gradOf(counted, x), DisconnectedInput);
    EXPECT_THROW(gradOf(sum(fill(x, scalar("v"))), x), DisconnectedInput);
}

TEST(Grad, UndefinedTermsAreNamedAndContaminate)
{
    const VarRef a = scalar("a"), x = scalar("x");
    const VarRef cost = elementwise(ScalarCode::GammaInc, {a, x});
    try {
        gradOf(cost, a);
        FAIL();
    } catch (const NullGradient &error) {
        EXPECT_NE(std::string(error.what()).find("gammainc"), std::string::npos);
    }
    EXPECT_NO_THROW(gradOf(cost, x)) << "the other input is defined";
    EXPECT_THROW(gradOf(add(cost, a), a), NullGradient) << "defined + undefined is undefined";
    EXPECT_THROW(gradOf(elementwise(ScalarCode::GammaInc, {sqr(a), x}), a), NullGradient);
    GradOptions returning;
    returning.raiseOnNull = false;
    EXPECT_TRUE(isUndefined(gradOf(cost, a, returning)));
}

TEST(Grad, ConsiderConstantStopsTheWalk)
{
    const VarRef x = scalar("x");
    const VarRef y = sqr(x);
    const VarRef cost = mul(y, x);
    GradOptions options;
    options.considerConstant = {y};
    EXPECT_EQ(run(gradOf(cost, x), {x}, {Tensor::scalar(DType::Float64, 3)}).at(0), 27);
    EXPECT_EQ(run(gradOf(cost, x, options), {x}, {Tensor::scalar(DType::Float64, 3)}).at(0), 9);
}

TEST(Grad, WithRespectToWhatWasComputed)
{
    const VarRef x = scalar("x");
    const VarRef y = sqr(x);
    const VarRef cost = mul(y, y);
    const VarRef both[] = {y, x};
    const auto g = grad(cost, both);
    EXPECT_EQ(run(g[0], {x}, {Tensor::scalar(DType::Float64, 3)}).at(0), 18);
    EXPECT_EQ(run(g[1], {x}, {Tensor::scalar(DType::Float64, 3)}).at(0), 108);
}

TEST(Grad, KnownGradientsStartOrReplace)
{
    const VarRef x = vector("x");
    const VarRef y = sqr(x);
    const VarRef gy = vector("gy");
    GradOptions options;
    options.knownGrads = {{y, gy}};
    const Tensor point = fromList({1, 2, 3}, {3}), arriving = fromList({10, 20, 30}, {3});
    EXPECT_EQ(listOf(run(gradOf(VarRef(), x, options), {x, gy}, {point, arriving})), (List{20, 80, 180}));
    options.knownGrads = {{y, scalar("s")}};
    EXPECT_THROW(gradOf(VarRef(), x, options), ShapeMismatch);
    options.knownGrads = {{y, vector("i", DType::Int64)}};
    EXPECT_THROW(gradOf(VarRef(), x, options), TypeMismatch);
    const VarRef f[] = {y}, wrt[] = {x}, points[] = {gy};
    EXPECT_EQ(listOf(run(lop(f, wrt, points)[0], {x, gy}, {point, arriving})), (List{20, 80, 180}));
}

TEST(Grad, OnlyWhatLiesBetweenIsWalked)
{
    const VarRef x = vector("x"), y = vector("y");
    VarRef far = y;
    for (int i = 0; i < 100; ++i) far = elementwise(ScalarCode::Tanh, {far});
    const VarRef g = gradOf(sum(add(sqr(x), far)), x);
    EXPECT_LT(applies(g), 110u);
    EXPECT_EQ(applies(gradOf(sum(x), x)), 4u) << "the sum that the seed fills, dimshuffle, fill";
}

TEST(Grad, TermsAreAddedFromLeftToRight)
{
    const VarRef x = scalar("x"), a = scalar("a"), b = scalar("b"), c = scalar("c");
    const VarRef cost = add(add(mul(x, a), mul(x, b)), mul(x, c));
    const VarRef g = gradOf(cost, x);
    ASSERT_EQ(g->owner()->op().friendlyName(), "+");
    EXPECT_EQ(g->owner()->input(0)->owner()->op().friendlyName(), "+");
}

TEST(Grad, LogisticRegressionAgainstFiniteDifferences)
{
    const VarRef y = Variable::constant(fromList({0, 1, 1, 0}, {4}));
    verifyGrad(
        [&](const std::vector<VarRef> &in) {
            const VarRef p = elementwise(ScalarCode::Sigmoid, {add(dot(in[0], in[1]), in[2])});
            const VarRef one = literal(std::int64_t(1));
            const VarRef cross = sub(neg(mul(y, log(p))), mul(sub(one, y), log(sub(one, p))));
            return add(mean(cross), mul(literal(0.01, DType::Float64), sum(sqr(in[1]))));
        },
        {randomTensor({4, 3}), randomTensor({3}), randomTensor({})});
}

TEST(Grad, SecondDerivatives)
{
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            const VarRef cost = sum(elementwise(ScalarCode::Tanh, {mul(in[0], in[1])}));
            return gradOf(cost, in[0]);
        },
        {randomTensor({4}), randomTensor({4}, -1, 1, 2)});
}

TEST(Grad, LongChainsNeedNoStack)
{
    const VarRef x = scalar("x");
    VarRef y = x;
    for (int i = 0; i < 200000; ++i) y = add(y, x);
    const VarRef g = gradOf(y, x);
    EXPECT_TRUE(g->type().isTensor());
}

TEST(Rop, IsTheOtherSideOfLop)
{
    const VarRef x = vector("x"), v = vector("v");
    const VarRef f[] = {elementwise(ScalarCode::Tanh, {x})}, wrt[] = {x}, points[] = {v};
    const Tensor at = fromList({0.5, -1}, {2}), direction = fromList({2, 3}, {2});
    const Tensor forward = run(rop(f, wrt, points)[0], {x, v}, {at, direction});
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(forward.at(i), (1 - std::pow(std::tanh(at.at(i)), 2)) * direction.at(i), 1e-12);
    // Hessian times vector.
    const VarRef cost = sum(mul(sqr(x), x));
    const VarRef g[] = {gradOf(cost, x)};
    const Tensor hv = run(rop(g, wrt, points)[0], {x, v}, {at, direction});
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(hv.at(i), 6 * at.at(i) * direction.at(i), 1e-12);
    const VarRef other[] = {sum(vector("other"))};
    EXPECT_THROW(rop(other, wrt, points, false), DisconnectedInput);
    const VarRef undefined[] = {elementwise(ScalarCode::GammaInc, {x, x})};
    EXPECT_THROW(rop(undefined, wrt, points), DisconnectedInput);
    const VarRef matrix[] = {Variable::input(Type::ofRank(DType::Float64, 2))};
    EXPECT_THROW(rop(f, wrt, matrix), ShapeMismatch);
}

TEST(Identities, HaveGradientsOfTheirOwn)
{
    const VarRef x = scalar("x");
    const Tensor at = Tensor::scalar(DType::Float64, 3);
    const auto slope = [&](const VarRef &view) { return run(gradOf(mul(x, view), x), {x}, {at}).at(0); };
    EXPECT_EQ(slope(x), 6);
    EXPECT_EQ(slope(zeroGrad(x)), 3);
    EXPECT_EQ(slope(disconnectedGrad(x)), 3);
    EXPECT_EQ(slope(gradClip(x, -1, 1)), 4);
    EXPECT_EQ(slope(gradScale(x, 10)), 33);
    EXPECT_THROW(gradOf(mul(x, undefinedGrad(x)), x), NullGradient);
    EXPECT_THROW(gradOf(disconnectedGrad(x), x), DisconnectedInput);
    EXPECT_EQ(run(gradOf(zeroGrad(x), x), {x}, {at}).at(0), 0);
    EXPECT_EQ(gradClip(x, -1, 1)->owner()->op().name(), "GradClip{clip_lower_bound=-1, clip_upper_bound=1}");
}
