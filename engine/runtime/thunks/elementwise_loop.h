// The thunk of elementwise_thunk.h: what is settled once (elementwise_thunk.cpp) and how a thread walks over its part
// (elementwise_walks.cpp).
#pragma once

#include "engine/runtime/thunks/gather.h"
#include "engine/runtime/thunks/per_operand.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/registers.h"
#include "engine/scalar/row_parts.h"
#include "engine/scalar/scalar_program.h"
#include "engine/tensor/loop_layout.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace engine::elementwiseloop {

inline constexpr std::size_t kPlainOperands = 16;
inline constexpr long kSquareColumns = 256; // beside kSquareRows: what is brought stays in the first cache

// How an input reaches its register.
enum class Access : std::uint8_t {
    Direct,   // memory of the register's own kind, contiguous along the blocks
    Once,     // one element for all: filled when the thunk starts
    RowOnce,  // one element a row
    Rows,     // loaded row by row (or part of a row) with a stride
    Across,   // contiguous along the axis outside of the rows: several rows are loaded at once
    Gathered, // loaded box by box
    Same,     // the same in every box: gathered once when the thunk starts
};

struct Input {
    Access access = Access::Direct;
    Slot slot{0};
    std::uint32_t block = 0;
    bool native = false;      // the memory is a register as it stands
    bool kernelReads = false; // a kernel takes the array as it is, whatever its dtype
    DType dtype{};
    std::size_t elementBytes = 0;  // of the memory
    std::size_t scratchOffset = 0; // of the loaded block
    RtLoad load = nullptr;
    RtLoadColumns loadColumns = nullptr;
    std::size_t registerBytes = 8;
    std::int64_t innerStride = 0;
    Gather gather; // of boxes
};

struct Output {
    bool native = false;       // the memory can be written block by block without a conversion
    bool kernelWrites = false; // a kernel can, whatever its dtype
    DType dtype{};
    bool direct = false; // … and the last step does so: no later step reads an input in that memory
    Slot slot{0};
    std::uint32_t block = 0;
    std::size_t elementBytes = 0;
    RtStore store = nullptr;
    std::int64_t innerStride = 0;
};

class ElementwiseThunk final : public Thunk, public WorksOnRows, private RowWork {
public:
    ElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec);
    void run(Slots slots) override;
    RowWork *byRows() override { return m_walk == Walk::Flat && m_layout.shape.size() == 1 ? this : nullptr; }
    std::optional<RowParts> rowParts() const override;
    std::optional<KernelText> kernelText() const override;
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    enum class Walk : std::uint8_t { Nothing, Flat, Rows, Squares, Boxes };

    void chooseWalk(const ThunkSpec &spec);
    bool findAcross(const ThunkSpec &spec);
    void moveAxisBesideRows(std::size_t axis);
    bool liesAcross(std::size_t operand, std::size_t elementBytes) const;
    void prepareRegisters();
    void runSteps(void **registers, long n) const;
    bool writesDirectly(const Output &output) const { return m_kernel ? output.kernelWrites : output.direct; }
    std::int64_t rows() const override { return m_size; }
    bool likesFewRows() const override { return m_plain; }
    void beginRows(Slots slots) override;
    void runRows(Slots slots, std::int64_t first, std::int64_t count) override;
    template <class Body>
    void withRegisters(Slots slots, long n, Body body) const;
    void runFlat(Slots slots, void **registers, char *scratch, long first, long end) const;
    void runRows(Slots slots, void **registers, char *scratch, long first, long end) const;
    void runSquares(Slots slots, void **registers, char *scratch, long first, long end) const;
    void runBoxes(Slots slots, void **registers, char *scratch, long first, long end) const;
    void runPart(Slots slots, long first, long end) const;
    void runShared(Slots slots) const;
    void runPlain(Slots slots, long first, long n) const;
    void fillRow(const Input &input, const char *memory, char *scratch, long n) const;
    void fillOnce(Slots slots, char *scratch, long n) const;

    ScalarProgram m_program;
    LoopLayout m_layout; // operands: inputs, then outputs
    Walk m_walk = Walk::Nothing;
    Boxes m_boxes;
    long m_size = 0;
    long m_rowLength = 1;          // elements of the inner axis
    double m_weight = 0;           // of the whole work, in elements of a cheap function
    long m_block = kBlockElements; // elements of a pass
    long m_kernelBlock = 0;        // the same with a kernel, where it differs
    std::vector<Input> m_inputs;
    std::vector<Output> m_outputs;
    std::vector<std::unique_ptr<std::byte[]>> m_literalMemory;
    std::vector<void *> m_registers; // literals set, scratch offsets in m_scratchOf
    struct ScratchBlock {
        std::uint32_t block;
        std::size_t offset;
    };
    std::vector<ScratchBlock> m_scratch;
    std::size_t m_scratchBytes = 0, m_spareOffset = 0;
    bool m_plain = false; // the kernel takes every array as it is
    struct PassOperand {
        char *memory;
        std::size_t step; // bytes from element to element
    };
    std::vector<PassOperand> m_passOperands; // of a pass by rows
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
};

} // namespace engine::elementwiseloop
