#include "engine/ops/reductions/softmax.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

void wantMatrix(const Op &op, Type type, const char *what)
{
    if (!type.isTensor() || type.rank() != 2 || !isFloat(type.dtype()))
        throw TypeMismatch("[" + op.name() + "] " + what + " must be a matrix of floats, got " + type.text());
}

void wantVector(const Op &op, Type type, const char *what)
{
    if (!type.isTensor() || type.rank() != 1 || !isFloat(type.dtype()))
        throw TypeMismatch("[" + op.name() + "] " + what + " must be a vector of floats, got " + type.text());
}

void wantIndices(const Op &op, Type type)
{
    if (!type.isTensor() || type.rank() != 1 || !isInteger(type.dtype()))
        throw TypeMismatch("[" + op.name() + "] the classes must be a vector of integers, got " + type.text());
}

Cost rowCost(const Dims &matrix, double flopsPerElement) { return {static_cast<double>(matrix.product()) * flopsPerElement}; }

// Sum over the classes, as a column.
VarRef rowSum(const VarRef &a) { return sum(a, std::vector<int>{1}, true); }

VarRef softmaxGrad(const VarRef &g, const VarRef &sm)
{
    static const OpRef op = makeOp<SoftmaxGrad>();
    return engine::apply(op, {g, sm});
}

Type widest(Type a, Type b) { return a.withDType(promote(a.dtype(), b.dtype())); }

} // namespace

std::vector<Type> Softmax::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "x");
    return {inputs[0].type};
}
std::vector<VarRef> Softmax::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {softmaxGrad(outputGrads[0], VarRef(node.output(0)))};
}
std::vector<VarRef> Softmax::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    // The Jacobian of each row is symmetric.
    return {evalPoints[0] ? softmaxGrad(evalPoints[0], VarRef(node.output(0))) : VarRef()};
}
Cost Softmax::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[0], 14); }

std::vector<Type> LogSoftmax::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "x");
    return {inputs[0].type};
}
std::vector<VarRef> LogSoftmax::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &g = outputGrads[0];
    return {sub(g, mul(rowSum(g), softmax(node.input(0))))};
}
std::vector<VarRef> LogSoftmax::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (!evalPoints[0]) return {VarRef()};
    return {sub(evalPoints[0], rowSum(mul(evalPoints[0], softmax(node.input(0)))))};
}
Cost LogSoftmax::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[0], 14); }

std::vector<Type> SoftmaxGrad::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "the gradient");
    wantMatrix(*this, inputs[1].type, "the softmax");
    return {widest(inputs[1].type, inputs[0].type)};
}
std::vector<SizeRule> SoftmaxGrad::sizeRules(ShapeBuilder &shapes) const
{
    return {{shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0}, {shapes.dim(0, 1), shapes.dim(1, 1), 0, 1, 1, 1}};
}
std::vector<SizeRule> SoftmaxWithBias::sizeRules(ShapeBuilder &shapes) const { return {{shapes.dim(0, 1), shapes.dim(1, 0), 0, 1, 1, 0}}; }
std::vector<SizeRule> CrossentropyCategorical1Hot::sizeRules(ShapeBuilder &shapes) const
{
    return {{shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0}};
}
std::vector<SizeRule> CrossentropyCategorical1HotGrad::sizeRules(ShapeBuilder &shapes) const
{
    return {{shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0}, {shapes.dim(2, 0), shapes.dim(1, 0), 2, 0, 1, 0}};
}
std::vector<VarRef> SoftmaxGrad::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &dy = node.input(0), &sm = node.input(1), &g = outputGrads[0];
    const VarRef centered = sub(g, rowSum(mul(g, sm)));
    return {mul(centered, sm), sub(mul(centered, dy), mul(g, rowSum(mul(dy, sm))))};
}
std::vector<VarRef> SoftmaxGrad::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const VarRef &dy = node.input(0), &sm = node.input(1);
    VarRef total;
    if (evalPoints[0]) total = softmaxGrad(evalPoints[0], sm);
    if (evalPoints[1]) {
        const VarRef centered = sub(dy, rowSum(mul(dy, sm)));
        const VarRef ofSoftmax = sub(mul(centered, evalPoints[1]), mul(rowSum(mul(dy, evalPoints[1])), sm));
        total = total ? add(total, ofSoftmax) : ofSoftmax;
    }
    return {total};
}
Cost SoftmaxGrad::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[0], 4); }

