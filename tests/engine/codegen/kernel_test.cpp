// Compiled kernels give the interpreter's bits, whatever the function, the shape and the memory.
#include "tests/engine/compile/build.h"
#include "tests/engine/runtime/reference.h"

#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/runtime/thunks/elementwise_thunk.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace build;
using reference::Order;

namespace {

std::mt19937 random_(17);

double draw(DType dtype)
{
    if (dtype == DType::Bool) return static_cast<double>(random_() % 2);
    if (isDiscrete(dtype)) return static_cast<double>(random_() % 100) - (isUnsignedInteger(dtype) ? 0 : 50);
    switch (random_() % 40) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -0.0;
    case 3: return 1e-20;
    case 4: return -800;
    default: return std::uniform_real_distribution<double>(-3, 3)(random_);
    }
}

// A random body of `length` instructions over inputs of these dtypes.
ScalarBody randomBody(const std::vector<DType> &inputs, int length)
{
    // clang-format off
    static const ScalarCode floats[] = {ScalarCode::Add, ScalarCode::Mul, ScalarCode::Sub, ScalarCode::TrueDiv, ScalarCode::Maximum,
                                        ScalarCode::Minimum, ScalarCode::Neg, ScalarCode::Sqr, ScalarCode::Abs, ScalarCode::Inv,
                                        ScalarCode::Sqrt, ScalarCode::Floor, ScalarCode::RoundHalfToEven, ScalarCode::Sgn, ScalarCode::Exp,
                                        ScalarCode::Tanh, ScalarCode::Log1p, ScalarCode::Sigmoid, ScalarCode::Pow, ScalarCode::Lt,
                                        ScalarCode::Switch, ScalarCode::Clip, ScalarCode::Mod};
    static const ScalarCode integers[] = {ScalarCode::Add, ScalarCode::Mul, ScalarCode::Sub, ScalarCode::Maximum, ScalarCode::Sqr,
                                          ScalarCode::And, ScalarCode::Xor, ScalarCode::IntDiv, ScalarCode::Ge, ScalarCode::Neg};
    // clang-format on
    ScalarBody body;
    body.inputCount = static_cast<std::uint32_t>(inputs.size());
    body.inputTypes = inputs;
    std::vector<DType> types = inputs;
    const auto add = [&](ScalarInstruction instruction) {
        types.push_back(instruction.dtype);
        body.instructions.push_back(std::move(instruction));
    };
    add({nullptr, {}, inputs[0], 1.5});
    while (static_cast<int>(body.instructions.size()) < length + 1) {
        const std::uint32_t a = static_cast<std::uint32_t>(random_() % types.size());
        const bool integer = isDiscrete(types[a]);
        const ScalarCode code = integer ? integers[random_() % std::size(integers)] : floats[random_() % std::size(floats)];
        const ScalarOpPtr op = scalarOp(code);
        const int arity = op->arity() < 0 ? 2 + static_cast<int>(random_() % 2) : op->arity();
        std::vector<std::uint32_t> arguments = {a};
        while (static_cast<int>(arguments.size()) < arity) arguments.push_back(static_cast<std::uint32_t>(random_() % types.size()));
        std::vector<DType> dtypes;
        for (std::uint32_t argument : arguments) dtypes.push_back(types[argument]);
        try {
            const DType result = op->resultTypes(dtypes)[0];
            add({op, arguments, result});
        } catch (const TypeMismatch &) {
        }
    }
    body.outputs = {static_cast<std::uint32_t>(types.size() - 1)};
    if (random_() % 2) body.outputs.push_back(static_cast<std::uint32_t>(types.size() - 2));
    return body;
}

struct Setting {
    std::vector<SlotOperand> inputs, outputs;
    std::vector<Tensor> arrays; // of the inputs
};

