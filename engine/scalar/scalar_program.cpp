#include "engine/scalar/scalar_program.h"

#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace engine {
namespace {

DType wideType(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return DType::Bool;
    case RT_INT: return DType::Int64;
    case RT_UINT: return DType::UInt64;
    case RT_F32: return DType::Float32;
    case RT_F64: return DType::Float64;
    default: return DType::Complex128;
    }
}

} // namespace

ScalarProgram::ScalarProgram(ScalarOpPtr function, std::span<const DType> inputs, std::span<const DType> outputs)
{
    std::vector<Operand> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        m_blocks.push_back({Block::Kind::Input, registerKind(inputs[i]), static_cast<std::uint32_t>(i), 0});
        values.push_back({static_cast<std::uint32_t>(i), inputs[i]});
    }
    std::vector<Operand> results;
    if (const ScalarBody *body = function->body()) {
        // The body may have been written for other dtypes of the same functions (constants of another width).
        for (std::size_t i = 0; i < body->inputTypes.size() && i < values.size(); ++i) values[i] = convert(values[i], body->inputTypes[i]);
        for (const ScalarInstruction &instruction : body->instructions) {
            if (!instruction.op) {
                values.push_back(literal(instruction.literal, instruction.dtype));
                continue;
            }
            std::vector<Operand> arguments;
            for (std::uint32_t argument : instruction.arguments) arguments.push_back(values[argument]);
            values.push_back(emitOp(instruction.op, arguments, instruction.dtype));
        }
        for (std::size_t i = 0; i < body->outputs.size(); ++i) results.push_back(convert(values[body->outputs[i]], outputs[i]));
    } else {
        results.push_back(emitOp(function, values, outputs[0]));
    }
    for (const Operand &result : results) {
        std::uint32_t block = result.block;
        // Every result is written by a step of its own: an input or literal is copied, so is a result asked for twice.
        const bool taken = std::find(m_outputs.begin(), m_outputs.end(), block) != m_outputs.end();
        if (m_blocks[block].kind != Block::Kind::Temporary || taken) {
            const Operand from{block, result.dtype};
            block = emitPrimitive(RT_COPY, m_blocks[block].type, {&from, 1}, result.dtype, false).block;
        }
        m_outputs.push_back(block);
    }
    fuseMultiplyAdd();
    dropUnused();
    assignTemporaries();
}

std::uint32_t ScalarProgram::newTemporary(RtKind type)
{
    m_blocks.push_back({Block::Kind::Temporary, type, 0, 0});
    return static_cast<std::uint32_t>(m_blocks.size() - 1);
}

ScalarProgram::Operand ScalarProgram::literal(double value, DType dtype)
{
    // The literal holds what the dtype can: a float32 0.1 is not the double 0.1.
    const RtKind kind = registerKind(dtype);
    m_literals.push_back({dtype, value});
    m_blocks.push_back({Block::Kind::Literal, kind, static_cast<std::uint32_t>(m_literals.size() - 1), 0});
    return {static_cast<std::uint32_t>(m_blocks.size() - 1), dtype};
}

ScalarProgram::Operand ScalarProgram::emit(Step step, std::span<const Operand> arguments, DType result)
{
    ENGINE_ASSERT(step.loop, "a scalar function has no loop for " + std::string(nameOf(result)));
    step.inputCount = static_cast<std::uint8_t>(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) step.inputs[i] = arguments[i].block;
    step.output = newTemporary(registerKind(result));
    m_steps.push_back(step);
    return {step.output, result};
}

ScalarProgram::Operand ScalarProgram::emitPrimitive(RtOp op, RtKind kind, std::span<const Operand> arguments, DType result,
                                                    bool mayOverflow)
{
    Step step;
    step.op = op;
    step.kind = kind;
    step.loop = rt_table()->loops[op][kind];
    const Operand value = emit(step, arguments, result);
    return mayOverflow ? wrap(value, result) : value;
}

ScalarProgram::Operand ScalarProgram::wrap(Operand value, DType to)
{
    Step step;
    step.form = Form::Wrap;
    step.wrapTo = to;
    step.loop = rt_table()->wraps[rtDType(to)];
    return step.loop ? emit(step, {&value, 1}, to) : value;
}

