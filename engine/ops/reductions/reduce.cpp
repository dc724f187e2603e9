#include "engine/ops/reductions/reduce.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/complex_slopes.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

const char *symbolOf(ReduceKind kind) { return kReduceNames[static_cast<std::size_t>(kind)]; }
bool accumulates(ReduceKind kind) { return kind == ReduceKind::Sum || kind == ReduceKind::Prod; }

DType widened(DType dtype)
{
    if (dtype == DType::Bool || isSignedInteger(dtype)) return DType::Int64;
    return isUnsignedInteger(dtype) ? DType::UInt64 : dtype;
}

} // namespace

CAReduce::CAReduce(ReduceKind kind, std::optional<std::vector<int>> axes, std::optional<DType> dtype, std::optional<DType> accDtype)
    : m_kind(kind), m_axes(std::move(axes)), m_dtype(dtype), m_accDtype(accDtype)
{}

std::vector<int> CAReduce::axesFor(int rank) const
{
    if (m_axes) return *m_axes;
    std::vector<int> all(static_cast<std::size_t>(rank));
    for (int i = 0; i < rank; ++i) all[i] = i;
    return all;
}

DType CAReduce::resultDType(DType input) const
{
    if (m_kind == ReduceKind::Any || m_kind == ReduceKind::All) return DType::Bool;
    if (!accumulates(m_kind)) return input;
    return m_dtype.value_or(widened(input));
}

DType CAReduce::accumulatorDType(DType input) const
{
    if (!accumulates(m_kind)) return resultDType(input);
    if (m_accDtype) return *m_accDtype;
    const DType result = resultDType(input);
    switch (result) {
    case DType::Float16: return DType::Float32;
    case DType::Float32: return DType::Float64;
    case DType::Complex64: return DType::Complex128;
    default: return widened(result);
    }
}

std::string_view CAReduce::className() const
{
    static constexpr std::string_view names[] = {"Sum", "Prod", "CAReduce", "CAReduce", "Any", "All", "CAReduce"};
    return names[static_cast<std::size_t>(m_kind)];
}

std::string CAReduce::exactName() const
{
    std::string axes;
    if (m_axes)
        for (std::size_t i = 0; i < m_axes->size(); ++i) axes += (i ? ", " : "") + std::to_string((*m_axes)[i]);
    if (accumulates(m_kind)) {
        const std::string acc = m_accDtype ? std::string(nameOf(*m_accDtype)) : "None";
        return std::string(className()) + "{" + (m_axes ? "axis=[" + axes + "], " : "") + "acc_dtype=" + acc + "}";
    }
    const bool isLogic = m_kind == ReduceKind::Any || m_kind == ReduceKind::All;
    const std::string head = isLogic ? std::string(className()) : m_kind == ReduceKind::Min ? "Reduce{minimum}" : "Reduce{maximum}";
    return m_axes ? head + "{" + axes + "}" : head;
}

// As Theano's device form prints: {add}, then the axes where they are named.
std::string CAReduce::deviceName() const
{
    static constexpr const char *functions[] = {"add", "mul", "maximum", "minimum", "or_", "and_", "maximum"};
    std::string name = "GpuCAReduce{" + std::string(functions[static_cast<std::size_t>(m_kind)]) + "}";
    if (!m_axes) return name;
    for (std::size_t i = 0; i < m_axes->size(); ++i) name += (i ? ", " : "{") + std::to_string((*m_axes)[i]);
    return name + "}";
}
std::string CAReduce::deviceClass() const { return "GpuCAReduce"; }

std::string CAReduce::shortName() const
{
    std::string result = m_kind == ReduceKind::Sum ? "Σ" : m_kind == ReduceKind::Prod ? "Π" : symbolOf(m_kind);
    if (m_axes) {
        result += " axis ";
        for (std::size_t i = 0; i < m_axes->size(); ++i) result += (i ? "," : "") + std::to_string((*m_axes)[i]);
    }
    return result;
}

