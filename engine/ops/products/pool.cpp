#include "engine/ops/products/pool.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/indexed.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<const char *, 3> kPoolPasses{"forward", "gradient", "max_grad_grad"};
constexpr std::array<const char *, 4> kModes{"max", "sum", "average_inc_pad", "average_exc_pad"};

} // namespace

std::string_view Pooling::className() const
{
    if (m_info.pass == PoolPass::Forward) return "Pool";
    if (m_info.pass == PoolPass::MaxGradGrad) return "DownsampleFactorMaxGradGrad";
    return m_info.mode == PoolMode::Max ? "MaxPoolGrad" : "AveragePoolGrad";
}

std::string Pooling::exactName() const
{
    return std::string(className()) + "{ignore_border=" + (m_info.ignoreBorder ? "True" : "False") + ", mode='" +
           kModes[indexOf(m_info.mode)] + "', ndim=" + std::to_string(m_info.axes) + "}";
}

std::string Pooling::shortName() const
{
    static constexpr const char *kNames[] = {"max pool", "sum pool", "mean pool", "mean pool"};
    return std::string(kNames[indexOf(m_info.mode)]) + (m_info.pass == PoolPass::Forward ? "" : " grad");
}

std::string Pooling::identity() const { return exactName(); }

// --- types and sizes ----------------------------------------------------------------------------------------

std::vector<Type> Pooling::outputTypes(std::span<const Operand> inputs) const
{
    const int arrays = m_info.arrays();
    const std::string symbol = "[" + shortName() + "] ";
    const Type image = inputs[0].type;
    if (!image.isTensor() || image.rank() < m_info.axes)
        throw ShapeMismatch(symbol + "wants an array of at least " + std::to_string(m_info.axes) + " dimensions, got " + image.text());
    if (isComplex(image.dtype())) throw TypeMismatch(symbol + "wants real numbers, got " + image.text());
    for (int i = 1; i < arrays; ++i) {
        const Type type = inputs[i].type;
        if (!type.isTensor() || type.rank() != image.rank())
            throw ShapeMismatch(symbol + "wants arrays of one rank, got " + image.text() + " and " + type.text());
    }
    for (int i = arrays; i < arrays + 3; ++i) {
        const Type type = inputs[i].type;
        if (!type.isTensor() || type.rank() != 1 || !isInteger(type.dtype()))
            throw TypeMismatch(symbol + "wants window, stride and padding as vectors of integers, got " + type.text());
    }
    std::vector<std::int64_t> shape(image.shape().begin(), image.shape().end());
    const auto leading = shape.end() - m_info.axes;
    if (m_info.pass == PoolPass::Gradient) return {image};
    std::fill(leading, shape.end(), kUnknownDim);
    return {Type::tensor(image.dtype(), shape)};
}

bool Pooling::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape = shapes.sizesOf(0);
    if (m_info.pass == PoolPass::Gradient) {
        outputs = {shape};
        return true;
    }
    if (m_info.pass == PoolPass::MaxGradGrad) {
        outputs = {shapes.sizesOf(1)};
        return true;
    }
    const Sym zero = shapes.constant(0), one = shapes.constant(1);
    const std::size_t first = shape.size() - static_cast<std::size_t>(m_info.axes);
    for (int axis = 0; axis < m_info.axes; ++axis) {
        const std::optional<Sym> window = shapes.value(1, axis), step = shapes.value(2, axis), border = shapes.value(3, axis);
        if (!window || !step || !border) return false;
        Sym &size = shape[first + static_cast<std::size_t>(axis)];
        size = shapes.add(size, shapes.mul(*border, shapes.constant(2)));
        // Windows begin while one fits in whole; else while one reaches a place that none before it did.
        const Sym whole = shapes.add(shapes.floorDiv(shapes.sub(size, *window), *step), one);
        if (m_info.ignoreBorder) {
            size = shapes.max(whole, zero);
            continue;
        }
        const Sym last = shapes.sub(size, one);
        const Sym apart = shapes.add(shapes.floorDiv(last, *step), one);
        const Sym over = shapes.add(shapes.max(shapes.floorDiv(shapes.add(shapes.sub(last, *window), *step), *step), zero), one);
        size = shapes.select(shapes.less(*step, *window), shapes.min(over, size), apart);
    }
    outputs = {shape};
    return true;
}

// --- gradient -----------------------------------------------------------------------------------------------

