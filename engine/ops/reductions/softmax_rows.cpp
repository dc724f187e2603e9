#include "engine/ops/reductions/softmax_rows.h"

#include "engine/graph/op/op_card.h"
#include "engine/runtime/thunks/operand_thunks.h"
#include "engine/scalar/registers.h"
#include "engine/scalar/row_parts.h"
#include "engine/scalar/scalar_program.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace engine {
namespace {

/// RowSteps that softmax_run.cpp does as loops, with its bits.
class RowSteps {
public:
    RowSteps(DType work, int values) : m_work(work) { m_rows.values = values; }

    int next() { return m_rows.values++; }

    /// The elements that a chain of functions makes, each of the result before it and one value more.
    struct Link {
        ScalarOpPtr op;
        int second = -1; ///< a value; -1: a function of one argument
    };
    int elements(int first, DType dtype, std::initializer_list<Link> links, int to = -1)
    {
        RowPart part;
        ScalarBody body;
        body.inputCount = 1;
        body.inputTypes = {dtype};
        part.inputs = {first};
        for (const Link &link : links) body.inputCount += link.second >= 0;
        std::uint32_t before = 0;
        DType type = dtype;
        for (const Link &link : links) {
            std::vector<std::uint32_t> arguments{before};
            if (link.second >= 0) {
                arguments.push_back(static_cast<std::uint32_t>(part.inputs.size()));
                part.inputs.push_back(link.second);
                body.inputTypes.push_back(type);
            }
            type = link.op->castTarget().value_or(type);
            body.instructions.push_back({link.op, std::move(arguments), type, 0});
            before = body.inputCount + static_cast<std::uint32_t>(body.instructions.size()) - 1;
        }
        body.outputs = {before};
        const std::vector<DType> inputs = body.inputTypes;
        part.program = &m_programs.emplace_back(compositeOp(std::move(body)), inputs, std::span(&type, 1));
        part.outputs = {to >= 0 ? to : next()};
        m_rows.parts.push_back(part);
        return part.outputs[0];
    }
    int combined(int value, RtReduce reduce, DType accumulator)
    {
        RowPart part;
        part.inputs = {value};
        part.outputs = {next()};
        part.combine = RowPart::Combine{reduce, registerKind(accumulator), accumulator};
        m_rows.parts.push_back(part);
        return part.outputs[0];
    }

    int atPlace(RowPart::AtPlace what, std::vector<int> inputs, int to = -1)
    {
        RowPart part;
        part.atPlace = what;
        part.inputs = std::move(inputs);
        part.outputs = {to >= 0 ? to : next()};
        m_rows.parts.push_back(part);
        return part.outputs[0];
    }
    int picked(int row, int place) { return atPlace(RowPart::AtPlace::Picked, {row, place}); }

    int largest(int value) { return combined(value, RT_MAX, m_work); }
    int total(int value) { return combined(value, RT_SUM, DType::Float64); }
    int casted(int value, std::initializer_list<Link> before)
    {
        const int wide = before.size() ? elements(value, DType::Float64, before) : value;
        return m_work == DType::Float64 ? wide : elements(wide, DType::Float64, {{castOp(m_work)}});
    }
    DType work() const { return m_work; }

