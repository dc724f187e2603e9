// Plans with arrays of two devices: transfers are applies, views and in-place work on the device, nested graphs, faults.
#include "tests/engine/device/on_device.h"

#include "engine/graph/op/shape_builder.h"
#include "engine/ops/loops/graph_op.h"

using namespace on_device;

namespace {

// y = 2·x + 1 on the device where x is; in place where it says so.
class Doubled final : public Op {
public:
    explicit Doubled(bool inPlace) : m_inPlace(inPlace) {}
    std::string_view className() const override { return "Doubled"; }
    bool takesDeviceArrays() const override { return true; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
    {
        outputs = {{shapes.dim(0, 0)}};
        return true;
    }
    std::vector<Alias> destroyMap() const override { return m_inPlace ? std::vector<Alias>{{0, 0}} : std::vector<Alias>{}; }
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override
    {
        class Run final : public Thunk {
        public:
            explicit Run(const ThunkSpec &spec) : m_in(spec.inputs[0]), m_out(spec.outputs[0])
            {
                m_kernel = deviceOf(m_in.device)
                               .build({"doubled",
                                       "void croton_kernel_0(void *const *o, const void *math, long n)\n"
                                       "{ const double *x = o[0]; double *y = o[1]; for (long i = 0; i < n; ++i) y[i] = 2 * x[i] + 1; }\n",
                                       {}});
            }
            void run(Slots slots) override
            {
                const KernelArgument arguments[] = {KernelArgument::at(slots[m_in.slot]), KernelArgument::at(slots[m_out.slot]),
                                                    KernelArgument::of(m_in.shape.product())};
                deviceOf(m_in.device).stream().launch(m_kernel, {}, arguments);
            }

        private:
            SlotOperand m_in, m_out;
            std::shared_ptr<BuiltKernel> m_kernel;
        };
        return std::make_unique<Run>(spec);
    }

protected:
    std::string exactName() const override { return m_inPlace ? "Doubled{inplace}" : "Doubled"; }

private:
    bool m_inPlace;
};

// The second half of a vector, without a copy.
class SecondHalf final : public Op {
public:
    std::string_view className() const override { return "SecondHalf"; }
    bool takesDeviceArrays() const override { return true; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
    {
        outputs = {{shapes.floorDiv(shapes.dim(0, 0), shapes.constant(2))}};
        return true;
    }
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::optional<Layout> viewLayout(const Layout &input, DType dtype, const Dims &shape,
                                     std::span<const std::optional<std::int64_t>>) const override
    {
        return Layout{shape, input.strides, (input.shape[0] - shape[0]) * static_cast<std::int64_t>(sizeOf(dtype))};
    }

protected:
    std::string exactName() const override { return "SecondHalf"; }
};

VarRef doubled(const VarRef &x, bool inPlace = false) { return apply(makeOp<Doubled>(inPlace), {x}); }
VarRef secondHalf(const VarRef &x) { return apply(makeOp<SecondHalf>(), {x}); }

std::vector<double> numbersOf(const Tensor &tensor)
{
    std::vector<double> result(static_cast<std::size_t>(tensor.size()));
    deviceOf(tensor.device()).stream().copyOut(result.data(), tensor.data(), result.size() * sizeof(double));
    return result;
}

Tensor sent(const Tensor &tensor)
{
    Tensor result = emptyOn(second().id(), tensor.dtype(), tensor.shape());
    second().stream().copyIn(result.data(), tensor.data(), tensor.bytes());
    return result;
}

std::vector<std::string> opsOf(const Function &function)
{
    std::vector<std::string> names;
    for (ApplyId id : function.order()) names.push_back(function.graph().apply(id).op->name());
    return names;
}

class DevicePlans : public OnDevice {};

TEST_F(DevicePlans, TransfersAreApplies)
{
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {add(here(doubled(doubled(there(x)))), x)}));
    EXPECT_EQ(numbers(run(*f, {values({1, 2, 3})})[0]), (std::vector<double>{8, 13, 18}));
    EXPECT_EQ(numbers(run(*f, {values({0, 0})})[0]), (std::vector<double>{3, 3})) << "another size, another plan";
    const std::vector<std::string> ops = opsOf(*f);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "GpuFromHost<shadow0>"), 1);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "HostFromGpu(gpuarray)"), 1);
}

TEST_F(DevicePlans, EachDeviceHasAnArena)
{
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {add(here(doubled(doubled(doubled(there(x))))), mul(x, number(3)))}));
    run(*f, {values({1, 2, 3, 4})});
    std::size_t onDevice = 0;
    for (const BufferInfo &buffer : f->buffers()) {
        const bool isDevice = f->graph().var(buffer.var).type.device() == second().id();
        EXPECT_EQ(buffer.device == second().id(), isDevice);
        onDevice += isDevice && buffer.residence == Residence::Arena;
    }
    EXPECT_EQ(onDevice, 4u);
}

TEST_F(DevicePlans, ArraysOfADeviceGoInAndOut)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1).on(second().id()), "x");
    const auto f = Function::compile(request({x}, {doubled(x)}));
    EXPECT_FALSE(f->onlyTensors()) << "views do not tell whose memory they are";
    const Tensor result = run(*f, {sent(values({1, 2}))})[0];
    EXPECT_EQ(result.device(), second().id());
    EXPECT_EQ(numbersOf(result), (std::vector<double>{3, 5}));
    EXPECT_THROW(run(*f, {values({1, 2})}), TypeMismatch) << "the host's array would be read there";
}

