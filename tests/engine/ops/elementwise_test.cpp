// Rules of Elemwise, DimShuffle and the builders; the derivative of every scalar function.
#include "tests/engine/ops/evaluate.h"

#include "engine/ops/shapes/dimshuffle.h"
#include "engine/tensor/errors.h"

#include <complex>
#include <numbers>

using namespace testing_ops;

namespace {

struct Domain {
    double low = -2, high = 2;
};

Domain domainOf(ScalarCode code)
{
    switch (code) {
    case ScalarCode::Log:
    case ScalarCode::Log2:
    case ScalarCode::Log10:
    case ScalarCode::Sqrt:
    case ScalarCode::XLogX:
    case ScalarCode::GammaLn:
    case ScalarCode::Psi:
    case ScalarCode::Gamma:
    case ScalarCode::Pow:
    case ScalarCode::XLogY0:
    case ScalarCode::GammaInc:
    case ScalarCode::GammaIncc:
    case ScalarCode::GammaU:
    case ScalarCode::GammaL: return {0.5, 3};
    case ScalarCode::Arcsin:
    case ScalarCode::Arccos:
    case ScalarCode::Arctanh:
    case ScalarCode::Erfinv: return {-0.8, 0.8};
    case ScalarCode::Arccosh: return {1.3, 3};
    case ScalarCode::Erfcinv: return {0.3, 1.7};
    case ScalarCode::Log1p: return {-0.6, 2};
    case ScalarCode::Tan: return {-1.2, 1.2};
    case ScalarCode::Inv:
    case ScalarCode::TrueDiv: return {0.7, 2};
    case ScalarCode::Jv:
    case ScalarCode::Iv: return {1.2, 3};
    default: return {};
    }
}

bool isFlatOrKinked(ScalarCode code)
{
    switch (code) {
    case ScalarCode::IntDiv:
    case ScalarCode::Mod:
    case ScalarCode::Sgn:
    case ScalarCode::Ceil:
    case ScalarCode::Floor:
    case ScalarCode::Trunc:
    case ScalarCode::RoundHalfToEven:
    case ScalarCode::RoundHalfAwayFromZero: return true;
    default: return false;
    }
}

} // namespace

TEST(ScalarDerivatives, EveryContinuousFunctionOfOneArgument)
{
    int checked = 0;
    for (ScalarOpPtr op : allScalarOps()) {
        const DType one[] = {DType::Float64};
        if (op->arity() != 1 || op->code() == ScalarCode::TriGamma || op->code() == ScalarCode::Angle || isFlatOrKinked(op->code()))
            continue;
        if (op->code() == ScalarCode::Invert || op->code() == ScalarCode::IsNan || op->code() == ScalarCode::IsInf) continue;
        if (op->code() == ScalarCode::UltraFastSigmoid || isComplex(op->resultType(one))) continue;
        SCOPED_TRACE(op->name());
        const Domain domain = domainOf(op->code());
        verifyGrad([&](const std::vector<VarRef> &in) { return elementwise(op, in); }, {randomTensor({3, 4}, domain.low, domain.high)},
                   1e-5);
        if (HasFatalFailure()) return;
        ++checked;
    }
    EXPECT_GE(checked, 40);
}

TEST(ScalarDerivatives, FunctionsOfSeveralArguments)
{
    const auto verify = [](ScalarCode code, std::size_t count) {
        SCOPED_TRACE(scalarOp(code)->name());
        const Domain domain = domainOf(code);
        std::vector<Tensor> points;
        for (std::size_t i = 0; i < count; ++i) points.push_back(randomTensor({5}, domain.low, domain.high, 20 + static_cast<unsigned>(i)));
        verifyGrad([&](const std::vector<VarRef> &in) { return elementwise(scalarOp(code), in); }, points);
    };
    for (ScalarCode code : {ScalarCode::Add, ScalarCode::Mul, ScalarCode::Sub, ScalarCode::TrueDiv, ScalarCode::Pow, ScalarCode::Maximum,
                            ScalarCode::Minimum, ScalarCode::Arctan2, ScalarCode::XLogY0})
        verify(code, 2);
    verify(ScalarCode::Add, 4);
    verify(ScalarCode::Mul, 4);
    verify(ScalarCode::Mul, 1);
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return elementwise(ScalarCode::Clip, {in[0], in[1], in[2]});
        },
        {randomTensor({9}), randomTensor({9}, -1, -0.5), randomTensor({9}, 0.5, 1)});
}

