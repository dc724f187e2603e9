// One suite for all devices: every op with a form for devices goes where the rewrites send it, and gives what the host gives, over odd
// shapes, dtypes, layouts and in place.
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/op_cases.h"

#include "engine/compile/function/function.h"
#include "engine/graph/op/op_class.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/rewrite/machine/registry.h"
#include "engine/rewrite/machine/why_not.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/convert.h"
#include "engine/text/notation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace engine;
using namespace device_ops;

namespace {

std::vector<Value> run(Function &function, std::span<const Tensor> inputs)
{
    const std::vector<Value> values(inputs.begin(), inputs.end());
    std::vector<Value> results;
    function.call(values, results);
    return results;
}

std::vector<std::string> classesOf(const Function &function)
{
    std::vector<std::string> names;
    for (ApplyId id : function.order()) names.push_back(function.graph().apply(id).op->shownClass());
    return names;
}

double allowedFor(DType dtype) { return dtype == DType::Float16 ? 4e-3 : dtype == DType::Float64 ? 1e-12 : 1e-5; }

void expectNear(const Tensor &got, const Tensor &wanted, const std::string &what)
{
    ASSERT_EQ(got.shape(), wanted.shape()) << what;
    ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
    for (std::int64_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got.at(i), wanted.at(i), allowedFor(got.dtype()) * (1 + std::fabs(wanted.at(i)))) << what << ", element " << i;
}

FunctionSpec requestOf(const ParsedExpression &parsed, const char *mode, DeviceId device)
{
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    spec.mode = Mode::named(mode);
    spec.mode.device = device;
    spec.mode.onRewriteError = OnRewriteError::Raise;
    return spec;
}

class DeviceOps : public testing::TestWithParam<std::tuple<const char *, Case>> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(std::get<0>(GetParam()));
        if (!m_device) GTEST_SKIP() << each_device::problem(std::get<0>(GetParam()));
        m_device->stream().findings(); // it stays
        m_before = (m_device->stream().finish(), m_device->liveBytes());
    }
    void TearDown() override
    {
        if (!m_device) return;
        m_device->stream().finish();
        EXPECT_EQ(m_device->liveBytes(), m_before) << "something was not given back";
    }
    Device *m_device = nullptr;

private:
    std::size_t m_before = 0;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceOps, testing::Combine(testing::ValuesIn(each_device::others()), testing::ValuesIn(kCases)),
                         [](const auto &info) {
                             return each_device::testName(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
                         });

TEST_P(DeviceOps, GiveWhatTheHostGives)
{
    const Case &one = std::get<1>(GetParam());
    const ParsedExpression parsed = parseExpression(one.text);
    for (const char *mode : {"FAST_RUN", "FAST_COMPILE"}) {
        const auto there = Function::compile(requestOf(parsed, mode, m_device->id()));
        const auto here = Function::compile(requestOf(parsed, mode, DeviceId::Host));
        if (mode == std::string("FAST_RUN")) {
            const std::vector<std::string> classes = classesOf(*there);
            std::string all;
            for (const std::string &name : classes) all += name + " ";
            std::string wanted = one.forms;
            for (std::size_t at = 0; at < wanted.size();) {
                const std::size_t end = std::min(wanted.find(' ', at), wanted.size());
                EXPECT_NE(std::find(classes.begin(), classes.end(), wanted.substr(at, end - at)), classes.end())
                    << wanted.substr(at, end - at) << " is not among " << all;
                at = end + 1;
            }
        }
        for (const auto &[rows, columns] : {std::pair(3, 4), std::pair(1, 2), std::pair(17, 33), std::pair(40, 3)}) {
            std::minstd_rand random(static_cast<unsigned>(rows * 100 + columns));
            std::vector<Tensor> inputs;
            for (const VarRef &input : parsed.inputs) inputs.push_back(drawn(input->type(), random, rows, columns));
            const std::vector<Value> got = run(*there, inputs), wanted = run(*here, inputs);
            for (std::size_t i = 0; i < got.size(); ++i)
                expectNear(got[i].tensor(), wanted[i].tensor(), std::string(mode) + " of " + std::to_string(rows));
            // The same through arrays with gaps and backwards.
            std::vector<Tensor> turned;
            for (const Tensor &input : inputs) turned.push_back(withGaps(input));
            const std::vector<Value> again = run(*there, turned);
            for (std::size_t i = 0; i < again.size(); ++i)
                expectNear(again[i].tensor(), wanted[i].tensor(), std::string("with gaps, ") + mode);
        }
    }
}

