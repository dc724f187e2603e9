// Writes a kernel: what becomes of a scalar program is settled (elementwise_plan.cpp), then written as loops (elementwise_kernel.cpp)
// and what combines the elements instead of writing them (elementwise_reductions.cpp).
#pragma once

#include "engine/codegen/kernel.h"
#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"
#include "engine/scalar/scalar_program.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine::kerneltext {

using Block = ScalarProgram::Block;
using Step = ScalarProgram::Step;
using Form = ScalarProgram::Form;

inline constexpr long kKernelBlock = 512; // elements between two calls of vector functions

// Cheap steps become loops, the others calls of primitives on blocks between the loops.
class Writer {
public:
    Writer(const ScalarProgram &program, const KernelArrays &arrays, const ReductionSink *sink = nullptr)
        : m_program(program), m_blocks(program.blocks()), m_steps(program.steps()), m_arrays(arrays), m_sink(sink)
    {}

    std::optional<KernelText> write();

private:
    struct Bank { // arrays side by side, so that a primitive takes them in one call
        std::vector<std::uint32_t> blocks;
        std::vector<std::size_t> makers; // the steps that one call does; empty: made one by one
    };

    std::optional<std::string> cheapText(const Step &step) const;
    const char *divisionByLiteral(const Step &step) const;
    bool isShortInteger(std::uint32_t block) const;
    bool plan();
    void planFullArrays();
    void planBanks();
    const Bank *bankOf(std::uint32_t block) const;
    std::string valueText(std::uint32_t block) const;
    std::string arrayText(std::uint32_t block);
    std::string bodyText(std::uint32_t segment, bool last, const std::string &finish, int depth, bool masked = false);
    void writeLoop(std::uint32_t segment, bool last);
    void writeLaneLoop(std::uint32_t segment);
    void writeInputs(int depth, bool fromRow);
    void writeArrays();
    void writeBlocks(int depth, const std::string &advanceToo);
    void writeStrips();
    void writePieces();
    bool isBlocked() const
    {
        return std::find(m_stored.begin(), m_stored.end(), true) != m_stored.end() ||
               std::find(m_narrowed.begin(), m_narrowed.end(), true) != m_narrowed.end();
    }
    std::string combined(const std::string &target, const std::string &element) const;
    std::string into(const std::string &target) const { return m_sink ? target + " = " + combined(target, "e") + ";" : std::string(); }
    const char *accumulatorType() const { return cType(m_sink->accumulator); }
    void line(int depth, const std::string &text) { m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n"; }
    bool isInput(std::uint32_t block) const { return m_blocks[block].kind == Block::Kind::Input; }
    bool isSingle(std::uint32_t block) const
    {
        return m_blocks[block].kind == Block::Kind::Literal || (isInput(block) && m_arrays.single[m_blocks[block].index]);
    }
    bool isConverted(std::uint32_t block) const { return isInput(block) && !isNativeRegister(m_arrays.inputs[m_blocks[block].index]); }
    /// Steps that arrays of no register's kind cost: reading them, and writing them.
    std::size_t conversions() const
    {
        const auto narrow = [](DType dtype) { return !isNativeRegister(dtype); };
        return std::any_of(m_arrays.inputs.begin(), m_arrays.inputs.end(), narrow) +
               std::any_of(m_arrays.outputs.begin(), m_arrays.outputs.end(), narrow);
    }

    const ScalarProgram &m_program;
    std::span<const Block> m_blocks;
    std::span<const Step> m_steps;
    const KernelArrays &m_arrays;
    const ReductionSink *m_sink;            // null: the elements are written
    std::vector<std::uint32_t> m_available; // by block: the first segment that can read it
    std::vector<std::uint32_t> m_segment;   // by step
    std::vector<bool> m_cheap;              // by step
    std::vector<bool> m_stored;             // by block: lives in an array of the block
    std::vector<bool> m_spread;             // by block: one element that a primitive wants as an array
    std::vector<bool> m_full;               // by block: its array is filled up to whole vectors
    std::uint32_t m_lastSegment = 0;
    int m_written = 0;            // functions of a primitive that stand in the loops themselves
    bool m_ofEight = false;       // what is written next is for eight elements
    bool m_hasBytes = false;      // the text made last works on single bytes
    std::vector<bool> m_narrowed; // by output: written as int first, as bytes behind the loop
    std::vector<Bank> m_banks;
    std::string m_out;
    std::vector<RtLoop> m_math;
};

} // namespace engine::kerneltext
