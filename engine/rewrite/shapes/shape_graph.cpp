#include "engine/rewrite/shapes/shape_graph.h"

#include "engine/ops/index/index.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/indexed.h"

#include <algorithm>
#include <memory>

namespace engine {
namespace {

std::optional<std::int64_t> integerOf(VarHandle v)
{
    const Value *value = v.constant();
    if (!value || !value->isTensor() || value->tensor().size() != 1 || !isDiscrete(v.dtype())) return std::nullopt;
    return value->tensor().intAt(0);
}

/// Symbols are small expressions; nodes are made only for the one that is asked for in the end.
class GraphShapes final : public ShapeBuilder {
public:
    GraphShapes(Editor &edit, const NodeHandle &node) : m_edit(edit), m_node(node) {}

    Sym constant(std::int64_t value) override { return put({Kind::Constant, value, {}, {}, {}}); }
    Sym dim(int input, int axis) override { return dimOf(m_node.input(static_cast<std::size_t>(input)), axis); }
    Sym dimOf(VarHandle v, int axis)
    {
        if (v.type().isTensor() && v.type().isBroadcastable(axis)) return constant(1);
        if (const Value *value = v.constant(); value && value->isTensor()) return constant(value->tensor().shape()[axis]);
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
        if (v.rank() == 0) return scalar(v);
        if (const auto shape = madeBy<Shape>(v); shape && element < shape->input(0).rank()) return dimOf(shape->input(0), element);
        if (const auto vector = madeBy<MakeVector>(v); vector && element < static_cast<int>(vector->inputCount())) {
            const VarHandle part = vector->input(static_cast<std::size_t>(element));
            if (const Value *value = part.constant()) return constant(value->tensor().intAt(0));
            return scalar(part);
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
    /// The sizes of inputs that a symbol is made of.
    std::vector<DimOf> dimsOf(Sym symbol) const;
    /// Is it made of numbers only, if the sizes of inputs are numbers?
    bool isMadeOfSizes(Sym symbol) const
    {
        const auto parts = partsOf(symbol);
        return std::none_of(parts.begin(), parts.end(), [&](Sym part) { return at(part).kind == Kind::Variable; });
    }
    VarHandle build(Sym symbol);
    /// Is `wanted` what build() would make? Looks at no more than `looks` applies.
    bool matches(Sym symbol, VarHandle wanted, int &looks) const;

private:
    /// A number that is itself a size is that size: the trail goes on.
    Sym scalar(VarHandle v);
    enum class Kind { Constant, Dim, Variable, Add, Sub, Mul, FloorDiv, Mod, Min, Max, Select, Less };
    struct Entry {
        Kind kind;
        std::int64_t number = 0;
        VarHandle var;
        std::pair<Sym, Sym> ab{};
        Sym c{};
    };
    static bool isLeaf(Kind kind) { return kind == Kind::Constant || kind == Kind::Dim || kind == Kind::Variable; }
    /// What a symbol is made of and itself, each once, parts first.
    std::vector<Sym> partsOf(Sym symbol) const;
    const Entry &at(Sym symbol) const { return m_entries[symbol]; }
    Sym put(Entry entry) { return m_entries.add(std::move(entry)); }
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
    Indexed<Sym, Entry> m_entries;
};

Sym GraphShapes::scalar(VarHandle v)
{
    if (const ApplyId owner = ownerOf(v); owner != kNoApply) {
        const NodeHandle node(v.graph(), owner);
        if (const Shape_i *size = node.opAs<Shape_i>()) return dimOf(node.input(0), size->axis());
        const Subtensor *element = node.opAs<Subtensor>();
        const ApplyId from = element && element->entries().size() == 1 && node.inputCount() == 2 ? ownerOf(node.input(0)) : kNoApply;
        if (from != kNoApply && NodeHandle(v.graph(), from).opAs<Shape>()) {
            const VarHandle x = NodeHandle(v.graph(), from).input(0);
            auto axis = integerOf(node.input(1));
            if (axis && *axis < 0) *axis += x.rank();
            if (axis && *axis >= 0 && *axis < x.rank()) return dimOf(x, static_cast<int>(*axis));
        }
    }
    return put({Kind::Variable, 0, v, {}, {}});
}

std::vector<GraphShapes::DimOf> GraphShapes::dimsOf(Sym symbol) const
{
    std::vector<DimOf> dims;
    for (const Sym part : partsOf(symbol))
        if (const auto dim = asDim(part)) dims.push_back(*dim);
    return dims;
}

std::vector<Sym> GraphShapes::partsOf(Sym symbol) const
{
    Indexed<Sym, bool> isPart(static_cast<std::size_t>(symbol) + 1);
    isPart[symbol] = true;
    std::size_t count = 0;
    for (std::size_t i = isPart.size(); i-- > 0;) {
        if (!isPart[Sym(i)]) continue;
        ++count;
        const Entry &entry = at(Sym(i));
        if (isLeaf(entry.kind)) continue;
        isPart[entry.ab.first] = isPart[entry.ab.second] = true;
        if (entry.kind == Kind::Select) isPart[entry.c] = true;
    }
    std::vector<Sym> parts;
    parts.reserve(count);
    for (const Sym part : isPart.ids())
        if (isPart[part]) parts.push_back(part);
    return parts;
}

VarHandle GraphShapes::build(Sym symbol)
{
    Indexed<Sym, VarHandle> built(static_cast<std::size_t>(symbol) + 1);
    for (const Sym i : partsOf(symbol)) {
        const Entry &entry = at(i);
        const auto part = [&](Sym s) { return built[s]; };
        const auto binary = [&](ScalarCode code) { return elementwise(m_edit, code, {part(entry.ab.first), part(entry.ab.second)}); };
        const auto made = [&]() -> VarHandle {
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
            case Kind::Select: return elementwise(m_edit, ScalarCode::Switch, {part(entry.ab.first), part(entry.ab.second), part(entry.c)});
            }
            return {};
        };
        built[i] = made();
    }
    return built[symbol];
}

/// The apply behind `v` if it is this scalar function, without counting as matched.
std::optional<NodeHandle> producingFunction(VarHandle v, ScalarCode code)
{
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply) return std::nullopt;
    const NodeHandle node(v.graph(), owner);
    const Elemwise *op = elemwiseOf(node);
    return op && op->is(code) ? std::optional(node) : std::nullopt;
}

bool isSizeOf(Editor &edit, VarHandle wanted, VarHandle v, int axis, int &looks);

bool GraphShapes::matches(Sym symbol, VarHandle wanted, int &looks) const
{
    if (--looks < 0) return false;
    const Entry &entry = at(symbol);
    const auto function = [&](VarHandle v, ScalarCode code, std::initializer_list<Sym> parts) {
        const auto node = producingFunction(v, code);
        if (!node || node->inputCount() != parts.size()) return false;
        std::size_t port = 0;
        return std::all_of(parts.begin(), parts.end(), [&](Sym part) { return matches(part, node->input(port++), looks); });
    };
    const auto [a, b] = entry.ab;
    switch (entry.kind) {
    case Kind::Constant: return integerOf(wanted) == entry.number;
    case Kind::Dim: return isSizeOf(m_edit, wanted, entry.var, static_cast<int>(entry.number), looks);
    case Kind::Variable: {
        if (wanted == entry.var) return true;
        const auto cast = producingFunction(wanted, ScalarCode::Cast);
        return cast && cast->input(0) == entry.var;
    }
    case Kind::Add: return function(wanted, ScalarCode::Add, {a, b});
    case Kind::Sub: return function(wanted, ScalarCode::Sub, {a, b});
    case Kind::Mul: return function(wanted, ScalarCode::Mul, {a, b});
    case Kind::FloorDiv: return function(wanted, ScalarCode::IntDiv, {a, b});
    case Kind::Mod: return function(wanted, ScalarCode::Mod, {a, b});
    case Kind::Min: return function(wanted, ScalarCode::Minimum, {a, b});
    case Kind::Max: return function(wanted, ScalarCode::Maximum, {a, b});
    case Kind::Less: {
        const auto cast = producingFunction(wanted, ScalarCode::Cast);
        return cast && function(cast->input(0), ScalarCode::Lt, {a, b});
    }
    case Kind::Select: return function(wanted, ScalarCode::Switch, {a, b, entry.c});
    }
    return false;
}

/// Follows plain "size of that axis of that variable" as far as it goes; stops at arithmetic and leaves.
SameSize follow(Editor &edit, VarHandle v, int axis)
{
    const FunctionGraph &graph = v.graph();
    SizeNotes &notes = edit.sizeNotes();
    std::vector<SameSize> way;
    SameSize at{v.id(), axis, std::nullopt};
    for (;;) {
        const VarHandle here(graph, at.var);
        if (here.type().isBroadcastable(at.axis)) {
            at.number = 1;
            break;
        }
        if (const Value *value = here.constant(); value && value->isTensor()) {
            at.number = value->tensor().shape()[at.axis];
            break;
        }
        const ApplyId owner = ownerOf(here);
        if (owner == kNoApply) break;
        if (const SameSize *noted = notes.sameSize(at.var, at.axis)) {
            const SameSize known = *noted;
            const VarId end = known.number ? known.var : edit.replacementOf(known.var);
            if (end != kNoVar) at = {end, known.axis, known.number};
            if (end == known.var) break;
            if (end != kNoVar) continue;
        }
        const NodeHandle node(graph, owner);
        GraphShapes shapes(edit, node);
        std::vector<SymShape> outputs;
        if (!node.op()->inferShape(shapes, outputs)) break;
        const std::size_t index = graph.var(at.var).index;
        if (index >= outputs.size() || static_cast<std::size_t>(at.axis) >= outputs[index].size()) break;
        const Sym symbol = outputs[index][at.axis];
        if (const auto number = shapes.known(symbol)) {
            at.number = number;
            break;
        }
        const auto dim = shapes.asDim(symbol);
        if (!dim) break;
        way.push_back(at);
        at = {dim->var.id(), dim->axis, std::nullopt};
    }
    for (const SameSize &passed : way) notes.noteSameSize(passed.var, passed.axis, at);
    return at;
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
        const auto view = std::find_if(views.begin(), views.end(), [&](const Alias &alias) { return alias.output == index; });
        if (view == views.end()) return false;
        v = node.input(view->input);
    }
}

/// f(x)[i] is as large as x[i], a view of what is there anyway: the name that stays when the index is lifted over f. Answers x.
std::optional<VarHandle> viewedOfSameSize(const NodeHandle &part)
{
    VarHandle x = part.input(0);
    while (const auto node = madeBy<Elemwise>(x)) {
        const auto inputs = node->inputs();
        const auto same = std::find_if(inputs.begin(), inputs.end(),
                                       [&](VarHandle input) { return !input.constant() && input.type().withDType(x.dtype()) == x.type(); });
        if (same == inputs.end()) return std::nullopt;
        x = *same;
    }
    if (x == part.input(0) || !isCheapView(x)) return std::nullopt;
    return x;
}

std::optional<VarHandle> viewOfSameSize(Editor &edit, VarHandle v)
{
    const auto part = madeBy<Subtensor>(v);
    const auto x = part ? viewedOfSameSize(*part) : std::nullopt;
    if (!x) return std::nullopt;
    auto inputs = part->inputs();
    inputs[0] = *x;
    return edit.make(part->op(), inputs);
}

/// Is `other` what viewOfSameSize() makes of `v`, or `v` where it makes nothing?
bool isViewOfSameSize(VarHandle other, VarHandle v)
{
    const auto producingPart = [](VarHandle var) -> std::optional<NodeHandle> {
        const ApplyId owner = ownerOf(var);
        if (owner == kNoApply || !NodeHandle(var.graph(), owner).opAs<Subtensor>()) return std::nullopt;
        return NodeHandle(var.graph(), owner);
    };
    const auto part = producingPart(v);
    const auto x = part ? viewedOfSameSize(*part) : std::nullopt;
    if (!x) return other == v;
    const auto made = producingPart(other);
    if (!made || !sameOp(*made->op(), *part->op()) || !(made->input(0) == *x)) return false;
    for (std::size_t i = 1; i < part->inputCount(); ++i)
        if (!(made->input(i) == part->input(i))) return false;
    return true;
}

} // namespace

