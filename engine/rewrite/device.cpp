// Work goes to the device that was chosen: transfers are placed, ops get their forms for devices, what goes there and back is cut.
#include "engine/device/device.h"
#include "engine/ops/alloc.h"
#include "engine/ops/shape.h"
#include "engine/ops/transfer.h"
#include "engine/rewrite/build.h"
#include "engine/rewrite/driver.h"

#include <algorithm>

namespace engine {
namespace {

/// The array of a device that `v` was fetched from.
std::optional<VarHandle> fetchedFrom(VarHandle v)
{
    const auto fetch = madeBy<HostFromGpu>(v);
    return fetch ? std::optional(fetch->input(0)) : std::nullopt;
}

/// Which applies go to the device, and why the others do not.
class Placement {
public:
    Placement(const FunctionGraph &graph, Device &device) : m_graph(graph), m_device(device), m_goes(graph.applyCount())
    {
        const std::vector<Capability> &all = device.info().capabilities;
        m_hasDoubles = std::none_of(all.begin(), all.end(), [](const Capability &one) { return one.name == "float64" && !one.isThere; });
    }

    void decide(std::span<const ApplyId> order)
    {
        for (ApplyId id : order) m_goes[raw(id)] = whyNot(id).empty();
        // What makes an array from nothing goes where it is read.
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (!m_goes[raw(*id)] && isRecipe(*id)) m_goes[raw(*id)] = isReadThere(*id);
    }
    bool goes(ApplyId id) const { return m_goes[raw(id)]; }

    /// Why the device cannot or should not do it; empty: it should.
    std::string whyNot(ApplyId id) const
    {
        const NodeHandle node(m_graph, id);
        const Op &op = *node.op();
        if (op.isOnDevice()) return "it is there already";
        if (!op.hasDeviceForm()) return "devices have no form of this op";
        if (!op.destroyMap().empty()) return "it overwrites an array of the host";
        if (const std::string reason = problemOfTypes(node); !reason.empty()) return reason;
        const OpRef form = op.on(m_device.id());
        bool isAnyThere = false;
        for (std::size_t i = 0; i < node.inputCount(); ++i)
            isAnyThere = isAnyThere || (!form->readsOnHost(i, operandOf(node.input(i))) && isThere(node.input(i)));
        return isAnyThere ? std::string() : "none of its arrays is on the device";
    }

    static Operand operandOf(VarHandle v) { return {v.type(), v.constant()}; }

private:
    std::string problemOfTypes(const NodeHandle &node) const
    {
        std::vector<Type> inputs, outputs;
        for (const VarHandle &input : node.inputs()) inputs.push_back(input.type());
        for (std::size_t o = 0; o < node.outputCount(); ++o) outputs.push_back(node.output(o).type());
        for (const auto &types : {inputs, outputs})
            for (const Type &type : types) {
                if (!type.isTensor()) return "an operand is no array";
                if (isComplex(type.dtype())) return "devices have no complex numbers";
                if (type.dtype() == DType::Float64 && !m_hasDoubles) return "the device has no double precision";
            }
        return node.op()->whyNotOnDevice(inputs, outputs);
    }

    /// Floats that come from outside are sent there; of what the host computes only what somebody else sends.
    bool isThere(VarHandle v) const
    {
        if (isOnDevice(v.type()) || fetchedFrom(v)) return true;
        const ApplyId owner = ownerOf(v);
        if (owner != kNoApply) return m_goes[raw(owner)];
        return !v.isConstant() && v.rank() > 0 && isFloat(v.dtype());
    }

    bool isRecipe(ApplyId id) const
    {
        const NodeHandle node(m_graph, id);
        return (node.opAs<Alloc>() || node.opAs<AllocEmpty>()) && problemOfTypes(node).empty();
    }
    bool isReadThere(ApplyId id) const
    {
        for (const Client &client : NodeHandle(m_graph, id).output().clients())
            if (!client.isGraphOutput() && (m_goes[raw(client.apply)] || opCast<GpuFromHost>(m_graph.apply(client.apply).op))) return true;
        return false;
    }