std::string CAReduce::identity() const
{
    return exactName() + (m_dtype ? std::string(nameOf(*m_dtype)) : "") + (m_kind == ReduceKind::Largest ? " or -inf" : "");
}

std::vector<Type> CAReduce::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    const std::string symbol = symbolOf(m_kind);
    if (!type.isTensor()) throw TypeMismatch("[" + symbol + "] wants a tensor, got " + type.text());
    if (!accumulates(m_kind) && isComplex(type.dtype()) && resultDType(type.dtype()) != DType::Bool)
        throw TypeMismatch("[" + symbol + "] complex numbers have no order", "take abs_() first");
    const DType result = resultDType(type.dtype());
    const DType accumulator = accumulatorDType(type.dtype());
    if (accumulates(m_kind) && isComplex(type.dtype()) && (!isComplex(result) || !isComplex(accumulator)))
        throw TypeMismatch("[" + symbol + "] a sum of complex numbers cannot be " + std::string(nameOf(result)));
    if (accumulates(m_kind) && m_accDtype && promote(accumulator, type.dtype()) != accumulator && isContinuous(type.dtype()))
        throw TypeMismatch("[" + symbol + "] acc_dtype " + std::string(nameOf(accumulator)) + " is less precise than the input's " +
                               std::string(nameOf(type.dtype())),
                           "cast the input first");
    if (!m_axes) return {Type::tensor(result, {}, type.device())};
    std::array<std::int64_t, kMaxRank> shape;
    std::size_t rank = 0;
    std::size_t next = 0;
    for (int axis = 0; axis < type.rank(); ++axis) {
        if (next < m_axes->size() && (*m_axes)[next] == axis) ++next;
        else shape[rank++] = type.shape()[axis];
    }
    if (next != m_axes->size())
        throw ShapeMismatch("[" + symbol + "] axis " + std::to_string((*m_axes)[next]) + " is out of range for " + type.text());
    return {Type::tensor(result, std::span<const std::int64_t>(shape.data(), rank))};
}

bool CAReduce::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const std::vector<int> axes = axesFor(shapes.inputRank(0));
    SymShape shape;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis)
        if (!std::binary_search(axes.begin(), axes.end(), axis)) shape.push_back(shapes.dim(0, axis));
    outputs = {shape};
    return true;
}

std::vector<SizeRule> largestRules(ShapeBuilder &shapes, const std::vector<int> &axes)
{
    const Sym zero = shapes.constant(0), one = shapes.constant(1);
    Sym reduced = one, results = one;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        Sym &total = std::binary_search(axes.begin(), axes.end(), axis) ? reduced : results;
        total = shapes.mul(total, shapes.dim(0, axis));
    }
    return {{shapes.min(reduced, one), shapes.select(shapes.less(zero, results), one, shapes.min(reduced, one)), 0, 0, 0, 0,
             "an axis of size 0 has no largest element"}};
}

std::vector<SizeRule> CAReduce::sizeRules(ShapeBuilder &shapes) const
{
    if (m_kind != ReduceKind::Max && m_kind != ReduceKind::Min) return {};
    return largestRules(shapes, axesFor(shapes.inputRank(0)));
}

std::optional<Sym> CAReduce::inferValue(ShapeBuilder &shapes, int, int) const
{
    // prod(shape), sum of a MakeVector: the length has to be a number.
    if (shapes.inputRank(0) > 1 || m_kind == ReduceKind::Any || m_kind == ReduceKind::All) return std::nullopt;
    const auto length = shapes.inputRank(0) == 0 ? std::optional<std::int64_t>(1) : shapes.known(shapes.dim(0, 0));
    if (!length || *length > 16 || (*length == 0 && !accumulates(m_kind))) return std::nullopt;
    std::optional<Sym> total;
    for (int i = 0; i < *length; ++i) {
        const auto value = shapes.value(0, i);
        if (!value) return std::nullopt;
        if (!total) total = value;
        else if (m_kind == ReduceKind::Sum) total = shapes.add(*total, *value);
        else if (m_kind == ReduceKind::Prod) total = shapes.mul(*total, *value);
        else if (m_kind == ReduceKind::Max) total = shapes.max(*total, *value);
        else total = shapes.min(*total, *value);
    }
    return total ? *total : shapes.constant(m_kind == ReduceKind::Prod ? 1 : 0);
}

