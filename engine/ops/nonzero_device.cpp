// Where a mask is set, on a device: parts of it are counted, then each writes its places behind those of the parts before.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/index_advanced.h"
#include "engine/runtime/device_order.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace engine {
namespace {

class PlacesOfMask final : public Thunk {
public:
    PlacesOfMask(const ThunkSpec &spec, const std::string &name) : m_mask(spec.inputs[0], spec.inputs[0].shape, name)
    {
        const Dims &shape = spec.inputs[0].shape;
        const std::int64_t all = shape.product(), count = spec.outputs[0].shape[0];
        for (const SlotOperand &out : spec.outputs) m_places.push_back(out.slot);
        m_isEmpty = count == 0;
        if (all == 0) return;
        Device &device = deviceOf(spec.inputs[0].device);
        const Dialect dialect = device.info().dialect;
        const std::int64_t least = isOfCards(dialect) ? 256 : 16384, most = isOfCards(dialect) ? 16384 : 64;
        const std::int64_t parts = std::clamp<std::int64_t>(all / least, 1, most), share = (all + parts - 1) / parts;
        m_counts.emplace(device.id(), DType::Int64, Dims{parts});
        const std::string stretch = "        const i64 begin = i * share, end = begin + share < all ? begin + share : all;\n";
        std::vector<KernelParameter> parameters{{"mask", "const unsigned char"}, {"counts", "i64"}, {"share", ""}, {"all", ""}};
        m_count.emplace(
            device,
            KernelSource{name,
                         kernelUnit(dialect, parameters,
                                    stretch + "        i64 count = 0;\n        for (i64 j = begin; j < end; ++j) count += mask[j] != 0;\n"
                                              "        counts[i] = count;\n"),
                         {}},
            std::vector<std::int64_t>{share, all}, parts, share);
        m_before.emplace(device, 1, 1, parts, name);
        std::vector<std::int64_t> numbers{share, all, count};
        std::string writes;
        std::int64_t step = 1;
        for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) {
            const std::string n = std::to_string(axis);
            writes += " y" + n + "[to] = j / s" + n + " % n" + n + ";";
            numbers.push_back(step);
            numbers.push_back(shape[axis]);
        }
        parameters.resize(2);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) parameters.push_back({"y" + std::to_string(axis), "i64"});
        for (const char *number : {"share", "all", "count"}) parameters.push_back({number, ""});
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            parameters.push_back({"s" + std::to_string(axis), ""});
            parameters.push_back({"n" + std::to_string(axis), ""});
        }
        m_put.emplace(device,
                      KernelSource{name,
                                   kernelUnit(dialect, parameters,
                                              stretch +
                                                  "        i64 to = counts[i];\n        for (i64 j = begin; j < end && to < count; ++j)\n"
                                                  "            if (mask[j]) {" +
                                                  writes + " ++to; }\n"),
                                   {}},
                      numbers, parts, share);
    }
    void run(Slots slots) override
    {
        if (m_isEmpty) return;
        m_arrays = {m_mask.data(slots), m_counts->data()};
        m_count->run(m_arrays);
        m_before->run(m_counts->data());
        for (Slot place : m_places) m_arrays.push_back(slots[place]);
        m_put->run(m_arrays);
    }

private:
    DenseArray m_mask;
    std::vector<Slot> m_places;
    bool m_isEmpty;
    std::optional<DeviceScratch> m_counts;
    std::optional<DevicePrefix> m_before;
    std::optional<DeviceLaunch> m_count, m_put;
    std::vector<void *> m_arrays;
};

} // namespace

bool Nonzero::readsOnHost(std::size_t input, const Operand &) const { return input == 1; }

std::string Nonzero::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return inputs[0].dtype() == DType::Bool ? std::string() : "devices look for what is set in masks of bool only";
}

std::unique_ptr<Thunk> Nonzero::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<PlacesOfMask>(spec, name()) : nullptr;
}

} // namespace engine
