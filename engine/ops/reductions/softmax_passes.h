// Softmax of long rows on a card, in passes that its sums and its elementwise work are good at.
#pragma once

#include "engine/graph/op/thunk.h"

#include <memory>
#include <string>

namespace engine {

enum class SoftmaxForm : std::uint8_t { Plain, Log };

/// Are the rows such that passes over all of them are better than an item for each?
bool softmaxTakesPasses(const ThunkSpec &spec);
/// The largest element of each row; the sum of exponentials; the results.
std::unique_ptr<Thunk> softmaxInPasses(SoftmaxForm form, const ThunkSpec &spec, const std::string &name);

} // namespace engine
