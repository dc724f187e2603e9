// Copies between every pair of layouts, element by element against what the strides say.
#include "tests/engine/runtime/reference.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace engine;
using reference::kLayouts;
using reference::Order;

namespace {

std::mt19937 random_(5);

std::int64_t offsetOf(std::int64_t flat, const Dims &shape, const Dims &strides)
{
    std::int64_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis]) offset += flat % shape[axis] * strides[axis];
    return offset;
}

double drawn() { return static_cast<double>(random_() % 100); }

void expectCopied(const Tensor &from, const Tensor &to)
{
    const Dims shape = to.shape();
    copyConverted(from.view(), to.view());
    for (std::int64_t i = 0; i < to.size(); ++i) {
        const char *source = static_cast<const char *>(from.data()) + offsetOf(i, shape, from.strides());
        const char *target = static_cast<const char *>(to.data()) + offsetOf(i, shape, to.strides());
        if (from.dtype() == to.dtype()) {
            ASSERT_EQ(std::memcmp(source, target, sizeOf(to.dtype())), 0)
                << nameOf(to.dtype()) << shape.text() << from.strides().text() << to.strides().text() << i;
        } else {
            ASSERT_EQ(from.at(i), to.at(i)) << nameOf(from.dtype()) << " to " << nameOf(to.dtype()) << shape.text() << from.strides().text()
                                            << to.strides().text();
        }
    }
}

TEST(Copies, bringEveryElement)
{
    const Dims shapes[] = {{},       {1},      {7},       {0, 3},     {3, 1},      {1, 5},       {40, 17},
                           {17, 40}, {64, 33}, {2, 3, 4}, {5, 20, 9}, {20, 1, 12}, {3, 4, 18, 6}};
    const DType dtypes[] = {DType::Bool, DType::Int16, DType::Float32, DType::Int64, DType::Complex64, DType::Complex128};
    for (const Dims &shape : shapes)
        for (Order one : kLayouts)
            for (Order other : {Order::Contiguous, Order::Fortran, Order::Stepped, Order::Reversed}) {
                for (DType dtype : dtypes)
                    expectCopied(reference::make(dtype, shape, one, drawn), reference::make(dtype, shape, other, drawn));
                expectCopied(reference::make(DType::UInt8, shape, one, drawn), reference::make(DType::Float32, shape, other, drawn));
                expectCopied(reference::make(DType::Float64, shape, one, drawn), reference::make(DType::Float32, shape, other, drawn));
                expectCopied(reference::make(DType::Int32, shape, one, drawn), reference::make(DType::Float64, shape, other, drawn));
                if (testing::Test::HasFailure()) return;
            }
}

// Every permutation of three axes, as transposes leave them, into dense memory and into a window of a larger array.
TEST(Copies, bringEveryPermutation)
{
    const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int8})
        for (const auto &order : orders) {
            const Tensor source = reference::make(dtype, {18, 7, 35}, Order::Contiguous, drawn);
            Dims shape(3, 0), strides(3, 0);
            for (std::size_t i = 0; i < 3; ++i) {
                shape[i] = source.shape()[static_cast<std::size_t>(order[i])];
                strides[i] = source.strides()[static_cast<std::size_t>(order[i])];
            }
            const Tensor from(dtype, shape, strides, const_cast<void *>(source.data()), source.storage());
            expectCopied(from, Tensor::zeros(dtype, shape));
            const Tensor large = Tensor::zeros(dtype, {shape[0], shape[1] + 2, shape[2] + 3});
            expectCopied(from, Tensor(dtype, shape, large.strides(), const_cast<void *>(large.data()), large.storage()));
            double sum = 0, wanted = 0; // nothing else was written
            for (std::int64_t i = 0; i < large.size(); ++i) sum += large.at(i);
            for (std::int64_t i = 0; i < from.size(); ++i) wanted += from.at(i);
            EXPECT_EQ(sum, wanted);
        }
}

TEST(Copies, ontoOverlappingMemoryOfTheSameLayoutMove)
{
    Tensor x = Tensor::empty(DType::Int32, {10});
    for (int i = 0; i < 10; ++i) x.as<int>()[i] = i;
    const Tensor front(DType::Int32, {9}, {4}, x.as<int>(), x.storage()), back(DType::Int32, {9}, {4}, x.as<int>() + 1, x.storage());
    copyConverted(front.view(), back.view());
    for (int i = 1; i < 10; ++i) EXPECT_EQ(x.as<int>()[i], i - 1);
}

} // namespace
