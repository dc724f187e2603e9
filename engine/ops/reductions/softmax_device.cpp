// Softmax and its cross-entropies on a device. An item has a row: rows are many where there is much to do.
#include "engine/codegen/ir/builder.h"
#include "engine/device/device.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/reductions/softmax_passes.h"
#include "engine/ops/reductions/softmax_rows.h"
#include "engine/runtime/device/device_halves.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <deque>
#include <functional>
#include <limits>
#include <optional>

namespace engine {
namespace {

/// A kernel over rows of `count` elements, for arrays as they come: it computes in float or double.
class RowsKernel {
public:
    RowsKernel(const ThunkSpec &spec, std::int64_t elements, std::int64_t items, std::string name) : k(std::move(name)), m_items(items)
    {
        const auto nameOf = [](char first, std::size_t at) { return std::string(1, static_cast<char>(first + static_cast<char>(at))); };
        work = spec.outputs[0].dtype == DType::Float64 ? DType::Float64 : DType::Float32;
        for (std::size_t i = 0; i < spec.inputs.size(); ++i)
            m_arrays.push_back(isGivenNumber(spec.inputs[i]) ? std::nullopt : std::optional(k.reads(nameOf('a', i), spec.inputs[i].dtype)));
        for (std::size_t o = 0; o < spec.outputs.size(); ++o) out.push_back(k.writes(nameOf('x', o), spec.outputs[o].dtype));
        for (std::size_t i = 0; i < spec.inputs.size(); ++i)
            m_numbers.push_back(m_arrays[i] ? 0 : ir::fromBits(spec.inputs[i].dtype, k.given(nameOf('a', i))));
        count = k.number("count", elements);
    }
    /// An element of an input; a number of the host is the same everywhere.
    ir::Value in(std::size_t input, const ir::Value &at) const { return m_arrays[input] ? (*m_arrays[input])[at] : m_numbers[input]; }
    std::int64_t items() const { return m_items; }

