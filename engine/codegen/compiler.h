// The C compiler of this machine: found once, run as a child process, its product kept on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

struct Compiler {
    std::string path;    ///< empty: none
    std::string version; ///< first line of --version
    bool isClang = false;
    std::string reason;  ///< why there is none
    std::vector<std::string> flags;
    /// Version, flags and processor in one string: what a product depends on besides its source.
    std::string identity;
};

/// CROTON_CC names it (an empty value: none); else gcc, cc, clang from the PATH. Looked up on first use.
const Compiler &compiler();

struct CompileResult {
    bool ok = false;
    std::string command;
    std::string messages; ///< what the compiler said
    std::uint64_t nanoseconds = 0;
};

/// Compiles C text to a shared object. Blocks; a failure leaves no file.
CompileResult compileSharedObject(const std::string &source, const std::filesystem::path &target);

/// Where products are kept: CROTON_CACHE_DIR, else the user's cache directory. Created on first use.
std::filesystem::path kernelCacheDirectory();
struct CacheInfo {
    std::filesystem::path directory;
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
};
CacheInfo kernelCacheInfo();
/// Deletes all products; returns how many.
std::uint64_t clearKernelCache();
/// Deletes the products that were used longest ago until at most `bytes` remain. One process does it at a time.
void evictKernels(std::uint64_t bytes);

} // namespace engine
