// The functions of the notation that are not plain scalar functions, for the op families of the core.
#include "engine/gradient/gradient.h"
#include "engine/graph/notation_call.h"
#include "engine/ops/alloc.h"
#include "engine/ops/argmax.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/softmax.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

std::vector<VarRef> sizes(NotationCall &call)
{
    std::vector<VarRef> result;
    for (const NotationValue &item : call.rest()) {
        VarRef size = call.toVariable(item);
        if (size->type().rank() != 0 || !isDiscrete(size->type().dtype())) call.failAt(item, "a size is a whole number");
        result.push_back(std::move(size));
    }
    return result;
}

NotationBuilder reducer(ReduceKind kind)
{
    return [kind](NotationCall &call) -> NotationValue {
        const VarRef x = call.variable("x");
        auto axes = call.axes("axis", x->type().rank());
        const bool keepDims = call.flag("keepdims", false);
        if (kind != ReduceKind::Sum && kind != ReduceKind::Prod) return reduce(kind, x, std::move(axes), keepDims);
        const auto dtype = call.dtypeIfGiven("dtype");
        return reduce(kind, x, std::move(axes), keepDims, dtype, call.dtypeIfGiven("acc_dtype"));
    };
}

NotationBuilder converter(DType dtype)
{
    return [dtype](NotationCall &call) -> NotationValue {
        const std::vector<NotationValue> items = call.all();
        if (items.size() != 1) {
            if (items.empty()) call.fail(call.function() + " needs a value to convert");
            return notationConstant(NotationValue::ofList(items), dtype, call.floatX());
        }
        if (items[0].kind != NotationValue::Kind::Variable && items[0].kind != NotationValue::Kind::Text)
            return notationConstant(items[0], dtype, call.floatX());
        const VarRef variable = call.toVariable(items[0]);
        if (variable->kind() == Variable::Kind::Constant && variable->value().isTensor())
            return Variable::constant(variable->value().tensor().converted(dtype));
        return cast(variable, dtype);
    };
}

bool registerConverters()
{
    for (int i = 0; i < kDTypeCount; ++i) {
        const auto dtype = static_cast<DType>(i);
        const std::string name(nameOf(dtype));
        registerNotation(name, name + "(x)", converter(dtype));
    }
    return true;
}
[[maybe_unused]] const bool k_converters = registerConverters();

NotationValue variance(NotationCall &call, bool root)
{
    const VarRef x = call.variable("x");
    const auto axes = call.axes("axis", x->type().rank());
    const bool keepDims = call.flag("keepdims", false);
    const VarRef centred = sub(x, mean(x, axes, true));
    const VarRef result = mean(sqr(centred), axes, keepDims);
    return root ? elementwise(ScalarCode::Sqrt, {result}) : result;
}

std::vector<int> shuffleOrder(NotationCall &call, const VarRef &x)
{
    std::vector<int> order;
    for (const NotationValue &item : call.rest()) {
        if (item.kind == NotationValue::Kind::Text && item.text == "x") {
            order.push_back(DimShuffle::kNewAxis);
        } else if (item.kind == NotationValue::Kind::Integer) {
            if (item.integer < 0 || item.integer >= x->type().rank())
                call.failAt(item, "there is no axis " + std::to_string(item.integer) + " in an array of " +
                                      std::to_string(x->type().rank()) + " dimensions");
            order.push_back(static_cast<int>(item.integer));
        } else {
            call.failAt(item, "an order of axes holds axis numbers and 'x'");
        }
    }
    return order;
}

NotationValue shuffle(NotationCall &call)
{
    const VarRef x = call.variable("x");
    return dimshuffle(x, shuffleOrder(call, x));
}

NOTATION("sum", "sum(x, axis=None, keepdims=False, dtype=None, acc_dtype=None)", reducer(ReduceKind::Sum));
NOTATION("prod", "prod(x, axis=None, keepdims=False, dtype=None, acc_dtype=None)", reducer(ReduceKind::Prod));
NOTATION("max", "max(x, axis=None, keepdims=False)", reducer(ReduceKind::Max));
NOTATION("largest", "largest(x, axis=None, keepdims=False)", reducer(ReduceKind::Largest));
NOTATION("min", "min(x, axis=None, keepdims=False)", reducer(ReduceKind::Min));
NOTATION("any", "any(x, axis=None, keepdims=False)", reducer(ReduceKind::Any));
NOTATION("all", "all(x, axis=None, keepdims=False)", reducer(ReduceKind::All));
NOTATION("mean", "mean(x, axis=None, keepdims=False)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    auto axes = call.axes("axis", x->type().rank());
    return mean(x, std::move(axes), call.flag("keepdims", false));
});
NOTATION("var", "var(x, axis=None, keepdims=False)", [](NotationCall &call) { return variance(call, false); });
NOTATION("std", "std(x, axis=None, keepdims=False)", [](NotationCall &call) { return variance(call, true); });