    ir::Builder k;
    DType work;
    std::vector<ir::Array> out;
    ir::Value count = 0;

private:
    std::int64_t m_items;
    std::vector<std::optional<ir::Array>> m_arrays;
    std::vector<ir::Value> m_numbers;
};

class RowsOnDevice final : public Thunk {
public:
    /// `shapes`: of the inputs, which become dense.
    RowsOnDevice(const ThunkSpec &spec, std::span<const Dims> shapes, RowsKernel &rows, const std::string &name) : m_given(spec.inputs)
    {
        for (std::size_t i = 0; i < spec.inputs.size(); ++i)
            if (!isGivenNumber(spec.inputs[i])) m_inputs.emplace_back(spec.inputs[i], shapes[i], name);
        for (const SlotOperand &output : spec.outputs) m_outputs.push_back(output.slot);
        if (rows.items() > 0) m_launch.emplace(deviceOf(spec.outputs[0].device), rows.k.finish(), rows.items());
    }
    void run(Slots slots) override
    {
        if (!m_launch) return;
        m_arrays.clear();
        for (DenseArray &input : m_inputs) m_arrays.push_back(input.data(slots));
        for (const Slot slot : m_outputs) m_arrays.push_back(slots[slot]);
        m_launch->run(m_arrays, m_given.read(slots));
    }
    bool mayFind() const override { return m_launch && m_launch->mayFind(); }

private:
    GivenNumbers m_given;
    std::deque<DenseArray> m_inputs;
    std::vector<Slot> m_outputs;
    std::vector<void *> m_arrays;
    std::optional<DeviceLaunch> m_launch;
};

/// An element of the row that an item has, by its place.
using Element = std::function<ir::Value(const ir::Value &j)>;

struct Row {
    ir::Value first; ///< its first element's place in the array
    Element shifted; ///< elements less the largest one
    ir::Value place; ///< of the largest; nan comes through
    ir::Value total; ///< of the exponentials
};

Row totalsOf(RowsKernel &rows, const std::function<ir::Value(const ir::Value &at, const ir::Value &j)> &element)
{
    ir::Builder &k = rows.k;
    const ir::Value first = k.let("first", k.item() * rows.count);
    const ir::Place top = k.variable("top", element(first, 0)), place = k.variable("place", 0);
    k.loop("j", {1, rows.count}, [&](const ir::Value &j) {
        const ir::Value v = k.let("v", element(first + j, j));
        k.when(v > top || (v != v && top == top), [&] { top = v, place = j; });
    });
    const Element shifted = [=](const ir::Value &j) { return element(first + j, j) - top; };
    const ir::Place total = k.variable("total", rows.work, 0);
    k.loop("j", {0, rows.count}, [&](const ir::Value &j) { total += k.call(RT_EXP, shifted(j)); });
    return {first, shifted, place, total};
}

void writeSoftmax(RowsKernel &rows, const Row &row, const ir::Array &out)
{
    rows.k.loop("j", {0, rows.count}, [&](const ir::Value &j) { out[row.first + j] = rows.k.call(RT_EXP, row.shifted(j)) / row.total; });
}

std::vector<Dims> shapesOf(const ThunkSpec &spec)
{
    std::vector<Dims> shapes;
    for (const SlotOperand &input : spec.inputs) shapes.push_back(input.shape);
    return shapes;
}

/// An item has a row.
RowsKernel kernelOfRows(const ThunkSpec &spec, const std::string &name)
{
    const Dims &shape = spec.inputs[0].shape;
    return {spec, shape[1], shape[1] == 0 ? 0 : shape[0], name};
}

/// An item has an element of a matrix of that shape.
RowsKernel kernelOfElements(const ThunkSpec &spec, const Dims &shape, const std::string &name)
{
    return {spec, shape[1], shape.product(), name};
}

std::unique_ptr<Thunk> plainThunk(SoftmaxForm form, const ThunkSpec &spec, const std::string &name)
{
    if (softmaxTakesPasses(spec))
        return inSingles(
            spec, [&](const ThunkSpec &singles) { return softmaxInPasses(form, singles, name); }, name);
    RowsKernel rows = kernelOfRows(spec, name);
    const Row row = totalsOf(rows, [&](const ir::Value &at, const ir::Value &) { return rows.in(0, at); });
    if (form == SoftmaxForm::Plain) {
        writeSoftmax(rows, row, rows.out[0]);
    } else {
        const ir::Value log = rows.k.call(RT_LOG, row.total);
        rows.k.loop("j", {0, rows.count}, [&](const ir::Value &j) { rows.out[0][row.first + j] = row.shifted(j) - log; });
    }
    return std::make_unique<RowsOnDevice>(spec, shapesOf(spec), rows, name);
}

std::string oneFloat(std::span<const Type> types)
{
    for (const Type &type : types)
        if (isFloat(type.dtype()) && type.dtype() != types[0].dtype()) return "devices compute a softmax of one dtype only";
    return {};
}

struct RowClass {
    ir::Value place, isOut;
};

/// The class of a row. Where there is no such, that is noted if `notes` says so.
RowClass classOfRow(RowsKernel &rows, Classes sort, std::size_t classes, const ir::Value &row, bool repeats, const ir::Value &notes = 1)
{
    ir::Builder &k = rows.k;
    const ir::Value given = k.let("given", ir::cast(DType::Int64, rows.in(classes, repeats ? 0 : row)));
    const ir::Value place = sort == Classes::EachRow ? given : k.let("place", ir::select(given < 0, given + rows.count, given));
    const ir::Value isOut = k.let("isOut", place < 0 || place >= rows.count);
    k.when(isOut && notes, [&] { k.find(Finding::Class, given, row, rows.count); });
    return {place, isOut};
}

ir::Value notANumber(DType type) { return ir::realNumber(type, std::numeric_limits<double>::quiet_NaN()); }

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
    return plainThunk(SoftmaxForm::Plain, spec, name());
}

std::unique_ptr<Thunk> LogSoftmax::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::LogSoftmax, makeOp<LogSoftmax>(), spec);
    return plainThunk(SoftmaxForm::Log, spec, name());
}

std::unique_ptr<Thunk> SoftmaxWithBias::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::SoftmaxWithBias, makeOp<SoftmaxWithBias>(), spec);
    RowsKernel rows = kernelOfRows(spec, name());
    writeSoftmax(rows, totalsOf(rows, [&](const ir::Value &at, const ir::Value &j) { return rows.in(0, at) + rows.in(1, j); }),
                 rows.out[0]);
    return std::make_unique<RowsOnDevice>(spec, shapesOf(spec), rows, name());
}

