#include "engine/ops/elements/random.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rt/mrg31k3p.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kParts = 6; // numbers of a state
constexpr std::int64_t kMostSamples = 2147483647;
// Steps of the generator from which threads share them.
constexpr std::int64_t kSharedSamples = 100'000;
constexpr std::int64_t kSamplesAtOnce = 1 << 23; // between two looks for an interrupt

std::string patternText(const std::vector<bool> &pattern)
{
    std::string text;
    for (const bool isOne : pattern) text += isOne ? '1' : '?';
    return text;
}

Dims sizesIn(const View &view, std::size_t wanted)
{
    const Dense<std::int64_t> sizes = integers(view);
    if (static_cast<std::size_t>(view.shape[0]) != wanted)
        throw ShapeMismatch("size must have length " + std::to_string(wanted) + " (not " + std::to_string(view.shape[0]) + ")");
    return Dims(std::span(sizes.data(), wanted));
}

// Streams are independent of one another.
void draw(int *states, std::int64_t streams, void *samples, std::int64_t count, RtDType dtype)
{
    const RtMrg31k3p loop = rt_mrg31k3p();
    const std::int64_t used = std::min(streams, count);
    if (count < kSharedSamples) {
        loop(states, streams, 0, used, samples, count, dtype);
        return;
    }
    // A sample from each stream some times over: the states are then where those of all samples go on.
    const std::int64_t atOnce = std::max(kSamplesAtOnce / streams, std::int64_t(1)) * streams;
    const std::size_t bytes = dtype == RT_D_F64 ? sizeof(double) : sizeof(float);
    for (std::int64_t drawn = 0; drawn < count; drawn += atOnce) {
        checkInterrupt();
        void *const to = static_cast<char *>(samples) + static_cast<std::size_t>(drawn) * bytes;
        const std::int64_t some = std::min(atOnce, count - drawn), here = std::min(used, some);
        sharePieces(here, pieceFor(here, 64, here),
                    [&](std::int64_t first, std::int64_t end) { loop(states, streams, first, end, to, some, dtype); });
    }
}

std::vector<VarRef> undefinedTerms(const Apply &node)
{
    return std::vector<VarRef>(node.inputs().size(), undefinedGradient("No gradient defined through random sampling op"));
}

using Matrix = std::int64_t[3][3];
// The matrices of the two recurrences to the power 2^72 and 2^134.
constexpr Matrix kFirst72 = {{1516919229, 758510237, 499121365}, {1884998244, 1516919229, 335398200}, {601897748, 1884998244, 358115744}};
constexpr Matrix kSecond72 = {
    {1228857673, 1496414766, 954677935}, {1133297478, 1407477216, 1496414766}, {2002613992, 1639496704, 1407477216}};
constexpr Matrix kFirst134 = {
    {1702500920, 1849582496, 1656874625}, {828554832, 1702500920, 1512419905}, {1143731069, 828554832, 102237247}};
constexpr Matrix kSecond134 = {
    {796789021, 1464208080, 607337906}, {1241679051, 1431130166, 1464208080}, {1401213391, 1178684362, 1431130166}};
constexpr std::int64_t kModulus1 = 2147483647, kModulus2 = 2147462579;

void multiply(const Matrix &matrix, std::int64_t modulus, const std::int64_t *from, std::int64_t *to)
{
    for (int row = 0; row < 3; ++row) {
        std::int64_t sum = 0;
        for (int column = 0; column < 3; ++column) sum += matrix[row][column] * from[column] % modulus;
        to[row] = sum % modulus;
    }
}

} // namespace

std::vector<Type> MrgUniform::outputTypes(std::span<const Operand> inputs) const
{
    const Type states = inputs[0].type, size = inputs[1].type;
    if (!states.isTensor() || states.rank() != 2 || states.dtype() != DType::Int32)
        throw TypeMismatch("[mrg_uniform] the states must be an int32 matrix, got " + states.text());
    if (!size.isTensor() || size.rank() != 1 || !isDiscrete(size.dtype()))
        throw TypeMismatch("[mrg_uniform] size must be a vector of integers, got " + size.text());
    Type sample = Type::broadcastable(m_dtype, m_pattern);
    if (inputs[1].constant && inputs[1].constant->tensor().size() == sample.rank()) {
        std::vector<std::int64_t> sizes(sample.shape().begin(), sample.shape().end());
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (const std::int64_t known = inputs[1].constant->tensor().intAt(static_cast<std::int64_t>(i)); known > 1) sizes[i] = known;
        sample = Type::tensor(m_dtype, sizes);
    }
    return {states, sample};
}

