#include "engine/graph/ir/builders.h"

#include "engine/tensor/fork.h"

#include <bit>
#include <cmath>
#include <mutex>
#include <unordered_map>

namespace engine {

ExpressionBuilders &builders()
{
    static ExpressionBuilders one;
    return one;
}

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
        std::size_t operator()(const Key &key) const { return static_cast<std::size_t>((key.bits ^ key.kind) * 0x9E3779B97F4A7C15ull); }
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

} // namespace engine
