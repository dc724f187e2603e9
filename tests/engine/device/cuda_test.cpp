// The module for CUDA as it is shipped, on the simulated CUDA: random graphs, streams that are late, faults by number.
#include "tests/cuda_sim/control.h"
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/random_graphs.h"
#include "tests/engine/rewrite/support.h"

#include "engine/compile/function/function.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/runtime/device/device_graphs.h"

#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

using namespace engine;

namespace {

bool isLong() { return std::getenv("CROTON_LONG_TESTS") != nullptr; }

// What the simulation is asked for lies in the library that the module opened.
template <class Function>
Function *control(const char *name)
{
    static void *const library = dlopen((std::string(std::getenv("CROTON_CUDA_LIBRARIES")) + "/libcudart.so.13").c_str(), RTLD_NOW);
    return reinterpret_cast<Function *>(dlsym(library, name));
}
void fail(const char *what, int count) { control<decltype(cudaSimFail)>("cudaSimFail")(what, count); }
void delay(unsigned seed) { control<decltype(cudaSimDelay)>("cudaSimDelay")(seed); }

class SimulatedCuda : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(each_device::find("cuda0")) << each_device::problem("cuda0"); }
    void TearDown() override
    {
        delay(0);
        EXPECT_STREQ(control<decltype(cudaSimFaults)>("cudaSimFaults")(), "");
    }
    Device &card() const { return *each_device::find("cuda0"); }
    std::shared_ptr<Function> compile(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, DeviceId device) const
    {
        FunctionSpec spec;
        for (const VarRef &input : inputs) spec.inputs.push_back({input});
        spec.outputs = outputs;
        spec.onUnusedInput = OnUnusedInput::Ignore;
        spec.mode = Mode::named("FAST_RUN");
        spec.mode.device = device;
        return Function::compile(std::move(spec));
    }
    std::shared_ptr<Function> compile(const char *text, DeviceId device) const
    {
        const ParsedExpression parsed = parseExpression(text);
        return compile(parsed.inputs, parsed.outputs, device);
    }
};

std::vector<Value> run(Function &function, const std::vector<Value> &inputs)
{
    std::vector<Value> results;
    function.call(inputs, results);
    return results;
}

TEST_F(SimulatedCuda, SaysThatItIsOne) { EXPECT_EQ(card().info().hardware, "simulated CUDA on the processor (not a GPU)"); }

TEST_F(SimulatedCuda, RandomGraphsGiveWhatTheHostGivesHoweverLateTheStreams)
{
    for (std::uint32_t seed = 0; seed < (isLong() ? 500u : 24u); ++seed) {
        delay(seed);
        ASSERT_EQ(each_device::differenceOnRandomGraph(seed, card().id()), "") << "seed " << seed;
    }
}

// Each piece of work begins late, each by its own: what does not wait for what it needs gives other numbers.
TEST_F(SimulatedCuda, LateStreamsGiveTheSameNumbers)
{
    const auto f = compile("x: fmatrix; y: fmatrix; join(0, exp(x), dot(x, y.T)) + 1; sum(x * y, axis=0); exp(x)[1:]", card().id());
    const auto filled = [](double value) { return Value(Tensor::full(DType::Float32, {4, 4}, value)); };
    const unsigned seeds = isLong() ? 10'000 : 200;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        delay(seed);
        const double x = 0.25 * (seed % 8), y = 0.5 * (seed % 5);
        const std::vector<Value> results = run(*f, {filled(x), filled(y)});
        ASSERT_NEAR(results[0].tensor().at(3), std::exp(x) + 1, 1e-5) << "seed " << seed;
        ASSERT_NEAR(results[0].tensor().at(30), 4 * x * y + 1, 1e-5) << "seed " << seed;
        ASSERT_NEAR(results[1].tensor().at(2), 4 * x * y, 1e-5) << "seed " << seed;
        ASSERT_NEAR(results[2].tensor().at(5), std::exp(x), 1e-5) << "seed " << seed;
    }
}