NOTATION("dot", "dot(x, y)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return dot(x, call.variable("y"));
});
NOTATION("dimshuffle", "dimshuffle(x, 0, 'x', …)", shuffle);
NOTATION("DimShuffle", "DimShuffle{0, x, …}(x)", shuffle);
NOTATION("transpose", "transpose(x)", [](NotationCall &call) -> NotationValue { return transpose(call.variable("x")); });
NOTATION("T", "T(x)", [](NotationCall &call) -> NotationValue { return transpose(call.variable("x")); });

NOTATION("cast", "cast(x, dtype)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return cast(x, call.dtype("dtype"));
});
NOTATION("astype", "astype(x, dtype)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return cast(x, call.dtype("dtype"));
});
// A number that is not folded: for examples of constant folding.
NOTATION("constant", "constant(value, dtype=None)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("value");
    if (value->kind() != Variable::Kind::Constant) call.fail("constant works on numbers and arrays of numbers");
    const DType dtype = call.dtype("dtype", value->type().dtype());
    return Variable::constant(value->value().tensor().converted(dtype));
});

NOTATION("fill", "fill(like, value)", [](NotationCall &call) -> NotationValue {
    const VarRef like = call.variable("like");
    return fill(like, call.variable("value"));
});
NOTATION("zeros_like", "zeros_like(x)", [](NotationCall &call) -> NotationValue { return zerosLike(call.variable("x")); });
NOTATION("ones_like", "ones_like(x)", [](NotationCall &call) -> NotationValue { return onesLike(call.variable("x")); });
NOTATION("alloc", "alloc(value, n0, n1, …)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("value");
    return alloc(value, sizes(call));
});
NOTATION("Alloc", "Alloc(value, n0, n1, …)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("value");
    return alloc(value, sizes(call));
});

NOTATION("shape", "shape(x)", [](NotationCall &call) -> NotationValue { return shape(call.variable("x")); });
NOTATION("Shape", "Shape(x)", [](NotationCall &call) -> NotationValue { return shape(call.variable("x")); });
NOTATION("Shape_i", "Shape_i{0}(x)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return shapeOf(x, call.axis("axis", x->type().rank()));
});
NOTATION("size", "size(x)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    VarRef product;
    for (int axis = 0; axis < x->type().rank(); ++axis) {
        const VarRef one = shapeOf(x, axis);
        product = product ? mul(product, one) : one;
    }
    return product ? product : literal(std::int64_t{1});
});
NOTATION("reshape", "reshape(x, n0, n1, …) or reshape(x, sizes, ndim)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    // A vector of sizes, whose length has to be known or said.
    if (call.isVectorNext()) {
        const VarRef shape = call.variable("sizes");
        const std::int64_t length = shape->type().shape()[0];
        const std::int64_t rank = call.integer("ndim", length == kUnknownDim ? std::optional<std::int64_t>() : length);
        if (rank < 0 || rank > kMaxRank) call.fail("reshape makes at most " + std::to_string(kMaxRank) + " dimensions");
        return reshape(x, shape, static_cast<int>(rank));
    }
    return reshape(x, sizes(call));
});
NOTATION("flatten", "flatten(x, ndim=1)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const std::int64_t rank = call.integer("ndim", 1);
    if (rank < 1 || rank > std::max(x->type().rank(), 1))
        call.fail("flatten keeps 1 to " + std::to_string(std::max(x->type().rank(), 1)) + " dimensions here");
    return flatten(x, static_cast<int>(rank));
});
NOTATION("tensordot", "tensordot(a, b, axes=2)", [](NotationCall &call) -> NotationValue {
    const VarRef a = call.variable("a"), b = call.variable("b");
    const std::int64_t count = call.integer("axes", 2);
    if (count < 0 || count > std::min(a->type().rank(), b->type().rank())) call.fail("tensordot sums over more axes than there are");
    std::vector<int> axesA, axesB;
    for (int i = 0; i < count; ++i) {
        axesA.push_back(a->type().rank() - static_cast<int>(count) + i);
        axesB.push_back(i);
    }
    return tensordot(a, b, axesA, axesB);
});
NOTATION("outer", "outer(x, y)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return outer(x, call.variable("y"));
});
NOTATION("addbroadcast", "addbroadcast(x, axis, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    std::vector<std::pair<int, bool>> axes;
    while (call.left()) axes.emplace_back(call.axis("axis", x->type().rank()), true);
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return rebroadcast(x, std::move(axes));
});

