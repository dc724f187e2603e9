#include "engine/ops/elements/elementwise.h"
#include "engine/scalar/scalar_op.h"
#include "engine/tensor/errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace engine;

namespace {

double call(ScalarCode code, std::vector<double> arguments) { return scalarOp(code)->evaluate(arguments); }

DType typeOf(ScalarCode code, std::vector<DType> arguments) { return scalarOp(code)->resultType(arguments); }

std::uint32_t emit(ScalarBody &body, ScalarCode code, std::vector<std::uint32_t> arguments, DType dtype = DType::Float64)
{
    body.instructions.push_back({scalarOp(code), std::move(arguments), dtype, 0});
    return body.inputCount + static_cast<std::uint32_t>(body.instructions.size()) - 1;
}

} // namespace

TEST(ScalarTable, EveryFunctionHasUniqueNamesAndIsFound)
{
    std::set<std::string> names, symbols;
    std::set<ScalarCode> codes;
    for (ScalarOpPtr op : allScalarOps()) {
        EXPECT_TRUE(names.insert(op->name()).second) << op->name();
        EXPECT_TRUE(symbols.insert(op->symbol()).second) << op->symbol();
        EXPECT_TRUE(codes.insert(op->code()).second) << op->name();
        EXPECT_EQ(findScalarOp(op->name()), op);
        EXPECT_EQ(findScalarOp(op->symbol()), op);
        EXPECT_EQ(scalarOp(op->code()), op);
        EXPECT_GT(op->cost(), 0);
        EXPECT_FALSE(op->friendlyName().empty());
    }
    // Cast and Composite are the two codes without a row.
    EXPECT_EQ(codes.size(), static_cast<std::size_t>(ScalarCode::Composite) - 1);
    EXPECT_EQ(findScalarOp("no such function"), nullptr);
}

TEST(ScalarTable, NamesAreTheanos)
{
    EXPECT_EQ(scalarOp(ScalarCode::Gt)->name(), "GT");
    EXPECT_EQ(elemwise(ScalarCode::Gt)->name(), "Elemwise{gt,no_inplace}");
    EXPECT_EQ(elemwise(ScalarCode::Exp)->name(), "Elemwise{exp,no_inplace}");
    EXPECT_EQ(elemwise(castOp(DType::Float32))->name(), "Elemwise{Cast{float32}}");
    EXPECT_EQ(makeOp<Elemwise>(scalarOp(ScalarCode::Sigmoid), std::vector<Alias>{{0, 0}})->name(), "Elemwise{ScalarSigmoid}[(0, 0)]");
    EXPECT_EQ(elemwise(ScalarCode::Exp).get(), elemwise(scalarOp(ScalarCode::Exp)).get());
}

TEST(ScalarTable, DTypeRules)
{
    EXPECT_EQ(typeOf(ScalarCode::Add, {DType::Int32, DType::Float32}), DType::Float64);
    EXPECT_EQ(typeOf(ScalarCode::Add, {DType::Int8, DType::Float32}), DType::Float32);
    EXPECT_EQ(typeOf(ScalarCode::TrueDiv, {DType::Int8, DType::Int8}), floatX());
    EXPECT_EQ(typeOf(ScalarCode::Exp, {DType::Int16}), DType::Float32);
    EXPECT_EQ(typeOf(ScalarCode::Exp, {DType::Int32}), DType::Float64);
    EXPECT_EQ(typeOf(ScalarCode::Pow, {DType::Bool, DType::Bool}), DType::Int8);
    EXPECT_EQ(typeOf(ScalarCode::Lt, {DType::Float32, DType::Int8}), DType::Bool);
    EXPECT_EQ(typeOf(ScalarCode::Switch, {DType::Bool, DType::Float32, DType::Int8}), DType::Float32);
    EXPECT_EQ(typeOf(ScalarCode::Abs, {DType::Complex64}), DType::Float32);
    EXPECT_EQ(typeOf(ScalarCode::Abs, {DType::Int8}), DType::Int8);
    EXPECT_EQ(typeOf(ScalarCode::Angle, {DType::Int8}), DType::Float64);
    EXPECT_EQ(typeOf(ScalarCode::Real, {DType::Complex128}), DType::Float64);
    EXPECT_EQ(typeOf(ScalarCode::ComplexFromPair, {DType::Float32, DType::Float32}), DType::Complex64);
    EXPECT_THROW(typeOf(ScalarCode::Neg, {DType::Bool}), TypeMismatch);
    EXPECT_THROW(typeOf(ScalarCode::Sub, {DType::Bool, DType::Bool}), TypeMismatch);
    EXPECT_THROW(typeOf(ScalarCode::Lt, {DType::Complex64, DType::Float32}), TypeMismatch);
    EXPECT_THROW(typeOf(ScalarCode::And, {DType::Float32, DType::Int8}), TypeMismatch);
    EXPECT_THROW(typeOf(ScalarCode::RoundHalfToEven, {DType::Int8}), TypeMismatch);
    EXPECT_THROW(typeOf(ScalarCode::Exp, {DType::Float32, DType::Float32}), TypeMismatch);
    EXPECT_EQ(scalarOp(ScalarCode::Add)->computeType(std::vector{DType::Float16, DType::Float16}), DType::Float32);
}

