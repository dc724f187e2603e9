// Names of applies for tools that watch a device from outside.
#pragma once

namespace engine {

/// Do plans that are made from now on say the name of each apply to their device?
void nameRanges(bool on);
bool namesRanges();

} // namespace engine
