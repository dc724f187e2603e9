#pragma once
// Text of sessions on its way to people: nothing in it steers a terminal, and XML takes all of it.

#include <string>
#include <string_view>

namespace profiler {

// Control characters read as \x1b or \u009b, and bytes that are no UTF-8 as U+FFFD. Ends of lines and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);
// The same on one line: ends of lines read as \n, tabs as \x09.
[[nodiscard]] std::string printableInLine(std::string_view text);
// The text of a JSON document, whose strings hold what an encoder leaves as it is: controls above 0x7e, and U+FFFE and U+FFFF.
[[nodiscard]] std::string printableJson(std::string_view json);

} // namespace profiler
