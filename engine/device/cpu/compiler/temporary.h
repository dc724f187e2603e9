// Files and folders under names that nobody else has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// An open file PREFIX.RANDOM.tmp, or -1 with errno; `path` becomes its name.
int makeTemporaryFile(const std::filesystem::path &prefix, std::filesystem::path &path);
/// A new folder PREFIX-RANDOM, or an empty path with errno.
std::filesystem::path makeTemporaryFolder(const std::filesystem::path &prefix);

/// Where temporary files may lie, best first: what TMPDIR names, /tmp, /var/tmp - those that are folders and can be written. A
/// TMPDIR that is not absolute counts from where the process is.
std::vector<std::filesystem::path> temporaryParents();
/// Is there still space for a compiled unit or what a compiler leaves in between?
bool hasSpace(const std::filesystem::path &directory);
/// What to say where none of them has: why not TMPDIR, and the way out.
std::string temporaryProblem();

} // namespace engine
