#include "engine/ops/elements/elementwise.h"

#include "engine/gradient/gradient.h"
#include "engine/ops/elements/complex_slopes.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

namespace engine {

Elemwise::Elemwise(ScalarOpPtr scalar, std::vector<Alias> inplace) : m_scalar(scalar), m_inplace(std::move(inplace))
{
    std::sort(m_inplace.begin(), m_inplace.end(), [](const Alias &a, const Alias &b) { return a.output < b.output; });
}

std::string Elemwise::exactName() const
{
    const bool isPlain = m_scalar->code() != ScalarCode::Cast && m_scalar->code() != ScalarCode::Composite;
    if (m_inplace.empty()) return "Elemwise{" + m_scalar->symbol() + (isPlain ? ",no_inplace}" : "}");
    std::string result = "Elemwise{" + (isPlain ? m_scalar->className() : m_scalar->name()) + "}[";
    for (std::size_t i = 0; i < m_inplace.size(); ++i)
        result += (i ? ", (" : "(") + std::to_string(m_inplace[i].output) + ", " + std::to_string(m_inplace[i].input) + ")";
    return result + "]";
}

std::string Elemwise::shortName() const { return m_scalar->friendlyName(); }

std::string Elemwise::identity() const
{
    // Two Composites of other dtypes may print alike; the scalar op is interned.
    return std::to_string(reinterpret_cast<std::uintptr_t>(m_scalar)) + exactName();
}

namespace {

// One axis of the result: broadcastable only if all are; a known size is passed on unless two known ones differ.
std::int64_t joinedSize(std::span<const Operand> inputs, std::size_t axis)
{
    std::int64_t result = 1;
    for (const Operand &input : inputs) {
        const std::int64_t size = input.type.shape()[axis];
        if (size == 1 || size == result) continue;
        if (result == 1 || result == kUnknownDim) result = size;
        else if (size != kUnknownDim) return kUnknownDim;
    }
    return result;
}

[[noreturn]] void failRank(const ScalarOp &scalar, std::span<const Operand> inputs)
{
    std::string types;
    for (const Operand &input : inputs) types += (types.empty() ? "" : ", ") + input.type.text();
    throw ShapeMismatch("[" + scalar.symbol() + "] inputs have different numbers of dimensions: " + types, "insert axes with dimshuffle");
}

} // namespace

std::vector<Type> Elemwise::outputTypes(std::span<const Operand> inputs) const
{
    std::array<DType, 8> few;
    std::vector<DType> many;
    std::span<DType> dtypes(few.data(), std::min(inputs.size(), few.size()));
    if (inputs.size() > few.size()) {
        many.resize(inputs.size());
        dtypes = many;
    }
    bool same = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Type type = inputs[i].type;
        if (!type.isTensor())
            throw TypeMismatch("[" + m_scalar->symbol() + "] wants tensors, input " + std::to_string(i) + " is " + type.text());
        dtypes[i] = type.dtype();
        same = same && type.identical(inputs[0].type);
        if (type.rank() != inputs[0].type.rank()) failRank(*m_scalar, inputs);
    }
    const DType first = m_scalar->resultType(dtypes);
    Type shaped = inputs[0].type;
    if (!same) {
        std::array<std::int64_t, kMaxRank> sizes;
        const std::size_t rank = static_cast<std::size_t>(shaped.rank());
        if (rank > sizes.size()) throw ShapeMismatch("[" + m_scalar->symbol() + "] arrays of more than 12 dimensions are not supported");
        for (std::size_t axis = 0; axis < rank; ++axis) sizes[axis] = joinedSize(inputs, axis);
        const std::span<const std::int64_t> shape(sizes.data(), rank);
        auto fits = std::find_if(inputs.begin(), inputs.end(), [&](const Operand &input) {
            return std::equal(shape.begin(), shape.end(), input.type.shape().begin(), input.type.shape().end());
        });
        shaped = fits != inputs.end() ? fits->type : Type::tensor(first, shape);
    }
    for (const Alias &alias : m_inplace)
        if (inputs[alias.input].type.pattern() != shaped.pattern())
            throw ShapeMismatch("[" + m_scalar->symbol() + "] cannot work in place on an input with broadcast dimensions");
    if (m_scalar->outputCount() == 1) return {shaped.withDType(first)};
    std::vector<Type> result;
    for (DType dtype : m_scalar->resultTypes(dtypes)) result.push_back(shaped.withDType(dtype));
    return result;
}

bool Elemwise::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const int count = m_scalar->arity() >= 0 ? m_scalar->arity() : shapes.inputCount();
    SymShape shape;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        int source = -1;
        for (int i = 0; i < count && source < 0; ++i)
            if (!shapes.inputBroadcastable(i, axis)) source = i;
        shape.push_back(source < 0 ? shapes.constant(1) : shapes.dim(source, axis));
    }
    outputs.assign(static_cast<std::size_t>(m_scalar->outputCount()), shape);
    return true;
}

