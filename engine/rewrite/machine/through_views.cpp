#include "engine/rewrite/machine/through_views.h"

#include "engine/ops/elements/checks.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

constexpr int kMostLevels = 5, kMostLooks = 32;
constexpr std::size_t kMostViews = 3, kMostNeighbours = 12;

bool isFloatCast(const NodeHandle &node)
{
    const Elemwise *op = elemwiseOf(node);
    return op && op->is(ScalarCode::Cast) && isFloat(node.output().dtype()) && isFloat(node.input(0).dtype());
}

bool isMovable(const NodeHandle &node)
{
    if (const DimShuffle *shuffle = node.opAs<DimShuffle>()) return !shuffle->isLeftPad() || shuffle->inputRank() > 0;
    return node.opAs<Reshape>() || node.opAs<Subtensor>() || node.opAs<AdvancedSubtensor>() || node.opAs<AdvancedSubtensor1>() ||
           node.opAs<Join>() || node.opAs<Rebroadcast>() || node.opAs<SpecifyShape>() || node.opAs<Assert>() || isFloatCast(node);
}

/// The inputs whose elements it shows.
struct Shown {
    std::size_t first = 0, count = 1;
};
Shown shownBy(const NodeHandle &view) { return view.opAs<Join>() ? Shown{1, view.inputCount() - 1} : Shown{}; }

/// The same view of another array: op, places and sizes are equal.
bool showsAlike(const NodeHandle &a, const NodeHandle &b)
{
    if (a.inputCount() != b.inputCount() || !sameOp(*a.op(), *b.op())) return false;
    const Shown shown = shownBy(a);
    for (std::size_t i = 0; i < a.inputCount(); ++i)
        if ((i < shown.first || i >= shown.first + shown.count) && !(a.input(i) == b.input(i))) return false;
    return true;
}

std::optional<NodeHandle> makerOf(VarHandle v)
{
    const ApplyId owner = ownerOf(v);
    return owner == kNoApply ? std::nullopt : std::optional(NodeHandle(v.graph(), owner));
}

/// What the patterns of stabilizing rewrites are made of.
bool isWork(const NodeHandle &node)
{
    return (elemwiseOf(node) && !isFloatCast(node)) || node.opAs<CAReduce>() || node.opAs<Softmax>() || node.opAs<SoftmaxWithBias>();
}

bool showsWork(const NodeHandle &view, int depth = 0)
{
    const Shown shown = shownBy(view);
    for (std::size_t i = 0; i < shown.count; ++i) {
        const auto maker = makerOf(view.input(shown.first + i));
        if (maker && (isWork(*maker) || (depth < 3 && isMovable(*maker) && showsWork(*maker, depth + 1)))) return true;
    }
    return false;
}

/// Narrower floats lose what a function above would need.
bool narrows(const NodeHandle &view) { return isFloatCast(view) && sizeOf(view.output().dtype()) < sizeOf(view.input(0).dtype()); }

/// The view of other arrays, the first of which may broadcast otherwise; nothing where an axis to be dropped has a size of its own.
std::optional<VarHandle> shownAs(Editor &edit, const NodeHandle &view, const std::vector<VarHandle> &inputs)
{
    const DimShuffle *shuffle = view.opAs<DimShuffle>();
    if (!shuffle) return edit.make(view.op(), inputs);
    for (int axis = 0; axis < inputs[0].rank(); ++axis) {
        const bool isKept = std::find(shuffle->order().begin(), shuffle->order().end(), axis) != shuffle->order().end();
        if (!isKept && !inputs[0].type().isBroadcastable(axis)) return std::nullopt;
    }
    return dimshuffle(edit, inputs[0], shuffle->order());
}

