// Convolutions on a device: windows of the image as columns of a matrix, and matrix products; or the device's library of convolutions.
#include "engine/codegen/ir/builder.h"
#include "engine/codegen/kernel_target.h"
#include "engine/device/device.h"
#include "engine/ops/products/conv.h"
#include "engine/ops/products/device_axes.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

constexpr std::int64_t kMostColumnBytes = std::int64_t(64) << 20; // images are taken as many at a time as fit

std::int64_t bytesOf(DType dtype, std::int64_t elements) { return static_cast<std::int64_t>(sizeOf(dtype)) * elements; }

/// An operand as a dense array of the dtype that the products work in.
class DenseOperand {
public:
    DenseOperand(const SlotOperand &array, const Dims &shape, DType work, int backwardsFrom, const std::string &name) : m_slot(array.slot)
    {
        const bool isBackwards = backwardsFrom < shape.rank();
        if (array.dtype == work && !isBackwards && array.strides == contiguousStrides(shape, sizeOf(work))) return;
        m_dense.emplace(array.device, work, shape);
        if (shape.product() == 0) return;
        DeviceWindow from{array};
        from.array.slot = Slot{0};
        for (int axis = backwardsFrom; axis < shape.rank(); ++axis) {
            const auto at = static_cast<std::size_t>(axis);
            from.offset += (shape[at] - 1) * array.strides[at];
            from.array.strides[at] = -array.strides[at];
        }
        m_copy = copyThunk(from, {m_dense->in(Slot{1})}, name);
    }
    char *data(Slots slots)
    {
        if (!m_dense) return static_cast<char *>(slots[m_slot]);
        void *const own[] = {slots[m_slot], m_dense->data()};
        if (m_copy) m_copy->run(own);
        return static_cast<char *>(m_dense->data());
    }

private:
    Slot m_slot;
    std::optional<DeviceScratch> m_dense;
    std::unique_ptr<Thunk> m_copy;
};

/// Where a pass writes: the output itself, or an array that is copied there at the end.
class Result {
public:
    Result(const SlotOperand &array, DType work, int backwardsFrom, const std::string &name) : m_slot(array.slot)
    {
        const Dims &shape = array.shape;
        if (array.dtype == work && backwardsFrom >= shape.rank() && array.strides == contiguousStrides(shape, sizeOf(work))) return;
        m_dense.emplace(array.device, work, shape);
        if (shape.product() == 0) return;
        DeviceWindow from{m_dense->in(Slot{0})};
        for (int axis = backwardsFrom; axis < shape.rank(); ++axis) {
            const auto at = static_cast<std::size_t>(axis);
            from.offset += (shape[at] - 1) * from.array.strides[at];
            from.array.strides[at] = -from.array.strides[at];
        }
        SlotOperand to = array;
        to.slot = Slot{1};
        m_copy = copyThunk(from, {to}, name);
    }
    char *data(Slots slots) const { return static_cast<char *>(m_dense ? m_dense->data() : slots[m_slot]); }
    void finish(Slots slots) const
    {
        if (!m_copy) return;
        void *const own[] = {m_dense->data(), slots[m_slot]};
        m_copy->run(own);
    }

private:
    Slot m_slot;
    std::optional<DeviceScratch> m_dense;
    std::unique_ptr<Thunk> m_copy;
};

/// The two kernels around the products.
class WindowKernels {
public:
    WindowKernels(const ConvSizes &sizes, int spatial, const Device &device, DType work)
        : m_sizes(sizes), m_names(imageAxes(spatial)), m_takesRows(KernelTarget(device).takesStrips()), m_work(work)
    {}

