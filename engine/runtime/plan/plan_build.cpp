// Making a plan: an array for each variable of the stage, a thunk for each apply.
#include "engine/runtime/device/device_work_name.h"
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/plan/ranges.h"
#include "engine/runtime/thunks/operand_thunks.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <exception>

namespace engine {
namespace {

bool overlapsItself(const Dims &shape, const Dims &strides)
{
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1 && strides[axis] == 0) return true;
    return false;
}

// What it has a device do carries the name of its apply.
class NamedThunk final : public Thunk {
public:
    /// No stream: whatever device it uses by itself.
    NamedThunk(std::unique_ptr<Thunk> thunk, DeviceStream *stream, std::uint64_t tag, std::string range)
        : m_thunk(std::move(thunk)), m_stream(stream), m_tag(tag), m_range(std::move(range))
    {}
    void run(Slots slots) override
    {
        struct Range {
            DeviceStream *stream;
            ~Range()
            {
                if (stream) stream->endRange();
            }
        };
        const DeviceWorkName name(m_tag);
        const Range range{m_range.empty() ? nullptr : m_stream};
        if (range.stream) range.stream->beginRange(m_range);
        m_thunk->run(slots);
    }
    bool callsLibrary() const override { return m_thunk->callsLibrary(); }
    bool mayFind() const override { return m_thunk->mayFind(); }
    bool actsOnHost() const override { return m_thunk->actsOnHost(); }
    std::string note() const override { return m_thunk->note(); }

private:
    std::unique_ptr<Thunk> m_thunk;
    DeviceStream *m_stream;
    std::uint64_t m_tag;
    std::string m_range; ///< empty: nobody wants to know
};

// What cannot be prepared may be part of a branch that is never taken.
class FailingThunk final : public Thunk {
public:
    explicit FailingThunk(std::exception_ptr error) : m_error(std::move(error)) {}
    void run(Slots) override { std::rethrow_exception(m_error); }

private:
    std::exception_ptr m_error;
};

} // namespace

Plan::Plan(const FunctionGraph &graph, const Stage &stage, std::span<const View> inputs, const NestedCall &nested, ApplyFailure &failure)
    : m_graph(graph), m_stage(stage), m_work{.firstTag = takeDeviceTags(stage.order.size())}
{
    addInputs(inputs);
    for (ApplyId id : stage.order) addOutputsOf(id);
    for (const Branch &branch : stage.branches)
        if (graph.var(branch.condition).kind == Variable::Kind::Constant) addConstant(branch.condition);
    for (VarId out : stage.outputs) {
        if (graph.var(out).kind == Variable::Kind::Constant) addConstant(out);
        m_layout.outputs.push_back(slotOf(out));
    }
    layOutMemory();
    for (ApplyId id : stage.order)
        for (VarId out : graph.apply(id).outputs)
            for (Sym symbol : stage.shapes.symbols(out)) m_layout.sizes.emplace_back(symbol, stage.shapes.value(symbol));
    std::sort(m_layout.sizes.begin(), m_layout.sizes.end());
    m_layout.sizes.erase(std::unique(m_layout.sizes.begin(), m_layout.sizes.end()), m_layout.sizes.end());
    for (ApplyId id : stage.order) makeThunk(id, nested, failure);
    failure.apply = kNoApply;
    failure.inputs.clear();
    formPasses();
    if (usesDeviceGraphs()) formGraphs();
}

Plan::~Plan() = default;

Slot Plan::addArray(Array array)
{
    const Slot slot = m_memory.slots.add(nullptr);
    m_layout.slotOfVar.emplace(raw(array.var), slot);
    return m_layout.arrays.add(std::move(array));
}

void Plan::addInputs(std::span<const View> inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const View &view = inputs[i];
        Array array;
        array.var = m_stage.inputs[i];
        array.dtype = view.dtype;
        array.shape = Dims(std::span(view.shape, static_cast<std::size_t>(view.rank)));
        array.strides = Dims(std::span(view.strides, static_cast<std::size_t>(view.rank)));
        array.residence = Residence::Input;
        array.device = m_graph.var(array.var).type.device();
        m_layout.inputs.push_back(addArray(std::move(array)));
        m_memory.slots[m_layout.inputs.back()] = view.data;
    }
}

void Plan::addConstant(VarId var)
{
    if (m_layout.slotOfVar.count(raw(var))) return;
    const Tensor &tensor = m_graph.var(var).leaf->value().tensor();
    Array array;
    array.var = var;
    array.dtype = tensor.dtype();
    array.shape = tensor.shape();
    array.strides = tensor.strides();
    array.residence = Residence::Constant;
    array.device = tensor.device();
    m_memory.slots[addArray(std::move(array))] = tensor.data();
}

