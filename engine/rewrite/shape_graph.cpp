#include "engine/rewrite/shape_graph.h"

#include "engine/ops/alloc.h"
#include "engine/ops/index.h"
#include "engine/ops/shape.h"

#include <algorithm>

namespace engine {
namespace {

/// Symbols are small expressions; nodes are made only for the one that is asked for in the end.
class GraphShapes final : public ShapeBuilder {
public:
    GraphShapes(Editor &edit, const NodeHandle &node) : m_edit(edit), m_node(node) {}

    Sym constant(std::int64_t value) override { return put({Kind::Constant, value, {}, {}, {}}); }
    Sym dim(int input, int axis) override
    {
        const VarHandle v = m_node.input(static_cast<std::size_t>(input));
        if (v.type().isTensor() && v.type().isBroadcastable(axis)) return constant(1);
        if (const Value *value = v.constant(); value && value->isTensor()) return constant(value->tensor().shape()[static_cast<std::size_t>(axis)]);
        return put({Kind::Dim, axis, v, {}, {}});
    }
    std::optional<Sym> value(int input, int element) override
    {
        const VarHandle v = m_node.input(static_cast<std::size_t>(input));
        if (!v.type().isTensor() || !isDiscrete(v.dtype()) || v.rank() > 1) return std::nullopt;
        if (const Value *value = v.constant()) {
            if (element >= value->tensor().size()) return std::nullopt;
            return constant(value->tensor().intAt(element));
        }
        if (v.rank() == 0) return put({Kind::Variable, 0, v, {}, {}});
        if (const auto vector = madeBy<MakeVector>(v); vector && element < static_cast<int>(vector->inputCount())) {
            const VarHandle part = vector->input(static_cast<std::size_t>(element));
            if (const Value *value = part.constant()) return constant(value->tensor().intAt(0));
            return put({Kind::Variable, 0, part, {}, {}});
        }
        return std::nullopt;
    }
    int inputCount() const override { return static_cast<int>(m_node.inputCount()); }
    int inputRank(int input) const override { return m_node.input(static_cast<std::size_t>(input)).rank(); }
    bool inputBroadcastable(int input, int axis) const override
    {
        return m_node.input(static_cast<std::size_t>(input)).type().isBroadcastable(axis);
    }
    std::optional<std::int64_t> known(Sym symbol) const override
    {
        const Entry &entry = at(symbol);
        return entry.kind == Kind::Constant ? std::optional(entry.number) : std::nullopt;
    }
    Sym add(Sym a, Sym b) override
    {
        if (known(a) == 0) return b;
        if (known(b) == 0) return a;
        return combine(Kind::Add, a, b);
    }
    Sym sub(Sym a, Sym b) override { return known(b) == 0 ? a : combine(Kind::Sub, a, b); }
    Sym mul(Sym a, Sym b) override
    {
        if (known(a) == 1) return b;
        if (known(b) == 1) return a;
        return combine(Kind::Mul, a, b);
    }
    Sym floorDiv(Sym a, Sym b) override { return known(b) == 1 ? a : combine(Kind::FloorDiv, a, b); }
    Sym mod(Sym a, Sym b) override { return combine(Kind::Mod, a, b); }
    Sym min(Sym a, Sym b) override { return a == b ? a : combine(Kind::Min, a, b); }
    Sym max(Sym a, Sym b) override { return a == b ? a : combine(Kind::Max, a, b); }
    Sym select(Sym condition, Sym yes, Sym no) override
    {
        if (const auto value = known(condition)) return *value ? yes : no;
        if (yes == no) return yes;
        return put({Kind::Select, 0, {}, {condition, yes}, no});
    }
    Sym less(Sym a, Sym b) override { return combine(Kind::Less, a, b); }

