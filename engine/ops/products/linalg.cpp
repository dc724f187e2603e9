#include "engine/ops/products/linalg.h"

#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"

namespace engine {
namespace {

bool isLinear(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64 || isComplex(dtype); }

void wantLinear(const char *symbol, Type type, int fewest, int most)
{
    const std::string name = std::string("[") + symbol + "] ";
    if (!type.isTensor() || type.rank() < fewest || type.rank() > most)
        throw ShapeMismatch(name + "wants " + (most == 2 && fewest == 2 ? "a matrix" : "a vector or a matrix") + ", got " + type.text());
    if (!isLinear(type.dtype()))
        throw TypeMismatch(name + "works in float32, float64 and complex numbers, got " + type.text(), "cast it, to float64 say");
}
Type matrixOperand(const char *symbol, const Operand &operand)
{
    wantLinear(symbol, operand.type, 2, 2);
    return operand.type;
}
void wantOneDType(const char *symbol, Type a, Type b)
{
    if (a.dtype() != b.dtype())
        throw TypeMismatch(std::string("[") + symbol + "] wants arrays of one dtype, got " + a.text() + " and " + b.text());
}

/// Integers become float64.
VarRef linear(const VarRef &a) { return a->type().isTensor() && isDiscrete(a->type().dtype()) ? cast(a, DType::Float64) : a; }
/// Both in the dtype that holds them.
std::array<VarRef, 2> linear(const VarRef &a, const VarRef &b)
{
    const VarRef x = linear(a), y = linear(b);
    if (!x->type().isTensor() || !y->type().isTensor()) return {x, y};
    const DType dtype = promote(x->type().dtype(), y->type().dtype());
    return {cast(x, dtype), cast(y, dtype)};
}

std::vector<SizeRule> squareRules(ShapeBuilder &shapes) { return {{shapes.dim(0, 0), shapes.dim(0, 1), 0, 0, 0, 1}}; }

std::vector<VarRef> outputsOf(const OpRef &op, std::span<const VarRef> inputs)
{
    const ApplyRef node = Apply::create(op, inputs);
    std::vector<VarRef> result;
    for (int o = 0; o < node->outputCount(); ++o) result.push_back(VarRef(node->output(o)));
    return result;
}
std::vector<VarRef> outputsOf(const OpRef &op, const VarRef &a) { return outputsOf(op, std::span(&a, 1)); }

/// `factor` times the cube of the size, or of the smaller one.
Cost cubic(double factor, const Dims &a)
{
    const auto rows = static_cast<double>(a[0]), columns = static_cast<double>(a[1]);
    return {factor * rows * columns * std::min(rows, columns)};
}

const char *flag(bool value) { return value ? "True" : "False"; }

} // namespace

std::vector<Type> MatrixInverse::outputTypes(std::span<const Operand> inputs) const { return {matrixOperand("matrix_inverse", inputs[0])}; }
std::vector<SizeRule> MatrixInverse::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost MatrixInverse::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(2, inputs[0]); }

std::vector<Type> MatrixPinv::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = matrixOperand("pinv", inputs[0]);
    const std::int64_t shape[] = {x.shape()[1], x.shape()[0]};
    return {Type::tensor(x.dtype(), shape)};
}
bool MatrixPinv::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 1), shapes.dim(0, 0)}};
    return true;
}
Cost MatrixPinv::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(20, inputs[0]); }

std::vector<Type> Det::outputTypes(std::span<const Operand> inputs) const
{
    return {Type::ofRank(matrixOperand("det", inputs[0]).dtype(), 0)};
}
bool Det::inferShape(ShapeBuilder &, std::vector<SymShape> &outputs) const
{
    outputs = {{}};
    return true;
}
std::vector<SizeRule> Det::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost Det::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(2.0 / 3, inputs[0]); }

std::vector<Type> SLogDet::outputTypes(std::span<const Operand> inputs) const
{
    const DType dtype = matrixOperand("slogdet", inputs[0]).dtype();
    return {Type::ofRank(dtype, 0), Type::ofRank(realPart(dtype), 0)};
}
bool SLogDet::inferShape(ShapeBuilder &, std::vector<SymShape> &outputs) const
{
    outputs = {{}, {}};
    return true;
}
std::vector<SizeRule> SLogDet::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost SLogDet::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(2.0 / 3, inputs[0]); }

