// Fused reductions against the pair of applies they replace: the same bits on both tiers, for every set of axes and layout.
#include "tests/engine/runtime/adopted.h"
#include "tests/engine/runtime/reference.h"

#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/ops/reductions/fused_reduce.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/plan/threads.h"
#include "engine/scalar/table.h"
#include "engine/tensor/errors.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace engine;

namespace {

std::mt19937 random_(21);

Tensor randomArray(DType dtype, const Dims &shape, bool special)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    std::uniform_real_distribution<double> spread(-3, 3);
    static constexpr double kSpecial[] = {0.0, -0.0, 1e-20, 800, -800, NAN, INFINITY, -INFINITY};
    for (std::int64_t i = 0; i < result.size(); ++i)
        result.as<double>()[i] = isDiscrete(dtype)               ? static_cast<double>(random_() % 5)
                                 : special && random_() % 7 == 0 ? kSpecial[random_() % std::size(kSpecial)]
                                                                 : spread(random_);
    return result.converted(dtype);
}

// The same values with other strides: every second element of something larger, or axes in another order (3: backwards).
Tensor laidOut(const Tensor &x, int layout)
{
    if (layout == 0 || x.rank() == 0) return x;
    if (layout == 3) {
        Tensor result = reference::make(x.dtype(), x.shape(), reference::Order::Reversed, [] { return 0; });
        copyConverted(x.view(), result.view());
        return result;
    }
    const auto rank = static_cast<std::size_t>(x.rank());
    Dims strides(rank, 0);
    const auto width = static_cast<std::int64_t>(sizeOf(x.dtype()));
    std::int64_t step = width * (layout == 1 ? 2 : 1);
    for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t axis = layout == 2 ? k : rank - 1 - k;
        strides[axis] = step;
        step *= std::max<std::int64_t>(x.shape()[axis], 1);
    }
    StorageRef storage = allocateStorage(static_cast<std::size_t>(step) + 64);
    Tensor result(x.dtype(), x.shape(), strides, storage->data(), storage);
    copyConverted(x.view(), result.view());
    return result;
}

struct Case {
    OpRef elements;
    ReduceKind kind;
    std::vector<Tensor> inputs;
    std::vector<int> axes;
};

std::vector<Operand> operandsOf(const std::vector<Tensor> &inputs)
{
    std::vector<Operand> operands;
    for (const Tensor &input : inputs) {
        std::vector<std::int64_t> sizes;
        for (std::int64_t size : input.shape()) sizes.push_back(size == 1 ? 1 : kUnknownDim);
        operands.push_back({Type::tensor(input.dtype(), sizes)});
    }
    return operands;
}

// NaNs are all alike: which of two a sum keeps is the order of its operands, and that is the compiler's.
std::vector<std::byte> bitsOf(const Tensor &x)
{
    Tensor copy = x.copy();
    withStorageType(x.dtype(), [&]<class T>() {
        for (std::int64_t i = 0; i < copy.size(); ++i) {
            T &value = copy.as<T>()[i];
            if constexpr (std::is_floating_point_v<T>) value = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
            else if constexpr (std::is_same_v<T, Half>) value = std::isnan(halfToFloat(value)) ? floatToHalf(NAN) : value;
        }
    });
    const auto *from = static_cast<const std::byte *>(copy.data());
    return {from, from + copy.bytes()};
}

std::string textOf(const Case &one)
{
    std::string text = one.elements->name() + " kind " + std::to_string(static_cast<int>(one.kind)) + " axes";
    for (int axis : one.axes) text += " " + std::to_string(axis);
    for (const Tensor &input : one.inputs)
        text += ", " + std::string(nameOf(input.dtype())) + input.shape().text() + " strides " + input.strides().text();
    return text;
}

