#include "engine/rewrite/execution/device_scan.h"

#include "engine/graph/ir/clone.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/shape.h"
#include "engine/ops/shapes/transfer.h"

#include <algorithm>

namespace engine {

std::string problemOfTypes(const Op &op, std::span<const Type> inputs, std::span<const Type> outputs, bool hasDoubles)
{
    for (const auto &types : {inputs, outputs})
        for (const Type &type : types) {
            if (!type.isTensor()) return "an operand is no array";
            if (isComplex(type.dtype())) return "devices have no complex numbers";
            if (type.dtype() == DType::Float64 && !hasDoubles) return "the device has no double precision";
        }
    return op.whyNotOnDevice(inputs, outputs);
}

LoopOnDevice::LoopOnDevice(const Scan &loop, DeviceId device, bool hasDoubles)
    : m_loop(loop), m_device(device), m_hasDoubles(hasDoubles), m_isThere(loop.outerInputs(), false)
{
    bool isAnyArray = false;
    for (std::size_t i = 0; i < loop.innerInputs(); ++i) {
        if (i >= loop.innerShared(0) && i < loop.innerNonSequence(0)) continue; // handed from step to step by the host
        const Type type = loop.inner()->inputs[i]->type();
        if (!type.isTensor() || !isFloat(type.dtype())) continue;
        m_isThere[loop.sourceOf(i).outer] = true;
        isAnyArray |= type.rank() > 0;
    }
    if (!isAnyArray) {
        m_whyNot = "its steps work on single numbers";
        return;
    }
    // A state that steps make there stays there.
    for (bool changed = true; changed && m_whyNot.empty();) {
        changed = false;
        follow();
        for (const ScanState &state : loop.states())
            for (std::size_t k = 0; k < state.out.size(); ++k)
                if (!m_isThere[state.outerInput] && isThere(loop.inner()->outputs[state.firstResult + k]))
                    m_isThere[state.outerInput] = changed = true;
    }
}

bool LoopOnDevice::isThere(const VarRef &v) const { return std::binary_search(m_made.begin(), m_made.end(), v.get()); }

void LoopOnDevice::add(const Variable *v) { m_made.insert(std::upper_bound(m_made.begin(), m_made.end(), v), v); }

void LoopOnDevice::follow()
{
    const InnerGraph &body = *m_loop.inner();
    m_made.clear();
    for (std::size_t i = 0; i < body.inputs.size(); ++i)
        if (m_isThere[m_loop.sourceOf(i).outer]) m_made.push_back(body.inputs[i].get());
    std::sort(m_made.begin(), m_made.end());
    for (Apply *apply : toposort(body.outputs, body.inputs)) {
        const Op &op = apply->op();
        if (opCast<Shape>(&op) || opCast<Shape_i>(&op)) continue;   // sizes are the host's
        if (opCast<GpuFromHost>(&op) || opCast<HostFromGpu>(&op)) { // there and back: nothing is left of it where all is there
            if (isThere(apply->input(0)) || isOnDevice(apply->input(0)->type())) add(apply->output(0));
            continue;
        }
        const OpRef form = op.hasDeviceForm() ? op.on(m_device) : OpRef(&op);
        bool isAnyOnDevice = false;
        std::vector<Type> inputs, outputs;
        for (std::size_t i = 0; i < apply->inputs().size(); ++i) {
            const VarRef &input = apply->inputs()[i];
            inputs.push_back(input->type());
            const Value *const constant = input->kind() == Variable::Kind::Constant ? &input->value() : nullptr;
            isAnyOnDevice |= isThere(input) && !form->readsInputOnHost(i, {input->type(), constant});
        }
        for (int o = 0; o < apply->outputCount(); ++o) outputs.push_back(apply->output(o)->type());
        if (!isAnyOnDevice) continue;
        const std::string why =
            op.hasDeviceForm() ? problemOfTypes(op, inputs, outputs, m_hasDoubles) : std::string("devices have no form of this op");
        if (!why.empty()) {
            m_whyNot = "its steps do " + op.friendlyName() + ", and " + why;
            return;
        }
        for (int o = 0; o < apply->outputCount(); ++o) add(apply->output(o));
    }
}

// Steps are given arrays of the device, and what they computed on the host is computed on copies: those go when the body is compiled.
OpRef LoopOnDevice::op() const
{
    const InnerGraph &body = *m_loop.inner();
    InnerGraph there;
    std::vector<VarRef> from, to;
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        const VarRef &input = body.inputs[i];
        const bool moves = m_isThere[m_loop.sourceOf(i).outer];
        const Type type = moves ? input->type().on(m_device) : input->type();
        there.inputs.push_back(Variable::input(type, input->name()));
        from.push_back(input);
        to.push_back(moves ? transfer(there.inputs.back(), DeviceId::Host) : there.inputs.back());
    }
    there.outputs = substitute(body.outputs, from, to);
    for (const ScanState &state : m_loop.states())
        for (std::size_t k = 0; k < state.out.size(); ++k)
            if (VarRef &out = there.outputs[state.firstResult + k]; m_isThere[state.outerInput]) out = transfer(out, m_device);
    for (std::size_t i = 0; i < m_loop.info().nitSot; ++i)
        if (const std::size_t at = m_loop.nitResult(i); isThere(body.outputs[at]))
            there.outputs[at] = transfer(there.outputs[at], m_device);
    return scanOp(m_loop.info(), std::move(there));
}

} // namespace engine
