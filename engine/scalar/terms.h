// Derivatives as formulas: terms over the arguments of a scalar function, its result and the gradient that arrives there.
#pragma once

#include "engine/scalar/scalar_op.h"

#include <initializer_list>

namespace engine::terms {

/// Collects the steps of a formula. Values are numbered: the inputs first, then the steps.
class Formula {
public:
    explicit Formula(std::span<const DType> inputs) : m_types(inputs.begin(), inputs.end()) {}
    Formula(const Formula &) = delete;
    Formula &operator=(const Formula &) = delete;

    std::uint32_t call(ScalarOpPtr op, std::span<const std::uint32_t> arguments);
    std::uint32_t constant(DType dtype, double value);
    DType typeOf(std::uint32_t value) const { return m_types[value]; }

    std::vector<ScalarInstruction> steps;

private:
    std::vector<DType> m_types;
};

/// A value of a formula; or "nothing arrives here" (the default); or "this is undefined because …".
class Term {
public:
    Term() = default;
    Term(Formula &formula, std::uint32_t value) : m_formula(&formula), m_value(value) {}
    static Term undefined(std::string why);

    bool isValue() const { return m_formula; }
    bool isUndefined() const { return m_why != nullptr; }
    bool isDisconnected() const { return !isValue() && !isUndefined(); }
    const std::string &why() const { return *m_why; }

    Formula &formula() const { return *m_formula; }
    std::uint32_t value() const { return m_value; }
    DType dtype() const { return m_formula->typeOf(m_value); }

private:
    Formula *m_formula = nullptr;
    std::uint32_t m_value = 0;
    std::shared_ptr<const std::string> m_why;
};

/// What a derivative may use.
struct Chain {
    const ScalarOp &op;
    std::span<const Term> in;
    Term out;
    Term g; ///< gradient that arrives at the result
};

Term call(ScalarOpPtr op, std::span<const Term> arguments);
Term call(ScalarCode code, std::initializer_list<Term> arguments);
inline Term call(ScalarCode code, const Term &a) { return call(scalarOp(code), std::span(&a, 1)); }
inline Term call(ScalarCode code, const Term &a, const Term &b) { return call(code, {a, b}); }
inline Term call(ScalarCode code, const Term &a, const Term &b, const Term &c) { return call(code, {a, b, c}); }
Term cast(const Term &a, DType dtype); ///< the same term if it has that dtype already
/// A constant in the formula of `near`.
Term constant(DType dtype, double value, const Term &near);
/// A constant with the dtype of `like` (discrete ones: floatX).
Term number(double value, const Term &like);

inline Term operator+(const Term &a, const Term &b) { return call(ScalarCode::Add, a, b); }
inline Term operator-(const Term &a, const Term &b) { return call(ScalarCode::Sub, a, b); }
inline Term operator*(const Term &a, const Term &b) { return call(ScalarCode::Mul, a, b); }
inline Term operator/(const Term &a, const Term &b) { return call(ScalarCode::TrueDiv, a, b); }
inline Term operator-(const Term &a) { return call(ScalarCode::Neg, a); }
inline Term operator+(const Term &a, double b) { return a + number(b, a); }
inline Term operator-(const Term &a, double b) { return a - number(b, a); }
inline Term operator*(const Term &a, double b) { return a * number(b, a); }
inline Term operator/(const Term &a, double b) { return a / number(b, a); }
inline Term operator+(double a, const Term &b) { return number(a, b) + b; }
inline Term operator-(double a, const Term &b) { return number(a, b) - b; }

/// An argument that a formula may square or negate: discrete ones first become the dtype of the result.
inline Term real(const Chain &c, std::size_t i) { return isDiscrete(c.in[i].dtype()) ? cast(c.in[i], c.out.dtype()) : c.in[i]; }

} // namespace engine::terms