class Search {
public:
    explicit Search(const NodeHandle &root) { look(root, 0); }
    std::vector<ViewMove> moves() const
    {
        std::vector<ViewMove> all;
        for (const NodeHandle &view : m_views) {
            // An index is better taken before the work than behind it.
            const bool isPart = view.opAs<Subtensor>() || view.opAs<AdvancedSubtensor>() || view.opAs<AdvancedSubtensor1>();
            const bool canGoDown = isPart || view.opAs<DimShuffle>() || view.opAs<Reshape>() || (isFloatCast(view) && !narrows(view));
            if (isPart) all.push_back({view.id(), false});
            all.push_back({view.id(), true});
            if (canGoDown && !isPart) all.push_back({view.id(), false});
        }
        return all;
    }

private:
    void look(const NodeHandle &node, int depth)
    {
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
            if (--m_looks < 0) return;
            const auto maker = makerOf(node.input(i));
            if (!maker) continue;
            if (isMovable(*maker)) {
                const auto isKnown = [&](const NodeHandle &other) { return showsAlike(other, *maker); };
                if (m_views.size() < kMostViews && showsWork(*maker) && std::none_of(m_views.begin(), m_views.end(), isKnown))
                    m_views.push_back(*maker);
            } else if (depth < kMostLevels && elemwiseOf(*maker)) {
                look(*maker, depth + 1);
            }
        }
    }

    int m_looks = kMostLooks;
    std::vector<NodeHandle> m_views;
};

/// The tree of functions above a view, built again where the view is moved.
class Move {
public:
    Move(const NodeHandle &view, Editor &edit) : m_view(view), m_edit(edit) {}

    /// f(V(a), V(b), 1) as f(a, b, 1): of a join, its part `part`.
    std::optional<VarHandle> under(VarHandle v, std::size_t part, int depth = 0)
    {
        const auto maker = makerOf(v);
        if (!maker || (isFloatCast(m_view) && isComplex(v.dtype()))) return std::nullopt; // no cast leads back from a complex result
        if (showsAlike(*maker, m_view)) {
            v.owner();
            return maker->input(shownBy(*maker).first + part);
        }
        if (const DimShuffle *shuffle = maker->opAs<DimShuffle>())
            return isFloatCast(m_view) && shuffle->isLeftPad() ? under(maker->input(0), part, depth + 1) : unshuffled(v);
        const Elemwise *op = elemwiseOf(*maker);
        if (!op || isMovable(*maker) || maker->outputCount() != 1 || depth > kMostLevels) return std::nullopt;
        std::vector<VarHandle> inputs;
        std::optional<VarHandle> first;
        for (const VarHandle &input : maker->inputs()) {
            const bool isWhole = input.type().pattern() == v.type().pattern() || m_view.opAs<DimShuffle>() || isFloatCast(m_view);
            const auto inner = isWhole ? under(input, part, depth + 1) : std::nullopt;
            const auto alone = inner ? std::nullopt : single(input);
            if (!inner && !alone) return std::nullopt;
            inputs.push_back(inner ? *inner : *alone);
            if (!inner) continue;
            if (first && !fits(*first, *inner)) return std::nullopt;
            if (!first) first = inner;
        }
        if (!first) return std::nullopt;
        v.owner();
        return made(op, inputs);
    }

    /// V(g(a, b)) as g(V(a), V(b)), wherever below v that stands.
    VarHandle below(VarHandle v, int depth = 0)
    {
        const auto maker = makerOf(v);
        if (!maker || depth > kMostLevels) return v;
        if (showsAlike(*maker, m_view)) {
            const auto inner = makerOf(maker->input(0));
            if (!inner) return v;
            const auto moved = onOperands(*maker, *inner, depth);
            if (moved) v.owner();
            return moved.value_or(v);
        }
        const Elemwise *op = elemwiseOf(*maker);
        if (!op || isMovable(*maker) || maker->outputCount() != 1) return v;
        std::vector<VarHandle> inputs;
        bool isChanged = false;
        for (const VarHandle &input : maker->inputs()) {
            inputs.push_back(below(input, depth + 1));
            isChanged |= !(inputs.back() == input);
        }
        if (!isChanged) return v;
        v.owner();
        return made(op, inputs);
    }

    const std::vector<ApplyId> &functions() const { return m_made; }

private:
    VarHandle made(const Elemwise *op, const std::vector<VarHandle> &inputs)
    {
        const VarHandle out = elementwise(m_edit, op->scalar(), inputs);
        m_made.push_back(ownerOf(out));
        return out;
    }