void Plan::addOutputsOf(ApplyId id)
{
    const ApplyNode &node = m_graph.apply(id);
    for (const Use &use : node.inputs)
        if (m_graph.var(use.var).kind == Variable::Kind::Constant) addConstant(use.var);
    std::vector<std::optional<std::uint32_t>> viewOf(node.outputs.size()), destroys(node.outputs.size());
    for (const Alias &alias : node.op->viewMap()) viewOf[alias.output] = alias.input;
    for (const Alias &alias : node.op->destroyMap()) destroys[alias.output] = alias.input;
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
        Array array;
        array.var = node.outputs[o];
        array.dtype = m_graph.var(array.var).type.dtype();
        array.device = m_graph.var(array.var).type.device();
        array.shape = m_stage.shapes.shapeOf(array.var);
        array.strides = contiguousStrides(array.shape, sizeOf(array.dtype));
        bool dynamic = false;
        if (destroys[o]) {
            const Slot slot = slotOf(node.inputs[*destroys[o]].var);
            const Array &base = m_layout.arrays[slot];
            if (base.shape == array.shape && base.dtype == array.dtype && !overlapsItself(base.shape, base.strides)) {
                array.residence = Residence::Inplace;
                array.base = slot;
                array.strides = base.strides;
            }
        } else if (viewOf[o]) {
            if (auto layout = layoutOfView(id, static_cast<std::uint32_t>(o), *viewOf[o])) {
                array.residence = Residence::View;
                array.base = slotOf(node.inputs[*viewOf[o]].var);
                array.strides = layout->strides;
                array.offset = layout->offset;
                for (std::size_t port = 0; port < node.inputs.size(); ++port) {
                    const auto symbol = m_stage.shapes.integerInput(id, static_cast<int>(port));
                    dynamic |= symbol && m_graph.var(node.inputs[port].var).kind != Variable::Kind::Constant;
                }
            }
        }
        const Slot slot = addArray(std::move(array));
        if (m_layout.arrays[slot].base != kNoSlot) m_layout.viewOrder.push_back(slot);
        if (dynamic) m_layout.dynamicViews.push_back({slot, id, static_cast<std::uint32_t>(o), *viewOf[o]});
    }
}

SlotOperand Plan::operandOf(VarId var) const
{
    const Slot slot = slotOf(var);
    const Array &array = m_layout.arrays[slot];
    SlotOperand o;
    o.dtype = array.dtype;
    o.shape = array.shape;
    o.strides = array.strides;
    o.slot = slot;
    o.root = m_layout.roots[slot];
    o.type = m_graph.var(var).type;
    o.device = array.device;
    if (array.residence == Residence::Constant) o.constantData = m_memory.slots[slot];
    return o;
}

void Plan::makeThunk(ApplyId id, const NestedCall &nested, ApplyFailure &failure)
{
    const ApplyNode &node = m_graph.apply(id);
    std::vector<SlotOperand> in, out;
    bool pureView = !node.outputs.empty();
    for (const Use &use : node.inputs) in.push_back(operandOf(use.var));
    for (VarId var : node.outputs) {
        out.push_back(operandOf(var));
        pureView &= m_layout.arrays[slotOf(var)].residence == Residence::View;
    }
    if (pureView) {
        m_work.thunks.push_back(nullptr);
        m_tiers.push_back(Tier::Interpreter);
        m_work.prepareTicks.push_back(0);
        return;
    }
    const ThunkSpec spec{in, out};
    failure.apply = id;
    failure.inputs = inputsOf(id, Known::Given);
    const std::uint64_t before = ticks();
    std::unique_ptr<Thunk> thunk;
    try {
        thunk = node.op->prepare(spec);
    } catch (const UserError &) {
        if (m_stage.branchAt(m_work.thunks.size()) == kAlways) throw;
        thunk = std::make_unique<FailingThunk>(std::current_exception());
    }
    if (!thunk && node.op->worksOnValues())
        thunk = valueThunk([&nested, id](std::span<const Value> i, std::span<Value> o) { nested(id, i, o); }, spec, node.op->name());
    const bool isOfHost = !thunk || !node.op->isCompiled();
    if (!thunk) thunk = performThunk(node.op, spec);
    std::vector<SlotOperand> operands = in;
    operands.insert(operands.end(), out.begin(), out.end());
    thunk = named(std::move(thunk), operands, isOfHost, m_work.thunks.size());
    m_work.prepareTicks.push_back(ticks() - before);
    m_tiers.push_back(thunk->callsLibrary() ? Tier::Library : node.op->isOnDevice() ? Tier::Compiled : Tier::Interpreter);
    m_work.thunks.push_back(std::move(thunk));
}

// A script's own op may use a device by itself, whatever it reads.
std::unique_ptr<Thunk> Plan::named(std::unique_ptr<Thunk> thunk, std::span<const SlotOperand> operands, bool isOfHost,
                                   std::size_t position) const
{
    const auto there = std::find_if(operands.begin(), operands.end(), [](const SlotOperand &one) { return one.device != DeviceId::Host; });
    DeviceStream *const stream = there == operands.end() ? nullptr : &deviceOf(there->device).stream();
    if (!stream && !(isOfHost && hasDevices())) return thunk;
    const std::string range = namesRanges() ? m_graph.apply(m_stage.order[position]).op->name() : std::string();
    return std::make_unique<NamedThunk>(std::move(thunk), stream, m_work.firstTag + position, range);
}

void Plan::formPasses()
{
    m_work.passOf.assign(m_work.thunks.size(), -1);
    std::vector<const OrderedGroup *> groupAt(m_work.thunks.size());
    for (const OrderedGroup &group : m_stage.groups) groupAt[group.first] = &group;
    std::uint32_t position = 0;
    while (position < m_work.thunks.size()) {
        const std::size_t count = groupAt[position] ? groupAt[position]->count : 1;
        if (auto pass = groupedWork(position, count)) {
            m_work.list.push_back({position, pass.get(), static_cast<std::uint32_t>(count)});
            for (std::size_t i = 0; i < count && count > 1; ++i) m_work.passOf[position + i] = static_cast<int>(m_work.passes.size());
            m_work.passes.push_back(std::move(pass));
            position += static_cast<std::uint32_t>(count);
            continue;
        }
        if (m_work.thunks[position]) m_work.list.push_back({position, nullptr, 1});
        ++position;
    }
}

} // namespace engine
