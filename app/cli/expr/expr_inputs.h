#pragma once
// Values for the inputs of an expression: given in its own notation, or random.

#include "engine/graph/ir/expression.h"

#include <cstdint>
#include <string>
#include <vector>

namespace app {

struct InputSource {
    std::string values;    // "x = [[1, 2]]; b = 0.5"
    std::string shapes;    // "x = 3x4; b = 4"
    std::int64_t size = 4; // of every axis that nothing else says
    std::uint64_t seed = 0;
    engine::DType floatX = engine::DType::Float64;
};

struct InputValue {
    engine::Tensor tensor;
    bool random = false;
};

// One per input. Throws CliError for what does not fit.
[[nodiscard]] std::vector<InputValue> inputValues(const std::vector<engine::VarRef> &inputs, const InputSource &source);

} // namespace app