TEST(ScalarDerivatives, SecondArgumentOfTheGammaAndBesselFamilies)
{
    for (ScalarCode code :
         {ScalarCode::GammaInc, ScalarCode::GammaIncc, ScalarCode::GammaU, ScalarCode::GammaL, ScalarCode::Jv, ScalarCode::Iv}) {
        SCOPED_TRACE(scalarOp(code)->name());
        const VarRef order = Variable::constant(randomTensor({4}, 1.2, 2.5, 9));
        verifyGrad(
            [&](const std::vector<VarRef> &in) {
                return elementwise(code, {order, in[0]});
            },
            {randomTensor({4}, 0.6, 2.5, 8)}, 1e-5);
    }
}

TEST(ScalarDerivatives, SwitchSecondAndFlatOnes)
{
    const Tensor condition = fromList({1, 0, 1, 0, 1}, {5}, DType::Bool);
    const VarRef c = Variable::constant(condition);
    verifyGrad([&](const std::vector<VarRef> &in) { return switchOn(c, in[0], in[1]); }, {randomTensor({5}), randomTensor({5}, -2, 2, 5)});
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const VarRef wrt[] = {x};
    for (ScalarCode code : {ScalarCode::Floor, ScalarCode::Sgn, ScalarCode::Ceil, ScalarCode::Trunc, ScalarCode::RoundHalfToEven}) {
        const VarRef g = grad(sum(elementwise(code, {x})), wrt)[0];
        const Tensor value = run(g, {x}, {randomTensor({4})});
        EXPECT_EQ(listOf(value), std::vector<double>(4, 0)) << scalarOp(code)->name();
    }
    // mod: 1 and -x//y
    const VarRef y = Variable::input(Type::ofRank(DType::Float64, 1), "y");
    const VarRef both[] = {x, y};
    const auto terms = grad(sum(elementwise(ScalarCode::Mod, {x, y})), both);
    EXPECT_EQ(listOf(run(terms[0], {x, y}, {fromList({7.5}, {1}), fromList({2}, {1})})), std::vector<double>{1});
    EXPECT_EQ(listOf(run(terms[1], {x, y}, {fromList({7.5}, {1}), fromList({2}, {1})})), std::vector<double>{-3});
}

TEST(ScalarDerivatives, TiesOfMaximumGoToTheFirst)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x"), y = Variable::input(Type::ofRank(DType::Float64, 1), "y");
    const VarRef both[] = {x, y};
    const auto terms = grad(sum(elementwise(ScalarCode::Maximum, {x, y})), both);
    const Tensor same = fromList({2, 2}, {2});
    EXPECT_EQ(listOf(run(terms[0], {x, y}, {same, same})), (std::vector<double>{1, 1}));
    EXPECT_EQ(listOf(run(terms[1], {x, y}, {same, same})), (std::vector<double>{0, 0}));
}

TEST(ScalarDerivatives, PowAtZeroHasNoNaNForTheExponent)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 0), "x"), y = Variable::input(Type::ofRank(DType::Float64, 0), "y");
    const VarRef wrt[] = {y};
    const VarRef g = grad(pow(x, y), wrt)[0];
    EXPECT_EQ(run(g, {x, y}, {Tensor::scalar(DType::Float64, 0), Tensor::scalar(DType::Float64, 2)}).at(0), 0);
}

TEST(Complex, PartsSizesAndTheirGradients)
{
    Tensor z = Tensor::empty(DType::Complex128, {2});
    z.as<std::complex<double>>()[0] = {3, 4};
    z.as<std::complex<double>>()[1] = {-1, 0};
    const VarRef x = variable(z);
    EXPECT_EQ(listOf(run(elementwise(ScalarCode::Abs, {x}), {x}, {z})), (std::vector<double>{5, 1}));
    EXPECT_EQ(listOf(run(elementwise(ScalarCode::Imag, {x}), {x}, {z})), (std::vector<double>{4, 0}));
    EXPECT_EQ(listOf(run(elementwise(ScalarCode::Angle, {x}), {x}, {z})), (std::vector<double>{std::atan2(4, 3), std::numbers::pi}));
    // |re + i·im| through real parts only.
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return elementwise(ScalarCode::Abs, {elementwise(ScalarCode::ComplexFromPair, {in[0], in[1]})});
        },
        {randomTensor({4}, 0.5, 2), randomTensor({4}, 0.5, 2, 3)}, 1e-5, false);
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return elementwise(ScalarCode::Real, {elementwise(ScalarCode::ComplexFromPolar, {in[0], in[1]})});
        },
        {randomTensor({4}, 0.5, 2), randomTensor({4}, 0.5, 2, 3)}, 1e-5, false);
}

