// Which rewrites run, and what happens when one fails.
#pragma once

#include "engine/device/device.h"

#include <string>
#include <vector>

namespace engine {

enum class OptimizerLevel { None, Merge, FastCompile, FastRun };
enum class OnRewriteError { Warn, Raise, Ignore };

struct Optimizer {
    OptimizerLevel level = OptimizerLevel::FastRun;
    std::vector<std::string> including; ///< tags or rewrite names
    std::vector<std::string> excluding;
    OnRewriteError onRewriteError = OnRewriteError::Warn; ///< unless it raises, a rewrite that fails is skipped
    DeviceId device = chosenDevice();                     ///< does what it can
    double firingsANode = 8;                              ///< how often a rewrite may fire in a pass, for each apply that it began with
};

} // namespace engine