std::vector<Tensor> runOnce(Thunk &thunk, const Setting &setting)
{
    std::vector<Tensor> outputs;
    std::vector<void *> slots;
    for (const Tensor &array : setting.arrays) slots.push_back(array.data());
    for (const SlotOperand &output : setting.outputs) {
        outputs.push_back(Tensor::zeros(output.dtype, output.shape));
        slots.push_back(outputs.back().data());
    }
    thunk.run(slots.data());
    return outputs;
}

void expectSameBits(const std::vector<Tensor> &a, const std::vector<Tensor> &b, const std::string &what)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t o = 0; o < a.size(); ++o)
        for (std::int64_t i = 0; i < a[o].size(); ++i) {
            const std::size_t width = sizeOf(a[o].dtype());
            const char *x = a[o].as<char>() + static_cast<std::size_t>(i) * width,
                       *y = b[o].as<char>() + static_cast<std::size_t>(i) * width;
            // The sign of a NaN is nobody's promise.
            if (std::memcmp(x, y, width) && !(std::isnan(a[o].at(i)) && std::isnan(b[o].at(i))))
                FAIL() << "output " << o << " at " << i << ": " << a[o].at(i) << " and " << b[o].at(i) << "\n" << what;
        }
}

class WithCompiler : public testing::Test {
protected:
    void SetUp() override
    {
        if (compiler().path.empty()) GTEST_SKIP() << compiler().reason;
    }
};

TEST_F(WithCompiler, randomBodiesGiveTheInterpretersBits)
{
    const Dims shapes[] = {{}, {1}, {7}, {600}, {513, 3}, {3, 5}, {60, 10}, {2, 700}, {0, 3}};
    const DType kinds[] = {DType::Float32, DType::Float64, DType::Float32, DType::Int32,  DType::Int8,   DType::Bool, DType::Float16,
                           DType::UInt64,  DType::UInt8,   DType::Int16,   DType::UInt16, DType::UInt32, DType::Int64};
    std::vector<std::pair<std::unique_ptr<Thunk>, Setting>> runs;
    std::vector<std::vector<Tensor>> wanted;
    std::vector<std::shared_ptr<Kernel>> kernels;
    for (int round = 0; round < 120; ++round) {
        const std::size_t inputs = 1 + random_() % 3;
        std::vector<DType> dtypes;
        for (std::size_t i = 0; i < inputs; ++i) dtypes.push_back(kinds[random_() % std::size(kinds)]);
        const ScalarOpPtr op = compositeOp(randomBody(dtypes, 2 + static_cast<int>(random_() % 9)));
        const Dims &shape = shapes[static_cast<std::size_t>(round) % std::size(shapes)];
        Setting setting;
        for (std::size_t i = 0; i < inputs; ++i) {
            Dims own = shape;
            for (std::int64_t &size : own)
                if (i > 0 && random_() % 4 == 0) size = 1;
            setting.arrays.push_back(reference::make(dtypes[i], own, reference::kLayouts[random_() % 4], [&] { return draw(dtypes[i]); }));
            const View view = setting.arrays.back().view();
            setting.inputs.push_back(operandsOf({&view, 1}, static_cast<int>(i))[0]);
        }
        Dims out(shape.size(), 1);
        for (const SlotOperand &input : setting.inputs)
            for (std::size_t axis = 0; axis < out.size(); ++axis)
                if (input.shape[axis] != 1) out[axis] = input.shape[axis];
        for (DType dtype : op->resultTypes(dtypes)) {
            SlotOperand operand;
            operand.dtype = dtype;
            operand.shape = out;
            operand.strides = contiguousStrides(out, sizeOf(dtype));
            operand.slot = operand.root = static_cast<Slot>(inputs + setting.outputs.size());
            setting.outputs.push_back(operand);
        }
        auto thunk = elementwiseThunk(op, {setting.inputs, setting.outputs});
        auto text = thunk->kernelText();
        if (!text) continue;
        kernels.push_back(internKernel(std::move(*text)));
        wanted.push_back(runOnce(*thunk, setting));
        runs.emplace_back(std::move(thunk), std::move(setting));
    }
    ASSERT_GT(runs.size(), 20u);
    requestKernels(kernels);
    waitForKernels();
    for (std::size_t r = 0; r < runs.size(); ++r) {
        ASSERT_EQ(kernels[r]->state.load(), KernelState::Ready)
            << kernels[r]->text.body << (kernelFailures().empty() ? "" : kernelFailures()[0].messages);
        runs[r].first->adopt(kernels[r]->function, kernels[r]->text.math.data());
        expectSameBits(wanted[r], runOnce(*runs[r].first, runs[r].second), kernels[r]->text.body);
        if (HasFatalFailure()) return;
    }
}

