#include "engine/runtime/plan.h"

#include "engine/compile/statistics.h"
#include "engine/graph/errors.h"
#include "engine/runtime/order.h"
#include "engine/runtime/sizes.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Free ranges of the arena, best fit; grows when nothing fits.
class RangeAllocator {
public:
    std::size_t take(std::size_t bytes)
    {
        auto best = m_free.end();
        for (auto it = m_free.begin(); it != m_free.end(); ++it)
            if (it->second >= bytes && (best == m_free.end() || it->second < best->second)) best = it;
        if (best == m_free.end()) {
            const std::size_t start = m_end;
            m_end += bytes;
            return start;
        }
        const std::size_t start = best->first, size = best->second;
        m_free.erase(best);
        if (size > bytes) m_free.emplace(start + bytes, size - bytes);
        return start;
    }

    void give(std::size_t start, std::size_t bytes)
    {
        if (bytes == 0) return;
        auto next = m_free.lower_bound(start);
        if (next != m_free.end() && start + bytes == next->first) {
            bytes += next->second;
            next = m_free.erase(next);
        }
        if (next != m_free.begin()) {
            auto previous = std::prev(next);
            if (previous->first + previous->second == start) {
                previous->second += bytes;
                return;
            }
        }
        m_free.emplace(start, bytes);
    }

    std::size_t size() const { return m_end; }

private:
    std::map<std::size_t, std::size_t> m_free;
    std::size_t m_end = 0;
};

class PerformThunk final : public Thunk {
public:
    PerformThunk(OpRef op, const ThunkSpec &spec) : m_op(std::move(op))
    {
        m_operands.assign(spec.inputs.begin(), spec.inputs.end());
        m_operands.insert(m_operands.end(), spec.outputs.begin(), spec.outputs.end());
        m_inputCount = spec.inputs.size();
        for (const SlotOperand &operand : m_operands)
            m_views.push_back({nullptr, operand.dtype, operand.shape.rank(), operand.shape.data(), operand.strides.data()});
        m_args.inputs = std::span<const View>(m_views).first(m_inputCount);
        m_args.outputs = std::span<View>(m_views).subspan(m_inputCount);
    }

    void run(void *const *slots) override
    {
        for (std::size_t i = 0; i < m_views.size(); ++i) m_views[i].data = slots[m_operands[i].slot];
        m_op->perform(m_args);
    }

private:
    OpRef m_op;
    std::vector<SlotOperand> m_operands;
    std::vector<View> m_views;
    std::size_t m_inputCount;
    PerformArgs m_args;
};

class ValueThunk final : public Thunk {
public:
    ValueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec, std::string name)
        : m_body(std::move(body)), m_inputs(spec.inputs.begin(), spec.inputs.end()),
          m_outputs(spec.outputs.begin(), spec.outputs.end()), m_name(std::move(name))
    {
    }

    void run(void *const *slots) override
    {
        std::vector<Value> in, out(m_outputs.size());
        for (const SlotOperand &o : m_inputs) in.emplace_back(Tensor(o.dtype, o.shape, o.strides, slots[o.slot], nullptr));
        m_body(in, out);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const SlotOperand &o = m_outputs[i];
            const Tensor &made = out[i].tensor();
            if (!out[i].isTensor() || made.dtype() != o.dtype || !(made.shape() == o.shape))
                throw UserError(m_name + " returned " +
                                (out[i].isTensor() ? std::string(nameOf(made.dtype())) + " of shape " + made.shape().text()
                                                   : std::string("no array")) +
                                " for output " + std::to_string(i) + ", but its type and shape rules promise " +
                                std::string(nameOf(o.dtype)) + " of shape " + o.shape.text());
            copyConverted(made.view(), View{slots[o.slot], o.dtype, o.shape.rank(), o.shape.data(), o.strides.data()});
        }
    }

