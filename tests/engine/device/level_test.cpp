// Run with CROTON_CPU_LEVEL=v2: all that computes goes by it.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/one_dnn.h"
#include "engine/rt/rt.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace engine;

namespace {

TEST(Level, isFollowedByLoopsKernelsAndBlas)
{
#if !defined(__x86_64__)
    GTEST_SKIP() << "levels are x86-64's";
#endif
    EXPECT_STREQ(rt_table()->level, "x86-64-v2");
    EXPECT_EQ(blas().core, "Nehalem");
    EXPECT_EQ(blas().lapackCore, "Nehalem");
    EXPECT_EQ(oneDnn(), nullptr);
    if (compiler().path.empty()) GTEST_SKIP() << compiler().reason;
    const auto &flags = compiler().flags;
    EXPECT_NE(std::find(flags.begin(), flags.end(), "-march=x86-64-v2"), flags.end());
    EXPECT_NE(compiler().identity.find("-march=x86-64-v2"), std::string::npos);
    // What is compiled for a level serves every processor that has it.
    EXPECT_EQ(compiler().identity.find("model name"), std::string::npos);
}

} // namespace