// Memory that ends where the process may not go on.
class Fenced {
public:
    explicit Fenced(std::size_t bytes) : m_bytes(bytes)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        m_room = (bytes + page - 1) / page * page;
        m_start = static_cast<char *>(mmap(nullptr, m_room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(m_start + m_room, page, PROT_NONE);
        m_all = m_room + page;
    }
    ~Fenced() { munmap(m_start, m_all); }
    Fenced(const Fenced &) = delete;
    char *data() const { return m_start + m_room - m_bytes; }

private:
    std::size_t m_bytes, m_room = 0, m_all = 0;
    char *m_start = nullptr;
};

struct Sample {
    const char *what;
    std::vector<DType> inputs;
    std::vector<ScalarInstruction> instructions;
    std::vector<std::uint32_t> outputs;
};

std::vector<Sample> samplesOfEveryKind()
{
    const auto op = [](ScalarCode code) { return scalarOp(code); };
    const DType f = DType::Float32, d = DType::Float64, b = DType::Bool;
    const DType i1 = DType::Int8, i2 = DType::Int16, i4 = DType::Int32, i8 = DType::Int64, u1 = DType::UInt8;
    return {
        // clang-format off
        {"sums of products",
         {f, f},
         {{op(ScalarCode::Sqr), {0}, f}, {op(ScalarCode::Mul), {0, 1}, f}, {op(ScalarCode::Add), {2, 3}, f}, {op(ScalarCode::Sub), {4, 1}, f}},
         {5, 4}},
        {"calls between the loops, a comparison among the results",
         {f, f},
         {{op(ScalarCode::Neg), {0}, f}, {op(ScalarCode::Sigmoid), {2}, f}, {op(ScalarCode::Exp), {1}, f}, {op(ScalarCode::Mul), {3, 4}, f},
          {op(ScalarCode::Gt), {5, 0}, b}, {op(ScalarCode::Tanh), {5}, f}, {op(ScalarCode::Sub), {7, 1}, f}},
         {8, 6}},
        {"functions written out, which share an exponential, and a comparison of one",
         {f, f},
         {{op(ScalarCode::Sub), {0, 1}, f}, {op(ScalarCode::Neg), {2}, f}, {op(ScalarCode::Sigmoid), {2}, f}, {op(ScalarCode::Sigmoid), {3}, f},
          {op(ScalarCode::Softplus), {2}, f}, {op(ScalarCode::Softplus), {3}, f}, {op(ScalarCode::Log), {4}, f}, {op(ScalarCode::Log1p), {0}, f},
          {op(ScalarCode::Gt), {4, 1}, b}, {op(ScalarCode::Mul), {6, 7}, f}, {op(ScalarCode::Add), {11, 5}, f}, {op(ScalarCode::Sub), {8, 9}, f}},
         {12, 10, 13}},
        {"more functions than are written out",
         {f},
         {{op(ScalarCode::Sigmoid), {0}, f}, {op(ScalarCode::Softplus), {1}, f}, {op(ScalarCode::Sigmoid), {2}, f}, {op(ScalarCode::Softplus), {3}, f},
          {op(ScalarCode::Sigmoid), {4}, f}, {op(ScalarCode::Softplus), {5}, f}, {op(ScalarCode::Sigmoid), {6}, f}, {op(ScalarCode::Softplus), {7}, f},
          {op(ScalarCode::Sigmoid), {8}, f}, {op(ScalarCode::Log), {9}, f}, {op(ScalarCode::Log1p), {0}, f}, {op(ScalarCode::Lt), {10, 11}, b}},
         {10, 11, 12}},
        {"calls of one function for several arrays, one after the other",
         {f, f},
         {{op(ScalarCode::Neg), {0}, f}, {op(ScalarCode::Mul), {0, 1}, f}, {op(ScalarCode::Tanh), {2}, f}, {op(ScalarCode::Tanh), {3}, f},
          {op(ScalarCode::Exp), {4}, f}, {op(ScalarCode::Exp), {5}, f}, {op(ScalarCode::Exp), {2}, f}, {op(ScalarCode::Add), {6, 7}, f},
          {op(ScalarCode::Add), {9, 8}, f}},
         {10}},
        {"doubles and a choice",
         {d, d},
         {{op(ScalarCode::Lt), {0, 1}, b}, {op(ScalarCode::Switch), {2, 0, 1}, d}, {op(ScalarCode::Mul), {3, 1}, d}, {op(ScalarCode::Add), {4, 0}, d}},
         {5}},
        {"logic of bytes",
         {b, b, f},
         {{op(ScalarCode::And), {0, 1}, b}, {op(ScalarCode::Xor), {3, 0}, b}, {op(ScalarCode::Switch), {4, 2, 2}, f}, {op(ScalarCode::Add), {5, 2}, f}},
         {6, 4}},
        {"narrow integers, cut after each step",
         {i1, i1},
         {{op(ScalarCode::Add), {0, 1}, i1}, {op(ScalarCode::Mul), {2, 0}, i1}, {op(ScalarCode::Sub), {3, 1}, i1}},
         {4, 2}},
        {"one step between arrays that have no registers of their kind", {i2, i2}, {{op(ScalarCode::Maximum), {0, 1}, i2}}, {2}},
        {"an image as numbers from 0 to 1", {u1, f}, {{castOp(f), {0}, f}, {op(ScalarCode::Mul), {2, 1}, f}}, {3}},
        {"a primitive on an array that is converted first, read again behind it",
         {i4, u1},
         {{op(ScalarCode::IntDiv), {0, 1}, i8}, {op(ScalarCode::Add), {2, 0}, i8}, {castOp(d), {1}, d}, {op(ScalarCode::Mul), {3, 4}, d}},
         {5, 3}},
        {"division by numbers known when the kernel is made",
         {i4, i8},
         {{nullptr, {}, i4, 7}, {nullptr, {}, i8, -3}, {nullptr, {}, i4, 8},
          {op(ScalarCode::IntDiv), {0, 2}, i4}, {op(ScalarCode::Mod), {0, 3}, i8}, {op(ScalarCode::IntDiv), {1, 3}, i8}, {op(ScalarCode::Mod), {1, 2}, i8},
          {op(ScalarCode::Mod), {0, 4}, i4}, {op(ScalarCode::Sub), {5, 6}, i8}, {op(ScalarCode::Mul), {10, 7}, i8}, {op(ScalarCode::Sub), {11, 8}, i8},
          {op(ScalarCode::Mul), {12, 9}, i8}},
         {13}},
        {"a division alone", {i4}, {{nullptr, {}, i4, -7}, {op(ScalarCode::IntDiv), {0, 1}, i4}}, {2}},
        {"a remainder alone", {i1}, {{nullptr, {}, i1, -3}, {op(ScalarCode::Mod), {0, 1}, i1}}, {2}},
        {"signs and magnitudes", {i1, i8}, {{op(ScalarCode::Abs), {0}, i1}, {op(ScalarCode::Sgn), {1}, i8}, {op(ScalarCode::Abs), {1}, i8}, {op(ScalarCode::Mul), {3, 4}, i8}}, {2, 5}},
        {"signs of what has none", {u1}, {{op(ScalarCode::Abs), {0}, u1}, {op(ScalarCode::Sgn), {0}, u1}}, {1, 2}},
        {"numbers as conditions", {i1, f, f, d}, {{op(ScalarCode::Switch), {0, 1, 2}, f}, {op(ScalarCode::Switch), {3, 4, 1}, f}}, {5}},
        // clang-format on
        {"doubles of floats, and bytes of doubles",
         {f, d},
         {{op(ScalarCode::Mul), {0, 1}, d}, {op(ScalarCode::Gt), {2, 0}, b}, {castOp(i1), {3}, i1}},
         {4, 2}},
    };
}

TEST_F(WithCompiler, everyLengthGivesTheInterpretersBitsAndTouchesNothingBeyondIt)
{
    for (const Sample &sample : samplesOfEveryKind()) {
        SCOPED_TRACE(sample.what);
        ScalarBody body;
        body.inputCount = static_cast<std::uint32_t>(sample.inputs.size());
        body.inputTypes = sample.inputs;
        body.instructions = sample.instructions;
        body.outputs = sample.outputs;
        const ScalarOpPtr op = compositeOp(body);
        const std::vector<DType> results = op->resultTypes(sample.inputs);
        std::shared_ptr<Kernel> kernel;
        std::vector<long> lengths = {511, 512, 513, 600, 1031};
        for (long n = 1; n <= 100; ++n) lengths.push_back(n);
        for (long n : lengths)
            for (bool inPlace : {false, true}) {
                if (inPlace && results[0] != sample.inputs[0]) continue;
                std::vector<std::unique_ptr<Fenced>> memory;
                std::vector<SlotOperand> inputs, outputs;
                std::vector<void *> slots;
                std::vector<Tensor> given;
                const auto operandOf = [&](DType dtype, int root) {
                    SlotOperand operand;
                    operand.dtype = dtype;
                    operand.shape = {n};
                    operand.strides = {static_cast<std::int64_t>(sizeOf(dtype))};
                    operand.slot = static_cast<Slot>(slots.size());
                    operand.root = root < 0 ? operand.slot : Slot{root};
                    return operand;
                };
                const auto fence = [&](DType dtype) {
                    memory.push_back(std::make_unique<Fenced>(static_cast<std::size_t>(n) * sizeOf(dtype)));
                    return memory.back()->data();
                };
                for (DType dtype : sample.inputs) {
                    inputs.push_back(operandOf(dtype, -1));
                    slots.push_back(fence(dtype));
                    given.push_back(reference::make(dtype, {n}, Order::Contiguous, [&, dtype = dtype] { return draw(dtype); }));
                }
                for (std::size_t o = 0; o < results.size(); ++o) {
                    const bool shared = inPlace && o == 0;
                    outputs.push_back(operandOf(results[o], shared ? 0 : -1));
                    slots.push_back(shared ? slots[0] : fence(results[o]));
                }
                const auto run = [&](Thunk &thunk) {
                    for (std::size_t i = 0; i < given.size(); ++i)
                        std::memcpy(slots[i], given[i].data(), static_cast<std::size_t>(n) * sizeOf(sample.inputs[i]));
                    thunk.run(slots.data());
                    std::vector<Tensor> made;
                    for (std::size_t o = 0; o < results.size(); ++o) {
                        made.push_back(Tensor::empty(results[o], {n}));
                        std::memcpy(made[o].data(), slots[sample.inputs.size() + o], static_cast<std::size_t>(n) * sizeOf(results[o]));
                    }
                    return made;
                };
                auto thunk = elementwiseThunk(op, {inputs, outputs});
                const auto wanted = run(*thunk);
                if (!kernel) {
                    auto text = thunk->kernelText();
                    ASSERT_TRUE(text);
                    kernel = internKernel(std::move(*text));
                    requestKernels({kernel});
                    waitForKernels();
                    ASSERT_EQ(kernel->state.load(), KernelState::Ready);
                }
                thunk->adopt(kernel->function, kernel->text.math.data());
                expectSameBits(wanted, run(*thunk), kernel->text.body);
                if (HasFatalFailure()) FAIL() << n << (inPlace ? " in place" : "");
            }
    }
}

// A product and a sum round once, but a difference of equal products is zero.
TEST(ScalarProgram, differencesOfEqualProductsAreZero)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {DType::Float32, DType::Float32};
    body.instructions = {{scalarOp(ScalarCode::Sqr), {0}, DType::Float32},
                         {scalarOp(ScalarCode::Mul), {1, 1}, DType::Float32},
                         {scalarOp(ScalarCode::Sub), {2, 3}, DType::Float32}};
    body.outputs = {4};
    Setting setting;
    for (int i = 0; i < 2; ++i) {
        setting.arrays.push_back(reference::make(DType::Float32, {50}, Order::Contiguous, [k = 0]() mutable { return 0.1 * ++k; }));
        const View view = setting.arrays.back().view();
        setting.inputs.push_back(operandsOf({&view, 1}, i)[0]);
    }
    setting.outputs = {setting.inputs[0]};
    setting.outputs[0].slot = setting.outputs[0].root = Slot{2};
    const auto result = runOnce(*elementwiseThunk(compositeOp(body), {setting.inputs, setting.outputs}), setting);
    for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(result[0].at(i), 0) << i;
}