    /// The windows of some images as columns: image, channel, place in the window, place of the window; `isByImage` false: the image comes
    /// behind the place in the window. Items are elements, or rows of them. `steps`: elements from one to the next along each axis.
    ir::Kernel columns(DType image, bool isByImage, std::int64_t count, const Dims &steps, const std::string &name) const
    {
        ir::Builder k(name);
        const ir::Array given = k.reads("given", image), made = k.writes("made", m_work);
        const ir::Value channels = k.number("channels", m_sizes.channels), images = k.number("images", count),
                        stepN = k.number("stepN", steps[0]), stepC = k.number("stepC", steps[1]);
        const std::vector<WindowAxis> axes = axesOf(k);
        const ir::Place rest = k.variable("r", k.item());
        const std::vector<ir::Value> places =
            k.coordinates(rest, namesOf(part(axes, m_takesRows), "o"), valuesOf(part(axes, m_takesRows), &WindowAxis::places));
        const ir::Place n = k.variable("n", 0);
        if (!isByImage) n = rest % images, rest = rest / images;
        const std::vector<ir::Value> within = k.coordinates(rest, namesOf(axes, "k"), valuesOf(axes, &WindowAxis::window));
        if (isByImage) n = rest / channels, rest = rest % channels;
        ir::Value place = k.let("place", n * stepN + rest * stepC), isInside = 1;
        for (std::size_t a = 0; a < places.size(); ++a) {
            const WindowAxis &axis = axes[a];
            const ir::Value at = k.let(axis.name, places[a] * axis.step + within[a] * axis.dilation - axis.border);
            place = place + at * k.number("T" + axis.name, steps[2 + a]);
            isInside = a ? isInside && at >= 0 && at < axis.size : at >= 0 && at < axis.size;
        }
        const ir::Value zero = ir::cast(m_work, 0);
        const auto element = [&](const ir::Value &at) { return ir::cast(m_work, given[at]); };
        if (!m_takesRows) {
            made[k.item()] = ir::select(isInside, element(place), zero);
            return k.finish();
        }
        const WindowAxis &x = axes.back();
        const std::int64_t step = steps[steps.size() - 1], stride = m_sizes.stride[2];
        const ir::Value along = k.number("Tx", step), row = k.let("row", k.item() * x.places);
        const Row reached = rowOf(k, x, within.back(), isInside);
        const ir::Value base = k.let("base", place + reached.first * along);
        const ir::Value from = k.let("from", ir::least(reached.range.begin, reached.range.end));
        k.loop("ox", {0, from}, [&](const ir::Value &ox) { made[row + ox] = zero; });
        k.loop(
            "ox", {from, reached.range.end},
            [&](const ir::Value &ox) { made[row + ox] = element(base + (stride * step == 1 ? ox : ox * x.step * along)); },
            ir::LoopKind::Beside);
        k.loop("ox", {reached.range.end, x.places}, [&](const ir::Value &ox) { made[row + ox] = zero; });
        return k.finish();
    }
    std::int64_t columnItems(std::int64_t images) const { return elements(images) / (m_takesRows ? m_sizes.out[2] : 1); }
    std::int64_t elements(std::int64_t images) const { return images * m_sizes.channels * m_sizes.kernelPixels() * m_sizes.outPixels(); }