std::vector<Type> SoftmaxWithBias::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "x");
    wantVector(*this, inputs[1].type, "b");
    return {widest(inputs[0].type, inputs[1].type)};
}
std::vector<VarRef> SoftmaxWithBias::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef dx = softmaxGrad(outputGrads[0], VarRef(node.output(0)));
    return {dx, sum(dx, std::vector<int>{0})};
}
Cost SoftmaxWithBias::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[0], 15); }

std::vector<Type> CrossentropyCategorical1Hot::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "the distribution");
    wantIndices(*this, inputs[1].type);
    const std::int64_t rows[] = {inputs[0].type.shape()[0]};
    return {Type::tensor(inputs[0].type.dtype(), rows)};
}
bool CrossentropyCategorical1Hot::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {{shapes.dim(0, 0)}};
    return true;
}
std::vector<VarRef> CrossentropyCategorical1Hot::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    static const OpRef op = makeOp<CrossentropyCategorical1HotGrad>();
    return {engine::apply(op, {outputGrads[0], node.input(0), node.input(1)}),
            undefinedGradient("classes are integers, there is nothing between them")};
}
namespace {

/// x[i, y[i]] for every row i.
VarRef pickedOf(const VarRef &x, const VarRef &y)
{
    const IndexItem items[] = {IndexItem::array(arange(shapeOf(y, 0))), IndexItem::array(y)};
    return subtensor(x, items);
}

/// Zeros like x but for the values at [i, y[i]].
VarRef placedIn(const VarRef &x, const VarRef &y, const VarRef &values) { return incSubtensor(pickedOf(zerosLike(x), y), values, true); }

} // namespace

std::vector<VarRef> CrossentropyCategorical1Hot::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const VarRef &p = node.input(0), &y = node.input(1);
    return {evalPoints[0] ? neg(trueDiv(pickedOf(evalPoints[0], y), pickedOf(p, y))) : VarRef()};
}

Cost CrossentropyCategorical1Hot::cost(std::span<const Dims>, std::span<const Dims> outputs) const
{
    return {static_cast<double>(outputs[0].product()) * 11};
}

std::vector<Type> CrossentropyCategorical1HotGrad::outputTypes(std::span<const Operand> inputs) const
{
    wantVector(*this, inputs[0].type, "the gradient");
    wantMatrix(*this, inputs[1].type, "the distribution");
    wantIndices(*this, inputs[2].type);
    return {inputs[1].type};
}
std::vector<VarRef> CrossentropyCategorical1HotGrad::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &g = node.input(0), &p = node.input(1), &y = node.input(2);
    const VarRef picked = pickedOf(outputGrads[0], y), chosen = pickedOf(p, y);
    return {neg(trueDiv(picked, chosen)), placedIn(p, y, trueDiv(mul(picked, g), sqr(chosen))),
            undefinedGradient("classes are integers, there is nothing between them")};
}
std::vector<VarRef> CrossentropyCategorical1HotGrad::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const VarRef &g = node.input(0), &p = node.input(1), &y = node.input(2);
    const VarRef chosen = pickedOf(p, y);
    VarRef total;
    if (evalPoints[0]) total = neg(trueDiv(evalPoints[0], chosen));
    if (evalPoints[1]) {
        const VarRef ofP = trueDiv(mul(g, pickedOf(evalPoints[1], y)), sqr(chosen));
        total = total ? add(total, ofP) : ofP;
    }
    return {total ? placedIn(p, y, total) : VarRef()};
}
Cost CrossentropyCategorical1HotGrad::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[1], 1); }

