// Ops of rules that stand for their like: a reduction over any axes, an index that takes any part.
#pragma once

#include "engine/graph/op/op.h"

namespace engine {

/// Does a rule that says `written` mean `found`?
bool standsFor(const Op &found, const Op &written);
/// Of so many inputs those that the rule speaks of: what comes behind them belongs to an index.
std::size_t spokenInputs(const Op &op, std::size_t count);
/// Does it say which part of an array is meant, so that the right side means the same?
bool hasPlace(const Op &op);
/// `written` over the axes or at the place of `found`; itself where that has none of its kind.
OpRef placedAs(const OpRef &written, const OpRef &found);

} // namespace engine
