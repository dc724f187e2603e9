// Draws from generators of the host language.
#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/random.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

RandomDraw &drawer()
{
    static auto *instance = new RandomDraw;
    return *instance;
}

} // namespace

void setRandomDraw(RandomDraw draw) { drawer() = std::move(draw); }

std::vector<Type> RandomFunction::outputTypes(std::span<const Operand> inputs) const
{
    const std::string who = "[" + exactName() + "] ";
    if (inputs.size() < 2) throw TypeMismatch(who + "takes a generator, sizes and arguments");
    const Type state = inputs[0].type, size = inputs[1].type;
    if (state.kind() != TypeKind::RandomState && state.kind() != TypeKind::Generic)
        throw TypeMismatch(who + "the first input must be a RandomStateType, got " + state.text());
    if (!size.isTensor() || size.rank() != 1 || !isDiscrete(size.dtype()))
        throw TypeMismatch(who + "size must be a vector of integers, got " + size.text());
    return {state, Type::broadcastable(m_dtype, m_pattern)};
}

bool RandomFunction::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape sizes;
    for (std::size_t i = 0; i < m_pattern.size(); ++i) {
        // No sizes at all: those of the arguments.
        const auto size = m_addedAxes ? std::nullopt : shapes.value(1, static_cast<int>(i));
        if (!size) return false;
        sizes.push_back(*size);
    }
    outputs = {{}, std::move(sizes)};
    return true;
}

std::vector<VarRef> RandomFunction::gradient(const Apply &node, std::span<const VarRef>) const
{
    return std::vector<VarRef>(node.inputs().size(), undefinedGradient("No gradient defined through raw random numbers op"));
}

void RandomFunction::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    if (!drawer()) throw UserError("random generators of NumPy run under Python only", "draw with MRG_RandomStreams");
    drawer()(*this, inputs, outputs);
}

std::string RandomFunction::exactName() const { return "RandomFunction{" + m_distribution + "}"; }

std::string RandomFunction::identity() const
{
    std::string text = exactName() + std::string(nameOf(m_dtype)) + (m_inplace ? " inplace " : " ") + std::to_string(m_addedAxes) + " ";
    for (const bool isOne : m_pattern) text += isOne ? '1' : '?';
    return text;
}

std::vector<VarRef> randomFunction(std::span<const VarRef> inputs, std::string distribution, DType dtype, std::vector<bool> pattern,
                                   bool inplace, int addedAxes)
{
    const ApplyRef made =
        Apply::create(makeOp<RandomFunction>(std::move(distribution), dtype, std::move(pattern), inplace, addedAxes), inputs);
    return {VarRef(made->output(0)), VarRef(made->output(1))};
}

OP_CARD(RandomFunction, Random, arity(2, kAnyNumber), parameter("distribution", &RandomFunction::distribution),
        parameter("dtype", &RandomFunction::dtype), parameter("pattern", &RandomFunction::pattern),
        parameter("inplace", &RandomFunction::inplace), number("added_axes", &RandomFunction::addedAxes, 0, kMaxRank))
    .shown("ndim_added", &RandomFunction::addedAxes)
    .inplace([](const RandomFunction &op) -> InplaceForm {
        return {"random_make_inplace", makeOp<RandomFunction>(op.distribution(), op.dtype(), op.pattern(), true, op.addedAxes())};
    });

// The sample, or the generator after it.
NOTATION("uniform_draw(state, n0, n1, …, after=False, inplace=False)", [](NotationCall &call) -> NotationValue {
    std::vector<VarRef> inputs{call.variable("state")};
    const std::vector<VarRef> sizes = call.sizes();
    inputs.push_back(makeVector(sizes));
    const bool isState = call.flag("after", false), inplace = call.flag("inplace", false);
    return randomFunction(inputs, "uniform", call.floatX(), std::vector<bool>(sizes.size(), false), inplace, 0)[isState ? 0 : 1];
});

} // namespace engine
