#include "engine/ops/shapes/creation.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

void wantScalars(const char *symbol, std::span<const Operand> inputs, bool onlyIntegers)
{
    for (const Operand &input : inputs) {
        const Type type = input.type;
        if (!type.isTensor() || type.rank() != 0 || isComplex(type.dtype()) || (onlyIntegers && !isDiscrete(type.dtype())))
            throw TypeMismatch(std::string("[") + symbol + "] wants " + (onlyIntegers ? "integer" : "real") + " scalars, got " +
                               type.text());
    }
}

double realOf(const View &view)
{
    return withStorageType(view.dtype, [&]<class T>() { return convertElement<double>(*view.as<T>()); });
}

std::vector<VarRef> zeroTerms(const Apply &node)
{
    std::vector<VarRef> terms;
    for (const VarRef &input : node.inputs())
        terms.push_back(zerosLike(input, isDiscrete(input->type().dtype()) ? floatX() : input->type().dtype()));
    return terms;
}

std::string diagText(const char *name, int offset, int axis1, int axis2)
{
    return std::string(name) + "{offset=" + std::to_string(offset) + ", axis1=" + std::to_string(axis1) +
           ", axis2=" + std::to_string(axis2) + "}";
}

std::string shortDiagText(const std::string &name, int offset) { return offset == 0 ? name : name + ", offset " + std::to_string(offset); }

std::int64_t diagLength(std::int64_t rows, std::int64_t columns, int offset)
{
    const std::int64_t down = offset < 0 ? rows + offset : rows, across = offset > 0 ? columns - offset : columns;
    return std::max<std::int64_t>(0, std::min(down, across));
}

} // namespace

Window diagWindow(const View &x, int offset, int axis1, int axis2)
{
    Window window;
    window.dtype = x.dtype;
    auto *data = static_cast<char *>(x.data);
    const std::int64_t length = diagLength(x.shape[axis1], x.shape[axis2], offset);
    if (length > 0) data += offset > 0 ? offset * x.strides[axis2] : -offset * x.strides[axis1];
    for (int axis = 0; axis < x.rank; ++axis) {
        if (axis == axis1 || axis == axis2) continue;
        window.shape.push_back(x.shape[axis]);
        window.strides.push_back(x.strides[axis]);
    }
    window.shape.push_back(length);
    window.strides.push_back(x.strides[axis1] + x.strides[axis2]);
    window.data = data;
    return window;
}

std::vector<Type> ARange::outputTypes(std::span<const Operand> inputs) const
{
    wantScalars("arange", inputs, false);
    std::int64_t length = kUnknownDim;
    if (inputs[0].constant && inputs[1].constant && inputs[2].constant && isInteger(m_dtype)) {
        const double start = inputs[0].constant->tensor().at(0), stop = inputs[1].constant->tensor().at(0),
                     step = inputs[2].constant->tensor().at(0);
        if (step != 0) length = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil((stop - start) / step)));
        if (length == 1) length = kUnknownDim;
    }
    return {Type::tensor(m_dtype, std::span<const std::int64_t>(&length, 1))};
}

bool ARange::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const auto start = shapes.value(0), stop = shapes.value(1), step = shapes.value(2);
    if (!start || !stop || !step) return false;
    const Sym zero = shapes.constant(0), one = shapes.constant(1);
    const auto known = shapes.known(*step);
    const auto up = [&] { return shapes.floorDiv(shapes.sub(shapes.add(shapes.sub(*stop, *start), *step), one), *step); };
    const auto down = [&] {
        return shapes.floorDiv(shapes.sub(shapes.sub(shapes.sub(*start, *stop), *step), one), shapes.sub(zero, *step));
    };
    const Sym length = known ? (*known < 0 ? down() : up()) : shapes.select(shapes.less(*step, zero), down(), up());
    outputs = {{shapes.max(length, zero)}};
    return true;
}

std::optional<Sym> ARange::inferValue(ShapeBuilder &shapes, int, int element) const
{
    const auto start = shapes.value(0), step = shapes.value(2);
    if (!isInteger(m_dtype) || !start || !step) return std::nullopt;
    return shapes.add(*start, shapes.mul(shapes.constant(element), *step));
}

std::vector<VarRef> ARange::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isDiscrete(m_dtype)) return zeroTerms(node);
    // element i is start + i·step; stop only says where it ends.
    const VarRef &g = outputGrads[0];
    const VarRef places = cast(arange(shapeOf(g, 0)), m_dtype);
    return {sum(g), disconnected(), sum(mul(g, places))};
}

std::vector<std::vector<bool>> ARange::connectionPattern(const Apply &) const { return {{true}, {isDiscrete(m_dtype)}, {true}}; }