std::vector<SizeRule> Elemwise::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        int first = -1;
        for (int i = 0; i < shapes.inputCount(); ++i) {
            if (shapes.inputBroadcastable(i, axis)) continue;
            if (first < 0) first = i;
            else rules.push_back({shapes.dim(first, axis), shapes.dim(i, axis), first, axis, i, axis});
        }
    }
    return rules;
}

namespace {

// The derivative as expressions, one per input; what arrives at the result is `g`.
std::vector<VarRef> slopesOf(const ScalarOp &scalar, const Apply &node, const VarRef &g)
{
    const VarRef out(node.output(0));
    std::vector<VarRef> values(node.inputs().begin(), node.inputs().end());
    std::vector<DType> dtypes;
    for (const VarRef &input : values) dtypes.push_back(input->type().dtype());
    values.push_back(out);
    values.push_back(g);
    const ScalarDerivative derivative = derivativeOf(scalar, dtypes, out->type().dtype(), g->type().dtype());
    std::vector<VarRef> arguments;
    for (const ScalarInstruction &step : derivative.steps) {
        arguments.clear();
        for (std::uint32_t argument : step.arguments) arguments.push_back(values[argument]);
        values.push_back(step.op ? elementwise(step.op, arguments) : constantOf(step.dtype, step.literal, out->type().rank()));
    }
    std::vector<VarRef> slopes;
    for (const ScalarSlope &slope : derivative.slopes)
        slopes.push_back(slope.kind == ScalarSlope::Kind::Value       ? values[slope.value]
                         : slope.kind == ScalarSlope::Kind::Undefined ? undefinedGradient(slope.why)
                                                                      : disconnected());
    return slopes;
}

// One output of a Composite that has several, from the same inputs.
VarRef outputAlone(const ScalarOp &scalar, const Apply &node, int output)
{
    ScalarBody body = *scalar.body();
    body.outputs = {body.outputs[output]};
    return elementwise(compositeOp(std::move(body)), node.inputs());
}

std::vector<VarRef> gradientOfSeveral(const ScalarOp &scalar, const Apply &node, std::span<const VarRef> outputGrads)
{
    std::vector<VarRef> totals(node.inputs().size(), disconnected());
    for (int o = 0; o < node.outputCount(); ++o) {
        const VarRef &arrived = outputGrads[o];
        if (isDisconnected(arrived)) continue;
        const VarRef alone = outputAlone(scalar, node, o);
        const std::vector<VarRef> terms = alone->owner()->op().gradient(*alone->owner(), {&arrived, 1});
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (isDisconnected(terms[i]) || isUndefined(totals[i])) continue;
            totals[i] = isDisconnected(totals[i]) || isUndefined(terms[i]) ? terms[i] : add(totals[i], terms[i]);
        }
    }
    return totals;
}

} // namespace

namespace {

// What says by itself what becomes of the parts of a complex number; the slopes of all others are those of real numbers.
bool hasOwnComplexSlope(ScalarCode code)
{
    return code == ScalarCode::Conj || code == ScalarCode::ComplexFromPair || code == ScalarCode::ComplexFromPolar;
}

bool isComplexTensor(const VarRef &variable) { return variable->type().isTensor() && isComplex(variable->type().dtype()); }

} // namespace

std::vector<VarRef> throughConjugates(const Apply &node, std::span<const VarRef> outputGrads,
                                      const std::function<std::vector<VarRef>(std::span<const VarRef>)> &slopes)
{
    if (!isComplexTensor(VarRef(node.output(0)))) return slopes(outputGrads);
    std::vector<VarRef> turned(outputGrads.begin(), outputGrads.end());
    for (VarRef &grad : turned)
        if (isComplexTensor(grad)) grad = elementwise(ScalarCode::Conj, {grad});
    std::vector<VarRef> terms = slopes(turned);
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (isComplexTensor(terms[i]))
            terms[i] = elementwise(isComplexTensor(node.input(static_cast<int>(i))) ? ScalarCode::Conj : ScalarCode::Real, {terms[i]});
    return terms;
}

std::vector<VarRef> Elemwise::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef out(node.output(0));
    std::vector<VarRef> terms;
    if (node.outputCount() > 1) return gradientOfSeveral(*m_scalar, node, outputGrads);
    if (isDiscrete(out->type().dtype())) {
        // Flat almost everywhere.
        for (const VarRef &input : node.inputs())
            terms.push_back(zerosLike(input, isDiscrete(input->type().dtype()) ? floatX() : input->type().dtype()));
        if (is(ScalarCode::Second)) terms[0] = disconnected();
        return terms;
    }
    const auto slopes = [&](std::span<const VarRef> grads) { return slopesOf(*m_scalar, node, grads[0]); };
    terms = hasOwnComplexSlope(m_scalar->code()) ? slopes(outputGrads) : throughConjugates(node, outputGrads, slopes);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (!terms[i]->type().isTensor()) continue;
        const VarRef &input = node.input(static_cast<int>(i));
        terms[i] = sumToPattern(terms[i], input->type());
        // A constant slope is a number: it gets the input's shape.
        for (int axis = 0; axis < input->type().rank(); ++axis)
            if (terms[i]->type().isBroadcastable(axis) && !input->type().isBroadcastable(axis)) {
                terms[i] = fill(input, terms[i]);
                break;
            }
    }
    return terms;
}