class DeviceFunctions : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(GetParam());
        if (!m_device) GTEST_SKIP() << each_device::problem(GetParam());
    }
    FunctionSpec request(const ParsedExpression &parsed) const { return requestOf(parsed, "FAST_RUN", m_device->id()); }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceFunctions, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

TEST_P(DeviceFunctions, SharedArraysStayThereAndAreUpdatedInPlace)
{
    const Tensor start = onDevice(Tensor::full(DType::Float32, {5}, 1), m_device->id());
    const VarRef state =
        Variable::shared(std::make_shared<Container>(Value(start)), Type::ofRank(DType::Float32, 1).on(m_device->id()), "state");
    const VarRef seen = transfer(state, DeviceId::Host);
    FunctionSpec spec = request({});
    spec.updates = {{state, transfer(add(seen, seen), m_device->id())}};
    const auto f = Function::compile(std::move(spec));
    std::vector<Value> results;
    for (int i = 0; i < 3; ++i) f->call({}, results);
    EXPECT_EQ(classesOf(*f), std::vector<std::string>{"GpuElemwise"}) << "an array went to the host and back";
    EXPECT_EQ(onHost(state->container()->value().tensor()).at(4), 8);
}

TEST_P(DeviceFunctions, ConstantsAreSentOnce)
{
    const ParsedExpression parsed = parseExpression("x: fvector; exp(x) * [1.0, 2.0, 3.0] + 4");
    const auto f = Function::compile(request(parsed));
    const std::vector<std::string> classes = classesOf(*f);
    EXPECT_EQ(std::count(classes.begin(), classes.end(), "GpuFromHost"), 1) << "x alone is sent with each call";
    const Tensor x = Tensor::zeros(DType::Float32, {3});
    EXPECT_EQ(run(*f, {&x, 1})[0].tensor().at(2), 7);
}

TEST_P(DeviceFunctions, NumbersOfTheHostComeWithTheLaunch)
{
    for (const DType dtype : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32,
                              DType::Int64, DType::UInt64, DType::Float16, DType::Float32, DType::Float64}) {
        const std::string name(nameOf(dtype));
        const ParsedExpression parsed = parseExpression("x: dmatrix; s: " + name + "[]; x * s + 1, sum(x + s), sum(x * s, axis=0)");
        const auto there = Function::compile(request(parsed)), here = Function::compile(requestOf(parsed, "FAST_RUN", DeviceId::Host));
        const std::vector<std::string> classes = classesOf(*there);
        EXPECT_EQ(std::ranges::count(classes, "GpuFromHost"), 1) << name << ": x alone is sent";
        Tensor x = Tensor::empty(DType::Float64, {5, 7});
        for (std::int64_t i = 0; i < x.size(); ++i) x.as<double>()[i] = 0.25 * static_cast<double>(i % 11) - 1;
        for (const double number : {1.0, 3.0, isSignedInteger(dtype) || isFloat(dtype) ? -5.0 : 100.0}) {
            const Tensor inputs[] = {x, Tensor::full(dtype, {}, number)};
            const std::vector<Value> got = run(*there, inputs), wanted = run(*here, inputs);
            for (std::size_t i = 0; i < got.size(); ++i)
                expectNear(got[i].tensor(), wanted[i].tensor(), name + " " + std::to_string(number));
        }
    }
}