namespace {

/// The rule that tells the size of `v`, a variable at which follow() stopped. Nothing where it is known from the array alone, and of
/// views that are there anyway, unless all that it needs are numbers.
std::optional<Sym> ruleOf(Editor &edit, VarHandle v, int axis, GraphShapes &shapes)
{
    const NodeHandle node(v.graph(), ownerOf(v));
    std::vector<SymShape> outputs;
    if (!node.op()->inferShape(shapes, outputs)) return std::nullopt;
    const Sym symbol = outputs[v.graph().var(v.id()).index][axis];
    if (!node.opAs<Subtensor>() || !isCheapView(v)) return symbol;
    const auto dims = shapes.dimsOf(symbol);
    const bool isNumber = shapes.isMadeOfSizes(symbol) &&
                          std::all_of(dims.begin(), dims.end(), [&](const auto &dim) { return follow(edit, dim.var, dim.axis).number; });
    return isNumber ? std::optional(symbol) : std::nullopt;
}

std::optional<VarHandle> notedSize(Editor &edit, VarHandle v, int axis)
{
    const VarId *noted = edit.sizeNotes().size(v.id(), axis);
    const VarId size = noted ? edit.replacementOf(*noted) : kNoVar;
    return size == kNoVar ? std::nullopt : std::optional(edit.var(size));
}

/// Sizes wait for the sizes that they are computed from, in a list: a chain of applies may be as long as it likes.
class SizeSearch {
public:
    explicit SizeSearch(Editor &edit) : m_edit(edit) {}

