// What every device must do, asked of each one that a test run has.
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/shadow.h"

#include "engine/codegen/kernel_unit.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace engine;

namespace {

class EveryDevice : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        if (!each_device::find(GetParam())) GTEST_SKIP() << each_device::problem(GetParam());
    }
    Device &device() const { return *each_device::find(GetParam()); }
    DeviceStream &stream() const { return device().stream(); }
    StorageRef put(const std::vector<float> &values) const
    {
        StorageRef storage = device().allocate(values.size() * sizeof(float), stream());
        stream().copyIn(storage->data(), values.data(), values.size() * sizeof(float));
        return storage;
    }
    std::vector<float> get(const void *address, std::size_t count) const
    {
        std::vector<float> values(count);
        stream().copyOut(values.data(), address, count * sizeof(float));
        return values;
    }
    std::shared_ptr<BuiltKernel> adding() const
    {
        const KernelParameter parameters[] = {{"a", "const float"}, {"b", "const float"}, {"c", "float"}};
        return device().build({"adding", kernelUnit(device().info().dialect, parameters, "        c[i] = a[i] + b[i];\n"), {}});
    }
};
constexpr auto kName = [](const auto &info) { return each_device::testName(info.param); };
INSTANTIATE_TEST_SUITE_P(Host, EveryDevice, testing::Values("cpu"), kName);
INSTANTIATE_TEST_SUITE_P(Others, EveryDevice, testing::ValuesIn(each_device::others()), kName);

const std::vector<float> kOnes{1, 1, 1, 1}, kCounted{1, 2, 3, 4};

TEST_P(EveryDevice, KnowsItsStorages)
{
    EXPECT_EQ(put(kOnes)->device(), device().id());
    EXPECT_EQ(&deviceOf(device().id()), &device());
}

TEST_P(EveryDevice, CopiesInWithinAndOut)
{
    const StorageRef from = put(kCounted), to = put(kOnes);
    stream().copyWithin(static_cast<char *>(to->data()) + 8, from->data(), 8);
    EXPECT_EQ(get(to->data(), 4), (std::vector<float>{1, 1, 1, 2}));
    EXPECT_EQ(get(static_cast<char *>(from->data()) + 4, 2), (std::vector<float>{2, 3})) << "addresses have arithmetic";
}

TEST_P(EveryDevice, WhatWasCopiedInMayChangeAtOnce)
{
    std::vector<float> values = kCounted;
    const StorageRef storage = device().allocate(16, stream());
    stream().copyIn(storage->data(), values.data(), 16);
    values.assign(4, 0);
    EXPECT_EQ(get(storage->data(), 4), kCounted);
}

TEST_P(EveryDevice, RunsKernelsInOrder)
{
    const StorageRef a = put(kCounted), b = put(kOnes);
    const auto kernel = adding();
    const KernelArgument arguments[] = {KernelArgument::at(a->data()), KernelArgument::at(b->data()), KernelArgument::at(a->data()),
                                        KernelArgument::of(std::int64_t(4))};
    for (int i = 0; i < 50; ++i) stream().launch(kernel, {}, arguments);
    EXPECT_EQ(get(a->data(), 4), (std::vector<float>{51, 52, 53, 54}));
}

