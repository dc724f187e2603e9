#pragma once
// The words that the tables use for enums; an unknown word (a newer writer) reads as the plainest value.

#include "profiler/session/model.h"

#include <string_view>

namespace profiler {

[[nodiscard]] Fate fateOf(std::string_view name);
[[nodiscard]] VariableKind variableKindOf(std::string_view name);
[[nodiscard]] GraphKind graphKindOf(std::string_view name);
[[nodiscard]] EventKind eventKindOf(std::string_view name);
[[nodiscard]] LaneKind laneKindOf(std::string_view name);
[[nodiscard]] BufferKind bufferKindOf(std::string_view name);
[[nodiscard]] Severity severityOf(std::string_view name);

} // namespace profiler
