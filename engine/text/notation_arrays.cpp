// Functions of the notation that make, join, repeat and order arrays.
#include "engine/graph/notation_call.h"
#include "engine/ops/checks.h"
#include "engine/ops/compose.h"
#include "engine/ops/creation.h"
#include "engine/ops/cumulative.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/join.h"
#include "engine/ops/repeat.h"
#include "engine/ops/sort.h"

namespace engine {
namespace {

std::vector<VarRef> variables(NotationCall &call, const std::vector<NotationValue> &values)
{
    std::vector<VarRef> result;
    for (const NotationValue &value : values) result.push_back(call.toVariable(value));
    return result;
}

// zeros(n0, n1, …): sizes of the floatX array.
NotationBuilder filled(VarRef (*make)(std::span<const VarRef>, DType))
{
    return [make](NotationCall &call) -> NotationValue {
        const std::vector<VarRef> sizes = variables(call, call.rest());
        for (const VarRef &size : sizes)
            if (size->type().rank() != 0 || !isDiscrete(size->type().dtype())) call.fail("a size is a whole number");
        return make(sizes, call.floatX());
    };
}

NotationBuilder unit(VarRef (*make)(const VarRef &, const VarRef &, const VarRef &, DType))
{
    return [make](NotationCall &call) -> NotationValue {
        const VarRef n = call.variable("n");
        const VarRef m = call.variableIfGiven("m").value_or(n);
        const VarRef k = call.variableIfGiven("k").value_or(literal(std::int64_t{0}));
        return make(n, m, k, call.dtype("dtype", call.floatX()));
    };
}

NotationBuilder triangle(VarRef (*make)(const VarRef &, const VarRef &))
{
    return [make](NotationCall &call) -> NotationValue {
        const VarRef x = call.variable("x");
        return make(x, call.variableIfGiven("k").value_or(literal(std::int64_t{0})));
    };
}

std::optional<int> axisIfGiven(NotationCall &call, const VarRef &x, std::optional<int> otherwise)
{
    const auto axes = call.axes("axis", x->type().rank());
    if (!axes) return otherwise;
    if (axes->size() != 1) call.fail(call.function() + " works along one axis");
    return axes->front();
}

NotationBuilder along(VarRef (*make)(const VarRef &, std::optional<int>), bool lastByDefault)
{
    return [make, lastByDefault](NotationCall &call) -> NotationValue {
        const VarRef x = call.variable("x");
        const std::optional<int> last = lastByDefault && x->type().rank() ? std::optional<int>(x->type().rank() - 1) : std::nullopt;
        return make(x, axisIfGiven(call, x, last));
    };
}

NOTATION("zeros", "zeros(n0, n1, …)", filled(zeros));
NOTATION("ones", "ones(n0, n1, …)", filled(ones));
NOTATION("eye", "eye(n, m=n, k=0, dtype=floatX)", unit(eye));
NOTATION("tri", "tri(n, m=n, k=0, dtype=floatX)", unit(tri));
NOTATION("tril", "tril(x, k=0)", triangle(tril));
NOTATION("triu", "triu(x, k=0)", triangle(triu));
NOTATION("diag", "diag(x, k=0)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return diag(x, static_cast<int>(call.integer("k", 0)));
});
NOTATION("arange", "arange(stop) or arange(start, stop, step=1)", [](NotationCall &call) -> NotationValue {
    const VarRef first = call.variable("start");
    const auto stop = call.variableIfGiven("stop");
    if (!stop) return arange(first);
    return arange(first, *stop, call.variableIfGiven("step").value_or(literal(std::int64_t{1})));
});

NOTATION("join", "join(axis, x, y, …)", [](NotationCall &call) -> NotationValue {
    const std::int64_t axis = call.integer("axis");
    return join(static_cast<int>(axis), variables(call, call.rest()));
});
NOTATION("concatenate", "concatenate([x, y, …], axis=0)", [](NotationCall &call) -> NotationValue {
    const std::vector<VarRef> arrays = variables(call, call.items("arrays"));
    return join(static_cast<int>(call.integer("axis", 0)), arrays);
});
NOTATION("stack", "stack([x, y, …], axis=0)", [](NotationCall &call) -> NotationValue {
    const std::vector<VarRef> arrays = variables(call, call.items("arrays"));
    return stack(arrays, static_cast<int>(call.integer("axis", 0)));
});
NOTATION("repeat", "repeat(x, repeats, axis=None)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x"), repeats = call.variable("repeats");
    return repeat(x, repeats, axisIfGiven(call, x, std::nullopt));
});
NOTATION("tile", "tile(x, n0, n1, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return tile(x, variables(call, call.rest()));
});
NOTATION("cumsum", "cumsum(x, axis=None)", along(cumsum, false));
NOTATION("cumprod", "cumprod(x, axis=None)", along(cumprod, false));
NOTATION("sort", "sort(x, axis=-1)", along(sort, true));
NOTATION("argsort", "argsort(x, axis=-1)", along(argsort, true));
int singleAxis(NotationCall &call, const VarRef &x, std::string_view name) { return call.axis(name, x->type().rank()); }

NOTATION("squeeze", "squeeze(x, axis=None)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return squeeze(x, axisIfGiven(call, x, std::nullopt));
});
NOTATION("swapaxes", "swapaxes(x, axis1, axis2)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const int first = singleAxis(call, x, "axis1");
    return swapAxes(x, first, singleAxis(call, x, "axis2"));
});
NOTATION("roll", "roll(x, shift, axis=None)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x"), shift = call.variable("shift");
    return roll(x, shift, axisIfGiven(call, x, std::nullopt));
});
NOTATION("ptp", "ptp(x, axis=None)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return peakToPeak(x, call.axes("axis", x->type().rank()));
});
NOTATION("norm", "norm(x, L, axis=None)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const double order = call.real("L");
    return norm(x, order, call.axes("axis", x->type().rank()));
});

NOTATION("relu", "relu(x, alpha=0)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    const auto alpha = call.variableIfGiven("alpha");
    return alpha ? relu(x, *alpha) : relu(x);
});
NOTATION("elu", "elu(x, alpha=1)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return elu(x, call.real("alpha", 1));
});
NOTATION("selu", "selu(x)", [](NotationCall &call) -> NotationValue { return selu(call.variable("x")); });
NOTATION("softsign", "softsign(x)", [](NotationCall &call) -> NotationValue { return softsign(call.variable("x")); });
NOTATION("hard_sigmoid", "hard_sigmoid(x)", [](NotationCall &call) -> NotationValue { return hardSigmoid(call.variable("x")); });
NOTATION("binary_crossentropy", "binary_crossentropy(p, t)", [](NotationCall &call) -> NotationValue {
    const VarRef p = call.variable("p");
    return binaryCrossentropy(p, call.variable("t"));
});
NOTATION("sigmoid_binary_crossentropy", "sigmoid_binary_crossentropy(logit, t)", [](NotationCall &call) -> NotationValue {
    const VarRef logit = call.variable("logit");
    return sigmoidBinaryCrossentropy(logit, call.variable("t"));
});

NOTATION("assert_", "assert_(x, condition, …)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("x");
    return assertTrue(x, variables(call, call.rest()));
});

} // namespace
} // namespace engine
