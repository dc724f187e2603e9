#include "engine/ops/shapes/reshape.h"

#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/checks.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/shape.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

void copyFlat(const View &from, const View &to)
{
    // Reads in C order whatever the layout, so that the target may have another shape.
    const Dims strides = contiguousStrides(std::span(from.shape, static_cast<std::size_t>(from.rank)), sizeOf(from.dtype));
    View window = from;
    window.data = to.data;
    window.strides = strides.data();
    copyConverted(from, window);
}

} // namespace

std::vector<Type> Reshape::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type, sizes = inputs[1].type;
    if (!type.isTensor()) throw TypeMismatch("[reshape] wants a tensor, got " + type.text());
    if (!sizes.isTensor() || sizes.rank() != 1 || !isInteger(sizes.dtype()))
        throw TypeMismatch("[reshape] the new shape must be a vector of integers, got " + sizes.text());
    std::vector<std::int64_t> shape(static_cast<std::size_t>(m_rank), kUnknownDim);
    if (inputs[1].constant) {
        const Tensor &values = inputs[1].constant->tensor();
        if (values.size() != m_rank)
            throw ShapeMismatch("[reshape] the new shape has " + std::to_string(values.size()) + " sizes, expected " +
                                std::to_string(m_rank));
        for (int i = 0; i < m_rank; ++i) shape[i] = std::max<std::int64_t>(values.intAt(i), kUnknownDim);
    } else if (sizes.shape()[0] != kUnknownDim && sizes.shape()[0] != m_rank) {
        throw ShapeMismatch("[reshape] the new shape has " + std::to_string(sizes.shape()[0]) + " sizes, expected " +
                            std::to_string(m_rank));
    }
    return {Type::tensor(type.dtype(), shape)};
}

bool SpecifyShape::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape sizes = shapes.sizesOf(0);
    for (int axis = 0; axis < shapes.inputRank(0); ++axis)
        if (const auto wanted = shapes.value(1, axis)) sizes[axis] = *wanted;
    outputs = {sizes};
    return true;
}

bool Reshape::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const Sym zero = shapes.constant(0), one = shapes.constant(1);
    Sym total = one, given = one;
    SymShape sizes, left = shapes.sizesOf(0);
    for (int i = 0; i < m_rank; ++i) {
        const auto size = shapes.value(1, i);
        if (!size) return false;
        sizes.push_back(*size);
        const auto known = shapes.known(*size);
        if (known && *known < 0) continue;
        // What stays takes no part: of no rows, x.reshape((x.shape[0], -1)) still tells the others apart.
        const auto same =
            std::find_if(left.begin(), left.end(), [&](Sym kept) { return kept == *size || (known && shapes.known(kept) == known); });
        if (same != left.end()) left.erase(same);
        else given = shapes.mul(given, known ? *size : shapes.select(shapes.less(*size, zero), one, *size));
    }
    for (Sym size : left) total = shapes.mul(total, size);
    for (Sym &size : sizes) {
        const auto known = shapes.known(size);
        if (known && *known >= 0) continue;
        const Sym rest = shapes.floorDiv(total, given);
        size = known ? rest : shapes.select(shapes.less(size, zero), rest, size);
    }
    outputs = {sizes};
    return true;
}

std::vector<SizeRule> Reshape::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SymShape> after;
    if (!inferShape(shapes, after)) return {};
    Sym before = shapes.constant(1), wanted = before;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) before = shapes.mul(before, shapes.dim(0, axis));
    for (Sym size : after[0]) wanted = shapes.mul(wanted, size);
    return {{before, wanted, 0, 0, 1, 0, "the number of elements would change"}};
}

std::optional<Sym> Reshape::inferValue(ShapeBuilder &shapes, int, int element) const
{
    if (shapes.inputRank(0) > 1 || m_rank > 1) return std::nullopt;
    return shapes.value(0, shapes.inputRank(0) == 0 || m_rank == 0 ? 0 : element);
}

std::vector<VarRef> Reshape::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX()), disconnected()};
    return {patternBroadcast(reshape(outputGrads[0], shape(x), x->type().rank()), x->type().pattern()), disconnected()};
}

std::vector<VarRef> Reshape::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? engine::apply(node.opRef(), {evalPoints[0], node.input(1)}) : VarRef()};
}

bool Reshape::readsInputOnHost(std::size_t input, const Operand &) const { return input == 1; }

