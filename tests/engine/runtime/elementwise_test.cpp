// Elementwise loops against one element at a time, over odd shapes and layouts.
#include "tests/engine/runtime/reference.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/tensor/errors.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace engine;
using reference::Order;

namespace {

std::mt19937 random_(5);

double drawFor(DType dtype)
{
    if (dtype == DType::Bool) return static_cast<double>(random_() % 2);
    if (isUnsignedInteger(dtype)) return static_cast<double>(random_() % 100);
    if (isInteger(dtype)) return static_cast<double>(static_cast<int>(random_() % 200) - 100);
    return std::uniform_real_distribution<double>(-4, 4)(random_);
}

Tensor apply1(const Op &op, std::vector<Tensor> inputs)
{
    std::vector<Value> values;
    std::vector<Operand> operands;
    for (const Tensor &t : inputs) {
        values.emplace_back(t);
        operands.push_back({Type::ofRank(t.dtype(), t.rank())});
    }
    return evaluateOp(op, values, op.outputTypes(operands))[0].tensor();
}

const Dims kShapes[] = {{}, {1}, {0}, {7}, {513}, {1, 5}, {5, 1}, {3, 4}, {60, 10}, {2, 700}, {0, 3}, {2, 3, 4}, {5, 1, 3}, {2, 1, 1, 130}};

TEST(Elementwise, arithmeticMatchesOneByOneInEveryLayout)
{
    for (ScalarCode code : {ScalarCode::Add, ScalarCode::Mul, ScalarCode::Sub, ScalarCode::Maximum, ScalarCode::Lt})
        for (DType dtype : {DType::Float32, DType::Float64, DType::Int8, DType::Int64, DType::UInt16, DType::UInt64})
            for (const Dims &shape : kShapes)
                for (Order a : reference::kLayouts)
                    for (Order b : {Order::Contiguous, Order::Stepped}) {
                        const Tensor x = reference::make(dtype, shape, a, [&] { return drawFor(dtype); });
                        const Tensor y = reference::make(dtype, shape, b, [&] { return drawFor(dtype); });
                        const OpRef op = elemwise(code);
                        const Tensor z = apply1(*op, {x, y});
                        ASSERT_EQ(z.shape(), shape);
                        for (std::int64_t i = 0; i < z.size(); ++i) {
                            const double arguments[] = {x.at(i), y.at(i)};
                            Tensor wanted = Tensor::empty(z.dtype(), {});
                            withStorageType(z.dtype(), [&]<class T>() {
                                const double value = opCast<Elemwise>(op)->scalar()->evaluate(arguments);
                                // Narrow integers wrap.
                                if constexpr (std::is_integral_v<T>) *wanted.as<T>() = static_cast<T>(static_cast<std::int64_t>(value));
                                else *wanted.as<T>() = convertElement<T>(value);
                            });
                            ASSERT_EQ(z.at(i), wanted.at(0)) << op->name() << " " << nameOf(dtype) << " " << shape.text() << " at " << i;
                        }
                    }
}

TEST(Elementwise, broadcastsDeclaredAxes)
{
    const Tensor matrix = reference::make(DType::Float32, {60, 10}, Order::Contiguous, [] { return drawFor(DType::Float32); });
    const Tensor row = reference::make(DType::Float32, {1, 10}, Order::Contiguous, [] { return drawFor(DType::Float32); });
    const Tensor column = reference::make(DType::Float64, {60, 1}, Order::Contiguous, [] { return drawFor(DType::Float64); });
    const Tensor z = apply1(*elemwise(ScalarCode::Add), {matrix, row, column});
    EXPECT_EQ(z.dtype(), DType::Float64);
    for (std::int64_t i = 0; i < 60; ++i)
        for (std::int64_t j = 0; j < 10; ++j)
            ASSERT_EQ(z.at(i * 10 + j), matrix.at(i * 10 + j) + row.at(j) + column.at(i)) << i << ", " << j;
}

TEST(Elementwise, aRunTimeOneDoesNotStretch)
{
    SlotOperand a, b;
    a.type = b.type = Type::ofRank(DType::Float32, 2);
    a.shape = {3, 1};
    b.shape = {3, 16};
    const SlotOperand operands[] = {a, b};
    try {
        broadcastShape(operands);
        FAIL() << "a mismatch went through";
    } catch (const ShapeMismatch &error) {
        EXPECT_STREQ(error.what(), "Input dimension mis-match. (input[0].shape[1] = 1, input[1].shape[1] = 16)");
    }
}

TEST(Elementwise, mixedDtypesConvertAsNumPy)
{
    const Tensor small = Tensor::full(DType::Int8, {3}, 100);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::Add), {small, small}).at(0), -56);
    const Tensor wide = Tensor::full(DType::Int32, {3}, 100);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::Add), {small, wide}).at(0), 200);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::Add), {wide, Tensor::full(DType::Float32, {3}, 0.5)}).dtype(), DType::Float64);
    const Tensor half = Tensor::full(DType::Float16, {4}, 1.0 / 3);
    const Tensor sum = apply1(*elemwise(ScalarCode::Add), {half, half});
    EXPECT_EQ(sum.dtype(), DType::Float16);
    EXPECT_EQ(sum.at(2), 2 * half.at(0));
    const Tensor big = Tensor::scalarInt(DType::UInt64, -1);
    EXPECT_EQ(apply1(*elemwise(castOp(DType::Float64)), {big}).at(0), 18446744073709551616.0);
    EXPECT_TRUE(std::isnan(
        apply1(*elemwise(ScalarCode::Maximum), {Tensor::full(DType::Float32, {2}, NAN), Tensor::full(DType::Float32, {2}, 1)}).at(0)));
}