    /// Columns added up where their elements came from: each pixel of some images, or each row of them, in turn.
    ir::Kernel pixels(const std::string &name) const
    {
        ir::Builder k(name);
        const ir::Array given = k.reads("given", m_work), made = k.writes("made", m_work);
        const std::vector<WindowAxis> axes = axesOf(k);
        const ir::Place rest = k.variable("r", k.item());
        const std::vector<ir::Value> pixel =
            k.coordinates(rest, namesOf(part(axes, m_takesRows), ""), valuesOf(part(axes, m_takesRows), &WindowAxis::size));
        ir::Value all = 1, each = 1;
        std::vector<ir::Range> ranges;
        for (const WindowAxis &axis : axes) all = all * axis.window, each = each * axis.places, ranges.push_back({0, axis.window});
        const ir::Value outs = k.let("outs", each), windows = k.let("windows", rest * all), row = k.let("row", k.item() * axes.back().size);
        const ir::Place sum = k.variable("sum", m_work, 0);
        if (m_takesRows) k.loop("x0", {0, axes.back().size}, [&](const ir::Value &x) { made[row + x] = 0; });
        k.nest(namesOf(axes, "k"), ranges, [&](std::span<const ir::Value> within) {
            ir::Value window = 0, out = 0, isThere = 1;
            for (std::size_t a = 0; a < axes.size(); ++a) window = window * axes[a].window + within[a];
            for (std::size_t a = 0; a < pixel.size(); ++a) {
                const WindowAxis &axis = axes[a];
                const ir::Value f = k.let("f" + axis.name, pixel[a] + axis.border - within[a] * axis.dilation);
                const ir::Value o = k.let("o" + axis.name, f / axis.step);
                const ir::Value isHere = f >= 0 && o < axis.places && o * axis.step == f;
                isThere = a ? isThere && isHere : isHere;
                out = out * axis.places + o;
            }
            const ir::Value from = (windows + window) * outs;
            k.when(isThere, [&] {
                if (!m_takesRows) return void(sum += given[from + out]);
                const WindowAxis &x = axes.back();
                const Row reached = rowOf(k, x, within.back(), 1);
                const ir::Value base = k.let("base", from + out * x.places), to = k.let("to", row + reached.first);
                k.loop(
                    "ox", reached.range,
                    [&](const ir::Value &ox) { made[to + (m_sizes.stride[2] == 1 ? ox : ox * x.step)] += given[base + ox]; },
                    ir::LoopKind::Beside);
            });
        });
        if (!m_takesRows) made[k.item()] = sum;
        return k.finish();
    }
    std::int64_t pixelItems(std::int64_t images) const
    {
        return images * m_sizes.channels * m_sizes.inPixels() / (m_takesRows ? m_sizes.in[2] : 1);
    }
    std::int64_t itemLength() const { return m_takesRows ? m_sizes.out[2] : 1; }

private:
    std::vector<WindowAxis> axesOf(ir::Builder &k) const
    {
        std::vector<WindowAxis> axes;
        for (const char letter : m_names) {
            const std::size_t at = placeOfAxis(letter);
            const auto number = [&](char what, const std::array<std::int64_t, 3> &numbers) {
                return k.number({what, letter}, numbers[at]);
            };
            axes.push_back({std::string(1, letter), number('I', m_sizes.in), number('K', m_sizes.kernel), number('S', m_sizes.stride),
                            number('B', m_sizes.before), number('O', m_sizes.out), number('D', m_sizes.dilation)});
        }
        return axes;
    }
    /// All axes, or all but the last one.
    static std::span<const WindowAxis> part(const std::vector<WindowAxis> &axes, bool withoutLast)
    {
        return {axes.data(), axes.size() - withoutLast};
    }
    /// For one place in the window and a row of results: the offset of the first element, and the range that is inside the image.
    struct Row {
        ir::Value first;
        ir::Range range;
    };
    static Row rowOf(ir::Builder &k, const WindowAxis &x, const ir::Value &within, const ir::Value &isInside)
    {
        const ir::Value first = k.let("firstx", within * x.dilation - x.border);
        const ir::Value reach = k.let("reach", ir::select(first < x.size && isInside, (x.size - 1 - first) / x.step + 1, 0));
        return {first, {k.let("skip", ir::select(first < 0, (x.step - 1 - first) / x.step, 0)), k.let("end", ir::least(reach, x.places))}};
    }

    const ConvSizes &m_sizes;
    std::string_view m_names;
    bool m_takesRows;
    DType m_work;
};

