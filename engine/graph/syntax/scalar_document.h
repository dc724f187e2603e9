// Scalar functions in graph documents: by name, as a cast, or as the body of a Composite.
#pragma once

#include "engine/graph/op/op_card.h"
#include "engine/scalar/scalar_op.h"

namespace engine {

void writeScalar(JsonWriter &out, const ScalarOp &scalar);
ScalarOpPtr readScalar(const JsonValue &value, const std::string &place);

} // namespace engine
