// Type and shape rules of the BLAS forms; rewrites make them, so they have no gradient.
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/products/dot.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

void wantRank(const Op &op, std::span<const Operand> inputs, int index, int rank)
{
    const Type type = inputs[index].type;
    if (type.isTensor() && type.rank() == rank) return;
    static constexpr const char *names[] = {"a scalar", "a vector", "a matrix"};
    throw ShapeMismatch("[" + op.name() + "] wants " + names[rank] + " as input " + std::to_string(index) + ", got " + type.text());
}

void wantFloat(const Op &op, std::span<const Operand> inputs)
{
    const DType dtype = inputs[0].type.dtype();
    if (isDiscrete(dtype) || dtype == DType::Float16) throw TypeMismatch("[" + op.name() + "] BLAS has no " + std::string(nameOf(dtype)));
    for (const Operand &input : inputs)
        if (input.type.dtype() != dtype)
            throw TypeMismatch("[" + op.name() + "] wants one dtype, got " + std::string(nameOf(dtype)) + " and " +
                               std::string(nameOf(input.type.dtype())));
}

Cost productCost(const Dims &x, const Dims &z) { return {2.0 * static_cast<double>(x[x.size() - 1]) * static_cast<double>(z.product())}; }

Type matrixType(Type rows, Type columns)
{
    const std::int64_t shape[] = {rows.shape()[0], columns.shape()[1]};
    return Type::tensor(rows.dtype(), shape);
}

} // namespace

std::vector<Type> Dot22::outputTypes(std::span<const Operand> inputs) const
{
    wantRank(*this, inputs, 0, 2);
    wantRank(*this, inputs, 1, 2);
    wantFloat(*this, inputs);
    return {matrixType(inputs[0].type, inputs[1].type)};
}

bool Dot22::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 0), shapes.dim(1, 1)}};
    return true;
}

Cost Dot22::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const { return productCost(inputs[0], outputs[0]); }

std::vector<Type> Dot22Scalar::outputTypes(std::span<const Operand> inputs) const
{
    wantRank(*this, inputs, 0, 2);
    wantRank(*this, inputs, 1, 2);
    wantRank(*this, inputs, 2, 0);
    wantFloat(*this, inputs);
    return {matrixType(inputs[0].type, inputs[1].type)};
}

bool Dot22Scalar::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 0), shapes.dim(1, 1)}};
    return true;
}

Cost Dot22Scalar::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const { return productCost(inputs[0], outputs[0]); }

std::vector<Type> Gemm::outputTypes(std::span<const Operand> inputs) const
{
    wantRank(*this, inputs, 0, 2);
    wantRank(*this, inputs, 1, 0);
    wantRank(*this, inputs, 2, 2);
    wantRank(*this, inputs, 3, 2);
    wantRank(*this, inputs, 4, 0);
    wantFloat(*this, inputs);
    return {inputs[0].type};
}

Cost Gemm::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const { return productCost(inputs[2], outputs[0]); }

std::string Gemv::exactName() const { return std::string(m_c ? "CGemv" : "Gemv") + (m_inplace ? "{inplace}" : "{no_inplace}"); }

std::vector<Type> Gemv::outputTypes(std::span<const Operand> inputs) const
{
    wantRank(*this, inputs, 0, 1);
    wantRank(*this, inputs, 1, 0);
    wantRank(*this, inputs, 2, 2);
    wantRank(*this, inputs, 3, 1);
    wantRank(*this, inputs, 4, 0);
    wantFloat(*this, inputs);
    return {inputs[0].type};
}

Cost Gemv::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const { return productCost(inputs[2], outputs[0]); }

std::string Ger::exactName() const { return std::string(m_c ? "CGer" : "Ger") + (m_inplace ? "{destructive}" : "{non-destructive}"); }

std::vector<Type> Ger::outputTypes(std::span<const Operand> inputs) const
{
    wantRank(*this, inputs, 0, 2);
    wantRank(*this, inputs, 1, 0);
    wantRank(*this, inputs, 2, 1);
    wantRank(*this, inputs, 3, 1);
    wantFloat(*this, inputs);
    return {inputs[0].type};
}

Cost Ger::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    Cost cost;
    cost.flops = 2.0 * static_cast<double>(outputs[0].product());
    for (const Dims &shape : inputs) cost.bytes += static_cast<double>(shape.product()) * 8;
    cost.bytes += static_cast<double>(outputs[0].product()) * 8;
    return cost;
}

namespace {
// The rewrites that put ops there which overwrite their first input.
constexpr std::string_view kInplaceBlas = "InplaceBlasOpt", kInplaceCBlas = "c_blas_destructive";
} // namespace

OP_CARD(Dot22, Product, arity(2));
OP_CARD(Dot22Scalar, Product, arity(3));
OP_CARD(Gemm, Product, arity(5), parameter("inplace", &Gemm::inplace)).inplace([](const Gemm &) -> InplaceForm {
    return {kInplaceBlas, makeOp<Gemm>(true)};
});
OP_CARD(Gemv, Product, arity(5), parameter("inplace", &Gemv::inplace), parameter("c", &Gemv::isC))
    .inplace([](const Gemv &op) -> InplaceForm {
        return {op.isC() ? kInplaceCBlas : kInplaceBlas, makeOp<Gemv>(true, op.isC())};
    })
    .classes({"Gemv", "CGemv"});
OP_CARD(Ger, Product, arity(4), parameter("inplace", &Ger::inplace), parameter("c", &Ger::isC))
    .inplace([](const Ger &op) -> InplaceForm {
        return {op.isC() ? kInplaceCBlas : kInplaceBlas, makeOp<Ger>(true, op.isC())};
    })
    .classes({"Ger", "CGer"})
    .shown("destructive", &Ger::inplace);

NOTATION("dot22(x, y)", makeOp<Dot22>());
NOTATION("dot22scalar(x, y, scale)", makeOp<Dot22Scalar>());
NOTATION("gemm(z, alpha, x, y, beta)", makeOp<Gemm>(false));
NOTATION("gemm_inplace(z, alpha, x, y, beta)", makeOp<Gemm>(true));
NOTATION("gemv(y, alpha, a, x, beta)", makeOp<Gemv>(false, false));
NOTATION("cgemv(y, alpha, a, x, beta)", makeOp<Gemv>(false, true));
NOTATION("cgemv_inplace(y, alpha, a, x, beta)", makeOp<Gemv>(true, true));
NOTATION("ger(a, alpha, x, y)", makeOp<Ger>(false, false));
NOTATION("cger(a, alpha, x, y)", makeOp<Ger>(false, true));
NOTATION("cger_inplace(a, alpha, x, y)", makeOp<Ger>(true, true));
PRETTY(Dot22, [](const Apply &node, PrettyWriter &out) { prettyInfix("\\dot", node, out); });

} // namespace engine