VarRef spread(const VarRef &reduced, const std::vector<int> &axes, int rank)
{
    std::vector<int> order;
    int next = 0;
    for (int axis = 0; axis < rank; ++axis)
        order.push_back(std::binary_search(axes.begin(), axes.end(), axis) ? DimShuffle::kNewAxis : next++);
    return dimshuffle(reduced, std::move(order));
}

std::vector<VarRef> CAReduce::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    const VarRef out(node.output(0));
    if (isDiscrete(out->type().dtype()) || isDiscrete(x->type().dtype())) {
        if (isDiscrete(out->type().dtype())) return {zerosLike(x, isDiscrete(x->type().dtype()) ? floatX() : x->type().dtype())};
    }
    const int rank = x->type().rank();
    const std::vector<int> axes = axesFor(rank);
    const VarRef g = spread(outputGrads[0], axes, rank);
    if (m_kind == ReduceKind::Sum) return {fill(x, g)};
    const VarRef whole = spread(out, axes, rank);
    const auto call = [](ScalarCode code, const VarRef &a, const VarRef &b) { return elementwise(code, {a, b}); };
    if (m_kind == ReduceKind::Max || m_kind == ReduceKind::Min || m_kind == ReduceKind::Largest)
        return {mul(call(ScalarCode::Eq, whole, x), g)};
    // With one zero in a group only that element has a slope; with two, none has.
    const DType dtype = x->type().dtype();
    const VarRef isZero = call(ScalarCode::Eq, x, constantOf(dtype, 0, rank));
    const VarRef zeros = sum(isZero, axes, true);
    const VarRef others = reduce(ReduceKind::Prod, switchOn(isZero, constantOf(dtype, 1, rank), x), axes, true);
    const VarRef lonely = call(ScalarCode::And, isZero, call(ScalarCode::Eq, zeros, constantOf(DType::Int64, 1, rank)));
    const VarRef noZeros = call(ScalarCode::Eq, zeros, constantOf(DType::Int64, 0, rank));
    const VarRef slope = switchOn(noZeros, trueDiv(whole, x), switchOn(lonely, others, constantOf(dtype, 0, rank)));
    return throughConjugates(node, {&g, 1}, [&](std::span<const VarRef> grads) -> std::vector<VarRef> { return {mul(slope, grads[0])}; });
}

std::vector<VarRef> CAReduce::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    if (m_kind == ReduceKind::Sum) return {engine::apply(node.opRef(), {evalPoints[0]})};
    if (isDiscrete(node.output(0)->type().dtype())) return {VarRef()};
    const VarRef one = onesLike(VarRef(node.output(0)));
    const VarRef slope = gradient(node, std::span<const VarRef>(&one, 1))[0];
    return {reduce(ReduceKind::Sum, mul(slope, evalPoints[0]), m_axes)};
}

Cost CAReduce::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return {static_cast<double>(inputs[0].product())}; }

namespace {

ScalarCode combining(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum: return ScalarCode::Add;
    case ReduceKind::Prod: return ScalarCode::Mul;
    case ReduceKind::Min: return ScalarCode::Minimum;
    case ReduceKind::Any: return ScalarCode::Or;
    case ReduceKind::All: return ScalarCode::And;
    case ReduceKind::Max:
    case ReduceKind::Largest: break;
    }
    return ScalarCode::Maximum;
}

} // namespace

