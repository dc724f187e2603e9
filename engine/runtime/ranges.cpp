#include "engine/runtime/ranges.h"

#include <atomic>

namespace engine {
namespace {

std::atomic<bool> s_isOn{false};

} // namespace

void nameRanges(bool on) { s_isOn = on; }
bool namesRanges() { return s_isOn; }

} // namespace engine
