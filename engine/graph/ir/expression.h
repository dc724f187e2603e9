// What scripts build: immutable, ref-counted variables and applies, pointing only from outputs to inputs.
// An apply and its outputs live and die together; traversal and destruction are iterative.
// Any thread may hold references; one graph is built by one thread at a time.
#pragma once

#include "engine/graph/ir/source.h"
#include "engine/graph/ir/type.h"
#include "engine/tensor/ref.h"
#include "engine/tensor/value.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

class Op;
class Apply;
class Variable;
class Container;
using OpRef = Ref<const Op>;
using ApplyRef = Ref<Apply>;
using VarRef = Ref<Variable>;

/// Counts up through the life of the process, never reused.
enum class NodeId : std::uint64_t {};

class Variable {
public:
    enum class Kind : std::uint8_t { Input, Constant, Shared, Output };

    static VarRef input(Type type, std::string name = {});
    static VarRef constant(Value value, Type type, std::string name = {});
    /// A tensor constant: each dimension of size 1 is broadcastable.
    static VarRef constant(Tensor value, std::string name = {});
    static VarRef shared(std::shared_ptr<Container> container, Type type, std::string name = {});

    Kind kind() const { return m_kind; }
    Type type() const { return m_type; }
    NodeId id() const { return m_id; }
    Apply *owner() const { return m_owner; } ///< null for leaves
    int index() const { return static_cast<int>(m_index); }
    TraceId trace() const;

    const std::string &name() const { return m_name; }
    void setName(std::string name) { m_name = std::move(name); }
    /// name; else op.index for computed ones; else <type> (constants: TensorConstant{…}).
    std::string displayName() const;

    /// Constants only.
    const Value &value() const;
    /// Shared variables only.
    const std::shared_ptr<Container> &container() const;

    /// The host language's wrapper (borrowed) and its free tag, which lives with the node.
    void *face = nullptr;
    ForeignRef tag;

    void retain() const;
    void release() const;

private:
    friend class Apply;
    Variable() = default;
    ~Variable();
    struct Leaf;

    Type m_type;
    NodeId m_id{};
    Apply *m_owner = nullptr;
    std::uint32_t m_index = 0;
    mutable std::atomic<std::uint32_t> m_refs{0}; // leaves only; outputs count on their apply
    Kind m_kind = Kind::Input;
    TraceId m_trace = TraceId::None;
    std::string m_name;
    std::unique_ptr<Leaf> m_leaf;
};

class Apply {
public:
    /// Checks the inputs by the op's type rule.
    static ApplyRef create(OpRef op, std::span<const VarRef> inputs);
    /// With given output types: for ops whose rule lives in the host language, and for copies.
    static ApplyRef create(OpRef op, std::span<const VarRef> inputs, std::span<const Type> outputs);

    const Op &op() const { return *m_op; }
    const OpRef &opRef() const { return m_op; }
    NodeId id() const { return m_id; }
    std::span<const VarRef> inputs() const { return m_inputs; }
    const VarRef &input(int i) const { return m_inputs[i]; }
    int outputCount() const { return static_cast<int>(m_outputCount); }
    Variable *output(int i = 0) const { return &m_outputs[i]; }
    TraceId trace() const { return m_trace; }
    void setTrace(TraceId trace) { m_trace = trace; }

    void *face = nullptr;
    ForeignRef tag;

    void retain() const { m_refs.fetch_add(1, std::memory_order_relaxed); }
    void release() const;

private:
    Apply() = default;
    ~Apply();

    OpRef m_op;
    std::vector<VarRef> m_inputs;
    Variable *m_outputs = nullptr;
    std::uint32_t m_outputCount = 0;
    mutable std::atomic<std::uint32_t> m_refs{0};
    TraceId m_trace = TraceId::None;
    NodeId m_id{};
    Apply *m_nextDead = nullptr; // chain of applies waiting for their destruction
};

inline void Variable::retain() const
{
    if (m_owner) m_owner->retain();
    else m_refs.fetch_add(1, std::memory_order_relaxed);
}

/// First output of a fresh apply.
VarRef apply(const OpRef &op, std::span<const VarRef> inputs);
VarRef apply(const OpRef &op, std::initializer_list<VarRef> inputs);

/// Applies that `outputs` depend on, inputs before users, in the order of a depth-first walk; `stop` cuts it.
std::vector<Apply *> toposort(std::span<const VarRef> outputs, std::span<const VarRef> stop = {});
/// Leaves (inputs, constants, shared) in the order of first use.
std::vector<VarRef> leaves(std::span<const VarRef> outputs, std::span<const VarRef> stop = {});
/// `outputs` and all that they depend on, as Theano's walk finds them: the last output first, below it the first input first.
/// What is in `stop` is found but not looked into. `withSiblings`: the other outputs of an apply, too.
std::vector<VarRef> ancestors(std::span<const VarRef> outputs, std::span<const VarRef> stop = {}, bool withSiblings = false);

/// The value of a shared variable; all functions that use the variable see the same container.
class Container {
public:
    explicit Container(Value value) : m_value(std::move(value)) {}
    const Value &value() const { return m_value; }
    void set(Value value)
    {
        m_value = std::move(value);
        ++m_generation;
    }
    /// Changes with every set(): a plan compares it instead of looking at the value.
    std::uint64_t generation() const { return m_generation; }

private:
    Value m_value;
    std::uint64_t m_generation = 1;
};

} // namespace engine
