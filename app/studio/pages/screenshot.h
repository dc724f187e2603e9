#pragma once

#include "app/studio/dialogs/options.h"

namespace app {

class MainWindow;

inline constexpr int kLayoutLimitMs = 15000; ///< for so long a picture waits for its graph

/// Shows what the options ask for, waits until it stands still, writes the picture. Returns the exit code; 1 with one
/// sentence on stderr when something is missing. Runs the event loop itself.
int takeScreenshot(MainWindow &window, const Options &options);

} // namespace app
