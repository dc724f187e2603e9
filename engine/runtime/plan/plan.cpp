#include "engine/runtime/plan/plan.h"

#include "engine/runtime/plan/model_time.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kWorkBetweenLooks = 16; // at interrupts: what takes long looks by itself

bool sameDims(std::span<const std::int64_t> a, const std::int64_t *b) { return std::equal(a.begin(), a.end(), b); }

} // namespace

bool Plan::isSkipped(std::uint32_t position) const
{
    return !isTaken(m_stage.branches, m_stage.branchAt(position), [&](VarId condition) {
        const Slot slot = slotOf(condition);
        return isTrue(View{m_memory.slots[slot], m_layout.arrays[slot].dtype, 0, nullptr, nullptr});
    });
}

void Plan::runTaken(std::uint32_t &at)
{
    for (const Work &work : m_work.list) {
        at = work.position;
        if (at % kWorkBetweenLooks == kWorkBetweenLooks - 1) checkInterrupt();
        if (isSkipped(at)) continue;
        if (work.pass) work.pass->run(m_memory.slots.data());
        else m_work.thunks[at]->run(m_memory.slots.data());
    }
}

std::optional<Layout> Plan::layoutOfView(ApplyId apply, std::uint32_t output, std::uint32_t input) const
{
    const ApplyNode &node = m_graph.apply(apply);
    const Array &base = m_layout.arrays[slotOf(node.inputs[input].var)];
    std::vector<std::optional<std::int64_t>> integers(node.inputs.size());
    for (std::size_t port = 0; port < node.inputs.size(); ++port)
        if (const auto symbol = m_stage.shapes.integerInput(apply, static_cast<int>(port))) integers[port] = m_stage.shapes.value(*symbol);
    return node.op->viewLayout({base.shape, base.strides, 0}, base.dtype, m_stage.shapes.shapeOf(node.outputs[output]), integers);
}

std::span<Plan::PlannedKernel> Plan::kernels()
{
    if (!m_kernelsKnown) {
        m_kernelsKnown = true;
        if (m_loop && m_kernels.empty()) {
            const auto count = static_cast<std::uint32_t>(m_work.thunks.size());
            m_kernels.push_back({0, count, m_loop.get(), internKernel(*m_loop->kernelText()), false});
            m_onlyLoop = m_isLooping;
            for (const LoopWork::Call &call : m_loop->calls())
                if (auto text = call.thunk->kernelText())
                    m_kernels.push_back({call.position, 1, nullptr, internKernel(std::move(*text)), false});
        }
        if (m_onlyLoop) return m_kernels;
        std::vector<bool> isDone(m_work.thunks.size(), false);
        for (const Work &work : m_work.list) {
            if (!work.pass) continue;
            auto text = work.pass->kernelText();
            if (!text) continue;
            m_kernels.push_back({work.position, work.count, work.pass, internKernel(std::move(*text)), false});
            std::fill_n(isDone.begin() + work.position, work.count, true);
        }
        for (std::uint32_t i = 0; i < m_work.thunks.size(); ++i) {
            if (!m_work.thunks[i] || isDone[i]) continue;
            if (auto text = m_work.thunks[i]->kernelText()) m_kernels.push_back({i, 1, nullptr, internKernel(std::move(*text)), false});
        }
    }
    return m_kernels;
}

std::size_t Plan::adoptKernels()
{
    std::size_t adopted = 0;
    bool open = false;
    for (PlannedKernel &planned : m_kernels) {
        if (planned.adopted) continue;
        if (planned.kernel->state == KernelState::Ready) {
            const RtLoop *math = planned.kernel->text.math.data();
            if (planned.group) planned.group->adopt(planned.kernel->function, math);
            else m_work.thunks[planned.thunk]->adopt(planned.kernel->function, math);
            for (std::uint32_t i = planned.thunk; i < planned.thunk + planned.count; ++i)
                if (m_work.thunks[i]) m_tiers[i] = Tier::Compiled;
            planned.adopted = true;
            ++adopted;
        } else {
            open |= planned.kernel->state == KernelState::Waiting;
        }
    }
    kernelsSettled = !open;
    return adopted;
}