// Items take several elements there, and the last of them fewer.
TEST_P(DeviceFunctions, LargeArraysAreWorkedOnWhole)
{
    if (std::string_view(GetParam()) == "shadow0") GTEST_SKIP() << "it has a megabyte of memory";
    const auto f = Function::compile(request(parseExpression("x: fvector; y: fvector; exp(-x * x) * y + 1, exp(x) - 2")));
    for (const std::int64_t size : {(std::int64_t(1) << 20), (std::int64_t(1) << 20) + 3}) {
        Tensor x = Tensor::empty(DType::Float32, {size});
        for (std::int64_t i = 0; i < size; ++i) x.as<float>()[i] = static_cast<float>(i % 1009) / 1009;
        const Tensor inputs[] = {x, Tensor::full(DType::Float32, {size}, 3)};
        const std::vector<Value> results = run(*f, inputs);
        const auto *const first = results[0].tensor().as<float>(), *const second = results[1].tensor().as<float>();
        for (std::int64_t i = 0; i < size; ++i) {
            const double at = static_cast<double>(x.as<float>()[i]);
            ASSERT_NEAR(static_cast<double>(first[i]), std::exp(-at * at) * 3 + 1, 2e-6) << i;
            ASSERT_NEAR(static_cast<double>(second[i]), std::exp(at) - 2, 1e-6) << i;
        }
    }
}

Tensor drawnOf(const Dims &shape, unsigned seed)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    Tensor tensor = Tensor::empty(DType::Float32, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<float>()[i] = number(random);
    return tensor;
}

// Cards take those in squares, which have edges; where there are many elements an item has several; and what is read is written over.
TEST_P(DeviceFunctions, TurnedArraysOfManyShapes)
{
    const ParsedExpression parsed = parseExpression("x: fmatrix; y: fmatrix; z: fmatrix; r: frow; tanh(dot(y, z)) * x.T * r");
    const auto there = Function::compile(request(parsed)), here = Function::compile(requestOf(parsed, "FAST_RUN", DeviceId::Host));
    const bool isInPlace =
        std::ranges::any_of(there->order(), [&](ApplyId id) { return !there->graph().apply(id).op->destroyMap().empty(); });
    EXPECT_TRUE(isInPlace) << "the product is not written over";
    for (const auto &[rows, columns] : {std::pair(16, 16), std::pair(15, 40), std::pair(100, 257), std::pair(1030, 1021)}) {
        if (std::string_view(GetParam()) == "shadow0" && rows > 1000) continue; // it has a megabyte of memory
        const Tensor inputs[] = {drawnOf({rows, columns}, 1), drawnOf({columns, 2}, 2), drawnOf({2, rows}, 3), drawnOf({1, rows}, 4)};
        expectNear(run(*there, inputs)[0].tensor(), run(*here, inputs)[0].tensor(), std::to_string(rows));
    }
}

TEST_P(DeviceFunctions, TurnedArraysOfMoreAxes)
{
    const Dims shape{18, 3, 20, 17};
    for (const std::vector<int> &order :
         {std::vector<int>{0, 1, 3, 2}, {3, 1, 2, 0}, {3, 0, 1, 2}, {2, 3, 1, 0}, {1, 0, 3, 2}, {0, 3, 2, 1}}) {
        std::string axes;
        Dims turned;
        for (const int axis : order) {
            axes += ", " + std::to_string(axis);
            turned.push_back(shape[static_cast<std::size_t>(axis)]);
        }
        const ParsedExpression parsed = parseExpression("x: ftensor4; y: ftensor4; dimshuffle(x" + axes + ") - y * y");
        const auto there = Function::compile(request(parsed));
        const Tensor inputs[] = {drawnOf(shape, 1), drawnOf(turned, 2)};
        const auto here = Function::compile(requestOf(parsed, "FAST_RUN", DeviceId::Host));
        expectNear(run(*there, inputs)[0].tensor(), run(*here, inputs)[0].tensor(), axes);
    }
}