TEST(ElemwiseRules, BroadcastingIsStatic)
{
    const VarRef matrix = Variable::input(Type::ofRank(DType::Float32, 2), "m");
    const VarRef row = Variable::input(Type::broadcastable(DType::Float32, {true, false}), "r");
    const VarRef scalar = Variable::input(Type::scalar(DType::Float32), "s");
    EXPECT_EQ(add(matrix, row)->type().text(), "TensorType(float32, matrix)");
    EXPECT_EQ(add(row, row)->type().text(), "TensorType(float32, row)");
    const VarRef padded = add(matrix, scalar);
    EXPECT_EQ(padded->owner()->input(1)->owner()->op().name(), "InplaceDimShuffle{x,x}");
}

TEST(ElemwiseRules, AnUndeclaredOneDoesNotStretch)
{
    const VarRef a = Variable::input(Type::ofRank(DType::Float64, 2), "a"), b = Variable::input(Type::ofRank(DType::Float64, 2), "b");
    const VarRef outputs[] = {add(a, b)};
    const VarRef inputs[] = {a, b};
    const Tensor values[] = {randomTensor({1, 3}), randomTensor({4, 3})};
    EXPECT_THROW(compiled(outputs, inputs, values), std::exception);
}

TEST(ElemwiseRules, GradientSumsWhatWasBroadcast)
{
    verifyGrad([](const std::vector<VarRef> &in) { return mul(in[0], in[1]); }, {randomTensor({3, 4}), randomTensor({}, 1, 2)});
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return mul(in[0], dimshuffle(in[1], {-1, 0}));
        },
        {randomTensor({3, 4}), randomTensor({4}, 1, 2, 4)});
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return mul(in[0], dimshuffle(in[1], {0, -1}));
        },
        {randomTensor({3, 4}), randomTensor({3}, 1, 2, 4)});
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return add(dimshuffle(in[0], {0, -1}), dimshuffle(in[1], {-1, 0}));
        },
        {randomTensor({3}), randomTensor({0})});
}

TEST(ElemwiseRules, LiteralsTakeTheSmallestType)
{
    EXPECT_EQ(literal(std::int64_t(1))->type().dtype(), DType::Int8);
    EXPECT_EQ(literal(std::int64_t(300))->type().dtype(), DType::Int16);
    EXPECT_EQ(literal(std::int64_t(70000))->type().dtype(), DType::Int32);
    EXPECT_EQ(literal(std::int64_t(1) << 40)->type().dtype(), DType::Int64);
    EXPECT_EQ(literal(0.5, DType::Float64)->type().dtype(), DType::Float32);
    EXPECT_EQ(literal(0.1, DType::Float64)->type().dtype(), DType::Float64);
    EXPECT_EQ(literal(0.1, DType::Float32)->type().dtype(), DType::Float32);
    EXPECT_EQ(constantOf(DType::Int8, 1), constantOf(DType::Int8, 1));
}

TEST(ElemwiseRules, ErrorsNameTheOpAndBothValues)
{
    const VarRef m = Variable::input(Type::ofRank(DType::Float64, 2), "m"), v = Variable::input(Type::ofRank(DType::Float64, 1), "v");
    try {
        engine::apply(elemwise(ScalarCode::Add), {m, v});
        FAIL();
    } catch (const ShapeMismatch &error) {
        EXPECT_NE(std::string(error.what()).find("[add]"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("matrix"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("vector"), std::string::npos);
    }
    EXPECT_THROW(add(m, Variable::input(Type::plain(TypeKind::Generic))), TypeMismatch);
}

TEST(DimShuffleRules, PermutesDropsAndInserts)
{
    const Tensor value = randomTensor({2, 1, 3});
    const VarRef x = Variable::input(Type::broadcastable(DType::Float64, {false, true, false}), "x");
    const VarRef y = dimshuffle(x, {2, -1, 0});
    EXPECT_EQ(y->owner()->op().name(), "InplaceDimShuffle{2,x,0}");
    const Tensor out = run(y, {x}, {value});
    EXPECT_EQ(out.shape(), (Dims{3, 1, 2}));
    EXPECT_EQ(out.at(1), value.at(3));
    EXPECT_THROW(dimshuffle(Variable::input(Type::ofRank(DType::Float64, 2)), {0}), ShapeMismatch);
    EXPECT_THROW(dimshuffle(x, {0, 0, 2}), ShapeMismatch);
    EXPECT_THROW(dimshuffle(x, {0, 5}), ShapeMismatch);
    EXPECT_EQ(dimshuffle(x, {0, 1, 2}), x);
    const VarRef w = Variable::input(Type::ofRank(DType::Float64, 2), "w");
    EXPECT_EQ(transpose(w)->name(), "w.T");
    verifyGrad([](const std::vector<VarRef> &in) { return dimshuffle(in[0], {1, -1, 0}); }, {randomTensor({2, 3})});
}
