// Kernels for devices as text: what the dialects make of one program, and what CUDA's compiler says where there is one.
#include "tests/engine/codegen/every_function.h"
#include "tests/engine/codegen/nvrtc.h"

#include "engine/codegen/kernel_unit.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

constexpr auto kFlat = DeviceAccess::Flat, kSingle = DeviceAccess::Single, kStrided = DeviceAccess::Strided;

TEST(Dialects, SayTheSameInTheirWords)
{
    EXPECT_EQ(every::smallKernel(DType::Float32, {kFlat, kFlat, kFlat}, 1, Dialect::CudaC).text, R"(typedef long long i64;
typedef unsigned long long u64;
#define th_expf expf
#define th_fmaf fmaf

extern "C" __global__ void croton_kernel_0(const float *x0, const float *x1, float *y0, i64 n)
{
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const float v0 = x0[i];
        const float v1 = x1[i];
        const float v2 = 0x1p+0f;
        const float v3 = th_expf(v1);
        const float v5 = th_fmaf(v0, v3, v2);
        y0[i] = v5;
    }
}
)");
    EXPECT_EQ(every::smallKernel(DType::Float64, {kFlat, kSingle, kFlat}, 1, Dialect::OpenClC).text,
              R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef long i64;
typedef ulong u64;
#define th_exp exp
#define th_fma fma

__kernel void croton_kernel_0(__global char *b0, i64 o0, __global char *b1, i64 o1, __global char *b2, i64 o2, i64 n)
{
    __global const double *x0 = (__global const double *)(b0 + o0);
    __global const double *x1 = (__global const double *)(b1 + o1);
    __global double *y0 = (__global double *)(b2 + o2);
    for (i64 i = get_global_id(0); i < n; i += get_global_size(0)) {
        const double v0 = x0[i];
        const double v1 = x1[0];
        const double v2 = 0x1p+0;
        const double v3 = th_exp(v1);
        const double v5 = th_fma(v0, v3, v2);
        y0[i] = v5;
    }
}
)");
    const KernelSource c = every::smallKernel(DType::Float64, {kFlat, kStrided, kFlat}, 2, Dialect::C);
    ASSERT_EQ(c.math.size(), 1u);
    EXPECT_EQ(c.math[0], rt_table()->loops[RT_EXP][RT_F64]) << "the host's primitives are the library of its kernels";
    EXPECT_NE(c.text.find("v1 = x1[c0 * s1_0 + c1 * s1_1];"), std::string::npos) << c.text;
}

TEST(Dialects, CombineElementsInTheirWords)
{
    EXPECT_EQ(every::reduction(ReduceKind::Sum, DType::Float32, false, false, Dialect::CudaC).text, R"(typedef long long i64;
typedef unsigned long long u64;

extern "C" __global__ void croton_kernel_0(const float *x0, float *y0, i64 s0_0, i64 s0_1, i64 m, i64 parts, i64 n)
{
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 o = i / parts;
        const i64 p = i % parts;
        const i64 c0 = o;
        double a = 0x0p+0;
#pragma unroll 8
        for (i64 j = p; j < m; j += parts) {
            const i64 c1 = j;
            const float v0 = x0[c0 * s0_0 + c1 * s0_1];
            const float v1 = v0;
            const double e = (double)v1;
            a = a + e;
        }
        y0[i] = (float)a;
    }
}
)");
    const std::string across = every::reduction(ReduceKind::Max, DType::Int8, true, true, Dialect::OpenClC).text;
    EXPECT_NE(across.find("i64 a = (-9223372036854775807 - 1);"), std::string::npos) << across;
    EXPECT_NE(across.find("__global i64 *y0"), std::string::npos) << "parts are registers: " << across;
}

TEST(Dialects, TakeWhatTheyCallFromTheLibrary)
{
    const std::string text = libraryOf(Dialect::OpenClC, "th_gammaincf(x, y)");
    for (const char *name :
         {"FN double th_gammaSeries(", "FN double th_gammaUniform(", "FN float th_gammaincf(float x, float y)", "#define th_lgamma lgamma"})
        EXPECT_NE(text.find(name), std::string::npos) << name << " in\n" << text;
    EXPECT_EQ(text.find("th_jv"), std::string::npos) << "nothing that is not called";
    EXPECT_LT(text.find("FN double th_gammaFactor("), text.find("FN double th_gammaSeries(")) << "before who calls it";
    EXPECT_EQ(libraryOf(Dialect::CudaC, "th_erfinvf(x)"), "#define th_erfinvf erfinvf\n");
    EXPECT_EQ(libraryOf(Dialect::OpenClC, "th_erff(th_erf(x))"), "#define th_erff erf\n#define th_erf erf\n");
}

TEST(Dialects, EveryFunctionHasAText)
{
    for (Dialect dialect : {Dialect::CudaC, Dialect::OpenClC})
        for (DType dtype : every::kRealTypes) EXPECT_TRUE(every::kernelOf(every::of(dtype), dtype, dialect).math.empty()) << nameOf(dtype);
}

TEST(Dialects, ComplexNumbersAreRefusedWithTheReason)
{
    const DType types[] = {DType::Complex64};
    EXPECT_EQ(deviceProblem(ScalarProgram(scalarOp(ScalarCode::Exp), types, types)), "kernels of devices have no complex numbers");
    const DType reals[] = {DType::Float64};
    EXPECT_EQ(deviceProblem(ScalarProgram(scalarOp(ScalarCode::Exp), reals, reals)), "");
}

class CudaTexts : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaTexts,
                         testing::Values(DType::Bool, DType::Int8, DType::Int64, DType::UInt64, DType::Float16, DType::Float32,
                                         DType::Float64),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

TEST_P(CudaTexts, Compile)
{
    static const Nvrtc nvrtc;
    if (!nvrtc.isThere()) GTEST_SKIP() << "there is no NVRTC (libnvrtc.so)";
    const KernelSource source = every::kernelOf(every::of(GetParam()), GetParam(), Dialect::CudaC);
    EXPECT_EQ(nvrtc.compile(source.text, "compute_75"), "") << source.text;
    if (isContinuous(GetParam())) {
        EXPECT_EQ(nvrtc.compile(source.text, "sm_90"), "") << source.text;
    }
}

TEST(CudaTexts, ReductionsCompile)
{
    const Nvrtc nvrtc;
    if (!nvrtc.isThere()) GTEST_SKIP() << "there is no NVRTC (libnvrtc.so)";
    for (DType dtype : every::kRealTypes)
        for (ReduceKind kind : every::kReductions) {
            const KernelSource one = every::reduction(kind, dtype, kind == ReduceKind::Min, kind == ReduceKind::Prod, Dialect::CudaC);
            EXPECT_EQ(nvrtc.compile(one.text, "compute_75"), "") << one.text;
        }
}

TEST(CudaTexts, StridedOnesCompileAndFaultsAreSeen)
{
    const Nvrtc nvrtc;
    if (!nvrtc.isThere()) GTEST_SKIP() << "there is no NVRTC (libnvrtc.so)";
    EXPECT_EQ(nvrtc.compile(every::smallKernel(DType::Float32, {kStrided, kSingle, kStrided}, 3, Dialect::CudaC).text, "sm_90"), "");
    EXPECT_NE(nvrtc.compile("nonsense", "sm_90"), "");
}

} // namespace
