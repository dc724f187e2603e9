// How a function is compiled: which rewrites, which checks, which tier.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace engine {

enum class OptimizerLevel { None, Merge, FastCompile, FastRun };
enum class OnRewriteError { Warn, Raise, Ignore };

/// What DebugMode does beside running a function.
struct DebugChecks {
    bool interpreted = true; ///< runs the interpreter beside compiled kernels, and ops of the host language twice
    bool compiled = true;    ///< runs compiled kernels beside the interpreter
    bool finite = true;      ///< refuses NaN and infinity
    int patience = 2;        ///< how often the graph is rewritten to find what depends on chance
};

struct Mode {
    std::string name = "FAST_RUN";
    OptimizerLevel level = OptimizerLevel::FastRun;
    std::string linker = "cvm";
    std::vector<std::string> including; ///< tags or rewrite names
    std::vector<std::string> excluding;
    bool allowGc = true;
    OnRewriteError onRewriteError = OnRewriteError::Warn; ///< unless it raises, a rewrite that fails is skipped
    double firingsANode = 8; ///< how often a rewrite may fire in a pass, for each apply that it began with

    std::optional<DebugChecks> debug; ///< DebugMode

    /// By name: FAST_RUN, FAST_COMPILE, Mode, None …; throws UserError naming the known ones.
    static Mode named(const std::string &name);
};

} // namespace engine
