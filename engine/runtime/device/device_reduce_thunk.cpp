#include "engine/runtime/device/device_reduce_thunk.h"

#include "engine/codegen/device_reduction.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/runtime/thunks/reduce_thunk.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/loop_layout.h"

#include <algorithm>
#include <cstdlib>

namespace engine {
namespace {

constexpr std::int64_t kItems = std::int64_t(1) << 18; // keep a big device busy
constexpr std::int64_t kLeastElements = 32;            // of a part: fewer are not worth an item

// Results with many elements each are combined in parts by as many items, then the parts, until there is one. What is combined with what
// depends on the sizes alone.
class DeviceReduceThunk final : public Thunk {
public:
    DeviceReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                      const ThunkSpec &spec, const std::string &name)
        : m_device(deviceOf(spec.outputs[0].device)), m_given(spec.inputs), m_output(spec.outputs[0].slot), m_name(name)
    {
        const RtKind kind = accumulatorKind(reduce, accumulator);
        m_reduction.reduce = reduce;
        m_reduction.accumulator = kind == RT_BOOL ? DType::Bool : accumulator;
        writeIdentity(reduce, kind, m_identity);
        m_reduction.identity = m_identity;
        m_reduction.inputs = dtypesOf(spec.inputs);
        for (const SlotOperand &input : spec.inputs) {
            m_isNumber.push_back(isGivenNumber(input));
            if (!m_isNumber.back()) m_inputs.push_back(input.slot);
        }
        const ScalarProgram program(function ? function : scalarOp(ScalarCode::Identity), m_reduction.inputs, {&element, 1});
        checkDeviceProgram(program, m_device, name);

        const Dims shape = broadcastShape(spec.inputs);
        const auto isReduced = [&](int axis) { return std::binary_search(axes.begin(), axes.end(), axis); };
        const LoopLayout kept = layoutOf(
            spec, shape, [&](int axis) { return !isReduced(axis); }, true);
        LoopLayout gone = layoutOf(spec, shape, isReduced, false);
        if (gone.size() == 0) gone = {{0}, std::vector<Dims>(spec.inputs.size(), Dims{0})};
        m_results = kept.size();
        if (m_results == 0) return;
        const auto firstArray = static_cast<std::size_t>(std::ranges::find(m_isNumber, false) - m_isNumber.begin());
        const auto leastStep = [&](const LoopLayout &layout) { return std::llabs(layout.strides[firstArray][layout.shape.size() - 1]); };
        m_reduction.isAcross = !kept.shape.empty() && !gone.shape.empty() && leastStep(gone) > leastStep(kept);
        addPass(program, spec.outputs[0].dtype, kept, gone);
    }

    void run(Slots slots) override
    {
        for (std::size_t pass = 0; pass < m_passes.size(); ++pass) {
            m_arrays.clear();
            if (pass) m_arrays.push_back(m_parts[pass - 1].data());
            else
                for (const Slot slot : m_inputs) m_arrays.push_back(slots[slot]);
            m_arrays.push_back(pass < m_parts.size() ? m_parts[pass].data() : slots[m_output]);
            m_passes[pass].run(m_arrays, pass ? std::span<const std::int64_t>() : m_given.read(slots));
        }
    }

private:
    // Of the inputs, or with the output at the end, along some of the axes.
    template <class IsOne>
    static LoopLayout layoutOf(const ThunkSpec &spec, const Dims &shape, IsOne isOne, bool withOutput)
    {
        Dims sizes;
        std::vector<Dims> strides(spec.inputs.size());
        for (int axis = 0; axis < shape.rank(); ++axis)
            if (isOne(axis)) sizes.push_back(shape[axis]);
        for (std::size_t k = 0; k < strides.size(); ++k) {
            const Dims steps = stridesWithin(spec.inputs[k], shape);
            for (int axis = 0; axis < shape.rank(); ++axis)
                if (isOne(axis)) strides[k].push_back(steps[axis]);
        }
        if (withOutput) {
            ENGINE_ASSERT(spec.outputs[0].shape == sizes &&
                              spec.outputs[0].strides == contiguousStrides(sizes, sizeOf(spec.outputs[0].dtype)),
                          "the result of a reduction is not as it should be");
            strides.push_back(spec.outputs[0].strides);
        }
        return collapseLoops(sizes, strides, withOutput ? strides.size() - 1 : 0);
    }