std::vector<VarRef> Pooling::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const auto arrays = static_cast<std::size_t>(m_info.arrays());
    const std::vector<VarRef> window{node.input(arrays), node.input(arrays + 1), node.input(arrays + 2)};
    const auto by = [&](PoolPass pass, std::vector<VarRef> inputs) {
        PoolInfo info = m_info;
        info.pass = pass;
        inputs.insert(inputs.end(), window.begin(), window.end());
        return pooling(info, std::move(inputs));
    };
    const bool isMax = m_info.mode == PoolMode::Max;
    const VarRef &x = node.input(0), &g = outputGrads[0];
    std::vector<VarRef> result(arrays, VarRef());
    switch (m_info.pass) {
    case PoolPass::Forward:
        if (isDiscrete(x->type().dtype())) result[0] = zerosLike(x, floatX());
        else result[0] = isMax ? by(PoolPass::Gradient, {x, VarRef(node.output(0)), g}) : by(PoolPass::Gradient, {x, g});
        break;
    case PoolPass::Gradient: // which pixels are the largest does not change with them
        result[0] = zerosLike(x);
        if (isMax) result[1] = zerosLike(node.input(1));
        result[arrays - 1] = isMax ? by(PoolPass::MaxGradGrad, {x, node.input(1), g}) : by(PoolPass::Forward, {g});
        break;
    case PoolPass::MaxGradGrad: result = {zerosLike(x), zerosLike(node.input(1)), by(PoolPass::Gradient, {x, node.input(1), g})}; break;
    }
    result.resize(arrays + 3, disconnected());
    return result;
}

std::vector<VarRef> Pooling::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const auto arrays = static_cast<std::size_t>(m_info.arrays());
    const std::size_t moved = arrays - 1; // linear in the last array
    if (!evalPoints[moved]) return {VarRef()};
    const std::vector<VarRef> window{node.input(arrays), node.input(arrays + 1), node.input(arrays + 2)};
    std::vector<VarRef> inputs(node.inputs().begin(), node.inputs().end());
    if (m_info.pass == PoolPass::Forward && m_info.mode == PoolMode::Max) {
        PoolInfo info = m_info;
        info.pass = PoolPass::MaxGradGrad;
        return {pooling(info, {node.input(0), VarRef(node.output(0)), evalPoints[0], window[0], window[1], window[2]})};
    }
    inputs[moved] = evalPoints[moved];
    return {pooling(m_info, std::move(inputs))};
}

std::vector<std::vector<bool>> Pooling::connectionPattern(const Apply &node) const
{
    return connectedInputs(node, static_cast<std::size_t>(m_info.arrays()));
}

// --- running ------------------------------------------------------------------------------------------------

Cost Pooling::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return {static_cast<double>(inputs[0].product())}; }

// --- building -----------------------------------------------------------------------------------------------

VarRef pooling(const PoolInfo &info, std::vector<VarRef> inputs) { return engine::apply(makeOp<Pooling>(info), inputs); }

OP_CARD(
    Pooling, Pooling,
    [](const Op &op) {
        const auto count = static_cast<std::size_t>(static_cast<const Pooling &>(op).info().arrays()) + 3;
        return Arity{count, count};
    },
    WholeOp{[](const Pooling &op, JsonWriter &out) {
                out.member("pass", kPoolPasses[indexOf(op.info().pass)]);
                out.member("mode", kModes[indexOf(op.info().mode)]);
                out.member("axes", op.info().axes);
                out.member("ignore_border", op.info().ignoreBorder);
            },
            [](const OpParameters &from) -> OpRef {
                PoolInfo info;
                info.pass = static_cast<PoolPass>(from.choice("pass", kPoolPasses));
                info.mode = static_cast<PoolMode>(from.choice("mode", kModes));
                if (info.pass == PoolPass::MaxGradGrad && info.mode != PoolMode::Max) from.fail("mode", "'max' was expected");
                info.axes = static_cast<int>(from.integer("axes", 2, 3));
                info.ignoreBorder = from.flag("ignore_border");
                return makeOp<Pooling>(info);
            }})
    .classes({"Pool", "MaxPoolGrad", "AveragePoolGrad", "DownsampleFactorMaxGradGrad"})
    .shown("ndim", [](const Pooling &op) { return op.info().axes; });

namespace {

VarRef equalSizes(std::int64_t size, int axes)
{
    Tensor sizes = Tensor::empty(DType::Int64, Dims{axes});
    std::fill_n(sizes.as<std::int64_t>(), axes, size);
    return Variable::constant(std::move(sizes));
}

NotationBuilder pooled(int axes)
{
    return [axes](NotationCall &call) -> NotationValue {
        const VarRef x = call.variable("x");
        const std::int64_t window = call.integer("ws"), step = call.integer("stride", window), border = call.integer("pad", 0);
        PoolInfo info;
        info.axes = axes;
        info.ignoreBorder = call.flag("ignore_border", true);
        const NotationValue mode = call.value("mode", NotationValue::ofText("max"));
        const auto found = std::find(kModes.begin(), kModes.end(), mode.text);
        if (mode.kind != NotationValue::Kind::Text || found == kModes.end())
            call.failAt(mode, "mode is 'max', 'sum', 'average_inc_pad' or 'average_exc_pad', not " + mode.describe());
        info.mode = static_cast<PoolMode>(found - kModes.begin());
        return pooling(info, {x, equalSizes(window, axes), equalSizes(step, axes), equalSizes(border, axes)});
    };
}

} // namespace

NOTATION("pool_2d(x, ws, stride=ws, pad=0, ignore_border=True, mode='max')", pooled(2));
NOTATION("pool_3d(x, ws, stride=ws, pad=0, ignore_border=True, mode='max')", pooled(3));

} // namespace engine
