// Pooling on a device: an item has a window, or (for the gradient) a pixel and all windows that it is in.
#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/ops/device_axes.h"
#include "engine/ops/pool_run.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"
#include "engine/scalar/registers.h"

#include <deque>
#include <optional>

namespace engine {
namespace {

/// The text of one pass in one mode, for arrays of these dtypes: image, then what comes with it; the result.
class PoolText {
public:
    PoolText(const PoolInfo &info, std::span<const DType> arrays, DType result, Dialect dialect)
        : m_info(info), m_axes(imageAxes(info.axes)), m_arrays(arrays.begin(), arrays.end()), m_result(result), m_dialect(dialect),
          m_kind(isDiscrete(result) ? RT_INT : registerKind(result))
    {}

    KernelSource source(const std::string &name) const
    {
        static constexpr const char *kNames[] = {"a", "b", "c"};
        std::vector<KernelParameter> parameters;
        for (std::size_t i = 0; i < m_arrays.size(); ++i) parameters.push_back({kNames[i], "const " + deviceMemory(m_arrays[i])});
        parameters.push_back({"made", deviceMemory(m_result)});
        for (char axis : m_axes)
            for (char letter : std::string_view("IWSBO")) parameters.push_back({std::string{letter, axis}, ""});
        std::string body = "        i64 r = i;\n";
        body += m_info.pass == PoolPass::Gradient ? pixel() : window();
        body += "        made[i] = " + DeviceWriter::stored(m_result, fromRegister("sum")) + ";\n";
        return {name, kernelUnit(m_dialect, parameters, body), {}};
    }

private:
    bool isMax() const { return m_info.mode == PoolMode::Max; }
    std::string type() const { return deviceRegister(m_kind); }
    std::string fromRegister(const std::string &x) const { return m_kind == RT_INT ? "(" + deviceMemory(m_result) + ")" + x : x; }
    std::string read(std::size_t array, const std::string &place) const
    {
        const std::string element = std::string{static_cast<char>('a' + array)} + "[" + place + "]";
        return m_arrays[array] == DType::Float16 ? "th_fromHalf(" + element + ")" : "(" + type() + ")" + element;
    }
    // first@ and end@ of the image, length@ with the border, of window o@.
    std::string spans(const std::string &indent) const
    {
        return forAxes(
            m_axes, indent + "const i64 begin@ = o@ * S@, over@ = begin@ + W@, all@ = I@ + 2 * B@, last@ = over@ < all@ ? over@ : all@;\n" +
                        indent + "const i64 length@ = last@ - begin@, low@ = begin@ - B@, high@ = last@ - B@;\n" + indent +
                        "const i64 first@ = low@ < 0 ? 0 : low@ < I@ ? low@ : I@, end@ = high@ < 0 ? 0 : high@ < I@ ? high@ : I@;\n");
    }
    std::string share() const
    {
        std::string product = "1";
        const bool withBorder = m_info.mode == PoolMode::AverageWithBorder;
        for (char axis : m_axes) product += forAxis(axis, withBorder ? " * length@" : " * (end@ - first@)");
        return m_info.mode == PoolMode::Sum ? "1" : product;
    }
    std::string place(const std::string &start, const std::string &step) const
    {
        std::string result = start;
        for (char axis : m_axes) result = "(" + result + ")" + forAxis(axis, step);
        return result;
    }

