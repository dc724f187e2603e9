// What is chosen for processors and settings that this machine need not have.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/lapack.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

#if defined(__x86_64__)

TEST(CpuLevel, isTheBestUnlessOneIsNamed)
{
    EXPECT_STREQ(rt_choose_cpu_level(nullptr, "x86-64-v3").name, "x86-64-v3");
    EXPECT_FALSE(rt_choose_cpu_level("", "x86-64-v3").isChosen);
    const RtCpuLevel older = rt_choose_cpu_level("v2", "x86-64-v3");
    EXPECT_STREQ(older.name, "x86-64-v2");
    EXPECT_TRUE(older.isChosen);
    EXPECT_STREQ(older.problem, "");
}

TEST(CpuLevel, thatIsMissingIsRefusedInASentence)
{
    EXPECT_STREQ(
        rt_choose_cpu_level("v4", "x86-64-v3").problem,
        "CROTON_CPU_LEVEL=v4 asks for instructions that this processor lacks: it runs v3 at most; unset it, or choose a lower one");
    EXPECT_STREQ(rt_choose_cpu_level("avx2", "x86-64-v3").problem,
                 "CROTON_CPU_LEVEL=avx2 is no level of this kind of processor: unset it, or choose one of v2 to v3");
    EXPECT_STREQ(rt_choose_cpu_level("v4", "x86-64-v3").name, "x86-64-v3");
}

TEST(BlasCores, goByWhatTheProcessorCanDo)
{
    const RtCpuLevel v2{"x86-64-v2", false, ""}, v3{"x86-64-v3", false, ""}, v4{"x86-64-v4", false, ""};
    const auto products = [](const RtCpuLevel &level, BlasReach reach) {
        return std::string(chooseBlasCores(nullptr, level, reach, false).products);
    };
    EXPECT_EQ(products(v2, BlasReach::Sse3), "Prescott");
    EXPECT_EQ(products(v2, BlasReach::Sse42), "Nehalem");
    EXPECT_EQ(products(v2, BlasReach::Avx), "Sandybridge");
    EXPECT_EQ(products(v3, BlasReach::Avx2), "Haswell");
    EXPECT_EQ(products(v4, BlasReach::Avx512), "SkylakeX");
    // A level that was named means the same everywhere.
    for (const BlasReach reach : {BlasReach::Sse42, BlasReach::Avx, BlasReach::Avx512})
        for (const bool isAmd : {false, true}) {
            EXPECT_STREQ(chooseBlasCores(nullptr, {"x86-64-v2", true, ""}, reach, isAmd).products, "Nehalem");
            EXPECT_STREQ(chooseBlasCores(nullptr, {"x86-64-v4", true, ""}, BlasReach::Avx512, isAmd).lapack, "SkylakeX");
        }
}

TEST(BlasCores, canBeNamed)
{
    const RtCpuLevel v3{"x86-64-v3", false, ""};
    const BlasCores older = chooseBlasCores("Sandybridge", v3, BlasReach::Avx2, false);
    EXPECT_STREQ(older.products, "Sandybridge");
    EXPECT_STREQ(older.lapack, "Sandybridge");
    EXPECT_TRUE(older.isChosen);
    const BlasCores newer = chooseBlasCores("SkylakeX", v3, BlasReach::Avx2, false);
    EXPECT_STREQ(newer.problem,
                 "CROTON_BLAS_CORE=SkylakeX uses instructions that this processor lacks: unset it, or choose one of Prescott to Haswell");
    EXPECT_STREQ(newer.products, "Haswell");
    EXPECT_STREQ(chooseBlasCores("P4", v3, BlasReach::Avx2, false).problem,
                 "CROTON_BLAS_CORE=P4 is no core: unset it, or choose one of Prescott, Nehalem, Sandybridge, Haswell, SkylakeX");
}

#endif

template <class T>
void solves(T tolerance)
{
    // Column by column: the columns are (4, 2) and (1, 3), then a matrix that is its own transpose.
    T a[] = {4, 2, 1, 3}, x[] = {9, 17};
    int pivots[2];
    EXPECT_EQ(lapack::gesv(2, 1, a, 2, pivots, x, 2), 0);
    EXPECT_NEAR(x[0], T(1), tolerance);
    EXPECT_NEAR(x[1], T(5), tolerance);
    T definite[] = {4, 2, 2, 10};
    EXPECT_EQ(lapack::potrf(true, 2, definite), 0);
    EXPECT_NEAR(definite[0], T(2), tolerance);
    EXPECT_NEAR(definite[1], T(1), tolerance);
    EXPECT_NEAR(definite[3], T(3), tolerance);
}

TEST(Lapack, solvesAndFactors)
{
    solves<float>(1e-5f);
    solves<double>(1e-12);
}

} // namespace
