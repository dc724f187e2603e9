// Files and folders under names that nobody else has.
#pragma once

#include <filesystem>

namespace engine {

/// An open file PREFIX.RANDOM.tmp, or -1 with errno; `path` becomes its name.
int makeTemporaryFile(const std::filesystem::path &prefix, std::filesystem::path &path);
/// A new folder PREFIX-RANDOM, or an empty path with errno.
std::filesystem::path makeTemporaryFolder(const std::filesystem::path &prefix);

} // namespace engine