std::vector<WorkStep> CAReduce::workSteps(std::span<const Type> inputs, std::span<const Type>) const
{
    const DType element = inputs[0].dtype();
    return {{WorkStep::Kind::Fold, scalarOp(combining(m_kind)), {element}, accumulatorDType(element), {0}, {0}}};
}

std::vector<int> normalizedAxes(const char *symbol, std::span<const int> axes, int rank)
{
    std::vector<int> result;
    for (int axis : axes) {
        const int positive = axis < 0 ? axis + rank : axis;
        if (positive < 0 || positive >= rank)
            throw ShapeMismatch(std::string("[") + symbol + "] axis " + std::to_string(axis) + " is out of range for an array of " +
                                std::to_string(rank) + " dimensions");
        result.push_back(positive);
    }
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end())
        throw ShapeMismatch(std::string("[") + symbol + "] an axis is named twice");
    return result;
}

namespace {

// Sums over few axes of few dtypes: one lookup instead of building a name.
OpRef cachedReduce(ReduceKind kind, const std::optional<std::vector<int>> &axes, std::optional<DType> dtype, std::optional<DType> acc)
{
    std::uint64_t key = 1;
    for (int axis : axes.value_or(std::vector<int>{})) key |= std::uint64_t(2) << axis;
    key = key << 4 | static_cast<std::uint64_t>(kind);
    key = key << 8 | (dtype ? static_cast<std::uint64_t>(*dtype) + 1 : 0);
    key = key << 8 | (acc ? static_cast<std::uint64_t>(*acc) + 1 : 0);
    key = key << 1 | (axes ? 1 : 0);
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<std::uint64_t, OpRef>;
    std::lock_guard lock(mutex);
    OpRef &op = (*table)[key];
    if (!op) op = makeOp<CAReduce>(kind, axes, dtype, acc);
    return op;
}

} // namespace

VarRef reduce(ReduceKind kind, const VarRef &a, std::optional<std::vector<int>> axes, bool keepDims, std::optional<DType> dtype,
              std::optional<DType> accDtype)
{
    const Type type = a->type();
    if (!type.isTensor()) throw TypeMismatch(std::string("[") + symbolOf(kind) + "] wants a tensor, got " + type.text());
    const int rank = type.rank();
    if (axes) axes = normalizedAxes(symbolOf(kind), *axes, rank);
    VarRef input = a;
    if ((kind == ReduceKind::Any || kind == ReduceKind::All) && type.dtype() != DType::Bool)
        input = elementwise(ScalarCode::Neq, {a, literal(std::int64_t{0})});
    if (accumulates(kind)) {
        const CAReduce plain(kind, {}, dtype, accDtype);
        dtype = plain.resultDType(type.dtype());
        accDtype = plain.accumulatorDType(type.dtype());
    }
    if (axes && axes->empty()) return accumulates(kind) ? cast(a, *dtype) : input;
    const VarRef result = engine::apply(cachedReduce(kind, axes, dtype, accDtype), {input});
    if (!keepDims) return result;
    std::vector<int> all;
    for (int i = 0; i < rank; ++i) all.push_back(i);
    return spread(result, axes ? *axes : all, rank);
}

VarRef sum(const VarRef &a, std::optional<std::vector<int>> axes, bool keepDims)
{
    return reduce(ReduceKind::Sum, a, std::move(axes), keepDims);
}

