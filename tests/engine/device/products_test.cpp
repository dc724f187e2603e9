// Products of an OpenCL device by its own kernels, against the host's: turned operands, factors, vectors, batches.
#include "tests/engine/device/each_device.h"

#include "engine/device/cpu/host_work.h"
#include "engine/device/offers.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace engine;

namespace {

// A device of its own, opened while the setting says so.
Device *withKernels()
{
    static Device *const device = []() -> Device * {
        for (const DeviceOffer &offer : offeredDevices()) {
            if (offer.name != "opencl0:0" || !offer.open) continue;
            setenv("CROTON_OPENCL_AS", "card", 1);
            auto *const made = offer.open("opencl0:0").release();
            unsetenv("CROTON_OPENCL_AS");
            return made;
        }
        return nullptr;
    }();
    return device;
}

template <class T>
void compare(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, bool turnsA, bool turnsB, double beta, std::int64_t count)
{
    Device &device = *withKernels();
    DeviceStream &stream = device.stream();
    std::minstd_rand random(static_cast<unsigned>(m * 31 + n * 7 + k));
    const auto drawn = [&](std::int64_t size) {
        std::vector<T> values(static_cast<std::size_t>(size));
        for (T &value : values) value = static_cast<T>(random() % 200) / 100 - 1;
        return values;
    };
    const std::vector<T> a = drawn(m * k * count), b = drawn(k * n * count);
    std::vector<T> wanted = drawn(m * n * count), got(wanted.size());
    const auto put = [&](const std::vector<T> &values) {
        StorageRef storage = device.allocate(values.size() * sizeof(T) + 1, stream);
        if (!values.empty()) stream.copyIn(storage->data(), values.data(), values.size() * sizeof(T));
        return storage;
    };
    const StorageRef there[] = {put(a), put(b), put(wanted)};
    MatrixProduct product{.dtype = dtype, .m = m, .n = n, .k = k, .count = count, .alpha = 1.5, .beta = beta};
    product.a = {const_cast<T *>(a.data()), turnsA ? m : k, m * k, turnsA};
    product.b = {const_cast<T *>(b.data()), turnsB ? k : n, k * n, turnsB};
    product.c = {wanted.data(), n, m * n, false};
    MatrixProduct moved = product;
    moved.a.address = there[0]->data();
    moved.b.address = there[1]->data();
    moved.c.address = there[2]->data();
    stream.multiply(moved);
    multiplyOnHost(product);
    stream.copyOut(got.data(), there[2]->data(), got.size() * sizeof(T));
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], (sizeof(T) == 4 ? 1e-5 : 1e-12) * (1 + std::fabs(wanted[i])) * static_cast<double>(k + 1))
            << m << " x " << k << " by " << n << ", element " << i;
}

TEST(OpenClProducts, GiveTheHostsNumbers)
{
    if (!withKernels()) GTEST_SKIP() << "there is no OpenCL device";
    for (const auto &[m, n, k] :
         {std::tuple(1, 1, 1), std::tuple(5, 7, 3), std::tuple(16, 16, 16), std::tuple(33, 17, 65), std::tuple(9, 1, 300)})
        for (int turns = 0; turns < 4; ++turns)
            for (double beta : {0.0, 2.0}) {
                compare<float>(DType::Float32, m, n, k, turns & 1, turns & 2, beta, 1);
                compare<double>(DType::Float64, m, n, k, turns & 1, turns & 2, beta, 2);
            }
}

} // namespace
