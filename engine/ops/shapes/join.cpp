#include "engine/ops/shapes/join.h"

#include "engine/codegen/loop_writer.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

int axisOf(const char *symbol, const Operand &axis, int rank)
{
    if (!axis.type.isTensor() || axis.type.rank() != 0 || !isInteger(axis.type.dtype()))
        throw TypeMismatch(std::string("[") + symbol + "] the axis must be an integer scalar, got " + axis.type.text());
    if (!axis.constant) throw TypeMismatch(std::string("[") + symbol + "] the axis must be a constant");
    const std::int64_t value = axis.constant->tensor().intAt(0);
    const std::int64_t positive = value < 0 ? value + rank : value;
    if (positive < 0 || positive >= rank)
        throw ShapeMismatch(std::string("[") + symbol + "] axis " + std::to_string(value) + " is out of range for " + std::to_string(rank) +
                            " dimensions");
    return static_cast<int>(positive);
}

// The axis as the shape language sees it: a number, since the type rule accepted nothing else.
int axisOf(ShapeBuilder &shapes, int input, int rank)
{
    const auto symbol = shapes.value(input);
    const auto value = symbol ? shapes.known(*symbol) : std::nullopt;
    ENGINE_ASSERT(value, "the axis of a join is not constant");
    return static_cast<int>(*value < 0 ? *value + rank : *value);
}

int axisOf(const VarRef &axis, int rank)
{
    const std::int64_t value = axis->value().tensor().intAt(0);
    return static_cast<int>(value < 0 ? value + rank : value);
}

std::int64_t intOf(const View &view)
{
    return withStorageType(view.dtype, [&]<class T>() { return convertElement<std::int64_t>(*view.as<T>()); });
}

} // namespace

std::vector<Type> Join::outputTypes(std::span<const Operand> inputs) const
{
    if (inputs.size() < 2) throw TypeMismatch("[join] there is nothing to join");
    const Type first = inputs[1].type;
    if (!first.isTensor() || first.rank() == 0)
        throw TypeMismatch("[join] scalars cannot be joined, got " + first.text(), "use stack, which makes a new axis");
    const int axis = axisOf("join", inputs[0], first.rank());
    DType dtype = first.dtype();
    std::vector<std::int64_t> shape(first.shape().begin(), first.shape().end());
    for (const Operand &input : inputs.subspan(2)) {
        const Type type = input.type;
        if (!type.isTensor() || type.rank() != first.rank())
            throw TypeMismatch("[join] all arrays must have one number of dimensions, got " + first.text() + " and " + type.text());
        dtype = promote(dtype, type.dtype());
        for (int i = 0; i < type.rank(); ++i) {
            std::int64_t &size = shape[i];
            const std::int64_t other = type.shape()[i];
            if (i == axis) size = size == kUnknownDim || other == kUnknownDim ? kUnknownDim : size + other;
            else if (size == kUnknownDim || other == 1) size = other; // all parts agree here: one that knows is enough
        }
    }
    // A sum of hints that happens to be 1 is no promise.
    if (inputs.size() > 2 && shape[axis] == 1) shape[axis] = kUnknownDim;
    return {Type::tensor(dtype, shape)};
}

bool Join::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const int rank = shapes.inputRank(1);
    const int axis = axisOf(shapes, 0, rank);
    SymShape shape = shapes.sizesOf(1);
    for (int input = 2; input < shapes.inputCount(); ++input) shape[axis] = shapes.add(shape[axis], shapes.dim(input, axis));
    outputs = {shape};
    return true;
}

std::vector<SizeRule> Join::sizeRules(ShapeBuilder &shapes) const
{
    const int rank = shapes.inputRank(1), axis = axisOf(shapes, 0, rank);
    std::vector<SizeRule> rules;
    for (int input = 2; input < shapes.inputCount(); ++input)
        for (int i = 0; i < rank; ++i)
            if (i != axis) rules.push_back({shapes.dim(1, i), shapes.dim(input, i), 1, i, input, i});
    return rules;
}

std::optional<Sym> Join::inferValue(ShapeBuilder &shapes, int, int element) const
{
    if (shapes.inputRank(1) != 1) return std::nullopt;
    for (int input = 1; input < shapes.inputCount(); ++input) {
        const auto length = shapes.known(shapes.dim(input, 0));
        if (!length) return std::nullopt;
        if (element < *length) return shapes.value(input, element);
        element -= static_cast<int>(*length);
    }
    return std::nullopt;
}

