// A plan: thunks bound to the shapes and strides of one kind of call, memory laid out by liveness.
#pragma once

#include "engine/codegen/kernel_service.h"
#include "engine/compile/statistics.h"
#include "engine/graph/function_graph.h"
#include "engine/runtime/order.h"
#include "engine/runtime/row_pass.h"
#include "engine/runtime/shape_program.h"
#include "engine/runtime/thunk.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// Where an array of a plan lives.
enum class Residence : std::uint8_t { Input, Constant, Arena, Returned, View, Inplace };
const char *nameOf(Residence residence);

/// For the memory view: one array of the plan.
struct BufferInfo {
    VarId var = kNoVar;
    VarId root = kNoVar; ///< the array whose memory it uses
    Residence residence = Residence::Arena;
    std::size_t bytes = 0;
    std::size_t offset = 0; ///< in the arena
    std::size_t birth = 0;  ///< position in the order of the apply that makes it
    std::size_t death = 0;  ///< position of its last reader
    Dims shape, strides;
};

/// An apply failed: which one, with its operands, for the error text.
struct ApplyFailure {
    ApplyId apply{};
    /// Null data: the value was not there yet. An entry that is not set: no tensor.
    std::vector<std::optional<Tensor>> inputs;
};

/// Runs the graph inside an apply (OpFromGraph) on values.
using NestedCall = std::function<void(ApplyId apply, std::span<const Value> inputs, std::span<Value> outputs)>;

class Plan {
public:
    /// `inputs`: views of all graph inputs; the shape program has run on them. Throws what ops throw while
    /// preparing; `failure` then names the apply. `groups` lie side by side in the order and run as one where that pays.
    Plan(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const OrderedGroup> groups, const ShapeProgram &shapes,
         std::span<const View> inputs, const NestedCall &nested, ApplyFailure &failure);
    ~Plan();

    /// Does the plan fit these inputs, given that the shape program has run?
    bool fits(const ShapeProgram &shapes, std::span<const View> inputs) const;

    /// Sets the pointers of this call. Returned arrays get fresh memory.
    void bind(const ShapeProgram &shapes, std::span<const View> inputs);
    /// Runs all thunks. `statistics`: ticks per apply are added there if not null.
    void run(struct FunctionStatistics *statistics, ApplyFailure &failure);
    /// What runs each apply, by position.
    std::span<const Tier> tiers() const { return m_tiers; }
    /// Which applies run together in one pass, by position: the same number; -1: alone.
    std::span<const int> passes() const { return m_passOf; }
    /// Ticks that making each thunk took, by position.
    std::span<const std::uint64_t> prepareTicks() const { return m_prepareTicks; }
    /// Graph output i as a tensor over the memory of this call.
    Tensor output(std::size_t i) const;
    /// Is the memory of output i that of graph input `input` (in-place work on a shared variable)?
    bool outputLivesInInput(std::size_t i, std::size_t input) const;
    /// Lets go of returned memory (and of the arena, unless it is kept for the next call).
    void unbind(bool keepArena);

    /// The kernels that would take over from the interpreter, one per apply that has one. Looked up on first use.
    struct PlannedKernel {
        std::uint32_t thunk = 0; ///< position in the order
        std::shared_ptr<Kernel> kernel;
        bool adopted = false;
    };
    std::span<PlannedKernel> kernels();
    /// Exchanges the inner loops of all thunks whose kernel is ready; between calls only. How many did it.
    std::size_t adoptKernels();
    /// Counts runs, to tell when a compile pays.
    std::uint32_t runs = 0;
    std::size_t scratchBytes = 0; ///< what its thunks hold on to
    std::uint32_t serial = 0; ///< counts the plans of its function, from 1
    bool kernelsSettled = false; ///< nothing more to ask for or to adopt
    std::uint64_t kernelGeneration = 0;

    std::span<const BufferInfo> buffers() const { return m_buffers; }
    std::size_t arenaBytes() const { return m_arenaBytes; }
    bool holdsArena() const { return static_cast<bool>(m_arena); }
    /// The array whose memory output i shares (itself, if it is fresh).
    VarId outputRoot(std::size_t i) const;

private:
    struct Array {
        VarId var = kNoVar;
        DType dtype = DType::Float64;
        Dims shape, strides;
        Residence residence = Residence::Arena;
        int base = -1;           // for views: the slot it looks into
        std::int64_t offset = 0; // arena offset, or the view's offset from base
        bool dynamicView = false;
        ApplyId maker = kNoApply;
    };
    struct DynamicView {
        int slot;
        ApplyId apply;
        int output;
        int input;
    };

    int slotOf(VarId var) const { return m_slotOfVar[raw(var)]; }
    void layOutMemory(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const OrderedGroup> groups);
    void formPasses(std::span<const OrderedGroup> groups);
    std::vector<std::optional<Tensor>> inputsOf(ApplyId apply, bool bound) const;
    std::optional<Layout> layoutOfView(const ShapeProgram &shapes, ApplyId apply, int output, int input) const;
    void setSlot(int slot, void *data);

    const FunctionGraph &m_graph;
    std::vector<ApplyId> m_order;
    std::vector<Array> m_arrays;     // by slot
    std::vector<int> m_slotOfVar;
    std::vector<void *> m_slots;
    std::vector<int> m_inputSlots;
    std::vector<int> m_outputSlots;
    std::vector<int> m_rootSlots;     // by slot: whose memory
    std::vector<int> m_viewOrder;     // views and in-place outputs, bases first
    std::vector<int> m_arenaSlots;
    std::vector<int> m_returnedSlots;
    std::vector<StorageRef> m_returned; // by index of m_returnedSlots
    std::vector<DynamicView> m_dynamicViews;
    std::vector<std::unique_ptr<Thunk>> m_thunks; // null: nothing to do (views)
    struct Work {
        std::uint32_t position; // in the order
        RowPass *pass;          // null: the thunk alone
        std::uint32_t count;    // thunks of the pass
    };
    std::vector<Work> m_work; // dense list of what there is to do
    std::vector<std::unique_ptr<RowPass>> m_passes;
    std::vector<Tier> m_tiers;
    std::vector<int> m_passOf; // by position, -1: alone
    std::vector<std::uint64_t> m_prepareTicks;
    std::vector<BufferInfo> m_buffers;
    std::vector<PlannedKernel> m_kernels;
    bool m_kernelsKnown = false;
    std::vector<Dims> m_keyShapes;  // of every array
    std::vector<Dims> m_inputStrides;
    StorageRef m_arena;
    void *m_arenaBase = nullptr;
    std::size_t m_arenaBytes = 0;
};

/// The generic thunk: calls perform() with views whose data is looked up in the slots.
std::unique_ptr<Thunk> performThunk(const OpRef &op, const ThunkSpec &spec);
/// For ops on values: wraps operands as tensors, copies the results into the slots.
std::unique_ptr<Thunk> valueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec,
                                  std::string opName);

} // namespace engine
