#include "engine/tensor/fork.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/elementwise.h"
#include "engine/tensor/errors.h"
#include "engine/scalar/terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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

VarRef applyPadded(const OpRef &op, std::span<const VarRef> inputs)
{
    int rank = 0;
    bool uneven = false;
    for (const VarRef &input : inputs) {
        const Type type = input->type();
        if (!type.isTensor())
            throw TypeMismatch("[" + op->friendlyName() + "] wants tensors, got " + type.text());
        uneven = uneven || (&input != &inputs[0] && type.rank() != rank);
        rank = std::max(rank, type.rank());
    }
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

namespace {

VarRef freshConstant(DType dtype, double value, int rank)
{
    return Variable::constant(Tensor::full(dtype, Dims(static_cast<std::size_t>(rank), 1), value));
}

} // namespace

VarRef constantOf(DType dtype, double value, int rank)
{
    // As Theano does, small constants are one node: formulas are full of 0, 1 and 2.
    if (!(value >= -10 && value <= 10)) return freshConstant(dtype, value, rank);
    struct Key {
        std::uint64_t bits;
        std::uint32_t kind;
        bool operator==(const Key &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key &key) const
        {
            return static_cast<std::size_t>((key.bits ^ key.kind) * 0x9E3779B97F4A7C15ull);
        }
    };
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<Key, VarRef, Hash>;
    const Key key{std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(dtype) << 8 | static_cast<std::uint32_t>(rank)};
    std::lock_guard lock(mutex);
    if (auto found = table->find(key); found != table->end()) return found->second;
    if (table->size() > 10000) return freshConstant(dtype, value, rank);
    const ScopedTrace noTrace(TraceId::None);
    return table->emplace(key, freshConstant(dtype, value, rank)).first->second;
}

VarRef constantOf(DType dtype, double value) { return constantOf(dtype, value, 0); }

VarRef literal(double value, DType floatX)
{
    if (floatX != DType::Float64) return constantOf(floatX, value);
    const bool isExact = std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
    return constantOf(isExact ? DType::Float32 : DType::Float64, value);
}

VarRef literal(std::int64_t value)
{
    if (value >= -128 && value <= 127) return constantOf(DType::Int8, static_cast<double>(value));
    const DType dtype = value >= INT16_MIN && value <= INT16_MAX   ? DType::Int16
                        : value >= INT32_MIN && value <= INT32_MAX ? DType::Int32
                                                                   : DType::Int64;
    return Variable::constant(Tensor::scalarInt(dtype, value));
}

VarRef terms::number(double value, const VarRef &like)
{
    const Type type = like->type();
    const DType dtype = type.dtype();
    return constantOf(isDiscrete(dtype) ? floatX() : dtype, value, type.rank());
}

} // namespace engine
