// Reductions against plain loops: every set of axes, every layout.
#include "tests/engine/runtime/reference.h"

#include "engine/ops/reductions/reduce.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/tensor/errors.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace engine;
using reference::Order;

namespace {

std::mt19937 random_(9);

Tensor reduced(const Tensor &x, ReduceKind kind, std::vector<int> axes)
{
    const OpRef op = makeOp<CAReduce>(kind, std::optional(axes), std::nullopt, std::nullopt);
    const Operand operand{Type::ofRank(x.dtype(), x.rank())};
    const std::vector<Type> types = op->outputTypes({&operand, 1});
    const Value value(x);
    return evaluateOp(*op, {&value, 1}, types)[0].tensor();
}

double combine(ReduceKind kind, double a, double b)
{
    switch (kind) {
    case ReduceKind::Sum: return a + b;
    case ReduceKind::Prod: return a * b;
    case ReduceKind::Max:
    case ReduceKind::Largest: return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case ReduceKind::Min: return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case ReduceKind::Any: return a != 0 || b != 0;
    case ReduceKind::All: return a != 0 && b != 0;
    }
    return 0;
}

void expectMatches(const Tensor &x, ReduceKind kind, const std::vector<int> &axes)
{
    const Tensor got = reduced(x, kind, axes);
    const auto rank = static_cast<std::size_t>(x.rank());
    std::vector<bool> gone(rank, false);
    for (int axis : axes) gone[static_cast<std::size_t>(axis)] = true;
    Dims shape;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (!gone[axis]) shape.push_back(x.shape()[axis]);
    ASSERT_EQ(got.shape(), shape);
    std::vector<double> wanted(static_cast<std::size_t>(got.size()), kind == ReduceKind::Prod || kind == ReduceKind::All);
    std::vector<bool> begun(wanted.size(), false);
    for (std::int64_t flat = 0; flat < x.size(); ++flat) {
        std::int64_t rest = flat, at = 0, step = 1;
        for (std::size_t axis = rank; axis-- > 0;) {
            const std::int64_t index = rest % x.shape()[axis];
            rest /= x.shape()[axis];
            if (gone[axis]) continue;
            at += index * step;
            step *= x.shape()[axis];
        }
        const auto place = static_cast<std::size_t>(at);
        const bool extreme = kind == ReduceKind::Max || kind == ReduceKind::Min || kind == ReduceKind::Largest;
        wanted[place] = extreme && !begun[place] ? x.at(flat) : combine(kind, wanted[place], x.at(flat));
        begun[place] = true;
    }
    for (std::int64_t i = 0; i < got.size(); ++i) {
        const double w = wanted[static_cast<std::size_t>(i)];
        if (std::isnan(w)) {
            ASSERT_TRUE(std::isnan(got.at(i)));
            continue;
        }
        const double tolerance = x.dtype() == DType::Float16 ? 2e-3 : x.dtype() == DType::Float32 ? 2e-6 : 1e-12;
        ASSERT_NEAR(got.at(i), w, tolerance * (1 + std::fabs(w))) << nameOf(x.dtype()) << x.shape().text() << " at " << i;
    }
}

TEST(Reduce, everyAxisSetInEveryLayout)
{
    const Dims shapes[] = {{},     {1},    {0},    {9},       {65},         {4, 5},    {70, 3},  {3, 70},
                           {1, 8}, {8, 1}, {0, 4}, {3, 4, 5}, {2, 3, 2, 4}, {2, 1100}, {1100, 2}};
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int32, DType::UInt8, DType::Float16})
        for (const Dims &shape : shapes)
            for (Order layout : reference::kLayouts) {
                const Tensor x = reference::make(dtype, shape, layout, [&] {
                    return isDiscrete(dtype) ? static_cast<double>(random_() % 3) : std::uniform_real_distribution<double>(-1, 1)(random_);
                });
                for (unsigned mask = 0; mask < (1u << shape.size()); ++mask) {
                    std::vector<int> axes;
                    for (int axis = 0; axis < shape.rank(); ++axis)
                        if (mask >> axis & 1) axes.push_back(axis);
                    if (axes.empty() && shape.rank() > 0) continue;
                    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min}) {
                        if (kind != ReduceKind::Sum && x.size() == 0) continue;
                        expectMatches(x, kind, axes);
                        if (HasFatalFailure()) return;
                    }
                }
            }
}

