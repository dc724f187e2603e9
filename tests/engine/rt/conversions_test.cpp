// Conversions between dtypes, on every level: half floats, floats that no integer holds, and registers that are wider than their dtype.
#include "engine/tensor/convert.h"
#include "tests/engine/rt/tables.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

using engine::convertElement, engine::doubleToHalf, engine::Half, engine::halfToFloat;
using rt::tables;

TEST(RtConversions, halfPrecisionGoesThereAndBack)
{
    for (const RtTable *table : tables()) {
        std::vector<unsigned short> half(65536), back(65536);
        std::vector<float> wide(65536);
        for (int i = 0; i < 65536; ++i) half[static_cast<std::size_t>(i)] = static_cast<unsigned short>(i);
        table->loads[RT_D_F16](reinterpret_cast<const char *>(half.data()), 2, wide.data(), 65536);
        table->stores[RT_D_F16](wide.data(), reinterpret_cast<char *>(back.data()), 2, 65536);
        for (std::size_t i = 0; i < 65536; ++i) {
            if ((i & 0x7c00) == 0x7c00 && (i & 0x3ff)) EXPECT_TRUE(std::isnan(wide[i]));
            else ASSERT_EQ(half[i], back[i]) << wide[i];
        }
        EXPECT_EQ(wide[1], std::ldexp(1.0f, -24));
        EXPECT_EQ(wide[0x3c00], 1.0f);
    }
}

template <class To, class From>
void expectCasts(const RtTable *table, RtDType to, RtKind from, const std::vector<double> &values)
{
    std::vector<From> numbers;
    for (int i = 0; i < 5; ++i) // through whole vectors and a tail
        for (double value : values) numbers.push_back(static_cast<From>(value));
    std::vector<std::int64_t> wide(numbers.size());
    const void *in[] = {numbers.data()};
    const RtLoop narrowing = table->narrowingCasts[to][from];
    (narrowing ? narrowing : table->casts[from][to == RT_D_U64 ? RT_UINT : RT_INT])(wide.data(), in, static_cast<long>(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        ASSERT_EQ(static_cast<To>(wide[i]), convertElement<To>(numbers[i])) << table->level << " " << numbers[i] << " to dtype " << to;
}

TEST(RtConversions, floatsThatDoNotFitBecomeTheSameIntegersOnEveryLevel)
{
    std::vector<double> values = {0, -0.5, -1.5, 127.9, 300, -300, 70000, 1e30, -1e30, INFINITY, -INFINITY, NAN};
    for (int bits : {31, 32, 53, 62, 63, 64})
        for (double offset : {-1.0, -0.5, 0.0, 0.5, 5.0})
            for (double sign : {1.0, -1.0}) values.push_back(sign * (std::ldexp(1.0, bits) + offset));
    for (const RtTable *table : tables()) {
        const auto both = [&]<class To>(RtDType to, To) {
            expectCasts<To, float>(table, to, RT_F32, values);
            expectCasts<To, double>(table, to, RT_F64, values);
        };
        both(RT_D_I8, std::int8_t());
        both(RT_D_I16, std::int16_t());
        both(RT_D_I32, std::int32_t());
        both(RT_D_I64, std::int64_t());
        both(RT_D_U8, std::uint8_t());
        both(RT_D_U16, std::uint16_t());
        both(RT_D_U32, std::uint32_t());
        both(RT_D_U64, std::uint64_t());
    }
}

TEST(RtConversions, doublesBecomeHalfFloatsInOneRoundingOnEveryLevel)
{
    std::vector<double> values;
    for (int i = 0; i < 0x7bff; ++i) {
        const double low = halfToFloat({static_cast<std::uint16_t>(i)}), high = halfToFloat({static_cast<std::uint16_t>(i + 1)}),
                     tie = (low + high) / 2;
        for (double value : {tie, std::nextafter(tie, 0), std::nextafter(tie, INFINITY)}) {
            values.push_back(value);
            const Half even{static_cast<std::uint16_t>(i + (i & 1))};
            ASSERT_EQ(doubleToHalf(value).bits, value < tie ? i : value > tie ? i + 1 : even.bits) << value;
        }
    }
    for (const RtTable *table : tables()) {
        std::vector<float> odd(values.size());
        std::vector<std::uint16_t> half(values.size());
        const void *in[] = {values.data()};
        const auto count = static_cast<long>(values.size());
        table->narrowingCasts[RT_D_F16][RT_F64](odd.data(), in, count);
        table->stores[RT_D_F16](odd.data(), reinterpret_cast<char *>(half.data()), 2, count);
        for (std::size_t i = 0; i < values.size(); ++i)
            ASSERT_EQ(half[i], doubleToHalf(values[i]).bits) << table->level << " " << values[i];
    }
}

// What a register holds beyond its dtype goes as it goes on the way to memory and back, in vectors and in what is left over by them.
TEST(RtConversions, registersAreRoundedAlikeAtEveryPlace)
{
    struct Narrow {
        RtDType dtype;
        std::size_t memory, registers;
        bool isInteger = false;
    };
    const Narrow all[] = {{RT_D_I8, 1, 8, true},  {RT_D_I16, 2, 8, true}, {RT_D_I32, 4, 8, true}, {RT_D_U8, 1, 8, true},
                          {RT_D_U16, 2, 8, true}, {RT_D_U32, 4, 8, true}, {RT_D_F16, 2, 4},       {RT_D_C64, 8, 16}};
    for (const RtTable *table : tables())
        for (const Narrow &narrow : all)
            for (std::size_t n = 1; n < 40; ++n) {
                std::vector<double> values(2 * n), wrapped(2 * n), there(2 * n), back(2 * n);
                for (std::size_t i = 0; i < 2 * n; ++i) {
                    values[i] = 1 / (3.0 + static_cast<double>(i));
                    const auto integer = static_cast<std::int64_t>(i * 0x123456789ull);
                    const float single[] = {static_cast<float>(values[i]), static_cast<float>(values[i])};
                    if (narrow.isInteger) std::memcpy(&values[i], &integer, 8);
                    if (narrow.registers == 4) std::memcpy(&values[i], single, 8);
                }
                const void *in[] = {values.data()};
                table->wraps[narrow.dtype](wrapped.data(), in, static_cast<long>(n));
                table->stores[narrow.dtype](values.data(), reinterpret_cast<char *>(there.data()), static_cast<long>(narrow.memory),
                                            static_cast<long>(n));
                table->loads[narrow.dtype](reinterpret_cast<const char *>(there.data()), static_cast<long>(narrow.memory), back.data(),
                                           static_cast<long>(n));
                EXPECT_EQ(std::memcmp(wrapped.data(), back.data(), n * narrow.registers), 0)
                    << "dtype " << narrow.dtype << ", " << n << " elements";
            }
}

} // namespace