std::vector<Type> CrossentropySoftmaxArgmax1HotWithBias::outputTypes(std::span<const Operand> inputs) const
{
    wantMatrix(*this, inputs[0].type, "x");
    wantVector(*this, inputs[1].type, "b");
    wantIndices(*this, inputs[2].type);
    const Type sm = widest(inputs[0].type, inputs[1].type);
    const std::int64_t rows[] = {sm.shape()[0]};
    const std::int64_t losses[] = {m_classes == Classes::FirstRows ? inputs[2].type.shape()[0] : rows[0]};
    return {Type::tensor(sm.dtype(), losses), sm, Type::tensor(inputs[2].type.dtype(), rows)};
}
bool CrossentropySoftmaxArgmax1HotWithBias::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const Sym rows = shapes.dim(0, 0);
    outputs = {{m_classes == Classes::FirstRows ? shapes.dim(2, 0) : rows}, {rows, shapes.dim(0, 1)}, {rows}};
    return true;
}
std::vector<VarRef> CrossentropySoftmaxArgmax1HotWithBias::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const OpRef dxOp = makeOp<CrossentropySoftmax1HotWithBiasDx>(m_classes);
    const VarRef sm(node.output(1));
    VarRef dx;
    if (!isDisconnected(outputGrads[0])) dx = engine::apply(dxOp, {outputGrads[0], sm, node.input(2)});
    if (!isDisconnected(outputGrads[1])) {
        const VarRef term = softmaxGrad(outputGrads[1], sm);
        dx = dx ? add(dx, term) : term;
    }
    const VarRef classes = undefinedGradient("classes are integers, there is nothing between them");
    if (!dx) return {zerosLike(node.input(0)), zerosLike(node.input(1)), classes};
    return {dx, sum(dx, std::vector<int>{0}), classes};
}
// A direction v moves the loss of a row by its mean under the softmax without what it is for the class.
std::vector<VarRef> CrossentropySoftmaxArgmax1HotWithBias::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (m_classes != Classes::EachRow) return {VarRef(), VarRef(), VarRef()};
    VarRef v = evalPoints[0];
    if (evalPoints[1]) {
        const VarRef row = dimshuffle(evalPoints[1], {DimShuffle::kNewAxis, 0});
        v = v ? add(v, row) : add(zerosLike(node.input(0)), row);
    }
    if (!v) return {VarRef(), VarRef(), VarRef()};
    const VarRef sm(node.output(1));
    return {sub(sum(mul(sm, v), std::vector<int>{1}), pickedOf(v, node.input(2))), softmaxGrad(v, sm), VarRef()};
}
std::vector<std::vector<bool>> CrossentropySoftmaxArgmax1HotWithBias::connectionPattern(const Apply &) const
{
    return {{true, true, false}, {true, true, false}, {true, false, false}};
}
Cost CrossentropySoftmaxArgmax1HotWithBias::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    return rowCost(inputs[0], 17);
}

std::vector<Type> CrossentropySoftmax1HotWithBiasDx::outputTypes(std::span<const Operand> inputs) const
{
    const Type g = inputs[0].type;
    if (!g.isTensor() || g.rank() > 1 || !isFloat(g.dtype()))
        throw TypeMismatch("[" + name() + "] the gradient must be a scalar or a vector of floats, got " + g.text());
    wantMatrix(*this, inputs[1].type, "the softmax");
    wantIndices(*this, inputs[2].type);
    return {widest(inputs[1].type, g)};
}
namespace {

VarRef besideRows(const VarRef &g) { return g->type().rank() == 0 ? g : dimshuffle(g, {0, DimShuffle::kNewAxis}); }

} // namespace

std::vector<VarRef> CrossentropySoftmax1HotWithBiasDx::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef classes = undefinedGradient("classes are integers, there is nothing between them");
    if (m_classes != Classes::EachRow) {
        const VarRef unknown = undefinedGradient("not every row has a class of its own");
        return {unknown, unknown, classes};
    }
    const VarRef &g = node.input(0), &sm = node.input(1);
    const VarRef slope = engine::apply(node.opRef(), {onesLike(g), sm, node.input(2)});
    const VarRef ofRows = mul(outputGrads[0], slope);
    return {g->type().rank() == 0 ? sum(ofRows) : sum(ofRows, std::vector<int>{1}), mul(outputGrads[0], besideRows(g)), classes};
}
std::vector<VarRef> CrossentropySoftmax1HotWithBiasDx::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (m_classes != Classes::EachRow) return {VarRef()};
    VarRef total;
    if (evalPoints[0]) total = engine::apply(node.opRef(), {evalPoints[0], node.input(1), node.input(2)});
    if (evalPoints[1]) {
        const VarRef ofSoftmax = mul(besideRows(node.input(0)), evalPoints[1]);
        total = total ? add(total, ofSoftmax) : ofSoftmax;
    }
    return {total};
}
Cost CrossentropySoftmax1HotWithBiasDx::cost(std::span<const Dims> inputs, std::span<const Dims>) const { return rowCost(inputs[1], 1); }