std::string Cholesky::exactName() const
{
    return std::string("Cholesky{lower=") + flag(m_lower) + ", destructive=False, on_error='" + (m_raises ? "raise" : "nan") + "'}";
}
std::string Cholesky::shortName() const { return m_lower ? "Cholesky" : "Cholesky, upper"; }
std::vector<Type> Cholesky::outputTypes(std::span<const Operand> inputs) const { return {matrixOperand("cholesky", inputs[0])}; }
std::vector<SizeRule> Cholesky::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost Cholesky::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(1.0 / 3, inputs[0]); }

std::string Solve::exactName() const
{
    return std::string("Solve{A_structure='") + kStructureNames[static_cast<std::size_t>(m_structure)] + "', lower=" + flag(m_lower) +
           (m_transposed ? ", trans=True" : "") + (m_unit ? ", unit_diagonal=True" : "") + ", overwrite_A=False, overwrite_b=False}";
}
std::string Solve::shortName() const
{
    static constexpr std::array kWords{"", ", symmetric", ", positive", ", lower triangle", ", upper triangle"};
    return std::string("Solve") + kWords[static_cast<std::size_t>(m_structure)] + (m_transposed ? ", transposed" : "");
}
std::vector<Type> Solve::outputTypes(std::span<const Operand> inputs) const
{
    matrixOperand("solve", inputs[0]);
    wantLinear("solve", inputs[1].type, 1, 2);
    wantOneDType("solve", inputs[0].type, inputs[1].type);
    return {inputs[1].type};
}
std::vector<SizeRule> Solve::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules = squareRules(shapes);
    rules.push_back({shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0});
    return rules;
}
Cost Solve::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    const bool isTriangle = m_structure == MatrixStructure::LowerTriangular || m_structure == MatrixStructure::UpperTriangular;
    const auto rows = static_cast<double>(inputs[0][0]);
    const double factor = isTriangle ? 0 : m_structure == MatrixStructure::General ? 2.0 / 3 : 1.0 / 3;
    return {cubic(factor, inputs[0]).flops + rows * static_cast<double>(outputs[0].product()) * (isTriangle ? 1 : 2)};
}

namespace {

std::vector<Type> eigenTypes(const char *symbol, const Operand &a, bool realValues)
{
    const DType dtype = matrixOperand(symbol, a).dtype();
    return {Type::ofRank(realValues ? realPart(dtype) : dtype, 1), Type::ofRank(dtype, 2)};
}
bool eigenShapes(ShapeBuilder &shapes, std::vector<SymShape> &outputs)
{
    outputs = {{shapes.dim(0, 0)}, shapes.sizesOf(0)};
    return true;
}

} // namespace

std::vector<Type> Eig::outputTypes(std::span<const Operand> inputs) const { return eigenTypes("eig", inputs[0], false); }
bool Eig::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const { return eigenShapes(shapes, outputs); }
std::vector<SizeRule> Eig::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost Eig::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(25, inputs[0]); }

std::string Eigh::exactName() const { return std::string("Eigh{UPLO='") + (m_lower ? "L'}" : "U'}"); }
std::vector<Type> Eigh::outputTypes(std::span<const Operand> inputs) const { return eigenTypes("eigh", inputs[0], true); }
bool Eigh::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const { return eigenShapes(shapes, outputs); }
std::vector<SizeRule> Eigh::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost Eigh::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(9, inputs[0]); }

std::string GeneralEigh::exactName() const { return std::string("GeneralEigh{lower=") + flag(m_lower) + "}"; }
std::vector<Type> GeneralEigh::outputTypes(std::span<const Operand> inputs) const
{
    matrixOperand("eigvalsh", inputs[1]);
    wantOneDType("eigvalsh", inputs[0].type, inputs[1].type);
    return eigenTypes("eigvalsh", inputs[0], true);
}
bool GeneralEigh::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const { return eigenShapes(shapes, outputs); }
std::vector<SizeRule> GeneralEigh::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules = squareRules(shapes);
    rules.push_back({shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0});
    rules.push_back({shapes.dim(0, 1), shapes.dim(1, 1), 0, 1, 1, 1});
    return rules;
}
Cost GeneralEigh::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(14, inputs[0]); }