    // Forwards, and what stands where the largest are.
    std::string window() const
    {
        std::string body = forAxesInwards(m_axes, "        const i64 o@ = r % O@; r /= O@;\n") + spans("        ");
        const bool isForward = m_info.pass == PoolPass::Forward;
        const std::string least = m_kind == RT_F32 ? "-th_inff()" : m_kind == RT_F64 ? "-th_inf()" : "(-9223372036854775807 - 1)";
        body += "        " + type() + " sum = " + (isForward && isMax() ? least : std::string("0")) + ";\n";
        std::string closing, indent = "        ";
        for (char axis : m_axes) {
            body += indent + forAxis(axis, "for (i64 @ = first@; @ < end@; ++@) {\n");
            closing = indent + "}\n" + closing;
            indent += "    ";
        }
        body += indent + "const i64 at = " + place("r", " * I@ + @") + ";\n" + indent + "const " + type() + " v = " + read(0, "at") + ";\n";
        if (!isForward) body += indent + "if (v == " + read(1, "i") + ") sum += " + read(2, "at") + ";\n";
        else if (isMax()) body += indent + "sum = v > sum || v != v ? v : sum;\n";
        else body += indent + "sum += v;\n";
        body += closing;
        if (isForward && !isMax() && m_info.mode != PoolMode::Sum)
            body += "        const i64 count = " + share() + ";\n        if (count != 0) sum = sum / (" + type() + ")count;\n";
        return body;
    }

    std::string pixel() const
    {
        std::string body = forAxesInwards(m_axes, "        const i64 @ = r % I@; r /= I@;\n");
        body += forAxes(m_axes, "        const i64 at@ = @ + B@, early@ = at@ - W@ + S@, from@ = early@ < 0 ? 0 : early@ / S@;\n"
                                "        const i64 late@ = at@ / S@ + 1, to@ = late@ < O@ ? late@ : O@;\n");
        if (isMax()) body += "        const " + type() + " v = " + read(0, "i") + ";\n";
        body += "        " + type() + " sum = 0;\n";
        std::string closing, indent = "        ";
        for (char axis : m_axes) {
            body += indent + forAxis(axis, "for (i64 o@ = from@; o@ < to@; ++o@) {\n");
            closing = indent + "}\n" + closing;
            indent += "    ";
        }
        body += indent + "const i64 at = " + place("r", " * O@ + o@") + ";\n";
        if (isMax()) {
            body += indent + "if (v == " + read(1, "at") + ") sum += " + read(2, "at") + ";\n";
        } else {
            body += spans(indent) + indent + "const i64 count = " + share() + ";\n" + indent + "if (count != 0) sum += " + read(1, "at") +
                    " / (" + type() + ")count;\n";
        }
        return body + closing;
    }

    PoolInfo m_info;
    std::string_view m_axes;
    std::vector<DType> m_arrays;
    DType m_result;
    Dialect m_dialect;
    RtKind m_kind;
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
        m_source = PoolText(info, dtypes, m_out.dtype, m_device.info().dialect).source(name);
    }

    void run(Slots slots) override
    {
        std::vector<View> sizes;
        for (const SlotOperand &one : m_sizes)
            sizes.push_back({slots[one.slot], one.dtype, one.shape.rank(), one.shape.data(), one.strides.data()});
        const PoolAxes axes = poolAxes(m_info, m_image, sizes, m_symbol);
        std::vector<std::int64_t> numbers;
        for (char letter : imageAxes(m_info.axes)) {
            const PoolAxis &axis = axes[placeOfAxis(letter)];
            for (std::int64_t number : {axis.size, axis.window, axis.step, axis.border, axis.out}) numbers.push_back(number);
        }
        if (numbers != m_numbers) {
            check(axes);
            m_numbers = numbers;
            const std::int64_t items = m_out.shape.product();
            m_launch.reset();
            if (items > 0) m_launch.emplace(m_device, m_source, numbers, items, axes[1].window * axes[2].window);
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
    KernelSource m_source;
    std::vector<std::int64_t> m_numbers;
    std::optional<DeviceLaunch> m_launch;
    std::vector<void *> m_given;
};

} // namespace

bool Pooling::readsOnHost(std::size_t input, const Operand &) const { return input >= static_cast<std::size_t>(m_info.arrays()); }

std::unique_ptr<Thunk> Pooling::prepare(const ThunkSpec &spec) const
{
    return isOnDevice() ? std::make_unique<PoolOnDevice>(m_info, spec, "[" + shortName() + "] ", name()) : nullptr;
}

} // namespace engine