private:
    std::function<void(std::span<const Value>, std::span<Value>)> m_body;
    std::vector<SlotOperand> m_inputs, m_outputs;
    std::string m_name;
};

bool sameDims(std::span<const std::int64_t> a, const std::int64_t *b)
{
    return std::equal(a.begin(), a.end(), b);
}

} // namespace

const char *nameOf(Residence residence)
{
    switch (residence) {
    case Residence::Input: return "input";
    case Residence::Constant: return "constant";
    case Residence::Arena: return "arena";
    case Residence::Returned: return "returned";
    case Residence::View: return "view";
    case Residence::Inplace: return "inplace";
    }
    return "?";
}

std::unique_ptr<Thunk> performThunk(const OpRef &op, const ThunkSpec &spec)
{
    return std::make_unique<PerformThunk>(op, spec);
}

std::unique_ptr<Thunk> valueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec,
                                  std::string opName)
{
    return std::make_unique<ValueThunk>(std::move(body), spec, std::move(opName));
}

std::optional<Layout> Plan::layoutOfView(const ShapeProgram &shapes, ApplyId apply, int output, int input) const
{
    const ApplyNode &node = m_graph.apply(apply);
    const Array &base = m_arrays[static_cast<std::size_t>(slotOf(node.inputs[static_cast<std::size_t>(input)].var))];
    std::vector<std::optional<std::int64_t>> integers(node.inputs.size());
    for (std::size_t port = 0; port < node.inputs.size(); ++port)
        if (const auto symbol = shapes.integerInput(apply, static_cast<int>(port))) integers[port] = shapes.value(*symbol);
    return node.op->viewLayout(output, {base.shape, base.strides, 0}, base.dtype,
                               shapes.shapeOf(node.outputs[static_cast<std::size_t>(output)]), integers);
}