bool MrgUniform::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape sample;
    for (std::size_t i = 0; i < m_pattern.size(); ++i) {
        const auto size = shapes.value(1, static_cast<int>(i));
        if (!size) return false;
        sample.push_back(*size);
    }
    outputs = {shapes.sizesOf(0), std::move(sample)};
    return true;
}

std::vector<VarRef> MrgUniform::gradient(const Apply &node, std::span<const VarRef>) const { return undefinedTerms(node); }

// A sample is one product; the steps of the generator are work on integers.
Cost MrgUniform::cost(std::span<const Dims>, std::span<const Dims> outputs) const { return {static_cast<double>(outputs[1].product())}; }

std::int64_t MrgUniform::samplesOf(const Dims &states, const Dims &sizes) const
{
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0) throw ShapeMismatch("[mrg_uniform] a size is negative: " + sizes.text());
        if (m_pattern[i] && sizes[i] != 1)
            throw ShapeMismatch("[mrg_uniform] size " + std::to_string(i) + " was known to be 1 and is " + std::to_string(sizes[i]));
    }
    if (states[1] != kParts) throw ShapeMismatch("rstate must have 6 columns, got " + std::to_string(states[1]));
    const std::int64_t count = sizes.product();
    if (count > kMostSamples) throw ShapeMismatch("rng_mrg does not support more then (2**31 -1) samples");
    if (states[0] == 0 && count > 0) throw ShapeMismatch("rstate has no streams to draw " + std::to_string(count) + " samples from");
    return count;
}

void MrgUniform::perform(PerformArgs &args) const
{
    const View &before = args.inputs[0];
    const Dims sizes = sizesIn(args.inputs[1], m_pattern.size());
    const std::int64_t streams = before.shape[0], count = samplesOf(shapeOfView(before), sizes);
    const View &after = output(args, 0, shapeOfView(before));
    if (after.data != before.data) copyConverted(before, after);
    const View &sample = output(args, 1, sizes);
    Tensor apart;
    if (!after.isContiguous()) {
        apart = Tensor::empty(DType::Int32, shapeOfView(after));
        copyConverted(after, apart.view());
    }
    int *states = apart.valid() ? apart.as<int>() : after.as<int>();
    if (m_dtype == DType::Float16) {
        // Half precision tells fewer numbers apart: the low bits alone are drawn, and never 0.
        std::vector<int> drawn(static_cast<std::size_t>(count));
        draw(states, streams, drawn.data(), count, RT_D_I32);
        const double unit = halfToFloat(floatToHalf(3.0458e-05f));
        DenseOutput<Half> values(sample, DType::Float16);
        for (std::int64_t i = 0; i < count; ++i) values[i] = doubleToHalf(((drawn[i] & 0x7fff) + 1) * unit);
        values.finish();
    } else {
        withFloat(m_dtype, [&]<class T>(DType dtype) {
            DenseOutput<T> values(sample, dtype);
            draw(states, streams, values.data(), count, dtype == DType::Float64 ? RT_D_F64 : RT_D_F32);
            values.finish();
        });
    }
    if (apart.valid()) copyConverted(apart.view(), after);
}

std::string MrgUniform::exactName() const
{
    return "mrg_uniform{" + Type::ofRank(m_dtype, static_cast<int>(m_pattern.size())).text() + (m_inplace ? ",inplace}" : ",no_inplace}");
}
std::string MrgUniform::identity() const { return exactName() + patternText(m_pattern); }

Tensor mrgSubstreams(std::span<const std::int64_t> state, std::int64_t count)
{
    Tensor result = Tensor::empty(DType::Int32, Dims{count, kParts});
    std::int64_t now[kParts], next[kParts];
    std::copy(state.begin(), state.end(), now);
    int *rows = result.as<int>();
    for (std::int64_t row = 0; row < count; ++row) {
        for (std::int64_t part = 0; part < kParts; ++part) rows[row * kParts + part] = static_cast<int>(now[part]);
        multiply(kFirst72, kModulus1, now, next);
        multiply(kSecond72, kModulus2, now + 3, next + 3);
        std::copy(next, next + kParts, now);
    }
    return result;
}

std::vector<std::int64_t> mrgNextStream(std::span<const std::int64_t> state)
{
    std::vector<std::int64_t> next(kParts);
    multiply(kFirst134, kModulus1, state.data(), next.data());
    multiply(kSecond134, kModulus2, state.data() + 3, next.data() + 3);
    return next;
}

// --- samples of uniform numbers -----------------------------------------------------------------------

