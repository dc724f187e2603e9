// What rewriting did and did not do: counts, times, reasons, "why not?".
#pragma once

#include "engine/rewrite/machine/why_not.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

struct DeclineSample {
    ApplyId apply = kNoApply;
    std::string_view reason;
    ApplyId because = kNoApply;
};

/// Of one rewrite through all passes.
struct RewriteCounts {
    const RewriteInfo *info = nullptr;
    std::uint64_t tried = 0;
    std::uint64_t fired = 0;
    std::uint64_t failed = 0;      ///< threw, or made what does not fit
    std::uint64_t nanoseconds = 0; ///< firings are timed, declines estimated from every 16th
    std::uint64_t nodesCreated = 0;
    std::vector<std::pair<std::string_view, std::uint64_t>> declines; ///< by reason, in order of appearance
    std::vector<DeclineSample> samples;                               ///< the first 20 declines
};

/// A pass that ended.
struct PassReport {
    std::string_view phase, pass;
    std::size_t firstStep = 0; ///< of the journal
    std::size_t lastStep = 0;  ///< one past the end
    std::uint64_t nanoseconds = 0;
    std::uint64_t validateNs = 0; ///< of them: may what is overwritten be overwritten?
    bool isEquilibrium = false;   ///< over the applies until nothing changes; else each rewrite once over the graph
    std::uint32_t sweeps = 0;     ///< of an equilibrium
};

struct RewriteReport {
    std::vector<PassReport> passes;
    std::vector<RewriteCounts> rewrites;      ///< those that were tried, in the registry's order
    std::shared_ptr<const WhyNotBook> whyNot; ///< null where nobody asked for it
    std::vector<std::string> warnings;        ///< what did not settle, what failed
    std::uint64_t nanoseconds = 0;
};

} // namespace engine
