#include "engine/ops/reductions/fused_reduce.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/scalar_document.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

FusedReduce::FusedReduce(const OpRef &elements, const OpRef &reduce)
    : m_elements(elements->on(DeviceId::Host)), m_reduce(reduce->on(DeviceId::Host))
{
    const Elemwise *function = opCast<Elemwise>(m_elements);
    ENGINE_ASSERT(function && function->scalar()->outputCount() == 1 && function->inplace().empty() && opCast<CAReduce>(m_reduce),
                  "a fused reduction is made of an elementwise function and a reduction");
}

namespace {

std::string nameOf(const Op &reduce, const ScalarOp &elements)
{
    const bool isPlain = elements.code() != ScalarCode::Cast && elements.code() != ScalarCode::Composite;
    return reduce.name() + "{" + (isPlain ? elements.symbol() : elements.name()) + "}";
}

} // namespace

std::string FusedReduce::exactName() const { return nameOf(*m_reduce, *elements().scalar()); }
std::string FusedReduce::deviceName() const { return nameOf(*m_reduce->on(worksOn()), *elements().scalar()); }
std::string FusedReduce::deviceClass() const { return m_reduce->on(worksOn())->shownClass(); }
bool FusedReduce::readsInputOnHost(std::size_t input, const Operand &operand) const { return m_elements->readsInputOnHost(input, operand); }

std::string FusedReduce::shortName() const { return m_reduce->friendlyName() + " of " + m_elements->friendlyName(); }

std::string FusedReduce::identity() const
{
    // Parts of other dtypes may print alike; both are interned.
    return std::to_string(reinterpret_cast<std::uintptr_t>(m_elements.get())) + " " +
           std::to_string(reinterpret_cast<std::uintptr_t>(m_reduce.get()));
}

std::vector<Type> FusedReduce::outputTypes(std::span<const Operand> inputs) const
{
    const Operand element{m_elements->outputTypes(inputs)[0]};
    return m_reduce->outputTypes({&element, 1});
}

bool FusedReduce::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    std::vector<SymShape> whole;
    if (!m_elements->inferShape(shapes, whole)) return false;
    const std::vector<int> axes = reduce().axesFor(static_cast<int>(whole[0].size()));
    SymShape kept;
    for (int axis = 0; axis < static_cast<int>(whole[0].size()); ++axis)
        if (!std::binary_search(axes.begin(), axes.end(), axis)) kept.push_back(whole[0][axis]);
    outputs = {kept};
    return true;
}

Cost FusedReduce::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    Dims shape = inputs[0];
    for (const Dims &input : inputs)
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (input[axis] != 1) shape[axis] = input[axis];
    return {m_elements->cost(inputs, {&shape, 1}).flops + static_cast<double>(shape.product())};
}

std::vector<WorkStep> FusedReduce::workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    std::vector<Operand> operands;
    for (const Type &type : inputs) operands.push_back({type});
    const Type element = m_elements->outputTypes(operands)[0];
    std::vector<WorkStep> steps = m_elements->workSteps(inputs, {&element, 1});
    for (WorkStep &step : steps) step.writes.clear(); // elements are combined where they stand
    WorkStep fold = m_reduce->workSteps({&element, 1}, outputs)[0];
    fold.reads.clear();
    steps.push_back(std::move(fold));
    return steps;
}

// The reduction's parameters and the function that makes its elements.
OP_CARD(
    FusedReduce, Reduction, [](const Op &op) { return arityOf(static_cast<const FusedReduce &>(op).elements()); },
    WholeOp{[](const FusedReduce &op, JsonWriter &out) {
                op.reduce().card().write(op.reduce(), out);
                out.key("scalar");
                writeScalar(out, *op.elements().scalar());
            },
            [](const OpParameters &from) {
                const ScalarOpPtr scalar = readScalar(from.need("scalar"), from.place() + ".scalar");
                if (scalar->outputCount() != 1) from.fail("scalar", "a reduction takes one value an element");
                return makeOp<FusedReduce>(elemwise(scalar), findCard("CAReduce")->read(from));
            }});

} // namespace engine