    struct DimOf {
        VarHandle var;
        int axis;
    };
    std::optional<DimOf> asDim(Sym symbol) const
    {
        const Entry &entry = at(symbol);
        if (entry.kind != Kind::Dim) return std::nullopt;
        return DimOf{entry.var, static_cast<int>(entry.number)};
    }
    VarHandle build(Sym symbol);

private:
    enum class Kind { Constant, Dim, Variable, Add, Sub, Mul, FloorDiv, Mod, Min, Max, Select, Less };
    struct Entry {
        Kind kind;
        std::int64_t number = 0;
        VarHandle var;
        std::pair<Sym, Sym> ab{};
        Sym c{};
    };
    const Entry &at(Sym symbol) const { return m_entries[static_cast<std::size_t>(symbol)]; }
    Sym put(Entry entry)
    {
        m_entries.push_back(std::move(entry));
        return Sym{static_cast<std::uint32_t>(m_entries.size() - 1)};
    }
    Sym combine(Kind kind, Sym a, Sym b)
    {
        const auto x = known(a), y = known(b);
        if (x && y) {
            switch (kind) {
            case Kind::Add: return constant(*x + *y);
            case Kind::Sub: return constant(*x - *y);
            case Kind::Mul: return constant(*x * *y);
            case Kind::FloorDiv: return constant(*y == 0 ? 0 : floorOf(*x, *y));
            case Kind::Mod: return constant(*y == 0 ? 0 : *x - floorOf(*x, *y) * *y);
            case Kind::Min: return constant(std::min(*x, *y));
            case Kind::Max: return constant(std::max(*x, *y));
            case Kind::Less: return constant(*x < *y);
            default: break;
            }
        }
        return put({kind, 0, {}, {a, b}, {}});
    }
    static std::int64_t floorOf(std::int64_t x, std::int64_t y)
    {
        const std::int64_t q = x / y;
        return q - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
    }

    Editor &m_edit;
    NodeHandle m_node;
    std::vector<Entry> m_entries;
};

VarHandle GraphShapes::build(Sym symbol)
{
    const Entry entry = at(symbol); // a copy: building may add entries
    const auto binary = [&](ScalarCode code) {
        return elementwise(m_edit, code, {build(entry.ab.first), build(entry.ab.second)});
    };
    switch (entry.kind) {
    case Kind::Constant: return m_edit.constant(Tensor::scalarInt(DType::Int64, entry.number));
    case Kind::Dim: return sizeOrShape(m_edit, entry.var, static_cast<int>(entry.number));
    case Kind::Variable: return castTo(m_edit, entry.var, DType::Int64);
    case Kind::Add: return binary(ScalarCode::Add);
    case Kind::Sub: return binary(ScalarCode::Sub);
    case Kind::Mul: return binary(ScalarCode::Mul);
    case Kind::FloorDiv: return binary(ScalarCode::IntDiv);
    case Kind::Mod: return binary(ScalarCode::Mod);
    case Kind::Min: return binary(ScalarCode::Minimum);
    case Kind::Max: return binary(ScalarCode::Maximum);
    case Kind::Less: return castTo(m_edit, binary(ScalarCode::Lt), DType::Int64);
    case Kind::Select:
        return elementwise(m_edit, ScalarCode::Switch, {build(entry.ab.first), build(entry.ab.second), build(entry.c)});
    }
    return {};
}

/// Follows plain "size of that axis of that variable" as far as it goes; stops at arithmetic and leaves.
struct SizeTrail {
    VarHandle var;
    int axis;
    std::optional<std::int64_t> number;
};

SizeTrail follow(Editor &edit, VarHandle v, int axis)
{
    for (;;) {
        if (v.type().isBroadcastable(axis)) return {v, axis, 1};
        if (const Value *value = v.constant(); value && value->isTensor())
            return {v, axis, value->tensor().shape()[static_cast<std::size_t>(axis)]};
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply) return {v, axis, std::nullopt};
        const NodeHandle node(v.graph(), owner);
        GraphShapes shapes(edit, node);
        std::vector<SymShape> outputs;
        if (!node.op()->inferShape(shapes, outputs)) return {v, axis, std::nullopt};
        const std::size_t index = v.graph().var(v.id()).index;
        if (index >= outputs.size() || static_cast<std::size_t>(axis) >= outputs[index].size()) return {v, axis, std::nullopt};
        const Sym symbol = outputs[index][static_cast<std::size_t>(axis)];
        if (const auto number = shapes.known(symbol)) return {v, axis, number};
        const auto dim = shapes.asDim(symbol);
        if (!dim) return {v, axis, std::nullopt};
        v = dim->var;
        axis = dim->axis;
    }
}

/// A view of an array that is there anyway: its size costs nothing, and stays one name for what arithmetic on bounds
/// would spell in many ways.
bool isCheapView(VarHandle v)
{
    const FunctionGraph &graph = v.graph();
    for (;;) {
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply) return true;
        const NodeHandle node(graph, owner);
        const std::size_t index = graph.var(v.id()).index;
        const auto views = node.op()->viewMap();
        const auto view = std::find_if(views.begin(), views.end(), [&](const Alias &alias) { return static_cast<std::size_t>(alias.output) == index; });
        if (view == views.end()) return false;
        v = node.input(static_cast<std::size_t>(view->input));
    }
}

