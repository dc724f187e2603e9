#include "profiler/record/device_roofs.h"

#include "engine/codegen/kernel_target.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/errors.h"
#include "profiler/record/roofs.h"

#include <algorithm>

namespace profiler {
namespace {

using engine::DType;
using engine::Tensor;

constexpr double kBudgetNs = 4e7; // of one number
constexpr double kRoundNs = 2e6;  // beside which waiting for its end is little
constexpr std::int64_t kMostElements = std::int64_t(4) << 20, kMostOfCard = std::int64_t(32) << 20; // beyond the caches

// The best of several rounds of `count` pieces of work, or more where a round would be short: a roof is what is reached when nothing
// disturbs.
double bestStreamNs(engine::DeviceStream &stream, int count, auto work)
{
    const auto round = [&] {
        const std::uint64_t begin = engine::nowNs();
        for (int i = 0; i < count; ++i) work();
        stream.finish();
        return static_cast<double>(engine::nowNs() - begin) / count;
    };
    round(); // kernels are built, memory is there
    if (const double first = round(); first * count < kRoundNs) count = static_cast<int>(kRoundNs / std::max(first, 100.0)) + 1;
    double best = round(), spent = best * count;
    for (int i = 0; i < 50 && (i < 3 || spent < kBudgetNs); ++i) {
        const double ns = round();
        spent += ns * count;
        best = std::min(best, ns);
    }
    return best;
}

Tensor numbersOn(const engine::Device &device, DType dtype, const engine::Dims &shape)
{
    return engine::onDevice(Tensor::full(dtype, shape, 0.5), device.id());
}

// Nanoseconds of a scalar function on n elements.
double elementwiseNs(engine::Device &device, engine::ScalarCode code, std::size_t arity, std::int64_t n, int count)
{
    const engine::OpRef op = engine::elemwise(engine::scalarOp(code))->on(device.id());
    std::vector<engine::Value> inputs, outputs;
    for (std::size_t i = 0; i < arity; ++i) inputs.emplace_back(numbersOn(device, DType::Float32, {n}));
    outputs.emplace_back(engine::emptyOn(device.id(), DType::Float32, {n}));
    const engine::Type type = engine::Type::tensor(DType::Float32, engine::Dims{n}, device.id());
    const std::vector<engine::Type> inputTypes(arity, type), outputTypes{type};
    std::vector<void *> slots;
    const std::unique_ptr<engine::Thunk> thunk = engine::prepareApply(*op, inputs, outputs, inputTypes, outputTypes, slots);
    if (!thunk) throw engine::UserError("no kernel of " + op->name());
    return bestStreamNs(device.stream(), count, [&] { thunk->run(slots.data()); });
}

double deviceProductFlops(engine::Device &device, DType dtype)
{
    double best = 0;
    for (const std::int64_t n : {256, 1024, 4096}) {
        const Tensor a = numbersOn(device, dtype, {n, n}), b = numbersOn(device, dtype, {n, n}), c = numbersOn(device, dtype, {n, n});
        engine::MatrixProduct product;
        product.dtype = dtype;
        product.m = product.n = product.k = n;
        product.a = {a.data(), n, n * n, false};
        product.b = {b.data(), n, n * n, false};
        product.c = {c.data(), n, n * n, false};
        const double ns = bestStreamNs(device.stream(), 1, [&] { device.stream().multiply(product); });
        best = std::max(best, 2.0 * static_cast<double>(n * n * n) / ns * 1e9);
        if (ns > 3e6) break; // the larger one would take long, and be no faster
    }
    return best;
}

} // namespace

std::vector<Roof> measureDeviceRoofs(engine::Device &device)
{
    const std::string &name = device.info().name;
    std::vector<Roof> roofs;
    const auto measure = [&](const char *what, const char *unit, auto work) {
        try {
            if (const double value = work(); value > 0) roofs.push_back({name, what, value, unit});
        } catch (const std::exception &) {
            // what it cannot do has no roof
        }
    };
    const std::int64_t room = device.info().bytes > 0 ? static_cast<std::int64_t>(device.info().bytes / 64) : kMostElements;
    const bool isCard = engine::KernelTarget(device).hasManyItems();
    const std::int64_t most = std::clamp<std::int64_t>(room, 1 << 16, isCard ? kMostOfCard : kMostElements);
    measure("flops.float32", "flop/s", [&] { return deviceProductFlops(device, DType::Float32); });
    measure("flops.float64", "flop/s", [&] { return deviceProductFlops(device, DType::Float64); });
    const auto bytesPerSecond = [&](std::int64_t n) {
        return 3.0 * 4 * static_cast<double>(n) / elementwiseNs(device, engine::ScalarCode::Add, 2, n, 1) * 1e9;
    };
    measure("bandwidth.memory", "B/s", [&] { return bytesPerSecond(most); });
    // What lies in its caches is faster, up to some size: each twice the one before.
    double best = 0, sizeOfBest = 0;
    measure("bandwidth.cache", "B/s", [&] {
        for (std::int64_t n = 1 << 14; n < most / 2; n *= 4)
            if (const double rate = bytesPerSecond(n); rate > best) best = rate, sizeOfBest = 12.0 * static_cast<double>(n);
        return best;
    });
    if (sizeOfBest > 0) roofs.push_back({name, "size.cache", sizeOfBest, "B"});
    std::vector<float> host(static_cast<std::size_t>(most), 1);
    const double bytes = 4.0 * static_cast<double>(most);
    measure("bandwidth.HtoD", "B/s", [&] {
        const Tensor there = engine::emptyOn(device.id(), DType::Float32, {most});
        return bytes / bestStreamNs(device.stream(), 1, [&] { device.stream().copyIn(there.data(), host.data(), host.size() * 4); }) * 1e9;
    });
    measure("bandwidth.DtoH", "B/s", [&] {
        const Tensor there = numbersOn(device, DType::Float32, {most});
        return bytes / bestStreamNs(device.stream(), 1, [&] { device.stream().copyOut(host.data(), there.data(), host.size() * 4); }) * 1e9;
    });
    measure("launch", "ns", [&] { return elementwiseNs(device, engine::ScalarCode::Add, 2, 16, 100); });
    measure("copy", "ns", [&] {
        const Tensor there = engine::emptyOn(device.id(), DType::Float32, {16});
        return bestStreamNs(device.stream(), 20,
                            [&] {
                                device.stream().copyIn(there.data(), host.data(), 64);
                                device.stream().copyOut(host.data(), there.data(), 64);
                            }) /
               2;
    });
    measure("element.exp.float32", "ns", [&] {
        const std::int64_t n = std::min<std::int64_t>(most, 1 << 20);
        return elementwiseNs(device, engine::ScalarCode::Exp, 1, n, 1) / static_cast<double>(n);
    });
    return roofs;
}

std::vector<Roof> deviceRoofs(engine::Device &device, const std::string &cacheFile)
{
    if (device.info().isSimulated || device.id() == engine::DeviceId::Host) return {};
    return keptRoofs(cacheFile, device.info().name, device.info().hardware, [&] { return measureDeviceRoofs(device); });
}

} // namespace profiler