bool Plan::fits(std::span<const View> inputs) const
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Array &array = m_layout.arrays[m_layout.inputs[i]];
        if (inputs[i].rank != array.shape.rank() || !sameDims(array.shape, inputs[i].shape)) return false;
        for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
            if (array.shape[axis] > 1 && array.strides[axis] != inputs[i].strides[axis]) return false;
    }
    for (const auto &[symbol, size] : m_layout.sizes)
        if (m_stage.shapes.value(symbol) != size) return false;
    for (const DynamicView &view : m_layout.dynamicViews) {
        const auto layout = layoutOfView(view.apply, view.output, view.input);
        if (!layout || !(layout->strides == m_layout.arrays[view.slot].strides)) return false;
    }
    return true;
}

void Plan::bind(std::span<const View> inputs)
{
    for (const DynamicView &view : m_layout.dynamicViews)
        if (const auto layout = layoutOfView(view.apply, view.output, view.input)) m_layout.arrays[view.slot].offset = layout->offset;
    for (std::size_t i = 0; i < inputs.size(); ++i) m_memory.slots[m_layout.inputs[i]] = inputs[i].data;
    m_memory.lackingArena = -1;
    m_memory.lackingReturned = kNoSlot;
    for (Arena &arena : m_memory.arenas) {
        if (!arena.bytes || arena.storage) continue;
        m_memory.lackingArena = static_cast<int>(&arena - m_memory.arenas.data());
        arena.storage = allocateOn(arena.device, arena.bytes);
        m_memory.lackingArena = -1;
        if (arena.storage->data() == arena.base) continue;
        arena.base = arena.storage->data();
        for (const Slot slot : arena.slots) m_memory.slots[slot] = static_cast<char *>(arena.base) + m_layout.arrays[slot].offset;
    }
    for (std::size_t i = 0; i < m_layout.returned.size(); ++i) {
        const Slot slot = m_layout.returned[i];
        m_memory.lackingReturned = slot;
        m_memory.returned[i] = allocateOn(m_layout.arrays[slot].device, m_layout.buffers[slot].bytes);
        m_memory.slots[slot] = m_memory.returned[i]->data();
    }
    m_memory.lackingReturned = kNoSlot;
    placeViews();
}

std::vector<BufferInfo> Plan::lacking() const
{
    std::vector<BufferInfo> result;
    if (m_memory.lackingReturned != kNoSlot) result.push_back(m_layout.buffers[m_memory.lackingReturned]);
    if (m_memory.lackingArena < 0) return result;
    for (const Slot slot : m_memory.arenas[m_memory.lackingArena].slots) result.push_back(m_layout.buffers[slot]);
    std::stable_sort(result.begin(), result.end(), [](const BufferInfo &a, const BufferInfo &b) { return a.bytes > b.bytes; });
    return result;
}

void Plan::placeViews()
{
    for (const Slot slot : m_layout.viewOrder) {
        const Array &array = m_layout.arrays[slot];
        const std::int64_t offset = array.residence == Residence::View ? array.offset : 0;
        m_memory.slots[slot] = static_cast<char *>(m_memory.slots[array.base]) + offset;
    }
}

bool Plan::isOutputMovable(std::size_t i) const
{
    const Slot slot = m_layout.outputs[i];
    if (m_layout.arrays[slot].residence != Residence::Returned) return false;
    return std::count_if(m_layout.outputs.begin(), m_layout.outputs.end(), [&](Slot other) { return m_layout.roots[other] == slot; }) == 1;
}