std::vector<Type> FromUniform::outputTypes(std::span<const Operand> inputs) const
{
    const Type p = inputs[0].type, uniform = inputs[1].type, n = inputs[2].type;
    const std::string who = "[" + std::string(className()) + "] ";
    if (!p.isTensor() || p.rank() != 2 || isComplex(p.dtype())) throw TypeMismatch(who + "pvals ndim should be 2, got " + p.text());
    if (!uniform.isTensor() || uniform.rank() != 1 || isComplex(uniform.dtype()))
        throw TypeMismatch(who + "unis ndim should be 1, got " + uniform.text());
    if (!n.isTensor() || n.rank() != 0 || !isDiscrete(n.dtype())) throw TypeMismatch(who + "n must be an integer, got " + n.text());
    const bool isChoice = m_kind == Kind::Choice;
    const DType dtype = m_dtype.value_or(isChoice ? DType::Int64 : p.dtype());
    return {isChoice ? Type::broadcastable(dtype, p.pattern()) : Type::tensor(dtype, p.shape())};
}

bool FromUniform::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    if (m_kind == Kind::Multinomial) {
        outputs = {shapes.sizesOf(0)};
        return true;
    }
    const auto n = shapes.value(2);
    if (!n) return false;
    outputs = {{shapes.dim(0, 0), *n}};
    return true;
}

std::vector<SizeRule> FromUniform::sizeRules(ShapeBuilder &shapes) const
{
    const auto n = shapes.value(2);
    if (!n) return {};
    return {{shapes.dim(1, 0), shapes.mul(shapes.dim(0, 0), *n), 1, 0, 0, 0, "unis.shape[0] != pvals.shape[0] * n"}};
}

std::vector<VarRef> FromUniform::gradient(const Apply &node, std::span<const VarRef>) const
{
    std::vector<VarRef> terms;
    for (const VarRef &input : node.inputs())
        terms.push_back(isDiscrete(input->type().dtype()) ? zerosLike(input, floatX()) : zerosLike(input));
    return terms;
}

// Sums and comparisons: of all outcomes at most.
Cost FromUniform::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    const auto rows = static_cast<double>(std::max<std::int64_t>(inputs[0][0], 1));
    return {2 * static_cast<double>(inputs[0].product()) * static_cast<double>(inputs[1][0]) / rows};
}

namespace {

// Outcome `wanted` falls into, by the sums of the probabilities; -1: they do not reach it. `below`: the sum before it.
template <class T>
std::int64_t outcomeOf(const T *p, std::int64_t outcomes, double wanted, double &below)
{
    double sum = 0;
    for (std::int64_t m = 0; m < outcomes; ++m) {
        below = sum;
        sum += static_cast<double>(p[m]);
        if (sum > wanted) return m;
    }
    return -1;
}

// Without what came up: the others share its probability.
template <class T>
void takeOut(T *p, std::int64_t outcomes, std::int64_t taken, double below)
{
    T sum = static_cast<T>((below + static_cast<double>(p[taken])) - static_cast<double>(p[taken]));
    p[taken] = 0;
    for (std::int64_t m = taken; m < outcomes; ++m) sum = sum + p[m];
    for (std::int64_t m = 0; m < outcomes; ++m) p[m] = p[m] / sum;
}

} // namespace

void FromUniform::perform(PerformArgs &args) const
{
    const bool isChoice = m_kind == Kind::Choice;
    const View &p = args.inputs[0];
    const std::int64_t rows = p.shape[0], outcomes = p.shape[1], n = integers(args.inputs[2])[0];
    if (isChoice && n > outcomes && !m_replace)
        throw ShapeMismatch("Cannot sample without replacement n samples bigger than the size of the distribution: " + std::to_string(n) +
                            " of " + std::to_string(outcomes));
    if (args.inputs[1].shape[0] != rows * n)
        throw ShapeMismatch("unis.shape[0] != pvals.shape[0] * n: " + std::to_string(args.inputs[1].shape[0]) + " and " +
                            std::to_string(rows) + " * " + std::to_string(n));
    const Dense<double> uniform(args.inputs[1], DType::Float64);
    const View &out = output(args, 0, isChoice ? Dims{rows, n} : Dims{rows, outcomes});
    DenseOutput<double> result(out, DType::Float64);
    std::fill_n(result.data(), rows * (isChoice ? n : outcomes), isChoice ? -1.0 : 0.0);
    withFloat(p.dtype == DType::Float32 || p.dtype == DType::Float16 ? DType::Float32 : DType::Float64, [&]<class T>(DType dtype) {
        Tensor own = Tensor::empty(dtype, Dims{rows, outcomes}); // a choice changes it
        copyConverted(p, own.view());
        Pace pace;
        for (std::int64_t trial = 0; trial < n; ++trial)
            for (std::int64_t row = 0; row < rows; ++row) {
                pace.did(outcomes);
                T *distribution = own.as<T>() + row * outcomes;
                double below = 0;
                const std::int64_t outcome = outcomeOf(distribution, outcomes, uniform[trial * rows + row], below);
                if (outcome < 0) continue;
                if (!isChoice) {
                    ++result[row * outcomes + outcome];
                    continue;
                }
                result[row * n + trial] = static_cast<double>(outcome);
                if (!m_replace && trial + 1 < n) takeOut(distribution, outcomes, outcome, below);
            }
    });
    result.finish();
}

