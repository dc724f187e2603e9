// Each piece of advice has a case that triggers it and a near miss that does not.

#include "profiler/stats/advice/advice.h"

#include "profiler/session/store/replica.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

using namespace profiler;

namespace {

constexpr GraphId kGraph{1};
constexpr FunctionId kFunction{0};

// A called function that is built apply by apply; variables and applies are numbered from 1.
struct Program {
    ProfileData data;

    explicit Program(const std::string &floatX = "float32", const std::string &device = "cpu")
    {
        data.flags = {{"floatX", floatX, ""}, {"device", device, ""}, {"allow_gc", "True", ""}};
        FunctionInfo function;
        function.id = kFunction;
        function.name = "f";
        function.mode = "FAST_RUN";
        function.graph = kGraph;
        function.location = {"/home/ada/f.py", 3};
        function.run.calls = 10;
        function.run.totalNs = 2'000'000;
        data.functions.push_back(function);
        data.graphs.push_back({kGraph, kFunction});
    }
    FunctionInfo &function() { return data.functions[0]; }
    VariableId variable(const std::string &dtype, VariableKind kind = VariableKind::Input, const std::string &name = "x",
                        const std::string &shape = "(9,)")
    {
        VariableRow row;
        row.graph = kGraph;
        row.variable = VariableId{static_cast<std::uint32_t>(data.variables.size() + 1)};
        row.kind = kind;
        row.name = name;
        row.dtype = dtype;
        row.type = "TensorType(" + dtype + ", " + (shape.find(", ") == std::string::npos ? "vector" : "matrix") + ")";
        row.shape = shape;
        row.inOriginal = row.inOptimized = true;
        data.variables.push_back(row);
        return row.variable;
    }
    // Returns its output.
    VariableId apply(const std::string &opClass, const std::string &op, const std::vector<VariableId> &inputs, const std::string &dtype,
                     std::int64_t ns = 100'000, const std::string &shape = "(9,)")
    {
        ApplyRow row;
        row.graph = kGraph;
        row.apply = ApplyId{static_cast<std::uint32_t>(data.applies.size() + 1)};
        row.op = row.label = op;
        row.opClass = opClass;
        row.implementation = "C";
        row.inOriginal = row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(data.applies.size());
        data.applies.push_back(row);
        int port = 0;
        for (const VariableId input : inputs) data.inputs.push_back({kGraph, row.apply, port++, input});
        data.originalInputs = data.inputs;
        data.origins.push_back({kGraph, row.apply, kGraph, row.apply});
        const VariableId output = variable(dtype, VariableKind::Result, "", shape);
        data.variables.back().owner = row.apply;
        ApplyStats stats;
        stats.function = kFunction;
        stats.graph = kGraph;
        stats.apply = row.apply;
        stats.calls = 10;
        stats.totalNs = ns;
        data.stats.push_back(stats);
        data.sources.push_back({kGraph, row.apply, {"/home/ada/f.py", static_cast<int>(data.applies.size()) + 10}, 1, false});
        function().run.thunkNs += ns;
        return output;
    }
    // The plan's row for a variable.
    void buffer(VariableId variable, std::int64_t bytes, int from, int to, BufferKind kind = BufferKind::Created)
    {
        BufferRow row;
        row.function = kFunction;
        row.graph = kGraph;
        row.variable = variable;
        for (const VariableRow &one : data.variables)
            if (one.variable == variable) row.apply = one.owner;
        row.bytes = bytes;
        row.from = from;
        row.to = to;
        row.kind = kind;
        data.buffers.push_back(row);
    }
    // A chain of one line of the script.
    [[nodiscard]] static Chains chainOf(int line)
    {
        StringTable texts;
        texts.set(StringId{1}, "/home/ada/f.py");
        texts.set(StringId{2}, "<module>");
        Chains chains;
        ChainFacts facts;
        facts.id = ChainId{0};
        facts.file = StringId{1};
        facts.line = line;
        facts.function = StringId{2};
        chains.add(facts, texts);
        return chains;
    }
    [[nodiscard]] const Advice *find(const std::string &id)
    {
        m_last = advise(data);
        const auto found = std::find_if(m_last.begin(), m_last.end(), [&](const Advice &one) { return one.id == id; });
        return found == m_last.end() ? nullptr : &*found;
    }

private:
    std::vector<Advice> m_last;
};

TEST(Advice, float32)
{
    EXPECT_NE(Program("float64").find("float32"), nullptr);
    EXPECT_EQ(Program("float32").find("float32"), nullptr);
}

TEST(Advice, float64InAFloat32ProgramNamesTheLine)
{
    Program program;
    const VariableId x = program.variable("float32");
    const VariableId n = program.variable("int32", VariableKind::Input, "n");
    const VariableId wide = program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{true_div}", {x, n}, "float64");
    program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{exp}", {wide}, "float64");
    const Advice *advice = program.find("float64");
    ASSERT_NE(advice, nullptr);
    EXPECT_EQ(advice->place, (SourceLine{"/home/ada/f.py", 11}));
    EXPECT_NE(advice->evidence.find("x float32, n int32"), std::string::npos) << advice->evidence;
    EXPECT_NEAR(advice->gain, 1, 1e-9);
    ASSERT_EQ(dtypeAdvice(program.data).size(), 1u); // what follows only hands it on

    Program whole("float64");
    whole.apply("theano.tensor.elemwise.Elemwise", "Elemwise{true_div}", {whole.variable("int32")}, "float64");
    EXPECT_EQ(whole.find("float64"), nullptr);
}

TEST(Advice, float64ThatALeafBringsInNamesWhereItWasMade)
{
    for (const VariableKind kind : {VariableKind::Input, VariableKind::Shared, VariableKind::Constant}) {
        Program program;
        const VariableId b = program.variable("float64", kind, "b");
        program.data.chains.all = std::make_shared<const Chains>(program.chainOf(4));
        program.data.chains.ofVariables.push_back({kGraph, b, ChainId{0}});
        const VariableId wide =
            program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{add}", {program.variable("float32"), b}, "float64");
        const VariableId one = program.variable("float64", VariableKind::Constant, "");
        program.data.variables.back().type = "TensorType(float64, scalar)"; // it is float64 because its neighbour is
        program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{mul}", {wide, one}, "float64");
        program.apply("theano.tensor.blas.Dot22", "Dot22", {program.variable("float32"), program.variable("float32")}, "float32", 200'000);
        const std::vector<Advice> all = dtypeAdvice(program.data);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].place, (SourceLine{"/home/ada/f.py", 4}));
        EXPECT_NE(all[0].text.find(" b (f.py:4)"), std::string::npos) << all[0].text;
        EXPECT_NE(all[0].evidence.find("2 ops work in float64"), std::string::npos) << all[0].evidence;
        EXPECT_NEAR(all[0].gain, 0.5, 1e-9);
        program.data.stats.back().totalNs = 100'000'000; // a thousandth of the time
        EXPECT_TRUE(dtypeAdvice(program.data).empty());
    }
}

TEST(Advice, aSumInFloat64IsNoLeak)
{
    Program program;
    const VariableId sum = program.apply("theano.tensor.elemwise.Sum", "Sum{acc_dtype=float64}", {program.variable("float32")}, "float64");
    program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{Cast{float32}}", {sum}, "float32", 100);
    EXPECT_EQ(program.find("float64"), nullptr);
}

TEST(Advice, aDotThatIsNoBlasSaysWhy)
{
    Program program;
    program.apply(
        "theano.tensor.basic.Dot", "dot",
        {program.variable("int64", VariableKind::Input, "a", "(2, 2)"), program.variable("int64", VariableKind::Input, "b", "(2, 2)")},
        "int64");
    const Advice *advice = program.find("no-blas");
    ASSERT_NE(advice, nullptr);
    EXPECT_NE(advice->evidence.find("BLAS knows no int64"), std::string::npos) << advice->evidence;
    program.data.declines.push_back({kGraph, "local_dot_to_dot22", ApplyId{1}, 4, "integers", true});
    EXPECT_NE(program.find("no-blas")->evidence.find("local_dot_to_dot22: integers"), std::string::npos);
    EXPECT_NE(program.find("dot"), nullptr); // Theano's own tip

    Program blas;
    blas.apply("theano.tensor.blas.Dot22", "Dot22", {blas.variable("float32"), blas.variable("float32")}, "float32");
    EXPECT_EQ(blas.find("no-blas"), nullptr);
    EXPECT_EQ(blas.find("dot"), nullptr);
}

TEST(Advice, matricesAreWhatHasTwoAxes)
{
    for (const auto &[type, shape, isNamed] : {std::tuple{"TensorType(int64, row)", "(1, 9)", true},
                                               {"TensorType(int64, vector)", "(9,)", false},
                                               {"TensorType(int64, 3D)", "(2, 3, 9)", false}}) {
        Program program;
        const VariableId a = program.variable("int64", VariableKind::Input, "a", shape),
                         b = program.variable("int64", VariableKind::Input, "b", shape);
        for (VariableRow &row : program.data.variables) row.type = std::string(type);
        program.apply("theano.tensor.basic.Dot", "dot", {a, b}, "int64");
        EXPECT_EQ(program.find("dot") != nullptr, isNamed) << type;
    }
}

TEST(Advice, mixedDotAndRandomFunction)
{
    Program program("float64");
    program.apply("theano.tensor.basic.Dot", "dot", {program.variable("float32"), program.variable("float64")}, "float64");
    EXPECT_NE(program.find("mixed-dot"), nullptr);
    EXPECT_EQ(program.find("dot"), nullptr);
    program.apply("theano.tensor.raw_random.RandomFunction", "RandomFunction{normal}", {}, "float32");
    EXPECT_NE(program.find("random"), nullptr);
    Program other;
    other.apply("theano.sandbox.rng_mrg.mrg_uniform", "mrg_uniform", {}, "float32");
    EXPECT_EQ(other.find("random"), nullptr);
}

TEST(Advice, anOpOfTheHostLanguage)
{
    Program program;
    program.apply("user.Slow", "Slow", {program.variable("float32")}, "float32", 500'000);
    program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{exp}", {program.variable("float32")}, "float32", 500'000);
    program.data.applies[0].implementation = "Py";
    ASSERT_NE(program.find("python-op"), nullptr);
    EXPECT_NEAR(program.find("python-op")->gain, 0.5, 1e-9);
    program.data.stats[0].totalNs = 1'000; // a fifth of a percent is not worth a sentence
    EXPECT_EQ(program.find("python-op"), nullptr);
}

TEST(Advice, vectorMathIsForFunctionsByTheirWholeNames)
{
    const auto isAdvised = [](const char *op) {
        Program program;
        program.apply("theano.tensor.elemwise.Elemwise", op, {program.variable("float32")}, "float32", 500'000);
        program.data.applies[0].implementation = "Py";
        return program.find("vector-math") != nullptr;
    };
    for (const char *op :
         {"Elemwise{isinf,no_inplace}", "Elemwise{logical_not,no_inplace}", "Elemwise{Composite{(i0 * cosine)}}", "Elemwise{add}"})
        EXPECT_FALSE(isAdvised(op)) << op;
    for (const char *op :
         {"Elemwise{sin,no_inplace}", "Elemwise{Exp}[(0, 0)]", "Elemwise{Composite{scalar_sigmoid(i0)}}", "Elemwise{log1p}"})
        EXPECT_TRUE(isAdvised(op)) << op;
}

TEST(Advice, aBlockedFusionNamesTheThirdReader)
{
    Program program;
    const VariableId x = program.variable("float32");
    const VariableId middle = program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{exp}", {x}, "float32");
    program.apply("theano.tensor.elemwise.Elemwise", "Elemwise{add}", {middle, x}, "float32");
    EXPECT_EQ(program.find("fusion"), nullptr); // one reader
    program.apply("theano.tensor.basic.Dot22", "Dot22", {middle, x}, "float32", 700'000);
    for (VariableRow &row : program.data.variables)
        row.bytes = 40'000'000; // ten calls of reading it again at the machine's bandwidth: 4 ms of 900 us, so all of the second
    program.data.machine.roofs = {{"cpu", "bandwidth.memory", 100e9, "B/s"}};
    const Advice *advice = program.find("fusion");
    ASSERT_NE(advice, nullptr);
    EXPECT_EQ(advice->evidence.rfind("Elemwise{exp}(x) and Elemwise{add}(Elemwise{exp}.0, x) ", 0), 0u) << advice->evidence;
    EXPECT_NE(advice->evidence.find("are kept apart by Dot22(Elemwise{exp}.0, x)"), std::string::npos) << advice->evidence;
    EXPECT_EQ(advice->nodes.size(), 3u);
    EXPECT_NEAR(advice->gain, 1.0 / 9, 1e-9);
    EXPECT_EQ(gainText(*advice), "at most 11% of the time in ops");
    for (VariableRow &row : program.data.variables) row.bytes = 40'000; // in the cache: ten times 0.1 us
    EXPECT_EQ(program.find("fusion"), nullptr);

    Program products; // two readers, neither elementwise
    const VariableId value = products.apply("theano.tensor.elemwise.Elemwise", "Elemwise{exp}", {products.variable("float32")}, "float32");
    products.apply("theano.tensor.basic.Dot22", "Dot22", {value}, "float32");
    products.apply("theano.tensor.basic.Sum", "Sum", {value}, "float32");
    EXPECT_EQ(products.find("fusion"), nullptr);
}

TEST(Advice, namesAreShort)
{
    Program program;
    const std::string scalar = "Elemwise{Composite{((i0 * scalar_softplus(t0)) - (i1 * scalar_softplus(t1))), t2}}[(0, 1)]";
    const VariableId y = program.variable("float64", VariableKind::Input, "y");
    const VariableId first = program.apply("user.Slow", scalar, {y, y, y}, "float64", 500'000);
    program.apply("user.Slower", scalar, {first}, "float64", 400'000);
    for (ApplyRow &row : program.data.applies) row.implementation = "Py";
    GraphInfo body{GraphId{2}, kFunction};
    body.parentGraph = kGraph;
    body.parentApply = ApplyId{1};
    body.appliesOptimized = 9;
    program.data.graphs.push_back(body);
    std::vector<std::string> texts;
    for (const Advice &one : graphAdvice(program.data)) texts.push_back(one.evidence);
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_EQ(texts[0].rfind("Composite of 9 operations(y, y, …) runs", 0), 0u) << texts[0];
    EXPECT_EQ(texts[1].rfind("Slower(Composite of 9 operations.0) runs", 0), 0u) << texts[1]; // its body is not in the session
}

TEST(Advice, transfersThatCanBeAvoided)
{
    Program program("float32", "cuda");
    program.apply("theano.gpuarray.GpuFromHost", "GpuFromHost", {program.variable("float32", VariableKind::Input, "batch")}, "float32");
    program.data.devices.transfers.push_back({kFunction, kGraph, ApplyId{1}, "HtoD", "cuda0", 10, 36'000, 50'000});
    const Advice *advice = program.find("transfer");
    ASSERT_NE(advice, nullptr);
    EXPECT_NE(advice->text.find("Make batch a shared variable"), std::string::npos);
    EXPECT_NE(advice->evidence.find("36.0 kB moved in 10 calls"), std::string::npos) << advice->evidence;
    program.apply("theano.gpuarray.GpuElemwise", "GpuElemwise", {program.data.variables.back().variable}, "float32", 5'000'000);
    EXPECT_EQ(program.find("transfer"), nullptr) << "two hundredths of the time";

    // Times of a simulation are no share of anything: bytes speak, and nothing is said to be won.
    program.data.info.simulated = "cuda0";
    EXPECT_EQ(program.find("transfer"), nullptr);
    program.data.devices.transfers[0].bytes = 36'000'000;
    ASSERT_NE(program.find("transfer"), nullptr);
    EXPECT_EQ(program.find("transfer")->gain, 0);
    EXPECT_EQ(program.find("transfer")->evidence.find("% of the time"), std::string::npos);

    Program own("float32", "cuda"); // a shared variable that was kept on the host
    own.apply("theano.gpuarray.GpuFromHost", "GpuFromHost", {own.variable("float32", VariableKind::Shared, "table")}, "float32");
    ASSERT_NE(own.find("transfer"), nullptr);
    EXPECT_NE(own.find("transfer")->text.find("Let table lie on the device"), std::string::npos);

    Program result("float32", "cuda"); // the result has to come down
    result.apply("theano.gpuarray.HostFromGpu", "HostFromGpu", {result.variable("float32", VariableKind::Shared)}, "float32");
    EXPECT_EQ(result.find("transfer"), nullptr);
    EXPECT_EQ(result.find("fetched-results"), nullptr) << "ten calls are no loop";
}

TEST(Advice, opsBetweenTwoTransfers)
{
    Program there("float32", "cuda");
    const VariableId down =
        there.apply("theano.gpuarray.HostFromGpu", "HostFromGpu", {there.variable("float32", VariableKind::Shared)}, "float32");
    const VariableId host = there.apply("theano.tensor.elemwise.Elemwise", "Elemwise{gt}", {down}, "bool");
    const VariableId after = there.apply("theano.tensor.elemwise.Elemwise", "Elemwise{neg}", {host}, "bool");
    const VariableId up = there.apply("theano.gpuarray.GpuFromHost", "GpuFromHost", {after}, "float32");
    there.data.declines.push_back({kGraph, "GraphToGPU", ApplyId{2}, 0, "it stays on the CPU because of a reason", true, kNoApply});
    ASSERT_NE(there.find("host-between"), nullptr);
    EXPECT_NE(there.find("host-between")->evidence.find("Elemwise{gt}(HostFromGpu.0) stands between two transfers"), std::string::npos);
    EXPECT_NE(there.find("host-between")->evidence.find("it stays on the CPU because of a reason"), std::string::npos);
    EXPECT_EQ(there.find("transfer"), nullptr);
    EXPECT_NEAR(there.find("host-between")->gain, 0.75, 1e-9) << "its own time and that of the copies";
    there.data.applies[3].opClass = "theano.tensor.basic.Sum"; // what it makes stays on the host
    EXPECT_EQ(there.find("host-between"), nullptr);
    (void)up;
}

TEST(Advice, resultsThatAreFetchedInALoop)
{
    Program program("float32", "cuda");
    const VariableId made = program.apply("theano.gpuarray.GpuElemwise", "GpuElemwise", {program.variable("float32")}, "float32", 10'000);
    program.apply("theano.gpuarray.HostFromGpu", "HostFromGpu", {made}, "float32", 90'000);
    for (ApplyStats &stats : program.data.stats) stats.calls = 1000;
    program.data.stats[0].deviceNs = 40'000;
    ASSERT_NE(program.find("fetched-results"), nullptr);
    EXPECT_NEAR(program.find("fetched-results")->gain, 0.6, 1e-9) << "while the device works, the host waits anyway";
    program.data.stats[0].deviceNs = 95'000;
    EXPECT_EQ(program.find("fetched-results"), nullptr) << "the device is what takes the time";
    program.data.stats[0].deviceNs = 40'000;
    program.data.info.simulated = "cuda0";
    EXPECT_EQ(program.find("fetched-results"), nullptr);
}

TEST(Advice, callsThatAreTooSmall)
{
    Program program;
    program.function().run = {1000, 3'000'000, 2'000'000, 900'000, 0, 0, 0};
    ASSERT_NE(program.find("small-calls"), nullptr);
    EXPECT_NEAR(program.find("small-calls")->gain, 0.7, 1e-9);
    program.function().run.thunkNs = 2'500'000; // as small, but most of it is work
    EXPECT_EQ(program.find("small-calls"), nullptr);
    program.function().run = {50, 150'000, 0, 0, 0, 0, 0}; // too few calls to matter
    EXPECT_EQ(program.find("small-calls"), nullptr);
}

TEST(Advice, whatCudnnHasIsSaidOfItsDevicesOnly)
{
    const auto hasTip = [](const std::string &device, const std::string &kernelsOn) {
        Program program("float32", device);
        program.apply("theano.tensor.signal.pool.Pool", "Pool", {program.variable("float32")}, "float32");
        program.data.devices.kernels.push_back({kernelsOn, "GpuElemwise", kFunction, kGraph, ApplyId{1}, 1, 1000});
        return program.find("cudnn") != nullptr;
    };
    EXPECT_TRUE(hasTip("cuda0", "cuda0"));
    EXPECT_TRUE(hasTip("gpu", "cuda0")) << "an old name means the best that is there";
    EXPECT_FALSE(hasTip("gpu", "opencl0:0"));
    EXPECT_FALSE(hasTip("opencl0:0", "opencl0:0"));
}

TEST(Advice, launchBoundKernels)
{
    Program program("float32", "cuda");
    program.apply("theano.gpuarray.GpuElemwise", "GpuElemwise", {program.variable("float32")}, "float32", 10'000'000);
    DeviceKernel kernel;
    kernel.device = "cuda0";
    kernel.graph = kGraph;
    kernel.apply = ApplyId{1};
    kernel.launches = 1000;
    kernel.totalNs = 2'000'000; // 2 us each
    program.data.devices.kernels.push_back(kernel);
    EXPECT_EQ(program.find("launch-bound"), nullptr) << "what a launch takes there was not measured";
    program.data.machine.roofs.push_back({"cuda0", "launch", 6000, "ns"});
    ASSERT_NE(program.find("launch-bound"), nullptr);
    EXPECT_NEAR(program.find("launch-bound")->gain, 0.4, 1e-9) << "4 us of each are lost, of 10 ms";
    program.data.info.simulated = "cuda0";
    EXPECT_EQ(program.find("launch-bound"), nullptr);
    program.data.info.simulated = "";
    program.data.devices.kernels[0].totalNs = 50'000'000;
    EXPECT_EQ(program.find("launch-bound"), nullptr);
}

TEST(Advice, doublesOnACardThatIsMadeForFloats)
{
    Program program("float64", "cuda");
    program.apply("theano.gpuarray.GpuElemwise", "GpuElemwise", {program.variable("float64")}, "float64", 100'000);
    program.data.applies[0].device = "cuda0";
    program.data.stats[0].deviceNs = 80'000;
    EXPECT_EQ(program.find("slow-float64"), nullptr) << "nobody knows";
    program.data.machine.roofs = {{"cuda0", "flops.float32", 64e12, "flop/s"}, {"cuda0", "flops.float64", 1e12, "flop/s"}};
    ASSERT_NE(program.find("slow-float64"), nullptr);
    EXPECT_NEAR(program.find("slow-float64")->gain, 0.8 * 63 / 64, 1e-9);
    EXPECT_EQ(program.find("slow-float64")->setting, "") << "the script may make float64 whatever the flag says";
    program.data.sourceFiles = {{"/home/ada/f.py", "x = numpy.ones(3, dtype=theano.config.floatX)"}};
    EXPECT_EQ(program.find("slow-float64")->setting, "floatX=float32");
    program.data.machine.roofs[1].value = 32e12;
    EXPECT_EQ(program.find("slow-float64"), nullptr) << "a card for computing";
}

TEST(Advice, inPlaceWouldLowerThePeak)
{
    Program program;
    const VariableId x = program.variable("float32");
    const VariableId a = program.apply("Some", "a", {x}, "float32");
    const VariableId b = program.apply("theano.tensor.elemwise.Elemwise", "b", {a}, "float32");
    const VariableId c = program.apply("theano.tensor.elemwise.Elemwise", "c", {b}, "float32");
    PlanInfo plan;
    plan.function = kFunction;
    plan.uses = 10;
    plan.peakBytes = 8 << 20;
    program.data.plans.push_back(plan);
    program.buffer(a, 4 << 20, 0, 1);
    program.buffer(b, 4 << 20, 1, 2);
    program.buffer(c, 4 << 20, 2, 2);
    const Advice *advice = program.find("inplace");
    ASSERT_NE(advice, nullptr);
    EXPECT_NEAR(advice->gain, 0.5, 1e-9);
    program.data.applies[1].opClass = program.data.applies[2].opClass = "theano.tensor.blas.Dot22"; // products cannot
    EXPECT_EQ(program.find("inplace"), nullptr);
    program.data.applies[1].opClass = program.data.applies[2].opClass = "theano.tensor.elemwise.Elemwise";
    EXPECT_NE(program.find("inplace"), nullptr);
    program.data.buffers[0].to = 2; // somebody still reads a: nothing may be written over it
    program.data.buffers[1].to = 3;
    EXPECT_EQ(program.find("inplace"), nullptr);
}

TEST(Advice, looksThroughLongChainsAsTheyGrow)
{
    const auto secondsFor = [](int applies) {
        Program program;
        VariableId last = program.variable("float32");
        PlanInfo plan;
        plan.function = kFunction;
        plan.uses = 10;
        plan.peakBytes = 8 << 20;
        program.data.plans.push_back(plan);
        for (int i = 0; i < applies; ++i) {
            last = program.apply("theano.tensor.elemwise.Elemwise", "a", {last}, "float32");
            program.buffer(last, 4 << 20, i, i + 1);
        }
        const std::clock_t start = std::clock();
        EXPECT_NE(program.find("inplace"), nullptr);
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    double few = 1e9, many = 1e9;
    for (int round = 0; round < 8 && (round < 2 || many > 8 * few); ++round) { // 4 where it grows as they do, 16 with their square
        few = std::min(few, secondsFor(2500));
        many = std::min(many, secondsFor(10000));
    }
    EXPECT_LT(many, 8 * few);
}

TEST(Advice, arenasThatComeAndGo)
{
    Program program;
    PlanInfo plan;
    plan.function = kFunction;
    plan.uses = 10;
    plan.arenaBytes = std::int64_t{300} << 20;
    program.data.plans.push_back(plan);
    EXPECT_NE(program.find("allow-gc"), nullptr);
    program.data.flags[2].value = "False";
    EXPECT_EQ(program.find("allow-gc"), nullptr);
    program.data.flags[2].value = "True";
    program.data.plans[0].arenaBytes = 1 << 20;
    EXPECT_EQ(program.find("allow-gc"), nullptr);
}

TEST(Advice, everNewShapes)
{
    Program program;
    for (int i = 0; i < 9; ++i) {
        PlanInfo plan;
        plan.function = kFunction;
        plan.plan = i;
        plan.uses = 1;
        program.data.plans.push_back(plan);
    }
    EXPECT_NE(program.find("many-shapes"), nullptr);
    program.function().run.calls = 5000;
    EXPECT_EQ(program.find("many-shapes"), nullptr);
}

TEST(Advice, aRewriteThatCostsMoreThanItCanWin)
{
    Program program;
    program.function().compile.optimizerNs = 100'000'000;
    program.function().compile.totalNs = 120'000'000;
    program.data.rewrites.counts.push_back({kGraph, "local_slow", 900, 0, 900, 0, 60'000'000, 0});
    const Advice *advice = program.find("costly-rewrite");
    ASSERT_NE(advice, nullptr);
    EXPECT_NE(advice->text.find("optimizer_excluding=local_slow"), std::string::npos);
    program.data.rewrites.counts[0].ns = 5'000'000; // none stands out: all together took longer than the calls
    advice = program.find("costly-rewrite");
    ASSERT_NE(advice, nullptr);
    EXPECT_NE(advice->text.find("mode=FAST_COMPILE"), std::string::npos) << advice->text;
    EXPECT_NE(advice->evidence.find("5.0 ms, the longest of them local_slow"), std::string::npos) << advice->evidence;
    program.function().mode = "FAST_COMPILE"; // it follows that already
    EXPECT_EQ(program.find("costly-rewrite"), nullptr);
    program.function().mode = "FAST_RUN";
    program.data.rewrites.counts[0].applied = 3; // it did something, and the function runs long enough
    program.function().run.totalNs = 500'000'000;
    EXPECT_EQ(program.find("costly-rewrite"), nullptr);
    program.function().compile.optimizerNs = 30'000'000; // one pause of a busy machine is no advice
    program.data.rewrites.counts[0] = {kGraph, "local_quick", 900, 0, 900, 0, 9'000'000, 0};
    EXPECT_EQ(program.find("costly-rewrite"), nullptr);
}

TEST(Advice, compiledInALoop)
{
    Program program;
    program.function().compile.totalNs = 50'000'000;
    for (std::uint32_t i = 1; i < 6; ++i) {
        program.data.functions.push_back(program.data.functions[0]);
        program.data.functions.back().id = FunctionId{i};
        program.data.functions.back().graph = GraphId{i + 1};
    }
    EXPECT_NE(program.find("compiled-again"), nullptr);
    for (FunctionInfo &function : program.data.functions) function.run.totalNs = 900'000'000;
    EXPECT_EQ(program.find("compiled-again"), nullptr);
}

TEST(Advice, timesOfACheckingMode)
{
    Program program;
    program.function().run.calls = 200;
    program.function().run.totalNs = 2'000'000'000;
    program.function().mode = "DebugMode";
    EXPECT_NE(program.find("checking-mode"), nullptr);
    program.function().mode = "FAST_RUN";
    EXPECT_EQ(program.find("checking-mode"), nullptr);
}

TEST(Advice, isSilentWithoutAnything)
{
    EXPECT_TRUE(advise({}).empty());
    EXPECT_TRUE(advise(Program().data).empty());
}

} // namespace
