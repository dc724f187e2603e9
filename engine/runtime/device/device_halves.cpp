#include "engine/runtime/device/device_halves.h"

#include "engine/runtime/device/device_windows.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace engine {
namespace {

bool isHalf(const SlotOperand &operand) { return operand.dtype == DType::Float16 && operand.device != DeviceId::Host; }

class SinglesThunk final : public Thunk {
public:
    SinglesThunk(const ThunkSpec &spec, const std::function<std::unique_ptr<Thunk>(const ThunkSpec &)> &prepare, const std::string &name)
    {
        std::vector<SlotOperand> inputs, outputs;
        for (const SlotOperand &input : spec.inputs) inputs.push_back(add(input, m_before, true, name));
        for (const SlotOperand &output : spec.outputs) outputs.push_back(add(output, m_after, false, name));
        // Work in place stays that where the array itself is worked on.
        for (std::size_t o = 0; o < outputs.size(); ++o)
            for (std::size_t i = 0; i < inputs.size() && !isHalf(spec.outputs[o]); ++i)
                if (spec.inputs[i].root != kNoSlot && spec.inputs[i].root == spec.outputs[o].root) inputs[i].root = outputs[o].root;
        m_work = prepare({inputs, outputs});
    }

    void run(Slots slots) override
    {
        for (std::size_t i = 0; i < m_given.size(); ++i)
            if (m_given[i] != kNoSlot) m_own[i] = slots[m_given[i]];
        for (const Copy &copy : m_before) copy.run(slots);
        m_work->run(m_own.data());
        for (const Copy &copy : m_after) copy.run(slots);
    }
    bool callsLibrary() const override { return m_work->callsLibrary(); }
    bool mayFind() const override { return m_work->mayFind(); }
    std::string note() const override { return "its float16 arrays are copied to float32 and back: devices compute it in float32 only"; }

private:
    struct Copy {
        Slot half;
        void *single;
        bool isIn;
        std::unique_ptr<Thunk> thunk; ///< null: there is no element
        void run(Slots slots) const
        {
            void *own[] = {slots[half], single};
            if (!isIn) std::swap(own[0], own[1]);
            if (thunk) thunk->run(own);
        }
    };

    SlotOperand add(const SlotOperand &operand, std::vector<Copy> &copies, bool isIn, const std::string &name)
    {
        const auto slot = static_cast<Slot>(m_own.size());
        SlotOperand result = operand;
        if (isHalf(operand)) {
            const DeviceScratch &scratch = m_scratch.emplace_back(operand.device, DType::Float32, operand.shape);
            result = scratch.in(slot);
            result.type = operand.type;
            SlotOperand half = operand;
            half.slot = isIn ? Slot{0} : Slot{1};
            half.type = Type(); // its sizes are what they are
            const DeviceWindow given{half}, single{scratch.in(isIn ? Slot{1} : Slot{0})};
            std::unique_ptr<Thunk> thunk;
            if (operand.shape.product() > 0) thunk = isIn ? copyThunk(given, single, name) : copyThunk(single, given, name);
            copies.push_back({operand.slot, scratch.data(), isIn, std::move(thunk)});
            m_given.push_back(kNoSlot);
            m_own.push_back(scratch.data());
        } else {
            result.slot = slot;
            m_given.push_back(operand.slot);
            m_own.push_back(nullptr);
        }
        result.root = slot;
        return result;
    }

    std::deque<DeviceScratch> m_scratch;
    std::vector<Slot> m_given; ///< whose memory is in that place of m_own; kNoSlot: that of a copy
    std::vector<void *> m_own;
    std::vector<Copy> m_before, m_after;
    std::unique_ptr<Thunk> m_work;
};

} // namespace

std::unique_ptr<Thunk> inSingles(const ThunkSpec &spec, const std::function<std::unique_ptr<Thunk>(const ThunkSpec &)> &prepare,
                                 const std::string &name)
{
    const auto hasHalves = [](std::span<const SlotOperand> all) { return std::any_of(all.begin(), all.end(), isHalf); };
    if (!hasHalves(spec.inputs) && !hasHalves(spec.outputs)) return prepare(spec);
    return std::make_unique<SinglesThunk>(spec, prepare, name);
}

} // namespace engine