TEST_P(EveryDevice, SaysWhatTheCompilerSaid)
{
    try {
        device().build({"broken", kernelUnit(device().info().dialect, {}, "nonsense_that_is_nowhere;"), {}});
        FAIL() << "it was built";
    } catch (const DeviceError &error) {
        EXPECT_NE(std::string(error.what()).find("nonsense_that_is_nowhere"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("broken"), std::string::npos) << error.what();
    }
}

TEST_P(EveryDevice, MultipliesBatches)
{
    const StorageRef a = put({1, 2, 3, 4, 0, 1, 1, 0}), b = put({1, 0, 0, 1, 5, 6, 7, 8}), c = put(std::vector<float>(8, 1));
    MatrixProduct product;
    product.m = product.n = product.k = product.count = 2;
    product.beta = 10;
    product.a = {a->data(), 2, 4, false};
    product.b = {b->data(), 2, 4, true};
    product.c = {c->data(), 2, 4, false};
    stream().multiply(product);
    EXPECT_EQ(get(c->data(), 8), (std::vector<float>{11, 12, 13, 14, 16, 18, 15, 17}));
}

TEST_P(EveryDevice, EventsOrderStreams)
{
    const std::unique_ptr<DeviceStream> other = device().openStream();
    const StorageRef a = put(kCounted), b = put(kOnes);
    const auto kernel = adding();
    const KernelArgument arguments[] = {KernelArgument::at(a->data()), KernelArgument::at(a->data()), KernelArgument::at(b->data()),
                                        KernelArgument::of(std::int64_t(4))};
    stream().launch(kernel, {}, arguments);
    const auto made = stream().record();
    other->after(*made);
    other->copyWithin(a->data(), b->data(), 16);
    other->finish();
    EXPECT_TRUE(made->isReached());
    EXPECT_EQ(get(a->data(), 4), (std::vector<float>{2, 4, 6, 8}));
}

// Threads share the stream, and what one of them gives is not what another one does.
TEST_P(EveryDevice, NamesTheWorkOfEachThread)
{
    constexpr int kRounds = 200;
    stream().finish();
    device().drain();
    device().watch(true);
    const StorageRef a = put({1, 2, 3, 4}), b = put({1, 0, 0, 1}), c = put(std::vector<float>(4, 1)), d = put({1, 2, 3, 4});
    stream().finish();
    device().drain();
    std::thread copies([&] {
        DeviceStream::tag(32);
        for (int round = 0; round < kRounds; ++round) stream().copyWithin(c->data(), d->data(), 16);
    });
    DeviceStream::tag(31);
    MatrixProduct product;
    product.m = product.n = product.k = 2;
    product.a = {a->data(), 2, 4, false};
    product.b = {b->data(), 2, 4, true};
    const StorageRef result = device().allocate(16, stream());
    product.c = {result->data(), 2, 4, false};
    for (int round = 0; round < kRounds; ++round) stream().multiply(product);
    copies.join();
    DeviceStream::tag(0);
    stream().finish();
    device().watch(false);
    int products = 0, copied = 0;
    for (const DeviceActivity &activity : device().drain()) {
        const bool isProduct = activity.kind == DeviceActivity::Kind::Product, isCopy = activity.kind == DeviceActivity::Kind::CopyWithin;
        products += isProduct && !activity.isFurther;
        copied += isCopy;
        EXPECT_TRUE(!isProduct || activity.tag == 31) << activity.tag;
        EXPECT_EQ(isCopy, activity.tag == 32) << "kind " << static_cast<int>(activity.kind);
    }
    EXPECT_EQ(products, kRounds);
    EXPECT_EQ(copied, kRounds);
}

TEST_P(EveryDevice, TellsWhatItDidByTag)
{
    stream().finish();
    device().drain();
    device().watch(true);
    stream().tag(7);
    const StorageRef a = put(kCounted);
    stream().tag(8);
    get(a->data(), 4);
    device().watch(false);
    std::vector<DeviceActivity> done = device().drain();
    std::erase_if(done, [](const DeviceActivity &one) { return one.kind > DeviceActivity::Kind::Fill; }); // beside work
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].tag, 7u);
    EXPECT_EQ(done[0].kind, DeviceActivity::Kind::CopyIn);
    EXPECT_EQ(done[1].tag, 8u);
    EXPECT_EQ(done[1].kind, DeviceActivity::Kind::CopyOut);
    for (const DeviceActivity &activity : done) {
        EXPECT_EQ(activity.bytes, 16u);
        EXPECT_LE(activity.begin, activity.end);
        EXPECT_LE(activity.end, device().now());
    }
    EXPECT_TRUE(device().drain().empty()) << "each is given once";
}

TEST(Shadow, WritingPastAnEndIsFound)
{
    shadow::Shadow own("unlisted");
    {
        const StorageRef array = own.allocate(16, own.stream());
        const StorageRef behind = own.allocate(16, own.stream());
        const auto kernel =
            own.build({"wild", "void croton_kernel_0(void *const *o, const void *math, long n) { ((float *)o[0])[n] = 0; }\n", {}});
        const KernelArgument arguments[] = {KernelArgument::at(array->data()), KernelArgument::of(std::int64_t(4))};
        own.stream().launch(kernel, {}, arguments);
        EXPECT_EQ(own.faults(), "") << "it is found when the array goes";
    }
    EXPECT_EQ(own.faults(), "written past the end of an array; ");
}

TEST(Shadow, TheHostCannotReadThere)
{
    const StorageRef array = shadow::device().allocate(16, shadow::device().stream());
    EXPECT_DEATH({ *static_cast<volatile float *>(array->data()); }, "");
}

TEST(Devices, AreFoundByName)
{
    shadow::device();
    EXPECT_EQ(devices().front(), &deviceOf(DeviceId::Host));
    EXPECT_EQ(findDevice("cpu"), devices().front());
    EXPECT_EQ(findDevice("cuda7"), nullptr);
    EXPECT_THROW(addDevice(std::make_unique<shadow::Shadow>("shadow0")), std::runtime_error) << "two of one name";
}

} // namespace