// Runs the op as a plan does; the second time with its kernel, if it has one. True: it has.
bool runBoth(const FusedReduce &op, const Case &one, Tensor &first, Tensor &second)
{
    std::vector<View> views;
    for (const Tensor &input : one.inputs) views.push_back(input.view());
    const auto operands = engine::operandsOf(views, 0);
    std::vector<SlotOperand> typed = operands;
    const auto types = operandsOf(one.inputs);
    for (std::size_t i = 0; i < typed.size(); ++i) typed[i].type = types[i].type;
    const View out = first.view();
    const auto outputs = engine::operandsOf({&out, 1}, static_cast<int>(views.size()));
    const auto thunk = op.prepare(ThunkSpec{typed, outputs});
    std::vector<void *> slots;
    for (const View &view : views) slots.push_back(view.data);
    slots.push_back(first.data());
    thunk->run(slots.data());
    if (!adoptCompiled(*thunk)) return false;
    slots.back() = second.data();
    thunk->run(slots.data());
    return true;
}

int expectSame(const Case &one)
{
    SCOPED_TRACE(textOf(one));
    const auto operands = operandsOf(one.inputs);
    const OpRef reduce = makeOp<CAReduce>(one.kind, std::optional(one.axes), std::nullopt, std::nullopt);
    const OpRef fused = makeOp<FusedReduce>(one.elements, reduce);
    std::vector<Value> values(one.inputs.begin(), one.inputs.end());
    Tensor wanted;
    try {
        const std::vector<Type> types = one.elements->outputTypes(operands);
        const Value elements = evaluateOp(*one.elements, values, types)[0];
        const Operand operand{types[0]};
        wanted = evaluateOp(*reduce, {&elements, 1}, reduce->outputTypes({&operand, 1}))[0].tensor();
    } catch (const UserError &) {
        const Value &value = values[0];
        EXPECT_THROW(evaluateOp(*fused, values, fused->outputTypes(operands)), UserError) << value.tensor().shape().text();
        return 0;
    }
    const std::vector<Type> types = fused->outputTypes(operands);
    const Tensor performed = evaluateOp(*fused, values, types)[0].tensor();
    EXPECT_EQ(performed.dtype(), wanted.dtype());
    EXPECT_EQ(performed.shape(), wanted.shape());
    EXPECT_EQ(bitsOf(performed), bitsOf(wanted)) << performed.text() << " instead of " << wanted.text();
    Tensor first = Tensor::zeros(wanted.dtype(), wanted.shape()), second = Tensor::zeros(wanted.dtype(), wanted.shape());
    const bool compiled = runBoth(static_cast<const FusedReduce &>(*fused), one, first, second);
    EXPECT_EQ(bitsOf(first), bitsOf(wanted)) << first.text() << " instead of " << wanted.text();
    if (compiled) {
        EXPECT_EQ(bitsOf(second), bitsOf(wanted)) << "compiled: " << second.text() << " instead of " << wanted.text();
    }
    return compiled;
}

// (a - b)² and |exp(a) * b|: a kernel of cheap steps, and one that calls primitives.
OpRef body(DType dtype, bool calls)
{
    ScalarBody made;
    made.inputCount = 2;
    made.inputTypes = {dtype, dtype};
    if (calls) {
        made.instructions = {{scalarOp(ScalarCode::Exp), {0}, dtype, 0},
                             {scalarOp(ScalarCode::Mul), {2, 1}, dtype, 0},
                             {scalarOp(ScalarCode::Abs), {3}, dtype, 0}};
        made.outputs = {4};
    } else {
        made.instructions = {{scalarOp(ScalarCode::Sub), {0, 1}, dtype, 0}, {scalarOp(ScalarCode::Sqr), {2}, dtype, 0}};
        made.outputs = {3};
    }
    return elemwise(compositeOp(std::move(made)));
}

const Dims kShapes[] = {{1},         {0},        {9},       {65},      {1000},      {1024},       {1025},     {3000}, {4, 5},
                        {70, 3},     {3, 150},   {2, 1100}, {3, 3500}, {40, 200},   {1, 8},       {8, 1},     {0, 4}, {3, 4, 5},
                        {7, 20, 30}, {100, 100}, {7, 316},  {130, 70}, {3, 2, 130}, {30, 130, 2}, {5, 1, 513}};

