// Kernels in OpenCL C, run: their numbers against the host's, for every scalar function and dtype.
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/engine/codegen/every_function.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/tensor/convert.h"

#include <CL/cl.h>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>

using namespace engine;

namespace {

// The first device with doubles. Buffers and offsets as in device.h.
class OpenCl {
public:
    static OpenCl &one()
    {
        static auto *const instance = new OpenCl;
        return *instance;
    }
    const std::string &problem() const { return m_problem; }

    /// Runs the kernel over n elements; the outputs come back in their arrays. Numbers stand behind the arrays, n at the end.
    void run(const KernelSource &source, std::span<Tensor> arrays, std::size_t inputs, std::vector<std::int64_t> numbers, std::int64_t n)
    {
        const char *text = source.text.c_str();
        cl_program program = clCreateProgramWithSource(m_context, 1, &text, nullptr, nullptr);
        if (clBuildProgram(program, 1, &m_device, "", nullptr, nullptr) != CL_SUCCESS) {
            std::size_t size = 0;
            clGetProgramBuildInfo(program, m_device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
            std::string log(size, ' ');
            clGetProgramBuildInfo(program, m_device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
            FAIL() << log << source.text;
        }
        cl_int error = CL_SUCCESS;
        cl_kernel kernel = clCreateKernel(program, "croton_kernel_0", &error);
        ASSERT_EQ(error, CL_SUCCESS);
        constexpr std::size_t kOffset = 64; // bytes before each array
        std::vector<cl_mem> buffers;
        cl_uint place = 0;
        for (const Tensor &array : arrays) {
            buffers.push_back(clCreateBuffer(m_context, CL_MEM_READ_WRITE, array.bytes() + kOffset, nullptr, &error));
            ASSERT_EQ(error, CL_SUCCESS);
            clEnqueueWriteBuffer(m_queue, buffers.back(), CL_TRUE, kOffset, array.bytes(), array.data(), 0, nullptr, nullptr);
            const cl_long offset = kOffset;
            clSetKernelArg(kernel, place++, sizeof(cl_mem), &buffers.back());
            clSetKernelArg(kernel, place++, sizeof offset, &offset);
        }
        numbers.push_back(n);
        for (const cl_long number : numbers) clSetKernelArg(kernel, place++, sizeof number, &number);
        const std::size_t items = 64, group = 16;
        ASSERT_EQ(clEnqueueNDRangeKernel(m_queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr), CL_SUCCESS);
        for (std::size_t i = inputs; i < arrays.size(); ++i)
            clEnqueueReadBuffer(m_queue, buffers[i], CL_TRUE, kOffset, arrays[i].bytes(), arrays[i].data(), 0, nullptr, nullptr);
        for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }

private:
    OpenCl()
    {
        cl_platform_id platforms[8];
        cl_uint count = 0;
        if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS || count == 0) {
            m_problem = "there is no OpenCL platform";
            return;
        }
        for (cl_uint p = 0; p < count && p < 8 && !m_device; ++p) {
            cl_device_id device = nullptr;
            cl_device_fp_config doubles = 0;
            if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) continue;
            clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, nullptr);
            if (doubles) m_device = device;
        }
        if (!m_device) {
            m_problem = "no OpenCL device has doubles";
            return;
        }
        m_context = clCreateContext(nullptr, 1, &m_device, nullptr, nullptr, nullptr);
        m_queue = clCreateCommandQueue(m_context, m_device, 0, nullptr);
        if (!m_context || !m_queue) m_problem = "the OpenCL device does not open";
    }

    std::string m_problem;
    cl_device_id m_device = nullptr;
    cl_context m_context = nullptr;
    cl_command_queue m_queue = nullptr;
};