VarRef mean(const VarRef &a, std::optional<std::vector<int>> axes, bool keepDims, std::optional<DType> dtype, std::optional<DType> accDtype)
{
    const Type type = a->type();
    std::vector<int> reduced;
    if (axes) reduced = normalizedAxes("mean", *axes, type.rank());
    else
        for (int i = 0; i < type.rank(); ++i) reduced.push_back(i);
    const DType result = dtype.value_or(isDiscrete(type.dtype()) ? DType::Float64 : type.dtype());
    // A mean along no axis: the elements.
    if (reduced.empty()) return cast(a, result);
    VarRef total;
    if (dtype || accDtype) total = reduce(ReduceKind::Sum, a, axes, keepDims, result, accDtype);
    // A float16 total overflows where its mean does not.
    else if (type.dtype() == DType::Float16) total = reduce(ReduceKind::Sum, a, axes, keepDims, DType::Float32);
    else total = cast(sum(a, axes, keepDims), result);
    const DType sum = total->type().dtype();
    const bool isSingle = sum == DType::Float16 || sum == DType::Float32 || sum == DType::Complex64;
    for (int axis : reduced) total = trueDiv(total, cast(shapeOf(a, axis), isSingle ? DType::Float32 : DType::Float64));
    total = cast(total, result);
    total->setName("mean");
    return total;
}

VarRef sumToPattern(const VarRef &a, Type wanted)
{
    const Type type = a->type();
    std::vector<int> axes;
    for (int axis = 0; axis < type.rank(); ++axis)
        if (wanted.isBroadcastable(axis) && !type.isBroadcastable(axis)) axes.push_back(axis);
    return axes.empty() ? a : sum(a, axes, true);
}

OP_CARD(CAReduce, Reduction, arity(1), choice("kind", &CAReduce::kind, kReduceNames), axes("axes", &CAReduce::axes),
        parameter("dtype", &CAReduce::dtype), parameter("acc_dtype", &CAReduce::accDtype))
    .classes({"Sum", "Prod", "CAReduce", "Any", "All"})
    .shown("axis", &CAReduce::axes);

namespace {

NotationBuilder reducer(ReduceKind kind)
{
    return [kind](NotationCall &call) -> NotationValue {
        const VarRef x = call.variable("x");
        auto axes = call.axes("axis", x->type().rank());
        const bool keepDims = call.flag("keepdims", false);
        if (!accumulates(kind)) return reduce(kind, x, std::move(axes), keepDims);
        const auto dtype = call.dtypeIfGiven("dtype");
        return reduce(kind, x, std::move(axes), keepDims, dtype, call.dtypeIfGiven("acc_dtype"));
    };
}

bool registerReductions()
{
    for (std::size_t i = 0; i < kReduceNames.size(); ++i) {
        const auto kind = static_cast<ReduceKind>(i);
        const char *further = accumulates(kind) ? ", dtype=None, acc_dtype=None)" : ")";
        registerNotation(kReduceNames[i] + std::string("(x, axis=None, keepdims=False") + further, reducer(kind));
    }
    return true;
}
[[maybe_unused]] const bool k_reductions = registerReductions();

void reduceForm(const Apply &node, PrettyWriter &out)
{
    const auto &op = *opCast<CAReduce>(node.opRef());
    out.text(kReduceNames[static_cast<std::size_t>(op.kind())]);
    out.text("(");
    out.variable(node.input(0));
    if (op.axes()) {
        const auto &axes = *op.axes();
        std::string text = axes.size() == 1 ? std::to_string(axes[0]) : "(";
        if (axes.size() != 1) {
            for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + std::to_string(axes[i]);
            text += ")";
        }
        out.text(", axis=" + text);
    }
    if (out.exact() && accumulates(op.kind())) {
        const DType input = node.input(0)->type().dtype();
        const CAReduce usual(op.kind(), {});
        if (op.resultDType(input) != usual.resultDType(input)) out.text(", dtype=" + std::string(nameOf(op.resultDType(input))));
        if (op.accumulatorDType(input) != usual.accumulatorDType(input))
            out.text(", acc_dtype=" + std::string(nameOf(op.accumulatorDType(input))));
    }
    out.text(")");
}

} // namespace

NOTATION("mean(x, axis=None, keepdims=False, dtype=None, acc_dtype=None)", mean);
PRETTY(CAReduce, reduceForm);

} // namespace engine
