// Bodies of Composites: graphs inside an apply, told as they are; they have no steps of their own.
#pragma once

#include "engine/compile/function/function.h"
#include "profiler/record/text_numbers.h"
#include "profiler/session/store/writer.h"

#include <atomic>
#include <cstdint>

namespace profiler {

/// Of all applies that a function runs.
void recordBodies(SessionWriter &writer, FunctionId owner, GraphId parent, engine::Function &function, TextNumbers &texts,
                  std::atomic<std::uint32_t> &nextGraph);

} // namespace profiler
