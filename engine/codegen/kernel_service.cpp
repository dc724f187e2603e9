#include "engine/codegen/kernel_service.h"

#include "engine/codegen/compiler.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/stat.h>
#include <thread>
#include <unordered_map>

namespace engine {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t(128) << 20;

using Unit = std::vector<std::shared_ptr<Kernel>>;

// Two independent hashes of 64 bits as 32 hexadecimal digits.
std::string digest(const std::string &text)
{
    std::uint64_t a = 1469598103934665603ull, b = 0x9E3779B97F4A7C15ull;
    for (unsigned char c : text) {
        a = (a ^ c) * 1099511628211ull;
        b = (b + c) * 0xD6E8FEB86659FD93ull;
        b ^= b >> 32;
    }
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    return buffer;
}

struct Service {
    std::mutex mutex; // guards everything below but the generation
    std::condition_variable changed;
    std::unordered_map<std::string, std::weak_ptr<Kernel>> kernels; // by text
    std::deque<Unit> queue;
    bool compiling = false, stopping = false, forked = false;
    std::thread worker;
    std::vector<KernelFailure> failures;
    KernelCounts counts;
    std::atomic<std::uint64_t> generation{1};

    void work();
    bool load(const Unit &unit, const fs::path &product);
    void stop();
};

// Never destroyed: functions may be dropped after static destruction began.
Service &service()
{
    static Service *const instance = [] {
        auto *made = new Service;
        // A child of fork has neither the thread nor a say in the queue.
        pthread_atfork(nullptr, nullptr, [] { service().forked = true; });
        std::atexit([] { service().stop(); });
        return made;
    }();
    return *instance;
}

fs::path productOf(const std::string &source)
{
    const fs::path directory = kernelCacheDirectory();
    return directory.empty() ? fs::path() : directory / (digest(source + "\n" + compiler().identity) + ".so");
}

bool Service::load(const Unit &unit, const fs::path &product)
{
    void *library = dlopen(product.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    std::vector<KernelFunction> functions;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const std::string name = "croton_kernel_" + std::to_string(i);
        void *symbol = dlsym(library, name.c_str());
        if (!symbol) {
            dlclose(library);
            return false;
        }
        functions.push_back(reinterpret_cast<KernelFunction>(symbol));
    }
    // The library stays loaded: a call may be inside it at any time.
    for (std::size_t i = 0; i < unit.size(); ++i) {
        unit[i]->function.store(functions[i], std::memory_order_release);
        unit[i]->state.store(KernelState::Ready, std::memory_order_release);
    }
    generation.fetch_add(1, std::memory_order_release);
    return true;
}

void Service::work()
{
    std::unique_lock lock(mutex);
    while (true) {
        changed.wait(lock, [&] { return stopping || !queue.empty(); });
        if (stopping) return;
        const Unit unit = std::move(queue.front());
        queue.pop_front();
        compiling = true;
        lock.unlock();

        const std::string source = unitSource(unit);
        fs::path product = productOf(source);
        const bool keeps = !product.empty();
        if (!keeps) product = fs::temp_directory_path() / ("croton-" + std::to_string(getpid()) + "-" + digest(source) + ".so");
        const CompileResult result = compileSharedObject(source, product);
        for (const auto &kernel : unit) kernel->compileNs = result.nanoseconds;
        const bool loaded = result.ok && load(unit, product);
        std::error_code error;
        if (!keeps) fs::remove(product, error);
        else if (loaded && counts.compiledUnits % 16 == 0) evictKernels(kCacheBytes);

        lock.lock();
        counts.compileNs += result.nanoseconds;
        if (loaded) {
            ++counts.compiledUnits;
        } else {
            ++counts.failedUnits;
            for (const auto &kernel : unit) kernel->state = KernelState::Failed;
            failures.push_back({source, result.command, result.messages});
        }
        compiling = false;
        changed.notify_all();
    }
}

void Service::stop()
{
    if (forked) return;
    {
        std::lock_guard lock(mutex);
        stopping = true;
        changed.notify_all();
    }
    if (worker.joinable()) worker.join();
}

} // namespace

std::string unitSource(const std::vector<std::shared_ptr<Kernel>> &kernels)
{
    std::string source = kernelPrelude();
    for (std::size_t i = 0; i < kernels.size(); ++i) source += "\nvoid croton_kernel_" + std::to_string(i) + kernels[i]->text.body;
    return source;
}

std::shared_ptr<Kernel> internKernel(KernelText text)
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    std::weak_ptr<Kernel> &known = s.kernels[text.body];
    std::shared_ptr<Kernel> kernel = known.lock();
    if (!kernel) {
        kernel = std::make_shared<Kernel>();
        kernel->text = std::move(text);
        known = kernel;
    }
    return kernel;
}

bool loadCachedKernels(const std::vector<std::shared_ptr<Kernel>> &kernels)
{
    Unit missing;
    for (const auto &kernel : kernels)
        if (kernel->state == KernelState::Waiting) missing.push_back(kernel);
    if (missing.empty()) return true;
    if (compiler().path.empty()) return false;
    const fs::path product = productOf(unitSource(missing));
    std::error_code error;
    if (product.empty() || !fs::exists(product, error)) return false;
    Service &s = service();
    std::lock_guard lock(s.mutex);
    for (const auto &kernel : missing) kernel->fromCache = true;
    if (!s.load(missing, product)) {
        for (const auto &kernel : missing) kernel->fromCache = false;
        return false;
    }
    ++s.counts.loadedUnits;
    utimensat(AT_FDCWD, product.c_str(), nullptr, 0); // used now: evicted last
    return true;
}

void requestKernels(const std::vector<std::shared_ptr<Kernel>> &kernels)
{
    if (compiler().path.empty()) return;
    Service &s = service();
    if (s.forked) return;
    std::lock_guard lock(s.mutex);
    if (s.stopping) return;
    Unit missing;
    for (const auto &kernel : kernels)
        if (kernel->state == KernelState::Waiting && !kernel->asked.exchange(true)) missing.push_back(kernel);
    if (missing.empty()) return;
    s.queue.push_back(std::move(missing));
    if (!s.worker.joinable()) s.worker = std::thread([&s] { s.work(); });
    s.changed.notify_all();
}

void waitForKernels()
{
    Service &s = service();
    if (s.forked) return;
    std::unique_lock lock(s.mutex);
    s.changed.wait(lock, [&] { return s.stopping || (s.queue.empty() && !s.compiling); });
}

std::uint64_t kernelGeneration() { return service().generation.load(std::memory_order_acquire); }

std::vector<KernelFailure> kernelFailures()
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    return s.failures;
}

KernelCounts kernelCounts()
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    return s.counts;
}

} // namespace engine