Plan::Plan(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const OrderedGroup> groups, const ShapeProgram &shapes,
           std::span<const View> inputs, const NestedCall &nested, ApplyFailure &failure)
    : m_graph(graph), m_order(order.begin(), order.end()), m_slotOfVar(graph.varCount(), -1)
{
    const auto addArray = [&](Array array) {
        const int slot = static_cast<int>(m_arrays.size());
        m_slotOfVar[raw(array.var)] = slot;
        m_arrays.push_back(std::move(array));
        m_slots.push_back(nullptr);
        return slot;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const View &view = inputs[i];
        Array array;
        array.var = graph.inputs()[i];
        array.dtype = view.dtype;
        array.shape = Dims(std::span(view.shape, static_cast<std::size_t>(view.rank)));
        array.strides = Dims(std::span(view.strides, static_cast<std::size_t>(view.rank)));
        array.residence = Residence::Input;
        m_inputStrides.push_back(array.strides);
        m_inputSlots.push_back(addArray(std::move(array)));
        m_slots.back() = view.data;
    }
    const auto addConstant = [&](VarId var) {
        if (slotOf(var) >= 0) return;
        const Tensor &tensor = graph.var(var).leaf->value().tensor();
        Array array;
        array.var = var;
        array.dtype = tensor.dtype();
        array.shape = tensor.shape();
        array.strides = tensor.strides();
        array.residence = Residence::Constant;
        m_slots[static_cast<std::size_t>(addArray(std::move(array)))] = tensor.data();
    };

    for (ApplyId id : m_order) {
        const ApplyNode &node = graph.apply(id);
        for (const Use &use : node.inputs)
            if (graph.var(use.var).kind == Variable::Kind::Constant) addConstant(use.var);
        std::vector<int> viewOf(node.outputs.size(), -1), destroys(node.outputs.size(), -1);
        for (const Alias &alias : node.op->viewMap()) viewOf[static_cast<std::size_t>(alias.output)] = alias.input;
        for (const Alias &alias : node.op->destroyMap()) destroys[static_cast<std::size_t>(alias.output)] = alias.input;
        for (std::size_t o = 0; o < node.outputs.size(); ++o) {
            Array array;
            array.var = node.outputs[o];
            array.maker = id;
            array.dtype = graph.var(array.var).type.dtype();
            array.shape = shapes.shapeOf(array.var);
            array.strides = contiguousStrides(array.shape, sizeOf(array.dtype));
            bool dynamic = false;
            if (destroys[o] >= 0) {
                const Array &base = m_arrays[static_cast<std::size_t>(slotOf(node.inputs[static_cast<std::size_t>(destroys[o])].var))];
                if (base.shape == array.shape && base.dtype == array.dtype) {
                    array.residence = Residence::Inplace;
                    array.base = m_slotOfVar[raw(base.var)];
                    array.strides = base.strides;
                }
            } else if (viewOf[o] >= 0) {
                if (auto layout = layoutOfView(shapes, id, static_cast<int>(o), viewOf[o])) {
                    array.residence = Residence::View;
                    array.base = slotOf(node.inputs[static_cast<std::size_t>(viewOf[o])].var);
                    array.strides = layout->strides;
                    array.offset = layout->offset;
                    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
                        const auto symbol = shapes.integerInput(id, static_cast<int>(port));
                        dynamic |= symbol && graph.var(node.inputs[port].var).kind != Variable::Kind::Constant;
                    }
                }
            }
            array.dynamicView = dynamic;
            const int slot = addArray(std::move(array));
            if (m_arrays[static_cast<std::size_t>(slot)].base >= 0) m_viewOrder.push_back(slot);
            if (dynamic) m_dynamicViews.push_back({slot, id, static_cast<int>(o), viewOf[o]});
        }
    }
    for (std::size_t i = 0; i < graph.outputCount(); ++i) {
        const VarId out = graph.output(i);
        if (graph.var(out).kind == Variable::Kind::Constant) addConstant(out);
        m_outputSlots.push_back(slotOf(out));
    }
    layOutMemory(graph, order, groups);

    for (std::size_t position = 0; position < m_order.size(); ++position) {
        const ApplyId id = m_order[position];
        const ApplyNode &node = graph.apply(id);
        std::vector<SlotOperand> in, out;
        bool pureView = !node.outputs.empty();
        const auto operand = [&](VarId var) {
            const int slot = slotOf(var);
            const Array &array = m_arrays[static_cast<std::size_t>(slot)];
            SlotOperand o;
            o.dtype = array.dtype;
            o.shape = array.shape;
            o.strides = array.strides;
            o.slot = slot;
            o.root = m_rootSlots[static_cast<std::size_t>(slot)];
            o.type = graph.var(var).type;
            if (array.residence == Residence::Constant) o.constantData = m_slots[static_cast<std::size_t>(slot)];
            return o;
        };
        for (const Use &use : node.inputs) in.push_back(operand(use.var));
        for (VarId var : node.outputs) {
            out.push_back(operand(var));
            pureView &= m_arrays[static_cast<std::size_t>(slotOf(var))].residence == Residence::View;
        }
        if (pureView) {
            m_thunks.push_back(nullptr);
            m_tiers.push_back(Tier::Interpreter);
            m_prepareTicks.push_back(0);
            continue;
        }
        const ThunkSpec spec{in, out};
        failure.apply = id;
        failure.inputs = inputsOf(id, false);
        const std::uint64_t before = ticks();
        std::unique_ptr<Thunk> thunk;
        if (node.op->worksOnValues())
            thunk = valueThunk([&nested, id](std::span<const Value> i, std::span<Value> o) { nested(id, i, o); }, spec, node.op->name());
        else
            thunk = node.op->prepare(spec);
        if (!thunk) thunk = performThunk(node.op, spec);
        m_prepareTicks.push_back(ticks() - before);
        m_tiers.push_back(thunk->callsLibrary() ? Tier::Library : Tier::Interpreter);
        m_thunks.push_back(std::move(thunk));
    }
    failure.apply = kNoApply;
    failure.inputs.clear();
    formPasses(groups);
    for (const Array &array : m_arrays) m_keyShapes.push_back(array.shape);
}

