// A plan: the thunks of a stage bound to the shapes and strides of one kind of call, memory laid out by liveness.
#pragma once

#include "engine/codegen/kernel_service.h"
#include "engine/device/device.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/runtime/device/device_graphs.h"
#include "engine/runtime/plan/grouped_work.h"
#include "engine/runtime/plan/loop_work.h"
#include "engine/runtime/plan/stages.h"
#include "engine/runtime/plan/statistics.h"
#include "engine/runtime/thunks/row_kernel_work.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/tensor/indexed.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

/// Where an array lives. In a function of several stages what a stage made lives on for later ones (Handed), and what an apply
/// that runs by itself made has sizes that nobody knew before (Found).
enum class Residence : std::uint8_t { Input, Constant, Arena, Returned, Handed, Found, View, Inplace };

/// For the memory view: one array.
struct BufferInfo {
    VarId var = kNoVar;
    VarId root = kNoVar; ///< the array whose memory it uses
    Residence residence = Residence::Arena;
    DeviceId device = DeviceId::Host;
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
    /// `inputs`: views of all inputs of the stage; its shape program has run on them. Throws what ops throw while
    /// preparing; `failure` then names the apply. Groups of the stage run as one where that pays. The stage outlives the plan.
    Plan(const FunctionGraph &graph, const Stage &stage, std::span<const View> inputs, const NestedCall &nested, ApplyFailure &failure);
    ~Plan();

    /// Does the plan fit these inputs, given that the shape program has run?
    bool fits(std::span<const View> inputs) const;

    /// Sets the pointers of this call. Returned arrays get fresh memory.
    void bind(std::span<const View> inputs);
    /// What bind() found no room for, the largest first; empty: there was.
    std::vector<BufferInfo> lacking() const;
    /// An apply that failed before it ran.
    ApplyFailure failureOf(ApplyId apply) const { return {apply, inputsOf(apply, Known::Given)}; }
    /// The applies that devices may find something wrong with after they ran, by the names of their work: of operands the layout only.
    std::vector<std::pair<std::uint64_t, ApplyFailure>> finders() const;
    /// What its thunks say of how they work, with their positions in the stage.
    std::vector<std::pair<std::size_t, std::string>> notes() const;
    /// Runs all thunks but those of branches that are not taken. `statistics`: ticks per apply are added there if not null.
    void run(FunctionStatistics *statistics, ApplyFailure &failure);
    /// What runs each apply, by position in the stage.
    std::span<const Tier> tiers() const { return m_tiers; }
    /// Is there anything to do? Windows are laid out with the plan.
    bool hasWork(std::size_t position) const { return m_work.thunks[position] != nullptr; }
    /// Which applies run together in one pass, by position: the same number; -1: alone.
    std::span<const int> passes() const { return m_work.passOf; }
    /// Names what a device does for the first apply; those of the others follow.
    std::uint64_t firstTag() const { return m_work.firstTag; }
    /// Ticks that making each thunk took, by position.
    std::span<const std::uint64_t> prepareTicks() const { return m_work.prepareTicks; }
    /// Output i of the stage as a tensor over the memory of this call.
    Tensor output(std::size_t i) const;
    /// Is the memory of output i that of input `input` (in-place work on a shared variable)?
    bool outputLivesInInput(std::size_t i, std::size_t input) const;
    // A loop over one plan: after bind(), each step runs on other memory of the same layout.
    /// Is output i all of an array that no other output shares, so that it can be written anywhere?
    bool isOutputMovable(std::size_t i) const;
    /// Memory for the next run: of all inputs, and of the outputs that are movable; null: as before. Allocates nothing where views
    /// do not depend on values.
    void move(std::span<void *const> inputs, std::span<void *const> outputs);
    /// Offers to run the steps of a loop in one kernel, instead of the kernels of the applies; null: not in this call.
    void offerLoop(const LoopTies *ties);
    bool hasLoop() const { return m_isLooping && m_loop && m_loop->isReady(); }
    /// Up to so many steps in one go. `numbers` are those of a LoopText: where to begin, and the steps done.
    void runLoop(std::span<void *const> inputs, std::span<void *const> results, std::span<std::int64_t> numbers, std::int64_t steps,
                 FunctionStatistics *statistics, ApplyFailure &failure);
    /// Lets go of returned memory (and of the arena, unless it is kept for the next call).
    void unbind(bool keepArena);

