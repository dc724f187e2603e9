// Softmax and its cross-entropies on a device. An item has a row: rows are many where there is much to do.
#include "engine/codegen/device_writer.h"
#include "engine/codegen/finding_text.h"
#include "engine/device/device.h"
#include "engine/ops/softmax.h"
#include "engine/ops/softmax_passes.h"
#include "engine/ops/softmax_rows.h"
#include "engine/runtime/device_halves.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"

#include <deque>
#include <optional>

namespace engine {
namespace {

/// Kernels over rows of `count` elements: their texts, and what they are launched on.
class RowsOnDevice final : public Thunk {
public:
    /// `text` is done for each i below `items`; it knows the inputs as a, b, c (one of the host by its bits), the outputs as y, z, w and
    /// the row length as count. It may note what it finds wrong; then it knows how many rows have a class as losses.
    RowsOnDevice(const ThunkSpec &spec, std::span<const Dims> shapes, std::string text, std::int64_t items, std::int64_t count,
                 std::int64_t losses, const std::string &name)
        : m_finds(text.find("found") != std::string::npos), m_given(spec.inputs)
    {
        static constexpr const char *kInputs[] = {"a", "b", "c"}, *kOutputs[] = {"y", "z", "w"};
        std::vector<KernelParameter> parameters;
        for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
            if (isGivenNumber(spec.inputs[i])) continue;
            parameters.push_back({kInputs[i], "const " + deviceMemory(spec.inputs[i].dtype)});
            m_inputs.emplace_back(spec.inputs[i], shapes[i], name);
        }
        for (std::size_t o = 0; o < spec.outputs.size(); ++o) {
            parameters.push_back({kOutputs[o], deviceMemory(spec.outputs[o].dtype)});
            m_outputs.push_back(spec.outputs[o].slot);
        }
        std::vector<std::int64_t> numbers(m_given.count());
        if (m_finds) {
            parameters.push_back({"found", "i64"});
            parameters.push_back({"tag", ""});
            numbers.push_back(0);
        }
        for (std::size_t i = 0; i < spec.inputs.size(); ++i)
            if (isGivenNumber(spec.inputs[i])) parameters.push_back({kInputs[i], ""});
        if (m_finds) {
            parameters.push_back({"losses", ""});
            numbers.push_back(losses);
        }
        parameters.push_back({"count", ""});
        numbers.push_back(count);
        if (items == 0) return;
        Device &device = deviceOf(spec.outputs[0].device);
        const Dialect dialect = device.info().dialect;
        const bool isSingle = spec.outputs[0].dtype == DType::Float32;
        KernelSource source{name, {}, {}};
        for (const RtOp function : {RT_EXP, RT_LOG}) {
            const std::string place = std::to_string(source.math.size());
            source.math.push_back(rt_table()->loops[function][isSingle ? RT_F32 : RT_F64]);
            replaceCalls(text, function == RT_EXP ? "EXP" : "LOG", dialect, place, function == RT_EXP ? "exp" : "log", isSingle);
        }
        replaceAll(text, "TYPE", isSingle ? "float" : "double");
        replaceAll(text, "NAN", isSingle ? "th_nanf()" : "th_nan()");
        source.text = kernelUnit(dialect, parameters, text);
        if (dialect != Dialect::C) source.math.clear();
        m_launch.emplace(device, source, std::move(numbers), items);
    }

    void run(Slots slots) override
    {
        if (!m_launch) return;
        m_arrays.clear();
        for (DenseArray &input : m_inputs) m_arrays.push_back(input.data(slots));
        for (const Slot slot : m_outputs) m_arrays.push_back(slots[slot]);
        if (m_finds) m_launch->runFinding(m_arrays, m_given.read(slots));
        else m_launch->run(m_arrays, m_given.read(slots));
    }
    bool mayFind() const override { return m_finds; }

private:
    static void replaceAll(std::string &text, std::string_view from, std::string_view to)
    {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    }
    // EXP(e, x); becomes e = exp(x), or in C a call of the host's primitive.
    static void replaceCalls(std::string &text, std::string_view word, Dialect dialect, const std::string &place, const char *name,
                             bool isSingle)
    {
        const std::string opening = std::string(word) + "(";
        for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
            const std::size_t comma = text.find(", ", at), end = text.find(");", at);
            const std::string to = text.substr(at + opening.size(), comma - at - opening.size()),
                              from = text.substr(comma + 2, end - comma - 2);
            text.replace(at, end + 2 - at,
                         dialect == Dialect::C
                             ? "{ const TYPE given = " + from + "; const void *in[] = {&given}; math[" + place + "](&" + to + ", in, 1); }"
                             : to + " = " + libraryName(name, isSingle) + "(" + from + ");");
        }
    }

