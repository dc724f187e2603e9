// How a function is compiled: which rewrites, which checks, which tier.
#pragma once

#include "engine/rewrite/machine/optimizer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Theano's words for what executes the applies.
enum class Linker : std::uint8_t { Cvm, CvmNogc, Vm, VmNogc, CPy, CPyNogc, C, Py };
std::string_view nameOf(Linker linker); ///< "c|py_nogc"
/// Throws UserError naming the known ones.
Linker linkerNamed(std::string_view name);
/// Does compiled code take the interpreter's place?
bool compilesKernels(Linker linker);

/// Does the function that this thread runs compile what it runs? Of functions within functions the outermost one counts; outside of
/// functions it is so.
bool isRunCompiled();
/// Says so while it lives.
class RunBy {
public:
    explicit RunBy(Linker linker);
    ~RunBy();
    RunBy(const RunBy &) = delete;
    RunBy &operator=(const RunBy &) = delete;
};

/// What an op is given for its outputs beside nothing at all: what the call before left there, what it just gave, other memory of the
/// right size, with other strides, of another size.
enum class OutputMemory : std::uint8_t { Initial, Previous, Contiguous, Fortran, Strided, WrongSize };
std::string_view nameOf(OutputMemory memory); ///< Theano's words: "f_contiguous"
/// "previous:strided", or ALL. Throws UserError naming the known ones.
std::vector<OutputMemory> outputMemoryNamed(std::string_view names);

enum class OnStrides : std::uint8_t { Ignore, Warn, Raise };

/// What DebugMode does beside running a function.
struct DebugChecks {
    bool interpreted = true; ///< runs the interpreter beside compiled kernels, and ops of the host language twice
    bool compiled = true;    ///< runs compiled kernels beside the interpreter
    bool finite = true;      ///< refuses NaN and infinity
    int patience = 2;        ///< how often the graph is rewritten to find what depends on chance
    std::vector<OutputMemory> outputs;
    int outputRank = 4;                            ///< strides and wrong sizes are tried up to this many axes
    OnStrides strides = OnStrides::Ignore;         ///< an op of the host language gives other strides when it runs again
    std::function<void(const std::string &)> warn; ///< where warnings go
};

// For Mode::memoryBudget: whatever it takes; the order of least peak; the least that is found, with values that are computed again.
constexpr std::int64_t kNoMemoryBudget = -1, kLeastPeakOrder = -2, kLeastMemory = -3;
/// "" or "none", "order", "least", or a size: "200MB". Throws UserError for other words.
std::int64_t memoryBudgetNamed(std::string_view text);

struct Mode : Optimizer {
    std::string name = "FAST_RUN";
    Linker linker = Linker::Cvm;
    bool allowGc = true;
    /// What a call may take, in bytes; or one of the words below.
    std::int64_t memoryBudget = kNoMemoryBudget;

    std::optional<DebugChecks> debug; ///< DebugMode

    /// By name: FAST_RUN, FAST_COMPILE, Mode, None …; throws UserError naming the known ones.
    static Mode named(const std::string &name);
};

} // namespace engine
