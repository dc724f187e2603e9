#include "engine/codegen/step_text.h"

namespace engine {

using Step = ScalarProgram::Step;
using Form = ScalarProgram::Form;

std::optional<std::string> stepText(const ScalarProgram &program, const Step &step, std::span<const std::string> arguments,
                                    const IsShort &isShort)
{
    const char *pattern = nullptr;
    switch (step.form) {
    case Form::Op:
        pattern = cheapText(step.op, step.kind);
        if (!pattern) pattern = divisionByLiteralText(program, step, isShort);
        if (!pattern && isWrittenOut(step)) pattern = writtenText(step.op);
        break;
    case Form::Cast: {
        const RtKind to = program.blocks()[step.output].type;
        if (step.loop != rt_table()->casts[step.kind][to]) break; // more than a conversion in C
        if (to == RT_BOOL && step.kind != RT_COMPLEX) {
            pattern = "x != 0";
            break;
        }
        if (step.kind == RT_BOOL && (to == RT_F32 || to == RT_F64)) {
            pattern = to == RT_F32 ? "x ? 1.0f : 0.0f" : "x ? 1.0 : 0.0"; // under a mask, where a conversion would change the width
            break;
        }
        const bool widens = step.kind == RT_BOOL ? to != RT_COMPLEX : to == RT_F32 || to == RT_F64;
        const bool sameBits = (step.kind == RT_INT && to == RT_UINT) || (step.kind == RT_UINT && to == RT_INT);
        // Half as wide on the way, where that is enough.
        if (widens && step.kind == RT_INT && isShort(step.inputs[0])) pattern = "(int)x";
        else if ((widens || sameBits) && step.kind != RT_COMPLEX) pattern = "x";
        break;
    }
    case Form::Wrap:
        if (const char *type = wrapType(step.wrapTo)) return std::string("(") + type + ")" + arguments[0];
        break;
    }
    if (!pattern) return std::nullopt;
    return filled(pattern, arguments, step.kind, builtinName);
}

const char *divisionByLiteralText(const ScalarProgram &program, const Step &step, const IsShort &isShort)
{
    if (step.form != Form::Op || step.inputCount != 2) return nullptr;
    const ScalarProgram::Block &divisor = program.blocks()[step.inputs[1]];
    if (divisor.kind != ScalarProgram::Block::Kind::Literal) return nullptr;
    const double by = program.literals()[divisor.index].value;
    if (by == 0 || by == -1) return nullptr;
    return divisionText(step.op, step.kind, isShort(step.inputs[0]) && isShort(step.inputs[1]));
}

} // namespace engine