    const FunctionGraph &m_graph;
    Device &m_device;
    std::vector<bool> m_goes; // by apply
    bool m_hasDoubles = true;
};

VarHandle sentTo(Editor &edit, VarHandle v, DeviceId device)
{
    if (v.type().device() == device) return v;
    if (const auto there = fetchedFrom(v); there && there->type().device() == device) return *there;
    return edit.make(makeOp<GpuFromHost>(device), {v});
}

RewriteResult moveThere(Editor &edit, ApplyId id, DeviceId device)
{
    const NodeHandle node = edit.node(id);
    const OpRef form = node.op()->on(device);
    std::vector<VarHandle> inputs;
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        inputs.push_back(form->readsOnHost(i, Placement::operandOf(node.input(i))) ? node.input(i) : sentTo(edit, node.input(i), device));
    const NodeHandle made = edit.apply(form, inputs);
    for (std::size_t o = 0; o < made.outputCount(); ++o)
        edit.replace(edit.node(id).output(o), edit.make(makeOp<HostFromGpu>(), {made.output(o)}), FateKind::Moved);
    return replaced("its arrays are on the device");
}

bool needsNoPlace(const Op &op) { return op.takesDeviceArrays() || op.worksOnValues(); }

REWRITE(GraphToGPU, Phase::Device)
    .why("the device that was chosen does what it can; the host sends and fetches arrays where work of both meets")
    .hurts("small arrays take longer to send than to compute with")
    .pass("gpuarray_opt")
    .example("x: fvector; exp(x)", "x: fvector; host_from_gpu(exp(gpu_from_host(x)))")
    .nearMiss("x: lvector; x + x")
    .fastCompile()
    .tag("gpuarray")
    .tag("gpu_opt")
    .whole([](WholeRun &run) {
        const DeviceId device = run.optimizer().device;
        if (device == DeviceId::Host) return;
        const FunctionGraph &graph = run.graph();
        const std::vector<ApplyId> order = run.order();
        Placement placement(graph, deviceOf(device));
        placement.decide(order);
        for (ApplyId id : order) {
            if (!placement.goes(id)) continue;
            run.step(id, [&](Editor &edit) { return moveThere(edit, id, device); });
        }
        for (ApplyId id : order)
            if (!placement.goes(id) && graph.apply(id).live && !needsNoPlace(*graph.apply(id).op))
                run.decline(id, internText("it stays on the CPU because " + placement.whyNot(id)));
    });

REWRITE(local_cut_gpu_transfers, Phase::Device)
    .why("what comes from the device and goes there again need not leave it")
    .pass("gpuarray_cut_transfers")
    .example("x: fvector; y = exp(gpu_from_host(x)); host_from_gpu(neg(gpu_from_host(host_from_gpu(y))))",
             "x: fvector; y = exp(gpu_from_host(x)); host_from_gpu(neg(y))")
    .example("x: fvector; exp(host_from_gpu(gpu_from_host(x)))", "x: fvector; exp(x)")
    .nearMiss("x: fvector; host_from_gpu(exp(gpu_from_host(x)))")
    .also({Phase::Canonicalize})
    .fastCompile()
    .tag("gpuarray")
    .tag("local_cut_gpu_host_gpu")
    .tag("cut_gpu_host_transfers")
    .match<GpuFromHost, HostFromGpu>([](const NodeHandle &node, Editor &edit) {
        const VarHandle v = node.input(0);
        if (node.opAs<HostFromGpu>()) {
            const auto sent = madeBy<GpuFromHost>(v);
            if (!sent) return declined("it fetches what the device made");
            return become(edit, node, sent->input(0));
        }
        const auto there = fetchedFrom(v);
        if (!there) return declined("it sends what the host made", ownerOf(v));
        if (there->type().device() != node.output().type().device()) return declined("the array is on another device", ownerOf(v));
        edit.replace(node.output(), *there);
        return replaced();
    });

REWRITE(local_gpua_shape, Phase::Device)
    .why("a size is known without fetching the array")
    .pass("gpuarray_cut_transfers")
    .example("x: fvector; shape(host_from_gpu(exp(gpu_from_host(x))))", "x: fvector; shape(exp(gpu_from_host(x)))")
    .nearMiss("x: fvector; shape(x)")
    .also({Phase::Canonicalize})
    .fastCompile()
    .tag("gpuarray")
    .match<Shape, Shape_i>([](const NodeHandle &node, Editor &edit) {
        const auto there = fetchedFrom(node.input(0));
        if (!there) return declined("the array is on the host");
        edit.replace(node.output(), edit.make(node.op(), {*there}));
        return replaced();
    });

REWRITE(local_cut_gpua_constant_transfers, Phase::Device)
    .why("a constant is sent once, not with every call")
    .pass("gpuarray_cut_transfers")
    .example("x: fvector; host_from_gpu(gpu_from_host(x) + gpu_from_host(constant([1, 2, 3], float32)))",
             "x: fvector; host_from_gpu(gpu_from_host(x) + on_device(constant([1, 2, 3], float32)))")
    .nearMiss("x: fvector; host_from_gpu(exp(gpu_from_host(x)))")
    .fastCompile()
    .tag("gpuarray")
    .match<GpuFromHost>([](const NodeHandle &node, Editor &edit) {
        const Value *const value = node.input(0).constant();
        if (!value) return declined("what it sends is no constant");
        const Type type = node.output().type();
        edit.replace(node.output(), edit.constant(Value(onDevice(value->tensor(), type.device())), type, node.input(0).name()));
        return replaced();
    });

} // namespace
} // namespace engine