    /// One element that meets all of them, without axes.
    std::optional<VarHandle> single(VarHandle v)
    {
        const auto value = isComplex(v.dtype()) ? std::nullopt : constantValue(v);
        if (!isSingle(v) && (!value || isDiscrete(v.dtype()))) return std::nullopt;
        if (value) {
            // A number that stands beside a wider array is wider than the narrow one needs.
            DType dtype = v.dtype();
            if (isFloatCast(m_view) && dtype == m_view.output().dtype()) {
                dtype = m_view.input(0).dtype();
                const Tensor narrow = Tensor::full(dtype, {}, *value);
                if (narrow.at(0) != *value) return v.rank() == 0 ? std::optional(v) : std::nullopt;
            }
            if (isDiscrete(dtype)) return dimshuffle(m_edit, v, {});
            return constantLike(m_edit, dtype, 0, *value);
        }
        if (isFloatCast(m_view) && v.dtype() == m_view.output().dtype()) return std::nullopt;
        return v.rank() == 0 ? v : dimshuffle(m_edit, v, {});
    }

    /// What a permutation of axes, which has an inverse, shows as v.
    std::optional<VarHandle> unshuffled(VarHandle v)
    {
        const DimShuffle *view = m_view.opAs<DimShuffle>();
        if (!view || view->order().size() != static_cast<std::size_t>(view->inputRank())) return std::nullopt;
        std::vector<int> inverse(view->order().size());
        for (std::size_t i = 0; i < inverse.size(); ++i) {
            if (view->order()[i] == DimShuffle::kNewAxis) return std::nullopt;
            inverse[static_cast<std::size_t>(view->order()[i])] = static_cast<int>(i);
        }
        return dimshuffle(m_edit, v, std::move(inverse));
    }

    /// Do two arrays below equal views meet element by element?
    bool fits(VarHandle a, VarHandle b)
    {
        if (isFloatCast(m_view)) return true;
        if (a.rank() != b.rank()) return false;
        if (m_view.opAs<DimShuffle>()) return true; // an axis of size 1 is one on both sides
        if (!(a.type().pattern() == b.type().pattern())) return false;
        return keepsSizes() || meet(a, b) || sameShape(m_edit, a, b);
    }

    /// Is one array among the operands of both?
    static bool meet(VarHandle a, VarHandle b)
    {
        const std::vector<VarHandle> left = sameSized(a), right = sameSized(b);
        return std::any_of(left.begin(), left.end(),
                           [&](const VarHandle &v) { return std::find(right.begin(), right.end(), v) != right.end(); });
    }
    /// v and what it is a function of, element by element.
    static std::vector<VarHandle> sameSized(VarHandle v)
    {
        std::vector<VarHandle> all{v};
        for (std::size_t i = 0; i < all.size() && all.size() < 16; ++i) {
            const auto maker = makerOf(all[i]);
            if (!maker || !elemwiseOf(*maker)) continue;
            for (const VarHandle &operand : maker->inputs())
                if (operand.type().pattern() == v.type().pattern()) all.push_back(operand);
        }
        return all;
    }

    /// x[::-1]
    bool keepsSizes() const
    {
        if (!m_view.opAs<Subtensor>()) return false;
        const IndexParts parts = partsOf(m_view);
        return std::all_of(parts.begin(), parts.end(), [](const IndexPart &part) {
            return part.isFull() || (part.isSlice && !part.start && !part.stop && knownInteger(part.step) == -1);
        });
    }

