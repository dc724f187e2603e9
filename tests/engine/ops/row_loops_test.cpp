// The vector loops over rows against plain ones, with every value that is hard to order.
#include "engine/ops/reductions/row_loops.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <vector>

using namespace engine;

namespace {

template <class T>
class RowLoops : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(RowLoops, Floats);

template <class T>
std::vector<T> wave(std::int64_t count, double step)
{
    std::vector<T> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(static_cast<T>(10 * std::sin(step * static_cast<double>(i))));
    return result;
}

TYPED_TEST(RowLoops, theFirstOfTheLargestIsFoundWhereverItStands)
{
    for (const std::int64_t count : {1, 2, 31, 32, 33, 64, 65, 200, 1000})
        for (const std::int64_t place : {std::int64_t(0), count / 3, count - 1}) {
            auto values = wave<TypeParam>(count, 0.7);
            values[static_cast<std::size_t>(place)] = values[static_cast<std::size_t>(count - 1)] = 11;
            EXPECT_EQ(placeOfLargest(values.data(), count), place) << count;
            values[static_cast<std::size_t>(place)] = std::numeric_limits<TypeParam>::quiet_NaN();
            EXPECT_EQ(placeOfLargest(values.data(), count), place) << count;
            values.assign(values.size(), -std::numeric_limits<TypeParam>::infinity());
            EXPECT_EQ(placeOfLargest(values.data(), count), 0);
        }
}

TYPED_TEST(RowLoops, shortRowsAreSearchedTogetherAsEachAlone)
{
    for (std::int64_t count = 1; count <= 18; ++count)
        for (const std::int64_t rows : {0, 1, 7, 8, 9, 40}) {
            auto values = wave<TypeParam>(rows * count, 0.7);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = std::round(values[i] / 5); // many are equal
                if (i % 7 == 3) values[i] = std::numeric_limits<TypeParam>::quiet_NaN();
                if (i % 11 == 5) values[i] = -std::numeric_limits<TypeParam>::infinity();
            }
            std::vector<std::int64_t> places(static_cast<std::size_t>(rows), -1);
            placesOfLargest(values.data(), rows, count, places.data());
            for (std::int64_t r = 0; r < rows; ++r) {
                const auto *row = values.data() + r * count;
                std::int64_t wanted = 0;
                while (wanted < count && !std::isnan(row[wanted])) ++wanted;
                if (wanted == count) wanted = std::max_element(row, row + count) - row;
                ASSERT_EQ(places[static_cast<std::size_t>(r)], wanted) << rows << " rows of " << count << ", row " << r;
            }
        }
}

template <class T>
class Places : public testing::Test {};
using Ordered = testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                               std::uint64_t, float, double>;
TYPED_TEST_SUITE(Places, Ordered);

// Blocks of 1024 elements, chunks of up to 256, leftovers; many equal elements.
TYPED_TEST(Places, areThoseOfTheFirstLargestInEveryDType)
{
    for (const std::int64_t count : {1, 2, 15, 64, 255, 256, 257, 1023, 1024, 1025, 3000})
        for (const std::int64_t step : {1, 3, 7, 1021}) {
            std::unique_ptr<TypeParam[]> values(new TypeParam[static_cast<std::size_t>(count)]);
            for (std::int64_t i = 0; i < count; ++i)
                values[static_cast<std::size_t>(i)] = static_cast<TypeParam>(i * step % 11 - (std::is_signed_v<TypeParam> ? 20 : 0));
            const auto wanted = std::max_element(values.get(), values.get() + count) - values.get();
            ASSERT_EQ(placeOfLargest(values.get(), count), wanted) << count << " elements, step " << step;
        }
}

TYPED_TEST(Places, ofColumnsAreThoseOfEachAlone)
{
    const RtPlaces find = rt_table()->placesInColumns[rtDType<TypeParam>()];
    if (sizeof(TypeParam) < 4) {
        EXPECT_EQ(find, nullptr);
        return;
    }
    for (const std::int64_t rows : {1, 2, 9})
        for (const std::int64_t columns : {1, 31, 32, 64, 100, 300}) {
            const std::int64_t stride = columns + 3;
            std::unique_ptr<TypeParam[]> values(new TypeParam[static_cast<std::size_t>(rows * stride)]);
            for (std::int64_t i = 0; i < rows * stride; ++i) {
                values[static_cast<std::size_t>(i)] = static_cast<TypeParam>(i * 7 % 5);
                if (std::numeric_limits<TypeParam>::has_quiet_NaN && i % 13 == 4)
                    values[static_cast<std::size_t>(i)] = std::numeric_limits<TypeParam>::quiet_NaN();
            }
            std::vector<long long> places(static_cast<std::size_t>(columns), -1);
            find(values.get(), rows, stride, columns, places.data());
            for (std::int64_t c = 0; c < columns; ++c) {
                std::vector<double> column;
                for (std::int64_t r = 0; r < rows; ++r)
                    column.push_back(static_cast<double>(values[static_cast<std::size_t>(r * stride + c)]));
                auto wanted = std::find_if(column.begin(), column.end(), [](double v) { return std::isnan(v); });
                if (wanted == column.end()) wanted = std::max_element(column.begin(), column.end());
                ASSERT_EQ(places[static_cast<std::size_t>(c)], wanted - column.begin()) << rows << " x " << columns << ", column " << c;
            }
        }
}

TYPED_TEST(RowLoops, exponentialsOfManyRows)
{
    for (const std::int64_t count : {1, 10, 63, 500, 5000})
        for (const std::int64_t rows : {1, 3, 50}) {
            const auto x = wave<TypeParam>(rows * count, 0.31);
            std::vector<TypeParam> out(x), shifts(static_cast<std::size_t>(rows));
            std::vector<double> totals(static_cast<std::size_t>(rows));
            shiftedExponentials(out.data(), out.data(), rows, count, totals.data(), shifts.data());
            for (std::int64_t r = 0; r < rows; ++r) {
                const auto *row = x.data() + r * count;
                const TypeParam top = *std::max_element(row, row + count);
                double total = 0;
                for (std::int64_t i = 0; i < count; ++i) {
                    const double wanted = std::exp(static_cast<double>(row[i] - top));
                    total += wanted;
                    ASSERT_NEAR(out[static_cast<std::size_t>(r * count + i)], wanted, 1e-6 * wanted);
                }
                EXPECT_EQ(shifts[static_cast<std::size_t>(r)], top);
                EXPECT_NEAR(totals[static_cast<std::size_t>(r)], total, 1e-6 * total);
            }
        }
}

} // namespace
