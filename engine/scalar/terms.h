// Writing derivatives as formulas: variables with operators. Constants take the dtype and rank of their neighbour.
#pragma once

#include "engine/ops/elementwise.h"

namespace engine::terms {

struct Term {
    VarRef variable;
    Term(VarRef v) : variable(std::move(v)) {}
    operator VarRef() const { return variable; }
};

inline Term call(ScalarCode code, const Term &a) { return elementwise(code, {a.variable}); }
inline Term call(ScalarCode code, const Term &a, const Term &b)
{
    return elementwise(code, {a.variable, b.variable});
}
inline Term call(ScalarCode code, const Term &a, const Term &b, const Term &c)
{
    return elementwise(code, {a.variable, b.variable, c.variable});
}

/// A constant with the rank of `like` and its dtype (discrete ones: floatX).
VarRef number(double value, const VarRef &like);

inline Term operator+(const Term &a, const Term &b) { return call(ScalarCode::Add, a, b); }
inline Term operator-(const Term &a, const Term &b) { return call(ScalarCode::Sub, a, b); }
inline Term operator*(const Term &a, const Term &b) { return call(ScalarCode::Mul, a, b); }
inline Term operator/(const Term &a, const Term &b) { return call(ScalarCode::TrueDiv, a, b); }
inline Term operator-(const Term &a) { return call(ScalarCode::Neg, a); }
inline Term operator+(const Term &a, double b) { return a + Term(number(b, a.variable)); }
inline Term operator-(const Term &a, double b) { return a - Term(number(b, a.variable)); }
inline Term operator*(const Term &a, double b) { return a * Term(number(b, a.variable)); }
inline Term operator/(const Term &a, double b) { return a / Term(number(b, a.variable)); }
inline Term operator+(double a, const Term &b) { return Term(number(a, b.variable)) + b; }
inline Term operator-(double a, const Term &b) { return Term(number(a, b.variable)) - b; }

} // namespace engine::terms