/// What the three passes share: so many images at a time.
class ConvOnDevice : public Thunk {
public:
    ConvOnDevice(const ConvSizes &sizes, int spatial, const SlotOperand &out, const std::string &name)
        : m_sizes(sizes), m_device(deviceOf(out.device)), m_work(out.dtype == DType::Float64 ? DType::Float64 : DType::Float32),
          m_around(m_sizes, spatial, m_device, m_work), m_name(name)
    {
        const std::int64_t one = std::max<std::int64_t>(bytesOf(m_work, m_around.elements(1)), 1);
        m_chunk = std::clamp<std::int64_t>(kMostColumnBytes / one, 1, std::max<std::int64_t>(sizes.images, 1));
    }
    bool callsLibrary() const override { return true; }

protected:
    void makeColumns() { m_columns.emplace(m_device.id(), m_work, Dims{m_around.elements(m_chunk)}); }
    /// Calls f(first image, how many, is it the last chunk and a smaller one).
    template <class F>
    void eachChunk(F f) const
    {
        for (std::int64_t first = 0; first < m_sizes.images; first += m_chunk) {
            const std::int64_t count = std::min(m_chunk, m_sizes.images - first);
            f(first, count, count < m_chunk);
        }
    }
    std::int64_t rest() const { return m_sizes.images % m_chunk; }
    MatrixProduct product() const
    {
        MatrixProduct result;
        result.dtype = m_work;
        return result;
    }
    static MatrixProduct::Matrix matrix(char *address, std::int64_t leading, std::int64_t distance = 0, bool isTransposed = false)
    {
        return {address, std::max<std::int64_t>(leading, 1), distance, isTransposed};
    }
    static char *at(void *base, std::int64_t bytes) { return static_cast<char *>(base) + bytes; }
    char *columnsAt(std::int64_t elements) const { return at(m_columns->data(), bytesOf(m_work, elements)); }

    const ConvSizes m_sizes;
    Device &m_device;
    DType m_work;
    WindowKernels m_around;
    std::string m_name;
    std::int64_t m_chunk = 1;
    std::optional<DeviceScratch> m_columns;
};

/// The launches for a whole chunk, and for what is left.
class ChunkLaunch {
public:
    template <class MakeKernel, class Items>
    ChunkLaunch(Device &device, std::int64_t chunk, std::int64_t rest, MakeKernel kernel, Items items, std::int64_t length)
    {
        if (items(chunk) == 0) return;
        m_whole.emplace(device, kernel(chunk), items(chunk), length);
        if (rest) m_rest.emplace(device, kernel(rest), items(rest), length);
    }
    void run(bool isRest, void *from, void *to)
    {
        if (!m_whole) return;
        void *const arrays[] = {from, to};
        (isRest ? m_rest : m_whole)->run(arrays);
    }

private:
    std::optional<DeviceLaunch> m_whole, m_rest;
};

/// Columns of an image of any layout.
class ImageColumns {
public:
    ImageColumns(const SlotOperand &image, const WindowKernels &around, const ConvSizes &sizes, Device &device, bool isByImage,
                 std::int64_t chunk, const std::string &name)
        : m_slot(image.slot), m_imageStep(image.strides[0])
    {
        Dims steps;
        for (std::int64_t stride : image.strides) steps.push_back(stride / static_cast<std::int64_t>(sizeOf(image.dtype)));
        m_launch.emplace(
            device, chunk, sizes.images % chunk,
            [&](std::int64_t count) { return around.columns(image.dtype, isByImage, count, steps, name); },
            [&](std::int64_t count) { return around.columnItems(count); }, around.itemLength());
    }
    void run(Slots slots, std::int64_t first, bool isRest, void *to)
    {
        m_launch->run(isRest, static_cast<char *>(slots[m_slot]) + first * m_imageStep, to);
    }

private:
    Slot m_slot;
    std::int64_t m_imageStep;
    std::optional<ChunkLaunch> m_launch;
};