Plan::~Plan() = default;

void Plan::formPasses(std::span<const OrderedGroup> groups)
{
    m_passOf.assign(m_thunks.size(), -1);
    std::uint32_t position = 0;
    while (position < m_thunks.size()) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const OrderedGroup &g) { return g.first == position; });
        if (group != groups.end()) {
            std::vector<Thunk *> members;
            for (std::size_t i = 0; i < group->count; ++i) members.push_back(m_thunks[position + i].get());
            if (auto pass = RowPass::of(members)) {
                m_work.push_back({position, pass.get(), static_cast<std::uint32_t>(group->count)});
                for (std::size_t i = 0; i < group->count; ++i) m_passOf[position + i] = static_cast<int>(m_passes.size());
                m_passes.push_back(std::move(pass));
                position += static_cast<std::uint32_t>(group->count);
                continue;
            }
        }
        if (m_thunks[position]) m_work.push_back({position, nullptr, 1});
        ++position;
    }
}

void Plan::layOutMemory(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const OrderedGroup> groups)
{
    m_rootSlots.resize(m_arrays.size());
    for (std::size_t slot = 0; slot < m_arrays.size(); ++slot) {
        int root = static_cast<int>(slot);
        while (m_arrays[static_cast<std::size_t>(root)].base >= 0) root = m_arrays[static_cast<std::size_t>(root)].base;
        m_rootSlots[slot] = root;
    }
    // What the caller gets must outlive the call: its memory is not the arena's.
    for (int slot : m_outputSlots) {
        Array &root = m_arrays[static_cast<std::size_t>(m_rootSlots[static_cast<std::size_t>(slot)])];
        if (root.residence == Residence::Arena) root.residence = Residence::Returned;
    }

    std::vector<std::size_t> birth(m_arrays.size(), 0), death(m_arrays.size(), 0);
    for (std::size_t position = 0; position < order.size(); ++position) {
        const ApplyNode &node = graph.apply(order[position]);
        for (const Use &use : node.inputs) {
            const std::size_t slot = static_cast<std::size_t>(slotOf(use.var));
            death[slot] = position;
            std::size_t &last = death[static_cast<std::size_t>(m_rootSlots[slot])];
            last = std::max(last, position);
        }
        for (VarId var : node.outputs) {
            const std::size_t slot = static_cast<std::size_t>(slotOf(var));
            birth[slot] = position;
            death[slot] = std::max(death[slot], position);
            std::size_t &last = death[static_cast<std::size_t>(m_rootSlots[slot])];
            last = std::max(last, position);
        }
    }
    // The members of a group run at the same time: what one of them reads or makes lives as long as all of them.
    for (const OrderedGroup &group : groups)
        for (std::size_t &last : death)
            if (last >= group.first && last < group.first + group.count) last = group.first + group.count - 1;
    const auto bytesOf = [&](const Array &array) { return static_cast<std::size_t>(array.shape.product()) * sizeOf(array.dtype); };

    std::vector<std::vector<int>> dying(order.size() + 1);
    RangeAllocator ranges;
    for (std::size_t position = 0; position < order.size(); ++position) {
        for (VarId var : graph.apply(order[position]).outputs) {
            const int slot = slotOf(var);
            Array &array = m_arrays[static_cast<std::size_t>(slot)];
            if (array.residence == Residence::Returned || array.residence == Residence::Arena) checkedBytes(array.shape, array.dtype);
            if (array.residence == Residence::Returned) m_returnedSlots.push_back(slot);
            if (array.residence != Residence::Arena) continue;
            m_arenaSlots.push_back(slot);
            const std::size_t bytes = std::max(aligned(bytesOf(array)), kAlignment);
            array.offset = static_cast<std::int64_t>(ranges.take(bytes));
            dying[death[static_cast<std::size_t>(slot)]].push_back(slot);
        }
        for (int slot : dying[position]) {
            const Array &array = m_arrays[static_cast<std::size_t>(slot)];
            ranges.give(static_cast<std::size_t>(array.offset), std::max(aligned(bytesOf(array)), kAlignment));
        }
    }
    m_arenaBytes = ranges.size();
    m_returned.resize(m_returnedSlots.size());

    for (std::size_t slot = 0; slot < m_arrays.size(); ++slot) {
        const Array &array = m_arrays[slot];
        BufferInfo info;
        info.var = array.var;
        info.root = m_arrays[static_cast<std::size_t>(m_rootSlots[slot])].var;
        info.residence = array.residence;
        info.bytes = bytesOf(array);
        info.offset = array.residence == Residence::Arena ? static_cast<std::size_t>(array.offset) : 0;
        info.birth = birth[slot];
        info.death = death[slot];
        info.shape = array.shape;
        info.strides = array.strides;
        m_buffers.push_back(info);
    }
}

