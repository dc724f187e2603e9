#pragma once
// The line of a text where something is wrong, and a caret below the place.

#include <string>

namespace app {

// Two lines, indented. `line` and `column` count from 1, columns in characters. A long line is cut around the place; the caret stands
// below it on a terminal also behind tabs, wide characters and what cannot be printed.
[[nodiscard]] std::string caretBelow(const std::string &text, int line, int column);

} // namespace app
