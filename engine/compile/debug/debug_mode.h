// DebugMode: a call is done several times in other ways, and what each apply does is held against what it promises.
#pragma once

#include "engine/compile/debug/debug_walk.h"
#include "engine/compile/debug/differences.h"
#include "engine/compile/request/mode.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/runtime/plan/plan.h"
#include "engine/tensor/errors.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// Named as Theano's exceptions.
enum class DebugFault : std::uint8_t { BadOptimization, BadThunkOutput, BadViewMap, BadDestroyMap, InvalidValueError, StochasticOrder };
std::string_view nameOf(DebugFault fault);

class DebugModeError : public UserError {
public:
    DebugModeError(DebugFault fault, const std::string &message, std::string hint = {}) : UserError(message, std::move(hint)), fault(fault)
    {}
    DebugFault fault;
    ApplyId apply = kNoApply; ///< that broke its promise
    std::size_t step = 0;     ///< of the journal, that changed a value
};

/// What a fault is called, back; nullopt: no such name.
std::optional<DebugFault> debugFault(std::string_view name);

/// Is this thread inside of the checks? Ops of the host language are watched more closely then.
bool isDebugging();

class DebugRun {
public:
    /// `kernels`: is there a compiler whose kernels could be compared?
    DebugRun(FunctionGraph &graph, std::span<const ApplyId> order, const NestedCall &nested, const DebugChecks &checks, bool kernels)
        : m_graph(graph), m_order(order), m_nested(nested), m_checks(checks), m_kernels(kernels)
    {}

    /// On copies of these values of all inputs: the graph apply by apply, then the graph as it stood after each phase of the
    /// rewriting. The values of all outputs. An error of an apply itself leaves its place in `failure`.
    std::vector<Value> run(std::span<const Value> inputs, ApplyFailure &failure);
    /// What the function gave, beside what run() says.
    void compare(std::span<const Value> expected, std::span<const Value> given);
    /// Of all outputs that were compared so far.
    const Difference &largest() const { return m_largest; }

private:
    void comparePhases(std::span<const Value> inputs, std::span<const Value> results);
    bool isRounding(std::span<const Value> inputs, const Value &wanted, const Value &value, std::size_t output);
    bool isOverflow(std::span<const Value> inputs, const Value &wanted, const Value &value, std::size_t output);
    /// The output of the graph as it was written, as `listener` changes its results.
    Tensor firstOutput(std::span<const Value> inputs, std::size_t output, ApplyListener &listener) const;
    void reportOverflow(std::span<const Value> inputs, std::size_t output, ApplyId overflowed);
    [[noreturn]] void accuse(std::span<const Value> inputs, std::size_t output);
    std::vector<Value> valuesAt(std::size_t step, std::span<const Value> inputs) const;

    FunctionGraph &m_graph;
    std::span<const ApplyId> m_order;
    const NestedCall &m_nested;
    const DebugChecks &m_checks;
    bool m_kernels;
    OutputsLeft m_left;
    bool m_toldOverflow = false;
    Difference m_largest;
};

} // namespace engine
