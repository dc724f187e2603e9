#include "engine/device/cpu/compiler/unit_builder.h"

#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/digest.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/product_lock.h"
#include "engine/device/cpu/compiler/temporary.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

namespace engine {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
const std::string kNotLoaded = "the product cannot be loaded: ";

fs::path productOf(const std::string &source)
{
    const fs::path directory = kernelCacheDirectory();
    return directory.empty() ? fs::path() : directory / (digest(source + "\n" + compiler().identity) + ".so");
}

std::vector<KernelFunction> load(const fs::path &product, std::size_t count, std::string &problem)
{
    std::vector<KernelFunction> functions;
    void *library = dlopen(product.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        problem = dlerror();
        return functions;
    }
    for (std::size_t i = 0; i < count; ++i) {
        void *symbol = dlsym(library, ("croton_kernel_" + std::to_string(i)).c_str());
        if (!symbol) {
            problem = product.string() + " has no croton_kernel_" + std::to_string(i);
            dlclose(library);
            return {};
        }
        functions.push_back(reinterpret_cast<KernelFunction>(symbol));
    }
    return functions;
}

void noteUse(const fs::path &product) { utimensat(AT_FDCWD, product.c_str(), nullptr, 0); } // evicted last

/// A folder of one product, for the time until it is loaded.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const fs::path &parent) : m_path(makeTemporaryFolder(parent / "croton")) {}
    ~TemporaryFolder()
    {
        std::error_code error;
        if (exists()) fs::remove_all(m_path, error);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    bool exists() const { return !m_path.empty(); }
    fs::path product() const { return m_path / "kernel.so"; }

private:
    fs::path m_path;
};

void addLine(std::string &text, const std::string &line)
{
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += line;
}

/// Compiles to `product` and loads it. True: there is nothing to be won by trying elsewhere.
bool compileTo(const fs::path &product, ProductFor whom, const std::string &source, std::size_t count, const std::atomic<bool> &leaving,
               BuiltUnit &unit)
{
    const CompileResult result = compileSharedObject(source, product, whom, &leaving);
    unit.command = result.command;
    unit.messages = result.messages;
    unit.nanoseconds += result.nanoseconds;
    if (!result.ok) return result.compilerFailed && hasSpace(product.parent_path());
    std::string problem;
    unit.functions = load(product, count, problem);
    if (!unit.functions.empty()) return true;
    addLine(unit.messages, kNotLoaded + problem);
    std::error_code error;
    fs::remove(product, error);
    return false;
}

/// In the first temporary folder that will do; else the messages say which would not.
void buildInTemporaryFolder(const std::string &source, std::size_t count, const std::atomic<bool> &leaving, BuiltUnit &unit)
{
    std::string notRun;
    bool hadSpace = false;
    for (const fs::path &parent : temporaryParents()) {
        const TemporaryFolder folder(parent);
        if (!folder.exists() || !hasSpace(parent)) continue;
        hadSpace = true;
        if (compileTo(folder.product(), ProductFor::Us, source, count, leaving, unit) || leaving.load(std::memory_order_relaxed)) return;
        if (unit.messages.find(kNotLoaded) != std::string::npos) notRun += (notRun.empty() ? "" : ", ") + parent.string();
    }
    if (!hadSpace) addLine(unit.messages, temporaryProblem());
    else if (!notRun.empty())
        addLine(unit.messages, "programs cannot be run from " + notRun + "; set TMPDIR or CROTON_CACHE_DIR to another folder");
}

/// Waits for its turn. False: another process was too slow, or there is no time.
bool waitForTurn(ProductLock &lock, const fs::path &product, const std::atomic<bool> &leaving, bool &othersMadeIt)
{
    const auto deadline = Clock::now() + compileLimit();
    for (auto pause = std::chrono::milliseconds(2);; pause = std::min(pause * 2, std::chrono::milliseconds(10))) {
        const bool taken = lock.tryTake();
        std::error_code error;
        if (fs::exists(product, error) && isWholeProduct(product)) {
            othersMadeIt = true;
            return true;
        }
        if (taken) return true;
        if (leaving.load(std::memory_order_relaxed) || Clock::now() > deadline) return false;
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

std::vector<KernelFunction> findUnit(const std::string &source, std::size_t count)
{
    const fs::path product = productOf(source);
    if (product.empty() || !isWholeProduct(product)) return {};
    std::string problem;
    std::vector<KernelFunction> functions = load(product, count, problem);
    if (!functions.empty()) noteUse(product);
    return functions;
}

BuiltUnit buildUnit(const std::string &source, std::size_t count, const std::atomic<bool> &leaving)
{
    BuiltUnit unit;
    if (keepsKernels()) {
        const fs::path product = productOf(source);
        ProductLock lock(product);
        bool othersMadeIt = false;
        const bool isOurTurn = waitForTurn(lock, product, leaving, othersMadeIt);
        if (!isOurTurn && leaving.load(std::memory_order_relaxed)) {
            unit.ended = true;
            return unit;
        }
        std::string problem;
        if (othersMadeIt) unit.functions = load(product, count, problem);
        if (!unit.functions.empty()) {
            unit.fromCache = true;
            noteUse(product);
            return unit;
        }
        const bool isSettled = compileTo(product, ProductFor::All, source, count, leaving, unit);
        unit.ended = unit.functions.empty() && leaving.load(std::memory_order_relaxed);
        if (isSettled || unit.ended) return unit;
    }
    // The cache is full, or nothing can be run from there.
    const std::string before = unit.messages.substr(0, unit.messages.find('\n'));
    buildInTemporaryFolder(source, count, leaving, unit);
    unit.ended = unit.functions.empty() && leaving.load(std::memory_order_relaxed);
    if (!unit.functions.empty() && keepsKernels()) {
        const fs::path directory = kernelCacheDirectory();
        unit.notice = "compiled kernels are not kept: " +
                      (hasSpace(directory) ? before + "; set CROTON_CACHE_DIR to another folder"
                                           : "there is no space in " + directory.string() +
                                                 "; make some (croton cache clear) or set CROTON_CACHE_DIR to another folder");
    }
    return unit;
}

} // namespace engine