TEST_P(DeviceFunctions, SoftmaxOfLongRowsIsThatOfShortOnes)
{
    if (std::string_view(GetParam()) == "shadow0") GTEST_SKIP() << "it has a megabyte of memory";
    for (const char *dtype : {"float32", "float64", "float16"}) {
        const ParsedExpression parsed = parseExpression(std::string("x: ") + dtype + "[?,?]; softmax(x), logsoftmax(x), softmax(x.T)");
        const auto there = Function::compile(request(parsed)), here = Function::compile(requestOf(parsed, "FAST_RUN", DeviceId::Host));
        Tensor x = Tensor::full(parsed.inputs[0]->type().dtype(), {300, 257}, 0.5);
        withStorageType(x.dtype(), [&]<class T>() {
            for (std::int64_t i = 0; i < x.size(); ++i) x.as<T>()[i] = convertElement<T>(static_cast<double>(i * 7 % 61) / 8 - 3);
            x.as<T>()[5 * 257 + 9] = convertElement<T>(std::numeric_limits<double>::quiet_NaN());
        });
        const std::vector<Value> got = run(*there, {&x, 1}), wanted = run(*here, {&x, 1});
        for (std::size_t k = 0; k < got.size(); ++k) {
            const Tensor one = got[k].tensor(), other = wanted[k].tensor();
            for (std::int64_t i = 0; i < one.size(); ++i) {
                const double allowed = allowedFor(one.dtype()) * (1 + std::fabs(other.at(i)));
                ASSERT_TRUE((std::isnan(one.at(i)) && std::isnan(other.at(i))) || std::fabs(one.at(i) - other.at(i)) <= allowed)
                    << dtype << ", output " << k << ", element " << i << ": " << one.at(i) << " and " << other.at(i);
            }
        }
    }
}

TEST_P(DeviceFunctions, HalvesThatAreCopiedAreNoted)
{
    const auto notesOf = [&](const char *dtype) {
        const ParsedExpression parsed = parseExpression("x: " + std::string(dtype) + "[?,?]; dot(x, x)");
        const auto f = Function::compile(request(parsed));
        const Tensor x = Tensor::zeros(parsed.inputs[0]->type().dtype(), {3, 3});
        run(*f, {&x, 1});
        std::string notes;
        for (const auto &[apply, note] : f->notes()) notes += f->graph().apply(apply).op->shownClass() + " " + note + "\n";
        return notes;
    };
    EXPECT_EQ(notesOf("float16"), "GpuDot its float16 arrays are copied to float32 and back: devices compute it in float32 only\n");
    EXPECT_EQ(notesOf("float32"), "");
}

TEST_P(DeviceFunctions, SaysWhyAnApplyStaysOnTheHost)
{
    const auto f = Function::compile(request(parseExpression("x: fmatrix; matrix_inverse(exp(x))")));
    std::string reasons;
    for (const WhyNot &answer : f->rewrites().whyNot->about(f->order().back()))
        reasons += answer.info->name + ": " + std::string(answer.reason) + "\n";
    EXPECT_NE(reasons.find("GraphToGPU: it stays on the CPU because devices have no form of this op"), std::string::npos) << reasons;
}

// Products there write over the zeros; one of the host would read them, and a nan times 0 is none.
TEST_P(DeviceFunctions, AnArrayIsFilledUnlessOnlyProductsThereWriteToIt)
{
    const std::string start = "x: fmatrix; v: fvector; z = alloc(constant(0.0, float32), x.shape[0]); ";
    const auto alone = Function::compile(request(parseExpression(start + "gemv(z, 1.0, x, v, 0.0), gemv(z, 1.0, exp(x), v, 0.0)")));
    const ParsedExpression parsed =
        parseExpression(start + "gemv(z, 1.0, x, v, 0.0), gemv(z, 1.0, matrix_inverse(x), matrix_inverse(x)[0], 0.0)");
    const auto beside = Function::compile(request(parsed)), here = Function::compile(requestOf(parsed, "FAST_RUN", DeviceId::Host));
    const auto count = [](const Function &function, const char *name) { return std::ranges::count(classesOf(function), name); };
    EXPECT_GE(count(*alone, "GpuAllocEmpty"), 1);
    EXPECT_EQ(count(*beside, "GpuAllocEmpty"), 0);
    EXPECT_GE(count(*beside, "GpuGemv"), 1);
    std::minstd_rand random(3);
    const Tensor inputs[] = {drawn(parsed.inputs[0]->type(), random, 5, 5), drawn(parsed.inputs[1]->type(), random, 5, 5)};
    const std::vector<Value> got = run(*beside, inputs), wanted = run(*here, inputs);
    for (std::size_t i = 0; i < got.size(); ++i) expectNear(got[i].tensor(), wanted[i].tensor(), "output " + std::to_string(i));
}

