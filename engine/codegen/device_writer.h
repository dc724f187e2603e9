// A scalar program in a kernel for a device, one element at a time: what the loop nests of its kernels share.
#pragma once

#include "engine/codegen/device_elementwise.h"
#include "engine/codegen/ir/builder.h"

#include <functional>
#include <optional>
#include <vector>

namespace engine {

class DeviceWriter {
public:
    using Block = ScalarProgram::Block;
    using Step = ScalarProgram::Step;
    /// Gets the number of an element in flat operands.
    using Located = std::function<void(const ir::Value &number)>;

    /// `access` of the inputs, then of what else the nest places in its axes. `isSmall`: do the numbers of elements fit 32 bits?
    DeviceWriter(ir::Builder &kernel, const ScalarProgram &program, std::span<const DType> inputs, std::span<const DeviceAccess> access,
                 bool isSmall)
        : m_k(kernel), m_program(program), m_blocks(program.blocks()), m_inputs(inputs), m_access(access), m_isSmall(isSmall)
    {}

    /// The axis of Beside and Still; the last one if nobody says.
    void setInner(std::size_t axis) { m_inner = axis; }
    /// The inputs as parameters: x0, x1 … Those that are numbers come after all arrays.
    void inputArrays();
    void givenNumbers();
    /// What strided operands need to be placed: the sizes of axes `first` + 1 … `end` - 1; all their strides.
    void sizes(std::size_t first, std::size_t end);
    void strides(std::size_t rank);
    bool isStrided() const;
    /// Are its steps such that a processor does them in an instruction or two?
    bool isCheap() const;

    ir::Value size(std::size_t axis) const { return m_sizes[axis]; }
    void setPlace(std::size_t axis, const ir::Value &place);
    /// The place of element `at` along axes `first` … `end` - 1.
    void coordinates(std::size_t first, std::size_t end, const ir::Value &at);
    /// The same of all axes where groups take squares, for what is within the edges. `side`: the size of the turned axis.
    void inSquares(std::size_t rank, std::size_t turned, const ir::Value &side, const ir::Value &at, const Located &located);
    /// Of an operand, by those of the axes below `rank`; `at` is the number of the element.
    ir::Value place(std::size_t operand, std::size_t rank, const ir::Value &at) const;
    /// Of an item with several elements of `size`, finds their numbers and reads them before anything is done with one.
    ir::Array readAhead(int perItem, std::size_t rank, const ir::Value &size,
                        const std::function<void(const ir::Value &at, const Located &located)> &locate);
    /// Reads the inputs and does the steps; the results are valueOf(0), valueOf(1) … `ahead`: which of the elements that were read.
    void element(std::size_t rank, const ir::Value &at, const ir::Value &ahead = 0);
    ir::Value valueOf(std::size_t output) const { return m_values[m_program.outputs()[output]]; }
    RtKind kindOf(std::size_t output) const { return m_blocks[m_program.outputs()[output]].type; }

private:
    std::vector<bool> usedBlocks() const;
    ir::Value whole(const ir::Value &x) const { return m_isSmall ? ir::cast(DType::UInt32, x) : x; }
    /// Is the input an array of more than one element?
    bool hasElements(std::size_t input) const { return m_access[input] != DeviceAccess::Single && m_access[input] != DeviceAccess::Number; }
    /// What element `at` of an input is, as a register holds it.
    ir::Value inputValue(std::size_t input, std::size_t rank, const ir::Value &at, const ir::Value &ahead) const;
    void step(const Step &step);

    ir::Builder &m_k;
    const ScalarProgram &m_program;
    std::span<const Block> m_blocks;
    std::span<const DType> m_inputs;
    std::span<const DeviceAccess> m_access;
    bool m_isSmall;
    std::optional<std::size_t> m_inner;
    std::vector<std::optional<ir::Array>> m_arrays, m_ahead; ///< by input
    std::vector<ir::Value> m_given;                          ///< by input
    std::vector<ir::Value> m_sizes, m_places;                ///< by axis
    std::vector<std::vector<ir::Value>> m_strides;           ///< by operand and axis
    std::vector<ir::Value> m_values;                         ///< by block
};

} // namespace engine
