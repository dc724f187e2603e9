// Random graphs on each device.
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/random_graphs.h"

#include <gtest/gtest.h>

namespace {

class DeviceRandomGraphs : public testing::TestWithParam<const char *> {};

INSTANTIATE_TEST_SUITE_P(All, DeviceRandomGraphs, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

TEST_P(DeviceRandomGraphs, GiveWhatTheHostGives)
{
    engine::Device *const device = each_device::find(GetParam());
    if (!device) GTEST_SKIP() << each_device::problem(GetParam());
    // PoCL takes most of a second for each new kernel.
    const std::uint32_t graphs = std::getenv("CROTON_LONG_TESTS") ? 500 : 4;
    for (std::uint32_t seed = 0; seed < graphs; ++seed)
        ASSERT_EQ(each_device::differenceOnRandomGraph(seed, device->id()), "") << "seed " << seed;
}

} // namespace
