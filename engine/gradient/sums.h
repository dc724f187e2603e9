// What gradients are put together with.
#pragma once

#include "engine/graph/ir/builders.h"

namespace engine::sums {

inline VarRef call(ScalarOpPtr op, std::initializer_list<VarRef> inputs)
{
    return builders().elementwise(op, std::span(inputs.begin(), inputs.size()));
}
inline VarRef add(const VarRef &a, const VarRef &b) { return call(scalarOp(ScalarCode::Add), {a, b}); }
/// Of gradients, of which one may be missing.
inline VarRef sumOf(const VarRef &a, const VarRef &b) { return !a ? b : b ? sums::add(a, b) : a; }
/// The same variable if it has that dtype already.
inline VarRef cast(const VarRef &a, DType dtype)
{
    return a->type().isTensor() && a->type().dtype() == dtype ? a : call(castOp(dtype), {a});
}
/// Ones or zeros in the shape of a variable.
inline VarRef filled(const VarRef &like, DType dtype, double value)
{
    return call(scalarOp(ScalarCode::Second), {like, constantOf(dtype, value)});
}

} // namespace engine::sums
