// What the engine's allocator gives out and takes back, as a bounded sample. One per process.
#pragma once

#include "profiler/session/store/writer.h"

namespace profiler {

/// Watches the allocator from now on. Each new highest level is kept, and one change in many of the others.
void startMemoryRecord();
/// Hands over what was seen since the last time; a drop is stated for the rest.
void writeMemoryRecord(SessionWriter &writer);
void stopMemoryRecord();

} // namespace profiler
