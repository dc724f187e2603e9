// Work goes to the device that was chosen: transfers are placed, ops get their forms for devices, what goes there and back is cut.
#include "engine/device/device.h"
#include "engine/graph/op/op_card.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/shape.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/rewrite/execution/device_scan.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/driver.h"

#include <algorithm>

namespace engine {
namespace {

/// The array of a device that `v` was fetched from.
std::optional<VarHandle> fetchedFrom(VarHandle v)
{
    const auto fetch = madeBy<HostFromGpu>(v);
    return fetch ? std::optional(fetch->input(0)) : std::nullopt;
}

bool hasOneElement(Type type)
{
    for (int axis = 0; axis < type.rank(); ++axis)
        if (!type.isBroadcastable(axis)) return false;
    return true;
}

bool hasDoubles(DeviceId device)
{
    const std::vector<Capability> &all = deviceOf(device).info().capabilities;
    return std::none_of(all.begin(), all.end(), [](const Capability &one) { return one.name == "float64" && !one.isThere; });
}

/// Which applies go to which device, and why the others do not.
class Placement {
public:
    Placement(const FunctionGraph &graph, DeviceId device) : m_graph(graph), m_chosen(device), m_home(graph.applyCount(), DeviceId::Host) {}

    void decide(std::span<const ApplyId> order)
    {
        for (ApplyId id : order)
            if (whyNot(id).empty()) m_home[raw(id)] = homeOf(NodeHandle(m_graph, id));
        // What makes an array from nothing goes where it is read, and what makes something of it.
        for (ApplyId id : order) isRecipe(id);
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (!goes(*id) && isRecipe(*id)) m_home[raw(*id)] = whereItIsRead(*id);
    }
    bool goes(ApplyId id) const { return m_home[raw(id)] != DeviceId::Host; }
    DeviceId home(ApplyId id) const { return m_home[raw(id)]; }

    /// Why the device cannot or should not do it; empty: it should.
    std::string whyNot(ApplyId id) const
    {
        const NodeHandle node(m_graph, id);
        const Op &op = *node.op();
        if (const auto *loop = opCast<Scan>(node.op())) return whyNotLoop(node, *loop);
        if (op.isOnDevice()) return "it is there already";
        if (!op.hasDeviceForm())
            return op.isCompiled() ? "devices have no form of this op"
                                   : "it runs in the host language, which is handed arrays of a device by as_gpuarray_variable only";
        if (!op.destroyMap().empty()) return "it overwrites an array of the host";
        if (const std::string reason = problemOfTypes(node); !reason.empty()) return reason;
        return homeOf(node) == DeviceId::Host ? "none of its arrays is on the device" : std::string();
    }

private:
    std::string problemOfTypes(const NodeHandle &node) const
    {
        std::vector<Type> inputs, outputs;
        for (const VarHandle &input : node.inputs()) inputs.push_back(input.type());
        for (std::size_t o = 0; o < node.outputCount(); ++o) outputs.push_back(node.output(o).type());
        return engine::problemOfTypes(*node.op(), inputs, outputs, hasDoubles(m_chosen));
    }

    std::string whyNotLoop(const NodeHandle &node, const Scan &loop) const
    {
        if (loop.device() != DeviceId::Host) return "it is there already";
        if (!loop.destroyMap().empty()) return "it overwrites an array of the host";
        const LoopOnDevice there(loop, m_chosen, hasDoubles(m_chosen));
        if (!there.whyNot().empty()) return there.whyNot();
        return homeOf(node) == DeviceId::Host ? "none of its arrays is on the device" : std::string();
    }

    /// Where its arrays are: on the device where one lies already, else on the one that was chosen.
    DeviceId homeOf(const NodeHandle &node) const
    {
        const auto *loop = opCast<Scan>(node.op());
        const std::optional<LoopOnDevice> there =
            loop ? std::optional<LoopOnDevice>(std::in_place, *loop, m_chosen, hasDoubles(m_chosen)) : std::nullopt;
        const OpRef form = loop ? OpRef() : node.op()->on(m_chosen);
        DeviceId home = DeviceId::Host;
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
            const VarHandle input = node.input(i);
            const auto [device, isSettled] = whereIs(input);
            if (there ? !there->takes(i) : form->readsInputOnHost(i, {input.type().on(device), input.constant()})) continue;
            if (isSettled) return device;
            if (device != DeviceId::Host) home = device;
        }
        return home;
    }

