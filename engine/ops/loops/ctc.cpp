#include "engine/ops/loops/ctc.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double logSum(double a, double b)
{
    if (a < b) std::swap(a, b);
    return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

/// One example: its labels with nothing (0) before, between and behind them, and the logarithms of what each step says.
class Example {
public:
    Example(const std::vector<std::int64_t> &labels, std::int64_t times, std::int64_t classes) : m_times(times), m_classes(classes)
    {
        for (const std::int64_t label : labels) m_states.insert(m_states.end(), {0, label});
        m_states.push_back(0);
        m_log.resize(static_cast<std::size_t>(times * classes));
    }

    /// `step` rows of activations lie `stride` elements apart.
    template <class T>
    void read(const T *activations, std::int64_t stride)
    {
        for (std::int64_t t = 0; t < m_times; ++t) {
            const T *from = activations + t * stride;
            const double most = *std::max_element(from, from + m_classes);
            double sum = 0;
            for (std::int64_t c = 0; c < m_classes; ++c) sum += std::exp(static_cast<double>(from[c]) - most);
            for (std::int64_t c = 0; c < m_classes; ++c) at(t, c) = static_cast<double>(from[c]) - most - std::log(sum);
        }
    }

    /// -log of the probability of the labels.
    double cost()
    {
        const std::size_t count = m_states.size();
        m_before.assign(static_cast<std::size_t>(m_times) * count, kNever);
        m_behind = m_before;
        if (m_times == 0) return count == 1 ? 0 : -kNever;
        for (std::int64_t t = 0; t < m_times; ++t)
            for (std::size_t s = 0; s < count; ++s) {
                double sum = kNever;
                if (t == 0) {
                    if (s < 2) sum = 0;
                } else {
                    sum = before(t - 1, s);
                    if (s > 0) sum = logSum(sum, before(t - 1, s - 1));
                    if (mayJumpTo(s)) sum = logSum(sum, before(t - 1, s - 2));
                }
                before(t, s) = sum + at(t, m_states[s]);
            }
        for (std::int64_t t = m_times; t-- > 0;)
            for (std::size_t s = count; s-- > 0;) {
                double sum = kNever;
                if (t + 1 == m_times) {
                    if (s + 2 >= count) sum = 0;
                } else {
                    sum = behind(t + 1, s) + at(t + 1, m_states[s]);
                    if (s + 1 < count) sum = logSum(sum, behind(t + 1, s + 1) + at(t + 1, m_states[s + 1]));
                    if (s + 2 < count && mayJumpTo(s + 2)) sum = logSum(sum, behind(t + 1, s + 2) + at(t + 1, m_states[s + 2]));
                }
                behind(t, s) = sum;
            }
        m_total = before(m_times - 1, count - 1);
        if (count > 1) m_total = logSum(m_total, before(m_times - 1, count - 2));
        return -m_total;
    }

    /// Of the cost for the activations: what softmax says less what the labels want. Nothing where the labels cannot be said at all.
    template <class T>
    void gradient(T *result, std::int64_t stride) const
    {
        std::vector<double> wanted(static_cast<std::size_t>(m_classes));
        for (std::int64_t t = 0; t < m_times; ++t) {
            T *to = result + t * stride;
            if (m_total == kNever) {
                std::fill_n(to, m_classes, T(0));
                continue;
            }
            std::fill(wanted.begin(), wanted.end(), 0);
            for (std::size_t s = 0; s < m_states.size(); ++s) {
                const auto place = static_cast<std::size_t>(t) * m_states.size() + s;
                wanted[m_states[s]] += std::exp(m_before[place] + m_behind[place] - m_total);
            }
            for (std::int64_t c = 0; c < m_classes; ++c) to[c] = static_cast<T>(std::exp(m_log[t * m_classes + c]) - wanted[c]);
        }
    }

private:
    double &at(std::int64_t t, std::int64_t c) { return m_log[t * m_classes + c]; }
    double &before(std::int64_t t, std::size_t s) { return m_before[static_cast<std::size_t>(t) * m_states.size() + s]; }
    double &behind(std::int64_t t, std::size_t s) { return m_behind[static_cast<std::size_t>(t) * m_states.size() + s]; }
    /// Past nothing, from another label.
    bool mayJumpTo(std::size_t s) const { return s > 1 && m_states[s] != 0 && m_states[s] != m_states[s - 2]; }

    std::int64_t m_times, m_classes;
    std::vector<std::int64_t> m_states;
    std::vector<double> m_log, m_before, m_behind;
    double m_total = kNever;
};

} // namespace