std::span<Plan::PlannedKernel> Plan::kernels()
{
    if (!m_kernelsKnown) {
        m_kernelsKnown = true;
        for (std::uint32_t i = 0; i < m_thunks.size(); ++i) {
            if (!m_thunks[i]) continue;
            if (auto text = m_thunks[i]->kernelText()) m_kernels.push_back({i, internKernel(std::move(*text)), false});
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
            m_thunks[planned.thunk]->adopt(planned.kernel->function, planned.kernel->text.math.data());
            m_tiers[planned.thunk] = Tier::Compiled;
            planned.adopted = true;
            ++adopted;
        } else {
            open |= planned.kernel->state == KernelState::Waiting;
        }
    }
    kernelsSettled = !open;
    return adopted;
}

bool Plan::fits(const ShapeProgram &shapes, std::span<const View> inputs) const
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Array &array = m_arrays[static_cast<std::size_t>(m_inputSlots[i])];
        if (inputs[i].rank != array.shape.rank() || !sameDims(array.shape, inputs[i].shape)) return false;
        for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
            if (array.shape[axis] > 1 && array.strides[axis] != inputs[i].strides[axis]) return false;
    }
    for (const Array &array : m_arrays) {
        if (array.maker == kNoApply) continue;
        const SymShape &symbols = shapes.symbols(array.var);
        for (std::size_t axis = 0; axis < symbols.size(); ++axis)
            if (shapes.value(symbols[axis]) != array.shape[axis]) return false;
    }
    for (const DynamicView &view : m_dynamicViews) {
        const auto layout = layoutOfView(shapes, view.apply, view.output, view.input);
        if (!layout || !(layout->strides == m_arrays[static_cast<std::size_t>(view.slot)].strides)) return false;
    }
    return true;
}

void Plan::bind(const ShapeProgram &shapes, std::span<const View> inputs)
{
    for (const DynamicView &view : m_dynamicViews)
        if (const auto layout = layoutOfView(shapes, view.apply, view.output, view.input))
            m_arrays[static_cast<std::size_t>(view.slot)].offset = layout->offset;
    for (std::size_t i = 0; i < inputs.size(); ++i) m_slots[static_cast<std::size_t>(m_inputSlots[i])] = inputs[i].data;
    if (m_arenaBytes && !m_arena) {
        m_arena = allocateStorage(m_arenaBytes);
        if (m_arena->data() != m_arenaBase) {
            m_arenaBase = m_arena->data();
            for (int slot : m_arenaSlots)
                m_slots[static_cast<std::size_t>(slot)] = static_cast<char *>(m_arenaBase) + m_arrays[static_cast<std::size_t>(slot)].offset;
        }
    }
    for (std::size_t i = 0; i < m_returnedSlots.size(); ++i) {
        const std::size_t slot = static_cast<std::size_t>(m_returnedSlots[i]);
        m_returned[i] = allocateStorage(m_buffers[slot].bytes);
        m_slots[slot] = m_returned[i]->data();
    }
    for (int slot : m_viewOrder) {
        const Array &array = m_arrays[static_cast<std::size_t>(slot)];
        const std::int64_t offset = array.residence == Residence::View ? array.offset : 0;
        m_slots[static_cast<std::size_t>(slot)] = static_cast<char *>(m_slots[static_cast<std::size_t>(array.base)]) + offset;
    }
}

