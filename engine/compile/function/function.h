// function(): from expressions to something that can be called.
// A Function has one lock: concurrent calls wait, a recursive call raises.
#pragma once

#include "engine/compile/debug/repeat.h"
#include "engine/compile/request/mode.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/graph/ir/lineage.h"
#include "engine/rewrite/machine/report.h"
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/plan/statistics.h"
#include "engine/tensor/errors.h"

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace engine {

struct FunctionInput {
    VarRef variable;
    bool borrow = false;
    bool isMutable = false;   ///< the function may overwrite the caller's array
    bool mayBeUnused = false; ///< whatever FunctionSpec::onUnusedInput says
};

enum class OnUnusedInput { Raise, Warn, Ignore };

struct FunctionSpec {
    std::vector<FunctionInput> inputs;
    std::vector<VarRef> outputs;
    std::vector<bool> borrowOutput;                 ///< per output; empty: none
    std::vector<std::pair<VarRef, VarRef>> updates; ///< shared variable, new value
    std::vector<std::pair<VarRef, VarRef>> givens;
    std::string name;
    TraceId trace = TraceId::None; ///< the line of the call of function()
    Mode mode;
    std::optional<Mode> bodies; ///< of the graphs inside its applies; none: its own
    OnUnusedInput onUnusedInput = OnUnusedInput::Raise;
    bool profile = false; ///< keep per-apply statistics
    /// For the graph inside an apply: the function and the apply it belongs to.
    std::optional<std::pair<std::uint32_t, ApplyId>> parent;
    bool isLoopBody = false; ///< what a Scan runs in each step
};

struct CompileTimes {
    std::uint64_t totalNs = 0;
    std::uint64_t optimizerNs = 0;
    std::uint64_t validateNs = 0;
    std::uint64_t linkerNs = 0;
};

class ScanBody;

class Function {
public:
    static std::shared_ptr<Function> compile(FunctionSpec spec);
    ~Function();

    const std::string &name() const;
    std::uint32_t id() const; ///< counts up through the process
    const FunctionSpec &spec() const;
    const FunctionGraph &graph() const;
    const Lineage &lineage() const;
    /// Counts, reasons and "why not?" of the rewrites.
    const RewriteReport &rewrites() const;
    /// Live applies in the order in which they run (readers of a destroyed input before its destroyer).
    std::span<const ApplyId> order() const;
    const CompileTimes &times() const;
    FunctionStatistics &statistics();
    /// Warnings of the compile in plain sentences.
    std::span<const std::string> warnings() const;

    /// Checked already: one value per explicit input, of the exact dtype and rank. Runs, commits the updates and
    /// returns the outputs. Outputs never alias inputs or internals unless borrowed.
    void call(std::span<const Value> inputs, std::vector<Value> &outputs);
    /// The same for tensors only: the views need to live through the call. `outputs` holds one tensor per output.
    void callViews(std::span<const View> inputs, std::vector<Tensor> &outputs);
    /// Runs it as the body of a loop, for as long as the result lives: the memory is laid out once.
    std::unique_ptr<ScanBody> beginSteps();
    /// Can callViews() be used (every input, shared ones included, and every output is a tensor of the host)?
    bool onlyTensors() const;
    /// Rewrites the original graph once more and says where that went another way than the first time: an op of the user depends on
    /// chance. Compiles nothing, and no observer hears of it.
    std::optional<RewriteDifference> rewriteAgain() const;
    /// Drops intermediates kept between calls; waits for a call of another thread.
    void free();
    /// The compiled graphs inside applies (OpFromGraph), with the apply each belongs to.
    std::span<const std::pair<ApplyId, std::shared_ptr<Function>>> nested() const;
    /// Stretches of the order that run by a plan each; 1 where all sizes are known before a call.
    std::size_t stageCount() const;
    /// The kernels of the last plan: their C text. It and what follows wait for another thread's call, a second at most, then give nothing.
    struct KernelInfo {
        ApplyId apply{};
        std::string source;
        std::uint64_t key = 0; ///< hash of the source
        KernelState state = KernelState::Waiting;
        bool running = false;
        bool fromCache = false;
        std::uint64_t compileNs = 0; ///< of the unit that it was compiled in
    };
    std::vector<KernelInfo> kernels() const;
    /// Has the kernels of the last plan compiled now and waits for them (before the first call: does nothing).
    std::size_t compileKernels();
    /// What the last plan laid out (empty before the first call). Of a function of several stages all that the last call had, where
    /// applies are counted.
    std::vector<BufferInfo> buffers() const;
    /// What runs each apply of the last plan, by position (empty before the first call).
    std::vector<Tier> tiers() const;
    /// Which applies of the last plan run together in one pass, by position; -1: alone.
    std::vector<int> passes() const;
    /// Ticks that making each thunk of the last plan took, by position (empty before the first call).
    std::vector<std::uint64_t> prepareTicks() const;
    /// Which applies of the last plan work another way than a person would expect, and why.
    std::vector<std::pair<ApplyId, std::string>> notes() const;
    /// How devices name what they do for each apply of the last plan, by position (empty before the first call; 0: of no plan).
    std::vector<std::uint64_t> deviceTags() const;
    std::size_t arenaBytes() const; ///< of the last plan; of several stages the most that is taken at once
    /// What its applies hold beside what is laid out: for themselves, and for the graphs inside of them. Of the last plan.
    std::size_t workBytes() const;
    /// Shared variables that the function reads or updates.
    std::vector<VarRef> sharedVariables() const;

private:
    Function();
    struct State;
    class Frame;
    class Steps;
    std::unique_ptr<State> m_state;
};

/// An apply failed while running: the original error in Theano's layout.
class RunError : public UserError {
public:
    RunError(const std::string &message, std::string hint, std::uint32_t functionId, ApplyId apply, std::exception_ptr cause)
        : UserError(message, std::move(hint)), functionId(functionId), apply(apply), cause(std::move(cause))
    {}
    std::uint32_t functionId;
    ApplyId apply;
    std::exception_ptr cause; ///< its class tells the host language how to show it
};

} // namespace engine
