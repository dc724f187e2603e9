#include "engine/onnx/model/call.h"

#include "engine/onnx/model/reader.h"
#include "engine/onnx/model/tensors.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/known_sizes.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"

#include <algorithm>
#include <numeric>

namespace engine::onnx {

Call::Call(Reader &reader, Scope &scope, const proto::NodeProto &node, std::int64_t opset, std::string place)
    : m_reader(reader), m_scope(scope), m_node(node), m_opset(opset), m_place(std::move(place))
{
    for (const std::string &name : node.input()) {
        VarRef value;
        if (!name.empty() && !(value = scope.find(name)))
            fail("reads \"" + name + "\", which no node before it makes: the nodes are in the wrong order, or stand in a circle");
        m_inputs.push_back(std::move(value));
    }
}

void Call::fail(const std::string &why) const { throw ModelError(m_place + " " + why); }

const VarRef &Call::in(int input) const
{
    if (!has(input)) fail("lacks its input " + std::to_string(input));
    return m_inputs[static_cast<std::size_t>(input)];
}

// --- attributes ---------------------------------------------------------------------------------------------

const proto::AttributeProto *Call::find(const char *name) const
{
    for (const auto &attribute : m_node.attribute()) {
        if (attribute.name() != name) continue;
        if (attribute.ref_attr_name().empty()) return &attribute;
        for (const Scope *scope = &m_scope; scope; scope = scope->outer())
            if (const auto found = scope->attributes.find(attribute.ref_attr_name()); found != scope->attributes.end())
                return found->second;
        return nullptr;
    }
    return nullptr;
}

const proto::AttributeProto &Call::need(const char *name) const
{
    const proto::AttributeProto *found = find(name);
    if (!found) fail(std::string("lacks the attribute ") + name);
    return *found;
}

std::int64_t Call::integer(const char *name, std::int64_t otherwise) const
{
    const auto *found = find(name);
    return found ? found->i() : otherwise;
}
std::int64_t Call::integer(const char *name) const { return need(name).i(); }
double Call::number(const char *name, double otherwise) const
{
    const auto *found = find(name);
    return found ? static_cast<double>(found->f()) : otherwise;
}
std::string Call::text(const char *name, const std::string &otherwise) const
{
    const auto *found = find(name);
    return found ? found->s() : otherwise;
}
Ints Call::integers(const char *name, const Ints &otherwise) const
{
    const auto *found = find(name);
    return found ? Ints(found->ints().begin(), found->ints().end()) : otherwise;
}
std::vector<double> Call::numbers(const char *name) const
{
    const auto *found = find(name);
    return found ? std::vector<double>(found->floats().begin(), found->floats().end()) : std::vector<double>();
}
std::vector<std::string> Call::texts(const char *name) const
{
    const auto *found = find(name);
    return found ? std::vector<std::string>(found->strings().begin(), found->strings().end()) : std::vector<std::string>();
}
Tensor Call::tensor(const char *name) const { return m_reader.tensorOf(need(name).t(), m_place + ": the attribute " + name); }
const proto::GraphProto &Call::graph(const char *name) const
{
    const auto &attribute = need(name);
    if (!attribute.has_g()) fail(std::string("has an attribute ") + name + " that is no graph");
    return attribute.g();
}
DType Call::type(const char *name, DType otherwise) const
{
    const auto *found = find(name);
    return found ? dtypeOf(static_cast<std::int32_t>(found->i()), m_place) : otherwise;
}
bool Call::isBFloat16(const char *name) const { return onnx::isBFloat16(static_cast<std::int32_t>(integer(name, 0))); }

// --- values while it is read --------------------------------------------------------------------------------

std::optional<Tensor> Call::known(const VarRef &variable) const { return m_reader.known(variable); }

Tensor Call::constant(const VarRef &variable, const char *what) const
{
    if (const auto value = known(variable)) return *value;
    const std::string input = m_reader.inputBelow(variable);
    if (input.empty()) fail(std::string("needs ") + what + " before it runs, but that is computed in a loop");
    throw ValueNeeded(m_place + " needs " + what + " before it runs, but that depends on the input \"" + input + "\"", input);
}

Tensor Call::constant(int input) const { return constant(in(input), ("the value of its input " + std::to_string(input)).c_str()); }

namespace {
Ints intsIn(const Tensor &tensor)
{
    Ints result;
    for (std::int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.intAt(i));
    return result;
}
} // namespace

Ints Call::constantInts(int input) const { return intsIn(constant(input)); }

std::optional<Ints> Call::intsOf(const char *name, int input) const
{
    if (find(name)) return integers(name);
    if (has(input)) return constantInts(input);
    return std::nullopt;
}

int Call::axis(std::int64_t axis, int rank) const
{
    if (axis < -rank || axis >= rank) fail("has the axis " + std::to_string(axis) + " for an array of " + std::to_string(rank) + " axes");
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> Call::axes(const Ints &given, int rank) const
{
    std::vector<int> result;
    for (const std::int64_t one : given) result.push_back(axis(one, rank));
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) fail("names an axis twice");
    return result;
}

// --- the table ----------------------------------------------------------------------------------------------

namespace {
std::vector<OpRow> &rows()
{
    static std::vector<OpRow> table;
    return table;
}
} // namespace

OpRows::OpRows(std::initializer_list<OpRow> added) { rows().insert(rows().end(), added.begin(), added.end()); }

const std::vector<OpRow> &OpRows::all()
{
    auto &table = rows();
    std::sort(table.begin(), table.end(), [](const OpRow &a, const OpRow &b) {
        return std::tuple(std::string_view(a.domain), std::string_view(a.name), a.since) <
               std::tuple(std::string_view(b.domain), std::string_view(b.name), b.since);
    });
    return table;
}

const OpRow *OpRows::find(const std::string &domain, const std::string &name, std::int64_t opset)
{
    const OpRow *best = nullptr;
    for (const OpRow &row : rows())
        if (domain == row.domain && name == row.name && row.since <= opset && (!best || row.since > best->since)) best = &row;
    return best;
}

// --- what many ops are made of ------------------------------------------------------------------------------

Ints sizesOf(const VarRef &a)
{
    const auto shape = a->type().shape();
    return Ints(shape.begin(), shape.end());
}

VarRef number(DType dtype, double value) { return constantOf(dtype, value); }
VarRef int64(std::int64_t value) { return Variable::constant(Tensor::scalarInt(DType::Int64, value)); }
VarRef intVector(std::span<const std::int64_t> values) { return Variable::constant(Tensor::fromInts(values)); }

VarRef sizeOf(const VarRef &a, int axis)
{
    const std::int64_t size = a->type().shape()[static_cast<std::size_t>(axis)];
    return size == kUnknownDim ? shapeOf(a, axis) : int64(size);
}

Vars allSizes(const VarRef &a)
{
    Vars sizes;
    for (int axis = 0; axis < a->type().rank(); ++axis) sizes.push_back(sizeOf(a, axis));
    return sizes;
}

VarRef pinned(const VarRef &a)
{
    if (!a || !a->type().isTensor() || a->kind() != Variable::Kind::Output) return a;
    Ints sizes = sizesOf(a);
    if (std::find(sizes.begin(), sizes.end(), kUnknownDim) == sizes.end()) return a;
    const auto known = knownSizes(a);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] = known[axis].value_or(kUnknownDim);
    return pinned(a, sizes);
}

