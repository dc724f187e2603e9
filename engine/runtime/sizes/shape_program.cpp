#include "engine/runtime/sizes/shape_program.h"

#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    if (b == 0) return 0;
    const std::int64_t quotient = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

std::int64_t floorModulo(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a - floorDivide(a, b) * b; }

std::int64_t readInteger(const View &view, std::uint32_t element)
{
    const char *place = view.as<const char>();
    if (view.rank == 1) place += static_cast<std::int64_t>(element) * view.strides[0];
    return withStorageType(view.dtype, [&]<class T>() {
        T value;
        std::memcpy(&value, place, sizeof(T));
        return convertElement<std::int64_t>(value);
    });
}

} // namespace

std::int64_t ShapeProgram::compute(Code code, std::int64_t a, std::int64_t b, std::int64_t c)
{
    switch (code) {
    case Code::Add: return a + b;
    case Code::Sub: return a - b;
    case Code::Mul: return a * b;
    case Code::FloorDiv: return floorDivide(a, b);
    case Code::Mod: return floorModulo(a, b);
    case Code::Min: return std::min(a, b);
    case Code::Max: return std::max(a, b);
    case Code::Less: return a < b;
    case Code::Select: return a ? b : c;
    }
    return 0;
}

void ShapeProgram::run(std::span<const View> inputs)
{
    for (const DimRead &read : m_dimReads) m_registers[read.target] = inputs[read.input].shape[read.axis];
    for (const ValueRead &read : m_valueReads) {
        const View &view = inputs[read.input];
        const bool inside = view.rank == 0 || static_cast<std::int64_t>(read.element) < view.shape[0];
        m_registers[read.target] = inside ? readInteger(view, read.element) : 0;
    }
    for (const Instruction &i : m_instructions)
        m_registers[i.target] = compute(i.code, m_registers[i.a], m_registers[i.b], m_registers[i.c]);
}

Dims ShapeProgram::shapeOf(VarId var) const
{
    Dims shape;
    for (Sym symbol : symbols(var)) shape.push_back(value(symbol));
    return shape;
}

std::optional<Sym> ShapeProgram::integerInput(ApplyId apply, int port) const
{
    auto found = m_integers.find((static_cast<std::uint64_t>(raw(apply)) << 32) | static_cast<std::uint32_t>(port));
    if (found == m_integers.end()) return std::nullopt;
    return found->second;
}

namespace {

// Evaluates shape rules at once: symbols are indices of known numbers.
class ShapeEvaluator final : public ShapeBuilder {
public:
    ShapeEvaluator(std::span<const Value> inputs, std::span<const Type> types) : m_inputs(inputs), m_types(types) {}

    std::int64_t number(Sym symbol) const { return m_numbers[symbol]; }

    Sym constant(std::int64_t value) override { return m_numbers.add(value); }
    Sym dim(int input, int axis) override { return constant(tensor(input).shape()[axis]); }
    std::optional<Sym> value(int input, int element) override
    {
        const Tensor &t = tensor(input);
        if (!isDiscrete(t.dtype()) || element >= t.size()) return std::nullopt;
        return constant(t.intAt(element));
    }
    int inputCount() const override { return static_cast<int>(m_types.size()); }
    int inputRank(int input) const override { return m_types[input].rank(); }
    bool inputBroadcastable(int input, int axis) const override { return m_types[input].isBroadcastable(axis); }
    std::optional<std::int64_t> known(Sym symbol) const override { return number(symbol); }
    Sym add(Sym a, Sym b) override { return constant(number(a) + number(b)); }
    Sym sub(Sym a, Sym b) override { return constant(number(a) - number(b)); }
    Sym mul(Sym a, Sym b) override { return constant(number(a) * number(b)); }
    Sym floorDiv(Sym a, Sym b) override { return constant(floorDivide(number(a), number(b))); }
    Sym mod(Sym a, Sym b) override { return constant(floorModulo(number(a), number(b))); }
    Sym min(Sym a, Sym b) override { return constant(std::min(number(a), number(b))); }
    Sym max(Sym a, Sym b) override { return constant(std::max(number(a), number(b))); }
    Sym less(Sym a, Sym b) override { return constant(number(a) < number(b)); }
    Sym select(Sym c, Sym a, Sym b) override { return number(c) ? a : b; }

private:
    const Tensor &tensor(int input) const { return m_inputs[input].tensor(); }
    std::span<const Value> m_inputs;
    std::span<const Type> m_types;
    Indexed<Sym, std::int64_t> m_numbers;
};

} // namespace

std::optional<std::vector<Dims>> inferShapes(const Op &op, std::span<const Value> inputs, std::span<const Type> types)
{
    for (const Value &value : inputs)
        if (!value.isTensor()) return std::nullopt;
    ShapeEvaluator evaluator(inputs, types);
    std::vector<SymShape> shapes;
    if (!op.inferShape(evaluator, shapes)) return std::nullopt;
    std::vector<Dims> result;
    for (const SymShape &shape : shapes) {
        Dims dims;
        for (Sym symbol : shape) dims.push_back(evaluator.number(symbol));
        result.push_back(dims);
    }
    return result;
}

} // namespace engine
