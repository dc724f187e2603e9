// Casts, inverse functions, switches in products.
#include "engine/ops/shapes/reshape.h"
#include "engine/rewrite/machine/build.h"

#include <array>

namespace engine {
namespace {

REWRITE(local_cast_cast, Phase::Canonicalize)
    .why("a cast after a lossless cast is one cast, and a cast to the same dtype is none")
    .example("x: fvector; cast(cast(x, float64), float32) + x", "x: fvector; x + x")
    .nearMiss("x: dvector; cast(cast(x, float32), float64)")
    .also({Phase::Specialize})
    .match<ScalarCode::Cast>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle x = node.input(0);
        if (x.dtype() == node.output().dtype()) return become(edit, node, x);
        const auto inner = madeBy(x, ScalarCode::Cast);
        if (!inner) return declined("its input is no cast", ownerOf(x));
        const VarHandle source = inner->input(0);
        const bool sameKind = (isFloat(source.dtype()) && isFloat(x.dtype())) ||
                              (isDiscrete(source.dtype()) && isDiscrete(x.dtype()) && source.dtype() != DType::Bool);
        if (!sameKind || !canCastSafely(source.dtype(), x.dtype())) return declined("the inner cast loses something", inner->id());
        return become(edit, node, castTo(edit, source, node.output().dtype()));
    });

REWRITE(local_func_inv, Phase::Canonicalize)
    .why("a function after its inverse gives the argument back")
    .turns("deg2rad(rad2deg(x))", "x")
    .turns("rad2deg(deg2rad(x))", "x")
    .turns("z: zvector; cosh(arccosh(z))", "z", {"z is complex"})
    .turns("z: zvector; tanh(arctanh(z))", "z", {"z is complex"})
    .turns("sinh(arcsinh(x))", "x")
    .turns("arcsinh(sinh(x))", "x")
    .turns("z: zvector; conj(conj(z))", "z")
    .turns("-(-x)", "x")
    .turns("inv(inv(x))", "x")
    .turns("i: lvector; ~(~i)", "i")
    .asWritten()
    .complexToo()
    .example("deg2rad(rad2deg(x)) + 1", "x + 1")
    .nearMiss("arccosh(cosh(x))")
    .also({Phase::Specialize});

REWRITE(croton_func_inv_nan_switch, Phase::Canonicalize)
    .why("a function after its inverse gives the argument back where the inverse exists")
    .turns("cosh(arccosh(x))", "switch(x >= 1.0, x, constant(nan, float64))")
    .turns("tanh(arctanh(x))", "switch(abs(x) <= 1.0, x, constant(nan, float64))")
    .nearMiss("arctanh(tanh(x))")
    .also({Phase::Specialize})
    .tag("croton");

REWRITE(local_view_op, Phase::Useless)
    .why("a view of everything is the value itself")
    .turns("ViewOp(x)", "x")
    .complexToo()
    .example("ViewOp(x) + 1", "x + 1")
    .nearMiss("x + 1")
    .also({Phase::Canonicalize})
    .fastCompile();

REWRITE(remove_tensor_copy, Phase::Useless)
    .why("a copy inside a graph is the value itself")
    .turns("tensor_copy(x)", "x")
    .complexToo()
    .nearMiss("abs(x) + 1")
    .also({Phase::Canonicalize})
    .at(-1)
    .example("tensor_copy(x) + 1", "x + 1")
    .fastCompile();

REWRITE(local_mul_switch_sink, Phase::Canonicalize)
    .why("0 * inf is nan: the product goes inside the switch that guards it")
    .hurts("nan or inf times the branch of 0 is 0 now")
    .dropsNan("inf and nan times 0 where the condition holds")
    .turns("c: lvector; x: dvector; y: dvector; s = switch(c, 0.0, x); y * s", "switch(c, 0.0, y * x)")
    .turns("c: lvector; x: dvector; y: dvector; s = switch(c, x, 0.0); y * s", "switch(c, y * x, 0.0)")
    .where("s is only multiplied or divided")
    .where("y takes the rest")
    .nearMiss("c: lvector; x: dvector; y: dvector; y * switch(c, 1.0, x)")
    .also({Phase::Specialize});

REWRITE(local_div_switch_sink, Phase::Canonicalize)
    .why("0 / 0 is nan: the quotient goes inside the switch that guards it")
    .hurts("0 divided by 0 in that branch is 0 now")
    .dropsNan("0 / 0 where the condition holds")
    .turns("c: lvector; x: dvector; y: dvector; s = switch(c, 0.0, x); s / y", "switch(c, 0.0, x / y)")
    .turns("c: lvector; x: dvector; y: dvector; s = switch(c, x, 0.0); s / y", "switch(c, x / y, 0.0)")
    .where("s is only multiplied or divided")
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(c, 1.0, x) / y");

REWRITE(local_merge_switch_same_cond, Phase::Canonicalize)
    .why("two switches on one condition decide once")
    .hurts("both branches of the joined switch are computed for every element")
    .example("c: lvector; x: dvector; y: dvector; switch(c, x, y) + switch(c, y, x)",
             "c: lvector; x: dvector; y: dvector; switch(c, x + y, y + x)")
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(c, x, y) + x")
    .match<ScalarCode::Add, ScalarCode::Sub, ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Maximum, ScalarCode::Minimum, ScalarCode::Lt,
           ScalarCode::Gt, ScalarCode::Le, ScalarCode::Ge, ScalarCode::Eq, ScalarCode::Neq>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        std::vector<VarHandle> yes, no;
        std::optional<VarHandle> condition;
        if (node.inputCount() < 2) return declined("it has one argument");
        for (const VarHandle &input : node.inputs()) {
            const auto choice = madeBy(input, ScalarCode::Switch);
            if (!choice) return declined("an argument is no switch", ownerOf(input));
            if (condition && !(*condition == choice->input(0))) return declined("the conditions differ", choice->id());
            condition = choice->input(0);
            // A switch gives both of its branches one dtype; the function has to meet that one, not the branch's own.
            const DType dtype = input.type().dtype();
            yes.push_back(castTo(edit, choice->input(1), dtype));
            no.push_back(castTo(edit, choice->input(2), dtype));
        }
        return become(edit, node,
                      elementwise(edit, ScalarCode::Switch,
                                  {*condition, elementwise(edit, elemwiseOf(node)->scalar(), yes),
                                   elementwise(edit, elemwiseOf(node)->scalar(), no)}));
    });

} // namespace
} // namespace engine
