#include "profiler/stats/times/whole_run.h"

#include <algorithm>

namespace profiler {

WholeRun wholeRun(const ProfileData &data)
{
    WholeRun run;
    run.durationNs = data.info.durationNs;
    run.gradNs = data.info.gradNs;
    for (const FunctionInfo &function : data.functions) {
        run.callNs += function.run.totalNs;
        run.compileNs += function.compile.totalNs;
    }
    run.pythonNs = std::max<std::int64_t>(0, run.durationNs - run.callNs - run.compileNs - run.gradNs);
    return run;
}

} // namespace profiler
