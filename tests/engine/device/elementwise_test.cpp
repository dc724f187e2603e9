// Elemwise and Composites whose inputs live on a device run there, with the host's bits where the device is the processor.
#include "tests/engine/codegen/every_function.h"
#include "tests/engine/device/on_device.h"

#include "engine/runtime/plan/interpreter.h"

using namespace on_device;

namespace {

class DeviceElementwise : public OnDevice {};

TEST_F(DeviceElementwise, RunsWhereItsInputsLive)
{
    const VarRef x = vector("x", DType::Float32), y = vector("y", DType::Float32);
    const VarRef onDevice = add(mul(there(x), exp(there(y))), constantOf(DType::Float32, 1));
    EXPECT_EQ(onDevice->type().device(), second().id());
    const auto f = Function::compile(request({x, y}, {here(onDevice), add(mul(x, exp(y)), x)}));
    EXPECT_GE(countOn(*f, second().id(), "Elemwise"), 1u);
    EXPECT_GE(countOn(*f, DeviceId::Host, "Elemwise"), 1u);
    const std::vector<Tensor> inputs{drawn(DType::Float32, {1000}, 1), drawn(DType::Float32, {1000}, 2)};
    const std::vector<Tensor> results = run(*f, inputs);
    for (std::int64_t i = 0; i < 1000; ++i) ASSERT_NEAR(results[0].at(i), inputs[0].at(i) * std::exp(inputs[1].at(i)) + 1, 1e-5) << i;
}

TEST_F(DeviceElementwise, EveryFunctionGivesTheHostsBits)
{
    for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::Int32, DType::UInt8, DType::Bool}) {
        const every::Functions functions = every::of(dtype);
        std::vector<VarRef> inputs, sent;
        for (const char *name : {"x", "y", "z"}) {
            inputs.push_back(vector(name, dtype));
            sent.push_back(there(inputs.back()));
        }
        std::vector<VarRef> outputs;
        const VarRef first = engine::apply(elemwise(functions.composite), sent);
        for (int o = 0; o < first->owner()->outputCount(); ++o) outputs.push_back(here(first->owner()->output(o)));
        const auto f = Function::compile(request(inputs, outputs, {}, "FAST_COMPILE"));
        const std::vector<Tensor> given{drawn(dtype, {300}, 1), drawn(dtype, {300}, 2), drawn(dtype, {300}, 3)};
        const std::vector<Tensor> results = run(*f, given);
        for (std::size_t i = 0; i < functions.each.size(); ++i) {
            const OpRef op = elemwise(functions.each[i]);
            const std::vector<Value> values(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(functions.arities[i]));
            const std::vector<Operand> operands(values.size(), Operand{Type::ofRank(dtype, 1)});
            expectSameBits(results[i], evaluateOp(*op, values, op->outputTypes(operands))[0].tensor(),
                           op->name() + " of " + std::string(nameOf(dtype)));
        }
    }
}

TEST_F(DeviceElementwise, BroadcastsWalksStridesAndMixesDTypes)
{
    const VarRef m = matrix("m", DType::Float32), row = Variable::input(Type::broadcastable(DType::Float64, {true, false}), "row");
    const VarRef turned = dimshuffle(there(m), {1, 0}), number = Variable::input(Type::broadcastable(DType::Int8, {true, true}), "number");
    const VarRef onDevice = add(mul(turned, there(row)), there(number)), onHost = add(mul(dimshuffle(m, {1, 0}), row), number);
    const auto f = Function::compile(request({m, row, number}, {here(onDevice), onHost}));
    for (const Dims &shape : {Dims{5, 3}, Dims{1, 1}, Dims{40, 70}, Dims{0, 4}}) {
        const std::vector<Tensor> results =
            run(*f, {drawn(DType::Float32, shape, 1), drawn(DType::Float64, {1, shape[0]}, 2), drawn(DType::Int8, {1, 1}, 3)});
        expectSameBits(results[0], results[1], shape.text());
    }
}

TEST_F(DeviceElementwise, WorksInPlaceAndOnTwoOutputs)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {here(exp(neg(sqr(there(x)))))}));
    bool sawInPlace = false;
    for (const BufferInfo &buffer : f->buffers()) sawInPlace |= buffer.device == second().id() && buffer.residence == Residence::Inplace;
    const Tensor given = values({0, 1, 2});
    EXPECT_NEAR(run(*f, {given})[0].at(1), std::exp(-1.0), 1e-15);
    const OpRef inPlace = makeOp<Elemwise>(scalarOp(ScalarCode::Neg), std::vector<Alias>{{0, 0}});
    const auto g = Function::compile(request({x}, {here(apply(inPlace, {exp(there(x))}))}, {}, "FAST_COMPILE"));
    run(*g, {given});
    for (const BufferInfo &buffer : g->buffers()) sawInPlace |= buffer.device == second().id() && buffer.residence == Residence::Inplace;
    EXPECT_TRUE(sawInPlace);
    EXPECT_EQ(numbers(run(*g, {values({0, 0})})[0]), (std::vector<double>{-1, -1}));
}

TEST_F(DeviceElementwise, MixedDevicesAreRefusedWithTheWayOut)
{
    try {
        add(there(vector("x")), vector("y"));
        FAIL() << "the sum was built";
    } catch (const TypeMismatch &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("GpuArrayType<shadow0>(float64, vector)"), std::string::npos) << text;
        EXPECT_NE(text.find("one device"), std::string::npos) << text;
    }
}

TEST_F(DeviceElementwise, ComplexNumbersStayOnTheHost)
{
    const VarRef x = vector("x", DType::Complex128);
    const auto f = Function::compile(request({x}, {here(exp(there(x)))}, {}, "FAST_COMPILE"));
    try {
        run(*f, {Tensor::full(DType::Complex128, {2}, 1)});
        FAIL() << "it ran";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find("cannot run on shadow0: kernels of devices have no complex numbers"), std::string::npos)
            << error.what();
    }
}

TEST_F(DeviceElementwise, AKernelThatFailsIsNamed)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {here(exp(there(x)))}));
    second().failLaunchIn(1);
    try {
        run(*f, {values({1, 2})});
        FAIL() << "it went on";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find("Elemwise{Exp}[(0, 0)]"), std::string::npos) << error.what();
    }
    EXPECT_NEAR(run(*f, {values({0, 1})})[0].at(1), std::exp(1.0), 1e-15);
}

} // namespace
