// Hooks for whoever wants to record what the engine does. The engine itself prints and stores nothing.
#pragma once

#include "engine/compile/debug/differences.h"
#include "engine/graph/ir/function_graph.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace engine {

class Function;
struct FunctionSpec;
struct PassReport;

struct CheckReport {
    const char *kind = ""; ///< value, destroy map, view map, nan, order
    bool passed = false;
    std::string text;
    ApplyId apply = kNoApply;
    std::size_t step = 0; ///< of the journal, from 1 on; 0: none
    Difference largest{}; ///< of values
};

/// Called on the compiling thread. Default: ignore.
class CompileObserver {
public:
    virtual ~CompileObserver() = default;
    virtual void compileStarted(std::uint32_t functionId, const FunctionSpec &spec, const FunctionGraph &original)
    {
        (void)functionId, (void)spec, (void)original;
    }
    virtual void passFinished(std::uint32_t functionId, const FunctionGraph &graph, const PassReport &report)
    {
        (void)functionId, (void)graph, (void)report;
    }
    virtual void compileFinished(Function &function) { (void)function; }
    /// exchange() changes the order, the graph and the counters of a compiled function: nobody may read them meanwhile.
    virtual void exchangeOrder(std::uint32_t functionId, const std::function<void()> &exchange) { (void)functionId, exchange(); }
    /// After that: it runs in another order, and some applies run again.
    virtual void rescheduled(Function &function) { (void)function; }
    virtual void compileFailed(std::uint32_t functionId, const std::string &message) { (void)functionId, (void)message; }
};

/// Called on the calling thread; keep it short.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    /// Functions compiled from now on keep per-apply times even if they did not ask for a profile.
    virtual bool wantsApplyTimes() const { return false; }
    virtual void callStarted(Function &function) { (void)function; }
    /// Asked before each call of a function that is not the body of a loop: whoever says yes is given its values, what that takes is
    /// not in the time of the call.
    virtual bool wantsValues(const Function &function)
    {
        (void)function;
        return false;
    }
    /// Of the explicit inputs, before the call; shared variables hold what they held before it.
    virtual void callGiven(Function &function, std::span<const Value> inputs) { (void)function, (void)inputs; }
    /// After callFinished() of the same call, on the same thread: its outputs; updates are stored.
    virtual void callReturned(Function &function, std::span<const Value> outputs) { (void)function, (void)outputs; }
    /// `startTicks`: when it began, by ticks().
    virtual void callFinished(Function &function, std::uint64_t startTicks, std::uint64_t spentTicks)
    {
        (void)function, (void)startTicks, (void)spentTicks;
    }
    virtual void callFailed(Function &function, const std::string &message) { (void)function, (void)message; }
    /// DebugMode held something against what was promised; told once where it is kept.
    virtual void checked(Function &function, const CheckReport &report) { (void)function, (void)report; }
    virtual void functionDropped(Function &function) { (void)function; }
};

/// Set once, before the first function is compiled; null switches off.
void setCompileObserver(CompileObserver *observer);
void setRunObserver(RunObserver *observer);
CompileObserver *compileObserver();
RunObserver *runObserver();

} // namespace engine