TEST_F(WithCompiler, aFunctionSwapsBetweenCallsAndInPlaceWorkStaysRight)
{
    ScalarBody body;
    body.inputCount = 2;
    body.inputTypes = {DType::Float64, DType::Float64};
    body.instructions = {{scalarOp(ScalarCode::Mul), {0, 1}, DType::Float64},
                         {scalarOp(ScalarCode::Exp), {2}, DType::Float64},
                         {scalarOp(ScalarCode::Add), {3, 0}, DType::Float64},
                         {scalarOp(ScalarCode::Sub), {4, 1}, DType::Float64}};
    body.outputs = {5};
    const VarRef w = shared(Tensor::full(DType::Float64, {1000}, 0.25), "w"), x = vector("x");
    const VarRef next = engine::apply(makeOp<Elemwise>(compositeOp(body), std::vector<Alias>{{0, 0}}), {w, x});
    FunctionSpec spec = request({x}, {}, {{w, next}}, "FAST_RUN");
    const auto f = Function::compile(std::move(spec));
    Tensor step = Tensor::full(DType::Float64, {1000}, 0.5);
    double expected = 0.25;
    for (int i = 0; i < 4; ++i) {
        call(*f, {step});
        expected = std::exp(expected * 0.5) + expected - 0.5;
        ASSERT_NEAR(w->container()->value().tensor().at(777), expected, 1e-9 * expected);
        if (i == 1) f->compileKernels();
    }
    ASSERT_EQ(f->kernels().size(), 1u);
    EXPECT_TRUE(f->kernels()[0].running);
    EXPECT_NE(f->kernels()[0].source.find("exp"), std::string::npos);
}

