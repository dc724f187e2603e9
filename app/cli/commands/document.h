#pragma once

#include <string>

namespace app {

// Is the file a graph document by its name (.json)?
[[nodiscard]] bool isDocument(const std::string &path);
// Reads and checks a graph document and writes it as text, dot, svg or json. Throws CliError with the place in the file.
[[nodiscard]] std::string textOfDocument(const std::string &path, const std::string &format, bool types);

} // namespace app