// The second operand: the same shape, or repeated along some axes.
std::vector<Dims> partners(const Dims &shape)
{
    std::vector<Dims> result{shape};
    for (unsigned mask = 1; mask < (1u << shape.size()); ++mask) {
        Dims partner = shape;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (mask >> axis & 1) partner[axis] = 1;
        if (!(partner == shape)) result.push_back(partner);
    }
    return result;
}

TEST(FusedReduce, hasTheBitsOfThePairOnBothTiers)
{
    int compiled = 0, cases = 0;
    for (DType dtype : {DType::Float32, DType::Float64})
        for (bool calls : {false, true})
            for (const Dims &shape : kShapes)
                for (const Dims &partner : partners(shape))
                    for (unsigned mask = 1; mask < (1u << shape.size()); ++mask)
                        for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max}) {
                            std::vector<int> axes;
                            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                                if (mask >> axis & 1) axes.push_back(static_cast<int>(axis));
                            const int layout = static_cast<int>(random_() % 3);
                            const Case one{body(dtype, calls),
                                           kind,
                                           {laidOut(randomArray(dtype, shape, random_() % 2), layout),
                                            laidOut(randomArray(dtype, partner, false), static_cast<int>(random_() % 3))},
                                           axes};
                            compiled += expectSame(one);
                            ++cases;
                            if (testing::Test::HasFailure()) return;
                        }
    EXPECT_GT(cases, 500);
    if (!compiler().path.empty()) {
        EXPECT_GT(compiled, cases / 2);
    }
}

// Rows of 1 … 9 elements in two to four axes, both operands repeated along any of them, reduced over any set.
void expectShortRows(int rounds)
{
    const auto sizeBelow = [](unsigned most) { return static_cast<std::int64_t>(1 + random_() % most); };
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
        const DType dtype = round % 5 == 0   ? DType::Int32
                            : round % 5 == 1 ? DType::Float16
                            : round % 5 == 2 ? DType::Float64
                                             : DType::Float32;
        const ReduceKind kinds[] = {ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod};
        const std::size_t rank = 2 + random_() % 3, longOne = random_() % 4;
        Dims shape, partner;
        for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(axis == longOne && axis + 1 < rank ? sizeBelow(300) : sizeBelow(9));
        partner = shape;
        Dims own = shape;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const unsigned which = random_() % 4;
            if (which == 0) own[axis] = 1;
            if (which == 1) partner[axis] = 1;
        }
        std::vector<int> axes;
        const unsigned mask = 1 + random_() % ((1u << rank) - 1);
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (mask >> axis & 1) axes.push_back(static_cast<int>(axis));
        const bool calls = dtype != DType::Int32 && random_() % 4 == 0;
        expectSame({body(dtype, calls),
                    kinds[random_() % std::size(kinds)],
                    {laidOut(randomArray(dtype, own, random_() % 3 == 0), static_cast<int>(random_() % 4)),
                     laidOut(randomArray(dtype, partner, false), static_cast<int>(random_() % 4))},
                    axes});
    }
}

TEST(FusedReduce, hasTheBitsOfThePairOverShortRows) { expectShortRows(800); }

TEST(FusedReduce, hasTheBitsOfThePairOverShortRowsOnSeveralThreads)
{
    setThreads(3);
    setSharedElements(100);
    expectShortRows(200);
    setSharedElements(0);
    setThreads(0);
}