TEST_F(WithCompiler, aFunctionThatIsCalledOftenCompilesByItself)
{
    const VarRef x = vector("x");
    const auto f =
        Function::compile(request({x}, {engine::apply(makeOp<Elemwise>(compositeOp([] {
                                                          ScalarBody body;
                                                          body.inputCount = 1;
                                                          body.inputTypes = {DType::Float64};
                                                          body.instructions = {{scalarOp(ScalarCode::Add), {0, 0}, DType::Float64},
                                                                               {scalarOp(ScalarCode::Sqr), {1}, DType::Float64},
                                                                               {scalarOp(ScalarCode::Sub), {2, 0}, DType::Float64}};
                                                          body.outputs = {3};
                                                          return body;
                                                      }())),
                                                      {x})}));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(call(*f, {values({1, 2})})[0].at(1), 14);
    waitForKernels();
    EXPECT_EQ(call(*f, {values({1, 2})})[0].at(1), 14);
    ASSERT_EQ(f->kernels().size(), 1u);
    EXPECT_TRUE(f->kernels()[0].running);
    EXPECT_GT(kernelCacheInfo().files, 0u);
}

TEST_F(WithCompiler, aKernelThatDoesNotCompileIsReportedAndTheInterpreterGoesOn)
{
    const auto kernel = internKernel({"(this is no C)\n", {}, 1});
    requestKernels({kernel});
    waitForKernels();
    EXPECT_EQ(kernel->state.load(), KernelState::Failed);
    ASSERT_FALSE(kernelFailures().empty());
    const KernelFailure failure = kernelFailures().back();
    EXPECT_NE(failure.messages.find("error"), std::string::npos);
    EXPECT_NE(failure.command.find("-O3"), std::string::npos);
    EXPECT_NE(failure.source.find("this is no C"), std::string::npos);
}