class ForwardOnDevice final : public ConvOnDevice {
public:
    ForwardOnDevice(const ThunkSpec &spec, const ConvSizes &sizes, int spatial, int backwardsFrom, const std::string &name)
        : ConvOnDevice(sizes, spatial, spec.outputs[0], name), m_kernels(spec.inputs[1], spec.inputs[1].shape, m_work, backwardsFrom, name),
          m_out(spec.outputs[0], m_work, spec.outputs[0].shape.rank(), name)
    {
        if (spec.outputs[0].shape.product() == 0) return;
        makeColumns();
        m_image.emplace(spec.inputs[0], m_around, m_sizes, m_device, true, m_chunk, name);
    }
    void run(Slots slots) override
    {
        if (!m_image) return;
        const std::int64_t window = m_sizes.window(), filters = m_sizes.groupFilters(), places = m_sizes.outPixels();
        char *const kernels = m_kernels.data(slots), *const out = m_out.data(slots);
        eachChunk([&](std::int64_t first, std::int64_t count, bool isRest) {
            m_image->run(slots, first, isRest, m_columns->data());
            for (std::int64_t group = 0; group < m_sizes.groups; ++group) {
                MatrixProduct one = product();
                one.m = filters, one.n = places, one.k = window, one.count = count;
                one.a = matrix(at(kernels, bytesOf(m_work, group * filters * window)), window);
                one.b = matrix(columnsAt(group * window * places), places, m_sizes.groups * window * places);
                one.c = matrix(at(out, bytesOf(m_work, (first * m_sizes.filters + group * filters) * places)), places,
                               m_sizes.filters * places);
                m_device.stream().multiply(one);
            }
        });
        m_out.finish(slots);
    }

private:
    DenseOperand m_kernels;
    Result m_out;
    std::optional<ImageColumns> m_image;
};

// Kernels and columns side by side, so that images are added up within a product.
class WeightsOnDevice final : public ConvOnDevice {
public:
    WeightsOnDevice(const ThunkSpec &spec, const ConvSizes &sizes, int spatial, int backwardsFrom, const std::string &name)
        : ConvOnDevice(sizes, spatial, spec.outputs[0], name), m_result(spec.outputs[0], m_work, backwardsFrom, name),
          m_grad(spec.inputs[1]), m_elements(spec.outputs[0].shape.product())
    {
        if (m_elements == 0) return;
        if (sizes.images == 0) {
            m_zeros.emplace(m_device.id(), m_work, Dims{m_elements});
            const std::vector<char> zeros(static_cast<std::size_t>(bytesOf(m_work, m_elements)), 0);
            m_zeros->fill(zeros.data());
            return;
        }
        makeColumns();
        m_image.emplace(spec.inputs[0], m_around, m_sizes, m_device, false, m_chunk, name);
        m_side.emplace(m_device.id(), m_work, Dims{m_sizes.filters, m_chunk, m_sizes.outPixels()});
        m_whole = sideBySide(m_chunk);
        if (rest()) m_rest = sideBySide(rest());
    }
    void run(Slots slots) override
    {
        if (m_elements == 0) return;
        char *const result = m_result.data(slots);
        if (m_zeros) m_device.stream().copyWithin(result, m_zeros->data(), static_cast<std::size_t>(bytesOf(m_work, m_elements)));
        const std::int64_t window = m_sizes.window(), filters = m_sizes.groupFilters();
        eachChunk([&](std::int64_t first, std::int64_t count, bool isRest) {
            m_image->run(slots, first, isRest, m_columns->data());
            void *const own[] = {static_cast<char *>(slots[m_grad.slot]) + first * m_grad.strides[0], m_side->data()};
            (isRest ? m_rest : m_whole)->run(own);
            const std::int64_t places = count * m_sizes.outPixels();
            for (std::int64_t group = 0; group < m_sizes.groups; ++group) {
                MatrixProduct one = product();
                one.m = filters, one.n = window, one.k = places, one.beta = first ? 1 : 0;
                one.a = matrix(at(m_side->data(), bytesOf(m_work, group * filters * places)), places);
                one.b = matrix(columnsAt(group * window * places), places, 0, true);
                one.c = matrix(at(result, bytesOf(m_work, group * filters * window)), window);
                m_device.stream().multiply(one);
            }
        });
        m_result.finish(slots);
    }

private:
    // The gradient of some images, filter by filter.
    std::unique_ptr<Thunk> sideBySide(std::int64_t count) const
    {
        DeviceWindow from{m_grad}, to{m_side->in(Slot{1})};
        from.array.slot = Slot{0};
        from.array.shape[0] = count;
        std::swap(from.array.shape[0], from.array.shape[1]);
        std::swap(from.array.strides[0], from.array.strides[1]);
        from.array.type = Type();
        to.array.shape = from.array.shape;
        to.array.strides = contiguousStrides(to.array.shape, sizeOf(m_work));
        return copyThunk(from, to, m_name);
    }

