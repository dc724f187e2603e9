// Pooling on a device: an item has a window, or (for the gradient) a pixel and all windows that it is in.
#include "engine/codegen/ir/builder.h"
#include "engine/device/device.h"
#include "engine/ops/products/device_axes.h"
#include "engine/ops/products/pool_run.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <deque>
#include <limits>
#include <optional>

namespace engine {
namespace {

/// The kernel of one pass in one mode, for arrays of these dtypes: image, then what comes with it; the result.
class PoolKernel {
public:
    PoolKernel(const PoolInfo &info, std::span<const DType> arrays, DType result, const std::string &name)
        : m_info(info), m_work(isDiscrete(result)         ? DType::Int64
                               : result == DType::Float16 ? DType::Float32
                                                          : result),
          m_k(name)
    {
        for (const DType dtype : arrays) m_arrays.push_back(m_k.reads(std::string(1, static_cast<char>('a' + m_arrays.size())), dtype));
        m_made.emplace(m_k.writes("made", result));
        for (const char axis : imageAxes(info.axes)) {
            const auto number = [&](char letter) { return m_k.number({letter, axis}, 0); };
            m_axes.push_back({std::string(1, axis), number('I'), number('W'), number('S'), number('B'), number('O')});
        }
    }
    /// The numbers of the axes are still to be given: size, window, step, border and places of each.
    ir::Kernel finish()
    {
        (*m_made)[m_k.item()] = m_info.pass == PoolPass::Gradient ? pixel() : window();
        return m_k.finish();
    }

private:
    /// The part of the image that a window has along an axis, and how long it is with the border.
    struct Span {
        ir::Range range;
        ir::Value length;
    };

    bool isMax() const { return m_info.mode == PoolMode::Max; }
    ir::Value read(std::size_t array, const ir::Value &place) const { return ir::cast(m_work, m_arrays[array][place]); }
    static ir::Value placeOf(ir::Value place, std::span<const ir::Value> sizes, std::span<const ir::Value> at)
    {
        for (std::size_t a = 0; a < sizes.size(); ++a) place = place * sizes[a] + at[a];
        return place;
    }
    std::vector<Span> spans(std::span<const ir::Value> windows)
    {
        std::vector<Span> result;
        for (std::size_t a = 0; a < m_axes.size(); ++a) {
            const WindowAxis &axis = m_axes[a];
            const auto within = [&](const char *name, const ir::Value &at) {
                return m_k.let(name + axis.name, ir::select(at < 0, 0, ir::least(at, axis.size)));
            };
            const ir::Value begin = m_k.let("begin" + axis.name, windows[a] * axis.step),
                            last = m_k.let("last" + axis.name, ir::least(begin + axis.window, axis.size + 2 * axis.border));
            const ir::Range range{within("first", begin - axis.border), within("end", last - axis.border)};
            result.push_back({range, last - begin});
        }
        return result;
    }
    /// Among how many an average is shared.
    ir::Value share(std::span<const Span> spans)
    {
        ir::Value product = 1;
        for (const Span &one : spans)
            product = product * (m_info.mode == PoolMode::AverageWithBorder ? one.length : one.range.end - one.range.begin);
        return m_k.let("count", m_info.mode == PoolMode::Sum ? 1 : product);
    }

    // Forwards, and what stands where the largest are.
    ir::Value window()
    {
        const ir::Place rest = m_k.variable("r", m_k.item());
        const std::vector<Span> image = spans(m_k.coordinates(rest, namesOf(m_axes, "o"), valuesOf(m_axes, &WindowAxis::places)));
        std::vector<ir::Range> ranges;
        for (const Span &one : image) ranges.push_back(one.range);
        const bool isForward = m_info.pass == PoolPass::Forward;
        const ir::Value least = isFloat(m_work) ? ir::realNumber(m_work, -std::numeric_limits<double>::infinity()) : ir::Value(INT64_MIN);
        const ir::Place sum = m_k.variable("sum", m_work, isForward && isMax() ? least : 0);
        m_k.nest(namesOf(m_axes, ""), ranges, [&](std::span<const ir::Value> pixel) {
            const ir::Value at = m_k.let("at", placeOf(rest, valuesOf(m_axes, &WindowAxis::size), pixel)), v = m_k.let("v", read(0, at));
            if (!isForward) m_k.when(v == read(1, m_k.item()), [&] { sum += read(2, at); });
            else sum = isMax() ? ir::select(v > sum || v != v, v, sum) : sum + v;
        });
        if (isForward && !isMax() && m_info.mode != PoolMode::Sum) {
            const ir::Value count = share(image);
            m_k.when(count != 0, [&] { sum = sum / ir::cast(m_work, count); });
        }
        return sum;
    }

