#include "engine/scalar/terms.h"

namespace engine {
namespace terms {

std::uint32_t Formula::call(ScalarOpPtr op, std::span<const std::uint32_t> arguments)
{
    std::vector<DType> types;
    for (std::uint32_t argument : arguments) types.push_back(m_types[argument]);
    m_types.push_back(op->resultType(types));
    steps.push_back({op, {arguments.begin(), arguments.end()}, m_types.back(), 0});
    return static_cast<std::uint32_t>(m_types.size()) - 1;
}

std::uint32_t Formula::constant(DType dtype, double value)
{
    m_types.push_back(dtype);
    steps.push_back({nullptr, {}, dtype, value});
    return static_cast<std::uint32_t>(m_types.size()) - 1;
}

Term Term::undefined(std::string why)
{
    Term term;
    term.m_why = std::make_shared<const std::string>(std::move(why));
    return term;
}

Term call(ScalarOpPtr op, std::span<const Term> arguments)
{
    std::vector<std::uint32_t> values;
    for (const Term &argument : arguments) values.push_back(argument.value());
    Formula &formula = arguments[0].formula();
    return {formula, formula.call(op, values)};
}

Term call(ScalarCode code, std::initializer_list<Term> arguments)
{
    return call(scalarOp(code), std::span(arguments.begin(), arguments.size()));
}

Term cast(const Term &a, DType dtype) { return a.dtype() == dtype ? a : call(castOp(dtype), std::span(&a, 1)); }
Term constant(DType dtype, double value, const Term &near) { return {near.formula(), near.formula().constant(dtype, value)}; }
Term number(double value, const Term &like) { return constant(isDiscrete(like.dtype()) ? floatX() : like.dtype(), value, like); }

} // namespace terms

ScalarDerivative derivativeOf(const ScalarOp &op, std::span<const DType> arguments, DType result, DType gradient)
{
    std::vector<DType> types(arguments.begin(), arguments.end());
    types.push_back(result);
    types.push_back(gradient);
    terms::Formula formula(types);
    std::vector<terms::Term> inputs;
    for (std::uint32_t i = 0; i < types.size(); ++i) inputs.emplace_back(formula, i);
    const std::size_t count = arguments.size();
    ScalarDerivative derivative;
    for (const terms::Term &slope : op.slopes({op, std::span(inputs).first(count), inputs[count], inputs[count + 1]})) {
        if (slope.isValue()) derivative.slopes.push_back({ScalarSlope::Kind::Value, slope.value(), {}});
        else if (slope.isUndefined()) derivative.slopes.push_back({ScalarSlope::Kind::Undefined, 0, slope.why()});
        else derivative.slopes.push_back({});
    }
    derivative.steps = std::move(formula.steps);
    return derivative;
}

} // namespace engine