// Where no window on the array has that shape.
std::unique_ptr<Thunk> Reshape::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    const SlotOperand &from = spec.inputs[0];
    SlotOperand to = spec.outputs[0];
    to.shape = from.shape;
    to.strides = contiguousStrides(from.shape, sizeOf(from.dtype));
    return copyThunk({from}, {to}, name());
}

void Reshape::perform(PerformArgs &args) const
{
    const View &from = args.inputs[0];
    Dims wanted;
    std::int64_t given = 1;
    int open = -1;
    const View &sizes = args.inputs[1];
    const Tensor values = Tensor(sizes.dtype, Dims(std::span(sizes.shape, 1)), Dims(std::span(sizes.strides, 1)), sizes.data, {});
    for (int i = 0; i < m_rank; ++i) {
        const std::int64_t size = i < values.size() ? values.intAt(i) : 0;
        if (size < 0 && open >= 0) throw ShapeMismatch("[reshape] only one size may be -1");
        if (size < 0) open = i;
        else given *= size;
        wanted.push_back(size);
    }
    if (open >= 0) wanted[open] = given == 0 ? 0 : from.size() / given;
    if (values.size() != m_rank || wanted.product() != from.size())
        throw ShapeMismatch("[reshape] cannot reshape an array of shape " +
                            Dims(std::span(from.shape, static_cast<std::size_t>(from.rank))).text() + " into shape " + wanted.text());
    if (!args.outputs[0].data) args.allocate(0, wanted);
    copyFlat(from, args.outputs[0]);
}

std::optional<Layout> Reshape::viewLayout(const Layout &input, DType dtype, const Dims &outputShape,
                                          std::span<const std::optional<std::int64_t>>) const
{
    if (!(contiguousStrides(input.shape, sizeOf(dtype)) == input.strides)) return std::nullopt;
    if (input.shape.product() != outputShape.product())
        throw ShapeMismatch("[reshape] cannot reshape an array of shape " + input.shape.text() + " into shape " + outputShape.text());
    return Layout{outputShape, contiguousStrides(outputShape, sizeOf(dtype)), input.offset};
}

std::optional<Layout> Rebroadcast::viewLayout(const Layout &input, DType, const Dims &, std::span<const std::optional<std::int64_t>>) const
{
    check(input.shape);
    return input;
}

void Rebroadcast::check(const Dims &shape) const
{
    for (const auto &[axis, isOne] : m_axes)
        if (isOne && shape[axis] != 1)
            throw ShapeMismatch("[rebroadcast] axis " + std::to_string(axis) + " is declared broadcastable, but its size is " +
                                std::to_string(shape[axis]));
}

std::string Rebroadcast::exactName() const
{
    std::string result = "Rebroadcast{";
    const int last = m_axes.empty() ? -1 : m_axes.back().first;
    std::size_t next = 0;
    for (int axis = 0; axis <= last; ++axis) {
        if (axis) result += ",";
        if (m_axes[next].first == axis) result += m_axes[next++].second ? "1" : "0";
        else result += "?";
    }
    return result + "}";
}

std::vector<Type> Rebroadcast::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor()) throw TypeMismatch("[rebroadcast] wants a tensor, got " + type.text());
    std::vector<std::int64_t> shape(type.shape().begin(), type.shape().end());
    for (const auto &[axis, isOne] : m_axes) {
        if (axis < 0 || axis >= type.rank())
            throw ShapeMismatch("[rebroadcast] there is no axis " + std::to_string(axis) + " in " + type.text());
        std::int64_t &size = shape[axis];
        if (isOne) size = 1;
        else if (size == 1) size = kUnknownDim;
    }
    return {Type::tensor(type.dtype(), shape)};
}

std::vector<SizeRule> Rebroadcast::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules;
    for (const auto &[axis, isOne] : m_axes)
        if (isOne)
            rules.push_back(
                {shapes.dim(0, axis), shapes.constant(1), 0, axis, 0, 0, "an axis that is declared broadcastable has not size 1"});
    return rules;
}

std::vector<VarRef> Rebroadcast::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX())};
    return {patternBroadcast(outputGrads[0], x->type().pattern())};
}

std::vector<VarRef> Rebroadcast::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? engine::apply(node.opRef(), {evalPoints[0]}) : VarRef()};
}