TEST(ScalarTable, PythonDivision)
{
    EXPECT_EQ(call(ScalarCode::IntDiv, {-7, 2}), -4);
    EXPECT_EQ(call(ScalarCode::Mod, {-7, 2}), 1);
    EXPECT_EQ(call(ScalarCode::Mod, {7, -2}), -1);
    EXPECT_EQ(call(ScalarCode::IntDiv, {1.0, 0.1}), 10); // floor(x / y), as Theano's C code
}

TEST(ScalarTable, SpecialFunctionsAgainstKnownValues)
{
    EXPECT_NEAR(call(ScalarCode::Psi, {1.0}), -0.57721566490153286, 1e-14);
    EXPECT_NEAR(call(ScalarCode::Psi, {-1.5}), 0.70315664064524318, 1e-13);
    EXPECT_NEAR(call(ScalarCode::TriGamma, {1.0}), 1.6449340668482264, 1e-13);
    EXPECT_NEAR(call(ScalarCode::Erfinv, {0.5}), 0.47693627620446987, 1e-14);
    EXPECT_NEAR(call(ScalarCode::Erfinv, {-0.999999}), -3.4589107372795, 1e-9);
    EXPECT_NEAR(call(ScalarCode::Erfcinv, {1e-10}), 4.5728249673894852, 1e-12);
    EXPECT_NEAR(call(ScalarCode::Erfcx, {30.0}), 0.018795888861416751, 1e-16);
    EXPECT_NEAR(call(ScalarCode::GammaInc, {2.0, 3.0}), 0.80085172652854419, 1e-13);
    EXPECT_NEAR(call(ScalarCode::GammaIncc, {5.0, 1.0}), 0.99634015317265634, 1e-13);
    EXPECT_NEAR(call(ScalarCode::Chi2sf, {3.84, 1.0}), 0.050043521248705219, 1e-12);
    EXPECT_NEAR(call(ScalarCode::Jv, {2.0, 1.5}), 0.23208767214421475, 1e-13);
    EXPECT_NEAR(call(ScalarCode::I0, {1.0}), 1.2660658777520084, 1e-13);
    EXPECT_NEAR(call(ScalarCode::I1, {-1.0}), -0.56515910399248503, 1e-13);
    EXPECT_EQ(call(ScalarCode::Sigmoid, {-1000}), 0);
    EXPECT_EQ(call(ScalarCode::Softplus, {1000}), 1000);
    EXPECT_EQ(call(ScalarCode::XLogX, {0}), 0);
}

TEST(ScalarTable, SpecialFunctionsKeepTheirDigits)
{
    const struct {
        ScalarCode code;
        std::vector<double> arguments;
        double wanted;
    } rows[] = {{ScalarCode::Erfcx, {20}, 0.02817434874105131932},         {ScalarCode::Erfcx, {26}, 0.02168358485056290662},
                {ScalarCode::Erfcinv, {1.001}, -0.0008862271574664545007}, {ScalarCode::Erfinv, {0.75}, 0.8134198475976185417},
                {ScalarCode::Psi, {-1.5}, 0.7031566406452431872},          {ScalarCode::TriGamma, {-1.5}, 9.379246644989123754},
                {ScalarCode::Jv, {2.5, 40}, -0.08751431140932354553},      {ScalarCode::Jv, {-1.5, 3}, 0.0870080907208352815},
                {ScalarCode::Jv, {50, 30}, 2.05816566315641781e-8},        {ScalarCode::Iv, {3, 40}, 13291455664733659.51},
                {ScalarCode::Iv, {-1.5, 3}, 3.068903650787100017},         {ScalarCode::Iv, {600, 900}, 8.850139207891420209e+304}};
    for (const auto &row : rows)
        EXPECT_NEAR(call(row.code, row.arguments) / row.wanted, 1, 4e-13) << scalarOp(row.code)->name() << " of " << row.arguments[0];
}