namespace {

/// at(i) in every place, computed in T.
template <class T, class At>
void fillInOrder(const View &out, DType dtype, At at)
{
    DenseOutput<T> values(out, dtype);
    const std::int64_t length = out.size();
    Pace pace;
    for (std::int64_t first = 0; first < length; first += Pace::kElements) {
        const std::int64_t end = std::min(length, first + Pace::kElements);
        pace.did(end - first);
        for (std::int64_t i = first; i < end; ++i) values[i] = static_cast<T>(at(i));
    }
    values.finish();
}

} // namespace

void ARange::perform(PerformArgs &args) const
{
    const bool whole =
        isDiscrete(m_dtype) && isDiscrete(args.inputs[0].dtype) && isDiscrete(args.inputs[1].dtype) && isDiscrete(args.inputs[2].dtype);
    const double start = realOf(args.inputs[0]), stop = realOf(args.inputs[1]), step = realOf(args.inputs[2]);
    if (step == 0) throw ShapeMismatch("[arange] the step is 0");
    if (whole) {
        const std::int64_t a = scalarInt(args.inputs[0]), b = scalarInt(args.inputs[1]), c = scalarInt(args.inputs[2]);
        const std::int64_t length = c > 0 ? (b > a ? (b - a + c - 1) / c : 0) : (a > b ? (a - b - c - 1) / -c : 0);
        const View &out = output(args, 0, Dims{length});
        const auto at = [=](std::int64_t i) { return a + i * c; };
        if (out.dtype == DType::Int32) fillInOrder<std::int32_t>(out, DType::Int32, at);
        else fillInOrder<std::int64_t>(out, DType::Int64, at);
        return;
    }
    const View &out = output(args, 0, Dims{std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil((stop - start) / step)))});
    const auto at = [=](std::int64_t i) { return start + static_cast<double>(i) * step; };
    if (out.dtype == DType::Float32) fillInOrder<float>(out, DType::Float32, at);
    else fillInOrder<double>(out, DType::Float64, at);
}

std::string Eye::exactName() const { return std::string(m_triangle ? "Tri" : "Eye") + "{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

std::vector<Type> Eye::outputTypes(std::span<const Operand> inputs) const
{
    wantScalars(m_triangle ? "tri" : "eye", inputs, true);
    std::int64_t shape[] = {kUnknownDim, kUnknownDim};
    for (int i = 0; i < 2; ++i)
        if (const Value *size = inputs[i].constant; size && size->tensor().intAt(0) > 1) shape[i] = size->tensor().intAt(0);
    return {Type::tensor(m_dtype, shape)};
}

bool Eye::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const auto rows = shapes.value(0), columns = shapes.value(1);
    if (!rows || !columns) return false;
    outputs = {{*rows, *columns}};
    return true;
}

std::vector<VarRef> Eye::gradient(const Apply &node, std::span<const VarRef>) const
{
    return std::vector<VarRef>(node.inputs().size(), undefinedGradient("sizes and diagonals are integers"));
}

std::vector<std::vector<bool>> Eye::connectionPattern(const Apply &) const { return {{false}, {false}, {true}}; }

void Eye::perform(PerformArgs &args) const
{
    const std::int64_t rows = scalarInt(args.inputs[0]), columns = scalarInt(args.inputs[1]), k = scalarInt(args.inputs[2]);
    if (rows < 0 || columns < 0) throw ShapeMismatch("[eye] a size is negative: " + Dims{rows, columns}.text());
    const View &out = output(args, 0, Dims{rows, columns});
    const std::int64_t diagonal = std::clamp(k, -rows, columns);
    withStorageType(out.dtype, [&]<class T>() {
        DenseOutput<T> values(out, out.dtype);
        const T none = convertElement<T>(0.0), one = convertElement<T>(1.0);
        Pace pace;
        for (std::int64_t r = 0; r < rows; ++r) {
            pace.did(columns);
            const std::int64_t place = r + diagonal;
            T *const row = values.data() + r * columns;
            std::fill(row, row + columns, none);
            if (m_triangle) std::fill(row, row + std::clamp<std::int64_t>(place + 1, 0, columns), one);
            else if (place >= 0 && place < columns) row[place] = one;
        }
        values.finish();
    });
}

std::string ExtractDiag::exactName() const { return diagText("ExtractDiag", m_offset, m_axis1, m_axis2); }

std::string ExtractDiag::shortName() const { return shortDiagText("ExtractDiag", m_offset); }

std::vector<Type> ExtractDiag::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type;
    if (!x.isTensor() || x.rank() < 2) throw ShapeMismatch("[diagonal] wants at least a matrix, got " + x.text());
    if (m_axis1 >= x.rank() || m_axis2 >= x.rank() || m_axis1 == m_axis2)
        throw ShapeMismatch("[diagonal] axes " + std::to_string(m_axis1) + " and " + std::to_string(m_axis2) + " do not fit " + x.text());
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < x.rank(); ++axis)
        if (axis != m_axis1 && axis != m_axis2) shape.push_back(x.shape()[axis]);
    shape.push_back(kUnknownDim);
    return {Type::tensor(x.dtype(), shape)};
}