void Rebroadcast::perform(PerformArgs &args) const
{
    check(Dims(std::span(args.inputs[0].shape, static_cast<std::size_t>(args.inputs[0].rank))));
    copyConverted(args.inputs[0], args.outputs[0]);
}

std::vector<Type> SpecifyShape::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type, sizes = inputs[1].type;
    if (!type.isTensor()) throw TypeMismatch("[specify_shape] wants a tensor, got " + type.text());
    if (!sizes.isTensor() || sizes.rank() != 1 || !isInteger(sizes.dtype()))
        throw TypeMismatch("[specify_shape] the shape must be a vector of integers, got " + sizes.text());
    if (!inputs[1].constant) return {type};
    const Tensor &values = inputs[1].constant->tensor();
    if (values.size() != type.rank())
        throw ShapeMismatch("[specify_shape] the shape has " + std::to_string(values.size()) + " sizes, the tensor is " + type.text());
    // Sizes become hints; a 1 does not make an axis broadcastable.
    std::vector<std::int64_t> shape(type.shape().begin(), type.shape().end());
    for (int i = 0; i < type.rank(); ++i)
        if (values.intAt(i) > 1 && shape[i] != 1) shape[i] = values.intAt(i);
    return {Type::tensor(type.dtype(), shape)};
}

std::vector<SizeRule> SpecifyShape::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules{
        {shapes.dim(1, 0), shapes.constant(shapes.inputRank(0)), 0, 0, 0, 0, "there is not one size for each axis"}};
    for (int axis = 0; axis < shapes.inputRank(0); ++axis)
        if (const auto wanted = shapes.value(1, axis))
            rules.push_back({shapes.dim(0, axis), *wanted, 0, axis, 0, axis, "the size is not the specified one"});
    return rules;
}

std::vector<VarRef> SpecifyShape::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX()), disconnected()};
    return {specifyShape(outputGrads[0], node.input(1)), disconnected()};
}

std::vector<VarRef> SpecifyShape::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? engine::apply(node.opRef(), {evalPoints[0], node.input(1)}) : VarRef()};
}

void SpecifyShape::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &sizes = args.inputs[1];
    const Tensor values = Tensor(sizes.dtype, Dims(std::span(sizes.shape, 1)), Dims(std::span(sizes.strides, 1)), sizes.data, {});
    Dims wanted;
    for (int i = 0; i < values.size(); ++i) wanted.push_back(values.intAt(i));
    const Dims actual(std::span(x.shape, static_cast<std::size_t>(x.rank)));
    if (!(wanted == actual)) throw AssertionFailed("[specify_shape] the shape is " + actual.text() + ", promised was " + wanted.text());
    copyConverted(x, args.outputs[0]);
}

std::optional<Sym> ViewOp::inferValue(ShapeBuilder &shapes, int, int element) const { return shapes.value(0, element); }

std::vector<VarRef> ViewOp::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    return {isDiscrete(x->type().dtype()) ? zerosLike(x, floatX()) : outputGrads[0]};
}

std::vector<VarRef> ViewOp::rop(const Apply &, std::span<const VarRef> evalPoints) const { return {evalPoints[0]}; }
void ViewOp::perform(PerformArgs &args) const { copyConverted(args.inputs[0], args.outputs[0]); }

std::optional<Sym> CpuContiguous::inferValue(ShapeBuilder &shapes, int, int element) const { return shapes.value(0, element); }

std::optional<Layout> CpuContiguous::viewLayout(const Layout &input, DType dtype, const Dims &,
                                                std::span<const std::optional<std::int64_t>>) const
{
    if (!(contiguousStrides(input.shape, sizeOf(dtype)) == input.strides)) return std::nullopt;
    return input;
}

std::vector<VarRef> CpuContiguous::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    return {isDiscrete(x->type().dtype()) ? zerosLike(x, floatX()) : outputGrads[0]};
}

std::vector<VarRef> CpuContiguous::rop(const Apply &, std::span<const VarRef> evalPoints) const { return {evalPoints[0]}; }

std::unique_ptr<Thunk> CpuContiguous::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? copyThunk({spec.inputs[0]}, {spec.outputs[0]}, name()) : nullptr;
}

void CpuContiguous::perform(PerformArgs &args) const
{
    const View &from = args.inputs[0];
    if (!args.outputs[0].data) args.allocate(0, Dims(std::span(from.shape, static_cast<std::size_t>(from.rank))));
    copyConverted(from, args.outputs[0]);
}