    Result m_result;
    SlotOperand m_grad;
    std::int64_t m_elements;
    std::optional<DeviceScratch> m_zeros, m_side;
    std::optional<ImageColumns> m_image;
    std::unique_ptr<Thunk> m_whole, m_rest;
};

class InputsOnDevice final : public ConvOnDevice {
public:
    InputsOnDevice(const ThunkSpec &spec, const ConvSizes &sizes, int spatial, int backwardsFrom, const std::string &name)
        : ConvOnDevice(sizes, spatial, spec.outputs[0], name), m_kernels(spec.inputs[0], spec.inputs[0].shape, m_work, backwardsFrom, name),
          m_grad(spec.inputs[1], spec.inputs[1].shape, m_work, spec.inputs[1].shape.rank(), name),
          m_result(spec.outputs[0], m_work, spec.outputs[0].shape.rank(), name)
    {
        if (spec.outputs[0].shape.product() == 0) return;
        makeColumns();
        m_pixels.emplace(
            m_device, m_chunk, rest(), [&](std::int64_t) { return m_around.pixels(name); },
            [&](std::int64_t count) { return m_around.pixelItems(count); }, m_around.itemLength() * m_sizes.kernelPixels());
    }
    void run(Slots slots) override
    {
        if (!m_pixels) return;
        const std::int64_t window = m_sizes.window(), filters = m_sizes.groupFilters(), places = m_sizes.outPixels();
        char *const kernels = m_kernels.data(slots), *const grad = m_grad.data(slots), *const result = m_result.data(slots);
        eachChunk([&](std::int64_t first, std::int64_t count, bool isRest) {
            for (std::int64_t group = 0; group < m_sizes.groups; ++group) {
                MatrixProduct one = product();
                one.m = window, one.n = places, one.k = filters, one.count = count;
                one.a = matrix(at(kernels, bytesOf(m_work, group * filters * window)), window, 0, true);
                one.b = matrix(at(grad, bytesOf(m_work, (first * m_sizes.filters + group * filters) * places)), places,
                               m_sizes.filters * places);
                one.c = matrix(columnsAt(group * window * places), places, m_sizes.groups * window * places);
                m_device.stream().multiply(one);
            }
            m_pixels->run(isRest, m_columns->data(), at(result, bytesOf(m_work, first * m_sizes.channels * m_sizes.inPixels())));
        });
        m_result.finish(slots);
    }

private:
    DenseOperand m_kernels, m_grad;
    Result m_result;
    std::optional<ChunkLaunch> m_pixels;
};

