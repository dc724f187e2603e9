// What a Function keeps: what was compiled, the plans for its calls, and what looks in from outside. What is of one call is in
// call_frame.h.
#pragma once

#include "engine/compile/debug/debug_mode.h"
#include "engine/compile/function/compiled_graph.h"
#include "engine/compile/function/endangered_inputs.h"
#include "engine/compile/function/function_errors.h"
#include "engine/compile/function/function_lock.h"
#include "engine/compile/function/plan_cache.h"
#include "engine/compile/function/stage_memory.h"
#include "engine/runtime/plan/interpreter.h"

#include <vector>

namespace liveness {
struct Schedule;
}

namespace engine {

struct SizedTask;

/// Room that a call takes over from the one before, so that a call of few operands allocates nothing for them. Empty between calls.
struct CallRoom {
    std::vector<View> views;          ///< of the inputs of the stage that runs
    std::vector<Tensor> shared;       ///< values of shared inputs: other threads may set the variables meanwhile
    std::vector<Tensor> copies;       ///< what it overwrites in place of a caller's array
    std::vector<Tensor> updateValues; ///< before they are stored
    EndangeredInputs endangered;
};

/// DebugMode around calls.
class DebugCalls {
public:
    DebugCalls(CompiledGraph &compiled, bool kernels);
    /// Rewriting again takes the same steps: else results depend on chance.
    void checkRepeats(Function &function) const;
    /// Runs all checks on these values of the explicit inputs; what the outputs have to be.
    std::vector<Value> expected(Function &function, const FunctionErrors &errors, std::span<const Value> inputs);
    void compare(Function &function, std::span<const Value> expected, std::span<const Value> outputs);

private:
    const CompiledGraph &m_compiled;
    DebugRun m_run;
    bool m_toldRight = false; // the observer has heard that it compares well
};

struct Function::State {
    explicit State(Function &function) : self(function) {}

    Function &self;
    CompiledGraph compiled;
    FunctionStatistics statistics;
    StageMemory stageMemory;
    CallRoom room;
    bool kernelsSwapped = false;       ///< within the last call of several stages
    std::unique_ptr<DebugCalls> debug; ///< null: not in DebugMode
    FunctionLock lock;                 ///< of everything that a call changes
    PlanCache plans{compiled, errors};
    FunctionErrors errors{compiled}; ///< declared last, so that it is destroyed before everything that it refers to

    /// Holds the function for a while.
    class Hold {
    public:
        explicit Hold(State &state) : m_lock(state.lock), m_by{state.compiled.spec.mode.linker} { m_lock.lock(state.compiled.spec.name); }
        ~Hold() { m_lock.unlock(); }
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;

    private:
        FunctionLock &m_lock;
        RunBy m_by;
    };

    /// Looks at plans while no call of another thread changes them: false if one is under way for longer than it is worth to wait.
    class Look {
    public:
        explicit Look(State &state) : m_lock(state.lock), m_mustUnlock(!m_lock.isOurs()), m_isSafe(!m_mustUnlock || m_lock.lockSoon()) {}
        ~Look()
        {
            if (m_mustUnlock && m_isSafe) m_lock.unlock();
        }
        Look(const Look &) = delete;
        Look &operator=(const Look &) = delete;
        explicit operator bool() const { return m_isSafe; }

    private:
        FunctionLock &m_lock;
        bool m_mustUnlock, m_isSafe;
    };

    void link();
    std::size_t workBytes() const;
    // function_budget.cpp
    void checkBudgetCanBeKept();
    /// The plan of the last call, made to fit where there is a budget. Throws OutOfBudget where none does.
    Plan &withinBudget(std::span<const View> views);

private:
    std::int64_t besidePlan(const Plan &plan) const;
    void takeSchedule(PlannedStage &planned, const SizedTask &sized, const liveness::Schedule &schedule);
};

} // namespace engine