    /// Floats that come from outside are sent there; of what the host computes only what somebody else sends.
    struct Whereabouts {
        DeviceId device;
        bool isSettled; ///< it lies there already, or is made there
    };
    Whereabouts whereIs(VarHandle v) const
    {
        if (isOnDevice(v.type())) return {v.type().device(), true};
        if (const auto there = fetchedFrom(v)) return {there->type().device(), true};
        const ApplyId owner = ownerOf(v);
        if (owner != kNoApply) return {m_home[raw(owner)], m_home[raw(owner)] != DeviceId::Host};
        const bool isSent = !v.isConstant() && v.rank() > 0 && isFloat(v.dtype());
        return {isSent ? m_chosen : DeviceId::Host, false};
    }

    bool isRecipe(ApplyId id)
    {
        enum : char { Unknown, No, Yes };
        m_recipes.resize(m_graph.applyCount(), Unknown);
        if (m_recipes[raw(id)] == Unknown) {
            const NodeHandle node(m_graph, id);
            const bool isFirst = node.op()->card().role == OpRole::Creation;
            m_recipes[raw(id)] = (isFirst || isOfRecipes(node)) && problemOfTypes(node).empty() ? Yes : No;
        }
        return m_recipes[raw(id)] == Yes;
    }
    /// Does it make something of such arrays, and of numbers, sizes and places beside them?
    bool isOfRecipes(const NodeHandle &node)
    {
        const Op &op = *node.op();
        if (opCast<Scan>(node.op()) || op.isOnDevice() || !op.hasDeviceForm() || !op.destroyMap().empty()) return false;
        const OpRef form = op.on(m_chosen);
        bool isAny = false;
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
            const VarHandle input = node.input(i);
            const bool isBeside = input.isConstant() || input.rank() == 0 || form->readsInputOnHost(i, {input.type(), nullptr});
            if (isBeside || form->readsInputOnHost(i, {input.type().on(m_chosen), nullptr})) continue;
            const ApplyId owner = ownerOf(input);
            if (owner == kNoApply || !isRecipe(owner)) return false;
            isAny = true;
        }
        return isAny;
    }
    DeviceId whereItIsRead(ApplyId id)
    {
        const NodeHandle node(m_graph, id);
        if (node.outputCount() != 1) return DeviceId::Host;
        const std::span<const Client> clients = node.output().clients();
        // The host reads numbers of its own sooner than it waits for those of a device.
        const bool isSmall = node.opAs<ARange>() || isOfRecipes(node);
        if (isSmall && !std::ranges::all_of(clients, [&](const Client &client) { return takesDeviceArray(client); })) return DeviceId::Host;
        for (const Client &client : clients) {
            if (client.isGraphOutput()) continue;
            if (goes(client.apply)) return m_home[raw(client.apply)];
            if (const auto *sends = opCast<GpuFromHost>(m_graph.apply(client.apply).op)) return sends->device();
        }
        return DeviceId::Host;
    }
    /// Does a client take it from the device, and not with others that lie on the host, where it would look at them together?
    bool takesDeviceArray(const Client &client) const
    {
        if (client.isGraphOutput()) return false;
        const NodeHandle node(m_graph, client.apply);
        if (node.opAs<GpuFromHost>()) return true;
        if (!goes(client.apply)) return false;
        if (const auto *loop = opCast<Scan>(node.op())) return LoopOnDevice(*loop, m_chosen, hasDoubles(m_chosen)).takes(client.port);
        const OpRef form = node.op()->on(home(client.apply));
        const auto isReadOnHost = [&](std::size_t port, Type type) {
            return form->readsInputOnHost(port, {type, node.input(port).constant()});
        };
        for (std::size_t i = 0; i < node.inputCount(); ++i) {
            const VarHandle input = node.input(i);
            const bool mayBeOnDevice = !isReadOnHost(i, input.type().on(home(client.apply)));
            if (i == client.port && !mayBeOnDevice) return false;
            if (node.opAs<Elemwise>() && hasOneElement(input.type())) continue; // a number, wherever it is
            const bool mayLieHere = isReadOnHost(i, input.type());
            if (i != client.port && mayLieHere && mayBeOnDevice && input.rank() > 0 && !input.isConstant() && !whereIs(input).isSettled)
                return false;
        }
        return true;
    }

    const FunctionGraph &m_graph;
    DeviceId m_chosen;
    std::vector<DeviceId> m_home; // by apply; Host: it stays
    std::vector<char> m_recipes;
};

/// As it is before it was fetched.
Operand operandOf(VarHandle v)
{
    const auto there = fetchedFrom(v);
    return {there ? there->type() : v.type(), v.constant()};
}

VarHandle sentTo(Editor &edit, VarHandle v, DeviceId device)
{
    if (v.type().device() == device) return v;
    if (const auto there = fetchedFrom(v); there && there->type().device() == device) return *there;
    return edit.make(makeOp<GpuFromHost>(device), {v});
}

