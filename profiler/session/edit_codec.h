#pragma once
// Edits as bytes, about 16 an edit. A blob is a list of records: kind (varint), length of the payload
// (varint), payload. A reader skips kinds that it does not know and fields behind those it knows.
//
//   1 add-variable  id, kind, type, name, value, sources
//   2 add-apply     id, op, friendly, class, device, inputs, outputs (id, type, name), views, destroys, sources
//   3 set-input     apply, port, before, after
//   4 set-output    index, before, after
//   5 rename        variable, before, after
//   6 prune-apply   apply
//   7 prune-var     variable
//   8 add-sources   apply, sources
//
// Numbers are varints; node ids are stored plus one (0 = none); lists begin with their length;
// sources are (file string, line) pairs; views and destroys are (output, input) pairs.

#include "profiler/session/model_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

[[nodiscard]] std::vector<std::uint8_t> encodeEdits(std::span<const Edit> edits);
// Throws SessionError for bytes that make no sense; never reads or allocates beyond what they justify.
[[nodiscard]] std::vector<Edit> decodeEdits(std::span<const std::uint8_t> blob);

[[nodiscard]] std::vector<std::uint8_t> encodeApplies(std::span<const ApplyId> applies);
[[nodiscard]] std::vector<ApplyId> decodeApplies(std::span<const std::uint8_t> blob);

} // namespace profiler