    std::optional<VarHandle> onOperands(const NodeHandle &view, const NodeHandle &inner, int depth)
    {
        const Elemwise *op = elemwiseOf(inner);
        if (!op || isMovable(inner) || inner.outputCount() != 1) return std::nullopt;
        const VarHandle shown = inner.output();
        std::vector<VarHandle> inputs;
        std::optional<VarHandle> first;
        for (const VarHandle &input : inner.inputs()) {
            if (isFloatCast(view)) {
                inputs.push_back(isFloat(input.dtype()) ? below(castTo(m_edit, input, view.output().dtype()), depth + 1) : input);
                continue;
            }
            if (isSingle(input)) {
                inputs.push_back(input.rank() == 0 ? input : dimshuffle(m_edit, input, {}));
                continue;
            }
            if (input.rank() != shown.rank() || (first && !view.opAs<Subtensor>() && !fits(*first, input))) return std::nullopt;
            if (!view.opAs<DimShuffle>() && !(input.type().pattern() == shown.type().pattern())) return std::nullopt;
            if (!first) first = input;
            const auto old = view.inputs();
            std::vector<VarHandle> operands(old.begin(), old.end());
            operands[0] = input;
            const auto moved = shownAs(m_edit, view, operands);
            if (!moved) return std::nullopt;
            inputs.push_back(below(*moved, depth + 1));
        }
        return made(op, inputs);
    }

    const NodeHandle m_view;
    Editor &m_edit;
    std::vector<ApplyId> m_made;
};

void addFunctions(std::vector<ApplyId> &all, const NodeHandle &node, int depth)
{
    for (const VarHandle &input : node.inputs()) {
        const auto maker = makerOf(input);
        if (!maker || !elemwiseOf(*maker) || all.size() >= kMostNeighbours) continue;
        if (std::find(all.begin(), all.end(), maker->id()) == all.end()) all.push_back(maker->id());
        if (depth > 0) addFunctions(all, *maker, depth - 1);
    }
}

std::vector<ApplyId> withOperands(const FunctionGraph &graph, const std::vector<ApplyId> &roots)
{
    std::vector<ApplyId> all = roots;
    for (const ApplyId root : roots) addFunctions(all, NodeHandle(graph, root), 1);
    return all;
}

} // namespace

VarHandle withoutViews(VarHandle v)
{
    for (auto maker = makerOf(v); maker && isMovable(*maker); maker = makerOf(v)) v = maker->input(shownBy(*maker).first);
    return v;
}

std::vector<ViewMove> viewMoves(const NodeHandle &root)
{
    if (!elemwiseOf(root) || isMovable(root)) return {};
    return Search(root).moves();
}

std::optional<ViewMove> nextMove(const NodeHandle &root, bool goesUp)
{
    const std::vector<ViewMove> moves = viewMoves(root);
    const auto found = std::find_if(moves.begin(), moves.end(), [&](const ViewMove &move) { return move.goesUp == goesUp; });
    return found == moves.end() ? std::nullopt : std::optional(*found);
}

std::vector<ApplyId> moveView(const NodeHandle &root, const ViewMove &move, Editor &edit)
{
    const NodeHandle view = edit.node(move.view);
    const VarHandle out = root.output();
    Move one(view, edit);
    std::vector<ApplyId> roots;
    VarHandle after = out;
    if (move.goesUp) {
        const Shown places = shownBy(view);
        const auto old = view.inputs();
        std::vector<VarHandle> inputs(old.begin(), old.end());
        for (std::size_t part = 0; part < places.count; ++part) {
            const auto inner = one.under(out, part);
            if (!inner) return {};
            inputs[places.first + part] = *inner;
            roots.push_back(ownerOf(*inner));
        }
        const auto shown = shownAs(edit, view, inputs);
        if (!shown) return {};
        after = *shown;
    } else {
        after = one.below(out);
        roots.assign(one.functions().rbegin(), one.functions().rend());
    }
    if (after == out || !(after.type() == out.type()) || roots.empty()) return {};
    edit.replace(out, after);
    return withOperands(edit.graph(), roots);
}

REWRITE(croton_stabilize_through_views, Phase::Stabilize)
    .why("a view between the parts of a pattern hides it: log(reshape(1 + exp(x))) is reshape(softplus(x)), which does not overflow")
    .hurts("what the view stands on is computed again where others read it as well")
    .improves("what the rewrite that fires then improves")
    .example("x: dmatrix; log(reshape(1 + exp(x), -1))", "x: dmatrix; reshape(log1p(exp(x)), -1)")
    .with({"local_log1p"})
    .nearMiss("x: dmatrix; log(reshape(2 + exp(x), -1))")
    .also({Phase::Useless})
    .tag("croton")
    .movesViews();

} // namespace engine
