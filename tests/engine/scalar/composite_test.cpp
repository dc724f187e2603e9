// Composite bodies: values through the loops, inner graph, gradient, C text.
#include "tests/engine/ops/evaluate.h"

#include "engine/tensor/errors.h"

using namespace testing_ops;

namespace {

// t = exp(i0); o = t / (t + i1) with a literal: 2 · that.
ScalarBody sample(DType dtype)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {dtype, dtype};
    body.instructions.push_back({scalarOp(ScalarCode::Exp), {0}, dtype, 0});
    body.instructions.push_back({scalarOp(ScalarCode::Add), {2, 1}, dtype, 0});
    body.instructions.push_back({scalarOp(ScalarCode::TrueDiv), {2, 3}, dtype, 0});
    body.instructions.push_back({nullptr, {}, dtype, 2});
    body.instructions.push_back({scalarOp(ScalarCode::Mul), {5, 4}, dtype, 0});
    body.outputs = {6};
    return body;
}

double byHand(double a, double b) { return 2 * std::exp(a) / (std::exp(a) + b); }

} // namespace

TEST(Composite, RunsLikeItsParts)
{
    ScalarOpPtr op = compositeOp(sample(DType::Float64));
    EXPECT_EQ(op->name(), "Composite{(2 * (t0 / (t0 + i1))) where t0 = exp(i0)}");
    EXPECT_NEAR(op->evaluate(std::vector<double>{0.3, 2}), byHand(0.3, 2), 1e-15);
    const Tensor a = randomTensor({3, 5}), b = randomTensor({3, 5}, 1, 2, 4);
    const VarRef x = variable(a), y = variable(b);
    const Tensor got = run(elementwise(op, std::vector<VarRef>{x, y}), {x, y}, {a, b});
    for (std::int64_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got.at(i), byHand(a.at(i), b.at(i)), 1e-14);
}

TEST(Composite, HasTheGradientOfItsBody)
{
    ScalarOpPtr op = compositeOp(sample(DType::Float64));
    verifyGrad([&](const std::vector<VarRef> &in) { return elementwise(op, in); }, {randomTensor({3, 4}), randomTensor({3, 4}, 1, 2, 4)});
    verifyGrad([&](const std::vector<VarRef> &in) { return elementwise(op, in); }, {randomTensor({3, 4}), randomTensor({}, 1, 2, 4)});
}

// i0 · sqr(i0) + switch(i0 < i1, i0, i1), and steps that are flat or have no derivative.
TEST(Composite, AddsUpTheSlopesOfItsSteps)
{
    const DType real = DType::Float64;
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {real, real};
    body.instructions.push_back({scalarOp(ScalarCode::Sqr), {0}, real, 0});
    body.instructions.push_back({scalarOp(ScalarCode::Mul), {0, 2}, real, 0});
    body.instructions.push_back({scalarOp(ScalarCode::Lt), {0, 1}, DType::Bool, 0});
    body.instructions.push_back({scalarOp(ScalarCode::Switch), {4, 0, 1}, real, 0});
    body.instructions.push_back({scalarOp(ScalarCode::Add), {3, 5}, real, 0});
    body.outputs = {6};
    ScalarOpPtr op = compositeOp(body);
    verifyGrad([&](const std::vector<VarRef> &in) { return elementwise(op, in); }, {randomTensor({3, 4}), randomTensor({4}, 1, 2, 4)});

    body.instructions.push_back({scalarOp(ScalarCode::TriGamma), {6}, real, 0});
    body.outputs = {7};
    const DType types[] = {real, real};
    const ScalarDerivative unknown = derivativeOf(*compositeOp(body), types, real, real);
    ASSERT_EQ(unknown.slopes.size(), 2u);
    EXPECT_EQ(unknown.slopes[1].kind, ScalarSlope::Kind::Undefined);
    EXPECT_EQ(unknown.slopes[1].why, "the derivative of ψ₁ is not known");

    body.instructions.back() = {scalarOp(ScalarCode::Second), {0, 1}, real, 0};
    const ScalarDerivative filled = derivativeOf(*compositeOp(body), types, real, real);
    EXPECT_EQ(filled.slopes[0].kind, ScalarSlope::Kind::Disconnected);
    EXPECT_EQ(filled.slopes[1].kind, ScalarSlope::Kind::Value);
}

TEST(Composite, ShowsItsInnerGraph)
{
    const OpRef op = elemwise(compositeOp(sample(DType::Float32)));
    const InnerGraph *inner = op->inner();
    ASSERT_TRUE(inner);
    EXPECT_EQ(inner, op->inner()) << "built once";
    EXPECT_EQ(inner->inputs.size(), 2u);
    EXPECT_EQ(inner->inputs[1]->name(), "i1");
    ASSERT_EQ(inner->outputs.size(), 1u);
    EXPECT_EQ(inner->outputs[0]->type().dtype(), DType::Float32);
    EXPECT_EQ(toposort(inner->outputs).size(), 4u);
    EXPECT_EQ(elemwise(ScalarCode::Exp)->inner(), nullptr);
}

TEST(Composite, RefusesOtherTypesThanItsBody)
{
    ScalarOpPtr op = compositeOp(sample(DType::Float64));
    EXPECT_THROW(op->resultType(std::vector<DType>{DType::Float32, DType::Float64}), TypeMismatch);
    EXPECT_NE(compositeOp(sample(DType::Float32)), op);
    EXPECT_NE(elemwise(compositeOp(sample(DType::Float32))), elemwise(op)) << "same text, other types";
}
