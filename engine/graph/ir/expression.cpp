#include "engine/graph/ir/expression.h"

#include "engine/graph/ir/made_applies.h"
#include "engine/graph/ir/variable_text.h"
#include "engine/graph/op/op.h"
#include "engine/tensor/device_names.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/pointer_map.h"

#include <utility>

namespace engine {

struct Variable::Leaf {
    Value value;
    std::shared_ptr<Container> container;
};

namespace {

std::atomic<std::uint64_t> s_nextId{1};
thread_local ApplyWatcher s_watcher = nullptr;

NodeId nextId() { return static_cast<NodeId>(s_nextId.fetch_add(1, std::memory_order_relaxed)); }

constexpr std::size_t kWholeText = 1u << 20; // arrays tell their edges only from a thousand elements on

std::string constantText(const Value &value)
{
    if (!value.isTensor()) {
        if (!value.valid()) return "NoneConst";
        std::string text = value.text(kWholeText);
        if (text.size() > 20) text = text.substr(0, 10) + "..." + text.substr(text.size() - 10);
        return "Constant{" + text + "}";
    }
    const Tensor &tensor = value.tensor();
    std::string text;
    if (tensor.rank() > 0 && tensor.isUniform())
        text = tensor.shape().text() + " of " + Tensor(tensor.dtype(), {}, {}, tensor.data(), tensor.storage()).text(20);
    else text = tensor.text(kWholeText);
    if (text.size() > 20) text = text.substr(0, 10) + ".." + text.substr(text.size() - 10);
    return "TensorConstant{" + text + "}";
}

} // namespace

ApplyWatcher watchApplies(ApplyWatcher watcher) { return std::exchange(s_watcher, watcher); }

NodeId nextNodeId() { return static_cast<NodeId>(s_nextId.load(std::memory_order_relaxed)); }

Variable::~Variable() = default;

VarRef Variable::input(Type type, std::string name)
{
    auto *variable = new Variable;
    variable->m_type = type;
    variable->m_id = nextId();
    variable->m_trace = currentTrace();
    variable->m_name = std::move(name);
    return VarRef(variable);
}

VarRef Variable::constant(Value value, Type type, std::string name)
{
    VarRef variable = input(type, std::move(name));
    variable->m_kind = Kind::Constant;
    variable->m_leaf = std::make_unique<Leaf>();
    variable->m_leaf->value = std::move(value);
    return variable;
}

VarRef Variable::constant(Tensor value, std::string name)
{
    const Type type = Type::tensor(value.dtype(), value.shape());
    return constant(Value(std::move(value)), type, std::move(name));
}

VarRef Variable::shared(std::shared_ptr<Container> container, Type type, std::string name)
{
    VarRef variable = input(type, std::move(name));
    variable->m_kind = Kind::Shared;
    variable->m_leaf = std::make_unique<Leaf>();
    variable->m_leaf->container = std::move(container);
    return variable;
}

const Value &Variable::value() const
{
    ENGINE_ASSERT(m_kind == Kind::Constant, "only constants have a value");
    return m_leaf->value;
}

const std::shared_ptr<Container> &Variable::container() const
{
    ENGINE_ASSERT(m_kind == Kind::Shared, "only shared variables have a container");
    return m_leaf->container;
}

TraceId Variable::trace() const { return m_owner ? m_owner->trace() : m_trace; }

std::string Variable::displayName() const
{
    if (!m_name.empty()) return m_name;
    if (m_owner) {
        const Op &op = m_owner->op();
        if (m_owner->outputCount() == 1 || op.defaultOutput() == index()) return op.name() + ".0";
        return op.name() + "." + std::to_string(m_index);
    }
    if (m_kind == Kind::Constant) return constantText(value());
    return "<" + m_type.text() + ">";
}

std::string describe(const VarRef &variable)
{
    std::string text = variable->displayName();
    const SourceLine &line = sourceLine(variable->trace());
    if (line.line) text += " (made at " + line.file + ":" + std::to_string(line.line) + ")";
    return text;
}

void Variable::release() const
{
    if (m_owner) {
        m_owner->release();
        return;
    }
    if (m_refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

ApplyRef Apply::create(OpRef op, std::span<const VarRef> inputs)
{
    if (hasDevices()) op = formFor(op, inputs, [](const VarRef &input) { return input ? input->type() : Type::plain(TypeKind::None); });
    std::vector<Operand> operands;
    operands.reserve(inputs.size());
    for (const VarRef &input : inputs) {
        ENGINE_ASSERT(input, "an input of " + op->name() + " is missing");
        operands.push_back({input->type(), input->kind() == Variable::Kind::Constant ? &input->value() : nullptr});
    }
    const std::vector<Type> types = outputTypesOf(*op, operands);
    return create(std::move(op), inputs, types);
}

ApplyRef Apply::create(OpRef op, std::span<const VarRef> inputs, std::span<const Type> outputs)
{
    auto *apply = new Apply;
    apply->m_op = std::move(op);
    apply->m_inputs.assign(inputs.begin(), inputs.end());
    apply->m_trace = currentTrace();
    apply->m_id = nextId();
    apply->m_outputCount = static_cast<std::uint32_t>(outputs.size());
    apply->m_outputs = new Variable[outputs.size()];
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Variable &output = apply->m_outputs[i];
        output.m_type = outputs[i];
        output.m_id = nextId();
        output.m_owner = apply;
        output.m_index = static_cast<std::uint32_t>(i);
        output.m_kind = Variable::Kind::Output;
    }
    ApplyRef made(apply);
    if (s_watcher) s_watcher(made);
    return made;
}

Apply::~Apply() { delete[] m_outputs; }

void Apply::release() const
{
    if (m_refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // Dropping the inputs may end their applies too: those queue up here instead of recursing.
    thread_local Apply *dead = nullptr;
    thread_local bool draining = false;
    auto *self = const_cast<Apply *>(this);
    self->m_nextDead = dead;
    dead = self;
    if (draining) return;
    draining = true;
    while (dead) {
        Apply *next = dead;
        dead = next->m_nextDead;
        next->m_inputs.clear();
        delete next;
    }
    draining = false;
}

VarRef apply(const OpRef &op, std::span<const VarRef> inputs) { return VarRef(Apply::create(op, inputs)->output(0)); }

VarRef apply(const OpRef &op, std::initializer_list<VarRef> inputs)
{
    return apply(op, std::span<const VarRef>(inputs.begin(), inputs.size()));
}

namespace {

// Depth-first walk without recursion; calls onApply when all inputs were visited, onLeaf for leaves.
template <class OnApply, class OnLeaf>
void walk(std::span<const VarRef> outputs, std::span<const VarRef> stop, OnApply onApply, OnLeaf onLeaf)
{
    PointerMap<char> stopped(stop.size()), seen;
    for (const VarRef &variable : stop) stopped.insert(variable.get(), 0);
    struct Frame {
        Apply *apply;
        std::size_t next;
    };
    std::vector<Frame> stack;
    auto visit = [&](const VarRef &variable) {
        if (Apply *owner = variable->owner(); owner && !(stopped.size() && stopped.contains(variable.get()))) {
            if (seen.insert(owner, 0)) stack.push_back({owner, 0});
        } else if (seen.insert(variable.get(), 0)) {
            onLeaf(variable);
        }
    };
    for (const VarRef &output : outputs) {
        visit(output);
        while (!stack.empty()) {
            Frame &top = stack.back();
            if (top.next < top.apply->inputs().size()) {
                const VarRef &input = top.apply->inputs()[top.next++];
                visit(input);
            } else {
                Apply *done = top.apply;
                stack.pop_back();
                onApply(done);
            }
        }
    }
}

} // namespace

std::vector<Apply *> toposort(std::span<const VarRef> outputs, std::span<const VarRef> stop)
{
    std::vector<Apply *> order;
    walk(
        outputs, stop, [&](Apply *apply) { order.push_back(apply); }, [](const VarRef &) {});
    return order;
}

std::vector<VarRef> leaves(std::span<const VarRef> outputs, std::span<const VarRef> stop)
{
    std::vector<VarRef> result;
    walk(
        outputs, stop, [](Apply *) {}, [&](const VarRef &leaf) { result.push_back(leaf); });
    return result;
}

std::vector<VarRef> ancestors(std::span<const VarRef> outputs, std::span<const VarRef> stop, bool withSiblings)
{
    PointerMap<char> stopped(stop.size()), seen;
    for (const VarRef &variable : stop) stopped.insert(variable.get(), 0);
    std::vector<VarRef> open(outputs.begin(), outputs.end()), found;
    while (!open.empty()) {
        const VarRef variable = std::move(open.back());
        open.pop_back();
        if (!seen.insert(variable.get(), 0)) continue;
        found.push_back(variable);
        const Apply *owner = variable->owner();
        if (!owner || stopped.contains(variable.get())) continue;
        for (int o = owner->outputCount(); withSiblings && o-- > 0;) open.emplace_back(owner->output(o));
        open.insert(open.end(), owner->inputs().rbegin(), owner->inputs().rend());
    }
    return found;
}

} // namespace engine
