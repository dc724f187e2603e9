// A step of a scalar program as text of the C dialect, for all that write kernels of it.
#pragma once

#include "engine/codegen/scalar_text.h"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace engine {

/// Does an int hold every value that a block of the program may have?
using IsShort = std::function<bool(std::uint32_t block)>;

/// Is it a function that is long but can stand in a loop?
inline bool isWrittenOut(const ScalarProgram::Step &step)
{
    return step.form == ScalarProgram::Form::Op && step.kind == RT_F32 && writtenText(step.op);
}
/// The expression of the texts of its arguments, each in brackets; nothing: a primitive has to be called.
std::optional<std::string> stepText(const ScalarProgram &program, const ScalarProgram::Step &step, std::span<const std::string> arguments,
                                    const IsShort &isShort);
/// That of a whole division by a literal, which is a multiplication then; else null.
const char *divisionByLiteralText(const ScalarProgram &program, const ScalarProgram::Step &step, const IsShort &isShort);

} // namespace engine
