// float32 exp, log and their kin in branch-free form.
#pragma once

#include "engine/runtime/rt/level.h"

namespace {

#include "engine/runtime/rt/math_f32_text.inc"

} // namespace