std::vector<Type> Ctc::outputTypes(std::span<const Operand> inputs) const
{
    const Type activations = inputs[0].type, labels = inputs[1].type, lengths = inputs[2].type;
    if (!activations.isTensor() || activations.rank() != 3 ||
        (activations.dtype() != DType::Float32 && activations.dtype() != DType::Float64))
        throw TypeMismatch("[ctc] activations are float32 or float64 of time × batch × classes, got " + activations.text());
    if (!labels.isTensor() || labels.rank() != 2 || !isInteger(labels.dtype()))
        throw TypeMismatch("[ctc] labels are a matrix of integers, got " + labels.text());
    if (!lengths.isTensor() || lengths.rank() != 1 || !isInteger(lengths.dtype()))
        throw TypeMismatch("[ctc] the lengths are a vector of integers, got " + lengths.text());
    return {Type::ofRank(activations.dtype(), 1), activations};
}

bool Ctc::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 1)}, shapes.sizesOf(0)};
    return true;
}

Cost Ctc::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    return {40.0 * static_cast<double>(inputs[0].product()) +
            80.0 * static_cast<double>(inputs[0][0]) * static_cast<double>(inputs[1].product())};
}

std::vector<VarRef> Ctc::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    if (!isDisconnected(outputGrads[1])) {
        const VarRef why = undefinedGradient("of ctc only the costs have a gradient");
        return {why, disconnected(), disconnected()};
    }
    const VarRef perExample = dimshuffle(outputGrads[0], {DimShuffle::kNewAxis, 0, DimShuffle::kNewAxis});
    return {mul(perExample, VarRef(node.output(1))), disconnected(), disconnected()};
}

void Ctc::perform(PerformArgs &args) const
{
    const View &activations = args.inputs[0];
    const std::int64_t times = activations.shape[0], batch = activations.shape[1], classes = activations.shape[2];
    const Dense<std::int64_t> labels = integers(args.inputs[1]), lengths = integers(args.inputs[2]);
    const std::int64_t most = args.inputs[1].shape[1];
    if (args.inputs[1].shape[0] != batch || args.inputs[2].size() != batch)
        throw ShapeMismatch("[ctc] activations of " + std::to_string(batch) + " examples have labels of " +
                            std::to_string(args.inputs[1].shape[0]) + " and lengths of " + std::to_string(args.inputs[2].size()));
    const View &costs = output(args, 0, Dims{batch}), &gradients = output(args, 1, shapeOfView(activations));
    withFloat(activations.dtype, [&]<class T>(DType dtype) {
        const Dense<T> values(activations, dtype);
        DenseOutput<T> cost(costs, dtype), gradient(gradients, dtype);
        std::fill_n(gradient.data(), activations.size(), T(0));
        for (std::int64_t b = 0; b < batch; ++b) {
            checkInterrupt();
            if (lengths[b] < 0 || lengths[b] > times)
                throw ShapeMismatch("[ctc] example " + std::to_string(b) + " has length " + std::to_string(lengths[b]) + " of " +
                                    std::to_string(times) + " steps");
            std::vector<std::int64_t> said;
            for (std::int64_t i = 0; i < most && labels[b * most + i] >= 0; ++i) {
                if (labels[b * most + i] == 0 || labels[b * most + i] >= classes)
                    throw OutOfBounds("[ctc] label " + std::to_string(labels[b * most + i]) + " of example " + std::to_string(b) +
                                      " is none of 1 to " + std::to_string(classes - 1));
                said.push_back(labels[b * most + i]);
            }
            Example example(said, lengths[b], classes);
            example.read(values.data() + b * classes, batch * classes);
            cost[b] = static_cast<T>(example.cost());
            example.gradient(gradient.data() + b * classes, batch * classes);
        }
        cost.finish();
        gradient.finish();
    });
}

VarRef ctc(const VarRef &activations, const VarRef &labels, const VarRef &lengths)
{
    const VarRef inputs[] = {activations, labels, lengths};
    return VarRef(Apply::create(makeOp<Ctc>(), inputs)->output(0));
}

OP_CARD(Ctc, Other, arity(3));
NOTATION("ctc(activations, labels, lengths)", ctc);

} // namespace engine
