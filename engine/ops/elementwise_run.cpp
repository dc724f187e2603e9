#include "engine/ops/elementwise.h"

#include "engine/runtime/device_elementwise_thunk.h"
#include "engine/runtime/elementwise_thunk.h"

namespace engine {

std::unique_ptr<Thunk> Elemwise::prepare(const ThunkSpec &spec) const
{
    if (spec.outputs[0].device != DeviceId::Host) return deviceElementwiseThunk(m_scalar, spec, name());
    return elementwiseThunk(m_scalar, spec);
}

void Elemwise::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) {
        const Dims shape = broadcastShape(operandsOf(args.inputs, 0));
        for (std::size_t o = 0; o < args.outputs.size(); ++o)
            if (!args.outputs[o].data) args.allocate(static_cast<int>(o), shape);
    }
    performThroughThunk(args, [&](const ThunkSpec &spec) { return elementwiseThunk(m_scalar, spec); });
}

} // namespace engine