ScalarProgram::Operand ScalarProgram::convert(Operand value, DType to)
{
    if (value.dtype == to) return value;
    const RtKind from = m_blocks[value.block].type, kind = registerKind(to);
    const DType original = value.dtype;
    if (from != kind) {
        Step step;
        step.form = Form::Cast;
        step.kind = from;
        step.loop = castLoop(from, to);
        value = emit(step, {&value, 1}, wideType(kind));
    }
    const Operand wide{value.block, to};
    return canCastSafely(original, to) ? wide : wrap(wide, to);
}

ScalarProgram::Operand ScalarProgram::emitOp(ScalarOpPtr op, std::span<const Operand> arguments, DType result)
{
    const RtTable *rt = rt_table();
    const ScalarCode code = op->code();
    if (code == ScalarCode::Cast || code == ScalarCode::Identity) return convert(arguments[0], result);
    if (code == ScalarCode::Second) return convert(arguments[1], result);
    if (const ScalarBody *body = op->body()) {
        // A Composite inside a Composite: its steps are written out here.
        std::vector<Operand> values(arguments.begin(), arguments.end());
        for (std::size_t i = 0; i < body->inputTypes.size(); ++i) values[i] = convert(values[i], body->inputTypes[i]);
        for (const ScalarInstruction &instruction : body->instructions) {
            std::vector<Operand> inner;
            for (std::uint32_t argument : instruction.arguments) inner.push_back(values[argument]);
            values.push_back(instruction.op ? emitOp(instruction.op, inner, instruction.dtype)
                                            : literal(instruction.literal, instruction.dtype));
        }
        return convert(values[body->outputs[0]], result);
    }
    if (code == ScalarCode::Switch) {
        const Operand operands[] = {convert(arguments[0], DType::Bool), convert(arguments[1], result), convert(arguments[2], result)};
        return emitPrimitive(RT_SWITCH, registerKind(result), operands, result, false);
    }
    const auto primitive = primitiveOf(code);
    ENGINE_ASSERT(primitive, op->name() + " has no loop");

    std::vector<DType> dtypes;
    for (const Operand &argument : arguments) dtypes.push_back(argument.dtype);
    const auto compute = op->computeType(dtypes);
    std::vector<Operand> operands;
    for (const Operand &argument : arguments) operands.push_back(compute ? convert(argument, *compute) : argument);
    DType at = operands[0].dtype;
    if (!compute)
        for (Operand &operand : operands) at = promote(at, operand.dtype);
    RtKind kind = registerKind(at);
    if (at == DType::Bool && !rt->loops[*primitive][kind] && rt->loops[*primitive][RT_INT]) {
        // As integers, for which 1 // 0 is 0; as floats it would be an infinity, and so true.
        at = DType::Int64;
        kind = RT_INT;
    }
    if (!rt->loops[*primitive][kind] && !isComplex(at)) {
        // Only double loops exist (angle, special functions of integers).
        at = DType::Float64;
        kind = RT_F64;
    }
    for (Operand &operand : operands) operand = convert(operand, at);

    DType natural = at;
    if (isTest(*primitive)) natural = DType::Bool;
    else if (kind == RT_COMPLEX && (*primitive == RT_ABS || *primitive == RT_REAL || *primitive == RT_IMAG || *primitive == RT_ANGLE))
        natural = DType::Float64;
    else if (*primitive == RT_COMPLEX_FROM_PAIR || *primitive == RT_COMPLEX_FROM_POLAR) natural = DType::Complex128;

    const bool wraps = !staysInRange(*primitive);
    if (operands.size() == 2 || op->arity() >= 0) return convert(emitPrimitive(*primitive, kind, operands, natural, wraps), result);
    // Any number of arguments: pair by pair, from the left.
    Operand value = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
        const Operand pair[] = {value, operands[i]};
        value = emitPrimitive(*primitive, kind, pair, natural, wraps);
    }
    return convert(value, result);
}