std::string CpuContiguous::deviceName() const { return "GpuContiguous"; }
std::string CpuContiguous::deviceClass() const { return "GpuContiguous"; }

VarRef contiguous(const VarRef &a)
{
    const OpRef op = makeOp<CpuContiguous>();
    const DeviceId device = a->type().device();
    return engine::apply(device == DeviceId::Host ? op : op->on(device), {a});
}

VarRef reshape(const VarRef &a, const VarRef &sizes, int rank)
{
    VarRef vector = sizes;
    if (sizes->type().isTensor() && sizes->type().rank() == 0) vector = makeVector(std::span<const VarRef>(&sizes, 1));
    const VarRef inputs[] = {a, vector};
    return applySized(makeOp<Reshape>(rank), inputs, vector);
}

VarRef reshape(const VarRef &a, std::span<const VarRef> sizes)
{
    for (const VarRef &size : sizes)
        if (!size->type().isTensor() || size->type().rank() != 0 || !isInteger(size->type().dtype()))
            throw TypeMismatch("[reshape] a size must be an integer scalar, got " + size->type().text());
    const bool known = std::all_of(sizes.begin(), sizes.end(), [](const VarRef &size) { return size->kind() == Variable::Kind::Constant; });
    if (!known) {
        const VarRef inputs[] = {a, makeVector(sizes)};
        return applySized(makeOp<Reshape>(static_cast<int>(sizes.size())), inputs, sizes);
    }
    std::vector<std::int64_t> values;
    for (const VarRef &size : sizes) values.push_back(size->value().tensor().intAt(0));
    return reshape(a, std::span<const std::int64_t>(values));
}

VarRef reshape(const VarRef &a, std::span<const std::int64_t> sizes)
{
    const VarRef vector = Variable::constant(Value(Tensor::fromInts(sizes)), Type::ofRank(DType::Int64, 1));
    return engine::apply(makeOp<Reshape>(static_cast<int>(sizes.size())), {a, vector});
}

VarRef flatten(const VarRef &a, int rank)
{
    const int from = a->type().rank();
    if (rank < 1 || (rank > from && from > 0))
        throw ShapeMismatch("[flatten] the result must have 1 to " + std::to_string(std::max(from, 1)) + " dimensions, asked for " +
                            std::to_string(rank));
    if (rank == from && from > 0) return a;
    std::vector<VarRef> sizes;
    for (int axis = 0; axis < rank - 1; ++axis) sizes.push_back(shapeOf(a, axis));
    // -1 says nothing beside a kept axis of size 0.
    VarRef joined = constantOf(DType::Int64, rank == 1 ? -1 : 1);
    for (int axis = rank - 1; axis < from && rank > 1; ++axis) joined = axis == rank - 1 ? shapeOf(a, axis) : mul(joined, shapeOf(a, axis));
    sizes.push_back(std::move(joined));
    VarRef result = reshape(a, sizes);
    // The kept axes keep their pattern; the joined one is broadcastable if all its parts are.
    std::vector<bool> pattern(static_cast<std::size_t>(rank), true);
    for (int axis = 0; axis < from; ++axis)
        if (!a->type().isBroadcastable(axis)) pattern[std::min(axis, rank - 1)] = false;
    std::vector<std::pair<int, bool>> changes;
    for (int axis = 0; axis < rank; ++axis)
        if (pattern[axis]) changes.push_back({axis, true});
    return rebroadcast(result, std::move(changes));
}

VarRef specifyShape(const VarRef &a, const VarRef &sizes) { return engine::apply(makeOp<SpecifyShape>(), {a, sizes}); }

VarRef rebroadcast(const VarRef &a, std::vector<std::pair<int, bool>> axes)
{
    const Type type = a->type();
    for (const auto &[axis, isOne] : axes)
        if (axis < 0 || axis >= type.rank())
            throw ShapeMismatch("[rebroadcast] there is no axis " + std::to_string(axis) + " in " + type.text());
    std::erase_if(axes, [&](const auto &change) { return type.isBroadcastable(change.first) == change.second; });
    if (axes.empty()) return a;
    std::sort(axes.begin(), axes.end());
    return engine::apply(makeOp<Rebroadcast>(std::move(axes)), {a});
}