class OpenClKernels : public testing::TestWithParam<DType> {
protected:
    void SetUp() override
    {
        if (!OpenCl::one().problem().empty()) GTEST_SKIP() << OpenCl::one().problem();
    }
};
INSTANTIATE_TEST_SUITE_P(All, OpenClKernels, testing::ValuesIn(every::kRealTypes),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

// Steps of the result's dtype from one number to the other; below `least` steps of that one's.
double stepsApart(double got, double wanted, DType dtype, double least)
{
    if (std::isnan(got) && std::isnan(wanted)) return 0;
    if (got == wanted) return 0;
    if (!std::isfinite(got) || !std::isfinite(wanted)) return INFINITY;
    const int digits = dtype == DType::Float64 ? 53 : dtype == DType::Float32 ? 24 : 11;
    const int lowest = dtype == DType::Float64 ? -1022 : dtype == DType::Float32 ? -126 : -14;
    const int exponent = std::max(std::ilogb(std::max({std::fabs(wanted), std::fabs(got), least})), lowest);
    return std::fabs(got - wanted) / std::ldexp(1.0, exponent - digits + 1);
}

struct Range {
    const char *name;
    double low, high;
};
constexpr Range kRanges[] = {{"within one", -0.99, 0.99}, {"small", -4, 4}, {"positive", 0.01, 30}, {"any size", 0, 0}};

Tensor drawn(DType dtype, const Range &range, std::mt19937_64 &random, std::int64_t n)
{
    static constexpr double kSpecial[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, -0.5, 2.5, 3e5, -3e5, 1e-3, 700, -700, 1e10};
    Tensor tensor = Tensor::empty(dtype, {n});
    withStorageType(dtype, [&]<class T>() {
        for (std::int64_t i = 0; i < n; ++i) {
            double value = std::uniform_real_distribution<double>(range.low, range.high)(random);
            if (range.low == range.high) value = kSpecial[random() % std::size(kSpecial)];
            if (isDiscrete(dtype)) value = std::isfinite(value) ? std::trunc(range.low == range.high ? value : 4 * value) : 3;
            if (isUnsignedInteger(dtype) || dtype == DType::Bool) value = std::fabs(value);
            if (isDiscrete(dtype)) value = std::fmod(value, sizeOf(dtype) == 1 ? 100 : 30000);
            if (dtype == DType::Bool) value = std::fmod(value, 2);
            tensor.as<T>()[i] = convertElement<T>(value);
        }
    });
    return tensor;
}

struct Allowed {
    double steps;
    double least = 1e-320; // functions that cross zero are as exact as their largest parts
};

// What two libraries of functions may differ by: OpenCL allows its own up to 16 steps in float.
Allowed allowed(const ScalarOp &op, DType result)
{
    static const std::map<ScalarCode, Allowed> kDoubles{
        {ScalarCode::GammaInc, {1e5}}, {ScalarCode::GammaIncc, {1e5}}, // exp of lgamma of the order
        {ScalarCode::GammaU, {1e5}},   {ScalarCode::GammaL, {1e5}},     {ScalarCode::Chi2sf, {1e5}}, {ScalarCode::GammaLn, {16, 1}},
        {ScalarCode::Psi, {64, 1}},    {ScalarCode::TriGamma, {64, 1}}, {ScalarCode::J0, {64, 0.1}}, {ScalarCode::J1, {64, 0.1}},
        {ScalarCode::Jv, {64, 0.1}},   {ScalarCode::Iv, {512}},         {ScalarCode::I0, {16}},      {ScalarCode::I1, {16}},
        {ScalarCode::Erfinv, {16}},    {ScalarCode::Erfcinv, {16}}};
    if (isDiscrete(result)) return {0};
    if (op.code() == ScalarCode::UltraFastSigmoid) return {4, 1}; // 1 + z with z down to -1
    const auto found = kDoubles.find(op.code());
    if (found == kDoubles.end()) return {op.cost() < 5 ? 0.0 : 8.0};
    return {result == DType::Float64 ? found->second.steps : 16, found->second.least};
}

TEST_P(OpenClKernels, GiveTheHostsNumbers)
{
    constexpr std::int64_t kCount = 500;
    const DType dtype = GetParam();
    const every::Functions functions = every::of(dtype);
    const KernelSource source = every::kernelOf(functions, dtype, Dialect::OpenClC);
    std::mt19937_64 random(5);
    for (const Range &range : kRanges) {
        std::vector<Tensor> arrays;
        for (int i = 0; i < 3; ++i) arrays.push_back(drawn(dtype, range, random, kCount));
        for (DType result : functions.results) arrays.push_back(Tensor::empty(result, {kCount}));
        ASSERT_NO_FATAL_FAILURE(OpenCl::one().run(source, arrays, 3, {}, kCount));
        for (std::size_t f = 0; f < functions.each.size(); ++f) {
            std::vector<Value> inputs(arrays.begin(), arrays.begin() + static_cast<std::ptrdiff_t>(functions.arities[f]));
            std::vector<Operand> operands(inputs.size(), Operand{Type::ofRank(dtype, 1)});
            const OpRef op = elemwise(functions.each[f]);
            const Tensor wanted = evaluateOp(*op, inputs, op->outputTypes(operands))[0].tensor();
            const Allowed most = allowed(*functions.each[f], functions.results[f]);
            double worst = 0;
            std::int64_t at = 0;
            for (std::int64_t i = 0; i < kCount; ++i) {
                const double steps = stepsApart(arrays[3 + f].at(i), wanted.at(i), functions.results[f], most.least);
                if (steps > worst) worst = steps, at = i;
            }
            EXPECT_LE(worst, most.steps) << functions.each[f]->name() << " of " << nameOf(dtype) << " " << range.name << ": "
                                         << arrays[0].at(at) << ", " << arrays[1].at(at) << ", " << arrays[2].at(at) << " gives "
                                         << arrays[3 + f].at(at) << " instead of " << wanted.at(at);
        }
    }
}

TEST_P(OpenClKernels, CombineAsTheHostDoes)
{
    constexpr std::int64_t kRows = 7, kColumns = 90, kParts = 4;
    const DType dtype = GetParam();
    std::mt19937_64 random(5);
    const Tensor x = drawn(dtype, kRanges[1], random, kRows * kColumns), matrix = Tensor::empty(dtype, {kRows, kColumns});
    std::memcpy(matrix.data(), x.data(), x.bytes());
    for (ReduceKind kind : every::kReductions)
        for (const bool isAcross : {false, true}) {
            const CAReduce op(kind, std::vector<int>{isAcross ? 0 : 1});
            const Tensor wanted =
                evaluateOp(op, std::vector<Value>{matrix}, op.outputTypes(std::vector<Operand>{Operand{Type::ofRank(dtype, 2)}}))[0]
                    .tensor();
            const std::int64_t results = wanted.size(), elements = x.size() / results;
            const std::vector<std::int64_t> strides = isAcross ? std::vector<std::int64_t>{1, kColumns} : std::vector{kColumns, 1l};
            const auto numbers = [&](std::int64_t parts) { return std::vector{strides[0], strides[1], elements, parts}; };
            std::vector<Tensor> arrays{x, Tensor::empty(wanted.dtype(), {results})};
            ASSERT_NO_FATAL_FAILURE(
                OpenCl::one().run(every::reduction(kind, dtype, isAcross, false, Dialect::OpenClC), arrays, 1, numbers(1), results));
            const std::string what = kReduceNames[static_cast<std::size_t>(kind)] + (" of " + std::string(nameOf(dtype)));
            const double most = isContinuous(wanted.dtype()) && (kind == ReduceKind::Sum || kind == ReduceKind::Prod) ? 256 : 0;
            for (std::int64_t i = 0; i < results; ++i)
                EXPECT_LE(stepsApart(arrays[1].at(i), wanted.at(i), wanted.dtype(), kind == ReduceKind::Sum ? 10 : 0), most)
                    << what << ": " << arrays[1].at(i) << " instead of " << wanted.at(i);
            // The parts of one result, combined by hand.
            const DType part = nativeDType(accumulatorKind(op.primitive(), op.accumulatorDType(dtype)));
            if (kind != ReduceKind::Max) continue;
            std::vector<Tensor> inParts{x, Tensor::empty(part, {results * kParts})};
            ASSERT_NO_FATAL_FAILURE(OpenCl::one().run(every::reduction(kind, dtype, isAcross, true, Dialect::OpenClC), inParts, 1,
                                                      numbers(kParts), results * kParts));
            for (std::int64_t i = 0; i < results; ++i) {
                double largest = -INFINITY;
                for (std::int64_t p = 0; p < kParts; ++p)
                    largest = std::max(largest, inParts[1].at(isAcross ? p * results + i : i * kParts + p));
                EXPECT_EQ(largest, wanted.at(i)) << what;
            }
        }
}

TEST(OpenClLayouts, BroadcastAndStridedOperands)
{
    if (!OpenCl::one().problem().empty()) GTEST_SKIP() << OpenCl::one().problem();
    // y of 3 x 4 as it is, x lying the other way round, broadcast along the first axis.
    std::vector<Tensor> arrays{Tensor::empty(DType::Float64, {8}), Tensor::empty(DType::Float64, {3, 4}),
                               Tensor::empty(DType::Float64, {3, 4})};
    for (int i = 0; i < 8; ++i) arrays[0].as<double>()[i] = i;
    for (int i = 0; i < 12; ++i) arrays[1].as<double>()[i] = 0.25 * i;
    const KernelSource source =
        every::smallKernel(DType::Float64, {DeviceAccess::Strided, DeviceAccess::Flat, DeviceAccess::Flat}, 2, Dialect::OpenClC);
    ASSERT_NO_FATAL_FAILURE(OpenCl::one().run(source, arrays, 2, {4, 0, 2}, 12));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) EXPECT_NEAR(arrays[2].at(4 * r + c), 2 * c * std::exp(0.25 * (4 * r + c)) + 1, 1e-12);
}

} // namespace
