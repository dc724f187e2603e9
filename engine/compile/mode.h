// How a function is compiled: which rewrites, which checks, which tier.
#pragma once

#include "engine/rewrite/optimizer.h"

#include <optional>
#include <string>

namespace engine {

/// What DebugMode does beside running a function.
struct DebugChecks {
    bool interpreted = true; ///< runs the interpreter beside compiled kernels, and ops of the host language twice
    bool compiled = true;    ///< runs compiled kernels beside the interpreter
    bool finite = true;      ///< refuses NaN and infinity
    int patience = 2;        ///< how often the graph is rewritten to find what depends on chance
};

struct Mode : Optimizer {
    std::string name = "FAST_RUN";
    std::string linker = "cvm";
    bool allowGc = true;

    std::optional<DebugChecks> debug; ///< DebugMode

    /// By name: FAST_RUN, FAST_COMPILE, Mode, None …; throws UserError naming the known ones.
    static Mode named(const std::string &name);
};

} // namespace engine