    ir::Value pixel()
    {
        const ir::Place rest = m_k.variable("r", m_k.item());
        const std::vector<ir::Value> at = m_k.coordinates(rest, namesOf(m_axes, ""), valuesOf(m_axes, &WindowAxis::size));
        std::vector<ir::Range> ranges;
        for (std::size_t a = 0; a < m_axes.size(); ++a) {
            const WindowAxis &axis = m_axes[a];
            const ir::Value place = m_k.let("at" + axis.name, at[a] + axis.border);
            const ir::Value early = m_k.let("early" + axis.name, place - axis.window + axis.step);
            ranges.push_back({m_k.let("from" + axis.name, ir::select(early < 0, 0, early / axis.step)),
                              m_k.let("to" + axis.name, ir::least(place / axis.step + 1, axis.places))});
        }
        const ir::Value v = isMax() ? m_k.let("v", read(0, m_k.item())) : 0;
        const ir::Place sum = m_k.variable("sum", m_work, 0);
        m_k.nest(namesOf(m_axes, "o"), ranges, [&](std::span<const ir::Value> windows) {
            const ir::Value window = m_k.let("at", placeOf(rest, valuesOf(m_axes, &WindowAxis::places), windows));
            if (isMax()) return m_k.when(v == read(1, window), [&] { sum += read(2, window); });
            const ir::Value count = share(spans(windows));
            m_k.when(count != 0, [&] { sum += read(1, window) / ir::cast(m_work, count); });
        });
        return sum;
    }

    PoolInfo m_info;
    DType m_work;
    ir::Builder m_k;
    std::vector<ir::Array> m_arrays;
    std::optional<ir::Array> m_made;
    std::vector<WindowAxis> m_axes;
};

/// Window, steps and border are looked at on the host with each run: mostly they are the same as ever.
class PoolOnDevice final : public Thunk {
public:
    PoolOnDevice(const PoolInfo &info, const ThunkSpec &spec, std::string symbol, const std::string &name)
        : m_info(info), m_device(deviceOf(spec.outputs[0].device)), m_symbol(std::move(symbol)), m_image(spec.inputs[0].shape),
          m_out(spec.outputs[0])
    {
        const auto arrays = static_cast<std::size_t>(info.arrays());
        std::vector<DType> dtypes;
        for (const SlotOperand &array : spec.inputs.first(arrays)) {
            m_arrays.emplace_back(array, array.shape, name);
            m_shapes.push_back(array.shape);
            dtypes.push_back(array.dtype);
        }
        m_sizes.assign(spec.inputs.begin() + static_cast<std::ptrdiff_t>(arrays), spec.inputs.end());
        m_kernel = PoolKernel(info, dtypes, m_out.dtype, name).finish();
    }

    void run(Slots slots) override
    {
        std::vector<View> sizes;
        for (const SlotOperand &one : m_sizes)
            sizes.push_back({slots[one.slot], one.dtype, one.shape.rank(), one.shape.data(), one.strides.data()});
        const PoolAxes axes = poolAxes(m_info, m_image, sizes, m_symbol);
        std::vector<std::int64_t> numbers;
        for (const char letter : imageAxes(m_info.axes)) {
            const PoolAxis &axis = axes[placeOfAxis(letter)];
            for (std::int64_t number : {axis.size, axis.window, axis.step, axis.border, axis.out}) numbers.push_back(number);
        }
        if (!m_isChecked || numbers != m_kernel.values) {
            check(axes);
            m_isChecked = true;
            m_kernel.values = numbers;
            const std::int64_t items = m_out.shape.product();
            m_launch.reset();
            if (items > 0) m_launch.emplace(m_device, m_kernel, items, axes[1].window * axes[2].window);
        }
        if (!m_launch) return;
        m_given.clear();
        for (DenseArray &array : m_arrays) m_given.push_back(array.data(slots));
        m_given.push_back(slots[m_out.slot]);
        m_launch->run(m_given);
    }

private:
    void check(const PoolAxes &axes) const
    {
        Dims places = m_image;
        for (int a = 0; a < m_info.axes; ++a)
            places[static_cast<std::size_t>(m_image.rank() - m_info.axes + a)] = axes[static_cast<std::size_t>(3 - m_info.axes + a)].out;
        const auto wants = [&](const Dims &shape, const Dims &size, std::size_t input) {
            if (!(shape == size))
                throw ShapeMismatch(m_symbol + "argument " + std::to_string(input + 1) + " has shape " + shape.text() + ", not " +
                                    size.text());
        };
        if (m_info.pass != PoolPass::Forward) {
            wants(m_shapes[1], places, 1);
            if (m_shapes.size() == 3) wants(m_shapes[2], m_info.pass == PoolPass::MaxGradGrad ? m_image : places, 2);
        }
    }

    PoolInfo m_info;
    Device &m_device;
    std::string m_symbol;
    Dims m_image;
    SlotOperand m_out;
    std::deque<DenseArray> m_arrays;
    std::vector<Dims> m_shapes;
    std::vector<SlotOperand> m_sizes;
    ir::Kernel m_kernel;
    bool m_isChecked = false;
    std::optional<DeviceLaunch> m_launch;
    std::vector<void *> m_given;
};

} // namespace

bool Pooling::readsInputOnHost(std::size_t input, const Operand &) const { return input >= static_cast<std::size_t>(m_info.arrays()); }

std::unique_ptr<Thunk> Pooling::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<PoolOnDevice>(m_info, spec, "[" + shortName() + "] ", name()) : nullptr;
}

} // namespace engine