std::vector<VarRef> Join::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    std::vector<VarRef> terms{disconnected()};
    const DType dtype = node.output(0)->type().dtype();
    if (isDiscrete(dtype)) {
        for (const VarRef &input : node.inputs().subspan(1)) terms.push_back(zerosLike(input, floatX()));
        return terms;
    }
    const int rank = node.input(1)->type().rank();
    const int axis = axisOf(node.input(0), rank);
    if (node.inputs().size() == 2) {
        terms.push_back(outputGrads[0]);
        return terms;
    }
    std::vector<VarRef> sizes;
    for (const VarRef &input : node.inputs().subspan(1)) sizes.push_back(shapeOf(input, axis));
    const VarRef inputs[] = {outputGrads[0], node.input(0), makeVector(sizes)};
    const ApplyRef parts = Apply::create(makeOp<Split>(static_cast<int>(sizes.size())), inputs);
    for (int i = 0; i < parts->outputCount(); ++i)
        terms.push_back(patternBroadcast(VarRef(parts->output(i)), node.input(i + 1)->type().pattern()));
    return terms;
}

std::vector<VarRef> Join::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    std::vector<VarRef> inputs{node.input(0)};
    for (std::size_t i = 1; i < evalPoints.size(); ++i) inputs.push_back(evalPoints[i] ? evalPoints[i] : zerosLike(node.inputs()[i]));
    return {engine::apply(node.opRef(), inputs)};
}

std::vector<std::vector<bool>> Join::connectionPattern(const Apply &node) const
{
    std::vector<std::vector<bool>> pattern(node.inputs().size(), {true});
    pattern[0][0] = false;
    return pattern;
}

bool Join::readsInputOnHost(std::size_t input, const Operand &) const { return input == 0; }

namespace {

class DeviceJoinThunk final : public Thunk {
public:
    DeviceJoinThunk(int axis, const ThunkSpec &spec, const std::string &name)
    {
        DeviceWindow place{spec.outputs[0]};
        for (const SlotOperand &part : spec.inputs.subspan(1)) {
            place.array.shape = part.shape;
            if (part.shape.product() > 0) m_copies.push_back(copyThunk({part}, place, name));
            place.offset += part.shape[axis] * place.array.strides[axis];
        }
    }
    void run(Slots slots) override
    {
        for (const std::unique_ptr<Thunk> &copy : m_copies) copy->run(slots);
    }

private:
    std::vector<std::unique_ptr<Thunk>> m_copies;
};

class DeviceSplitThunk final : public Thunk {
public:
    DeviceSplitThunk(int axis, const ThunkSpec &spec, const std::string &name)
    {
        DeviceWindow part{spec.inputs[0]};
        const std::int64_t size = part.array.shape[axis];
        std::int64_t total = 0;
        for (const SlotOperand &output : spec.outputs) total += output.shape[axis];
        if (total != size)
            throw ShapeMismatch("[split] the sizes add up to " + std::to_string(total) + ", the axis has " + std::to_string(size));
        for (const SlotOperand &output : spec.outputs) {
            part.array.shape = output.shape;
            if (output.shape.product() > 0) m_copies.push_back(copyThunk(part, {output}, name));
            part.offset += output.shape[axis] * part.array.strides[axis];
        }
    }
    void run(Slots slots) override
    {
        for (const std::unique_ptr<Thunk> &copy : m_copies) copy->run(slots);
    }

private:
    std::vector<std::unique_ptr<Thunk>> m_copies;
};

int axisIn(const SlotOperand &given, int rank)
{
    ENGINE_ASSERT(given.constantData, "the axis of a join is known when it is built");
    const std::int64_t axis = intOf({const_cast<void *>(given.constantData), given.dtype, 0, nullptr, nullptr});
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

} // namespace

std::unique_ptr<Thunk> Join::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<DeviceJoinThunk>(axisIn(spec.inputs[0], spec.outputs[0].shape.rank()), spec, name());
}

void Join::perform(PerformArgs &args) const
{
    const int rank = args.inputs[1].rank;
    const std::int64_t value = intOf(args.inputs[0]);
    const int axis = static_cast<int>(value < 0 ? value + rank : value);
    Dims shape = shapeOfView(args.inputs[1]);
    for (const View &part : args.inputs.subspan(2)) {
        for (int i = 0; i < rank; ++i)
            if (i != axis && part.shape[i] != shape[i])
                throw ShapeMismatch("[join] the arrays differ outside of axis " + std::to_string(axis) + ": shapes " +
                                    shapeOfView(args.inputs[1]).text() + " and " + shapeOfView(part).text());
        shape[axis] += part.shape[axis];
    }
    View out = output(args, 0, shape);
    for (const View &part : args.inputs.subspan(1)) {
        const View target{out.data, out.dtype, rank, part.shape, out.strides};
        copyConverted(part, target);
        out.data = static_cast<char *>(out.data) + part.shape[axis] * out.strides[axis];
    }
}