void Plan::run(FunctionStatistics *statistics, ApplyFailure &failure)
{
    std::uint32_t at = 0;
    try {
        if (!statistics) {
            for (const Work &work : m_work) {
                at = work.position;
                if (work.pass) work.pass->run(m_slots.data());
                else m_thunks[at]->run(m_slots.data());
            }
            return;
        }
        const bool traced = !statistics->trace.ticks.empty();
        std::uint64_t before = ticks();
        if (traced) statistics->trace.ticks[0] = before;
        std::uint32_t position = 0;
        std::vector<std::uint64_t> parts;
        const auto single = [&](std::uint32_t index) {
            at = index;
            if (m_thunks[index]) m_thunks[index]->run(m_slots.data());
            const std::uint64_t after = ticks();
            statistics->at(index, m_tiers[index]).note(after - before);
            if (traced) statistics->trace.ticks[index + 1] = after;
            before = after;
        };
        for (const Work &work : m_work) {
            while (position < work.position) single(position++); // views: they count as calls
            if (!work.pass) {
                single(position++);
                continue;
            }
            at = work.position;
            parts.assign(work.count, 0);
            work.pass->run(m_slots.data(), parts);
            // The members of a pass run together: their shares are laid one behind the other.
            for (std::uint64_t spent : parts) {
                statistics->at(position, m_tiers[position]).note(spent);
                before += spent;
                if (traced) statistics->trace.ticks[position + 1] = before;
                ++position;
            }
            before = ticks();
        }
        while (position < m_thunks.size()) single(position++);
    } catch (...) {
        failure.apply = m_order[at];
        failure.inputs = inputsOf(m_order[at], true);
        throw;
    }
}

std::vector<std::optional<Tensor>> Plan::inputsOf(ApplyId apply, bool bound) const
{
    std::vector<std::optional<Tensor>> result;
    for (const Use &use : m_graph.apply(apply).inputs) {
        const auto slot = static_cast<std::size_t>(slotOf(use.var));
        const Array &array = m_arrays[slot];
        const bool known = bound || array.residence == Residence::Input || array.residence == Residence::Constant;
        result.emplace_back(Tensor(array.dtype, array.shape, array.strides, known ? m_slots[slot] : nullptr, nullptr));
    }
    return result;
}

VarId Plan::outputRoot(std::size_t i) const
{
    return m_arrays[static_cast<std::size_t>(m_rootSlots[static_cast<std::size_t>(m_outputSlots[i])])].var;
}

Tensor Plan::output(std::size_t i) const
{
    const std::size_t slot = static_cast<std::size_t>(m_outputSlots[i]);
    const std::size_t root = static_cast<std::size_t>(m_rootSlots[slot]);
    const Array &array = m_arrays[slot];
    StorageRef storage;
    for (std::size_t r = 0; r < m_returnedSlots.size(); ++r)
        if (m_returnedSlots[r] == static_cast<int>(root)) storage = m_returned[r];
    return Tensor(array.dtype, array.shape, array.strides, m_slots[slot], std::move(storage));
}

bool Plan::outputLivesInInput(std::size_t i, std::size_t input) const
{
    return m_rootSlots[static_cast<std::size_t>(m_outputSlots[i])] == m_inputSlots[input];
}

void Plan::unbind(bool keepArena)
{
    for (StorageRef &storage : m_returned) storage = nullptr;
    if (!keepArena) m_arena = nullptr;
}

} // namespace engine