TEST_P(DeviceFunctions, PlacesOutOfBoundsAreErrors)
{
    const auto f = Function::compile(request(parseExpression("x: fmatrix; p: lvector; exp(x)[p]")));
    const Tensor inputs[] = {Tensor::zeros(DType::Float32, {3, 2}), Tensor::full(DType::Int64, {2}, 3)};
    try {
        run(*f, inputs);
        FAIL() << "row 3 of 3 was read";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find("index 3 is out of bounds for axis 0 with size 3"), std::string::npos) << error.what();
    }
}

// Adds one on the host, and takes it away on a device.
class Wrong final : public Op {
    OP_NAME("Wrong");
    OP_RULES(typeOfFirst, sizesOfFirst, perform, prepare, onDevices);
};

void Wrong::perform(PerformArgs &args) const
{
    for (std::int64_t i = 0; i < args.inputs[0].size(); ++i) args.outputs[0].as<float>()[i] = args.inputs[0].as<float>()[i] + 1;
}

std::unique_ptr<Thunk> Wrong::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return windowThunk(scalarOp(ScalarCode::Neg), {{{spec.inputs[0]}}}, {spec.outputs[0]}, name());
}

TEST_P(DeviceFunctions, DebugModeNamesTheOpThatGivesSomethingElseThere)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float32, 1), "x");
    FunctionSpec spec = request({});
    spec.inputs = {{x}};
    spec.outputs = {exp(apply(makeOp<Wrong>(), {exp(x)}))};
    spec.mode.debug = DebugChecks{};
    const auto f = Function::compile(std::move(spec));
    const Tensor zeros = Tensor::zeros(DType::Float32, {3});
    try {
        run(*f, {&zeros, 1});
        FAIL() << "it agreed";
    } catch (const std::exception &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("output 0 of GpuWrong("), std::string::npos) << text;
        EXPECT_NE(text.find("differs between the CPU and " + m_device->info().name), std::string::npos) << text;
    }
}

TEST_P(DeviceFunctions, DebugModeAgreesWithAllOthers)
{
    for (const Case &one : kCases) {
        const ParsedExpression parsed = parseExpression(one.text);
        FunctionSpec spec = request(parsed);
        spec.mode.debug = DebugChecks{};
        const auto f = Function::compile(std::move(spec));
        std::minstd_rand random(7);
        std::vector<Tensor> inputs;
        for (const VarRef &input : parsed.inputs) inputs.push_back(drawn(input->type(), random, 3, 4));
        EXPECT_NO_THROW(run(*f, inputs)) << one.name;
    }
}

TEST_P(DeviceFunctions, NoRoomNamesTheApply)
{
    const auto f = Function::compile(request(parseExpression("x: fvector; n: lscalar; exp(alloc(x[0], n)) + exp(x[0])")));
    const Tensor inputs[] = {Tensor::zeros(DType::Float32, {3}), Tensor::scalarInt(DType::Int64, std::int64_t(1) << 44)};
    try {
        run(*f, inputs);
        FAIL() << "it had room for 64 TiB";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find(m_device->info().name + " has no room for"), std::string::npos) << error.what();
    }
    const Tensor small[] = {inputs[0], Tensor::scalarInt(DType::Int64, 2)};
    EXPECT_EQ(run(*f, small)[0].tensor().at(1), 2);
}

} // namespace