TEST_F(WithCompiler, productsAreFoundAgainAndEvicted)
{
    const auto kernel = internKernel({"(void *const *operands, const Loop *math, long n) { ((double *)operands[0])[0] = n; }\n", {}, 2});
    const CompileResult made = compileSharedObject(unitSource({kernel}), kernelCacheDirectory() / "probe.so");
    EXPECT_TRUE(made.ok) << made.messages;
    requestKernels({kernel});
    waitForKernels();
    ASSERT_EQ(kernel->state.load(), KernelState::Ready);
    double value = 0;
    void *operands[] = {&value};
    kernel->function.load()(operands, nullptr, 42);
    EXPECT_EQ(value, 42);
    // A second process would find the product: its unit loads without a compile.
    auto again = std::make_shared<Kernel>();
    again->text = kernel->text;
    const std::uint64_t before = kernelCounts().compiledUnits;
    EXPECT_TRUE(loadCachedKernels({again}));
    EXPECT_EQ(again->state.load(), KernelState::Ready);
    EXPECT_EQ(kernelCounts().compiledUnits, before);
    evictKernels(0);
    EXPECT_EQ(kernelCacheInfo().files, 0u);
}

TEST_F(WithCompiler, manyKernelsComeInSeveralUnitsAndEqualOnesOnce)
{
    const auto textOf = [](int i) {
        return KernelText{
            "(void *const *operands, const Loop *math, long n) { ((double *)operands[0])[0] = n + " + std::to_string(i) + "; }\n", {}, 3};
    };
    std::vector<std::shared_ptr<Kernel>> kernels, again;
    for (int i = 0; i < 300; ++i) kernels.push_back(internKernel(textOf(i % 150)));
    const KernelCounts before = kernelCounts();
    EXPECT_FALSE(loadCachedKernels(kernels));
    requestKernels(kernels);
    waitForKernels();
    EXPECT_EQ(kernelCounts().compiledUnits, before.compiledUnits + 3);
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(kernels[static_cast<std::size_t>(i)]->state.load(), KernelState::Ready);
        double value = 0;
        void *operands[] = {&value};
        kernels[static_cast<std::size_t>(i)]->function.load()(operands, nullptr, 1000);
        EXPECT_EQ(value, 1000 + i % 150);
    }
    // A second process, whose function has the same kernels in the same order, finds all of them.
    for (int i = 0; i < 150; ++i) {
        again.push_back(std::make_shared<Kernel>());
        again.back()->text = textOf(i);
    }
    for (std::size_t i = 0; i < 150; ++i) again.push_back(again[i]);
    EXPECT_TRUE(loadCachedKernels(again));
    EXPECT_EQ(again.back()->state.load(), KernelState::Ready);
}

} // namespace