VarRef patternBroadcast(const VarRef &a, const std::vector<bool> &pattern)
{
    std::vector<std::pair<int, bool>> axes;
    for (std::size_t i = 0; i < pattern.size(); ++i) axes.push_back({static_cast<int>(i), pattern[i]});
    return rebroadcast(a, std::move(axes));
}

VarRef conformed(const VarRef &a, Type wanted)
{
    const VarRef same = sums::cast(a, wanted.dtype());
    return same->type() == wanted || same->type().convertibleTo(wanted) ? same : patternBroadcast(same, wanted.pattern());
}

PRECISE_MOVES(Reshape, 0, 1);
PRECISE_MOVES(Rebroadcast, 0, 1);
PRECISE_MOVES(SpecifyShape, 0, 1);
PRECISE_MOVES(ViewOp, 0, 1);
PRECISE_MOVES(CpuContiguous, 0, 1);
OP_CARD(Reshape, View, arity(2), number("rank", &Reshape::outputRank, 0, kMaxRank)).shown("ndim", &Reshape::outputRank);
OP_CARD(Rebroadcast, View, arity(1),
        OpField{"axes",
                [](const Rebroadcast &op, JsonWriter &out) {
                    std::vector<int> axes, flags;
                    for (const auto &[axis, flag] : op.axes()) {
                        axes.push_back(axis);
                        flags.push_back(flag);
                    }
                    detail::writeMember(out, "axes", axes);
                    detail::writeMember(out, "broadcastable", flags);
                },
                [](const OpParameters &from) {
                    const std::vector<int> axes = from.axes("axes");
                    const std::vector<std::int64_t> flags = from.integers("broadcastable", 0, 1);
                    if (axes.size() != flags.size()) from.fail("broadcastable", "there has to be one flag for each axis");
                    std::vector<std::pair<int, bool>> pairs;
                    for (std::size_t i = 0; i < axes.size(); ++i) pairs.emplace_back(axes[i], flags[i] != 0);
                    return pairs;
                }});
OP_CARD(SpecifyShape, View, arity(2));
OP_CARD(ViewOp, View, arity(1));
OP_CARD(CpuContiguous, View, arity(1));

namespace {

std::vector<std::pair<int, bool>> broadcastAxes(NotationCall &call, const VarRef &x)
{
    std::vector<std::pair<int, bool>> axes;
    while (call.left()) axes.emplace_back(call.axis("axis", x->type().rank()), true);
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

} // namespace

NOTATION("reshape(x, n0, n1, …) or reshape(x, sizes, ndim)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    // A vector of sizes, whose length has to be known or said.
    if (call.isVectorNext()) {
        const VarRef shape = call.variable("sizes");
        const std::int64_t length = shape->type().shape()[0];
        const std::int64_t rank = call.integer("ndim", length == kUnknownDim ? std::optional<std::int64_t>() : length);
        if (rank < 0 || rank > kMaxRank) call.fail("reshape makes at most " + std::to_string(kMaxRank) + " dimensions");
        return reshape(x, shape, static_cast<int>(rank));
    }
    return reshape(x, call.sizes());
});
NOTATION("flatten(x, ndim=1)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const std::int64_t rank = call.integer("ndim", 1);
    if (rank < 1 || rank > std::max(x->type().rank(), 1))
        call.fail("flatten keeps 1 to " + std::to_string(std::max(x->type().rank(), 1)) + " dimensions here");
    return flatten(x, static_cast<int>(rank));
});
NOTATION("addbroadcast(x, axis, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return rebroadcast(x, broadcastAxes(call, x));
});
// addbroadcast() leaves out what the type says already; the op itself may say it again.
NOTATION("Rebroadcast(x, axis, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return engine::apply(makeOp<Rebroadcast>(broadcastAxes(call, x)), {x});
});
NOTATION("specify_shape(x, sizes)", specifyShape);
NOTATION("ViewOp(x)", makeOp<ViewOp>());
NOTATION("CpuContiguous(x)", makeOp<CpuContiguous>());

PRETTY(Reshape, [](const Apply &node, PrettyWriter &out) {
    prettyAround("reshape(", node, ", ", out);
    out.variable(node.input(1));
    out.text(", ndim=" + std::to_string(opCast<Reshape>(node.opRef())->outputRank()) + ")");
});

} // namespace engine