VarRef pinned(const VarRef &a, std::span<const std::int64_t> sizes)
{
    const Type type = a->type();
    const std::string name = a->name();
    VarRef result = a;
    std::vector<std::pair<int, bool>> ones;
    bool isNew = false;
    Ints hints = sizesOf(a);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (hints[axis] != kUnknownDim || sizes[axis] == kUnknownDim) continue;
        if (sizes[axis] == 1) ones.emplace_back(static_cast<int>(axis), true);
        else isNew = true, hints[axis] = sizes[axis];
    }
    if (isNew && a->owner() && a->owner()->outputCount() == 1) {
        const Type hinted = type.withShape(hints);
        result = VarRef(Apply::create(a->owner()->opRef(), a->owner()->inputs(), std::span(&hinted, 1))->output());
    }
    if (!ones.empty()) result = rebroadcast(result, ones);
    if (result.get() != a.get() && !name.empty()) result->setName(name);
    return result;
}

VarRef reshapeTo(const VarRef &a, const Vars &sizes) { return pinned(reshape(a, std::span<const VarRef>(sizes))); }

VarRef permuted(const VarRef &a, std::vector<int> order)
{
    bool isSame = static_cast<int>(order.size()) == a->type().rank();
    for (std::size_t i = 0; isSame && i < order.size(); ++i) isSame = order[i] == static_cast<int>(i);
    return isSame ? a : dimshuffle(a, std::move(order));
}

VarRef withAxes(const VarRef &a, const std::vector<int> &axes)
{
    std::vector<int> order(static_cast<std::size_t>(a->type().rank()) + axes.size(), 0);
    for (const int axis : axes) order[static_cast<std::size_t>(axis)] = DimShuffle::kNewAxis;
    int next = 0;
    for (int &place : order)
        if (place != DimShuffle::kNewAxis) place = next++;
    return permuted(a, std::move(order));
}

VarRef alongChannels(const VarRef &vector, int rank)
{
    std::vector<int> order(static_cast<std::size_t>(rank), DimShuffle::kNewAxis);
    order[1] = 0;
    return permuted(vector, std::move(order));
}

VarRef sliced(const VarRef &a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step)
{
    std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
    items.push_back(IndexItem::slice(int64(start), int64(stop), step == 1 ? VarRef() : int64(step)));
    return pinned(subtensor(a, items));
}

VarRef picked(const VarRef &a, int axis, const Ints &places) { return take(a, intVector(places), axis); }

namespace {
bool isOne(const VarRef &size) { return size->kind() == Variable::Kind::Constant && size->value().tensor().intAt(0) == 1; }
} // namespace

