#include "engine/runtime/thunks/operand_thunks.h"

#include "engine/device/device.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/foreign_storage.h"

#include <utility>
#include <vector>

namespace engine {
namespace {

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

    void run(Slots slots) override
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

/// Memory of the plan that runs: it outlives the values that are shown of it.
class PlannedMemory final : public ForeignStorage {
public:
    PlannedMemory(void *data, std::size_t bytes, DeviceId device) : ForeignStorage(data, bytes, device) {}
    bool isWritable() const override { return true; }

protected:
    void dispose() override { delete this; }
};

Value valueOf(const SlotOperand &operand, void *data)
{
    StorageRef storage;
    if (operand.device != DeviceId::Host)
        storage =
            StorageRef(new PlannedMemory(data, static_cast<std::size_t>(operand.shape.product()) * sizeOf(operand.dtype), operand.device));
    return Value(Tensor(operand.dtype, operand.shape, operand.strides, data, std::move(storage)));
}

class ValueThunk final : public Thunk {
public:
    ValueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec, std::string name)
        : m_body(std::move(body)), m_inputs(spec.inputs.begin(), spec.inputs.end()), m_outputs(spec.outputs.begin(), spec.outputs.end()),
          m_name(std::move(name))
    {}

    void run(Slots slots) override
    {
        std::vector<Value> in, out;
        for (const SlotOperand &o : m_inputs) in.push_back(valueOf(o, slots[o.slot]));
        // Whoever can writes there at once.
        for (const SlotOperand &o : m_outputs) out.push_back(valueOf(o, slots[o.slot]));
        m_body(in, out);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const SlotOperand &o = m_outputs[i];
            const Tensor &made = out[i].tensor();
            if (!out[i].isTensor() || made.dtype() != o.dtype || !(made.shape() == o.shape))
                throw UserError(
                    m_name + " returned " +
                    (out[i].isTensor() ? std::string(nameOf(made.dtype())) + " of shape " + made.shape().text() : std::string("no array")) +
                    " for output " + std::to_string(i) + ", but its type and shape rules promise " + std::string(nameOf(o.dtype)) +
                    " of shape " + o.shape.text());
            if (made.data() == slots[o.slot] && made.strides() == o.strides) continue;
            if (o.device != DeviceId::Host) {
                const Tensor dense = made.isContiguous() ? made : copyOf(made, o.device);
                deviceOf(o.device).stream().copyWithin(slots[o.slot], dense.data(), dense.bytes());
                continue;
            }
            copyConverted(made.view(), View{slots[o.slot], o.dtype, o.shape.rank(), o.shape.data(), o.strides.data()});
        }
    }

private:
    std::function<void(std::span<const Value>, std::span<Value>)> m_body;
    std::vector<SlotOperand> m_inputs, m_outputs;
    std::string m_name;
};

} // namespace

std::unique_ptr<Thunk> performThunk(const OpRef &op, const ThunkSpec &spec)
{
    if (op->isOnDevice()) throw InternalError(op->name() + " has no kernel for operands of that kind");
    return std::make_unique<PerformThunk>(op, spec);
}

std::unique_ptr<Thunk> valueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec,
                                  std::string opName)
{
    return std::make_unique<ValueThunk>(std::move(body), spec, std::move(opName));
}

} // namespace engine
