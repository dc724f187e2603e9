#include "engine/ops/shapes/dimshuffle.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

namespace engine {

DimShuffle::DimShuffle(std::vector<bool> inputBroadcastable, std::vector<int> order)
    : m_inputBroadcastable(std::move(inputBroadcastable)), m_order(std::move(order))
{
    std::vector<bool> seen(m_inputBroadcastable.size(), false);
    for (int axis : m_order) {
        if (axis == kNewAxis) continue;
        if (axis < 0 || axis >= inputRank())
            throw ShapeMismatch("[dimshuffle] there is no axis " + std::to_string(axis) + " in an array of " + std::to_string(inputRank()) +
                                " dimensions");
        if (seen[axis]) throw ShapeMismatch("[dimshuffle] axis " + std::to_string(axis) + " appears twice in the pattern");
        seen[axis] = true;
    }
    for (std::size_t axis = 0; axis < seen.size(); ++axis)
        if (!seen[axis] && !m_inputBroadcastable[axis])
            throw ShapeMismatch("[dimshuffle] axis " + std::to_string(axis) + " cannot be dropped: it is not broadcastable",
                                "index it with 0, or declare it broadcastable with addbroadcast");
}

bool DimShuffle::isIdentity() const
{
    if (m_order.size() != m_inputBroadcastable.size()) return false;
    for (std::size_t i = 0; i < m_order.size(); ++i)
        if (m_order[i] != static_cast<int>(i) && m_order[i] != kNewAxis) return false; // dropped and added in place
    return true;
}

bool DimShuffle::isLeftPad() const
{
    const std::size_t added = m_order.size() - m_inputBroadcastable.size();
    if (m_order.size() < m_inputBroadcastable.size()) return false;
    for (std::size_t i = 0; i < m_order.size(); ++i)
        if (m_order[i] != (i < added ? kNewAxis : static_cast<int>(i - added))) return false;
    return true;
}

std::string DimShuffle::exactName() const { return "Inplace" + shortName(); }
std::string DimShuffle::deviceName() const { return "InplaceGpu" + shortName(); }

std::string DimShuffle::shortName() const
{
    std::string result = "DimShuffle{";
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        if (i) result += ",";
        result += m_order[i] == kNewAxis ? "x" : std::to_string(m_order[i]);
    }
    return result + "}";
}

std::string DimShuffle::identity() const
{
    std::string result = shortName();
    for (bool one : m_inputBroadcastable) result += one ? '1' : '0';
    return result;
}

std::vector<Type> DimShuffle::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor() || type.rank() != inputRank())
        throw ShapeMismatch("[dimshuffle] made for " + std::to_string(inputRank()) + " dimensions, got " + type.text());
    std::array<std::int64_t, kMaxRank> shape;
    if (m_order.size() > shape.size()) throw ShapeMismatch("[dimshuffle] arrays of more than 12 dimensions are not supported");
    for (std::size_t i = 0; i < m_order.size(); ++i) shape[i] = m_order[i] == kNewAxis ? 1 : type.shape()[m_order[i]];
    for (std::size_t i = 0; i < m_inputBroadcastable.size(); ++i)
        if (m_inputBroadcastable[i] && type.shape()[i] != 1)
            throw ShapeMismatch("[dimshuffle] axis " + std::to_string(i) + " is not broadcastable in " + type.text());
    return {type.withShape(std::span<const std::int64_t>(shape.data(), m_order.size()))};
}

bool DimShuffle::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape;
    for (int axis : m_order) shape.push_back(axis == kNewAxis ? shapes.constant(1) : shapes.dim(0, axis));
    outputs = {shape};
    return true;
}

std::optional<Sym> DimShuffle::inferValue(ShapeBuilder &shapes, int, int element) const
{
    if (inputRank() > 1 || m_order.size() > 1) return std::nullopt;
    return shapes.value(0, inputRank() == 0 || m_order.empty() ? 0 : element);
}

std::vector<VarRef> DimShuffle::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const Type type = node.input(0)->type();
    if (isDiscrete(type.dtype())) return {zerosLike(node.input(0), floatX())};
    const VarRef g = sumToPattern(outputGrads[0], node.output(0)->type());
    std::vector<int> order(m_inputBroadcastable.size(), kNewAxis);
    for (std::size_t i = 0; i < m_order.size(); ++i)
        if (m_order[i] != kNewAxis) order[m_order[i]] = static_cast<int>(i);
    return {dimshuffle(g, std::move(order))};
}

std::vector<VarRef> DimShuffle::rop(const Apply &, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? dimshuffle(evalPoints[0], m_order) : VarRef()};
}