std::string FromUniform::exactName() const
{
    return std::string(className()) + "{" + (m_dtype ? std::string(nameOf(*m_dtype)) : "auto") + "}";
}
std::string FromUniform::identity() const { return exactName() + (m_replace ? " replaces" : ""); }

std::vector<VarRef> mrgUniform(const VarRef &states, const VarRef &size, std::vector<bool> pattern, DType dtype)
{
    if (dtype != DType::Float16 && dtype != DType::Float32 && dtype != DType::Float64)
        throw TypeMismatch("[mrg_uniform] samples are float16, float32 or float64, not " + std::string(nameOf(dtype)));
    const VarRef inputs[] = {states, size};
    const ApplyRef made = Apply::create(makeOp<MrgUniform>(dtype, std::move(pattern), false), inputs);
    return {VarRef(made->output(0)), VarRef(made->output(1))};
}

VarRef multinomialFromUniform(const VarRef &distributions, const VarRef &uniform, const VarRef &n, std::optional<DType> dtype)
{
    return engine::apply(makeOp<FromUniform>(FromUniform::Kind::Multinomial, dtype), {distributions, uniform, n});
}

VarRef choiceFromUniform(const VarRef &distributions, const VarRef &uniform, const VarRef &n, std::optional<DType> dtype, bool replace)
{
    return engine::apply(makeOp<FromUniform>(FromUniform::Kind::Choice, dtype, replace), {distributions, uniform, n});
}

OP_CARD(MrgUniform, Random, arity(2), parameter("dtype", &MrgUniform::dtype), parameter("pattern", &MrgUniform::pattern),
        parameter("inplace", &MrgUniform::inplace))
    .inplace([](const MrgUniform &op) -> InplaceForm {
        return {"random_make_inplace_mrg", makeOp<MrgUniform>(op.dtype(), op.pattern(), true)};
    });
OP_CARD(FromUniform, Random, arity(3), choice("kind", &FromUniform::kind, FromUniform::kNames), parameter("dtype", &FromUniform::dtype),
        parameter("replace", &FromUniform::replace))
    .classes({FromUniform::kNames.begin(), FromUniform::kNames.end()})
    .shown("odtype", [](const FromUniform &op) { return op.dtype() ? std::string(nameOf(*op.dtype())) : "auto"; });

// The sample alone, or all that a draw gives.
NOTATION("mrg_uniform(states, n0, n1, …, inplace=False, dtype=floatX)", [](NotationCall &call) -> NotationValue {
    const VarRef states = call.variable("states");
    const std::vector<VarRef> sizes = call.sizes();
    std::vector<bool> pattern;
    for (const VarRef &size : sizes) pattern.push_back(scalarConstantValue(size) == 1);
    const VarRef inputs[] = {states, makeVector(sizes)};
    const bool inplace = call.flag("inplace", false);
    const ApplyRef made = Apply::create(makeOp<MrgUniform>(call.dtype("dtype", call.floatX()), std::move(pattern), inplace), inputs);
    return VarRef(made->output(1));
});
NOTATION("multinomial_of(p, uniform, n=1)", [](NotationCall &call) -> NotationValue {
    const VarRef p = call.variable("p"), uniform = call.variable("uniform");
    return multinomialFromUniform(p, uniform, call.variableIfGiven("n").value_or(literal(std::int64_t{1})), {});
});
NOTATION("choice_of(p, uniform, n=1)", [](NotationCall &call) -> NotationValue {
    const VarRef p = call.variable("p"), uniform = call.variable("uniform");
    return choiceFromUniform(p, uniform, call.variableIfGiven("n").value_or(literal(std::int64_t{1})), {}, false);
});

} // namespace engine
