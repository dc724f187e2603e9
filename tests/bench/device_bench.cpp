// A device that is this processor (PoCL) against the engine's own kernels on the same cores, in turns: elementwise work and reductions over
// 16M elements, resident and left there. Then a step of logistic regression, all of it resident: what a call takes over its kernels.
// Expected: at least 0.7 of the engine's own speed; at most 60 us over the kernels.
#include "engine/compile/function/function.h"
#include "engine/device/offers.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/ir/builders.h"
#include "engine/graph/ir/clone.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

using namespace engine;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Spread {
    double least = 0, median = 0;
};

/// Of all threads of this process.
double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Of this thread: what it does itself, however busy the machine is.
double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Spread spreadOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return {values.front(), values[values.size() / 2]};
}

/// The expression as a function of arrays that lie on the device, which leaves its results there.
std::shared_ptr<Function> compiledOn(const std::string &text, Device &device)
{
    const ParsedExpression parsed = parseExpression(text);
    FunctionSpec spec;
    std::vector<VarRef> there, seen;
    for (const VarRef &input : parsed.inputs) {
        there.push_back(Variable::input(input->type().on(device.id()), input->name()));
        seen.push_back(transfer(there.back(), DeviceId::Host));
    }
    for (const VarRef &output : substitute(parsed.outputs, parsed.inputs, seen)) spec.outputs.push_back(transfer(output, device.id()));
    for (const VarRef &input : there) spec.inputs.push_back({input});
    spec.onUnusedInput = OnUnusedInput::Ignore;
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.device = device.id();
    return Function::compile(std::move(spec));
}

struct Row {
    const char *name, *text;
    bool isMatrix;
};

constexpr Row kRows[] = {
    {"x + y", "x: fvector; y: fvector; x + y", false},
    {"x * 2 + y", "x: fvector; y: fvector; x * 2 + y", false},
    {"exp(x)", "x: fvector; y: fvector; exp(x)", false},
    {"exp(x) * y + 1", "x: fvector; y: fvector; exp(x) * y + 1", false},
    {"sigmoid(x) - y", "x: fvector; y: fvector; sigmoid(x) - y", false},
    {"tanh(x) * y", "x: fvector; y: fvector; tanh(x) * y", false},
    {"log(1 + exp(x))", "x: fvector; y: fvector; log(1 + exp(x))", false},
    {"x > y", "x: fvector; y: fvector; x > y", false},
    {"x + row", "x: fmatrix; y: fmatrix; x + y[0]", true},
    {"sum(x)", "x: fvector; y: fvector; sum(x)", false},
    {"sum((x - y)²)", "x: fvector; y: fvector; sum(sqr(x - y))", false},
    {"max(x)", "x: fvector; y: fvector; max(x)", false},
    {"sum of rows", "x: fmatrix; y: fmatrix; sum(x, axis=1)", true},
    {"sum of columns", "x: fmatrix; y: fmatrix; sum(x, axis=0)", true},
};

void compareAtSize(Device &device, const Row &row, std::int64_t size)
{
    const std::int64_t side = 4096;
    const Dims shape = row.isMatrix ? Dims{size / side, side} : Dims{size};
    std::vector<Value> here, there;
    for (int k = 0; k < 2; ++k) {
        Tensor array = Tensor::empty(DType::Float32, shape);
        for (std::int64_t i = 0; i < array.size(); ++i) array.as<float>()[i] = static_cast<float>((i * (k + 3)) % 1999) / 1000 - 1;
        here.emplace_back(array);
        there.emplace_back(onDevice(array, device.id()));
    }
    const auto own = compiledOn(row.text, deviceOf(DeviceId::Host)), other = compiledOn(row.text, device);
    const auto turn = [&](Function &function, const std::vector<Value> &inputs, Device *waits) {
        std::vector<Value> results;
        const auto begin = Clock::now();
        const double processor = processorSeconds();
        function.call(inputs, results);
        if (waits) waits->stream().finish();
        return std::pair(secondsSince(begin), processorSeconds() - processor);
    };
    std::vector<double> mine, its, ownWork, itsWork;
    for (int i = 0; i < 25; ++i) {
        const auto [a, aWork] = turn(*own, here, nullptr);
        const auto [b, bWork] = turn(*other, there, &device);
        if (i < 3) continue;
        mine.push_back(a), its.push_back(b), ownWork.push_back(aWork), itsWork.push_back(bWork);
    }
    const Spread a = spreadOf(mine), b = spreadOf(its), c = spreadOf(ownWork), d = spreadOf(itsWork);
    std::printf("%-18s %9.2f %9.2f %9.2f %9.2f   %6.2f %6.2f   %6.2f %6.2f\n", row.name, a.least * 1e3, a.median * 1e3, b.least * 1e3,
                b.median * 1e3, a.least / b.least, a.median / b.median, c.least / d.least, c.median / d.median);
    std::fflush(stdout);
}