    void addPass(const ScalarProgram &program, DType result, const LoopLayout &kept, const LoopLayout &gone)
    {
        const std::int64_t elements = gone.size();
        const KernelTarget target(m_device);
        const DType part = nativeDType(registerKind(m_reduction.accumulator));
        DeviceReduction reduction = m_reduction;
        reduction.resultAxes = kept.shape.size();
        reduction.elementAxes = gone.shape.size();
        reduction.isSmall = target.hasManyItems() && m_results * elements <= INT32_MAX;
        const Dims &inner = reduction.isAcross ? kept.shape : gone.shape;
        const bool isFirst = m_passes.empty();
        std::vector<std::int64_t> numbers(isFirst ? m_given.count() : 0), steps;
        for (std::size_t k = 0; k < reduction.inputs.size(); ++k) {
            if (isFirst && m_isNumber[k]) {
                reduction.access.push_back(DeviceAccess::Number);
                continue;
            }
            if (isSingle(kept.strides[k]) && isSingle(gone.strides[k])) {
                reduction.access.push_back(DeviceAccess::Single);
                continue;
            }
            const Dims &strides = reduction.isAcross ? kept.strides[k] : gone.strides[k];
            reduction.access.push_back(inner.empty() ? DeviceAccess::Strided
                                                     : stridedAccess(strides, inner.size() - 1, reduction.inputs[k], target));
            appendSteps(steps, kept.strides[k], reduction.inputs[k]);
            appendSteps(steps, gone.strides[k], reduction.inputs[k]);
        }
        for (const LoopLayout *layout : {&kept, &gone})
            for (std::size_t axis = 1; axis < layout->shape.size() && !steps.empty(); ++axis) numbers.push_back(layout->shape[axis]);
        numbers.insert(numbers.end(), steps.begin(), steps.end());
        const bool isInStrips = takesStrips(reduction, target);
        const std::int64_t width = isInStrips && reduction.isAcross ? kept.shape[kept.shape.size() - 1] : m_results;
        const std::int64_t strip = isInStrips && reduction.isAcross ? kLanesAcross : 1;
        const std::int64_t strips = (width + strip - 1) / strip * (m_results / width);
        const std::int64_t parts = partsOf(isInStrips, elements, strips, strip, width, gone);
        reduction.result = parts > 1 ? part : result;
        numbers.insert(numbers.end(), {elements, parts});
        if (isInStrips) numbers.insert(numbers.end(), {width, m_results});
        ir::Kernel kernel = deviceReduction(program, reduction, target, m_name);
        kernel.values = std::move(numbers);
        m_passes.emplace_back(m_device, kernel, strips * parts, elements * std::min(strip, width) / parts);
        if (parts == 1) return;
        m_parts.push_back(emptyOn(m_device.id(), part, {m_results * parts}));
        m_reduction.inputs = {part};
        const auto step = static_cast<std::int64_t>(sizeOf(part));
        const bool isAcross = m_reduction.isAcross;
        addPass(ScalarProgram(scalarOp(ScalarCode::Identity), {&part, 1}, {&part, 1}), result,
                collapseLoops(Dims{m_results}, std::vector{Dims{isAcross ? step : step * parts}}, 0),
                collapseLoops(Dims{parts}, std::vector{Dims{isAcross ? step * m_results : step}}, 0));
    }

    static std::int64_t partsOf(bool isInStrips, std::int64_t elements, std::int64_t strips, std::int64_t strip, std::int64_t width,
                                const LoopLayout &gone)
    {
        std::int64_t parts = std::min(elements / kLeastElements, kItems / strips);
        if (isInStrips) parts = std::min(elements * std::min(strip, width) / KernelTarget::kLeastStrip, KernelTarget::kStrips / strips);
        // Rows of several axes are not torn apart.
        if (isInStrips && strip == 1 && gone.shape.size() > 1) parts = std::min(parts, elements / gone.shape[gone.shape.size() - 1]);
        return std::max<std::int64_t>(parts, 1);
    }

    Device &m_device;
    GivenNumbers m_given;
    std::vector<bool> m_isNumber; // of the inputs
    std::vector<Slot> m_inputs;   // those that are arrays
    Slot m_output;
    std::string m_name;
    alignas(16) std::byte m_identity[16] = {};
    DeviceReduction m_reduction; // of all passes
    std::int64_t m_results = 0;
    std::vector<DeviceLaunch> m_passes;
    std::vector<Tensor> m_parts; // of all passes but the last
    std::vector<void *> m_arrays;
};

} // namespace

std::unique_ptr<Thunk> deviceReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                         const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<DeviceReduceThunk>(function, element, reduce, axes, accumulator, spec, name);
}

} // namespace engine
