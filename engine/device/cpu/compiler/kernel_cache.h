// Compiled units on disk, for all processes of one person on one machine. A product is a shared object with a seal at its end:
// what was cut short or changed is told from what is whole, and nothing is loaded that others may write.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace engine {

/// Where products are kept: the folder chosen, else CROTON_CACHE_DIR, else the user's cache directory. Created on first use; empty
/// where there is none. What cannot be written may still be read.
std::filesystem::path kernelCacheDirectory();
/// Are new products kept there?
bool keepsKernels();
/// Why they are not although they should be, with the way out; else empty.
std::string kernelCacheProblem();
/// From now on `base`/kernels; nothing: as if none had been chosen.
void chooseKernelCache(std::optional<std::filesystem::path> base);

struct CacheInfo {
    std::filesystem::path directory;
    std::uint64_t files = 0;
    std::uint64_t bytes = 0; ///< on the disk, with what compiles are at work on
    std::uint64_t limit = 0; ///< CROTON_CACHE_MB, else 128 MB
};
CacheInfo kernelCacheInfo();
/// Deletes all products; returns how many.
std::uint64_t clearKernelCache();
/// Deletes the products that were used longest ago until at most `bytes` remain, and what killed compiles left. One process does it
/// at a time. It is done after every compile: more than the limit is there only for as long as the last product takes to be counted.
void evictKernels(std::uint64_t bytes);
std::uint64_t kernelCacheLimit();

/// Is there something under that name? Damaged or somebody else's: it is deleted where it can be.
bool isWholeProduct(const std::filesystem::path &product);

} // namespace engine
