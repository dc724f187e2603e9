#include "engine/runtime/plan/loop_work.h"

#include "engine/runtime/plan/plan.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace engine {
namespace {

constexpr std::int64_t kManyElements = 1024; // the start of an apply no longer counts
constexpr double kStartOfApply = 2;          // flops that an apply is taken to cost beside its own, in the shares of the time

// With the same strides: an array of the kernel's stack is gone when the error is written.
Tensor keptCopy(const Tensor &from)
{
    std::int64_t low = 0, high = 0;
    for (std::size_t axis = 0; axis < from.shape().size(); ++axis) {
        if (from.shape()[axis] == 0) return from;
        const std::int64_t reach = (from.shape()[axis] - 1) * from.strides()[axis];
        (reach < 0 ? low : high) += reach;
    }
    const std::int64_t bytes = high - low + static_cast<std::int64_t>(sizeOf(from.dtype()));
    const Tensor memory = Tensor::empty(DType::UInt8, {bytes});
    std::memcpy(memory.data(), from.as<char>() + low, static_cast<std::size_t>(bytes));
    return Tensor(from.dtype(), from.shape(), from.strides(), memory.as<char>() - low, memory.storage());
}

} // namespace

LoopWork::LoopWork(LoopText text, std::vector<Call> calls, std::vector<double> shares)
    : m_text(std::move(text)), m_calls(std::move(calls)), m_shares(std::move(shares))
{
    for (Call &call : m_calls) {
        call.failed = &m_failed;
        m_callPlaces.push_back(&call);
    }
}

void LoopWork::runCall(void *slots, const void *const *call, long)
{
    const Call &one = *static_cast<const Call *>(*call);
    try {
        one.thunk->run(static_cast<void *const *>(slots));
    } catch (...) {
        (*one.failed)(one.position);
        throw;
    }
}

void LoopWork::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
}

void LoopWork::runSteps(std::span<void *const> inputs, std::span<void *const> results, std::span<std::int64_t> numbers, void **slots,
                        std::int64_t steps, Failed failed)
{
    m_failed = std::move(failed);
    m_operands.assign(inputs.begin(), inputs.end());
    m_operands.insert(m_operands.end(), results.begin(), results.end());
    m_operands.push_back(numbers.data());
    m_operands.push_back(slots);
    m_operands.push_back(m_callPlaces.data());
    m_kernel(m_operands.data(), m_math, steps);
}

void Plan::offerLoop(const LoopTies *ties)
{
    // Where views begin may follow from values that are the same in all steps: the kernel is for those of the first call.
    std::vector<std::int64_t> offsets;
    for (const DynamicView &view : m_layout.dynamicViews) offsets.push_back(m_layout.arrays[view.slot].offset);
    if (ties && !m_loopKnown) {
        m_loopKnown = true;
        m_loop = loopWork(*ties);
        m_loopOffsets = offsets;
    }
    m_isLooping = ties && offsets == m_loopOffsets;
    if (!m_onlyLoop || m_isLooping) return;
    // Steps run one by one after all: by the kernels of the applies.
    m_onlyLoop = m_kernelsKnown = kernelsLookedUp = kernelsSettled = false;
}