TEST(Elementwise, complexNumbers)
{
    Tensor x = Tensor::empty(DType::Complex64, {3});
    for (int i = 0; i < 3; ++i) x.as<std::complex<float>>()[i] = {3.0f * static_cast<float>(i), 4.0f * static_cast<float>(i)};
    const Tensor size = apply1(*elemwise(ScalarCode::Abs), {x});
    EXPECT_EQ(size.dtype(), DType::Float32);
    EXPECT_EQ(size.at(2), 10);
    const Tensor square = apply1(*elemwise(ScalarCode::Sqr), {x});
    EXPECT_EQ(square.as<std::complex<float>>()[1], std::complex<float>(-7, 24));
}

// Composite{(i0 * i1 + exp(i0), i0 - i1)} with an output that overwrites an input.
TEST(Elementwise, aCompositeInPlaceReadsItsInputsBeforeTheyGo)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {DType::Float32, DType::Float32};
    body.instructions = {{scalarOp(ScalarCode::Mul), {0, 1}, DType::Float32},
                         {scalarOp(ScalarCode::Exp), {0}, DType::Float32},
                         {scalarOp(ScalarCode::Add), {2, 3}, DType::Float32},
                         {scalarOp(ScalarCode::Sub), {0, 1}, DType::Float32}};
    body.outputs = {4, 5};
    const OpRef op = makeOp<Elemwise>(compositeOp(body), std::vector<Alias>{{0, 0}});
    for (std::int64_t n : {1, 5, 511, 512, 513, 2000}) {
        Tensor x = reference::make(DType::Float32, {n}, Order::Contiguous, [] { return drawFor(DType::Float32); });
        const Tensor y = reference::make(DType::Float32, {n}, Order::Contiguous, [] { return drawFor(DType::Float32); });
        const Tensor before = x.copy();
        Tensor second = Tensor::empty(DType::Float32, {n});
        const View inputs[] = {x.view(), y.view()};
        View outputs[] = {x.view(), second.view()};
        PerformArgs args{inputs, outputs, {}};
        op->perform(args);
        for (std::int64_t i = 0; i < n; ++i) {
            const float a = before.as<float>()[i], b = y.as<float>()[i];
            ASSERT_NEAR(x.as<float>()[i], a * b + std::exp(a), 1e-4) << n << " at " << i;
            ASSERT_EQ(second.as<float>()[i], a - b);
        }
    }
}

TEST(Elementwise, switchAndIntegerDivision)
{
    const Tensor condition = Tensor::fromInts(std::vector<std::int64_t>{1, 0, 2});
    const Tensor chosen =
        apply1(*elemwise(ScalarCode::Switch), {condition, Tensor::full(DType::Float32, {3}, 5), Tensor::full(DType::Float64, {3}, 7)});
    EXPECT_EQ(chosen.at(0), 5);
    EXPECT_EQ(chosen.at(1), 7);
    EXPECT_EQ(chosen.at(2), 5);
    const Tensor a = Tensor::full(DType::Int32, {2}, -7), b = Tensor::full(DType::Int32, {2}, 2), zero = Tensor::full(DType::Int32, {2}, 0);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::IntDiv), {a, b}).at(0), -4);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::Mod), {a, b}).at(0), 1);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::IntDiv), {a, zero}).at(1), 0);
    EXPECT_EQ(apply1(*elemwise(ScalarCode::Mod), {Tensor::full(DType::Float64, {2}, -7.5), Tensor::full(DType::Float64, {2}, 2)}).at(0),
              0.5);
}

} // namespace