TEST_F(DevicePlans, AnInputThatIsReturnedIsCopied)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1).on(second().id()), "x");
    const auto f = Function::compile(request({x}, {x, secondHalf(x)}));
    const Tensor given = sent(values({1, 2, 3, 4}));
    const std::vector<Tensor> results = run(*f, {given});
    EXPECT_NE(results[0].data(), given.data());
    EXPECT_EQ(numbersOf(results[0]), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(numbersOf(results[1]), (std::vector<double>{3, 4}));
}

TEST_F(DevicePlans, ViewsAndInPlaceWorkOnTheDevice)
{
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {here(secondHalf(doubled(doubled(there(x)), true)))}));
    const std::size_t copiesBefore = second().copies();
    EXPECT_EQ(numbers(run(*f, {values({1, 2, 3, 4})})[0]), (std::vector<double>{15, 19}));
    EXPECT_EQ(second().copies() - copiesBefore, 2u);
    bool sawView = false, sawInPlace = false;
    for (const BufferInfo &buffer : f->buffers()) {
        sawView |= buffer.residence == Residence::View && buffer.device == second().id();
        sawInPlace |= buffer.residence == Residence::Inplace && buffer.device == second().id();
    }
    EXPECT_TRUE(sawView);
    EXPECT_TRUE(sawInPlace);
}

TEST_F(DevicePlans, SharedVariablesLiveOnTheDevice)
{
    const Tensor start = sent(values({1, 1}));
    const VarRef state =
        Variable::shared(std::make_shared<Container>(Value(start)), Type::ofRank(DType::Float64, 1).on(second().id()), "state");
    const auto f = Function::compile(request({}, {}, {{state, doubled(state)}}));
    for (int i = 0; i < 3; ++i) run(*f, {});
    EXPECT_EQ(numbersOf(state->container()->value().tensor()), (std::vector<double>{15, 15}));
    EXPECT_EQ(numbersOf(start), (std::vector<double>{1, 1}));
}

TEST_F(DevicePlans, NestedGraphsRunThere)
{
    const Type type = Type::ofRank(DType::Float64, 1).on(second().id());
    const VarRef inner = Variable::input(type, "inner");
    const OpRef op = opFromGraph({inner}, {doubled(doubled(inner))}, "twice");
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {here(apply(op, {there(x)}))}));
    EXPECT_EQ(numbers(run(*f, {values({1, 2, 3})})[0]), (std::vector<double>{7, 11, 15}));
}

TEST_F(DevicePlans, OpsOfTheHostRefuseThem)
{
    try {
        add(there(build::vector("x")), build::vector("y"));
        FAIL() << "the sum was built";
    } catch (const TypeMismatch &error) {
        EXPECT_NE(std::string(error.what()).find("GpuArrayType<shadow0>(float64, vector)"), std::string::npos) << error.what();
    }
}

TEST_F(DevicePlans, NoRoomIsAnErrorAndTheNextCallWorks)
{
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {here(doubled(there(x)))}));
    run(*f, {values({1})});
    const auto g = Function::compile(request({x}, {here(doubled(there(x)))}));
    second().failAllocationIn(1);
    try {
        run(*g, {values({1, 2, 3})});
        FAIL() << "it had room";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find("shadow0 has no room for"), std::string::npos) << error.what();
    }
    EXPECT_EQ(numbers(run(*g, {values({1, 2, 3})})[0]), (std::vector<double>{3, 5, 7}));
}

TEST_F(DevicePlans, AKernelThatFailsIsNamed)
{
    const VarRef x = build::vector("x");
    const auto f = Function::compile(request({x}, {here(doubled(secondHalf(doubled(there(x)))))}));
    second().failLaunchIn(2);
    try {
        run(*f, {values({1, 2, 3, 4})});
        FAIL() << "it went on";
    } catch (const std::exception &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("the kernel read where nothing is"), std::string::npos) << text;
        EXPECT_NE(text.find("Doubled"), std::string::npos) << "the copy that waited was blamed: " << text;
        EXPECT_NE(text.find("(2,)"), std::string::npos) << "which of the two: " << text;
    }
    EXPECT_EQ(numbers(run(*f, {values({1, 2, 3, 4})})[0]), (std::vector<double>{15, 19}));
}

TEST_F(DevicePlans, LateWorkGivesTheSameNumbers)
{
    const VarRef x = build::vector("x");
    const VarRef onDevice = there(x);
    const auto f =
        Function::compile(request({x}, {here(doubled(doubled(onDevice))), here(secondHalf(doubled(onDevice))), doubled(onDevice)}));
    for (unsigned seed = 0; seed < 20; ++seed) {
        second().delay(seed);
        const std::vector<Tensor> results = run(*f, {values({1, 2, 3, static_cast<double>(seed)})});
        EXPECT_EQ(numbers(results[0]), (std::vector<double>{7, 11, 15, 4.0 * seed + 3}));
        EXPECT_EQ(numbers(results[1]), (std::vector<double>{7, 2.0 * seed + 1}));
        EXPECT_EQ(numbersOf(results[2]), (std::vector<double>{3, 5, 7, 2.0 * seed + 1}));
    }
}

} // namespace
