// Pairs that a device puts in order: by their keys, and of equal keys as they stood.
#include "tests/engine/device/each_device.h"

#include "engine/device/device.h"
#include "engine/runtime/device/device_order.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace engine;

namespace {

using Numbers = std::vector<std::uint64_t>;

class DeviceOrders : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(GetParam());
        if (!m_device) GTEST_SKIP() << each_device::problem(GetParam());
    }
    Numbers numbersAt(void *at, std::size_t count) const
    {
        Numbers numbers(count);
        m_device->stream().copyOut(numbers.data(), at, count * sizeof numbers[0]);
        return numbers;
    }
    /// Keys below `most`, of which the lowest `bits` count.
    void expectOrder(std::int64_t rows, std::int64_t count, int bits, std::uint64_t most)
    {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(count) + " by " + std::to_string(bits) + " bits");
        const auto all = static_cast<std::size_t>(rows * count), length = static_cast<std::size_t>(count);
        std::mt19937_64 random(static_cast<std::uint64_t>(rows * 31 + count));
        Numbers keys(all), places(all);
        for (std::uint64_t &key : keys) key = random() % most;
        std::iota(places.begin(), places.end(), 1000);
        DeviceOrder order(*m_device, rows, count, bits, "order");
        for (int round = 0; round < 2; ++round) {
            m_device->stream().copyIn(order.keys(), keys.data(), all * sizeof keys[0]);
            m_device->stream().copyIn(order.places(), places.data(), all * sizeof keys[0]);
            order.run();
            const Numbers gotKeys = numbersAt(order.orderedKeys(), all), gotPlaces = numbersAt(order.orderedPlaces(), all);
            for (std::size_t row = 0; row < all; row += length) {
                Numbers wanted(length);
                std::iota(wanted.begin(), wanted.end(), row);
                std::ranges::stable_sort(wanted, {}, [&](std::uint64_t at) { return keys[at]; });
                for (std::size_t i = 0; i < length; ++i) {
                    ASSERT_EQ(gotPlaces[row + i], places[wanted[i]]) << "row " << row / length << ", " << i;
                    ASSERT_EQ(gotKeys[row + i], keys[wanted[i]]);
                }
            }
        }
    }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceOrders, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

TEST_P(DeviceOrders, FewPairs)
{
    for (const std::int64_t count : {1, 2, 7, 256, 257})
        for (const std::int64_t rows : {1, 3}) expectOrder(rows, count, 20, 10);
}

TEST_P(DeviceOrders, AllKeysAreTheSame)
{
    expectOrder(1, 4097, 1, 1);
    expectOrder(2, 4097, 30, 1);
}

TEST_P(DeviceOrders, EveryNumberOfBits)
{
    for (const int bits : {1, 3, 4, 5, 8, 9, 13, 17, 32, 63}) expectOrder(1, 4100, bits, std::uint64_t(1) << bits);
    expectOrder(1, 4100, 64, ~std::uint64_t(0));
}

TEST_P(DeviceOrders, ManyPairsInParts)
{
    if (std::string_view(GetParam()) == "shadow0") GTEST_SKIP() << "it has a megabyte of memory";
    expectOrder(1, 70001, 14, 10001);
    expectOrder(3, 40000, 32, std::uint64_t(1) << 32);
    expectOrder(1, 300000, 20, 1 << 20);
}

TEST_P(DeviceOrders, NoPairs)
{
    for (const auto &[rows, count] : {std::pair(0, 5), std::pair(1, 0)}) EXPECT_NO_THROW(DeviceOrder(*m_device, rows, count, 8, "order"));
}

} // namespace
