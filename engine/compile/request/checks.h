// What can be wrong with a request for a function, told before anything is compiled.
#pragma once

#include "engine/compile/function/function.h"

namespace engine {

void checkRequest(const FunctionSpec &spec);
/// Every explicit input must be read by something.
void checkUnusedInputs(const FunctionSpec &spec, const FunctionGraph &graph, std::vector<std::string> &warnings);

/// Copies what an op would overwrite although somebody else needs it: arguments, constants, shared variables that keep their
/// value, outputs, and what is overwritten or read elsewhere. (Ops of users say with destroy_map that they overwrite.)
/// False: nothing is overwritten anywhere.
bool protectDestroyed(FunctionGraph &graph, const char *phase);
/// Is there an op of the host language that overwrites? The engine's rewrites have looked at what theirs overwrite.
bool userOpsOverwrite(const FunctionGraph &graph);

/// Puts a DeepCopyOp before every output that would share memory with an input, a shared variable, a constant or
/// an earlier output, unless it is borrowed.
void insertDeepCopies(const FunctionSpec &spec, FunctionGraph &graph);

} // namespace engine