    RowParts rows(std::vector<int> lines, std::vector<RowParts::Place> places)
    {
        m_rows.axes = {1};
        m_rows.isAlone = true;
        m_rows.lines = std::move(lines);
        m_rows.places = std::move(places);
        return m_rows;
    }

private:
    DType m_work;
    RowParts m_rows;
    std::deque<ScalarProgram> m_programs;
};

struct Exponentials {
    int top, total; ///< of a row: the largest element, and the sum of the exponentials
};

// exp(x - top) and one over its sum, to `out`.
Exponentials softmaxOf(RowSteps &steps, int x, int out)
{
    const int top = steps.largest(x);
    const int powers = steps.elements(x, steps.work(), {{scalarOp(ScalarCode::Sub), top}, {scalarOp(ScalarCode::Exp)}});
    const int total = steps.total(powers), scale = steps.casted(total, {{scalarOp(ScalarCode::Inv)}});
    steps.elements(powers, steps.work(), {{scalarOp(ScalarCode::Mul), scale}}, out);
    return {top, total};
}

// x, b, y: the losses, the softmax, the most likely classes.
void crossentropyOf(RowSteps &steps)
{
    constexpr int x = 0, b = 1, y = 2, loss = 3, softmax = 4, likely = 5;
    const DType work = steps.work();
    const ScalarOpPtr minus = scalarOp(ScalarCode::Sub), plus = scalarOp(ScalarCode::Add);
    const int row = steps.elements(x, work, {{plus, b}});
    const Exponentials powers = softmaxOf(steps, row, softmax);
    const int log = steps.casted(powers.total, {{scalarOp(ScalarCode::Log)}});
    const int wanted = steps.elements(steps.picked(x, y), work, {{plus, steps.picked(b, y)}, {minus, powers.top}});
    steps.elements(log, work, {{minus, wanted}}, loss);
    steps.atPlace(RowPart::AtPlace::Largest, {row}, likely);
}

// g, the softmax, y: the gradient of x.
void crossentropyGradOf(RowSteps &steps)
{
    constexpr int g = 0, softmax = 1, y = 2, dx = 3;
    const int scaled = steps.elements(softmax, steps.work(), {{scalarOp(ScalarCode::Mul), g}});
    const int hit = steps.elements(scaled, steps.work(), {{scalarOp(ScalarCode::Sub), g}});
    steps.atPlace(RowPart::AtPlace::Replaced, {scaled, hit, y}, dx);
}

// Has each of the rows a class, so that no row is without a loss?
bool isOfEachRow(Classes classes, const Dims &rows, const Dims &y)
{
    return y.product() == rows[0] || (classes == Classes::OneOrEach && y.product() == 1);
}

class SoftmaxThunk final : public Thunk, public WorksOnRows {
public:
    SoftmaxThunk(SoftmaxSteps kind, const OpRef &op, const ThunkSpec &spec, Classes classes)
        : m_run(performThunk(op, spec)), m_steps(spec.outputs[0].dtype, static_cast<int>(spec.inputs.size() + spec.outputs.size()))
    {
        const DType work = m_steps.work();
        const bool isOneType =
            std::all_of(spec.inputs.begin(), spec.inputs.end(), [&](const SlotOperand &o) { return !isFloat(o.dtype) || o.dtype == work; });
        if (!isOneType || (work != DType::Float32 && work != DType::Float64)) return;
        const int out = static_cast<int>(spec.inputs.size());
        std::vector<int> lines;
        std::vector<RowParts::Place> places;
        const bool hasClasses = kind == SoftmaxSteps::Crossentropy || kind == SoftmaxSteps::CrossentropyGrad;
        if (hasClasses) {
            const Dims &rows = spec.inputs[kind == SoftmaxSteps::Crossentropy ? 0 : 1].shape;
            if (!isOfEachRow(classes, rows, spec.inputs[2].shape) || rows[1] > std::numeric_limits<int>::max()) return;
            places = {{2, classes != Classes::EachRow}};
        }
        switch (kind) {
        case SoftmaxSteps::Softmax: softmaxOf(m_steps, 0, out); break;
        case SoftmaxSteps::SoftmaxWithBias:
            lines = {1};
            softmaxOf(m_steps, m_steps.elements(0, work, {{scalarOp(ScalarCode::Add), 1}}), out);
            break;
        case SoftmaxSteps::LogSoftmax: {
            const int top = m_steps.largest(0);
            const int powers = m_steps.elements(0, work, {{scalarOp(ScalarCode::Sub), top}, {scalarOp(ScalarCode::Exp)}});
            const int log = m_steps.casted(m_steps.total(powers), {{scalarOp(ScalarCode::Log)}});
            m_steps.elements(0, work, {{scalarOp(ScalarCode::Sub), top}, {scalarOp(ScalarCode::Sub), log}}, out);
            break;
        }
        case SoftmaxSteps::SoftmaxGrad: {
            const int mean = m_steps.casted(m_steps.total(m_steps.elements(0, work, {{scalarOp(ScalarCode::Mul), 1}})), {});
            m_steps.elements(0, work, {{scalarOp(ScalarCode::Sub), mean}, {scalarOp(ScalarCode::Mul), 1}}, out);
            break;
        }
        case SoftmaxSteps::Crossentropy:
            lines = {1};
            crossentropyOf(m_steps);
            break;
        case SoftmaxSteps::CrossentropyGrad:
            if (spec.inputs[0].shape.rank() == 0) lines = {0};
            crossentropyGradOf(m_steps);
            break;
        }
        m_rows = m_steps.rows(std::move(lines), std::move(places));
    }
    void run(Slots slots) override { m_run->run(slots); }
    std::optional<RowParts> rowParts() const override { return m_rows; }

private:
    std::unique_ptr<Thunk> m_run;
    RowSteps m_steps;
    std::optional<RowParts> m_rows;
};

} // namespace

std::unique_ptr<Thunk> softmaxRows(SoftmaxSteps steps, const OpRef &op, const ThunkSpec &spec, Classes classes)
{
    return std::make_unique<SoftmaxThunk>(steps, op, spec, classes);
}

ROW_AXES(Softmax, [](const Softmax &, std::span<const Type>) { return RowAxes{1}; });
ROW_AXES(LogSoftmax, [](const LogSoftmax &, std::span<const Type>) { return RowAxes{1}; });
ROW_AXES(SoftmaxGrad, [](const SoftmaxGrad &, std::span<const Type>) { return RowAxes{1}; });
ROW_AXES(SoftmaxWithBias, [](const SoftmaxWithBias &, std::span<const Type>) { return RowAxes{1}; });
ROW_AXES(CrossentropySoftmaxArgmax1HotWithBias,
         [](const CrossentropySoftmaxArgmax1HotWithBias &, std::span<const Type>) { return RowAxes{1}; });
ROW_AXES(CrossentropySoftmax1HotWithBiasDx, [](const CrossentropySoftmax1HotWithBiasDx &, std::span<const Type>) { return RowAxes{1}; });

} // namespace engine
