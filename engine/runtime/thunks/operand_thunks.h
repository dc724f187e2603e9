// Thunks for ops that prepare none: the op is shown its operands, as views or as values.
#pragma once

#include "engine/graph/op/op.h"
#include "engine/runtime/thunks/thunk.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace engine {

/// Calls perform() with views whose data is looked up in the slots.
std::unique_ptr<Thunk> performThunk(const OpRef &op, const ThunkSpec &spec);
/// For ops on values: wraps operands as tensors, copies the results into the slots.
std::unique_ptr<Thunk> valueThunk(std::function<void(std::span<const Value>, std::span<Value>)> body, const ThunkSpec &spec,
                                  std::string opName);

} // namespace engine