    VarHandle find(VarHandle v, int axis)
    {
        m_open.push_back({v, axis, {}, {}});
        VarHandle found;
        while (!m_open.empty()) {
            Open &top = m_open.back();
            if (const auto noted = notedSize(m_edit, top.var, top.axis)) {
                found = *noted;
                m_open.pop_back();
            } else if (top.shapes) {
                settle(found = top.shapes->build(top.symbol));
            } else if (const auto known = begin(top)) {
                settle(found = *known);
            }
        }
        return found;
    }

private:
    struct Open {
        VarHandle var;
        int axis;
        std::unique_ptr<GraphShapes> shapes; // once it waits
        Sym symbol{};
    };

    void settle(VarHandle size)
    {
        m_edit.sizeNotes().noteSize(m_open.back().var.id(), m_open.back().axis, size.id());
        m_open.pop_back();
    }

    /// Its size, or nothing where others have to be found first.
    std::optional<VarHandle> begin(Open &open)
    {
        const SameSize same = follow(m_edit, open.var, open.axis);
        if (same.number) return m_edit.constant(Tensor::scalarInt(DType::Int64, *same.number));
        VarHandle v = m_edit.var(same.var);
        if (const auto view = viewOfSameSize(m_edit, v)) v = *view;
        if (ownerOf(v) != kNoApply) {
            auto shapes = std::make_unique<GraphShapes>(m_edit, NodeHandle(v.graph(), ownerOf(v)));
            if (const auto rule = ruleOf(m_edit, v, same.axis, *shapes)) {
                open.symbol = *rule;
                const auto dims = shapes->dimsOf(open.symbol);
                open.shapes = std::move(shapes);
                for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) m_open.push_back({dim->var, dim->axis, {}, {}});
                return std::nullopt;
            }
        }
        return m_edit.make(makeOp<Shape_i>(same.axis), {v});
    }

