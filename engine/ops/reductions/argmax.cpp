#include "engine/ops/reductions/argmax.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/precise_elements.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/row_loops.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

std::string tupleText(const std::vector<int> &axes)
{
    std::string result = "(";
    for (std::size_t i = 0; i < axes.size(); ++i) result += (i ? ", " : "") + std::to_string(axes[i]);
    return result + (axes.size() == 1 ? ",)" : ")");
}

bool isReduced(const std::vector<int> &axes, int axis) { return std::binary_search(axes.begin(), axes.end(), axis); }

Type reducedType(const char *symbol, const std::vector<int> &axes, Type type, DType dtype)
{
    if (!type.isTensor()) throw TypeMismatch(std::string("[") + symbol + "] wants a tensor, got " + type.text());
    if (isComplex(type.dtype())) throw TypeMismatch(std::string("[") + symbol + "] complex numbers have no order");
    if (!axes.empty() && axes.back() >= type.rank())
        throw ShapeMismatch(std::string("[") + symbol + "] axis " + std::to_string(axes.back()) + " is out of range for " + type.text());
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < type.rank(); ++axis)
        if (!isReduced(axes, axis)) shape.push_back(type.shape()[axis]);
    return Type::tensor(dtype, shape);
}

SymShape reducedShape(const std::vector<int> &axes, ShapeBuilder &shapes)
{
    SymShape shape;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis)
        if (!isReduced(axes, axis)) shape.push_back(shapes.dim(0, axis));
    return shape;
}

Cost readCost(std::span<const Dims> inputs) { return {static_cast<double>(inputs[0].product())}; }

// The input with the reduced axes last, as a dense block per result.
struct Grouped {
    Dims resultShape, shape, strides;
    std::int64_t groups = 1, length = 1;
};

Grouped grouped(const View &x, const std::vector<int> &axes)
{
    Grouped result;
    for (int pass = 0; pass < 2; ++pass)
        for (int axis = 0; axis < x.rank; ++axis) {
            if (isReduced(axes, axis) != (pass == 1)) continue;
            result.shape.push_back(x.shape[axis]);
            result.strides.push_back(x.strides[axis]);
            if (pass == 0) result.resultShape.push_back(x.shape[axis]);
            (pass == 0 ? result.groups : result.length) *= x.shape[axis];
        }
    return result;
}

constexpr std::int64_t kAtOnce = 1 << 20; // elements between two looks for an interrupt

/// places[g]: of the largest among `length` candidates of group g. Where there are many they are taken some at a time:
/// find(first, count, places) for those from `first` on, counted from there; valueOf(g, place).
template <class Find, class ValueOf>
void placesInParts(std::int64_t groups, std::int64_t length, std::int64_t *places, Find find, ValueOf valueOf)
{
    const std::int64_t most = std::max(kAtOnce / std::max<std::int64_t>(groups, 1), std::int64_t(64));
    find(std::int64_t(0), std::min(most, length), places);
    std::vector<std::int64_t> next(length > most ? static_cast<std::size_t>(groups) : 0);
    for (std::int64_t first = most; first < length; first += most) {
        checkInterrupt();
        find(first, std::min(most, length - first), next.data());
        for (std::int64_t g = 0; g < groups; ++g) {
            const auto best = valueOf(g, places[g]), other = valueOf(g, first + next[static_cast<std::size_t>(g)]);
            if (best == best && (other > best || other != other)) places[g] = first + next[static_cast<std::size_t>(g)]; // the first nan
        }
    }
}

