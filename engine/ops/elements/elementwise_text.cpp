// Elemwise as text: in documents, in the notation, printed.
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/graph/syntax/scalar_document.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/dimshuffle.h"

namespace engine {

Arity arityOf(const Elemwise &op)
{
    const int count = op.scalar()->arity();
    Arity result = count < 0 ? Arity{1, kAnyNumber} : Arity{static_cast<std::size_t>(count), static_cast<std::size_t>(count)};
    for (const Alias &alias : op.inplace()) result.least = std::max<std::size_t>(result.least, alias.input + 1);
    return result;
}

namespace {

void writeInplace(const std::vector<Alias> &aliases, JsonWriter &out)
{
    if (aliases.empty()) return;
    out.key("inplace");
    out.beginArray();
    for (const Alias &alias : aliases) {
        out.beginArray();
        out.value(alias.output);
        out.value(alias.input);
        out.endArray();
    }
    out.endArray();
}

OpRef readElemwise(const OpParameters &from)
{
    const ScalarOpPtr scalar = readScalar(from.need("scalar"), from.place() + ".scalar");
    std::vector<Alias> inplace;
    if (from.has("inplace")) inplace = from.aliases("inplace");
    for (std::size_t i = 0; i < inplace.size(); ++i) {
        if (inplace[i].output >= static_cast<std::uint32_t>(scalar->outputCount())) from.fail("inplace", "there is no such output");
        if (scalar->arity() >= 0 && inplace[i].input >= static_cast<std::uint32_t>(scalar->arity()))
            from.fail("inplace", "there is no such input");
        for (std::size_t k = 0; k < i; ++k)
            if (inplace[k].input == inplace[i].input || inplace[k].output == inplace[i].output)
                from.fail("inplace", "an input or output stands here twice");
    }
    return makeOp<Elemwise>(scalar, std::move(inplace));
}

OP_CARD(
    Elemwise, Elementwise, [](const Op &op) { return arityOf(static_cast<const Elemwise &>(op)); },
    WholeOp{[](const Elemwise &op, JsonWriter &out) {
                out.key("scalar");
                writeScalar(out, *op.scalar());
                writeInplace(op.inplace(), out);
            },
            readElemwise});

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
        registerNotation(name + "(x)", converter(dtype));
    }
    return true;
}
[[maybe_unused]] const bool k_converters = registerConverters();

NotationValue casted(NotationCall &call)
{
    const VarRef x = call.variable("x");
    return cast(x, call.dtype("dtype"));
}

NOTATION("cast(x, dtype)", casted);
NOTATION("astype(x, dtype)", casted);
// A number that is not folded: for examples of constant folding.
NOTATION("constant(value, dtype=None)", [](NotationCall &call) -> NotationValue {
    const VarRef value = call.variable("value");
    if (value->kind() != Variable::Kind::Constant) call.fail("constant works on numbers and arrays of numbers");
    const DType dtype = call.dtype("dtype", value->type().dtype());
    return Variable::constant(value->value().tensor().converted(dtype));
});
NOTATION("fill(like, value)", fill);
NOTATION("zeros_like(x)", static_cast<VarRef (*)(const VarRef &)>(zerosLike));
NOTATION("ones_like(x)", onesLike);

const DimShuffle *leftPad(const VarRef &variable)
{
    const DimShuffle *op = variable->owner() ? opCast<DimShuffle>(variable->owner()->opRef()) : nullptr;
    return op && op->isLeftPad() ? op : nullptr;
}

// The reader of the notation pads by itself, as long as one argument has the full rank.
class Unpadded final : public PrettyWriter {
public:
    Unpadded(const Apply &node, PrettyWriter &out) : m_out(out)
    {
        for (const VarRef &input : node.inputs()) m_drop |= !leftPad(input);
    }
    void text(std::string_view text) override { m_out.text(text); }
    void variable(const VarRef &variable) override
    {
        m_out.variable(m_drop && leftPad(variable) && variable->name().empty() ? variable->owner()->input(0) : variable);
    }
    bool exact() const override { return m_out.exact(); }

private:
    PrettyWriter &m_out;
    bool m_drop = false;
};

void elemwiseForm(const Apply &node, PrettyWriter &target)
{
    Unpadded out(node, target);
    const ScalarOp &scalar = *opCast<Elemwise>(node.opRef())->scalar();
    switch (scalar.code()) {
    case ScalarCode::Neg: return prettyAround("(-", node, ")", out);
    case ScalarCode::Abs: return prettyAround("|", node, "|", out);
    case ScalarCode::Second: return prettyCall("fill", node, out);
    case ScalarCode::Cast: return prettyCall(nameOf(*scalar.castTarget()), node, out);
    // Theano writes these as calls although they have a sign.
    case ScalarCode::Lt:
    case ScalarCode::Gt:
    case ScalarCode::Le:
    case ScalarCode::Ge:
    case ScalarCode::Eq:
    case ScalarCode::Neq: return prettyCall(scalar.symbol(), node, out);
    case ScalarCode::Composite: return prettyCall(node.op().name(), node, out);
    default: break;
    }
    if (!scalar.infix().empty() && node.inputs().size() > 1) return prettyInfix(scalar.infix(), node, out);
    prettyCall(scalar.symbol(), node, out);
}

PRETTY(Elemwise, elemwiseForm);

} // namespace
} // namespace engine