VarRef sharedOnDevice(Device &device, const Dims &shape, const char *name)
{
    Tensor array = Tensor::empty(DType::Float32, shape);
    for (std::int64_t i = 0; i < array.size(); ++i) array.as<float>()[i] = static_cast<float>(i * 7 % 199) / 100 - 1;
    return Variable::shared(std::make_shared<Container>(Value(onDevice(array, device.id()))),
                            Type::ofRank(DType::Float32, shape.rank()).on(device.id()), name);
}

void stepOf(Device &device)
{
    const ParsedExpression parsed = parseExpression(
        "x: fmatrix; y: fvector; w: fvector; b: fscalar; p = 1 / (1 + exp(-dot(x, w) - b)); "
        "cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w ** 2); cast(w - 0.1 * grad(cost, w), float32), cast(b - 0.1 * grad(cost, b), float32)");
    const Dims shapes[] = {{400, 784}, {400}, {784}, {}};
    std::vector<VarRef> shared, seen;
    for (std::size_t i = 0; i < 4; ++i) {
        shared.push_back(sharedOnDevice(device, shapes[i], parsed.inputs[i]->name().c_str()));
        seen.push_back(transfer(shared.back(), DeviceId::Host));
    }
    const std::vector<VarRef> after = substitute(parsed.outputs, parsed.inputs, seen);
    FunctionSpec spec;
    spec.updates = {{shared[2], transfer(after[0], device.id())}, {shared[3], transfer(after[1], device.id())}};
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.device = device.id();
    const auto train = Function::compile(std::move(spec));
    constexpr int kSteps = 200;
    std::vector<Value> results;
    const auto steps = [&] {
        const auto begin = Clock::now();
        for (int i = 0; i < kSteps; ++i) train->call({}, results);
        device.stream().finish();
        return secondsSince(begin) / kSteps;
    };
    steps();
    std::vector<double> walls, kernels, own;
    for (int i = 0; i < 7; ++i) {
        const double before = threadSeconds();
        walls.push_back(steps());
        own.push_back((threadSeconds() - before) / kSteps);
        device.watch(true);
        device.drain();
        steps();
        double sum = 0;
        for (const DeviceActivity &one : device.drain()) sum += static_cast<double>(one.end - one.begin);
        device.watch(false);
        kernels.push_back(sum / kSteps * 1e-9);
    }
    std::string names;
    for (ApplyId id : train->order()) names += " " + train->graph().apply(id).op->shownClass();
    const Spread wall = spreadOf(walls), kernel = spreadOf(kernels), given = spreadOf(own);
    std::printf("\na step of logistic regression, 400 x 784, all of it resident:%s\n", names.c_str());
    std::printf("  a call %.1f us (median %.1f), its kernels %.1f us (median %.1f): %.1f us over them\n", wall.least * 1e6,
                wall.median * 1e6, kernel.least * 1e6, kernel.median * 1e6, (wall.least - kernel.least) * 1e6);
    std::printf("  processor time of the calling thread: %.1f us a call (median %.1f)\n", given.least * 1e6, given.median * 1e6);
}

} // namespace

int main(int count, char **words)
{
    const char *const name = count > 1 ? words[1] : "opencl0:0";
    Device *device = nullptr;
    try {
        device = &openDevice(name);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 77;
    }
    const std::int64_t size = count > 2 ? std::atoll(words[2]) : std::int64_t(1) << 24;
    std::printf("%lld float32 elements, %s (%s) against the engine's own kernels\n", static_cast<long long>(size), name,
                device->info().hardware.c_str());
    std::printf("%-18s %9s %9s %9s %9s   %6s %6s   %s\n", "", "own ms", "median", "there ms", "median", "ratio", "median",
                "of processor time (least, median)");
    for (const Row &row : kRows) compareAtSize(*device, row, size);
    stepOf(*device);
}