// The same of libraries, of what works in memory of its own, and of numbers that the host sends for a call.
TEST_F(SimulatedCuda, LateConvolutionsAndLookupsGiveTheSameNumbers)
{
    const char *const text =
        "x: float32[2,2,5,5]; k: float32[3,2,3,3]; p: lvector; y = conv2d(x, k, border=\"half\"); "
        "m = reshape(pool_2d(y, ws=2), 6, 4); exp(m)[p, p % 4], argmax(reshape(x, 10, 10) * 2, axis=1), grad(sum(sqr(y)), k), "
        "grad(sum(sqr(y)), x), inc_subtensor(exp(m)[p, 0], 1)";
    const auto drawn = [](const Dims &shape, double step) {
        Tensor array = Tensor::empty(DType::Float32, shape);
        for (std::int64_t i = 0; i < array.size(); ++i) array.as<float>()[i] = static_cast<float>(static_cast<double>(i % 7) * step - 0.3);
        return Value(array);
    };
    Tensor places = Tensor::empty(DType::Int64, {3});
    for (std::int64_t i = 0; i < 3; ++i) places.as<std::int64_t>()[i] = 5 - 2 * i;
    for (const bool byLibrary : {true, false}) {
        const ParsedExpression parsed = parseExpression(text);
        FunctionSpec spec;
        for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
        spec.outputs = parsed.outputs;
        spec.mode = Mode::named("FAST_RUN");
        spec.mode.device = card().id();
        if (!byLibrary) spec.mode.excluding.push_back("cudnn");
        const auto there = Function::compile(std::move(spec));
        const auto here = compile(parsed.inputs, parsed.outputs, DeviceId::Host);
        for (unsigned seed = 1; seed <= (isLong() ? 2'000u : 40u); ++seed) {
            const std::vector<Value> given{drawn({2, 2, 5, 5}, 0.1 + 0.01 * (seed % 9)), drawn({3, 2, 3, 3}, 0.2), Value(places)};
            const std::vector<Value> wanted = run(*here, given);
            delay(seed);
            const std::vector<Value> got = run(*there, given);
            delay(0);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                ASSERT_EQ(rewrite_test::difference(wanted[i], got[i], 2e-5), "") << "seed " << seed << ", output " << i;
        }
    }
}

TEST_F(SimulatedCuda, CopiesOfManyPiecesArriveWhole)
{
    std::vector<float> values(3'000'001), back(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    delay(5);
    DeviceStream &stream = card().stream();
    const StorageRef array = card().allocate(values.size() * 4, stream);
    card().watch(true);
    stream.tag(11);
    stream.copyIn(array->data(), values.data(), values.size() * 4);
    const std::vector<float> kept = values;
    values.assign(values.size(), -1);
    stream.tag(12);
    stream.copyOut(back.data(), array->data(), back.size() * 4);
    card().watch(false);
    EXPECT_EQ(back, kept);
    std::map<std::uint64_t, std::size_t> bytes, begun;
    for (const DeviceActivity &activity : card().drain()) {
        bytes[activity.tag] += activity.bytes;
        begun[activity.tag] += !activity.isFurther;
    }
    EXPECT_EQ(bytes[11], values.size() * 4);
    EXPECT_EQ(bytes[12], values.size() * 4);
    EXPECT_EQ(begun[11], 1u) << "its pieces are one copy";
}

TEST_F(SimulatedCuda, TellsMemoryWaitsAndWhatWatchingTook)
{
    card().stream().finish();
    card().drain();
    card().watch(true);
    StorageRef array = allocateOn(card().id(), std::size_t(9) << 20); // of a size that nothing had before
    card().stream().finish();
    card().watch(false);
    std::map<DeviceActivity::Kind, std::size_t> count, bytes;
    for (const DeviceActivity &activity : card().drain()) {
        ++count[activity.kind];
        bytes[activity.kind] += activity.bytes;
    }
    EXPECT_EQ(count[DeviceActivity::Kind::Take], 1u);
    EXPECT_GE(bytes[DeviceActivity::Kind::Take], std::size_t(9) << 20);
    EXPECT_EQ(count[DeviceActivity::Kind::Wait], 1u);
    EXPECT_GE(count[DeviceActivity::Kind::Overhead], 1u);
    EXPECT_TRUE(card().info().isSimulated);
}

// The recorder takes what the card did while the script gives it more.
TEST_F(SimulatedCuda, WorkKeepsItsTagWhoeverTakesActivitiesMeanwhile)
{
    constexpr std::uint64_t first = 100, count = 300;
    card().stream().finish();
    card().drain();
    delay(3);
    card().watch(true);
    std::atomic<bool> isOver{false};
    std::thread script([&] {
        const std::unique_ptr<DeviceStream> stream = card().openStream();
        const StorageRef array = card().allocate(4, *stream);
        for (std::uint64_t i = 0; i < count; ++i) {
            stream->tag(first + i);
            stream->copyIn(array->data(), "abc", 4);
            if (i % 3 == 0) stream->finish();
        }
        stream->finish();
        isOver = true;
    });
    std::map<std::uint64_t, int> copies;
    const auto take = [&] {
        for (const DeviceActivity &activity : card().drain())
            if (activity.kind == DeviceActivity::Kind::CopyIn) ++copies[activity.tag];
    };
    while (!isOver) take();
    script.join();
    take();
    card().watch(false);
    EXPECT_EQ(copies[0], 0) << "copies that belong to nobody";
    EXPECT_EQ(copies.size(), count + 1);
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(copies[first + i], 1) << "copy " << i;
}

TEST_F(SimulatedCuda, ACardThatHasNothingToDoLeavesTheOtherItsTags)
{
    Device *const other = each_device::find("cuda1");
    ASSERT_TRUE(other) << each_device::problem("cuda1");
    const StorageRef array = other->allocate(4, other->stream());
    card().watch(true);
    other->watch(true);
    for (unsigned seed = 1; seed <= 40; ++seed) {
        delay(seed);
        other->stream().tag(20 + seed);
        other->stream().copyIn(array->data(), "abc", 4);
        card().drain();
        other->stream().finish();
        std::vector<DeviceActivity> done = other->drain();
        std::erase_if(done, [](const DeviceActivity &one) { return one.kind != DeviceActivity::Kind::CopyIn; });
        ASSERT_EQ(done.size(), 1u) << "seed " << seed;
        ASSERT_EQ(done[0].tag, 20 + seed) << "seed " << seed;
    }
    card().watch(false);
    other->watch(false);
}

TEST_F(SimulatedCuda, AnEventThatIsNotRecordedIsGivenBack)
{
    const auto events = control<decltype(cudaSimEvents)>("cudaSimEvents");
    const int before = events();
    fail("event", 1);
    EXPECT_THROW(card().stream().record(), DeviceError);
    EXPECT_EQ(events(), before);
    EXPECT_TRUE(card().stream().record());
    EXPECT_EQ(events(), before);
}

TEST_F(SimulatedCuda, OneRefusalOfMemoryIsGotOver)
{
    const auto f = compile("x: fvector; exp(x) + 1", card().id());
    fail("malloc", 1);
    EXPECT_NEAR(run(*f, {Value(Tensor::zeros(DType::Float32, {100'000}))})[0].tensor().at(7), 2, 1e-6) << "what was free is given back";
}

TEST_F(SimulatedCuda, ALaunchThatIsRefusedNamesTheApply)
{
    const auto f = compile("x: fvector; sum(exp(x) * x)", card().id());
    const std::vector<Value> inputs{Value(Tensor::zeros(DType::Float32, {3}))};
    run(*f, inputs);
    fail("launch", 1);
    try {
        run(*f, inputs);
        FAIL() << "it was launched";
    } catch (const std::exception &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("cuda0 could not launch the kernel GpuCAReduce"), std::string::npos) << text;
        EXPECT_NE(text.find("cudaErrorLaunchOutOfResources (too many resources requested for launch)"), std::string::npos) << text;
        EXPECT_NE(text.find("Apply node that caused the error: GpuCAReduce"), std::string::npos) << text;
    }
    EXPECT_EQ(run(*f, inputs)[0].tensor().at(0), 0);
}

// What a graph's kernels find has the name of their apply, and each of its launches is asked.
TEST_F(SimulatedCuda, AnIndexOutOfBoundsInAGraphIsToldWithItsApply)
{
    struct Graphs {
        Graphs() { useDeviceGraphs(true); }
        ~Graphs() { useDeviceGraphs(false); }
    } graphs;
    const auto f =
        compile("x: fmatrix; q: fvector; p = cast(q, int32); inc_subtensor(exp(x)[p], 1)[arange(q.shape[0]), p] * 2", card().id());
    const auto places = [](std::initializer_list<double> list) {
        Tensor array = Tensor::empty(DType::Float32, {3});
        std::copy(list.begin(), list.end(), array.as<float>());
        return Value(array);
    };
    const Value x(Tensor::zeros(DType::Float32, {4, 4}));
    const std::uint64_t before = deviceGraphCounts().given;
    for (unsigned seed = 0; seed < 8; ++seed) {
        delay(seed);
        const Tensor got = run(*f, {x, places({1, -1, seed % 2 ? 1.0 : 0.0})})[0].tensor();
        ASSERT_EQ(got.at(0), seed % 2 ? 2 : 4) << seed;
        ASSERT_EQ(got.at(1), seed % 2 ? 6 : 4) << seed;
    }
    EXPECT_GE(deviceGraphCounts().given, before + 4) << "its work is not given as a whole";
    for (int time = 0; time < 2; ++time) {
        const std::uint64_t given = deviceGraphCounts().given;
        try {
            run(*f, {x, places({1, 4, 0})});
            FAIL() << "it went on";
        } catch (const std::exception &error) {
            const std::string text = error.what();
            EXPECT_EQ(text.rfind("[inc_subtensor] index 4 is out of bounds for axis 0 with size 4\n", 0), 0u) << text;
            EXPECT_NE(text.find("Apply node that caused the error: GpuAdvancedIncSubtensor1"), std::string::npos) << text;
        }
        EXPECT_EQ(deviceGraphCounts().given, given + 1);
        EXPECT_EQ(run(*f, {x, places({1, -1, 0})})[0].tensor().at(1), 4);
    }
}

TEST_F(SimulatedCuda, RecordsThatAreDroppedAreCounted)
{
    card().lostActivities();
    card().watch(true);
    fail("record", 1);
    const StorageRef array = card().allocate(16, card().stream());
    card().stream().copyIn(array->data(), "123456789012345", 16);
    card().stream().finish();
    card().drain();
    card().watch(false);
    EXPECT_EQ(card().lostActivities(), 1u);
    EXPECT_EQ(card().lostActivities(), 0u) << "each is counted once";
}

} // namespace
