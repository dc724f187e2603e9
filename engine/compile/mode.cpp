#include "engine/compile/mode.h"

#include "engine/tensor/errors.h"

namespace engine {

Mode Mode::named(const std::string &name)
{
    Mode mode;
    mode.name = name;
    if (name == "FAST_RUN" || name == "Mode" || name == "ProfileMode" || name == "fast_run" || name == "NanGuardMode" ||
        name == "DebugMode" || name == "DEBUG_MODE")
        mode.level = OptimizerLevel::FastRun;
    else if (name == "FAST_COMPILE" || name == "fast_compile") mode.level = OptimizerLevel::FastCompile;
    else if (name == "merge") mode.level = OptimizerLevel::Merge;
    else if (name == "None" || name == "none") mode.level = OptimizerLevel::None;
    else
        throw UserError("there is no mode '" + name + "'",
                        "the modes are FAST_RUN, FAST_COMPILE, DebugMode, NanGuardMode, ProfileMode and None");
    if (name == "DebugMode" || name == "DEBUG_MODE") mode.debug = DebugChecks{};
    return mode;
}

} // namespace engine
