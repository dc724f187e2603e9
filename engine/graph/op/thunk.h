// One step of a plan: an op bound to fixed shapes and strides; only data pointers change between calls.
#pragma once

#include "engine/graph/ir/type.h"
#include "engine/graph/op/slots.h"
#include "engine/rt/kernel_function.h"
#include "engine/tensor/tensor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// What perform() gets. Output views have data when their size was known in advance; otherwise the op calls
/// allocate() once it knows.
struct PerformArgs {
    std::span<const View> inputs;
    std::span<View> outputs;
    /// Gives output `index` memory of that shape (C-contiguous) and fills outputs[index].
    std::function<void(int index, const Dims &shape)> allocate;
};

/// An operand of a thunk: its layout is fixed, its memory is looked up in the slot table on each run.
struct SlotOperand {
    DType dtype = DType::Float64;
    Dims shape;
    Dims strides;
    Slot slot{0};
    Slot root = kNoSlot;                ///< of the array whose memory it is (views, in-place outputs)
    DeviceId device = DeviceId::Host;   ///< whose memory
    const void *constantData = nullptr; ///< set if the memory never moves because it is a constant
    Type type;                          ///< declared type, where known: which axes may stretch
};

inline std::vector<DType> dtypesOf(std::span<const SlotOperand> operands)
{
    std::vector<DType> result;
    for (const SlotOperand &operand : operands) result.push_back(operand.dtype);
    return result;
}

inline View viewOf(const SlotOperand &operand, Slots slots)
{
    return {slots[operand.slot], operand.dtype, operand.shape.rank(), operand.shape.data(), operand.strides.data()};
}

struct ThunkSpec {
    std::span<const SlotOperand> inputs;
    std::span<const SlotOperand> outputs;
};

/// What codegen compiles to a KernelFunction.
struct KernelText {
    std::string body; ///< everything behind the function's name
    std::vector<RtLoop> math;
    std::uint64_t key = 0; ///< hash of the body
};

/// Work that can be done some rows at a time, in order: elements of a vector, or rows of a matrix that are summed up.
class RowWork {
public:
    virtual ~RowWork() = default;
    virtual std::int64_t rows() const = 0;
    /// Of the matrix that is read; 0: vectors only.
    virtual std::size_t bytesPerRow() const { return 0; }
    /// Does a row cost no more when only eight are taken at a time?
    virtual bool likesFewRows() const { return true; }
    /// Parts that begin at multiples of that many rows may be run at the same time.
    virtual std::int64_t rowsOfPart() const { return 1; }
    /// It is part of a pass from now on: what it needs for that is taken while the plan is made.
    virtual void joinPass() {}
    virtual void beginRows(Slots slots) { (void)slots; }
    virtual void runRows(Slots slots, std::int64_t first, std::int64_t count) = 0;
    virtual void endRows(Slots slots) { (void)slots; }
};

class Thunk {
public:
    virtual ~Thunk() = default;
    virtual void run(Slots slots) = 0;
    /// The same work by rows, if it can be done so with the same bits.
    virtual RowWork *byRows() { return nullptr; }
    /// A kernel that would do the work in one go; nothing: the thunk is as fast as it gets.
    virtual std::optional<KernelText> kernelText() const { return std::nullopt; }
    /// Is the work done by a library (BLAS)?
    virtual bool callsLibrary() const { return false; }
    /// May a device find something wrong with what it was given, which is told later?
    virtual bool mayFind() const { return false; }
    /// Does it look at what lies on the host, or say something, in every run? Then a device cannot be given it once for all.
    virtual bool actsOnHost() const { return false; }
    /// Why it does its work another way than a person would expect; empty: it does not.
    virtual std::string note() const { return {}; }
    /// Uses the compiled kernel from the next run on. `math` lives as long as the thunk.
    virtual void adopt(KernelFunction function, const RtLoop *math) { (void)function, (void)math; }
};

} // namespace engine
