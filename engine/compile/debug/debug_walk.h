// What DebugMode looks at while the applies of a graph run one by one.
#pragma once

#include "engine/codegen/kernel_service.h"
#include "engine/compile/request/mode.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/thunks/thunk.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Memory of its own; values that are no tensors as they are.
Value copyOf(const Value &value);
/// How objects of the host language are copied that ops may change; the same object: those that nobody changes.
void setObjectCopier(ForeignRef (*copy)(const ForeignRef &object));

/// As the host sees them: arrays of devices are fetched.
std::vector<Value> seen(std::span<const Value> values);

/// The apply and what it reads: Elemwise{exp,no_inplace}(x).
std::string textOf(const FunctionGraph &graph, ApplyId id);

/// By apply.
using OutputsLeft = std::map<ApplyId, std::vector<Value>>;

class DebugWalk final : public ApplyListener {
public:
    /// `left`: the outputs of applies in the call before; those of this call take their place.
    DebugWalk(const FunctionGraph &graph, const DebugChecks &checks, OutputsLeft &left) : m_graph(graph), m_checks(checks), m_left(left) {}

    void before(ApplyId id, std::span<const Value> inputs) override;
    void after(ApplyId id, std::span<const Value> inputs, std::span<Value> outputs) override;
    /// Runs the compiled kernel of every apply that has one, on the inputs that it had.
    void compareKernels();

private:
    /// An apply that waits for its kernel.
    struct Prepared {
        ApplyId apply;
        std::vector<Value> inputs, expected, outputs;
        std::vector<void *> slots;
        std::unique_ptr<Thunk> thunk;
        std::shared_ptr<Kernel> kernel;
    };

    void checkMemory(ApplyId id, std::span<const Value> inputs, std::span<const Value> outputs) const;
    void checkValues(ApplyId id, std::span<const Value> outputs) const;
    void checkDevice(ApplyId id, std::span<const Value> outputs) const;
    bool isAnyOnDevice(ApplyId id) const;
    void checkAgain(ApplyId id, std::span<const Value> outputs) const;
    void checkStrides(ApplyId id, const Value &output, const Value &again, std::size_t index) const;
    bool mayRunAgain() const;
    void checkFound(ApplyId id, std::span<const Value> outputs);
    /// On copies of the inputs; what `outputs` hold is given for them.
    void runAgain(ApplyId id, std::vector<Value> &outputs) const;
    void prepareKernel(ApplyId id, std::span<const Value> outputs);
    void typesOf(ApplyId id, std::vector<Type> &inputs, std::vector<Type> &outputs) const;

    const FunctionGraph &m_graph;
    const DebugChecks &m_checks;
    OutputsLeft &m_left;
    std::vector<Value> m_copies; // of the inputs of the apply at hand
    std::vector<Prepared> m_prepared;
};

} // namespace engine
