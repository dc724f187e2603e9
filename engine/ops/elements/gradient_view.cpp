#include "engine/ops/elements/gradient_view.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_class.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/runtime/thunks/thunk.h"

#include <cstdio>

namespace engine {
namespace {

std::string numberText(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

class GradientView final : public Op {
public:
    enum class Kind : std::uint8_t { Zero, Disconnected, Undefined, Clip, Scale };
    static constexpr std::array kNames{"ZeroGrad", "DisconnectedGrad", "UndefinedGrad", "GradClip", "GradScale"};
    GradientView(Kind kind, double a, double b) : m_kind(kind), m_a(a), m_b(b) {}
    Kind kind() const { return m_kind; }
    double a() const { return m_a; }
    double b() const { return m_b; }

    std::string_view className() const override { return kNames[static_cast<std::size_t>(m_kind)]; }
    std::string_view moduleName() const override { return "theano.gradient"; }

    std::optional<Sym> inferValue(ShapeBuilder &shapes, int, int element) const override { return shapes.value(0, element); }
    OP_RULES(typeOfFirst, sizesOfFirst, viewsFirst, layoutOfFirst, costsNothing, onDevices, deviceName, deviceClass);

    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override
    {
        const VarRef &x = node.input(0), &g = outputGrads[0];
        const DType dtype = x->type().dtype();
        switch (m_kind) {
        case Kind::Zero: return {zerosLike(x, isDiscrete(dtype) ? floatX() : dtype)};
        case Kind::Disconnected: return {disconnected()};
        case Kind::Undefined: return {undefinedGradient("it was declared undefined")};
        case Kind::Clip:
            return {elementwise(ScalarCode::Clip, {g, constantOf(g->type().dtype(), m_a), constantOf(g->type().dtype(), m_b)})};
        case Kind::Scale: break;
        }
        return {mul(constantOf(g->type().dtype(), m_a), g)};
    }
    std::vector<VarRef> rop(const Apply &, std::span<const VarRef> evalPoints) const override
    {
        if (!evalPoints[0] || m_kind == Kind::Disconnected || m_kind == Kind::Undefined) return {VarRef()};
        return {m_kind == Kind::Zero ? zerosLike(evalPoints[0]) : evalPoints[0]};
    }
    std::vector<std::vector<bool>> connectionPattern(const Apply &) const override { return {{m_kind != Kind::Disconnected}}; }
    void perform(PerformArgs &args) const override
    {
        if (!args.outputs[0].data) args.allocate(0, Dims(std::span(args.inputs[0].shape, static_cast<std::size_t>(args.inputs[0].rank))));
        copyConverted(args.inputs[0], args.outputs[0]);
    }

protected:
    std::string exactName() const override
    {
        std::string result(className());
        if (m_kind == Kind::Clip) result += "{clip_lower_bound=" + numberText(m_a) + ", clip_upper_bound=" + numberText(m_b) + "}";
        if (m_kind == Kind::Scale) result += "{multiplier=" + numberText(m_a) + "}";
        return result;
    }

    std::string identity() const override
    {
        char text[80];
        std::snprintf(text, sizeof text, "%a %a", m_a, m_b);
        return std::string(className()) + " " + text;
    }

private:
    Kind m_kind;
    double m_a, m_b;
};

// Theano has these under one name everywhere.
std::string GradientView::deviceName() const { return exactName(); }
std::string GradientView::deviceClass() const { return std::string(className()); }

PRECISE_MOVES(GradientView, 0, 1);
OP_CARD(GradientView, Gradient, arity(1), choice("kind", &GradientView::kind, GradientView::kNames), parameter("a", &GradientView::a),
        parameter("b", &GradientView::b))
    .classes({GradientView::kNames.begin(), GradientView::kNames.end()})
    .shown("clip_lower_bound", &GradientView::a)
    .shown("clip_upper_bound", &GradientView::b)
    .shown("multiplier", &GradientView::a);

VarRef viewWith(const VarRef &a, GradientView::Kind kind, double x = 0, double y = 0)
{
    return engine::apply(makeOp<GradientView>(kind, x, y), {a});
}

} // namespace

VarRef zeroGrad(const VarRef &a) { return viewWith(a, GradientView::Kind::Zero); }
VarRef disconnectedGrad(const VarRef &a) { return viewWith(a, GradientView::Kind::Disconnected); }
VarRef undefinedGrad(const VarRef &a) { return viewWith(a, GradientView::Kind::Undefined); }
VarRef gradClip(const VarRef &a, double low, double high) { return viewWith(a, GradientView::Kind::Clip, low, high); }
VarRef gradScale(const VarRef &a, double factor) { return viewWith(a, GradientView::Kind::Scale, factor); }

NOTATION("zero_grad(x)", zeroGrad);
NOTATION("disconnected_grad(x)", disconnectedGrad);
NOTATION("undefined_grad(x)", undefinedGrad);
NOTATION("grad_clip(x, low, high)", gradClip);
NOTATION("grad_scale(x, factor)", gradScale);

} // namespace engine