TEST(FusedReduce, knowsEveryDTypeAndReduction)
{
    for (DType dtype :
         {DType::Float16, DType::Float32, DType::Float64, DType::Int8, DType::Int32, DType::Int64, DType::UInt8, DType::UInt64})
        for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min})
            for (const Dims &shape : {Dims{7}, Dims{300}, Dims{2100}, Dims{5, 7}, Dims{5, 300}, Dims{300, 5}})
                for (int layout : {0, 1})
                    for (const std::vector<int> &axes : {std::vector<int>{0}, std::vector<int>{static_cast<int>(shape.size()) - 1}}) {
                        expectSame({body(dtype, false),
                                    kind,
                                    {laidOut(randomArray(dtype, shape, true), layout), randomArray(dtype, shape, false)},
                                    axes});
                        if (testing::Test::HasFailure()) return;
                    }
    for (ReduceKind kind : {ReduceKind::Any, ReduceKind::All, ReduceKind::Sum})
        for (const Dims &shape : {Dims{7}, Dims{300}, Dims{2100}, Dims{5, 7}, Dims{300, 5}})
            expectSame({elemwise(ScalarCode::Gt),
                        kind,
                        {randomArray(DType::Float32, shape, true), randomArray(DType::Float32, shape, false)},
                        {0}});
    for (const Dims &shape : {Dims{7}, Dims{2100}, Dims{5, 7}})
        expectSame({elemwise(ScalarCode::Sqr), ReduceKind::Sum, {randomArray(DType::Complex128, shape, false)}, {0}});
}

// Transposed operands: alone, both, beside a row or a column; rows around the sizes of squares.
void expectOperandsAcross()
{
    for (const Dims &shape : {Dims{40, 300}, Dims{7, 1030}, Dims{16, 512}, Dims{300, 257}, Dims{5, 20, 600}, Dims{4, 3, 256}})
        for (DType dtype : {DType::Float32, DType::Float64, DType::Int32})
            for (unsigned mask = 1; mask < (1u << shape.size()); ++mask)
                for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max}) {
                    std::vector<int> axes;
                    for (std::size_t axis = 0; axis < shape.size(); ++axis)
                        if (mask >> axis & 1) axes.push_back(static_cast<int>(axis));
                    Dims partner = shape;
                    if (random_() % 3 == 0) partner[random_() % shape.size()] = 1;
                    const bool calls = dtype != DType::Int32 && random_() % 6 == 0;
                    const int other = random_() % 2 ? 2 : 0;
                    if (!testing::Test::HasFailure())
                        expectSame({body(dtype, calls),
                                    kind,
                                    {laidOut(randomArray(dtype, shape, true), 2), laidOut(randomArray(dtype, partner, false), other)},
                                    axes});
                }
}

TEST(FusedReduce, hasTheBitsOfThePairWhereOperandsLieAcross) { expectOperandsAcross(); }

TEST(FusedReduce, hasTheBitsOfThePairWhereOperandsLieAcrossOnSeveralThreads)
{
    setThreads(3);
    setSharedElements(1000);
    expectOperandsAcross();
    setSharedElements(0);
    setThreads(0);
}

TEST(FusedReduce, hasTheSameBitsOnSeveralThreads)
{
    setThreads(3);
    setSharedElements(1000);
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int32})
        for (bool calls : {false, true})
            for (const Dims &shape :
                 {Dims{70000}, Dims{200001}, Dims{700003}, Dims{40, 300}, Dims{30, 20}, Dims{500, 130}, Dims{12, 7, 300}, Dims{7, 300, 12}})
                for (unsigned mask = 1; mask < (1u << shape.size()); ++mask)
                    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max}) {
                        if (calls && dtype == DType::Int32) continue;
                        std::vector<int> axes;
                        for (std::size_t axis = 0; axis < shape.size(); ++axis)
                            if (mask >> axis & 1) axes.push_back(static_cast<int>(axis));
                        Dims partner = shape;
                        if (random_() % 2) partner[0] = 1;
                        if (!testing::Test::HasFailure())
                            expectSame(
                                {body(dtype, calls), kind, {randomArray(dtype, shape, true), randomArray(dtype, partner, false)}, axes});
                    }
    setSharedElements(0);
    setThreads(0);
}

TEST(FusedReduce, refusesTheLargestOfNothing)
{
    const Case one{
        body(DType::Float64, false), ReduceKind::Max, {Tensor::zeros(DType::Float64, {0}), Tensor::zeros(DType::Float64, {0})}, {0}};
    expectSame(one);
}

} // namespace