// Columns side by side in rows that lie evenly: each row is compared with the largest so far, so nothing is copied.
template <class T>
bool findInColumns(const Grouped &groups, const View &x, std::int64_t *places)
{
    constexpr std::int64_t kColumnsTogether = 64;
    const RtPlaces find = rt_table()->placesInColumns[rtDType<T>()];
    const int kept = static_cast<int>(groups.resultShape.size());
    std::int64_t step = static_cast<std::int64_t>(sizeof(T));
    for (int axis = kept; axis-- > 0; step *= groups.shape[axis])
        if (groups.strides[axis] != step) return false;
    const std::int64_t stride = groups.strides[kept];
    if (!find || kept == 0 || kept + 1 != x.rank || stride % static_cast<std::int64_t>(sizeof(T)) != 0) return false;
    const T *first = static_cast<const T *>(x.data);
    const std::int64_t apart = stride / static_cast<std::int64_t>(sizeof(T));
    const auto part = [&](std::int64_t from, std::int64_t end) {
        placesInParts(
            end - from, groups.length, places + from,
            [&](std::int64_t row, std::int64_t count, std::int64_t *to) {
                find(first + from + row * apart, count, apart, end - from, reinterpret_cast<long long *>(to));
            },
            [&](std::int64_t column, std::int64_t row) { return first[from + column + row * apart]; });
    };
    if (groups.groups * groups.length >= 2 * sharedElements())
        sharePieces(groups.groups, pieceFor(groups.groups, kColumnsTogether, groups.groups), part);
    else part(0, groups.groups);
    return true;
}

void run(PerformArgs &args, const std::vector<int> &axes, const char *symbol, bool withMaximum)
{
    const View &x = args.inputs[0];
    const Grouped groups = grouped(x, axes);
    if (groups.length == 0 && groups.groups > 0)
        throw ShapeMismatch(std::string("[") + symbol + "] an axis of size 0 has no largest element: the input's shape is " +
                            shapeOfView(x).text());
    const View window{x.data, x.dtype, x.rank, groups.shape.data(), groups.strides.data()};
    const int place = withMaximum ? 1 : 0;
    DenseOutput<std::int64_t> places(output(args, place, groups.resultShape), DType::Int64);
    // Comparing in a dtype that holds every value: float for halves, else the dtype itself.
    const DType work = x.dtype == DType::Float16 ? DType::Float32 : x.dtype;
    withStorageType(work, [&]<class T>() {
        if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            throw InternalError("argmax of an unordered dtype");
        } else {
            if (!withMaximum && x.dtype == work && findInColumns<T>(groups, x, places.data())) return;
            const Dense<T> values(window, work);
            const auto find = [&](std::int64_t first, std::int64_t end) {
                if (groups.length <= kAtOnce) // pieces are short enough
                    return placesOfLargest(values.data() + first * groups.length, end - first, groups.length, places.data() + first);
                for (std::int64_t g = first; g < end; ++g) {
                    const T *line = values.data() + g * groups.length;
                    placesInParts(
                        1, groups.length, places.data() + g,
                        [&](std::int64_t at, std::int64_t count, std::int64_t *to) { placesOfLargest(line + at, 1, count, to); },
                        [&](std::int64_t, std::int64_t place) { return line[place]; });
                }
            };
            if (groups.groups * groups.length >= 2 * sharedElements())
                sharePieces(groups.groups, pieceFor(groups.groups, 1, std::max(kAtOnce / groups.length, std::int64_t(1))), find);
            else find(0, groups.groups);
            if (!withMaximum) return;
            DenseOutput<T> maxima(output(args, 0, groups.resultShape), work);
            for (std::int64_t g = 0; g < groups.groups; ++g) maxima[g] = values[g * groups.length + places[g]];
            maxima.finish();
        }
    });
    places.finish();
}

std::vector<int> allOr(const char *symbol, const std::optional<std::vector<int>> &axes, int rank)
{
    if (axes) return normalizedAxes(symbol, *axes, rank);
    std::vector<int> all;
    for (int axis = 0; axis < rank; ++axis) all.push_back(axis);
    return all;
}

} // namespace

std::string Argmax::exactName() const { return "Argmax{axis=" + tupleText(m_axes) + "}"; }

std::vector<Type> Argmax::outputTypes(std::span<const Operand> inputs) const
{
    return {reducedType("argmax", m_axes, inputs[0].type, DType::Int64)};
}

bool Argmax::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {reducedShape(m_axes, shapes)};
    return true;
}

std::vector<SizeRule> Argmax::sizeRules(ShapeBuilder &shapes) const { return largestRules(shapes, m_axes); }

std::vector<VarRef> Argmax::gradient(const Apply &node, std::span<const VarRef>) const
{
    const DType dtype = node.input(0)->type().dtype();
    return {zerosLike(node.input(0), isDiscrete(dtype) ? floatX() : dtype)};
}

Cost Argmax::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return readCost(inputs); }
void Argmax::perform(PerformArgs &args) const { run(args, m_axes, "argmax", false); }

