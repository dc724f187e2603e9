// float32 exp, log and their kin in branch-free form.
#pragma once

#include "engine/rt/level.h"

namespace {

#include "engine/rt/math_f32_text.inc"

} // namespace