    bool m_finds;
    GivenNumbers m_given;
    std::deque<DenseArray> m_inputs;
    std::vector<Slot> m_outputs;
    std::vector<void *> m_arrays;
    std::optional<DeviceLaunch> m_launch;
};

// The largest element of row i and the sum of the exponentials, of VALUE; nan comes through.
std::string rowTotals(const std::string &value)
{
    std::string first = value; // the search begins with it
    for (std::size_t j = first.find("j]"); j != std::string::npos; j = first.find("j]", j)) first[j] = '0';
    return "        const i64 first = i * count;\n"
           "        TYPE top = " +
           first +
           ";\n"
           "        i64 place = 0;\n"
           "        for (i64 j = 1; j < count; ++j) { const TYPE v = " +
           value +
           "; if (v > top || (v != v && top == top)) { top = v; place = j; } }\n"
           "        TYPE total = 0;\n"
           "        for (i64 j = 0; j < count; ++j) { TYPE e; EXP(e, " +
           value + " - top); total += e; }\n";
}

std::unique_ptr<Thunk> elementsThunk(const ThunkSpec &spec, std::span<const Dims> shapes, const std::string &text, std::int64_t items,
                                     std::int64_t count, std::int64_t losses, const std::string &name)
{
    const auto prepare = [&](const ThunkSpec &singles) {
        return std::make_unique<RowsOnDevice>(singles, shapes, text, items, count, losses, name);
    };
    return inSingles(spec, prepare, name);
}

std::unique_ptr<Thunk> rowsThunk(const ThunkSpec &spec, const std::string &text, const std::string &name, std::int64_t losses = 0)
{
    const Dims &shape = spec.inputs[0].shape;
    std::vector<Dims> shapes;
    for (const SlotOperand &input : spec.inputs) shapes.push_back(input.shape);
    const std::int64_t items = shape[1] == 0 ? 0 : shape[0];
    return elementsThunk(spec, shapes, text, items, shape[1], losses, name);
}

std::unique_ptr<Thunk> plainThunk(SoftmaxForm form, const ThunkSpec &spec, const std::string &text, const std::string &name)
{
    if (!softmaxTakesPasses(spec)) return rowsThunk(spec, text, name);
    return inSingles(
        spec, [&](const ThunkSpec &singles) { return softmaxInPasses(form, singles, name); }, name);
}

std::string oneFloat(std::span<const Type> types)
{
    for (const Type &type : types)
        if (isFloat(type.dtype()) && type.dtype() != types[0].dtype()) return "devices compute a softmax of one dtype only";
    return {};
}

/// The class k of a row; where there is none, isOut, and `when` that is noted.
std::string classText(Classes sort, const std::string &classes, const std::string &row, bool repeats, const std::string &when)
{
    const std::string at = repeats ? "0" : row;
    return "        const i64 given = " + classes + "[" + at +
           "], k = " + (sort == Classes::EachRow ? "given" : "given < 0 ? given + count : given") +
           ";\n        const int isOut = k < 0 || k >= count;\n" + "        if (isOut" + when + ") { " +
           findingText(Finding::Class, "given", row, "count") + " }\n";
}

} // namespace

std::string Softmax::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const { return oneFloat(inputs); }
std::string LogSoftmax::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const { return oneFloat(inputs); }
std::string SoftmaxGrad::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const { return oneFloat(inputs); }
std::string SoftmaxWithBias::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const { return oneFloat(inputs); }
std::string CrossentropyCategorical1Hot::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return oneFloat(inputs);
}
std::string CrossentropyCategorical1HotGrad::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return oneFloat(inputs);
}
std::string CrossentropySoftmaxArgmax1HotWithBias::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return oneFloat(inputs);
}
std::string CrossentropySoftmax1HotWithBiasDx::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type>) const
{
    return oneFloat(inputs);
}

std::unique_ptr<Thunk> Softmax::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::Softmax, makeOp<Softmax>(), spec);
    return plainThunk(SoftmaxForm::Plain, spec,
                      rowTotals("a[first + j]") +
                          "        for (i64 j = 0; j < count; ++j) { TYPE e; EXP(e, a[first + j] - top); y[first + j] = e / total; }\n",
                      name());
}

std::unique_ptr<Thunk> LogSoftmax::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::LogSoftmax, makeOp<LogSoftmax>(), spec);
    return plainThunk(SoftmaxForm::Log, spec,
                      rowTotals("a[first + j]") + "        TYPE l; LOG(l, total);\n"
                                                  "        for (i64 j = 0; j < count; ++j) y[first + j] = (a[first + j] - top) - l;\n",
                      name());
}

