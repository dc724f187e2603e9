#pragma once
// Where a subcommand writes what it was asked for.

#include <string>

namespace app {

// Throws CliError for a place that writeOutput() would refuse, before work is spent on what is to be written.
void checkOutput(const std::string &path, const std::string &input = {});
// Writes to the file, or to stdout for an empty name and "-". What was made of a session never overwrites one, nor `input`,
// what it was made of. Throws CliError.
void writeOutput(const std::string &path, const std::string &text, const std::string &input = {});

} // namespace app
