// ONNX's messages, of Debian's package. Numbers and fields that are newer than it are read all the same: as numbers, or not at all.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace engine::onnx {
namespace proto = ::onnx;
}