/// f(x)[i] is as large as x[i], a view of what is there anyway: the name that stays when the index is lifted over f.
std::optional<VarHandle> viewOfSameSize(Editor &edit, VarHandle v)
{
    const auto part = madeBy<Subtensor>(v);
    if (!part) return std::nullopt;
    VarHandle x = part->input(0);
    while (const auto node = madeBy<Elemwise>(x)) {
        const auto inputs = node->inputs();
        const auto same = std::find_if(inputs.begin(), inputs.end(), [&](VarHandle input) {
            return !input.constant() && input.type().withDType(x.dtype()) == x.type();
        });
        if (same == inputs.end()) return std::nullopt;
        x = *same;
    }
    if (x == part->input(0) || !isCheapView(x)) return std::nullopt;
    auto inputs = part->inputs();
    inputs[0] = x;
    return edit.make(part->op(), inputs);
}

} // namespace

std::optional<VarHandle> sizeOf(Editor &edit, VarHandle v, int axis)
{
    SizeTrail trail = follow(edit, v, axis);
    if (trail.number) return edit.constant(Tensor::scalarInt(DType::Int64, *trail.number));
    if (const auto view = viewOfSameSize(edit, trail.var)) trail.var = *view;
    const ApplyId owner = ownerOf(trail.var);
    if (owner != kNoApply && !(madeBy<Subtensor>(trail.var) && isCheapView(trail.var))) {
        const NodeHandle node(v.graph(), owner);
        GraphShapes shapes(edit, node);
        std::vector<SymShape> outputs;
        if (node.op()->inferShape(shapes, outputs)) {
            const std::size_t index = v.graph().var(trail.var.id()).index;
            return shapes.build(outputs[index][static_cast<std::size_t>(trail.axis)]);
        }
    }
    if (trail.var == v) return std::nullopt;
    return edit.make(makeOp<Shape_i>(trail.axis), {trail.var});
}

VarHandle sizeOrShape(Editor &edit, VarHandle v, int axis)
{
    if (const auto size = sizeOf(edit, v, axis)) return *size;
    return edit.make(makeOp<Shape_i>(axis), {v});
}

std::vector<VarHandle> sizesOf(Editor &edit, VarHandle v)
{
    std::vector<VarHandle> sizes;
    for (int axis = 0; axis < v.rank(); ++axis) sizes.push_back(sizeOrShape(edit, v, axis));
    return sizes;
}

bool sameShape(Editor &edit, VarHandle a, VarHandle b)
{
    if (a == b) return true;
    if (a.rank() != b.rank()) return false;
    for (int axis = 0; axis < a.rank(); ++axis) {
        const SizeTrail x = follow(edit, a, axis), y = follow(edit, b, axis);
        if (x.number && y.number && *x.number == *y.number) continue;
        if (x.number || y.number) return false;
        if (!(x.var == y.var) || x.axis != y.axis) return false;
    }
    return true;
}

VarHandle repeatedTo(Editor &edit, VarHandle value, std::span<const VarHandle> sizes)
{
    std::vector<VarHandle> inputs{value};
    inputs.insert(inputs.end(), sizes.begin(), sizes.end());
    const NodeHandle repeated = edit.apply(makeOp<Alloc>(), inputs);
    const bool isWhole = value.rank() == repeated.output().rank() && value.type().pattern() == repeated.output().type().pattern();
    return isWhole && repeatsAsDeclared(edit, repeated) ? value : repeated.output();
}

bool repeatsAsDeclared(Editor &edit, const NodeHandle &alloc)
{
    const VarHandle value = alloc.input(0);
    const int pad = alloc.output().rank() - value.rank();
    for (int axis = 0; axis < value.rank(); ++axis) {
        if (value.type().isBroadcastable(axis)) continue;
        VarHandle wanted = alloc.input(static_cast<std::size_t>(1 + pad + axis));
        if (const auto cast = madeBy(wanted, ScalarCode::Cast)) wanted = cast->input(0);
        const VarHandle size = sizeOrShape(edit, value, axis);
        const auto a = constantValue(wanted), b = constantValue(size);
        if (!(wanted == size) && !(a && b && *a == *b)) return false;
    }
    return true;
}

} // namespace engine