std::unique_ptr<Thunk> SoftmaxGrad::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return softmaxRows(SoftmaxSteps::SoftmaxGrad, makeOp<SoftmaxGrad>(), spec);
    RowsKernel rows = kernelOfRows(spec, name());
    const ir::Value first = rows.k.let("first", rows.k.item() * rows.count);
    const ir::Place sum = rows.k.variable("sum", rows.work, 0);
    rows.k.loop("j", {0, rows.count}, [&](const ir::Value &j) { sum += rows.in(0, first + j) * rows.in(1, first + j); });
    rows.k.loop("j", {0, rows.count},
                [&](const ir::Value &j) { rows.out[0][first + j] = (rows.in(0, first + j) - sum) * rows.in(1, first + j); });
    return std::make_unique<RowsOnDevice>(spec, shapesOf(spec), rows, name());
}

std::unique_ptr<Thunk> CrossentropyCategorical1Hot::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    RowsKernel rows = kernelOfRows(spec, name());
    const ir::Value row = rows.k.item();
    const RowClass one = classOfRow(rows, Classes::EachRow, 1, row, false);
    const ir::Place log = rows.k.variable("l", notANumber(rows.work));
    rows.k.when(one.isOut == 0, [&] { log = rows.k.call(RT_LOG, rows.in(0, row * rows.count + one.place)); });
    rows.out[0][row] = -log;
    return std::make_unique<RowsOnDevice>(spec, shapesOf(spec), rows, name());
}

std::unique_ptr<Thunk> CrossentropyCategorical1HotGrad::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return nullptr;
    const Dims &shape = spec.inputs[1].shape;
    const Dims shapes[] = {{shape[0]}, shape, {shape[0]}};
    RowsKernel rows = kernelOfElements(spec, shape, name());
    const ir::Value i = rows.k.item(), row = rows.k.let("row", i / rows.count), column = rows.k.let("column", i % rows.count);
    const RowClass one = classOfRow(rows, Classes::EachRow, 2, row, false, column == 0);
    rows.out[0][i] = ir::select(column == one.place, -rows.in(0, row) / rows.in(1, i), 0);
    return std::make_unique<RowsOnDevice>(spec, shapes, rows, name());
}

std::unique_ptr<Thunk> CrossentropySoftmaxArgmax1HotWithBias::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice())
        return softmaxRows(SoftmaxSteps::Crossentropy, makeOp<CrossentropySoftmaxArgmax1HotWithBias>(m_classes), spec, m_classes);
    const Dims &shape = spec.inputs[0].shape;
    const ClassesOfRows classes(*this, m_classes, shape[0], spec.inputs[2].shape[0]);
    RowsKernel rows = kernelOfRows(spec, name());
    ir::Builder &k = rows.k;
    const ir::Value i = k.item(), losses = k.number("losses", classes.losses);
    const Row row = totalsOf(rows, [&](const ir::Value &at, const ir::Value &j) { return rows.in(0, at) + rows.in(1, j); });
    const ir::Value log = k.call(RT_LOG, row.total);
    writeSoftmax(rows, row, rows.out[1]);
    rows.out[2][i] = row.place;
    k.when(i < losses, [&] {
        const RowClass one = classOfRow(rows, m_classes, 2, i, classes.repeats);
        rows.out[0][i] = ir::select(one.isOut, notANumber(rows.work), log - row.shifted(one.place));
    });
    return std::make_unique<RowsOnDevice>(spec, shapesOf(spec), rows, name());
}

// Of a mean over the rows it is one number, which follows from sizes.
bool CrossentropySoftmax1HotWithBiasDx::readsInputOnHost(std::size_t input, const Operand &operand) const
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
    RowsKernel rows = kernelOfElements(spec, shape, name());
    ir::Builder &k = rows.k;
    const ir::Value i = k.item(), losses = k.number("losses", classes.losses);
    const ir::Value row = k.let("row", i / rows.count), column = k.let("column", i % rows.count);
    const auto gradient = [&] {
        const RowClass one = classOfRow(rows, m_classes, 2, row, classes.repeats, column == 0);
        const ir::Value b = k.let("b", rows.in(1, i));
        rows.out[0][i] = rows.in(0, isOne ? 0 : row) * ir::select(column == one.place, b - 1, b);
    };
    k.when(row < losses, gradient, [&] { rows.out[0][i] = 0; });
    return std::make_unique<RowsOnDevice>(spec, shapes, rows, name());
}

} // namespace engine
