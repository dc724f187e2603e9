#include "engine/ops/reductions/topk.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/reductions/line_order.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// Picks the best `count` of a line. Only candidates are kept: those better than the worst of the best so far.
template <class T>
class Selection {
public:
    struct Item {
        radix::Key<T> key;
        std::int64_t place;
    };

    Selection(std::int64_t count, bool largest) : m_count(static_cast<std::size_t>(count)), m_largest(largest), m_room(2 * m_count + kFew)
    {
        m_items.reserve(m_room);
    }

    /// In ascending order; equal elements as they stand in the line.
    std::span<const Item> of(const T *line, std::int64_t length)
    {
        m_items.clear();
        m_hasBound = false;
        for (std::int64_t first = 0; first < length; first += kBlock) {
            const std::int64_t end = std::min(first + kBlock, length);
            m_pace.did(end - first);
            take(line, first, end);
        }
        cut();
        std::sort(m_items.begin(), m_items.end(), ahead());
        return m_items;
    }

private:
    static constexpr std::int64_t kBlock = 4096, kFew = 64;

    void take(const T *line, std::int64_t first, std::int64_t end)
    {
        for (std::int64_t i = first; i < end; i += kFew) {
            const std::int64_t few = std::min(kFew, end - i);
            unsigned any = !m_hasBound; // without branches: most of a long line is behind the bound
            for (std::int64_t j = 0; j < few; ++j) any |= isAhead(radix::orderedKeyOf(line[i + j]));
            if (any) takeFew(line, i, i + few);
        }
    }

    /// It stands behind all that are there: of equal ones it is the larger.
    bool isAhead(radix::Key<T> key) const { return m_largest ? key >= m_bound : key < m_bound; }

    void takeFew(const T *line, std::int64_t first, std::int64_t end)
    {
        for (std::int64_t i = first; i < end; ++i) {
            const radix::Key<T> key = radix::orderedKeyOf(line[i]);
            if (m_hasBound && !isAhead(key)) continue;
            m_items.push_back({key, i});
            if (m_items.size() == m_room) cut();
        }
    }

    void cut()
    {
        if (m_items.size() <= m_count) return;
        const auto worst = m_items.begin() + static_cast<std::ptrdiff_t>(m_count - 1);
        if (m_largest)
            std::nth_element(m_items.begin(), worst, m_items.end(), [less = ahead()](const Item &a, const Item &b) { return less(b, a); });
        else std::nth_element(m_items.begin(), worst, m_items.end(), ahead());
        m_bound = worst->key;
        m_hasBound = true;
        m_items.resize(m_count);
    }

    auto ahead()
    {
        return [this](const Item &a, const Item &b) {
            m_pace.did(1);
            return a.key != b.key ? a.key < b.key : a.place < b.place;
        };
    }

    std::size_t m_count;
    bool m_largest, m_hasBound = false;
    std::size_t m_room;
    radix::Key<T> m_bound{};
    std::vector<Item> m_items;
    Pace m_pace;
};

} // namespace

void wantTop(std::int64_t k, std::int64_t size)
{
    if (k == 0 || k > size || k < -size)
        throw ShapeMismatch("topk: kth cannot be zero, nor larger than the size of the axis: it is " + std::to_string(k) +
                            ", and the axis has " + std::to_string(size) + " elements");
}

std::string TopKOp::exactName() const
{
    return "TopKOp{axis=" + std::to_string(m_axis) + ", sorted=" + (m_sorted ? "True" : "False") + "}";
}

std::string TopKOp::identity() const
{
    return exactName() + (hasValues() ? " values" : "") + (hasPlaces() ? " places " + std::string(nameOf(m_places)) : "");
}

std::vector<Type> TopKOp::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, k = inputs[1].type;
    wantOrdered("topk", x);
    if (!hasValues() && !hasPlaces()) throw UserError("[topk] neither values nor places are wanted");
    if (m_axis >= x.rank() || m_axis < -x.rank())
        throw ShapeMismatch("[topk] axis " + std::to_string(m_axis) + " is out of range for " + x.text());
    if (!k.isTensor() || k.rank() != 0 || !isInteger(k.dtype())) throw TypeMismatch("[topk] k must be an integer scalar, got " + k.text());
    std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
    const std::size_t axis = axisIn(sizes.size());
    if (sizes[axis] != 1) // of one there is one
        sizes[axis] = inputs[1].constant ? std::abs(inputs[1].constant->tensor().intAt(0)) : -1;
    if (sizes[axis] == 1 && !x.isBroadcastable(static_cast<int>(axis))) sizes[axis] = -1; // as in Theano
    std::vector<Type> types;
    if (hasValues()) types.push_back(Type::tensor(x.dtype(), sizes));
    if (hasPlaces()) types.push_back(Type::tensor(m_places, sizes));
    return types;
}

bool TopKOp::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const auto k = shapes.value(1);
    if (!k) return false;
    SymShape sizes = shapes.sizesOf(0);
    sizes[axisIn(sizes.size())] = shapes.max(*k, shapes.sub(shapes.constant(0), *k));
    outputs.assign(hasValues() && hasPlaces() ? 2 : 1, sizes);
    return true;
}

