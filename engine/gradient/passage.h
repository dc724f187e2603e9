// Gradients that are known of several applies together: those of each alone would pass through what overflows.
#pragma once

#include "engine/graph/ir/expression.h"

#include <functional>
#include <optional>
#include <vector>

namespace engine {

/// The gradient of an output with regard to `to`, past the variables between. It is taken where nobody asks for the gradients of those.
struct Passage {
    VarRef to;
    std::vector<VarRef> past;
    std::vector<VarRef> aside; ///< to which no gradient may go through this output
    std::function<VarRef(const VarRef &arriving)> gradient;
};
using FindPassage = std::optional<Passage> (*)(const Apply &apply);

/// Before main() only: a family of ops adds what it knows.
bool registerPassage(FindPassage find);
/// From the only output of this apply, if there is one.
std::optional<Passage> findPassage(const Apply &apply);

} // namespace engine
