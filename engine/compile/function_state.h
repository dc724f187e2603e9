// What a Function keeps, and the work on it: compiling, planning, calling, errors, one file each.
#pragma once

#include "engine/compile/function.h"
#include "engine/compile/observer.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/order.h"
#include "engine/runtime/plan.h"

#include <atomic>
#include <mutex>
#include <thread>

namespace engine {

struct Function::State {
    std::uint32_t id = 0;
    FunctionSpec spec;
    std::unique_ptr<FunctionGraph> graph;
    /// Traced when somebody asks for it: errors and recording do, most functions never.
    const Lineage &lineage();
    RewriteReport rewrites;
    std::vector<ApplyId> order;
    std::vector<OrderedGroup> groups;
    CompileTimes times;
    FunctionStatistics statistics;
    std::vector<std::string> warnings;
    std::vector<std::pair<ApplyId, std::shared_ptr<Function>>> nested;
    NestedCall callNested;
    bool onlyTensors = true;

    // Shared inputs, in the order of graph.inputs() after the explicit ones.
    std::vector<std::shared_ptr<Container>> shared;
    std::vector<VarRef> sharedVars;
    // Updates: output i + outputCount goes into target[i]; its input index if the graph reads it, else -1.
    std::vector<std::shared_ptr<Container>> targets;
    std::vector<int> targetInput;

    std::unique_ptr<ShapeProgram> shapes;
    std::vector<std::unique_ptr<Plan>> plans; // most recent first
    std::uint32_t plansMade = 0;
    std::vector<View> views;
    std::vector<Tensor> updateValues;
    std::vector<CachedThunk> cachedThunks; // of the interpreter, by position in the order

    // Guarded by `busy`: everything that a call changes.
    std::atomic<bool> busy{false};
    std::atomic<std::thread::id> runner{};
    std::once_flag lineageTraced;
    Lineage tracedLineage;

    void lock();
    void unlock();
    /// Holds the function for a while.
    class Hold {
    public:
        explicit Hold(State &state) : m_state(state) { m_state.lock(); }
        ~Hold() { m_state.unlock(); }
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;

    private:
        State &m_state;
    };

    // function_compile.cpp
    void buildGraph();
    void noteUpdates();
    void rewrite(CompileObserver *observer);
    void link();
    void compileNested();
    // function_plan.cpp
    void checkPattern() const;
    Plan &planFor();
    void takeKernels(Plan &plan);
    void takeKernelsOfValues(std::uint32_t runsBefore);
    bool compiles() const;
    bool hasCompiler();
    // function_errors.cpp
    void blame();
    [[noreturn]] void fail(const std::exception &error, const ApplyFailure &failure);
    // function_call.cpp
    void gatherShared(std::span<const View> inputs);
    void beginTrace(std::span<const Tier> tiers);
    Tensor owned(Tensor borrowed, VarId root) const;
    void takeOutputs(const Plan &plan, std::vector<Tensor> &outputs) const;
    void storeUpdates(Plan &plan);
    void runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs);
    void runValues(std::span<const Value> inputs, std::vector<Value> &outputs);
};

} // namespace engine
