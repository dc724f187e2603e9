// Rewrites and passes that a host language adds while the program runs.
#pragma once

#include "engine/rewrite/machine/registry.h"

namespace engine {

/// False if there is a rewrite or a pass of this name. Compiles under way do not see it.
bool addRewrite(RewriteInfo info);
/// A pass of its own behind those of this position; false if the name is taken. Its phase is that of the pass before it.
bool addPass(std::string_view name, double position);

/// Is told of every graph when its rewriting has ended, well or not; one for the process.
void setRewritingEnded(void (*hook)(const FunctionGraph &graph));

} // namespace engine