std::string Svd::exactName() const { return std::string("SVD{full_matrices=") + flag(m_full) + ", compute_uv=" + flag(m_vectors) + "}"; }
std::vector<Type> Svd::outputTypes(std::span<const Operand> inputs) const
{
    const DType dtype = matrixOperand("svd", inputs[0]).dtype();
    const Type matrix = Type::ofRank(dtype, 2), values = Type::ofRank(realPart(dtype), 1);
    if (!m_vectors) return {values};
    return {matrix, values, matrix};
}
bool Svd::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const Sym rows = shapes.dim(0, 0), columns = shapes.dim(0, 1), few = shapes.min(rows, columns);
    if (!m_vectors) outputs = {{few}};
    else if (m_full) outputs = {{rows, rows}, {few}, {columns, columns}};
    else outputs = {{rows, few}, {few}, {few, columns}};
    return true;
}
Cost Svd::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(m_vectors ? 20 : 4, inputs[0]); }

std::string Qr::exactName() const { return std::string(className()) + "{mode='" + kQrModes[static_cast<std::size_t>(m_mode)] + "'}"; }
std::vector<Type> Qr::outputTypes(std::span<const Operand> inputs) const
{
    const DType dtype = matrixOperand("qr", inputs[0]).dtype();
    const Type matrix = Type::ofRank(dtype, 2);
    if (m_mode == QrMode::R) return {matrix};
    return {matrix, m_mode == QrMode::Raw ? Type::ofRank(dtype, 1) : matrix};
}
bool Qr::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const Sym rows = shapes.dim(0, 0), columns = shapes.dim(0, 1), few = shapes.min(rows, columns);
    switch (m_mode) {
    case QrMode::Reduced: outputs = {{rows, few}, {few, columns}}; break;
    case QrMode::Complete: outputs = {{rows, rows}, {rows, columns}}; break;
    case QrMode::R: outputs = {{few, columns}}; break;
    case QrMode::Raw: outputs = {{columns, rows}, {few}}; break;
    }
    return true;
}
Cost Qr::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(m_mode == QrMode::R ? 2 : 4, inputs[0]); }

std::vector<Type> LeastSquares::outputTypes(std::span<const Operand> inputs) const
{
    const DType dtype = matrixOperand("lstsq", inputs[0]).dtype();
    wantLinear("lstsq", inputs[1].type, 1, 2);
    wantOneDType("lstsq", inputs[0].type, inputs[1].type);
    const Type rcond = inputs[2].type;
    if (!rcond.isTensor() || rcond.rank() != 0 || isComplex(rcond.dtype()))
        throw TypeMismatch("[lstsq] rcond is a number, got " + rcond.text());
    const Type values = Type::ofRank(realPart(dtype), 1);
    return {Type::ofRank(dtype, inputs[1].type.rank()), values, Type::ofRank(DType::Int64, 0), values};
}
Cost LeastSquares::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(8, inputs[0]); }

std::vector<Type> Expm::outputTypes(std::span<const Operand> inputs) const { return {matrixOperand("expm", inputs[0])}; }
std::vector<SizeRule> Expm::sizeRules(ShapeBuilder &shapes) const { return squareRules(shapes); }
Cost Expm::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return cubic(30, inputs[0]); }

VarRef matrixInverse(const VarRef &a) { return engine::apply(makeOp<MatrixInverse>(), {linear(a)}); }
VarRef pinv(const VarRef &a) { return engine::apply(makeOp<MatrixPinv>(), {linear(a)}); }
VarRef det(const VarRef &a) { return engine::apply(makeOp<Det>(), {linear(a)}); }
std::vector<VarRef> slogdet(const VarRef &a) { return outputsOf(makeOp<SLogDet>(), linear(a)); }
VarRef cholesky(const VarRef &a, bool lower, bool raises) { return engine::apply(makeOp<Cholesky>(lower, raises), {linear(a)}); }

VarRef solve(const VarRef &a, const VarRef &b, MatrixStructure structure, bool lower, bool transposed, bool unitDiagonal)
{
    const auto [matrix, right] = linear(a, b);
    return engine::apply(makeOp<Solve>(structure, lower, transposed, unitDiagonal), {matrix, right});
}