bool ExtractDiag::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis)
        if (axis != m_axis1 && axis != m_axis2) shape.push_back(shapes.dim(0, axis));
    const Sym shift = shapes.constant(std::abs(m_offset));
    const Sym rows = shapes.dim(0, m_axis1), columns = shapes.dim(0, m_axis2);
    const Sym length = shapes.min(m_offset < 0 ? shapes.sub(rows, shift) : rows, m_offset > 0 ? shapes.sub(columns, shift) : columns);
    shape.push_back(shapes.max(length, shapes.constant(0)));
    outputs = {shape};
    return true;
}

std::vector<VarRef> ExtractDiag::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX())};
    return {engine::apply(makeOp<AddToDiag>(m_offset, m_axis1, m_axis2), {zerosLike(x), outputGrads[0]})};
}

std::vector<VarRef> ExtractDiag::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? engine::apply(node.opRef(), {evalPoints[0]}) : VarRef()};
}

void ExtractDiag::perform(PerformArgs &args) const
{
    const Window window = diagWindow(args.inputs[0], m_offset, m_axis1, m_axis2);
    copyConverted(window.view(), output(args, 0, window.shape));
}

std::string AddToDiag::exactName() const { return diagText("AddToDiag", m_offset, m_axis1, m_axis2); }

std::string AddToDiag::shortName() const { return shortDiagText("AddToDiag", m_offset); }

std::vector<Type> AddToDiag::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, y = inputs[1].type;
    if (!x.isTensor() || x.rank() < 2 || !y.isTensor() || y.rank() != x.rank() - 1)
        throw ShapeMismatch("[diag] " + y.text() + " is no diagonal of " + x.text());
    if (promote(x.dtype(), y.dtype()) != x.dtype())
        throw TypeMismatch("[diag] cannot store " + std::string(nameOf(y.dtype())) + " in an array of " + std::string(nameOf(x.dtype())));
    return {x};
}

std::vector<VarRef> AddToDiag::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (isDiscrete(node.output(0)->type().dtype())) return zeroTerms(node);
    return {outputGrads[0], engine::apply(makeOp<ExtractDiag>(m_offset, m_axis1, m_axis2), {outputGrads[0]})};
}

std::vector<VarRef> AddToDiag::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0] && !evalPoints[1]) return {VarRef()};
    return {engine::apply(node.opRef(), {evalPoints[0] ? evalPoints[0] : zerosLike(node.input(0)),
                                         evalPoints[1] ? evalPoints[1] : zerosLike(node.input(1))})};
}

void AddToDiag::perform(PerformArgs &args) const
{
    const View &out = output(args, 0, shapeOfView(args.inputs[0]));
    if (out.data != args.inputs[0].data) copyConverted(args.inputs[0], out);
    writeInto(diagWindow(out, m_offset, m_axis1, m_axis2).view(), args.inputs[1], false);
}

VarRef arange(const VarRef &start, const VarRef &stop, const VarRef &step, std::optional<DType> dtype)
{
    if (!dtype) {
        dtype = promote(promote(start->type().dtype(), stop->type().dtype()), step->type().dtype());
        if (isDiscrete(*dtype)) dtype = DType::Int64;
        else if (*dtype == DType::Float64 && floatX() != DType::Float64) {
            // Integers among floats promote to float64; unless somebody asked for it, floatX is meant.
            bool asked = false;
            for (const VarRef &part : {start, stop, step}) asked |= part->type().dtype() == DType::Float64;
            if (!asked) dtype = floatX();
        }
    }
    return engine::apply(makeOp<ARange>(*dtype), {start, stop, step});
}

VarRef arange(const VarRef &stop) { return arange(constantOf(DType::Int64, 0), stop, constantOf(DType::Int64, 1)); }

VarRef eye(const VarRef &n, const VarRef &m, const VarRef &k, DType dtype) { return engine::apply(makeOp<Eye>(dtype, false), {n, m, k}); }
VarRef tri(const VarRef &n, const VarRef &m, const VarRef &k, DType dtype) { return engine::apply(makeOp<Eye>(dtype, true), {n, m, k}); }

namespace {

VarRef lowerTriangle(const VarRef &a, const VarRef &k)
{
    const int rank = a->type().rank();
    if (rank < 2) throw ShapeMismatch("[tri] wants at least a matrix, got " + a->type().text());
    return tri(shapeOf(a, rank - 2), shapeOf(a, rank - 1), k, a->type().dtype());
}

} // namespace