VarRef matMul(const VarRef &a, const VarRef &b)
{
    const int left = a->type().rank(), right = b->type().rank();
    if (left == 0 || right == 0) throw ShapeMismatch("a matrix product has no operands without axes");
    if (left <= 2 && right <= 2) return dot(a, b);
    if (right == 1) {
        const int axes[] = {left - 1}, other[] = {0};
        return tensordot(a, b, axes, other);
    }
    const auto sizesBroadcast = [&](int rank) { // of the leading axes
        Vars sizes;
        for (int i = 0; i < rank - 2; ++i) {
            const int inLeft = i - (rank - left), inRight = i - (rank - right);
            const bool leftOne = inLeft < 0 || a->type().isBroadcastable(inLeft);
            sizes.push_back(leftOne && inRight >= 0 ? sizeOf(b, inRight) : inLeft >= 0 ? sizeOf(a, inLeft) : int64(1));
        }
        return sizes;
    };
    if (left == 1) { // a row, which goes again
        const VarRef product = matMul(withAxes(a, {0}), b);
        std::vector<int> order;
        for (int i = 0; i < product->type().rank(); ++i)
            if (i != product->type().rank() - 2) order.push_back(i);
        return dimshuffle(pinned(product), order);
    }
    bool isMatrix = right == 2;
    if (isMatrix) { // rows of all matrices are rows of one
        const VarRef rows = reshapeTo(a, {int64(-1), sizeOf(a, left - 1)});
        Vars sizes = allSizes(a);
        sizes.back() = sizeOf(b, 1);
        return reshapeTo(dot(rows, b), sizes);
    }
    const int rank = std::max(left, right);
    const Vars batch = sizesBroadcast(rank);
    const auto flat = [&](const VarRef &x) {
        const int own = x->type().rank();
        bool isWhole = own == rank;
        for (int i = 0; isWhole && i < rank - 2; ++i) isWhole = !x->type().isBroadcastable(i) || isOne(batch[static_cast<std::size_t>(i)]);
        VarRef wide = x;
        if (!isWhole) {
            Vars sizes = batch;
            sizes.push_back(sizeOf(x, own - 2));
            sizes.push_back(sizeOf(x, own - 1));
            wide = alloc(x, sizes);
        }
        VarRef count = int64(1);
        bool areKnown = true;
        std::int64_t product = 1;
        for (const VarRef &size : batch) {
            areKnown = areKnown && size->kind() == Variable::Kind::Constant;
            if (areKnown) product *= size->value().tensor().intAt(0);
            else count = mul(count, size);
        }
        return reshapeTo(wide, {areKnown ? int64(product) : int64(-1), sizeOf(x, own - 2), sizeOf(x, own - 1)});
    };
    Vars sizes = batch;
    sizes.push_back(sizeOf(a, left - 2));
    sizes.push_back(sizeOf(b, right - 1));
    return reshapeTo(batchedDot(flat(a), flat(b)), sizes);
}

VarRef softmaxOver(const VarRef &a, int axis, bool logarithm)
{
    const int rank = a->type().rank();
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(axis)], order[static_cast<std::size_t>(rank - 1)]);
    const VarRef last = permuted(a, order);
    const VarRef rows = rank == 2 ? last : reshapeTo(last, {int64(-1), sizeOf(last, rank - 1)});
    const VarRef result = logarithm ? logSoftmax(rows) : softmax(rows);
    return permuted(rank == 2 ? result : reshapeTo(result, allSizes(last)), order);
}

VarRef padded(const VarRef &a, const Ints &before, const Ints &after, const VarRef &value)
{
    Vars sizes;
    std::vector<IndexItem> items;
    bool isSame = true;
    for (int axis = 0; axis < a->type().rank(); ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const VarRef size = sizeOf(a, axis);
        isSame = isSame && !before[i] && !after[i];
        const bool isKnown = size->kind() == Variable::Kind::Constant;
        const std::int64_t known = isKnown ? size->value().tensor().intAt(0) : 0;
        sizes.push_back(isKnown ? int64(known + before[i] + after[i]) : add(size, int64(before[i] + after[i])));
        items.push_back(IndexItem::slice(int64(before[i]), isKnown ? int64(known + before[i]) : add(size, int64(before[i]))));
    }
    if (isSame) return a;
    const VarRef whole = pinned(alloc(cast(value, a->type().dtype()), sizes));
    return setSubtensor(subtensor(whole, items), a);
}

std::vector<IndexItem> alongAxis(const VarRef &a, const VarRef &places, int axis)
{
    const int rank = places->type().rank();
    if (rank != a->type().rank()) throw ShapeMismatch("places along an axis need an array of as many axes as the array has");
    std::vector<IndexItem> items;
    for (int i = 0; i < rank; ++i) {
        if (i == axis) {
            items.push_back(IndexItem::array(places));
            continue;
        }
        std::vector<int> order(static_cast<std::size_t>(rank), DimShuffle::kNewAxis);
        order[static_cast<std::size_t>(i)] = 0;
        items.push_back(IndexItem::array(dimshuffle(pinned(arange(sizeOf(places, i))), order)));
    }
    return items;
}

VarRef gathered(const VarRef &a, const VarRef &places, int axis) { return subtensor(a, alongAxis(a, places, axis)); }

} // namespace engine::onnx