TEST(Reduce, productsAndLogic)
{
    const Tensor x = reference::make(DType::Int64, {3, 4}, Order::Fortran, [] { return static_cast<double>(random_() % 3); });
    for (std::vector<int> axes : {std::vector<int>{0}, {1}, {0, 1}}) expectMatches(x, ReduceKind::Prod, axes);
    const Tensor flags = reference::make(DType::Bool, {5, 70}, Order::Stepped, [] { return static_cast<double>(random_() % 2); });
    for (std::vector<int> axes : {std::vector<int>{0}, {1}, {0, 1}}) {
        expectMatches(flags, ReduceKind::Any, axes);
        expectMatches(flags, ReduceKind::All, axes);
        expectMatches(flags, ReduceKind::Sum, axes);
    }
}

TEST(Reduce, narrowIntegersOfEveryLength)
{
    const ReduceKind kinds[] = {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min};
    for (DType dtype : {DType::Bool, DType::Int8, DType::Int16, DType::Int32, DType::UInt8, DType::UInt16, DType::UInt32})
        for (std::int64_t n : {1, 5, 31, 32, 33, 127, 128, 129, 255, 1000, 4097, 70001})
            for (ReduceKind kind : kinds) {
                if (dtype == DType::Bool && kind != ReduceKind::Sum) continue;
                Tensor x = Tensor::empty(dtype, {2, n});
                for (std::int64_t i = 0; i < x.size(); ++i)
                    withStorageType(dtype, [&]<class T>() {
                        // Up to the ends of the range, so that nothing may be summed up in it.
                        if constexpr (std::is_integral_v<T>)
                            x.as<T>()[i] = dtype == DType::Bool ? T(random_() % 2)
                                                                : static_cast<T>(random_() % 5 ? random_() : std::numeric_limits<T>::max());
                    });
                expectMatches(x, kind, {1});
                expectMatches(x, kind, {0, 1});
            }
}

TEST(Reduce, nanWinsAndEmptyHasNoMaximum)
{
    Tensor x = Tensor::full(DType::Float32, {200, 3}, 1);
    x.as<float>()[301] = NAN;
    expectMatches(x, ReduceKind::Max, {0});
    expectMatches(x, ReduceKind::Max, {0, 1});
    expectMatches(x, ReduceKind::Min, {1});
    try {
        reduced(Tensor::zeros(DType::Float64, {0, 3}), ReduceKind::Max, {0});
        FAIL();
    } catch (const ShapeMismatch &error) {
        EXPECT_STREQ(error.what(), "zero-size array to reduction operation maximum which has no identity");
    }
}

TEST(Reduce, theLargestOfNothingIsBelowEverything)
{
    expectMatches(Tensor::full(DType::Float64, {3, 4}, -2), ReduceKind::Largest, {1});
    for (DType dtype : {DType::Float16, DType::Float32, DType::Float64}) {
        const Tensor largest = reduced(Tensor::zeros(dtype, {0, 3}), ReduceKind::Largest, {0});
        EXPECT_EQ(largest.dtype(), dtype);
        EXPECT_EQ(largest.at(2), -INFINITY);
    }
    EXPECT_EQ(reduced(Tensor::zeros(DType::Float32, {0, 3}), ReduceKind::Max, {1}).shape(), Dims{0});
}

TEST(Reduce, float32SumsKeepDoubleAccuracy)
{
    const Tensor x = Tensor::full(DType::Float32, {3000000}, 0.1);
    EXPECT_NEAR(reduced(x, ReduceKind::Sum, {0}).at(0), 3000000.0 * 0.1f, 0.02);
    EXPECT_EQ(reduced(Tensor::full(DType::Int8, {1000}, 100), ReduceKind::Sum, {0}).at(0), 100000);
}

} // namespace