std::vector<VarRef> eig(const VarRef &a) { return outputsOf(makeOp<Eig>(), linear(a)); }
std::vector<VarRef> eigh(const VarRef &a, bool lower) { return outputsOf(makeOp<Eigh>(lower), linear(a)); }
std::vector<VarRef> generalEigh(const VarRef &a, const VarRef &b, bool lower)
{
    return outputsOf(makeOp<GeneralEigh>(lower), linear(a, b));
}
std::vector<VarRef> svd(const VarRef &a, bool fullMatrices, bool vectors)
{
    return outputsOf(makeOp<Svd>(fullMatrices, vectors), linear(a));
}
std::vector<VarRef> qr(const VarRef &a, QrMode mode) { return outputsOf(makeOp<Qr>(mode), linear(a)); }
std::vector<VarRef> leastSquares(const VarRef &a, const VarRef &b, const VarRef &rcond)
{
    const auto [matrix, right] = linear(a, b);
    const VarRef inputs[] = {matrix, right, rcond};
    return outputsOf(makeOp<LeastSquares>(), inputs);
}
VarRef expm(const VarRef &a) { return engine::apply(makeOp<Expm>(), {linear(a)}); }

OP_CARD(MatrixInverse, LinearAlgebra, arity(1));
OP_CARD(MatrixPinv, LinearAlgebra, arity(1));
OP_CARD(Det, LinearAlgebra, arity(1));
OP_CARD(SLogDet, LinearAlgebra, arity(1));
OP_CARD(Cholesky, LinearAlgebra, arity(1), parameter("lower", &Cholesky::lower), parameter("raises", &Cholesky::raises))
    .shown("on_error", [](const Cholesky &op) { return op.raises() ? "raise" : "nan"; });
OP_CARD(Solve, LinearAlgebra, arity(2), choice("structure", &Solve::structure, kStructureNames), parameter("lower", &Solve::lower),
        parameter("transposed", &Solve::transposed), parameter("unit_diagonal", &Solve::unitDiagonal))
    .shown("A_structure", [](const Solve &op) { return kStructureNames[static_cast<std::size_t>(op.structure())]; });
OP_CARD(Eig, LinearAlgebra, arity(1));
OP_CARD(Eigh, LinearAlgebra, arity(1), parameter("lower", &Eigh::lower)).shown("UPLO", [](const Eigh &op) {
    return op.lower() ? "L" : "U";
});
OP_CARD(GeneralEigh, LinearAlgebra, arity(2), parameter("lower", &GeneralEigh::lower));
OP_CARD(Svd, LinearAlgebra, arity(1), parameter("full_matrices", &Svd::fullMatrices), parameter("vectors", &Svd::vectors))
    .shown("compute_uv", &Svd::vectors);
OP_CARD(Qr, LinearAlgebra, arity(1), choice("mode", &Qr::mode, kQrModes)).classes({"QRFull", "QRIncomplete"});
OP_CARD(LeastSquares, LinearAlgebra, arity(3));
OP_CARD(Expm, LinearAlgebra, arity(1));

namespace {

NotationBuilder triangular(MatrixStructure structure)
{
    return [structure](NotationCall &call) -> NotationValue {
        const VarRef a = call.variable("a");
        const VarRef b = call.variable("b");
        return solve(a, b, structure);
    };
}

} // namespace

NOTATION("matrix_inverse(x)", matrixInverse);
NOTATION("pinv(x)", pinv);
NOTATION("det(x)", det);
NOTATION("expm(x)", expm);
NOTATION("cholesky(x, lower=True, raises=True)", cholesky);
NOTATION("cholesky_grad(factor, grad, lower)", choleskyGrad);
NOTATION("solve(a, b, structure='general', lower=False, transposed=False, unit_diagonal=False)", [](NotationCall &call) -> NotationValue {
    const VarRef a = call.variable("a"), b = call.variable("b");
    const auto structure = static_cast<MatrixStructure>(call.choice("structure", kStructureNames));
    const bool lower = call.flag("lower", false), transposed = call.flag("transposed", false);
    return solve(a, b, structure, lower, transposed, call.flag("unit_diagonal", false));
});
NOTATION("solve_lower_triangular(a, b)", triangular(MatrixStructure::LowerTriangular));
NOTATION("solve_upper_triangular(a, b)", triangular(MatrixStructure::UpperTriangular));
NOTATION("slogdet(x)", slogdet);
NOTATION("eig(x)", eig);
NOTATION("eigh(x, lower=True)", eigh);
NOTATION("general_eigh(a, b, lower=True)", generalEigh);
NOTATION("svd(x, full_matrices=True, vectors=True)", svd);
NOTATION("qr(x, mode='reduced')", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return NotationValue::ofVariables(qr(x, static_cast<QrMode>(call.choice("mode", kQrModes))));
});
NOTATION("lstsq(a, b, rcond)", leastSquares);

} // namespace engine
