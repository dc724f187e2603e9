#include "engine/ops/elements/precise_elements.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/fused_reduce.h"
#include "engine/ops/reductions/reduce.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

// A literal is what its dtype can hold of it.
Precise literalOf(const ScalarInstruction &instruction)
{
    return instruction.dtype == DType::Float32 ? Precise(static_cast<float>(instruction.literal)) : Precise(instruction.literal);
}

bool isMissing(const PreciseRef &input) { return !input; }

void needNumbers(const Op &op, std::span<const PreciseRef> inputs)
{
    if (std::any_of(inputs.begin(), inputs.end(), isMissing)) throw NotPrecise(op.friendlyName() + " reads what has no precise form");
}

} // namespace

Precise preciseElement(const ScalarOp &function, std::span<const Precise> arguments, DType result)
{
    if (const ScalarBody *body = function.body()) {
        std::vector<Precise> values(arguments.begin(), arguments.end()), some;
        for (const ScalarInstruction &instruction : body->instructions) {
            some.clear();
            for (std::uint32_t argument : instruction.arguments) some.push_back(values[argument]);
            values.push_back(instruction.op ? preciseElement(*instruction.op, some, instruction.dtype) : literalOf(instruction));
        }
        return values[body->outputs[0]];
    }
    if (const auto value = preciseValue(function, arguments, result)) return *value;
    throw NotPrecise(function.friendlyName() + " has no form of more than 53 bits");
}

Dims broadcastOf(std::span<const Dims> shapes)
{
    Dims result = shapes.empty() ? Dims() : shapes[0];
    for (const Dims &shape : shapes)
        for (std::size_t axis = 0; axis < result.size(); ++axis)
            if (shape[axis] != 1) result[axis] = shape[axis];
    return result;
}

std::vector<std::uint32_t> placesIn(const Dims &from, const Dims &to)
{
    std::vector<std::uint32_t> places(static_cast<std::size_t>(to.product()));
    Dims at(to.size(), 0), step(to.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t axis = to.size(); axis-- > 0; stride *= from[axis]) step[axis] = from[axis] == 1 ? 0 : stride;
    std::int64_t place = 0;
    for (std::uint32_t &one : places) {
        one = static_cast<std::uint32_t>(place);
        for (std::size_t axis = to.size(); axis-- > 0;) {
            place += step[axis];
            if (++at[axis] < to[axis]) break;
            place -= step[axis] * to[axis];
            at[axis] = 0;
        }
    }
    return places;
}

PreciseArray preciseElements(const ScalarOp &function, std::span<const PreciseRef> inputs, DType result)
{
    std::vector<Dims> shapes;
    for (const PreciseRef &input : inputs) shapes.push_back(input->shape);
    PreciseArray out = PreciseArray::sized(broadcastOf(shapes));
    std::vector<std::vector<std::uint32_t>> places;
    for (const Dims &shape : shapes) places.push_back(placesIn(shape, out.shape));
    std::vector<Precise> arguments(inputs.size());
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        for (std::size_t k = 0; k < inputs.size(); ++k) arguments[k] = inputs[k]->values[places[k][i]];
        out.values[i] = preciseElement(function, arguments, result);
    }
    return out;
}

std::vector<PreciseRef> preciseSteps(const ScalarBody &body, std::span<const PreciseRef> inputs)
{
    const Dims number(static_cast<std::size_t>(inputs.empty() ? 0 : inputs[0]->shape.rank()), 1);
    std::vector<PreciseRef> values(inputs.begin(), inputs.end()), some;
    for (const ScalarInstruction &instruction : body.instructions) {
        some.clear();
        for (std::uint32_t argument : instruction.arguments) some.push_back(values[argument]);
        values.push_back(std::make_shared<const PreciseArray>(instruction.op ? preciseElements(*instruction.op, some, instruction.dtype)
                                                                             : PreciseArray{number, {literalOf(instruction)}}));
    }
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    return values;
}

PreciseArray preciseReduction(const Op &op, const PreciseArray &input)
{
    const auto &reduce = static_cast<const CAReduce &>(op);
    const std::vector<int> axes = reduce.axesFor(input.shape.rank());
    Dims whole = input.shape;
    for (int axis : axes) whole[axis] = 1;
    PreciseArray out = PreciseArray::sized(whole);
    const ReduceKind kind = reduce.kind();
    const bool isEvery = kind == ReduceKind::All || kind == ReduceKind::Prod;
    const bool picks = kind == ReduceKind::Max || kind == ReduceKind::Min || kind == ReduceKind::Largest;
    const double infinity = std::numeric_limits<double>::infinity();
    std::fill(out.values.begin(), out.values.end(),
              isEvery ? Precise(1)
              : picks ? Precise(kind == ReduceKind::Min ? infinity : -infinity)
                      : Precise());
    const std::vector<std::uint32_t> places = placesIn(whole, input.shape);
    for (std::size_t i = 0; i < input.values.size(); ++i) {
        Precise &total = out.values[places[i]];
        const Precise &value = input.values[i];
        switch (kind) {
        case ReduceKind::Sum: total += value; break;
        case ReduceKind::Prod: total = total * value; break;
        case ReduceKind::Any: total = Precise(!total.isZero() || !value.isZero() ? 1 : 0); break;
        case ReduceKind::All: total = Precise(!total.isZero() && !value.isZero() ? 1 : 0); break;
        case ReduceKind::Min:
            if (value.isNan() || value < total) total = value;
            break;
        default:
            if (value.isNan() || value > total) total = value;
        }
    }
    out.shape = reduce.keptShape(input.shape);
    return out;
}

namespace {

void elementwiseForm(PreciseCall &call)
{
    needNumbers(call.op, call.inputs);
    const ScalarOp &function = *static_cast<const Elemwise &>(call.op).scalar();
    const ScalarBody *body = function.body();
    if (!body) return call.set(0, preciseElements(function, call.inputs, call.outputTypes[0].dtype()));
    std::vector<Dims> shapes;
    for (const PreciseRef &input : call.inputs) shapes.push_back(input->shape);
    const Dims shape = broadcastOf(shapes);
    const std::vector<PreciseRef> steps = preciseSteps(*body, call.inputs);
    for (std::size_t o = 0; o < body->outputs.size(); ++o) {
        const std::uint32_t at = body->outputs[o];
        const PreciseRef &value = at < body->inputCount ? call.inputs[at] : steps[at - body->inputCount];
        PreciseArray out = PreciseArray::sized(shape);
        const std::vector<std::uint32_t> places = placesIn(value->shape, shape);
        for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = value->values[places[i]];
        call.set(o, std::move(out));
    }
}

void preciseReduceForm(PreciseCall &call)
{
    needNumbers(call.op, call.inputs);
    call.set(0, preciseReduction(call.op, call.input(0)));
}

void fusedReduceForm(PreciseCall &call)
{
    needNumbers(call.op, call.inputs);
    const auto &op = static_cast<const FusedReduce &>(call.op);
    const ScalarOp &function = *op.elements().scalar();
    std::vector<DType> dtypes;
    for (const Type &type : call.inputTypes) dtypes.push_back(type.dtype());
    call.set(0, preciseReduction(op.reduce(), preciseElements(function, call.inputs, function.resultType(dtypes))));
}

PRECISE_FORM(Elemwise, elementwiseForm);
PRECISE_FORM(CAReduce, preciseReduceForm);
PRECISE_FORM(FusedReduce, fusedReduceForm);

} // namespace
} // namespace engine