std::vector<IndexItem> TopKOp::sources(const Apply &node) const
{
    const VarRef &x = node.input(0);
    const auto rank = static_cast<std::size_t>(x->type().rank()), axis = axisIn(rank);
    const VarRef places =
        hasPlaces() ? VarRef(node.output(hasValues() ? 1 : 0)) : topK(x, node.input(1), m_axis, m_sorted, DType::Int64, false, true)[0];
    std::vector<IndexItem> items;
    for (std::size_t i = 0; i < rank; ++i) {
        if (i == axis) {
            items.push_back(IndexItem::array(places));
            continue;
        }
        std::vector<int> order(rank, DimShuffle::kNewAxis);
        order[i] = 0;
        items.push_back(IndexItem::array(dimshuffle(arange(shapeOf(x, static_cast<int>(i))), order)));
    }
    return items;
}

std::vector<VarRef> TopKOp::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    const VarRef noK = undefinedGradient("topk: k is not differentiable");
    const DType dtype = x->type().dtype();
    if (!hasValues() || isDiscrete(dtype)) return {zerosLike(x, isDiscrete(dtype) ? floatX() : dtype), noK};
    if (isDisconnected(outputGrads[0])) return {zerosLike(x), noK};
    return {incSubtensor(subtensor(zerosLike(x), sources(node)), outputGrads[0]), noK};
}

std::vector<VarRef> TopKOp::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    std::vector<VarRef> result(hasValues() && hasPlaces() ? 2 : 1);
    if (hasValues() && evalPoints[0]) result[0] = subtensor(evalPoints[0], sources(node));
    return result;
}

Cost TopKOp::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return {2.0 * static_cast<double>(inputs[0].product())}; }

void TopKOp::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t k = scalarInt(args.inputs[1]);
    const auto axis = static_cast<int>(axisIn(static_cast<std::size_t>(x.rank)));
    const std::int64_t length = x.shape[axis], count = std::abs(k);
    wantTop(k, length);
    Dims shape = shapeOfView(x);
    shape[static_cast<std::size_t>(axis)] = count;
    const View *valuesOut = hasValues() ? &output(args, 0, shape) : nullptr;
    const View *placesOut = hasPlaces() ? &output(args, hasValues() ? 1 : 0, shape) : nullptr;
    if (x.size() == 0) return;
    const Lines from(x, axis);
    withOrdered(x.dtype, [&]<class T>(DType work) {
        const Dense<T> values(from.view(x), work);
        std::optional<DenseOutput<T>> best;
        std::optional<DenseOutput<std::int64_t>> places;
        const auto lines = [&](const View &out) { return Lines(out, axis); };
        std::optional<Lines> ofValues, ofPlaces;
        if (valuesOut) best.emplace(ofValues.emplace(lines(*valuesOut)).view(*valuesOut), work);
        if (placesOut) places.emplace(ofPlaces.emplace(lines(*placesOut)).view(*placesOut), DType::Int64);
        Selection<T> selection(count, k > 0);
        for (std::int64_t l = 0; l < x.size() / length; ++l) {
            const T *line = values.data() + l * length;
            std::int64_t to = l * count;
            for (const auto &item : selection.of(line, length)) {
                if (best) (*best)[to] = line[item.place];
                if (places) (*places)[to] = item.place;
                ++to;
            }
        }
        if (best) best->finish();
        if (places) places->finish();
    });
}

std::vector<VarRef> topK(const VarRef &x, const VarRef &k, int axis, bool sorted, DType places, bool hasValues, bool hasPlaces)
{
    const VarRef inputs[] = {x, k};
    const ApplyRef node = Apply::create(makeOp<TopKOp>(axis, sorted, places, hasValues, hasPlaces), inputs);
    std::vector<VarRef> outputs;
    for (int o = 0; o < (hasValues && hasPlaces ? 2 : 1); ++o) outputs.push_back(VarRef(node->output(o)));
    return outputs;
}

OP_CARD(TopKOp, Sort, arity(2), number("axis", &TopKOp::axis, -kMaxRank, kMaxRank - 1), parameter("sorted", &TopKOp::sorted),
        parameter("idx_dtype", &TopKOp::placesDType), parameter("values", &TopKOp::hasValues), parameter("places", &TopKOp::hasPlaces));

namespace {

std::vector<VarRef> called(NotationCall &call, bool hasValues, bool hasPlaces)
{
    const VarRef x = call.variable("x"), k = call.variable("k");
    const int axis = call.axisIfGiven("axis", x->type().rank()).value_or(-1);
    return topK(x, k, axis, true, DType::Int64, hasValues, hasPlaces);
}

} // namespace

NOTATION("top_k(x, k, axis=-1, sorted=True, places='int64', has_values=True, has_places=True)", topK);
NOTATION("TopKOp(x, k, axis=-1)[0]",
         [](NotationCall &call) -> NotationValue { return NotationValue::ofVariables(called(call, true, true)); });
NOTATION("topk(x, k, axis=-1)", [](NotationCall &call) -> NotationValue { return called(call, true, false)[0]; });
NOTATION("argtopk(x, k, axis=-1)", [](NotationCall &call) -> NotationValue { return called(call, false, true)[0]; });

} // namespace engine