std::vector<Type> Split::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, sizes = inputs[2].type;
    if (!x.isTensor() || x.rank() == 0) throw ShapeMismatch("[split] cannot split " + x.text());
    const int axis = axisOf("split", inputs[1], x.rank());
    if (!sizes.isTensor() || sizes.rank() != 1 || !isInteger(sizes.dtype()))
        throw TypeMismatch("[split] the sizes must be a vector of integers, got " + sizes.text());
    std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
    shape[axis] = kUnknownDim;
    return std::vector<Type>(static_cast<std::size_t>(m_count), Type::tensor(x.dtype(), shape));
}

bool Split::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const int rank = shapes.inputRank(0);
    const int axis = axisOf(shapes, 1, rank);
    SymShape shape = shapes.sizesOf(0);
    outputs.clear();
    for (int o = 0; o < m_count; ++o) {
        const auto size = shapes.value(2, o);
        if (!size) return false;
        outputs.push_back(shape);
        outputs.back()[axis] = *size;
    }
    return true;
}

std::vector<SizeRule> Split::sizeRules(ShapeBuilder &shapes) const
{
    const int axis = axisOf(shapes, 1, shapes.inputRank(0));
    std::vector<SizeRule> rules{{shapes.dim(2, 0), shapes.constant(m_count), 0, 0, 0, 0, "there is not one size for each part"}};
    Sym total = shapes.constant(0);
    for (int o = 0; o < m_count; ++o) {
        const auto size = shapes.value(2, o);
        if (!size) return rules;
        total = shapes.add(total, *size);
    }
    rules.push_back({shapes.dim(0, axis), total, 0, 0, 0, 0, "the sizes do not add up to that of the axis"});
    return rules;
}

std::vector<VarRef> Split::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    const VarRef why = undefinedGradient("the sizes of a split are integers");
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX()), disconnected(), why};
    std::vector<VarRef> inputs{node.input(1)};
    for (int o = 0; o < m_count; ++o) {
        const VarRef &g = outputGrads[o];
        inputs.push_back(isDisconnected(g) ? zerosLike(VarRef(node.output(o))) : g);
    }
    return {patternBroadcast(engine::apply(makeOp<Join>(), inputs), x->type().pattern()), disconnected(), why};
}

std::vector<VarRef> Split::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    std::vector<VarRef> result(static_cast<std::size_t>(m_count));
    if (!evalPoints[0]) return result;
    const VarRef inputs[] = {evalPoints[0], node.input(1), node.input(2)};
    const ApplyRef parts = Apply::create(node.opRef(), inputs);
    for (int o = 0; o < m_count; ++o) result[o] = VarRef(parts->output(o));
    return result;
}

std::vector<std::vector<bool>> Split::connectionPattern(const Apply &node) const
{
    const auto count = static_cast<std::size_t>(node.outputCount());
    return {std::vector<bool>(count, true), std::vector<bool>(count, false), std::vector<bool>(count, true)};
}

bool Split::readsInputOnHost(std::size_t input, const Operand &) const { return input > 0; }

std::unique_ptr<Thunk> Split::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return std::make_unique<DeviceSplitThunk>(axisIn(spec.inputs[1], spec.inputs[0].shape.rank()), spec, name());
}

void Split::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t value = intOf(args.inputs[1]);
    const int axis = static_cast<int>(value < 0 ? value + x.rank : value);
    const auto sizes = integers(args.inputs[2]);
    const std::int64_t given = args.inputs[2].shape[0];
    if (given != m_count)
        throw ShapeMismatch("[split] " + std::to_string(given) + " sizes were given for " + std::to_string(m_count) + " parts");
    std::int64_t total = 0;
    for (int o = 0; o < m_count; ++o) {
        if (sizes[o] < 0) throw ShapeMismatch("[split] a size is negative: " + std::to_string(sizes[o]));
        total += sizes[o];
    }
    if (total != x.shape[axis])
        throw ShapeMismatch("[split] the sizes add up to " + std::to_string(total) + ", the axis has " + std::to_string(x.shape[axis]));
    auto *data = static_cast<char *>(x.data);
    for (int o = 0; o < m_count; ++o) {
        Dims shape = shapeOfView(x);
        shape[axis] = sizes[o];
        const View part{data, x.dtype, x.rank, shape.data(), x.strides};
        copyConverted(part, output(args, o, shape));
        data += sizes[o] * x.strides[axis];
    }
}

