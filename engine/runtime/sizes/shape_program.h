// Sizes as a small program on 64-bit registers: compiled once from the shape rules of the applies of a stage, run
// whenever the sizes of its inputs changed.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/op/shape_builder.h"
#include "engine/tensor/indexed.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

class ShapeProgram {
public:
    /// Fills the registers. `inputs[i]` is the view of input i of the stage (data is read for integer values that matter).
    void run(std::span<const View> inputs);

    /// Run-time shape of a variable after run().
    Dims shapeOf(VarId var) const;
    /// Registers of a variable's sizes, for keys; they stay where they are.
    const SymShape &symbols(VarId var) const { return m_shapes.at(raw(var)); }
    std::int64_t value(Sym symbol) const { return m_registers[symbol]; }
    /// Value of the 0-d integer input `port` of an apply, where it is known before running.
    std::optional<Sym> integerInput(ApplyId apply, int port) const;

    /// Do integer values of inputs matter, and which elements: (input, element).
    struct ValueRead {
        std::uint32_t input;
        std::uint32_t element;
        Sym target;
    };
    std::span<const ValueRead> valueReads() const { return m_valueReads; }

private:
    friend class ShapeCompiler;
    enum class Code : std::uint8_t { Add, Sub, Mul, FloorDiv, Mod, Min, Max, Select, Less };
    struct Instruction {
        Code code;
        Sym target, a, b, c;
    };
    struct DimRead {
        std::uint32_t input, axis;
        Sym target;
    };

    static std::int64_t compute(Code code, std::int64_t a, std::int64_t b, std::int64_t c);

    Indexed<Sym, std::int64_t> m_registers;
    std::vector<DimRead> m_dimReads;
    std::vector<ValueRead> m_valueReads;
    std::vector<Instruction> m_instructions;
    std::unordered_map<std::uint32_t, SymShape> m_shapes; // by variable
    std::unordered_map<std::uint64_t, Sym> m_integers;    // apply << 32 | port
};

/// The shapes of one apply's outputs for given inputs; nullopt: known only after it ran.
std::optional<std::vector<Dims>> inferShapes(const Op &op, std::span<const Value> inputs, std::span<const Type> types);

} // namespace engine
