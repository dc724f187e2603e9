#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

namespace engine {

OpRef elemwise(ScalarOpPtr scalar)
{
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<ScalarOpPtr, OpRef>;
    std::lock_guard lock(mutex);
    OpRef &op = (*table)[scalar];
    if (!op) op = makeOp<Elemwise>(scalar);
    return op;
}

OpRef elemwise(ScalarCode code)
{
    static const auto *table = [] {
        auto *ops = new std::array<OpRef, static_cast<std::size_t>(ScalarCode::Composite)>;
        for (ScalarOpPtr scalar : allScalarOps()) (*ops)[static_cast<std::size_t>(scalar->code())] = elemwise(scalar);
        return ops;
    }();
    return (*table)[static_cast<std::size_t>(code)];
}

namespace {

// Constants go to where the arrays are, numbers into the kernel.
VarRef applyOnDevice(const OpRef &op, std::span<const VarRef> inputs, DeviceId device, int rank)
{
    std::vector<VarRef> there;
    for (const VarRef &input : inputs) {
        if (input->kind() != Variable::Kind::Constant || input->type().device() != DeviceId::Host) {
            there.push_back(padLeft(input, rank - input->type().rank()));
            continue;
        }
        const Tensor &value = input->value().tensor();
        if (value.size() == 1 && !isComplex(value.dtype())) {
            const Dims ones(static_cast<std::size_t>(rank), 1);
            there.push_back(Variable::constant(
                Tensor(value.dtype(), ones, contiguousStrides(ones, sizeOf(value.dtype())), value.data(), value.storage())));
        } else {
            there.push_back(padLeft(transfer(input, device), rank - input->type().rank()));
        }
    }
    return engine::apply(op, there);
}

VarRef applyPadded(const OpRef &op, std::span<const VarRef> inputs)
{
    int rank = 0;
    bool uneven = false, isElsewhere = false;
    DeviceId device = DeviceId::Host;
    for (const VarRef &input : inputs) {
        const Type type = input->type();
        if (!type.isTensor()) throw TypeMismatch("[" + op->friendlyName() + "] wants tensors, got " + type.text());
        if (type.device() != DeviceId::Host) device = type.device();
        else isElsewhere = isElsewhere || input->kind() == Variable::Kind::Constant;
        uneven = uneven || (&input != &inputs[0] && type.rank() != rank);
        rank = std::max(rank, type.rank());
    }
    if (device != DeviceId::Host && isElsewhere) [[unlikely]]
        return applyOnDevice(op, inputs, device, rank);
    if (!uneven) return engine::apply(op, inputs);
    std::array<VarRef, 4> few;
    std::vector<VarRef> many;
    std::span<VarRef> padded(few.data(), std::min(inputs.size(), few.size()));
    if (inputs.size() > few.size()) {
        many.resize(inputs.size());
        padded = many;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) padded[i] = padLeft(inputs[i], rank - inputs[i]->type().rank());
    return engine::apply(op, padded);
}

} // namespace

VarRef elementwise(ScalarOpPtr scalar, std::span<const VarRef> inputs)
{
    const ScalarCode code = scalar->code();
    const bool isTabled = code != ScalarCode::Composite && code != ScalarCode::Cast;
    return applyPadded(isTabled ? elemwise(code) : elemwise(scalar), inputs);
}

VarRef elementwise(ScalarCode code, std::initializer_list<VarRef> inputs)
{
    return applyPadded(elemwise(code), std::span<const VarRef>(inputs.begin(), inputs.size()));
}

namespace {

[[maybe_unused]] const bool k_builder = (
    builders().elementwise = [](ScalarOpPtr scalar, std::span<const VarRef> inputs) { return elementwise(scalar, inputs); }, true);

} // namespace

VarRef add(const VarRef &a, const VarRef &b) { return elementwise(ScalarCode::Add, {a, b}); }
VarRef sub(const VarRef &a, const VarRef &b) { return elementwise(ScalarCode::Sub, {a, b}); }
VarRef mul(const VarRef &a, const VarRef &b) { return elementwise(ScalarCode::Mul, {a, b}); }
VarRef trueDiv(const VarRef &a, const VarRef &b) { return elementwise(ScalarCode::TrueDiv, {a, b}); }
VarRef pow(const VarRef &a, const VarRef &b) { return elementwise(ScalarCode::Pow, {a, b}); }
VarRef neg(const VarRef &a) { return elementwise(ScalarCode::Neg, {a}); }
VarRef exp(const VarRef &a) { return elementwise(ScalarCode::Exp, {a}); }
VarRef log(const VarRef &a) { return elementwise(ScalarCode::Log, {a}); }
VarRef sqr(const VarRef &a) { return elementwise(ScalarCode::Sqr, {a}); }
VarRef switchOn(const VarRef &condition, const VarRef &ifTrue, const VarRef &ifFalse)
{
    return elementwise(ScalarCode::Switch, {condition, ifTrue, ifFalse});
}

VarRef cast(const VarRef &a, DType dtype)
{
    if (a->type().isTensor() && a->type().dtype() == dtype) return a;
    const VarRef inputs[] = {a};
    return elementwise(castOp(dtype), inputs);
}

VarRef fill(const VarRef &like, const VarRef &value) { return elementwise(ScalarCode::Second, {like, value}); }
VarRef zerosLike(const VarRef &like) { return zerosLike(like, like->type().dtype()); }
VarRef onesLike(const VarRef &like) { return fill(like, constantOf(like->type().dtype(), 1)); }
VarRef zerosLike(const VarRef &like, DType dtype) { return fill(like, constantOf(dtype, 0)); }

} // namespace engine