    /// The kernels that would take over from the interpreter, one per apply that has one. Looked up on first use.
    struct PlannedKernel {
        std::uint32_t thunk = 0;      ///< position in the stage
        std::uint32_t count = 1;      ///< of applies from there on that it does the work of
        GroupedWork *group = nullptr; ///< null: of the thunk alone
        std::shared_ptr<Kernel> kernel;
        bool adopted = false;
    };
    std::span<PlannedKernel> kernels();
    /// Exchanges the inner loops of all thunks whose kernel is ready; between calls only. How many did it.
    std::size_t adoptKernels();
    /// Counts runs, to tell when a compile pays.
    std::uint32_t runs = 0;
    std::size_t scratchBytes = 0; ///< what its thunks hold on to
    std::uint32_t serial = 0;     ///< counts the plans of its stage, from 1
    bool kernelsLookedUp = false; ///< on disk and in the process
    bool kernelsSettled = false;  ///< nothing more to ask for or to adopt
    std::uint64_t kernelGeneration = 0;

    /// Births and deaths are positions in the stage.
    std::span<const BufferInfo> buffers() const { return {m_layout.buffers.data(), m_layout.buffers.size()}; }
    std::size_t arenaBytes() const { return m_memory.arenas.front().bytes; } ///< of the host
    std::size_t returnedBytes() const;                                       ///< of the host, beside the arena
    std::size_t madeBytes() const { return m_layout.madeBytes; }             ///< of all arrays that its applies write
    bool holdsArena() const { return static_cast<bool>(m_memory.arenas.front().storage); }
    /// The array whose memory output i shares (itself, if it is fresh).
    VarId outputRoot(std::size_t i) const;
    const BufferInfo &outputBuffer(std::size_t i) const { return m_layout.buffers[m_layout.outputs[i]]; }

private:
    struct Array {
        VarId var = kNoVar;
        DType dtype = DType::Float64;
        Dims shape, strides;
        Residence residence = Residence::Arena;
        DeviceId device = DeviceId::Host;
        Slot base = kNoSlot;     // for views: what it looks into
        std::int64_t offset = 0; // arena offset, or the view's offset from base
    };
    /// What is alive only within a call, for one device.
    struct Arena {
        DeviceId device = DeviceId::Host;
        std::size_t bytes = 0;
        StorageRef storage;
        void *base = nullptr;
        std::vector<Slot> slots;
    };
    struct DynamicView {
        Slot slot;
        ApplyId apply;
        std::uint32_t output;
        std::uint32_t input;
    };

    /// One entry of the list of what there is to do.
    struct Work {
        std::uint32_t position; // in the stage
        GroupedWork *pass;      // null: the thunk alone
        std::uint32_t count;    // thunks of the group
    };
    /// Work that follows one another on a device, from `first` in the list.
    struct GraphedPiece {
        std::size_t first, count;
        GraphedStretch stretch;
    };
    /// Fixed when the plan is built: its arrays, and where they lie.
    struct ArrayLayout {
        Indexed<Slot, Array> arrays;
        std::unordered_map<std::uint32_t, Slot> slotOfVar;
        std::vector<Slot> inputs, outputs;
        Indexed<Slot, Slot> roots;   // whose memory
        std::vector<Slot> viewOrder; // views and in-place outputs, bases first
        std::vector<Slot> returned;  // rising
        std::vector<DynamicView> dynamicViews;
        std::vector<std::pair<Sym, std::int64_t>> sizes; // that the plan was made for, each symbol once
        Indexed<Slot, BufferInfo> buffers;
        std::size_t madeBytes = 0;
    };
    /// Fixed when the plan is built: what there is to do.
    struct WorkList {
        std::vector<std::unique_ptr<Thunk>> thunks; // null: nothing to do (views)
        std::vector<Work> list;                     // dense
        std::vector<std::unique_ptr<GroupedWork>> passes;
        std::vector<int> passOf; // by position, -1: alone
        std::vector<GraphedPiece> graphed;
        std::vector<GraphedPiece> graphedApart; // without work that is given numbers: where these keep changing
        std::vector<std::uint64_t> prepareTicks;
        std::uint64_t firstTag = 0; // of what its thunks have devices do: this one and the position of the apply
    };
    /// Of the call that the plan is bound to. The arenas may be kept for the next one.
    struct CallMemory {
        Indexed<Slot, void *> slots;
        std::vector<Arena> arenas;        // the host's first
        std::vector<StorageRef> returned; // by index of ArrayLayout::returned
        int lackingArena = -1;            // where bind() got no memory
        Slot lackingReturned = kNoSlot;
    };