std::unique_ptr<LoopWork> Plan::loopWork(const LoopTies &ties)
{
    if (!m_stage.branchOf.empty()) return nullptr;
    std::vector<LoopArray> arrays(m_layout.arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Slot slot{static_cast<std::int32_t>(i)};
        const Array &from = m_layout.arrays[slot];
        LoopArray &to = arrays[i];
        if (from.device != DeviceId::Host) return nullptr;
        to.dtype = from.dtype;
        to.shape = from.shape;
        to.strides = from.strides;
        Slot root = slot;
        for (; m_layout.arrays[root].base != kNoSlot; root = m_layout.arrays[root].base)
            if (m_layout.arrays[root].residence == Residence::View) to.offset += m_layout.arrays[root].offset;
        to.root = static_cast<std::size_t>(raw(root));
        const Residence residence = m_layout.arrays[root].residence;
        to.kind = residence == Residence::Input      ? LoopArray::Kind::Input
                  : residence == Residence::Constant ? LoopArray::Kind::Constant
                                                     : LoopArray::Kind::Local;
        if (to.kind == LoopArray::Kind::Constant) to.constant = m_memory.slots[root];
    }
    const auto numbersOf = [](const std::vector<Slot> &slots) {
        std::vector<std::size_t> numbers;
        for (Slot slot : slots) numbers.push_back(static_cast<std::size_t>(raw(slot)));
        return numbers;
    };
    std::vector<LoopWriter::Applied> applies;
    std::vector<double> shares;
    for (std::size_t position = 0; position < m_work.thunks.size(); ++position) {
        const ApplyNode &node = m_graph.apply(m_stage.order[position]);
        LoopWriter::Applied applied{node.op.get(), {}, {}, !m_work.thunks[position]};
        std::vector<Sized> in, out;
        const auto note = [&](VarId var, std::vector<std::size_t> &numbers, std::vector<Sized> &sizes) {
            const Slot slot = slotOf(var);
            numbers.push_back(static_cast<std::size_t>(raw(slot)));
            sizes.push_back({m_graph.var(var).type, m_layout.arrays[slot].shape});
        };
        for (const Use &use : node.inputs) note(use.var, applied.inputs, in);
        for (VarId var : node.outputs) note(var, applied.outputs, out);
        shares.push_back(applied.isIdle ? 0 : costOf(*node.op, in, out).flops + kStartOfApply);
        applies.push_back(std::move(applied));
    }
    const auto isLarge = [&](ApplyId id) {
        const auto isMany = [&](VarId var) { return m_layout.arrays[slotOf(var)].shape.product() > kManyElements; };
        const ApplyNode &node = m_graph.apply(id);
        return std::any_of(node.outputs.begin(), node.outputs.end(), isMany) ||
               std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Use &use) { return isMany(use.var); });
    };
    LoopWriter writer(std::move(arrays), numbersOf(m_layout.inputs), numbersOf(m_layout.outputs), ties);
    std::optional<LoopText> text = writer.write(applies, LoopWork::runCall);
    if (!text) return nullptr;
    std::vector<LoopWork::Call> calls;
    for (std::size_t position : text->called) {
        // Work on large arrays has kernels of its own, by rows and in several threads.
        const bool hasKernel = m_work.passOf[position] >= 0 || m_work.thunks[position]->kernelText();
        if (hasKernel && isLarge(m_stage.order[position])) return nullptr;
        calls.push_back({m_work.thunks[position].get(), static_cast<std::uint32_t>(position), nullptr});
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double &share : shares) share /= std::max(sum, 1.0);
    return std::make_unique<LoopWork>(std::move(*text), std::move(calls), std::move(shares));
}

void Plan::runLoop(std::span<void *const> inputs, std::span<void *const> results, std::span<std::int64_t> numbers, std::int64_t steps,
                   FunctionStatistics *statistics, ApplyFailure &failure)
{
    const std::uint64_t start = statistics ? ticks() : 0;
    m_loop->runSteps(inputs, results, numbers, &m_memory.slots[Slot{0}], steps, [&](std::uint32_t position) {
        failure.apply = m_stage.order[position];
        failure.inputs = inputsOf(failure.apply, Known::All);
        for (std::optional<Tensor> &input : failure.inputs)
            if (input && input->data()) input = keptCopy(*input);
    });
    if (!statistics) return;
    const auto took = static_cast<double>(ticks() - start);
    m_spent.clear();
    for (double share : m_loop->shares()) m_spent.push_back(static_cast<std::uint64_t>(took * share));
    statistics->noteSteps(m_stage.first, m_tiers, m_spent, static_cast<std::uint64_t>(std::abs(numbers[0])));
    if (statistics->trace.ticks.empty()) return;
    statistics->trace.beginAt(m_stage.first, start);
    std::uint64_t at = start;
    for (std::size_t i = 0; i < m_spent.size(); ++i) statistics->trace.ticks[m_stage.first + i + 1] = at += m_spent[i];
}

} // namespace engine
