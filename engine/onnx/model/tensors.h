// Arrays of a model: inline, or in files beside it.
#pragma once

#include "engine/onnx/model/proto.h"
#include "engine/tensor/tensor.h"

#include <string>

namespace engine::onnx {

/// ONNX's number of an element type as ours; throws ModelError, naming `what`, for one that we have not got.
DType dtypeOf(std::int32_t elementType, const std::string &what);
/// The other way round.
std::int32_t elementTypeOf(DType dtype);
bool isBFloat16(std::int32_t elementType);
/// `folder`: where files with weights are.
Tensor tensorOf(const proto::TensorProto &message, const std::string &folder, const std::string &what);

} // namespace engine::onnx
