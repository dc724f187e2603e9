// Thunks that work on the same rows as one kernel (codegen/row_kernel.h). Until it is compiled they run one after the other.
#pragma once

#include "engine/codegen/row_kernel.h"
#include "engine/runtime/plan/grouped_work.h"
#include "engine/runtime/thunks/thunk.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace engine {

/// A thunk, and the values that it reads and makes: the same number is the same value.
struct RowMember {
    struct Operand {
        int value = 0; ///< -1: cannot be had while the others run
        SlotOperand place;
        bool isWanted = false; ///< of outputs: somebody else reads it, too
    };
    Thunk *thunk = nullptr; ///< null: a window, nothing to do
    std::vector<Operand> inputs, outputs;
    double weight = 0; ///< its share of the work, as the cost model has it
};

/// Nothing if it does not work on rows; of a window nothing that it does.
std::optional<RowParts> rowPartsOf(const Thunk *thunk);

class RowKernelWork final : public GroupedWork {
public:
    static constexpr int kStripOfColumns = 64; ///< side by side

    /// Nothing if they do not all work on the same rows, or gain nothing by it. The thunks outlive it.
    static std::unique_ptr<RowKernelWork> of(std::span<const RowMember> members);

    /// Is a kernel for this one alone worth while?
    static bool paysAlone(const Thunk *thunk);

    void run(Slots slots) override;
    /// In one kernel the time is divided as the cost model has it.
    void run(Slots slots, std::span<std::uint64_t> spent) override;
    std::optional<KernelText> kernelText() const override { return m_text.text; }
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    /// Bytes from row to row, from an element of a row to the next, and from piece to piece; 0 where it stays.
    struct Lie {
        std::int64_t step = 0, along = 0, apart = 0;
        bool isRow() const { return along != 0; }
        friend bool operator==(const Lie &, const Lie &) = default;
    };
    struct Operand {
        Slot slot{0};
        Lie lie;
    };
    /// An input that is places in rows: looked at before each run, kernels know no errors.
    struct Places {
        Operand operand;
        DType dtype;
        bool countsFromEnd;
    };
    struct Collected;
    bool collect(std::span<const RowMember> members);
    bool takeRows(std::span<const RowMember> members, std::vector<RowParts> &parts);
    bool takeInput(const RowMember::Operand &input, int port, const RowParts &parts, Collected &seen);
    bool takeOutput(const RowMember::Operand &output, Collected &seen);
    bool takeOverwritten(const Collected &seen);
    SlotOperand alongRows(SlotOperand place) const;
    std::optional<std::int64_t> stepThrough(const SlotOperand &place, std::size_t first, std::size_t end, std::size_t missing) const;
    std::optional<Lie> lie(const SlotOperand &place) const;
    bool outrunsItsParts(const RowKernelText &text) const;
    bool writeForRows();
    bool writeForColumns();
    std::size_t bufferBytes() const;
    std::int64_t atOnce() const { return m_axes.areColumns() ? kStripOfColumns : 1; } ///< rows that the kernel does side by side
    bool standsApart(Slots slots) const;
    bool isInRows(const Places &places, Slots slots) const;
    bool kernelCan(Slots slots) const;
    bool prefersKernel() const { return m_trial.left > 0 ? m_trial.left % 2 == 0 : m_trial.kernel <= m_trial.members; }
    void tookTicks(bool wasKernel, std::uint64_t took);
    void runMembers(Slots slots, std::span<std::uint64_t> spent) const;
    void runKernel(Slots slots) const;

    std::vector<Thunk *> m_thunks;
    std::vector<double> m_shares; // of the time
    RowProgram m_program;
    RowKernelText m_text;
    std::vector<Operand> m_operands; // inputs, then outputs
    /// An output that overwrites an input, which then has to be the same rows: checked in each run, the slots are known then.
    struct Overwritten {
        Slot output, input;
    };
    std::vector<Overwritten> m_overwritten;
    std::vector<Places> m_places;
    std::vector<std::int64_t> m_steps;                    // the elements of a row, then the bytes that the kernel steps on
    Dims m_shape;                                         // of whole operands
    RowAxes m_axes;                                       // that make a row
    std::int64_t m_rows = 0, m_columns = 0, m_pieces = 1; // rows, the elements of each or of a piece, pieces of a row
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
    /// How long the kernel and its parts take, the least of some runs: what a strip of many pages costs differs from processor to
    /// processor.
    struct Trial {
        int left = 0; ///< runs, by turns
        std::uint64_t kernel = 0, members = 0;
    };
    Trial m_trial;
};

} // namespace engine
