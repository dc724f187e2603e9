// The C compiler of this machine: found once, run as a child process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct Compiler {
    std::string path;    ///< empty: none
    std::string version; ///< first line of --version
    bool isClang = false;
    std::string reason; ///< why there is none
    std::vector<std::string> flags;
    /// Version, flags and processor in one string: what a product depends on besides its source.
    std::string identity;
};

/// The one chosen, else the one that CROTON_CC names (an empty value: none), else gcc, cc or clang from the PATH. Looked up on
/// first use; what was returned stays valid.
const Compiler &compiler();
/// From now on this one (empty: none); nothing: as if none had been chosen.
void chooseCompiler(std::optional<std::string> path);
/// How long one compile may take (at first 120 s).
void setCompileLimit(std::chrono::milliseconds limit);
std::chrono::milliseconds compileLimit();

struct CompileResult {
    bool ok = false;
    bool compilerFailed = false; ///< it said no, or was ended; else its product could not be kept
    std::string command;
    std::string messages; ///< what the compiler said, what became of it
    std::uint64_t nanoseconds = 0;
};

/// Who may still use the product once we have left: everybody, so the compile goes on for a while, or nobody.
enum class ProductFor : std::uint8_t { All, Us };

/// Compiles C text to a sealed product (seal.h). Blocks; a failure leaves no file. `leaving`: once it is true, return at once.
CompileResult compileSharedObject(const std::string &source, const std::filesystem::path &target, ProductFor whom = ProductFor::All,
                                  const std::atomic<bool> *leaving = nullptr);

} // namespace engine