namespace {

// Formulas ask for the same few shuffles again and again; the pattern and the order fit into two words.
OpRef cachedDimShuffle(Type type, std::span<const int> order)
{
    struct Key {
        std::uint64_t pattern, order;
        bool operator==(const Key &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key &key) const
        {
            return static_cast<std::size_t>((key.order ^ key.pattern << 40) * 0x9E3779B97F4A7C15ull);
        }
    };
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<Key, OpRef, Hash>;

    const std::span<const std::int64_t> shape = type.shape();
    std::vector<int> list(order.begin(), order.end());
    bool fits = shape.size() <= kMaxRank && order.size() <= kMaxRank;
    Key key{shape.size(), order.size()};
    for (std::size_t i = 0; i < shape.size() && fits; ++i) key.pattern |= std::uint64_t(shape[i] == 1) << (8 + i);
    for (std::size_t i = 0; i < order.size() && fits; ++i) {
        fits = order[i] >= -1 && order[i] < static_cast<int>(kMaxRank);
        key.order |= static_cast<std::uint64_t>(order[i] + 1) << (4 + 4 * i);
    }
    if (!fits) return makeOp<DimShuffle>(type.pattern(), std::move(list));
    std::lock_guard lock(mutex);
    OpRef &op = (*table)[key];
    if (op) return op;
    try {
        op = makeOp<DimShuffle>(type.pattern(), std::move(list));
    } catch (...) {
        table->erase(key);
        throw;
    }
    return op;
}

} // namespace

VarRef dimshuffle(const VarRef &a, std::vector<int> order)
{
    if (!a->type().isTensor()) throw TypeMismatch("[dimshuffle] wants a tensor, got " + a->type().text());
    bool same = static_cast<int>(order.size()) == a->type().rank();
    for (std::size_t i = 0; i < order.size() && same; ++i) same = order[i] == static_cast<int>(i);
    if (same) return a;
    return engine::apply(cachedDimShuffle(a->type(), order), {a});
}

VarRef transpose(const VarRef &a)
{
    std::vector<int> order;
    for (int axis = a->type().rank() - 1; axis >= 0; --axis) order.push_back(axis);
    VarRef result = dimshuffle(a, order);
    if (!a->name().empty() && result != a && result->name().empty()) result->setName(a->name() + ".T");
    return result;
}

VarRef padLeft(const VarRef &a, int count)
{
    if (count <= 0) return a;
    std::array<int, 2 * kMaxRank> order;
    const int rank = a->type().rank();
    if (count + rank > static_cast<int>(kMaxRank)) throw ShapeMismatch("[dimshuffle] arrays of more than 12 dimensions are not supported");
    for (int i = 0; i < count + rank; ++i) order[i] = i < count ? DimShuffle::kNewAxis : i - count;
    return engine::apply(cachedDimShuffle(a->type(), std::span<const int>(order.data(), static_cast<std::size_t>(count + rank))), {a});
}

PRECISE_MOVES(DimShuffle, 0, 1);
OP_CARD(DimShuffle, View, arity(1), parameter("input_broadcastable", &DimShuffle::inputBroadcastable),
        OpField{"order", [](const DimShuffle &op, JsonWriter &out) { detail::writeMember(out, "order", op.order()); },
                [](const OpParameters &from) {
                    const auto order = from.integers("order", -1, kMaxRank - 1);
                    if (order.size() > kMaxRank) from.fail("order", "arrays have at most 12 dimensions");
                    return std::vector<int>(order.begin(), order.end());
                }});

namespace {

NotationValue shuffled(NotationCall &call)
{
    const VarRef x = call.variable("x");
    std::vector<int> order;
    for (const NotationValue &item : call.rest()) {
        if (item.kind == NotationValue::Kind::Text && item.text == "x") {
            order.push_back(DimShuffle::kNewAxis);
        } else if (item.kind == NotationValue::Kind::Integer) {
            if (item.integer < 0 || item.integer >= x->type().rank())
                call.failAt(item, "there is no axis " + std::to_string(item.integer) + " in an array of " +
                                      std::to_string(x->type().rank()) + " dimensions");
            order.push_back(static_cast<int>(item.integer));
        } else {
            call.failAt(item, "an order of axes holds axis numbers and 'x'");
        }
    }
    return dimshuffle(x, order);
}

void writeShuffle(const Apply &node, PrettyWriter &out)
{
    const auto &op = *opCast<DimShuffle>(node.opRef());
    std::vector<int> order = op.order();
    while (!out.exact() && !order.empty() && order.front() == DimShuffle::kNewAxis) order.erase(order.begin());
    bool same = order.size() == static_cast<std::size_t>(op.inputRank());
    bool reversed = same;
    for (std::size_t i = 0; i < order.size(); ++i) {
        same &= order[i] == static_cast<int>(i);
        reversed &= order[i] == static_cast<int>(order.size() - 1 - i);
    }
    if (same) return out.variable(node.input(0));
    if (reversed) return prettyAround("", node, ".T", out);
    std::string text;
    for (int axis : order) text += (text.empty() ? "" : ", ") + (axis == DimShuffle::kNewAxis ? std::string("x") : std::to_string(axis));
    prettyCall("DimShuffle{" + text + "}", node, out);
}

} // namespace

NOTATION("dimshuffle(x, 0, 'x', …)", shuffled);
NOTATION("DimShuffle{0, x, …}(x)", shuffled);
NOTATION("pad_left(x, count)", padLeft);
NOTATION("transpose(x)", transpose);
NOTATION("T(x)", transpose);
PRETTY(DimShuffle, writeShuffle);

} // namespace engine
