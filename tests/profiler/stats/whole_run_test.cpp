#include "profiler/stats/times/whole_run.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

TEST(WholeRun, WhatIsInNoFunctionHasAPart)
{
    ProfileData data;
    data.info.durationNs = 2'100;
    data.info.gradNs = 40;
    for (const std::int64_t ns : {700, 60}) {
        FunctionInfo function;
        function.run.totalNs = ns;
        function.compile.totalNs = 250;
        data.functions.push_back(function);
    }
    const WholeRun run = wholeRun(data);
    EXPECT_EQ(run.callNs, 760);
    EXPECT_EQ(run.compileNs, 500);
    EXPECT_EQ(run.pythonNs, 2'100 - 760 - 500 - 40);
    EXPECT_EQ(run.callNs + run.outsideNs(), run.durationNs);
    data.info.durationNs = 100; // cut off before it said how long it was
    EXPECT_EQ(wholeRun(data).pythonNs, 0);
}

} // namespace
} // namespace profiler
