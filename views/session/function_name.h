// How a function is called in every view.
#pragma once

#include "profiler/session/model/function_title.h"

#include <QString>

namespace views {

[[nodiscard]] inline QString functionName(const profiler::FunctionInfo &function)
{
    return QString::fromStdString(profiler::shortTitle(function));
}

} // namespace views