VarRef tril(const VarRef &a, const VarRef &k) { return mul(a, lowerTriangle(a, k)); }

VarRef triu(const VarRef &a, const VarRef &k)
{
    const VarRef below = lowerTriangle(a, sub(k, constantOf(DType::Int8, 1)));
    return mul(a, sub(constantOf(a->type().dtype() == DType::Bool ? DType::Int8 : a->type().dtype(), 1), below));
}

VarRef diagonal(const VarRef &a, int offset, int axis1, int axis2)
{
    const int rank = a->type().rank();
    const auto positive = [&](int axis) { return axis < 0 ? axis + rank : axis; };
    return engine::apply(makeOp<ExtractDiag>(offset, positive(axis1), positive(axis2)), {a});
}

VarRef diag(const VarRef &a, int offset)
{
    const int rank = a->type().rank();
    if (rank == 2) return diagonal(a, offset);
    if (rank != 1) throw ShapeMismatch("[diag] wants a vector or a matrix, got " + a->type().text());
    const VarRef size = add(shapeOf(a, 0), constantOf(DType::Int64, std::abs(offset)));
    const VarRef sizes[] = {size, size};
    return engine::apply(makeOp<AddToDiag>(offset, 0, 1), {zeros(sizes, a->type().dtype()), a});
}

VarRef trace(const VarRef &a) { return sum(diagonal(a)); }
VarRef zeros(std::span<const VarRef> sizes, DType dtype) { return alloc(constantOf(dtype, 0), sizes); }
VarRef ones(std::span<const VarRef> sizes, DType dtype) { return alloc(constantOf(dtype, 1), sizes); }

namespace {

template <class T>
auto diagonalAxis2()
{
    return OpField{"axis2", [](const T &op, JsonWriter &out) { out.member("axis2", op.axis2()); },
                   [](const OpParameters &from) {
                       const auto axis = static_cast<int>(from.integer("axis2", 0, kMaxRank - 1));
                       if (axis == from.integer("axis1", 0, kMaxRank - 1)) from.fail("axis2", "a diagonal needs two axes");
                       return axis;
                   }};
}
constexpr std::int64_t kFarthest = 1'000'000'000;

// zeros(n0, n1, …): sizes of the floatX array.
NotationBuilder filled(VarRef (*make)(std::span<const VarRef>, DType))
{
    return [make](NotationCall &call) -> NotationValue { return make(call.sizes(), call.floatX()); };
}

NotationBuilder unit(VarRef (*make)(const VarRef &, const VarRef &, const VarRef &, DType))
{
    return [make](NotationCall &call) -> NotationValue {
        const VarRef n = call.variable("n");
        const VarRef m = call.variableIfGiven("m").value_or(n);
        const VarRef k = call.variableIfGiven("k").value_or(literal(std::int64_t{0}));
        return make(n, m, k, call.dtype("dtype", call.floatX()));
    };
}

} // namespace

PRECISE_MOVES(ExtractDiag, 0, 1);
OP_CARD(ARange, Creation, arity(3), parameter("dtype", &ARange::dtype));
OP_CARD(Eye, Creation, arity(3), parameter("dtype", &Eye::dtype), parameter("triangle", &Eye::isTriangle)).classes({"Eye", "Tri"});
OP_CARD(ExtractDiag, View, arity(1), number("offset", &ExtractDiag::offset, -kFarthest, kFarthest), axis("axis1", &ExtractDiag::axis1),
        diagonalAxis2<ExtractDiag>());
OP_CARD(AddToDiag, Write, arity(2), number("offset", &AddToDiag::offset, -kFarthest, kFarthest), axis("axis1", &AddToDiag::axis1),
        diagonalAxis2<AddToDiag>());

NOTATION("zeros(n0, n1, …)", filled(zeros));
NOTATION("ones(n0, n1, …)", filled(ones));
NOTATION("eye(n, m=n, k=0, dtype=floatX)", unit(eye));
NOTATION("tri(n, m=n, k=0, dtype=floatX)", unit(tri));
NOTATION("tril(x, k=0)", tril);
NOTATION("triu(x, k=0)", triu);
NOTATION("diag(x, k=0)", diag);
NOTATION("diagonal(x, k=0, axis1=0, axis2=1)", diagonal);
NOTATION("trace(x)", trace);
NOTATION("arange(stop) or arange(start, stop, step=1, dtype=None)", [](NotationCall &call) -> NotationValue {
    const VarRef first = call.variable("start");
    const auto stop = call.variableIfGiven("stop");
    if (!stop) return arange(first);
    const VarRef step = call.variableIfGiven("step").value_or(literal(std::int64_t{1}));
    return arange(first, *stop, step, call.dtypeIfGiven("dtype"));
});

} // namespace engine