    Editor &m_edit;
    std::vector<Open> m_open;
};

bool isSizeOf(Editor &edit, VarHandle wanted, VarHandle v, int axis, int &looks)
{
    if (--looks < 0) return false;
    if (const VarId *noted = edit.sizeNotes().size(v.id(), axis); noted && *noted == wanted.id()) return true;
    const SameSize same = follow(edit, v, axis);
    if (same.number) return integerOf(wanted) == *same.number;
    const VarHandle end = edit.var(same.var);
    const ApplyId maker = ownerOf(wanted);
    if (maker != kNoApply) {
        const NodeHandle node(wanted.graph(), maker);
        if (const Shape_i *op = node.opAs<Shape_i>(); op && op->axis() == same.axis && isViewOfSameSize(node.input(0), end)) return true;
    }
    if (ownerOf(end) == kNoApply) return false;
    GraphShapes shapes(edit, NodeHandle(end.graph(), ownerOf(end)));
    const auto rule = ruleOf(edit, end, same.axis, shapes);
    return rule && shapes.matches(*rule, wanted, looks);
}

} // namespace

bool isSizeOf(Editor &edit, VarHandle wanted, VarHandle v, int axis)
{
    int looks = 64; // sizes that people write are shorter
    return isSizeOf(edit, wanted, v, axis, looks);
}

VarHandle sizeOrShape(Editor &edit, VarHandle v, int axis)
{
    if (const auto noted = notedSize(edit, v, axis)) return *noted;
    return SizeSearch(edit).find(v, axis);
}

std::optional<VarHandle> sizeOf(Editor &edit, VarHandle v, int axis)
{
    const VarHandle size = sizeOrShape(edit, v, axis);
    const ApplyId maker = ownerOf(size);
    if (maker == kNoApply) return size;
    const NodeHandle node(size.graph(), maker);
    const Shape_i *op = node.opAs<Shape_i>();
    return op && op->axis() == axis && node.input(0) == v ? std::nullopt : std::optional(size);
}

std::optional<std::int64_t> knownSize(Editor &edit, VarHandle v, int axis) { return follow(edit, v, axis).number; }

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
        const SameSize x = follow(edit, a, axis), y = follow(edit, b, axis);
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
