// What a Function keeps, and the work on it: compiling, planning, inputs, calling, stages, memory, errors, one file each.
#pragma once

#include "engine/compile/debug_mode.h"
#include "engine/compile/function.h"
#include "engine/compile/later_errors.h"
#include "engine/compile/observer.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/plan.h"
#include "engine/runtime/size_checks.h"
#include "engine/runtime/stages.h"
#include "engine/tensor/sizes.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace liveness {
struct Schedule;
}

namespace engine {

/// A stage and the plans that were made for it.
struct PlannedStage {
    Stage stage;
    std::vector<std::unique_ptr<Plan>> plans; // most recent first
    std::uint32_t plansMade = 0;
    std::vector<View> views; // of its inputs, in the call at hand

    /// The plan of the last call, null before the first.
    Plan *last() const { return plans.empty() ? nullptr : plans.front().get(); }
};

/// A value that goes from step to step: those of the inputs of the graph first.
enum class ValueId : std::int32_t {};
inline constexpr ValueId kNoValue{-1};
using StepValues = Indexed<ValueId, Value>;

/// One step of a function of several stages: a stage, or an apply that runs by itself.
struct FunctionStep {
    StageId stage = kNoStage;
    ApplyId apply = kNoApply;
    std::size_t first = 0;                     ///< position in the order
    BranchId branch = kAlways;                 ///< that the apply is part of
    std::vector<ValueId> reads;                ///< by input of the stage or the apply; none: a constant
    std::vector<ValueId> makes;                ///< by output
    std::vector<ValueId> drops;                ///< that nobody needs afterwards
    std::vector<Type> inputTypes, outputTypes; ///< of an apply that runs by itself
    std::uint64_t deviceTag = 0;               ///< names what it has devices do
};

/// What the memory view has to know of a value that no plan laid out.
struct FoundArray {
    DType dtype = DType::Float64;
    Dims shape, strides;
    ValueId sharesWith = kNoValue; ///< the value whose memory it is or looks into
};

/// Where an input of a call lies, and whose that is.
struct InputMemory {
    /// No storage: a caller's array.
    InputMemory(const View &view, const Storage *storage);
    const char *begin = nullptr, *end = nullptr;
    std::size_t group = 0, groupEnd = 0; ///< places in State::byPlace of those it may meet
    Memory memory;
    bool isEndangered = false;
};

struct SizedTask;

struct Function::State {
    std::uint32_t id = 0;
    Function *self = nullptr;
    FunctionSpec spec;
    std::unique_ptr<FunctionGraph> graph;
    /// Traced when somebody asks for it: errors and recording do, most functions never.
    const Lineage &lineage();
    RewriteReport rewrites;
    std::vector<ApplyId> order;
    CompileTimes times;
    FunctionStatistics statistics;
    std::vector<std::string> warnings;
    std::vector<std::pair<ApplyId, std::shared_ptr<Function>>> nested;
    NestedCall callNested;
    bool onlyTensors = true;
    bool onlyArrays = true; // of the host or of devices

    // Shared inputs, in the order of graph.inputs() after the explicit ones.
    std::vector<std::shared_ptr<Container>> shared;
    std::vector<VarRef> sharedVars;
    std::vector<Tensor> sharedNow;      ///< within a call: other threads may set the variables meanwhile
    std::vector<std::size_t> destroyed; ///< inputs of the graph that applies overwrite
    bool hasTwins = false;              ///< two shared inputs with one container
    // Of the call at hand, where inputs are destroyed.
    std::vector<InputMemory> inputMemory; ///< of the inputs of the graph
    std::vector<std::size_t> byPlace, endangered;
    std::vector<Tensor> copiedNow; ///< what it overwrites in place of a caller's array
    // Updates: output i + outputCount goes into target[i]; its input index if the graph reads it, else -1.
    std::vector<std::shared_ptr<Container>> targets;
    std::vector<int> targetInput;

    std::unique_ptr<DebugRun> debug;        ///< null: not in DebugMode
    bool toldRight = false;                 ///< the observer has heard that it compares well
    std::unique_ptr<SizeChecks> sizeChecks; ///< null: nothing was taken away that could not fit
    std::vector<std::int64_t> checkedSizes; ///< of the inputs, the last time; in functions of several stages
    Indexed<StageId, PlannedStage> stages;
    bool isWhole = false; ///< one stage, from the inputs of the graph to its outputs: runs without steps
    BranchList branches;  // of choices: which applies run
    std::vector<FunctionStep> steps;
    Indexed<ValueId, VarId> valueVars;
    std::unordered_map<std::uint32_t, ValueId> valueOfVar;
    bool kernelsSwapped = false; ///< within the last call
    // The plan of a loop over independent steps again, for other threads.
    std::uint32_t twinsOf = 0; ///< its serial
    std::vector<std::unique_ptr<Plan>> twins;
    // Of the last call, where applies are counted: by value, and which plans have run together.
    Indexed<ValueId, FoundArray> found;
    std::vector<std::pair<std::vector<std::int64_t>, std::uint32_t>> combinations; // most recent first
    std::uint32_t combinationsMade = 0;
    std::vector<Tensor> updateValues;

