#include "engine/ops/shapes/nested_shapes.h"

#include <unordered_map>

namespace engine {
namespace {

class Walker {
public:
    Walker(const InnerGraph &graph, ShapeBuilder &outer) : m_outer(outer)
    {
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            const int input = static_cast<int>(i);
            m_inputs[graph.inputs[i].get()] = input;
            SymShape shape;
            for (int axis = 0; axis < outer.inputRank(input); ++axis) shape.push_back(outer.dim(input, axis));
            m_shapes[graph.inputs[i].get()] = std::move(shape);
        }
    }

    void know(const Variable *variable, Sym value)
    {
        m_values[variable] = value;
        m_shapes[variable] = {};
    }
    bool visit(Apply *apply);
    const SymShape *shapeOf(const Variable *variable);
    std::optional<Sym> valueOf(const Variable *variable, int element);
    ShapeBuilder &outer() { return m_outer; }

private:
    ShapeBuilder &m_outer;
    std::unordered_map<const Variable *, int> m_inputs;
    std::unordered_map<const Variable *, SymShape> m_shapes;
    std::unordered_map<const Variable *, Sym> m_values;
};

// One inner apply's view of the outer builder.
class Local final : public ShapeBuilder {
public:
    Local(Walker &walker, const Apply &node) : m_walker(walker), m_node(node) {}

    Sym dim(int input, int axis) override
    {
        const Variable *variable = m_node.input(input).get();
        const std::int64_t size = variable->type().shape()[axis];
        if (size == 1) return constant(1);
        const SymShape *shape = m_walker.shapeOf(variable);
        if (shape) return (*shape)[axis];
        m_failed = true;
        return constant(0);
    }
    std::optional<Sym> value(int input, int element) override { return m_walker.valueOf(m_node.input(input).get(), element); }
    int inputCount() const override { return static_cast<int>(m_node.inputs().size()); }
    int inputRank(int input) const override
    {
        const Type type = m_node.input(input)->type();
        return type.isTensor() ? type.rank() : 0;
    }
    bool inputBroadcastable(int input, int axis) const override { return m_node.input(input)->type().isBroadcastable(axis); }
    bool failed() const { return m_failed; }

    Sym constant(std::int64_t value) override { return m_walker.outer().constant(value); }
    std::optional<std::int64_t> known(Sym symbol) const override { return m_walker.outer().known(symbol); }
    Sym add(Sym a, Sym b) override { return m_walker.outer().add(a, b); }
    Sym sub(Sym a, Sym b) override { return m_walker.outer().sub(a, b); }
    Sym mul(Sym a, Sym b) override { return m_walker.outer().mul(a, b); }
    Sym floorDiv(Sym a, Sym b) override { return m_walker.outer().floorDiv(a, b); }
    Sym mod(Sym a, Sym b) override { return m_walker.outer().mod(a, b); }
    Sym min(Sym a, Sym b) override { return m_walker.outer().min(a, b); }
    Sym max(Sym a, Sym b) override { return m_walker.outer().max(a, b); }
    Sym select(Sym c, Sym a, Sym b) override { return m_walker.outer().select(c, a, b); }
    Sym less(Sym a, Sym b) override { return m_walker.outer().less(a, b); }

private:
    Walker &m_walker;
    const Apply &m_node;
    bool m_failed = false;
};

bool Walker::visit(Apply *apply)
{
    Local local(*this, *apply);
    std::vector<SymShape> outputs;
    if (!apply->op().inferShape(local, outputs) || local.failed()) return false;
    for (int o = 0; o < apply->outputCount(); ++o) m_shapes[apply->output(o)] = outputs[o];
    return true;
}

const SymShape *Walker::shapeOf(const Variable *variable)
{
    auto found = m_shapes.find(variable);
    if (found != m_shapes.end()) return &found->second;
    if (variable->kind() != Variable::Kind::Constant || !variable->value().isTensor()) return nullptr;
    SymShape shape;
    for (std::int64_t size : variable->value().tensor().shape()) shape.push_back(m_outer.constant(size));
    return &(m_shapes[variable] = std::move(shape));
}

std::optional<Sym> Walker::valueOf(const Variable *variable, int element)
{
    if (auto value = m_values.find(variable); value != m_values.end()) return value->second;
    if (auto input = m_inputs.find(variable); input != m_inputs.end()) return m_outer.value(input->second, element);
    if (variable->kind() == Variable::Kind::Constant) {
        const Tensor &tensor = variable->value().tensor();
        if (!isDiscrete(tensor.dtype()) || element >= tensor.size()) return std::nullopt;
        return m_outer.constant(tensor.intAt(element));
    }
    if (!variable->owner()) return std::nullopt;
    Local local(*this, *variable->owner());
    const auto value = variable->owner()->op().inferValue(local, variable->index(), element);
    return local.failed() ? std::nullopt : value;
}

} // namespace

std::optional<std::vector<SymShape>> nestedShapes(const InnerGraph &graph, ShapeBuilder &outer)
{
    Walker walker(graph, outer);
    for (Apply *apply : toposort(graph.outputs, graph.inputs)) walker.visit(apply);
    std::vector<SymShape> result;
    for (const VarRef &output : graph.outputs) {
        const SymShape *shape = walker.shapeOf(output.get());
        if (!shape) return std::nullopt;
        result.push_back(*shape);
    }
    return result;
}

std::optional<std::vector<Sym>> nestedValues(const std::vector<VarRef> &inputs, const std::vector<std::pair<VarRef, Sym>> &known,
                                             const std::vector<VarRef> &expressions, ShapeBuilder &outer)
{
    Walker walker({inputs, expressions}, outer);
    std::vector<VarRef> stops = inputs;
    for (const auto &[variable, value] : known) {
        walker.know(variable.get(), value);
        stops.push_back(variable);
    }
    for (Apply *apply : toposort(expressions, stops)) walker.visit(apply);
    std::vector<Sym> result;
    for (const VarRef &expression : expressions) {
        const auto value = walker.valueOf(expression.get(), 0);
        if (!value) return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

} // namespace engine
