#include "engine/tensor/convert.h"
#include "engine/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace engine {
namespace {

Tensor array(DType dtype, std::vector<double> values, Dims shape = {})
{
    if (shape.empty()) shape = Dims{static_cast<std::int64_t>(values.size())};
    Tensor wide = Tensor::empty(DType::Float64, shape);
    std::copy(values.begin(), values.end(), wide.as<double>());
    return wide.converted(dtype);
}

std::string text(std::vector<double> values, DType dtype = DType::Float64) { return array(dtype, std::move(values)).text(200); }
std::string scalar(double value, DType dtype = DType::Float64) { return Tensor::scalar(dtype, value).text(); }

// All expectations were recorded with NumPy 1.24 (line breaks left out).
TEST(TensorText, Scalars)
{
    EXPECT_EQ(scalar(0.5), "0.5");
    EXPECT_EQ(scalar(1), "1.0");
    EXPECT_EQ(scalar(-0.0), "-0.0");
    EXPECT_EQ(scalar(1e-5), "1e-05");
    EXPECT_EQ(scalar(0.0001), "0.0001");
    EXPECT_EQ(scalar(0.00001234), "1.234e-05");
    EXPECT_EQ(scalar(1e15), "1000000000000000.0");
    EXPECT_EQ(scalar(9999999999999998), "9999999999999998.0");
    EXPECT_EQ(scalar(1e16), "1e+16");
    EXPECT_EQ(scalar(12345678901234567890.0), "1.2345678901234567e+19");
    EXPECT_EQ(scalar(5e-324), "5e-324");
    EXPECT_EQ(scalar(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(scalar(INFINITY), "inf");
    EXPECT_EQ(scalar(-INFINITY), "-inf");
    EXPECT_EQ(scalar(NAN), "nan");
    EXPECT_EQ(scalar(0.1, DType::Float32), "0.1");
    EXPECT_EQ(scalar(1.0 / 3, DType::Float32), "0.33333334");
    EXPECT_EQ(scalar(0.0001, DType::Float32), "1e-04");
    EXPECT_EQ(scalar(1e10, DType::Float32), "10000000000.0");
    EXPECT_EQ(scalar(123456.789, DType::Float32), "123456.79");
    EXPECT_EQ(scalar(1e-45, DType::Float32), "1e-45");
    EXPECT_EQ(scalar(65504, DType::Float16), "65500.0");
    EXPECT_EQ(scalar(1.0 / 3, DType::Float16), "0.3333");
    EXPECT_EQ(scalar(6e-8, DType::Float16), "6e-08");
    EXPECT_EQ(scalar(7, DType::Int8), "7");
    EXPECT_EQ(scalar(1, DType::Bool), "True");
    EXPECT_EQ(Tensor::scalarInt(DType::UInt64, -1).text(), "18446744073709551615");
    EXPECT_EQ(scalar(2, DType::Complex64), "(2+0j)");
}

TEST(TensorText, Arrays)
{
    EXPECT_EQ(text({0, 1, 2}), "[0. 1. 2.]");
    EXPECT_EQ(text({0.5, 1}), "[0.5 1. ]");
    EXPECT_EQ(text({1e-5, 1}), "[1.e-05 1.e+00]");
    EXPECT_EQ(text({1.5e-5, 1, -2}), "[ 1.5e-05  1.0e+00 -2.0e+00]");
    EXPECT_EQ(text({1.5, NAN, INFINITY}), "[1.5 nan inf]");
    EXPECT_EQ(text({1.5, NAN, -INFINITY}), "[ 1.5  nan -inf]");
    EXPECT_EQ(text({NAN}), "[nan]");
    EXPECT_EQ(text({100, 1}, DType::Int64), "[100   1]");
    EXPECT_EQ(text({1, 0}, DType::Bool), "[ True False]");
    EXPECT_EQ(text({-1.5, 2}), "[-1.5  2. ]");
    EXPECT_EQ(text({0.1 + 0.2, 1.0 / 3}), "[0.3        0.33333333]");
    EXPECT_EQ(text({1.0 / 3}, DType::Float32), "[0.33333334]");
    EXPECT_EQ(text({1e8, 1}), "[1.e+08 1.e+00]");
    EXPECT_EQ(text({123456.789, 0.001}), "[1.23456789e+05 1.00000000e-03]");
    EXPECT_EQ(text({99999999, 1e5}), "[99999999.   100000.]");
    EXPECT_EQ(text({0.1, 0.2, 65504}, DType::Float16), "[1.00e-01 2.00e-01 6.55e+04]");
    EXPECT_EQ(text({1e-300, 1e300}), "[1.e-300 1.e+300]");
    EXPECT_EQ(text({0.0001, 0.05}), "[0.0001 0.05  ]");
    EXPECT_EQ(text({0.00009, 0.05}), "[9.e-05 5.e-02]");
    EXPECT_EQ(text({12345678.125}), "[12345678.125]");
    EXPECT_EQ(text({2.5, 1000.123456789}), "[   2.5        1000.12345679]");
    EXPECT_EQ(text({1.123456789012345}), "[1.12345679]");
    EXPECT_EQ(text({}), "[]");
    EXPECT_EQ(array(DType::Int64, {1, 2, -3, 40}, {2, 2}).text(), "[[ 1  2] [-3 40]]");
    EXPECT_EQ(Tensor::zeros(DType::Float64, {2, 2}).text(), "[[0. 0.] [0. 0.]]");
}

TEST(TensorText, LongArraysAreSummarised)
{
    std::vector<double> values(2000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    EXPECT_EQ(text(values, DType::Int64), "[   0    1    2 ... 1997 1998 1999]");
    for (double &value : values) value /= 7;
    EXPECT_EQ(text(values), "[0.00000000e+00 1.42857143e-01 2.85714286e-01 ... 2.85285714e+02 2.85428571e+02 2.85571429e+02]");
    EXPECT_EQ(text(values).size(), 95u);
    EXPECT_EQ(array(DType::Int64, values).text(10), "[  0   0  …");
}

TEST(TensorText, StridedViewsReadInOrder)
{
    const Tensor base = array(DType::Int32, {0, 1, 2, 3, 4, 5}, {2, 3});
    const Tensor transposed(DType::Int32, {3, 2}, {4, 12}, base.data(), base.storage());
    EXPECT_EQ(transposed.text(), "[[0 3] [1 4] [2 5]]");
    const Tensor backwards(DType::Int32, {3}, {-8}, base.as<char>() + 16, base.storage());
    EXPECT_EQ(backwards.text(), "[4 2 0]");
}

TEST(Half, RoundsAsNumPyDoes)
{
    const auto bits = [](double value) { return floatToHalf(static_cast<float>(value)).bits; };
    EXPECT_EQ(bits(65519.99), 0x7bff);
    EXPECT_EQ(bits(65520.0), 0x7c00);
    EXPECT_EQ(bits(5.9604645e-08), 0x0001);
    EXPECT_EQ(bits(2.9802322e-08), 0x0000);
    EXPECT_EQ(bits(2.980530263224e-08), 0x0001);
    EXPECT_EQ(bits(-2.9802322e-08), 0x8000);
    EXPECT_EQ(bits(6.1035156e-05), 0x0400);
    EXPECT_EQ(bits(6.0975552e-05), 0x03ff);
    EXPECT_EQ(bits(1.00048828125), 0x3c00);
    EXPECT_EQ(bits(1.001464844), 0x3c02);
    EXPECT_EQ(bits(3.14159265), 0x4248);
    EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(NAN))));
}

TEST(Half, EveryValueSurvives)
{
    double sum = 0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const Half half{static_cast<std::uint16_t>(i)};
        const float value = halfToFloat(half);
        if (std::isnan(value)) continue;
        if (std::isfinite(value)) sum += std::fabs(value);
        EXPECT_EQ(floatToHalf(value).bits, half.bits);
    }
    EXPECT_EQ(sum, 201261055.875);
}

// A hash of the conversions of 2^16 bit patterns spread over all floats, recorded with NumPy.
TEST(Half, SpreadBitPatterns)
{
    std::uint64_t hash = 0, count = 0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const float value = std::bit_cast<float>(i * 65537u + 12345u);
        if (std::isnan(value)) continue;
        hash = hash * 31 + floatToHalf(value).bits;
        ++count;
    }
    EXPECT_EQ(count, 65280u);
    EXPECT_EQ(hash, 15338009561407932674u);
}

} // namespace
} // namespace engine