std::vector<VarRef> Elemwise::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const VarRef out(node.output(0));
    if (node.outputCount() > 1) {
        std::vector<VarRef> results;
        for (int o = 0; o < node.outputCount(); ++o) {
            const VarRef alone = outputAlone(*m_scalar, node, o);
            results.push_back(alone->owner()->op().rop(*alone->owner(), evalPoints)[0]);
        }
        return results;
    }
    // Each term is linear in what arrives: the forward derivative is the same formula fed with the direction.
    VarRef total;
    for (std::size_t i = 0; i < evalPoints.size(); ++i) {
        if (!evalPoints[i]) continue;
        VarRef term;
        if (isDiscrete(out->type().dtype())) term = zerosLike(out, floatX());
        else term = slopesOf(*m_scalar, node, evalPoints[i])[i];
        if (isDisconnected(term)) continue;
        if (isUndefined(term)) return {VarRef()};
        total = total ? add(total, term) : term;
    }
    if (total && total->type().pattern() != out->type().pattern()) total = fill(out, total);
    return {total};
}

std::vector<std::vector<bool>> Elemwise::connectionPattern(const Apply &node) const
{
    auto pattern = Op::connectionPattern(node);
    if (is(ScalarCode::Second)) pattern[0][0] = false;
    return pattern;
}

Cost Elemwise::cost(std::span<const Dims>, std::span<const Dims> outputs) const
{
    return {outputs.empty() ? 0 : m_scalar->cost() * static_cast<double>(outputs[0].product())};
}

std::vector<WorkStep> Elemwise::workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    const auto inputCount = static_cast<std::uint32_t>(inputs.size());
    std::vector<DType> dtypes;
    std::vector<bool> isOne; // by value: one element for all
    for (const Type &type : inputs) {
        dtypes.push_back(type.dtype());
        isOne.push_back(std::all_of(type.shape().begin(), type.shape().end(), [](std::int64_t size) { return size == 1; }));
    }
    std::vector<bool> read(inputCount, false);
    std::vector<WorkStep> steps;
    const auto add = [&](ScalarOpPtr function, std::span<const std::uint32_t> arguments, DType result) {
        WorkStep step{function ? WorkStep::Kind::Function : WorkStep::Kind::Literal, function, {}, result, {}, {}};
        std::optional<DType> each;
        for (std::uint32_t argument : arguments) {
            if (!isOne[argument]) each = each ? promote(*each, dtypes[argument]) : dtypes[argument];
            if (argument >= inputCount || read[argument]) continue;
            read[argument] = true;
            step.reads.push_back(argument);
        }
        // One element is converted once.
        for (std::uint32_t argument : arguments) step.arguments.push_back(isOne[argument] && each ? *each : dtypes[argument]);
        dtypes.push_back(result);
        isOne.push_back(!function);
        steps.push_back(std::move(step));
    };
    if (const ScalarBody *body = m_scalar->body()) {
        for (const ScalarInstruction &instruction : body->instructions) add(instruction.op, instruction.arguments, instruction.dtype);
        for (std::uint32_t i = 0; i < body->outputs.size(); ++i)
            if (body->outputs[i] >= inputCount) steps[body->outputs[i] - inputCount].writes.push_back(i);
        return steps;
    }
    std::vector<std::uint32_t> arguments(inputCount);
    std::iota(arguments.begin(), arguments.end(), 0u);
    add(m_scalar, arguments, outputs[0].dtype());
    steps[0].writes = {0};
    return steps;
}

const InnerGraph *Elemwise::inner() const
{
    const ScalarBody *body = m_scalar->body();
    if (!body) return nullptr;
    static ProcessMutex mutex; // guards the building of any m_inner
    std::lock_guard lock(mutex);
    if (m_inner) return m_inner.get();
    const ScopedTrace noTrace(TraceId::None);
    auto graph = std::make_unique<InnerGraph>();
    for (std::uint32_t i = 0; i < body->inputCount; ++i)
        graph->inputs.push_back(Variable::input(Type::scalar(body->inputTypes[i]), "i" + std::to_string(i)));
    std::vector<VarRef> values = graph->inputs;
    for (const ScalarInstruction &instruction : body->instructions) {
        if (!instruction.op) {
            values.push_back(constantOf(instruction.dtype, instruction.literal));
            continue;
        }
        std::vector<VarRef> arguments;
        for (std::uint32_t argument : instruction.arguments) arguments.push_back(values[argument]);
        values.push_back(engine::apply(elemwise(instruction.op), arguments));
    }
    for (std::uint32_t output : body->outputs) graph->outputs.push_back(values[output]);
    m_inner = std::move(graph);
    return m_inner.get();
}

} // namespace engine