    Slot slotOf(VarId var) const { return m_layout.slotOfVar.at(raw(var)); }
    Slot addArray(Array array);
    void addInputs(std::span<const View> inputs);
    void addConstant(VarId var);
    void addOutputsOf(ApplyId apply);
    void placeViews();
    void layOutMemory();
    void noteBuffers(const Indexed<Slot, std::size_t> &births, const Indexed<Slot, std::size_t> &deaths);
    Arena &arenaOf(DeviceId device);
    std::unique_ptr<Thunk> named(std::unique_ptr<Thunk> thunk, std::span<const SlotOperand> operands, bool isOfHost,
                                 std::size_t position) const;
    void blameDevice(const DeviceError &error, ApplyFailure &failure) const;
    void makeThunk(ApplyId apply, const NestedCall &nested, ApplyFailure &failure);
    void formPasses();
    std::unique_ptr<LoopWork> loopWork(const LoopTies &ties);
    std::unique_ptr<GroupedWork> groupedWork(std::size_t first, std::size_t count) const;
    RowMember memberAt(std::size_t position, std::size_t first, std::size_t count) const;
    SlotOperand operandOf(VarId var) const;
    VarId viewedArray(VarId var) const;
    bool isReadOutside(VarId var, std::size_t first, std::size_t count) const;
    void runTaken(std::uint32_t &at);
    bool isSkipped(std::uint32_t position) const;
    enum class Known : std::uint8_t { Layouts, Given, All }; ///< which values: none, what was given, what lies on the host
    std::vector<std::optional<Tensor>> inputsOf(ApplyId apply, Known known) const;
    Cost costAt(std::uint32_t position) const;
    void takeModelTimes(std::uint32_t first, std::uint32_t count);
    std::optional<Layout> layoutOfView(ApplyId apply, std::uint32_t output, std::uint32_t input) const;
    void formGraphs();
    /// The device that the work lies on with all that it reads and writes, which is added, but numbers that are `fixed`; nothing: it may
    /// not be kept.
    std::optional<DeviceId> deviceOfWork(const Work &work, std::span<const Slot> fixed, bool takesNumbers, StretchParts &parts) const;
    bool followsFromSizes(const Work &work, std::span<const Slot> fixed) const;
    bool makesHostNumbers(const Work &work) const;
    bool isHostNumber(VarId var) const;
    bool sharesMemory(Slot a, Slot b) const;
    std::vector<GraphedPiece> stretches(bool takeNumbers) const;

    const FunctionGraph &m_graph;
    const Stage &m_stage;
    ArrayLayout m_layout;
    WorkList m_work;
    CallMemory m_memory;
    // What the calls so far made of it.
    std::vector<Tier> m_tiers;
    std::vector<std::uint64_t> m_spent; // by the parts of a pass over rows
    std::vector<PlannedKernel> m_kernels;
    bool m_kernelsKnown = false;
    std::unique_ptr<LoopWork> m_loop;
    std::vector<std::int64_t> m_loopOffsets; // of dynamic views, as the kernel has them
    bool m_loopKnown = false, m_isLooping = false, m_onlyLoop = false;
};

} // namespace engine