/// By the device's library, which wants dense arrays of one dtype.
class LibraryOnDevice final : public Thunk {
public:
    LibraryOnDevice(const ThunkSpec &spec, const ConvSizes &sizes, const ConvInfo &info, const std::string &name)
        : m_stream(deviceOf(spec.outputs[0].device).stream()), m_first(spec.inputs[0], spec.inputs[0].shape, name),
          m_second(spec.inputs[1], spec.inputs[1].shape, name), m_out(spec.outputs[0].slot), m_bytes(spec.outputs[0].shape.product())
    {
        using Pass = DeviceConvolution::Pass;
        m_one.pass = info.pass == ConvPass::Forward ? Pass::Forward : info.pass == ConvPass::Weights ? Pass::Weights : Pass::Inputs;
        m_one.dtype = spec.outputs[0].dtype;
        m_one.axes = info.spatial();
        m_one.flip = info.flip;
        m_one.images = sizes.images, m_one.channels = sizes.channels, m_one.filters = sizes.filters, m_one.groups = sizes.groups;
        m_one.in = sizes.in, m_one.kernel = sizes.kernel, m_one.out = sizes.out;
        m_one.border = sizes.before, m_one.stride = sizes.stride, m_one.dilation = sizes.dilation;
        m_isEmpty = sizes.images == 0 || sizes.channels == 0 || sizes.filters == 0;
        if (!m_isEmpty || m_bytes == 0) return;
        // Nothing to add up.
        const std::vector<char> zeros(static_cast<std::size_t>(bytesOf(m_one.dtype, m_bytes)), 0);
        m_zeros.emplace(spec.outputs[0].device, m_one.dtype, spec.outputs[0].shape);
        m_zeros->fill(zeros.data());
    }
    void run(Slots slots) override
    {
        if (m_zeros) m_stream.copyWithin(slots[m_out], m_zeros->data(), static_cast<std::size_t>(bytesOf(m_one.dtype, m_bytes)));
        if (m_isEmpty) return;
        void *const first = m_first.data(slots), *const second = m_second.data(slots), *const out = slots[m_out];
        switch (m_one.pass) {
        case DeviceConvolution::Pass::Forward: m_one.image = first, m_one.kernels = second, m_one.result = out; break;
        case DeviceConvolution::Pass::Weights: m_one.image = first, m_one.result = second, m_one.kernels = out; break;
        case DeviceConvolution::Pass::Inputs: m_one.kernels = first, m_one.result = second, m_one.image = out; break;
        }
        m_stream.convolve(m_one);
    }
    bool callsLibrary() const override { return true; }

private:
    DeviceStream &m_stream;
    DenseArray m_first, m_second;
    Slot m_out;
    std::int64_t m_bytes;
    bool m_isEmpty = false;
    std::optional<DeviceScratch> m_zeros;
    DeviceConvolution m_one;
};

} // namespace

std::string Convolution::whyNotByLibrary(std::span<const Type> inputs, Type output) const
{
    if (output.dtype() != DType::Float32 && output.dtype() != DType::Float64)
        return "the convolution library takes float32 and float64 only";
    if (inputs[0].dtype() != inputs[1].dtype()) return "its arrays are of two dtypes";
    if (m_info.border == ConvBorder::Given && m_info.before != m_info.after) return "its border is wider on one side";
    return {};
}

bool Convolution::readsInputOnHost(std::size_t input, const Operand &) const { return input == 2; }

std::unique_ptr<Thunk> Convolution::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    const Dims &a = spec.inputs[0].shape, &b = spec.inputs[1].shape, &result = spec.outputs[0].shape;
    const int axes = m_info.spatial(), rank = axes + 2;
    const ConvPass pass = m_info.pass;
    const Dims &image = pass == ConvPass::Inputs ? result : a;
    const Dims &kernels = pass == ConvPass::Forward ? b : pass == ConvPass::Weights ? result : a;
    const ConvSizes sizes = sizesOf(image, kernels, pass == ConvPass::Forward ? nullptr : &b);
    if (m_info.method == ConvMethod::Dnn) return std::make_unique<LibraryOnDevice>(spec, sizes, m_info, name());
    const int backwardsFrom = m_info.flip ? 2 : rank;
    switch (pass) {
    case ConvPass::Forward: return std::make_unique<ForwardOnDevice>(spec, sizes, axes, backwardsFrom, name());
    case ConvPass::Weights: return std::make_unique<WeightsOnDevice>(spec, sizes, axes, backwardsFrom, name());
    default: return std::make_unique<InputsOnDevice>(spec, sizes, axes, backwardsFrom, name());
    }
}

} // namespace engine
