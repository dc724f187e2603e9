#include "engine/ops/reductions/cumulative.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

namespace engine {

std::string CumOp::exactName() const
{
    return "CumOp{" + (m_axis ? std::to_string(*m_axis) : std::string("None")) + (m_product ? ", mul}" : ", add}");
}

std::vector<Type> CumOp::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    const std::string symbol = m_product ? "[cumprod] " : "[cumsum] ";
    if (!type.isTensor()) throw TypeMismatch(symbol + "wants a tensor, got " + type.text());
    if (!m_axis) return {Type::ofRank(type.dtype(), 1)};
    if (*m_axis < 0 || *m_axis >= type.rank())
        throw ShapeMismatch(symbol + "axis " + std::to_string(*m_axis) + " is out of range for " + type.text());
    return {type};
}

bool CumOp::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape shape;
    Sym total = shapes.constant(1);
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        shape.push_back(shapes.dim(0, axis));
        total = shapes.mul(total, shape.back());
    }
    outputs = {m_axis ? shape : SymShape{total}};
    return true;
}

std::vector<VarRef> CumOp::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX())};
    const auto backwards = [&](const VarRef &a) {
        std::vector<IndexItem> items(static_cast<std::size_t>(m_axis.value_or(0)), IndexItem::slice());
        items.push_back(IndexItem::slice({}, {}, constantOf(DType::Int64, -1)));
        return subtensor(a, items);
    };
    const auto restored = [&](const VarRef &a) { return m_axis ? a : reshape(a, shape(x), x->type().rank()); };
    const OpRef running = makeOp<CumOp>(m_axis.value_or(0), false);
    VarRef g = outputGrads[0];
    if (m_product) g = mul(VarRef(node.output(0)), g);
    g = restored(backwards(engine::apply(running, {backwards(g)})));
    return {m_product ? trueDiv(g, x) : g};
}

std::vector<VarRef> CumOp::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    if (!m_product) return {engine::apply(node.opRef(), {evalPoints[0]})};
    // d Π = Π · Σ v/x
    return {mul(VarRef(node.output(0)), engine::apply(makeOp<CumOp>(m_axis, false), {trueDiv(evalPoints[0], node.input(0))}))};
}

void CumOp::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const Dims shape = m_axis ? shapeOfView(x) : Dims{x.size()};
    const View &out = output(args, 0, shape);
    std::int64_t outer = 1, inner = 1;
    const std::int64_t length = m_axis ? x.shape[*m_axis] : x.size();
    for (int axis = 0; m_axis && axis < x.rank; ++axis) (axis < *m_axis ? outer : inner) *= axis == *m_axis ? 1 : x.shape[axis];
    const auto run = [&]<class T>(DType work) {
        const Dense<T> in(x, work);
        DenseOutput<T> result(out, work);
        Pace pace;
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < length; ++i) {
                pace.did(inner);
                for (std::int64_t k = 0; k < inner; ++k) {
                    const std::int64_t place = (o * length + i) * inner + k;
                    if (i == 0) result[place] = in[place];
                    else if (m_product) result[place] = static_cast<T>(result[place - inner] * in[place]);
                    else result[place] = static_cast<T>(result[place - inner] + in[place]);
                }
            }
        result.finish();
    };
    switch (x.dtype) {
    case DType::Float16:
    case DType::Float32: run.template operator()<float>(DType::Float32); break;
    case DType::Float64: run.template operator()<double>(DType::Float64); break;
    case DType::Complex64:
    case DType::Complex128: run.template operator()<std::complex<double>>(DType::Complex128); break;
    default: run.template operator()<std::int64_t>(DType::Int64); break; // wraps when it is put back, as NumPy does
    }
}

namespace {

VarRef running(const VarRef &a, std::optional<int> axis, bool isProduct)
{
    if (axis && *axis < 0) axis = *axis + a->type().rank();
    return engine::apply(makeOp<CumOp>(axis, isProduct), {a->type().dtype() == DType::Bool ? cast(a, DType::Int64) : a});
}

} // namespace

VarRef cumsum(const VarRef &a, std::optional<int> axis) { return running(a, axis, false); }
VarRef cumprod(const VarRef &a, std::optional<int> axis) { return running(a, axis, true); }

OP_CARD(CumOp, Cumulative, arity(1), axis("axis", &CumOp::axis), parameter("product", &CumOp::isProduct))
    .shown("mode", [](const CumOp &op) { return op.isProduct() ? "mul" : "add"; });

NOTATION("cumsum(x, axis=None)", cumsum);
NOTATION("cumprod(x, axis=None)", cumprod);

} // namespace engine