void Plan::move(std::span<void *const> inputs, std::span<void *const> outputs)
{
    for (const DynamicView &view : m_layout.dynamicViews)
        if (const auto layout = layoutOfView(view.apply, view.output, view.input)) m_layout.arrays[view.slot].offset = layout->offset;
    for (std::size_t i = 0; i < inputs.size(); ++i) m_memory.slots[m_layout.inputs[i]] = inputs[i];
    for (std::size_t o = 0; o < outputs.size(); ++o)
        if (outputs[o]) m_memory.slots[m_layout.outputs[o]] = outputs[o];
    placeViews();
}

void Plan::run(FunctionStatistics *statistics, ApplyFailure &failure)
{
    std::uint32_t at = 0;
    try {
        if (!statistics) {
            if (!m_stage.branchOf.empty()) return runTaken(at);
            if (!m_work.graphedApart.empty() &&
                std::ranges::any_of(m_work.graphed, [](const auto &piece) { return piece.stretch.isHopeless(); }))
                m_work.graphed = std::exchange(m_work.graphedApart, {});
            auto graphed = m_work.graphed.begin();
            for (std::size_t i = 0; i < m_work.list.size(); ++i) {
                const Work &work = m_work.list[i];
                at = work.position;
                if (i % kWorkBetweenLooks == kWorkBetweenLooks - 1) checkInterrupt();
                if (graphed != m_work.graphed.end() && graphed->first == i) {
                    GraphedPiece &piece = *graphed++;
                    if (piece.stretch.run(m_memory.slots.data())) {
                        i += piece.count - 1;
                        continue;
                    }
                }
                if (work.pass) work.pass->run(m_memory.slots.data());
                else m_work.thunks[at]->run(m_memory.slots.data());
            }
            if (ModelClock::isOn()) takeModelTimes(0, static_cast<std::uint32_t>(m_work.thunks.size()));
            return;
        }
        CallTrace &trace = statistics->trace;
        const bool traced = !trace.ticks.empty();
        std::uint64_t before = ticks();
        if (traced) trace.beginAt(m_stage.first, before);
        std::uint32_t position = 0;
        const auto note = [&](std::uint32_t index, std::uint64_t spent, std::uint64_t end) {
            statistics->note(m_stage.first + index, m_tiers[index], spent);
            if (traced) trace.ticks[m_stage.first + index + 1] = end;
        };
        const auto single = [&](std::uint32_t index) {
            at = index;
            if (isSkipped(index)) {
                if (traced) trace.ticks[m_stage.first + index + 1] = before;
                return;
            }
            if (m_work.thunks[index]) {
                m_work.thunks[index]->run(m_memory.slots.data());
                if (ModelClock::isOn()) takeModelTime(before, costAt(index));
            }
            const std::uint64_t after = ticks();
            note(index, after - before, after);
            before = after;
        };
        for (const Work &work : m_work.list) {
            checkInterrupt();
            while (position < work.position) single(position++); // views: they count as calls
            if (!work.pass) {
                single(position++);
                continue;
            }
            at = work.position;
            if (isSkipped(at)) { // all of it: they are parts of one branch
                for (std::uint32_t i = 0; i < work.count; ++i) single(position++);
                continue;
            }
            m_spent.assign(work.count, 0);
            work.pass->run(m_memory.slots.data(), m_spent);
            if (ModelClock::isOn()) takeModelTimes(work.position, work.count);
            // The members of a pass run together: their shares are laid one behind the other.
            for (std::uint64_t spent : m_spent) {
                before += spent;
                note(position++, spent, before);
            }
            before = ticks();
        }
        while (position < m_work.thunks.size()) single(position++);
    } catch (const DeviceError &error) {
        failure.apply = m_stage.order[at];
        blameDevice(error, failure);
        throw;
    } catch (...) {
        failure.apply = m_stage.order[at];
        failure.inputs = inputsOf(m_stage.order[at], Known::All);
        throw;
    }
}