IndexItem indexItem(NotationCall &call, const NotationValue &item)
{
    const auto bound = [&](const NotationValue &value) -> VarRef {
        return value.kind == NotationValue::Kind::None ? VarRef() : call.toVariable(value);
    };
    switch (item.kind) {
    case NotationValue::Kind::None: return IndexItem::newAxis();
    case NotationValue::Kind::Integer: return IndexItem::at(item.integer);
    case NotationValue::Kind::Text:
        if (item.text == "...") return IndexItem::ellipsis();
        break;
    case NotationValue::Kind::List:
        if (item.text == "slice") return IndexItem::slice(bound(item.items[0]), bound(item.items[1]), bound(item.items[2]));
        return IndexItem::array(call.toVariable(item));
    case NotationValue::Kind::Variable:
        return item.variable->type().rank() == 0 ? IndexItem::integer(item.variable) : IndexItem::array(item.variable);
    default: break;
    }
    call.failAt(item, "an array is indexed by whole numbers, slices, None, ... and arrays, not by " + item.describe());
}

// x[i, a:b, None, ...] comes here.
NOTATION("index", "index(x, i, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    std::vector<IndexItem> items;
    for (const NotationValue &item : call.all()) items.push_back(indexItem(call, item));
    return subtensor(x, items);
});
NOTATION("set_subtensor", "set_subtensor(x[…], y)", [](NotationCall &call) -> NotationValue {
    const VarRef indexed = call.variable("x");
    return setSubtensor(indexed, call.variable("y"));
});
NOTATION("inc_subtensor", "inc_subtensor(x[…], y)", [](NotationCall &call) -> NotationValue {
    const VarRef indexed = call.variable("x");
    return incSubtensor(indexed, call.variable("y"));
});

NOTATION("softmax", "softmax(x)", [](NotationCall &call) -> NotationValue { return softmax(call.variable("x")); });
NOTATION("logsoftmax", "logsoftmax(x)", [](NotationCall &call) -> NotationValue { return logSoftmax(call.variable("x")); });
NOTATION("categorical_crossentropy", "categorical_crossentropy(p, t)", [](NotationCall &call) -> NotationValue {
    const VarRef p = call.variable("p");
    return categoricalCrossentropy(p, call.variable("t"));
});
NOTATION("argmax", "argmax(x, axis=None, keepdims=False)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    auto axes = call.axes("axis", x->type().rank());
    return argmax(x, std::move(axes), call.flag("keepdims", false));
});
NOTATION("argmin", "argmin(x, axis=None, keepdims=False)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    auto axes = call.axes("axis", x->type().rank());
    return argmin(x, std::move(axes), call.flag("keepdims", false));
});
NOTATION("grad", "grad(cost, wrt) or grad(cost, [a, b])", [](NotationCall &call) -> NotationValue {
    const VarRef cost = call.variable("cost");
    std::vector<VarRef> wrt;
    const std::vector<NotationValue> given = call.all();
    const bool isList = given.size() == 1 && given[0].kind == NotationValue::Kind::List;
    for (const NotationValue &item : isList ? given[0].items : given) {
        if (item.kind != NotationValue::Kind::Variable)
            call.failAt(item, "gradients are taken with respect to variables, not " + item.describe());
        wrt.push_back(item.variable);
    }
    if (wrt.empty()) call.fail("grad needs the variables that it is taken with respect to");
    GradOptions options;
    options.floatX = call.floatX();
    std::vector<NotationValue> result;
    try {
        for (VarRef &one : grad(cost, wrt, options)) result.push_back(NotationValue(std::move(one)));
    } catch (const UserError &) {
        throw;
    } catch (const std::runtime_error &error) { // disconnected, undefined
        call.fail(error.what());
    }
    return isList ? NotationValue::ofList(std::move(result)) : std::move(result[0]);
});

} // namespace
} // namespace engine