/// Is an array only written to on the device: by products there that add nothing to what it holds? The host's read it in any case: a factor
/// of 0 keeps a nan.
bool isNeverRead(const FunctionGraph &graph, const Placement &placement, VarHandle v)
{
    return !v.isGraphOutput() && std::ranges::all_of(v.clients(), [&](const Client &client) {
        const NodeHandle product(graph, client.apply);
        if (client.port != 0 || !placement.goes(client.apply) || (!product.opAs<Gemv>() && !product.opAs<Gemm>())) return false;
        const Value *const factor = product.input(4).constant();
        return factor && factor->tensor().at(0) == 0;
    });
}

RewriteResult moveToDevice(Editor &edit, ApplyId id, const Placement &placement)
{
    const DeviceId device = placement.home(id);
    const NodeHandle node = edit.node(id);
    OpRef form;
    std::vector<VarHandle> inputs;
    if (const auto *loop = opCast<Scan>(node.op())) {
        const LoopOnDevice there(*loop, device, hasDoubles(device));
        form = there.op();
        for (std::size_t i = 0; i < node.inputCount(); ++i)
            inputs.push_back(there.takes(i) ? sentTo(edit, node.input(i), device) : node.input(i));
    } else if (node.opAs<Alloc>() && isNeverRead(edit.graph(), placement, node.output())) {
        form = makeOp<AllocEmpty>(node.output().dtype())->on(device);
        for (std::size_t i = 1; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    } else if (node.opAs<Nonzero>()) {
        // The host has to know how many there are before there is room for them.
        form = node.op()->on(device);
        const VarHandle mask = sentTo(edit, node.input(0), device);
        inputs = {mask, edit.make(makeOp<HostFromGpu>(), {edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::nullopt)->on(device), {mask})})};
    } else {
        form = node.op()->on(device);
        for (std::size_t i = 0; i < node.inputCount(); ++i)
            inputs.push_back(form->readsInputOnHost(i, operandOf(node.input(i))) ? node.input(i) : sentTo(edit, node.input(i), device));
    }
    const NodeHandle made = edit.apply(form, inputs);
    for (std::size_t o = 0; o < made.outputCount(); ++o) {
        const VarHandle result = made.output(o);
        edit.replace(edit.node(id).output(o), isOnDevice(result.type()) ? edit.make(makeOp<HostFromGpu>(), {result}) : result,
                     FateKind::Moved);
    }
    return replaced("its arrays are on the device");
}

/// Does it work there and fetch what lies beside its arrays, and may as well be read there?
bool mayBeReadOnDevice(const NodeHandle &node, std::size_t input)
{
    const Op &op = *node.op();
    const auto there = fetchedFrom(node.input(input));
    return op.isOnDevice() && there && there->type().device() == op.worksOn() &&
           op.readsInputOnHost(input, {node.input(input).type(), nullptr}) && !op.readsInputOnHost(input, {there->type(), nullptr});
}

RewriteResult readOnDevice(Editor &edit, ApplyId id)
{
    const NodeHandle node = edit.node(id);
    std::vector<VarHandle> inputs;
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        inputs.push_back(mayBeReadOnDevice(node, i) ? *fetchedFrom(node.input(i)) : node.input(i));
    const NodeHandle made = edit.apply(node.op(), inputs);
    for (std::size_t o = 0; o < made.outputCount(); ++o) edit.replace(edit.node(id).output(o), made.output(o));
    return replaced("what it reads is on the device");
}

bool needsNoPlace(const FunctionGraph &graph, const ApplyNode &node)
{
    const Op &op = *node.op;
    if (!op.isCompiled()) // one of a script's own says where it works by what it reads
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Use &use) { return isOnDevice(graph.var(use.var).type); });
    return op.takesDeviceArrays() || (op.worksOnValues() && !opCast<Scan>(&op));
}

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
        Placement placement(graph, device);
        placement.decide(order);
        for (ApplyId id : order) {
            if (placement.goes(id)) {
                run.step(id, [&](Editor &edit) { return moveToDevice(edit, id, placement); });
                continue;
            }
            if (!graph.apply(id).live) continue;
            const NodeHandle node(graph, id);
            bool isFar = false;
            for (std::size_t i = 0; i < node.inputCount(); ++i) isFar = isFar || mayBeReadOnDevice(node, i);
            if (isFar) run.step(id, [&](Editor &edit) { return readOnDevice(edit, id); });
        }
        for (ApplyId id : order)
            if (!placement.goes(id) && graph.apply(id).live && !needsNoPlace(graph, graph.apply(id)))
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