Cost Plan::costAt(std::uint32_t position) const
{
    const ApplyNode &node = m_graph.apply(m_stage.order[position]);
    const auto sized = [&](VarId var) { return Sized{m_graph.var(var).type, m_layout.arrays[slotOf(var)].shape}; };
    std::vector<Sized> in, out;
    for (const Use &use : node.inputs) in.push_back(sized(use.var));
    for (const VarId var : node.outputs) out.push_back(sized(var));
    return costOf(*node.op, in, out);
}

void Plan::takeModelTimes(std::uint32_t first, std::uint32_t count)
{
    m_spent.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!m_work.thunks[first + i]) continue;
        const std::uint64_t start = ticks();
        takeModelTime(start, costAt(first + i));
        m_spent[i] = ticks() - start;
    }
}

// It may have been given the work long before it fails.
void Plan::blameDevice(const DeviceError &error, ApplyFailure &failure) const
{
    const std::uint64_t position = error.tag() - m_work.firstTag;
    if (position < m_stage.order.size()) failure.apply = m_stage.order[position];
    failure.inputs = inputsOf(failure.apply, Known::All);
}

std::vector<std::pair<std::uint64_t, ApplyFailure>> Plan::finders() const
{
    std::vector<std::pair<std::uint64_t, ApplyFailure>> result;
    for (std::size_t i = 0; i < m_work.thunks.size(); ++i)
        if (m_work.thunks[i] && m_work.thunks[i]->mayFind())
            result.emplace_back(m_work.firstTag + i, ApplyFailure{m_stage.order[i], inputsOf(m_stage.order[i], Known::Layouts)});
    return result;
}

std::vector<std::pair<std::size_t, std::string>> Plan::notes() const
{
    std::vector<std::pair<std::size_t, std::string>> result;
    for (std::size_t i = 0; i < m_work.thunks.size(); ++i)
        if (std::string note = m_work.thunks[i] ? m_work.thunks[i]->note() : std::string(); !note.empty())
            result.emplace_back(i, std::move(note));
    return result;
}

std::vector<std::optional<Tensor>> Plan::inputsOf(ApplyId apply, Known known) const
{
    std::vector<std::optional<Tensor>> result;
    for (const Use &use : m_graph.apply(apply).inputs) {
        const Slot slot = slotOf(use.var);
        const Array &array = m_layout.arrays[slot];
        const bool isGiven = array.residence == Residence::Input || array.residence == Residence::Constant;
        const bool isShown = array.device == DeviceId::Host && (known == Known::All || (known == Known::Given && isGiven));
        result.emplace_back(Tensor(array.dtype, array.shape, array.strides, isShown ? m_memory.slots[slot] : nullptr, nullptr));
    }
    return result;
}

VarId Plan::outputRoot(std::size_t i) const { return m_layout.arrays[m_layout.roots[m_layout.outputs[i]]].var; }

std::size_t Plan::returnedBytes() const
{
    std::size_t sum = 0;
    for (const Slot slot : m_layout.returned)
        if (const BufferInfo &buffer = m_layout.buffers[slot]; buffer.device == DeviceId::Host) sum += buffer.bytes;
    return sum;
}

Tensor Plan::output(std::size_t i) const
{
    const Slot slot = m_layout.outputs[i], root = m_layout.roots[slot];
    const Array &array = m_layout.arrays[slot];
    const auto returned = std::lower_bound(m_layout.returned.begin(), m_layout.returned.end(), root);
    const bool isReturned = returned != m_layout.returned.end() && *returned == root;
    return Tensor(array.dtype, array.shape, array.strides, m_memory.slots[slot],
                  isReturned ? m_memory.returned[returned - m_layout.returned.begin()] : StorageRef());
}

bool Plan::outputLivesInInput(std::size_t i, std::size_t input) const
{
    return m_layout.roots[m_layout.outputs[i]] == m_layout.inputs[input];
}

void Plan::unbind(bool keepArena)
{
    for (StorageRef &storage : m_memory.returned) storage = nullptr;
    if (keepArena) return;
    for (Arena &arena : m_memory.arenas) arena.storage = nullptr;
}

} // namespace engine