std::unique_ptr<Thunk> SoftmaxWithBias::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::SoftmaxWithBias, makeOp<SoftmaxWithBias>(), spec);
    return rowsThunk(
        spec,
        rowTotals("(a[first + j] + b[j])") +
            "        for (i64 j = 0; j < count; ++j) { TYPE e; EXP(e, (a[first + j] + b[j]) - top); y[first + j] = e / total; }\n",
        name());
}

std::unique_ptr<Thunk> SoftmaxGrad::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::SoftmaxGrad, makeOp<SoftmaxGrad>(), spec);
    return rowsThunk(spec,
                     "        const i64 first = i * count;\n        TYPE sum = 0;\n"
                     "        for (i64 j = 0; j < count; ++j) sum += a[first + j] * b[first + j];\n"
                     "        for (i64 j = 0; j < count; ++j) y[first + j] = (a[first + j] - sum) * b[first + j];\n",
                     name());
}

std::unique_ptr<Thunk> CrossentropyCategorical1Hot::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    return rowsThunk(spec,
                     classText(Classes::EachRow, "b", "i", false, "") +
                         "        TYPE l = NAN;\n        if (!isOut) { LOG(l, a[i * count + k]); }\n        y[i] = -l;\n",
                     name());
}

std::unique_ptr<Thunk> CrossentropyCategorical1HotGrad::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    const Dims &shape = spec.inputs[1].shape;
    const Dims shapes[] = {{shape[0]}, shape, {shape[0]}};
    return elementsThunk(spec, shapes,
                         "        const i64 r = i / count;\n" + classText(Classes::EachRow, "c", "r", false, " && i % count == 0") +
                             "        y[i] = i % count == k ? -a[r] / b[i] : (TYPE)0;\n",
                         shape.product(), shape[1], shape[0], name());
}

std::unique_ptr<Thunk> CrossentropySoftmaxArgmax1HotWithBias::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice())
        return softmaxRows(SoftmaxSteps::Crossentropy, makeOp<CrossentropySoftmaxArgmax1HotWithBias>(m_classes), spec, m_classes);
    const Dims &shape = spec.inputs[0].shape;
    const ClassesOfRows classes(*this, m_classes, shape[0], spec.inputs[2].shape[0]);
    std::string loss =
        classText(m_classes, "c", "i", classes.repeats, "") + "        y[i] = isOut ? NAN : l - ((a[first + k] + b[k]) - top);\n";
    if (classes.losses < shape[0]) loss = "        if (i < losses) {\n" + loss + "        }\n";
    return rowsThunk(
        spec,
        rowTotals("(a[first + j] + b[j])") +
            "        TYPE l; LOG(l, total);\n"
            "        for (i64 j = 0; j < count; ++j) { TYPE e; EXP(e, (a[first + j] + b[j]) - top); z[first + j] = e / total; }\n"
            "        w[i] = place;\n" +
            loss,
        name(), classes.losses);
}

// Of a mean over the rows it is one number, which follows from sizes.
bool CrossentropySoftmax1HotWithBiasDx::readsOnHost(std::size_t input, const Operand &operand) const
{
    const Type &type = operand.type;
    return input == 0 && type.rank() == 0 && type.device() == DeviceId::Host &&
           (type.dtype() == DType::Float32 || type.dtype() == DType::Float64);
}

std::unique_ptr<Thunk> CrossentropySoftmax1HotWithBiasDx::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice())
        return softmaxRows(SoftmaxSteps::CrossentropyGrad, makeOp<CrossentropySoftmax1HotWithBiasDx>(m_classes), spec, m_classes);
    const Dims &shape = spec.inputs[1].shape;
    const ClassesOfRows classes(*this, m_classes, shape[0], spec.inputs[2].shape[0]);
    const bool isOne = spec.inputs[0].shape.rank() == 0; // of the whole loss
    const Dims shapes[] = {isOne ? Dims{} : Dims{classes.losses}, shape, spec.inputs[2].shape};
    const std::string bits = spec.inputs[0].dtype == DType::Float32 ? "th_asFloat((int)a)" : "th_asDouble(a)";
    const std::string gradient = isGivenNumber(spec.inputs[0]) ? bits : isOne ? "a[0]" : "a[r]";
    std::string text = classText(m_classes, "c", "r", classes.repeats, " && i % count == 0") + "        y[i] = " + gradient +
                       " * (i % count == k ? b[i] - 1 : b[i]);\n";
    if (classes.losses < shape[0]) text = "        if (r >= losses) y[i] = 0;\n        else {\n" + text + "        }\n";
    return elementsThunk(spec, shapes, "        const i64 r = i / count;\n" + text, shape.product(), shape[1], classes.losses, name());
}

} // namespace engine