// a*b then + c becomes one step (still rounded twice, so the bits are the same).
// A product that only sums and differences read becomes part of them. Differences of two products stay as they are, so that
// a*a - b*b of equal numbers is zero.
void ScalarProgram::fuseMultiplyAdd()
{
    const RtTable *rt = rt_table();
    const auto isProduct = [](const Step &step) { return step.form == Form::Op && (step.op == RT_MUL || step.op == RT_SQR); };
    std::vector<std::vector<std::size_t>> readers(m_blocks.size());
    std::vector<bool> isKept(m_blocks.size(), false), comesOfProduct(m_blocks.size(), false);
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        for (int i = 0; i < m_steps[s].inputCount; ++i) readers[m_steps[s].inputs[i]].push_back(s);
        comesOfProduct[m_steps[s].output] = isProduct(m_steps[s]);
    }
    for (std::uint32_t output : m_outputs) isKept[output] = true;
    for (const Step &product : m_steps) {
        const std::uint32_t value = product.output;
        const RtKind kind = m_blocks[value].type;
        if (!isProduct(product) || isKept[value]) continue;
        const auto fused = [&](const Step &reader) -> std::optional<RtOp> {
            const std::uint32_t other = reader.inputs[reader.inputs[0] == value ? 1 : 0];
            if (reader.form != Form::Op || other == value) return std::nullopt;
            if (reader.op == RT_ADD) return RT_MUL_ADD;
            if (reader.op != RT_SUB || comesOfProduct[other]) return std::nullopt;
            return reader.inputs[0] == value ? RT_MUL_SUB : RT_SUB_MUL;
        };
        const bool all = std::all_of(readers[value].begin(), readers[value].end(), [&](std::size_t reader) {
            const auto op = fused(m_steps[reader]);
            return op && rt->loops[*op][kind];
        });
        if (!all) continue;
        for (std::size_t at : readers[value]) {
            Step &reader = m_steps[at];
            const std::uint32_t other = reader.inputs[reader.inputs[0] == value ? 1 : 0];
            reader.op = *fused(reader);
            reader.loop = rt->loops[reader.op][kind];
            reader.inputs[0] = product.inputs[0];
            reader.inputs[1] = product.inputs[product.op == RT_SQR ? 0 : 1];
            reader.inputs[2] = other;
            reader.inputCount = 3;
        }
    }
}

void ScalarProgram::dropUnused()
{
    std::vector<bool> needed(m_blocks.size(), false);
    for (std::uint32_t output : m_outputs) needed[output] = true;
    std::vector<Step> kept;
    for (std::size_t s = m_steps.size(); s-- > 0;) {
        if (!needed[m_steps[s].output]) continue;
        for (int i = 0; i < m_steps[s].inputCount; ++i) needed[m_steps[s].inputs[i]] = true;
        kept.push_back(m_steps[s]);
    }
    std::reverse(kept.begin(), kept.end());
    m_steps = std::move(kept);
}

void ScalarProgram::assignTemporaries()
{
    for (std::uint32_t s = 0; s < m_steps.size(); ++s)
        for (int i = 0; i < m_steps[s].inputCount; ++i) m_blocks[m_steps[s].inputs[i]].lastUse = s;
    for (std::uint32_t output : m_outputs) m_blocks[output].lastUse = static_cast<std::uint32_t>(m_steps.size());
    std::uint32_t lastInput = 0;
    for (std::size_t s = m_steps.size(); s-- > 0;) {
        for (int i = 0; i < m_steps[s].inputCount; ++i)
            if (m_blocks[m_steps[s].inputs[i]].kind == Block::Kind::Input) lastInput = std::max(lastInput, static_cast<std::uint32_t>(s));
        m_steps[s].lastInputUse = lastInput;
    }
    // Blocks of 8 bytes an element (16 for complex) are reused as soon as their last reader has run.
    std::vector<std::uint32_t> free;
    std::vector<std::vector<std::uint32_t>> dying(m_steps.size() + 1);
    for (std::uint32_t s = 0; s < m_steps.size(); ++s) {
        Block &block = m_blocks[m_steps[s].output];
        if (free.empty()) {
            block.index = static_cast<std::uint32_t>(m_temporaries++);
        } else {
            block.index = free.back();
            free.pop_back();
        }
        dying[std::max(block.lastUse, s)].push_back(block.index);
        for (std::uint32_t index : dying[s]) free.push_back(index);
    }
}

std::size_t literalBytes(RtKind type, long n) { return static_cast<std::size_t>(n) * registerBytes(type) + 64; }

void *fillLiteral(const ScalarProgram::Literal &literal, std::byte *memory, long n)
{
    void *start = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory) + 63) & ~std::uintptr_t(63));
    alignas(16) std::byte element[16];
    withStorageType(literal.dtype, [&]<class T>() {
        const T value = convertElement<T>(literal.value);
        std::memcpy(element, &value, sizeof(T));
    });
    rt_table()->loads[rtDType(literal.dtype)](reinterpret_cast<const char *>(element), 0, start, n);
    return start;
}

} // namespace engine