std::string MaxAndArgmax::exactName() const { return "MaxAndArgmax{axis=" + tupleText(m_axes) + "}"; }

std::vector<Type> MaxAndArgmax::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    return {reducedType("max_and_argmax", m_axes, type, type.isTensor() ? type.dtype() : DType::Float64),
            reducedType("max_and_argmax", m_axes, type, DType::Int64)};
}

bool MaxAndArgmax::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const SymShape shape = reducedShape(m_axes, shapes);
    outputs = {shape, shape};
    return true;
}

std::vector<SizeRule> MaxAndArgmax::sizeRules(ShapeBuilder &shapes) const { return largestRules(shapes, m_axes); }

std::vector<VarRef> MaxAndArgmax::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    const DType dtype = x->type().dtype();
    if (isDisconnected(outputGrads[0]) || isDiscrete(dtype)) return {zerosLike(x, isDiscrete(dtype) ? floatX() : dtype)};
    const int rank = x->type().rank();
    const VarRef largest = spread(VarRef(node.output(0)), m_axes, rank);
    return {mul(elementwise(ScalarCode::Eq, {largest, x}), spread(outputGrads[0], m_axes, rank))};
}

std::vector<VarRef> MaxAndArgmax::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef(), VarRef()};
    const VarRef &x = node.input(0);
    const VarRef largest = spread(VarRef(node.output(0)), m_axes, x->type().rank());
    return {sum(mul(elementwise(ScalarCode::Eq, {largest, x}), evalPoints[0]), m_axes), VarRef()};
}

std::vector<std::vector<bool>> MaxAndArgmax::connectionPattern(const Apply &) const { return {{true, false}}; }
Cost MaxAndArgmax::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return readCost(inputs); }
void MaxAndArgmax::perform(PerformArgs &args) const { run(args, m_axes, "max_and_argmax", true); }

VarRef argmax(const VarRef &a, const std::optional<std::vector<int>> &axes, bool keepDims)
{
    const int rank = a->type().rank();
    const std::vector<int> reduced = allOr("argmax", axes, rank);
    const VarRef result = engine::apply(makeOp<Argmax>(reduced), {a});
    return keepDims ? spread(result, reduced, rank) : result;
}

VarRef argmin(const VarRef &a, const std::optional<std::vector<int>> &axes, bool keepDims)
{
    // Turning the order around keeps the first of equal elements; unsigned and bool turn around by complement.
    const DType dtype = a->type().dtype();
    const bool flips = isUnsignedInteger(dtype) || dtype == DType::Bool || isSignedInteger(dtype);
    return argmax(flips ? elementwise(ScalarCode::Invert, {a}) : neg(a), axes, keepDims);
}

std::vector<VarRef> maxAndArgmax(const VarRef &a, const std::optional<std::vector<int>> &axes, bool keepDims)
{
    const int rank = a->type().rank();
    const std::vector<int> reduced = allOr("max_and_argmax", axes, rank);
    const VarRef inputs[] = {a};
    const ApplyRef node = Apply::create(makeOp<MaxAndArgmax>(reduced), inputs);
    std::vector<VarRef> result{VarRef(node->output(0)), VarRef(node->output(1))};
    if (keepDims)
        for (VarRef &part : result) part = spread(part, reduced, rank);
    return result;
}

PRECISE_FORM(MaxAndArgmax, [](PreciseCall &call) {
    if (!call.inputs[0]) throw NotPrecise("max reads what has no precise form");
    const OpRef largest = makeOp<CAReduce>(ReduceKind::Max, static_cast<const MaxAndArgmax &>(call.op).axes());
    call.set(0, preciseReduction(*largest, call.input(0)));
});
OP_CARD(Argmax, Reduction, arity(1), axes("axes", &Argmax::axes)).shown("axis", &Argmax::axes);
OP_CARD(MaxAndArgmax, Reduction, arity(1), axes("axes", &MaxAndArgmax::axes)).shown("axis", &MaxAndArgmax::axes);

NOTATION("argmax(x, axis=None, keepdims=False)", argmax);
NOTATION("argmin(x, axis=None, keepdims=False)", argmin);
NOTATION("MaxAndArgmax(x, axis=None, keepdims=False)[0]", maxAndArgmax);

} // namespace engine