namespace {

VarRef asMatrix(const char *symbol, const VarRef &x)
{
    const Type type = x->type();
    if (!type.isTensor() || type.rank() < 1 || type.rank() > 2)
        throw ShapeMismatch(std::string("[") + symbol + "] wants a matrix (or a vector, which becomes one row), got " + type.text());
    return type.rank() == 1 ? padLeft(x, 1) : x;
}

} // namespace

VarRef softmax(const VarRef &x)
{
    static const OpRef op = makeOp<Softmax>();
    return engine::apply(op, {asMatrix("softmax", x)});
}

VarRef logSoftmax(const VarRef &x)
{
    static const OpRef op = makeOp<LogSoftmax>();
    return engine::apply(op, {asMatrix("logsoftmax", x)});
}

VarRef categoricalCrossentropy(const VarRef &p, const VarRef &t)
{
    const int rank = p->type().rank();
    if (t->type().rank() == rank) return neg(sum(mul(t, log(p)), std::vector<int>{rank - 1}));
    if (t->type().rank() == rank - 1) {
        static const OpRef op = makeOp<CrossentropyCategorical1Hot>();
        return engine::apply(op, {p, t});
    }
    throw ShapeMismatch("[categorical_crossentropy] the truth must have the rank of the distribution or one less, got " + t->type().text() +
                        " and " + p->type().text());
}

std::vector<VarRef> crossentropySoftmaxArgmax(const VarRef &x, const VarRef &b, const VarRef &y)
{
    static const OpRef op = makeOp<CrossentropySoftmaxArgmax1HotWithBias>();
    const VarRef inputs[] = {x, b, y};
    const ApplyRef node = Apply::create(op, inputs);
    return {VarRef(node->output(0)), VarRef(node->output(1)), VarRef(node->output(2))};
}

constexpr std::array kSoftmaxClasses{"each row", "first rows", "one or each"};

// Only what is not the usual is written.
template <class T>
auto classesOf()
{
    return OpField{"classes",
                   [](const T &op, JsonWriter &out) {
                       if (op.classes() != Classes::EachRow) out.member("classes", kSoftmaxClasses[static_cast<std::size_t>(op.classes())]);
                   },
                   [](const OpParameters &from) {
                       return from.has("classes") ? static_cast<Classes>(from.choice("classes", kSoftmaxClasses)) : Classes::EachRow;
                   }};
}

OP_CARD(Softmax, Softmax, arity(1));
OP_CARD(LogSoftmax, Softmax, arity(1));
OP_CARD(SoftmaxGrad, Softmax, arity(2));
OP_CARD(SoftmaxWithBias, Softmax, arity(2));
OP_CARD(CrossentropyCategorical1Hot, Softmax, arity(2));
OP_CARD(CrossentropyCategorical1HotGrad, Softmax, arity(3));
OP_CARD(CrossentropySoftmaxArgmax1HotWithBias, Softmax, arity(3), classesOf<CrossentropySoftmaxArgmax1HotWithBias>());
OP_CARD(CrossentropySoftmax1HotWithBiasDx, Softmax, arity(3), classesOf<CrossentropySoftmax1HotWithBiasDx>());

NOTATION("softmax(x)", softmax);
NOTATION("logsoftmax(x)", logSoftmax);
NOTATION("categorical_crossentropy(p, t)", categoricalCrossentropy);
NOTATION("crossentropy_softmax_argmax(x, b, y)", crossentropySoftmaxArgmax);
NOTATION("Softmax(x)", makeOp<Softmax>());
NOTATION("LogSoftmax(x)", makeOp<LogSoftmax>());
NOTATION("SoftmaxGrad(g, softmax)", makeOp<SoftmaxGrad>());
NOTATION("SoftmaxWithBias(x, b)", makeOp<SoftmaxWithBias>());
NOTATION("CrossentropyCategorical1Hot(p, y)", makeOp<CrossentropyCategorical1Hot>());
NOTATION("CrossentropyCategorical1HotGrad(g, p, y)", makeOp<CrossentropyCategorical1HotGrad>());
NOTATION("CrossentropySoftmax1HotWithBiasDx(g, softmax, y)", makeOp<CrossentropySoftmax1HotWithBiasDx>());
NOTATION("CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]", makeOp<CrossentropySoftmaxArgmax1HotWithBias>());

} // namespace engine
