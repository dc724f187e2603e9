// Compiled kernels of the process: looked up in memory, then on disk, then compiled in the background.
// Any thread may call; one compile runs at a time. After fork the child compiles nothing more.
#pragma once

#include "engine/codegen/kernel.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace engine {

enum class KernelState : std::uint8_t { Waiting, Ready, Failed };

/// One kernel, shared by everything that wants the same text.
struct Kernel {
    KernelText text;
    std::atomic<KernelState> state{KernelState::Waiting};
    std::atomic<KernelFunction> function{nullptr};
    std::atomic<bool> asked{false};          ///< a compile was asked for
    std::atomic<bool> fromCache{false};      ///< ready because the disk had it
    std::atomic<std::uint64_t> compileNs{0}; ///< of its whole unit
};

/// The kernel with that text, known so far or not.
std::shared_ptr<Kernel> internKernel(KernelText text);

/// Takes the kernels that the disk cache holds as one unit, if it does. True: all are ready.
bool loadCachedKernels(const std::vector<std::shared_ptr<Kernel>> &kernels);
/// Has them compiled in the background (in one unit, once).
void requestKernels(const std::vector<std::shared_ptr<Kernel>> &kernels);
/// Until nothing is being compiled, or the compile limit makes an end.
void waitForKernels();
/// Changes whenever a kernel becomes ready: a function compares it between calls.
std::uint64_t kernelGeneration();

/// The whole text that the compiler gets for these kernels.
std::string unitSource(const std::vector<std::shared_ptr<Kernel>> &kernels);

struct KernelFailure {
    std::string source, command, messages;
};
/// Compiles that failed so far.
std::vector<KernelFailure> kernelFailures();
/// What else the person should know, a sentence each.
std::vector<std::string> kernelNotices();
/// Called on the compile thread when there is one failure or notice more; null: nobody. It returns soon.
void setKernelNewsHook(void (*hook)());
struct KernelCounts {
    std::uint64_t compiledUnits = 0, loadedUnits = 0, failedUnits = 0, compileNs = 0;
};
KernelCounts kernelCounts();

} // namespace engine