    // Guarded by `busy`: everything that a call changes.
    std::atomic<std::uint32_t> busy{0};     ///< 0: free; else one more than the forks so far, when it was taken
    std::atomic<std::uint32_t> sleepers{0}; ///< threads that wait for `busy`
    std::atomic<std::thread::id> runner{};
    std::unique_ptr<std::once_flag> lineageTraced = std::make_unique<std::once_flag>();
    Lineage tracedLineage;
    std::unique_ptr<LaterErrors> later; ///< goes before all that it shows; null: nothing may be found

    void lock();
    /// False: it is held for longer than a second, or by a thread that is not in this process.
    bool lockSoon();
    void unlock();
    /// Does a call of this thread hold it?
    bool isOurs() const
    {
        return busy.load(std::memory_order_relaxed) && runner.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }
    /// Holds the function for a while.
    class Hold {
    public:
        explicit Hold(State &state) : m_state(state) { m_state.lock(); }
        ~Hold() { m_state.unlock(); }
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;

    private:
        State &m_state;
        RunBy m_by{m_state.spec.mode.linker};
    };

    /// Looks at plans while no call of another thread changes them: false if one is under way for longer than it is worth to wait.
    class Look {
    public:
        explicit Look(State &state) : m_state(state), m_mustUnlock(!state.isOurs()), m_isSafe(!m_mustUnlock || state.lockSoon()) {}
        ~Look()
        {
            if (m_mustUnlock && m_isSafe) m_state.unlock();
        }
        Look(const Look &) = delete;
        Look &operator=(const Look &) = delete;
        explicit operator bool() const { return m_isSafe; }

    private:
        State &m_state;
        bool m_mustUnlock, m_isSafe;
    };

    // function_compile.cpp
    void buildGraph();
    void noteUpdates();
    void rewrite(CompileObserver *observer);
    void link();
    void tellOfCache();
    void compileNested();
    // function_plan.cpp
    void checkPattern(const PlannedStage &planned) const;
    Plan &planFor(PlannedStage &planned);
    /// True: a kernel has taken over from the interpreter.
    bool takeKernels(Plan &plan);
    bool compiles() const;
    bool hasCompiler();
    // function_errors.cpp
    /// `step`, which lays out memory for a stage; where it fails, the apply that does not fit is named.
    template <class Step>
    decltype(auto) blamed(const PlannedStage &planned, Step step)
    {
        try {
            return step();
        } catch (const ShapeMismatch &) {
            blame(planned);
            throw;
        } catch (const OutOfDeviceMemory &error) {
            reportOutOfMemory(planned, error);
            throw;
        } catch (const TooLarge &error) {
            reportOutOfMemory(planned, error);
            throw;
        }
    }
    void blame(const PlannedStage &planned);
    /// Throws an error that names the buffers, with shape, dtype and line, for which the device or the host has no memory.
    void reportOutOfMemory(const PlannedStage &planned, const std::exception &error);
    void checkSizes(std::span<const View> inputs);
    /// `ran`: how many applies may have run.
    [[noreturn]] void fail(const std::exception &error, const ApplyFailure &failure, std::size_t ran);
    /// Devices may find something wrong with the work of that name, and tell later.
    void expectLater(std::uint64_t tag, ApplyFailure failure);
    // function_inputs.cpp
    void findDestroyed();
    /// Is all that is destroyed the value of a shared variable that nobody else holds? `sharedNow` is filled.
    bool isDestroyedOurs() const;
    void groupMemory();
    /// Those of `destroyed` whose memory is read-only, or meets itself or another input; `inputMemory` is filled.
    const std::vector<std::size_t> &findEndangered(std::span<const View> inputs);
    // function_call.cpp
    void gatherShared(std::span<const View> inputs);
    void checkDevices(std::span<const Value> inputs) const;
    void beginTrace();
    void unbind(Plan &plan, bool keepsArena); // after its work
    Tensor owned(Tensor borrowed, VarId root) const;
    void takeOutputs(const Plan &plan, std::vector<Tensor> &outputs) const;
    void storeUpdates(Plan &plan);
    void execute(const Stage &stage, Plan &plan);
    void runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs);
    // function_stages.cpp
    void linkSteps(std::span<const StagedOrder::Step> order);
    void copyEndangered(std::span<Value> inputs);
    void checkSizesOf(std::span<const Value> values);
    void runStages(std::span<const Value> inputs, std::vector<Value> &outputs);
    void runStage(const FunctionStep &step, StepValues &values);
    void runAlone(const FunctionStep &step, StepValues &values);
    std::vector<Value> resultsOf(const StepValues &values) const;
    // function_debug.cpp
    /// Rewriting again takes the same steps: else results depend on chance.
    void checkRepeats(Function &function);
    /// Runs all checks on these values of the explicit inputs; what the outputs have to be.
    std::vector<Value> checked(Function &function, std::span<const Value> inputs);
    void compareWith(Function &function, std::span<const Value> expected, std::span<const Value> outputs);
    // function_memory.cpp
    std::uint32_t combinationOfPlans();
    std::vector<BufferInfo> buffersOfStages() const;
    std::size_t arenaBytes() const;
    std::size_t workBytes() const;
    // function_budget.cpp
    void checkBudgetCanBeKept();
    std::int64_t besidePlan(const Plan &plan) const;
    /// The plan of the stage, made to fit where there is a budget. Throws OutOfBudget where none does.
    Plan &withinBudget(PlannedStage &planned);
    void takeSchedule(PlannedStage &planned, const SizedTask &sized, const liveness::Schedule &schedule);
};

} // namespace engine