VarRef join(int axis, std::span<const VarRef> arrays)
{
    if (arrays.empty()) throw TypeMismatch("[join] there is nothing to join");
    static const OpRef op = makeOp<Join>();
    std::vector<VarRef> inputs{constantOf(DType::Int8, axis)};
    inputs.insert(inputs.end(), arrays.begin(), arrays.end());
    return engine::apply(op, inputs);
}

VarRef stack(std::span<const VarRef> arrays, int axis)
{
    if (arrays.empty()) throw TypeMismatch("[stack] there is nothing to stack");
    const int rank = arrays[0]->type().rank();
    const bool isInteger0d = rank == 0 && std::all_of(arrays.begin(), arrays.end(), [](const VarRef &array) {
                                 return array->type().isTensor() && array->type().rank() == 0;
                             });
    const int place = axis < 0 ? axis + rank + 1 : axis;
    if (place < 0 || place > rank)
        throw ShapeMismatch("[stack] axis " + std::to_string(axis) + " is out of range for a result of " + std::to_string(rank + 1) +
                            " dimensions");
    if (isInteger0d) {
        // One node that shape programs can read.
        DType dtype = arrays[0]->type().dtype();
        for (const VarRef &array : arrays) dtype = promote(dtype, array->type().dtype());
        std::vector<VarRef> same;
        for (const VarRef &array : arrays) same.push_back(cast(array, dtype));
        return engine::apply(makeOp<MakeVector>(dtype), same);
    }
    std::vector<int> order;
    for (int i = 0; i <= rank; ++i) order.push_back(i == place ? DimShuffle::kNewAxis : i < place ? i : i - 1);
    std::vector<VarRef> wider;
    for (const VarRef &array : arrays) {
        if (array->type().rank() != rank)
            throw ShapeMismatch("[stack] all arrays must have one number of dimensions, got " + arrays[0]->type().text() + " and " +
                                array->type().text());
        wider.push_back(dimshuffle(array, order));
    }
    return join(place, wider);
}

std::vector<VarRef> split(const VarRef &x, const VarRef &sizes, int count, int axis)
{
    const VarRef inputs[] = {x, constantOf(DType::Int8, axis), sizes};
    const ApplyRef node = Apply::create(makeOp<Split>(count), inputs);
    std::vector<VarRef> result;
    for (int o = 0; o < count; ++o) result.push_back(VarRef(node->output(o)));
    return result;
}

PRECISE_MOVES(Join, 1, ~std::size_t(0));
PRECISE_MOVES(Split, 0, 1);
OP_CARD(Join, Join, arity(2, kAnyNumber));
PRETTY(Join, [](const Apply &node, PrettyWriter &out) { prettyCall("join", node, out); });
OP_CARD(Split, Join, arity(3), number("count", &Split::count, 1, 100'000)).shown("len_splits", &Split::count);

NOTATION("join(axis, x, y, …)", join);
NOTATION("concatenate([x, y, …], axis=0)", [](NotationCall &call) -> NotationValue {
    const std::vector<VarRef> arrays = call.variables(call.items("arrays"));
    return join(static_cast<int>(call.integer("axis", 0)), arrays);
});
NOTATION("stack([x, y, …], axis=0)", stack);
NOTATION("Split(x, sizes, count, axis=0)[0]", split);

IN_LOOPS(Join, [](const Join &, LoopWriter &writer) {
    const auto given = writer.integer(0);
    if (!given) return false;
    const std::size_t out = writer.outputArray(0),
                      axis = static_cast<std::size_t>(*given < 0 ? *given + writer.output(0).shape.rank() : *given);
    LoopWriter::Part to = writer.all(out);
    const auto size = static_cast<std::int64_t>(sizeOf(writer.output(0).dtype));
    for (std::size_t i = 1; i < writer.inputCount(); ++i) {
        const Dims &shape = writer.input(i).shape;
        if (shape.product() > 0 && !writer.writeCopy(to, writer.all(writer.inputArray(i)), shape)) return false;
        to.offset += shape[axis] * (writer.output(0).strides[axis] / size);
    }
    return true;
})

} // namespace engine