TEST(ScalarTable, BesselFunctionsAndErfcxAreExactInEveryRange)
{
    const struct {
        ScalarCode code;
        std::vector<double> arguments;
        double wanted;
    } rows[] = {{ScalarCode::Erfcx, {3.9}, 0.1403141816006897357},       {ScalarCode::Erfcx, {4.1}, 0.1338341164186519937},
                {ScalarCode::Erfcx, {-20.3}, 1.859700651326472153e+179}, {ScalarCode::Erfcx, {24.9}, 0.02263998777604950629},
                {ScalarCode::Erfcx, {25.1}, 0.02245987581758138824},     {ScalarCode::Erfcx, {7.82}, 0.07157101994358122683},
                {ScalarCode::Jv, {0, 24}, -0.05623027416685926701},      {ScalarCode::Jv, {1, 0.5}, 0.2422684576748738864},
                {ScalarCode::Jv, {2, 0.01}, 0.00001249989583365885414},  {ScalarCode::Jv, {3, 10}, 0.05837937930518681234},
                {ScalarCode::Jv, {12, 12}, 0.1952801827388322433},       {ScalarCode::Jv, {20, 3}, 1.22759467379929865e-15},
                {ScalarCode::Jv, {20, 90}, -0.08034534404442249419},     {ScalarCode::Jv, {50, 200}, 0.01569389897857308404},
                {ScalarCode::Jv, {110, 8}, 9.184172714723870402e-113},   {ScalarCode::Jv, {0.3, 1.2}, 0.7111886464520506925},
                {ScalarCode::Jv, {7.7, 5}, 0.02573197253532058602},      {ScalarCode::Jv, {-4, -2}, 0.03399571980756843415},
                {ScalarCode::Iv, {0, 9}, 1093.588354511374696},          {ScalarCode::Iv, {2.5, 8}, 282.4940504846607959},
                {ScalarCode::Iv, {20, 33}, 38106065702.90480848},        {ScalarCode::Iv, {-3, -4}, -3.337275778420344368}};
    for (const auto &row : rows)
        EXPECT_NEAR(call(row.code, row.arguments) / row.wanted, 1, row.arguments[0] > 100 ? 4e-14 : 4e-15)
            << scalarOp(row.code)->name() << " of " << row.arguments[0] << ", " << row.arguments.back();
}

TEST(ScalarTable, ErfcxIsInfiniteWhereItOverflows)
{
    for (const double x : {-26.7, -27.0, -28.0, -1e200, -double(INFINITY)}) EXPECT_EQ(call(ScalarCode::Erfcx, {x}), INFINITY) << x;
    EXPECT_EQ(call(ScalarCode::Erfcx, {INFINITY}), 0);
}

TEST(ScalarTable, MaximumCarriesNaN)
{
    EXPECT_TRUE(std::isnan(call(ScalarCode::Maximum, {NAN, 1})));
    EXPECT_TRUE(std::isnan(call(ScalarCode::Maximum, {1, NAN})));
    EXPECT_TRUE(std::isnan(call(ScalarCode::Minimum, {NAN, 1})));
}

TEST(Composite, PrintsInTheanosFinalStyle)
{
    // GT(scalar_sigmoid((-((-i0) - i1))), i2)
    ScalarBody body;
    body.inputCount = 3;
    body.inputTypes = {DType::Float64, DType::Float64, DType::Float64};
    auto v = emit(body, ScalarCode::Neg, {0});
    v = emit(body, ScalarCode::Sub, {v, 1});
    v = emit(body, ScalarCode::Neg, {v});
    v = emit(body, ScalarCode::Sigmoid, {v});
    v = emit(body, ScalarCode::Gt, {v, 2}, DType::Bool);
    body.outputs = {v};
    ScalarOpPtr op = compositeOp(body);
    EXPECT_EQ(op->name(), "Composite{GT(scalar_sigmoid((-((-i0) - i1))), i2)}");
    EXPECT_EQ(elemwise(op)->name(), "Elemwise{Composite{GT(scalar_sigmoid((-((-i0) - i1))), i2)}}");
    EXPECT_EQ(compositeOp(body), op);
    EXPECT_EQ(op->evaluate(std::vector<double>{1, 2, 0.5}), 1);
    EXPECT_EQ(op->evaluate(std::vector<double>{-1, -2, 0.5}), 0);
    EXPECT_EQ(op->resultType(body.inputTypes), DType::Bool);
}

TEST(Composite, NamesSharedValuesAndOutputs)
{
    ScalarBody body;
    body.inputCount = 1;
    body.inputTypes = {DType::Float64};
    const auto e = emit(body, ScalarCode::Exp, {0});
    const auto m = emit(body, ScalarCode::Mul, {e, e});
    const auto a = emit(body, ScalarCode::Add, {m, 0});
    body.outputs = {a, m};
    EXPECT_EQ(compositeOp(body)->name(), "Composite{(o1 + i0), (t0 * t0) where t0 = exp(i0)}");
    EXPECT_EQ(compositeOp(body)->outputCount(), 2);
}
