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
// What a step made of applies (rewrite_steps.lineage): apply, fate (0 kept, 1 replaced, 2 merged, 3 fused, 4 moved,
// 5 constant, 6 dead), the apply that it became.
// Origins of a body (body_origins.origins): for each of its applies, in the order of ids, a list of applies.
// Last words on an apply (last_declines.words): rewrite string, reason string, the apply that stood in the way.
//
// Numbers are varints; node ids are stored plus one (0 = none); lists begin with their length;
// sources are (file string, line) pairs; views and destroys are (output, input) pairs.

#include "profiler/session/model/model_rewrite.h"

#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

// Behind those that the step has. OneEdit is an alternative of Edit.
template <class OneEdit>
void addEdit(StepFacts &step, const OneEdit &edit);
void appendApply(std::vector<std::uint8_t> &applies, ApplyId apply);
void appendBecame(std::vector<std::uint8_t> &lineage, const Became &one);

[[nodiscard]] std::vector<std::uint8_t> encodeEdits(std::span<const Edit> edits);
// Throws SessionError for bytes that make no sense; never reads or allocates beyond what they justify.
[[nodiscard]] std::vector<Edit> decodeEdits(std::span<const std::uint8_t> blob);

[[nodiscard]] std::vector<std::uint8_t> encodeLineage(std::span<const Became> lineage);
[[nodiscard]] std::vector<Became> decodeLineage(std::span<const std::uint8_t> blob);
[[nodiscard]] std::vector<std::uint8_t> encodeOrigins(std::span<const std::vector<ApplyId>> origins);
[[nodiscard]] std::vector<std::vector<ApplyId>> decodeOrigins(std::span<const std::uint8_t> blob);
[[nodiscard]] std::vector<std::uint8_t> encodeWords(std::span<const LastWord> words);
[[nodiscard]] std::vector<LastWord> decodeWords(std::span<const std::uint8_t> blob);

[[nodiscard]] std::vector<std::uint8_t> encodeApplies(std::span<const ApplyId> applies);
[[nodiscard]] std::vector<ApplyId> decodeApplies(std::span<const std::uint8_t> blob);

} // namespace profiler
