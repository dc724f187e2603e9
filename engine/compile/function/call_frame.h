// One call: from its arguments to its outputs. It lives on the stack, while the call holds the function.
#pragma once

#include "engine/compile/function/endangered_inputs.h"
#include "engine/compile/function/function_state.h"

#include <functional>
#include <span>
#include <vector>

namespace engine {

class Function::Frame {
public:
    explicit Frame(State &state) : m_state(state), m_room(state.room) {}
    ~Frame();
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;

    /// Of a function of one stage.
    void runTensors(std::span<const View> inputs, std::vector<Tensor> &outputs);
    /// Of any other: values go from step to step.
    void runStages(std::span<const Value> inputs, std::vector<Value> &outputs);
    /// Runs a plan that is bound; an error leaves it unbound.
    void execute(const Stage &stage, Plan &plan);
    /// The same with something else than a run of the whole plan.
    using Run = std::function<void(FunctionStatistics *statistics, ApplyFailure &failure)>;
    void execute(const Stage &stage, Plan &plan, const Run &run);
    /// Begins to note when each apply runs, where this call is one that is traced.
    void beginTrace();

private:
    template <class Work>
    void executeAs(const Stage &stage, Plan &plan, const Work &run);
    void gatherShared(std::span<const View> inputs);
    /// Returns true if everything that is overwritten belongs to shared variables that have no other owner.
    bool isDestroyedOurs() const;
    void unbind(Plan &plan, bool keepsArena);
    Tensor owned(const Tensor &borrowed, VarId root) const;
    void takeOutputs(const Plan &plan, std::vector<Tensor> &outputs) const;
    void storeUpdates(Plan &plan);
    // call_stages.cpp
    void copyEndangered(std::span<Value> inputs);
    void runStage(const FunctionStep &step, StepValues &values);
    void runAlone(const FunctionStep &step, StepValues &values);
    std::vector<Value> resultsOf(const StepValues &values) const;
    const Value &valueOf(VarId var, const StepValues &values) const;

    const CompiledGraph &compiled() const { return m_state.compiled; }
    FunctionStatistics &statistics() { return m_state.statistics; }

    State &m_state;
    CallRoom &m_room;
};

} // namespace engine
