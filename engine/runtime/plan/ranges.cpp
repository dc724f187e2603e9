#include "engine/runtime/plan/ranges.h"

#include <atomic>

namespace engine {
namespace {

std::atomic<bool> s_namesRanges{false};

} // namespace

void nameRanges(bool on) { s_namesRanges = on; }
bool namesRanges() { return s_namesRanges; }

} // namespace engine
