#include "engine/ops/gradient_view.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op.h"
#include "engine/ops/elementwise.h"
#include "engine/runtime/thunk.h"

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
    enum class Kind { Zero, Disconnected, Undefined, Clip, Scale };
    GradientView(Kind kind, double a, double b) : m_kind(kind), m_a(a), m_b(b) {}

    std::string_view className() const override
    {
        switch (m_kind) {
        case Kind::Zero: return "ZeroGrad";
        case Kind::Disconnected: return "DisconnectedGrad";
        case Kind::Undefined: return "UndefinedGrad";
        case Kind::Clip: return "GradClip";
        case Kind::Scale: break;
        }
        return "GradScale";
    }
    std::string_view moduleName() const override { return "theano.gradient"; }

    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
    {
        SymShape shape;
        for (int axis = 0; axis < shapes.inputRank(0); ++axis) shape.push_back(shapes.dim(0, axis));
        outputs = {shape};
        return true;
    }
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int, int element) const override { return shapes.value(0, element); }
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::optional<Layout> viewLayout(int, const Layout &input, DType, const Dims &,
                                     std::span<const std::optional<std::int64_t>>) const override
    {
        return input;
    }
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }

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

private:
    Kind m_kind;
    double m_a, m_b;
};

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

} // namespace engine
