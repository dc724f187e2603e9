// A scalar function (a Composite body, too) as a list of vector primitives over blocks of elements.
#pragma once

#include "engine/rt/rt.h"
#include "engine/scalar/scalar_op.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine {

class ScalarProgram {
public:
    /// A block that a step reads or writes.
    struct Block {
        enum class Kind : std::uint8_t { Input, Literal, Temporary };
        Kind kind = Kind::Temporary;
        RtKind type = RT_F64;
        std::uint32_t index = 0;   ///< which input, which literal, or the number of the scratch block
        std::uint32_t lastUse = 0; ///< step that reads it last
    };
    enum class Form : std::uint8_t { Op, Cast, Wrap };
    struct Step {
        Form form = Form::Op;
        RtOp op = RT_COPY;             ///< Op
        RtKind kind = RT_F64;          ///< Op: of the arguments (a switch's branches); Cast: from
        DType wrapTo = DType::Float64; ///< Wrap
        RtLoop loop = nullptr;
        std::uint32_t inputs[4] = {};
        std::uint8_t inputCount = 0;
        std::uint32_t output = 0;
        std::uint32_t lastInputUse = 0; ///< the last step that reads any input of the program, at or after this one
    };

    /// For these argument dtypes, giving results of these dtypes. Throws InternalError for a function that cannot run.
    ScalarProgram(ScalarOpPtr function, std::span<const DType> inputs, std::span<const DType> outputs);

    std::span<const Block> blocks() const { return m_blocks; }
    std::span<const Step> steps() const { return m_steps; }
    /// The block that holds each result, in the register kind of its dtype (already rounded to it).
    std::span<const std::uint32_t> outputs() const { return m_outputs; }
    struct Literal {
        DType dtype;
        double value;
    };
    std::span<const Literal> literals() const { return m_literals; }
    /// The primitives behind it, for a list of what runs.
    std::size_t temporaryCount() const { return m_temporaries; }

private:
    struct Operand {
        std::uint32_t block = 0;
        DType dtype = DType::Float64;
    };

    Operand emitOp(ScalarOpPtr op, std::span<const Operand> arguments, DType result);
    Operand convert(Operand value, DType to);
    Operand emit(Step step, std::span<const Operand> arguments, DType result);
    Operand emitPrimitive(RtOp op, RtKind kind, std::span<const Operand> arguments, DType result, bool mayOverflow);
    Operand wrap(Operand value, DType to);
    Operand literal(double value, DType dtype);
    std::uint32_t newTemporary(RtKind type);
    void fuseMultiplyAdd();
    void dropUnused();
    void assignTemporaries();

    std::vector<Block> m_blocks;
    std::vector<Step> m_steps;
    std::vector<Literal> m_literals;
    std::vector<std::uint32_t> m_outputs;
    std::size_t m_temporaries = 0;
};

/// Memory for a register that repeats a literal n times, and the register in it: it begins on a cache line.
std::size_t literalBytes(RtKind type, long n);
void *fillLiteral(const ScalarProgram::Literal &literal, std::byte *memory, long n);

} // namespace engine
