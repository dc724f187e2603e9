#pragma once
// Where a subcommand writes what it was asked for.

#include <string>

namespace app {

// printf to stdout and to stderr, for text that may come from a session or a script: control characters, which would steer the
// terminal, read as \x1b.
__attribute__((format(printf, 1, 2))) void printOut(const char *pattern, ...);
__attribute__((format(printf, 1, 2))) void printErr(const char *pattern, ...);

// Throws CliError for a place that writeOutput() would refuse, before work is spent on what is to be written.
void checkOutput(const std::string &path, const std::string &input = {});
// Writes to the file, or as printOut() does for an empty name and "-". What was made of a session never overwrites one, nor `input`,
// what it was made of. Throws CliError.
void writeOutput(const std::string &path, const std::string &text, const std::string &input = {});

} // namespace app
