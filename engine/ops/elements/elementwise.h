// Elemwise: a scalar function over arrays with static broadcasting. And the builders people call.
#pragma once

#include "engine/graph/ir/builders.h"
#include "engine/graph/op/op_class.h"
#include "engine/graph/op/thunk.h"

namespace engine {

struct Arity;

class Elemwise final : public Op {
public:
    /// `inplace`: output o overwrites input i.
    explicit Elemwise(ScalarOpPtr scalar, std::vector<Alias> inplace = {});

    ScalarOpPtr scalar() const { return m_scalar; }
    bool is(ScalarCode code) const { return m_scalar->code() == code; }
    const std::vector<Alias> &inplace() const { return m_inplace; }

    bool hasDeviceForm() const override { return true; }
    OP_NAME("Elemwise", "theano.tensor.elemwise");
    /// Inputs must have one rank already (builders insert the DimShuffle).
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, gradient, rop, connectionPattern, cost, workSteps, perform, prepare, exactName,
             shortName, identity, readsInputOnHost, whyNotOnDevice);
    std::vector<Alias> destroyMap() const override { return m_inplace; }
    const InnerGraph *inner() const override;

protected:
    std::unique_ptr<Op> copied() const override { return std::make_unique<Elemwise>(m_scalar, m_inplace); }

private:
    ScalarOpPtr m_scalar;
    std::vector<Alias> m_inplace;
    mutable std::unique_ptr<InnerGraph> m_inner;
};

/// What a kernel of a device is made of: the function with the host's constants in it, and what it is given: arrays, and numbers of the
/// host.
struct ArraysOfDevice {
    ScalarOpPtr function;
    std::vector<SlotOperand> arrays;
};
ArraysOfDevice withoutConstants(ScalarOpPtr function, std::span<const SlotOperand> inputs);

/// Inputs that an apply of it may have.
Arity arityOf(const Elemwise &op);

OpRef elemwise(ScalarCode code);
OpRef elemwise(ScalarOpPtr scalar);

/// Left-pads shorter inputs with broadcastable axes (DimShuffle) and applies the function.
VarRef elementwise(ScalarOpPtr scalar, std::span<const VarRef> inputs);
VarRef elementwise(ScalarCode code, std::initializer_list<VarRef> inputs);

VarRef add(const VarRef &a, const VarRef &b);
VarRef sub(const VarRef &a, const VarRef &b);
VarRef mul(const VarRef &a, const VarRef &b);
/// True division; two discrete operands give floatX.
VarRef trueDiv(const VarRef &a, const VarRef &b);
VarRef pow(const VarRef &a, const VarRef &b);
VarRef neg(const VarRef &a);
VarRef exp(const VarRef &a);
VarRef log(const VarRef &a);
VarRef sqr(const VarRef &a);
VarRef switchOn(const VarRef &condition, const VarRef &ifTrue, const VarRef &ifFalse);
VarRef cast(const VarRef &a, DType dtype);            ///< the same variable if it has that dtype already
VarRef fill(const VarRef &like, const VarRef &value); ///< Elemwise{second}
VarRef zerosLike(const VarRef &like);
VarRef zerosLike(const VarRef &like, DType dtype);
VarRef onesLike(const VarRef &like);
/// Sums `a` over the axes in which `wanted` is broadcastable and `a` is not, and gives it the rest of the pattern.
VarRef sumToPattern(const VarRef &a, Type wanted);

} // namespace engine
