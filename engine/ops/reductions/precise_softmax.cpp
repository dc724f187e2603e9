// Softmax and the cross-entropies with more digits than their dtypes have.
#include "engine/graph/op/precise_form.h"
#include "engine/ops/reductions/softmax.h"

#include <algorithm>

namespace engine {
namespace {

Precise expOf(const Precise &x) { return *preciseValue(*scalarOp(ScalarCode::Exp), {&x, 1}, DType::Float64); }
Precise logOf(const Precise &x) { return *preciseValue(*scalarOp(ScalarCode::Log), {&x, 1}, DType::Float64); }

struct RowsOf {
    std::int64_t rows, columns;
    explicit RowsOf(const PreciseArray &a) : rows(a.shape[0]), columns(a.shape[1]) {}
};

// x, with b added to each row where there is one.
PreciseArray biased(const PreciseArray &x, const PreciseArray *b)
{
    PreciseArray out = x;
    if (b)
        for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += b->values[i % b->values.size()];
    return out;
}

Precise shiftOf(const Precise *row, std::int64_t columns) { return *std::max_element(row, row + columns); }

PreciseArray preciseSoftmax(PreciseArray x)
{
    const RowsOf size(x);
    for (std::int64_t r = 0; r < size.rows && size.columns > 0; ++r) {
        Precise *row = x.values.data() + r * size.columns;
        const Precise shift = shiftOf(row, size.columns);
        Precise total;
        for (std::int64_t i = 0; i < size.columns; ++i) total += row[i] = expOf(row[i] - shift);
        for (std::int64_t i = 0; i < size.columns; ++i) row[i] = row[i] / total;
    }
    return x;
}

PreciseArray logSoftmaxOf(PreciseArray x)
{
    const RowsOf size(x);
    for (std::int64_t r = 0; r < size.rows && size.columns > 0; ++r) {
        Precise *row = x.values.data() + r * size.columns;
        const Precise shift = shiftOf(row, size.columns);
        Precise total;
        for (std::int64_t i = 0; i < size.columns; ++i) total += expOf(row[i] - shift);
        const Precise logarithm = logOf(total);
        for (std::int64_t i = 0; i < size.columns; ++i) row[i] = (row[i] - shift) - logarithm;
    }
    return x;
}

// The class of a row; as indices take them, where one may stand for all, and negative ones count from the end.
std::int64_t classOf(const Tensor &y, std::int64_t row, std::int64_t columns)
{
    const std::int64_t one = y.intAt(y.size() == 1 ? 0 : row);
    return one < 0 ? one + columns : one;
}

void softmaxForm(PreciseCall &call)
{
    call.needAll();
    call.set(0, preciseSoftmax(biased(call.input(0), call.inputs.size() > 1 ? call.inputs[1].get() : nullptr)));
}

void logSoftmaxForm(PreciseCall &call)
{
    call.needAll();
    call.set(0, logSoftmaxOf(call.input(0)));
}

void softmaxGradForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &g = call.input(0), &p = call.input(1);
    const RowsOf size(p);
    PreciseArray out = PreciseArray::sized(p.shape);
    for (std::int64_t r = 0; r < size.rows; ++r) {
        const std::int64_t first = r * size.columns, end = first + size.columns;
        Precise total;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) total += g.values[i] * p.values[i];
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
            out.values[i] = (g.values[i] - total) * p.values[i];
    }
    call.set(0, std::move(out));
}

void oneHotForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &p = call.input(0);
    const RowsOf size(p);
    PreciseArray out = PreciseArray::sized({size.rows});
    for (std::int64_t r = 0; r < size.rows; ++r)
        out.values[r] = -logOf(p.values[r * size.columns + classOf(call.values[1].tensor(), r, size.columns)]);
    call.set(0, std::move(out));
}

void oneHotGradForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &g = call.input(0), &p = call.input(1);
    const RowsOf size(p);
    PreciseArray out = PreciseArray::sized(p.shape);
    for (std::int64_t r = 0; r < size.rows; ++r) {
        const auto place = static_cast<std::size_t>(r * size.columns + classOf(call.values[2].tensor(), r, size.columns));
        out.values[place] = -g.values[r] / p.values[place];
    }
    call.set(0, std::move(out));
}

void fusedForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray x = biased(call.input(0), call.inputs[1].get()), logarithms = logSoftmaxOf(x);
    const std::int64_t columns = x.shape[1];
    PreciseArray loss = PreciseArray::sized(call.results[0].tensor().shape());
    for (std::size_t r = 0; r < loss.values.size(); ++r) {
        const auto row = static_cast<std::int64_t>(r);
        loss.values[r] = -logarithms.values[row * columns + classOf(call.values[2].tensor(), row, columns)];
    }
    call.set(0, std::move(loss));
    call.set(1, preciseSoftmax(x));
}

void fusedGradForm(PreciseCall &call)
{
    call.needAll();
    const PreciseArray &g = call.input(0), &p = call.input(1);
    const Tensor &y = call.values[2].tensor();
    const bool firstRows = static_cast<const CrossentropySoftmax1HotWithBiasDx &>(call.op).classes() == Classes::FirstRows;
    const std::int64_t columns = p.shape[1], losses = firstRows ? y.size() : p.shape[0];
    PreciseArray out = PreciseArray::sized(p.shape);
    for (std::int64_t r = 0; r < losses; ++r) {
        const Precise &scale = g.values[g.values.size() == 1 ? 0 : static_cast<std::size_t>(r)];
        const auto first = static_cast<std::size_t>(r * columns);
        for (std::size_t i = first; i < first + static_cast<std::size_t>(columns); ++i) out.values[i] = scale * p.values[i];
        Precise &hit = out.values[first + static_cast<std::size_t>(classOf(y, r, columns))];
        hit = hit - scale;
    }
    call.set(0, std::move(out));
}

PRECISE_FORM(Softmax, softmaxForm);
PRECISE_FORM(SoftmaxWithBias, softmaxForm);
PRECISE_FORM(LogSoftmax, logSoftmaxForm);
PRECISE_FORM(SoftmaxGrad, softmaxGradForm);
PRECISE_FORM(CrossentropyCategorical1Hot, oneHotForm);
PRECISE_FORM(CrossentropyCategorical1HotGrad, oneHotGradForm);
PRECISE_FORM(CrossentropySoftmaxArgmax1HotWithBias, fusedForm);
PRECISE_FORM(CrossentropySoftmax1HotWithBiasDx, fusedGradForm);

} // namespace
} // namespace engine
