#include "engine/codegen/kernel_service.h"

#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/environment.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/unit_builder.h"
#include "engine/tensor/fork.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

constexpr std::size_t kKeptNews = 100;
constexpr std::size_t kMostOfUnit = 64; // kernels: a function of thousands has its first ones in seconds, and within the compiler's limit

using Unit = std::vector<std::shared_ptr<Kernel>>;

struct RequestedUnit {
    Unit unit;
    std::shared_ptr<const EnvironmentCopy> environment; // as it was when the unit was requested: a script may change it meanwhile
};

/// Kernels of which `isMissing` says so, each once, cut into units: a text has the same place in each process.
template <class IsMissing>
std::vector<Unit> unitsOf(const Unit &kernels, IsMissing isMissing)
{
    std::vector<Unit> units;
    std::unordered_set<const Kernel *> seen;
    for (const auto &kernel : kernels) {
        if (!seen.insert(kernel.get()).second || !isMissing(*kernel)) continue;
        if (units.empty() || units.back().size() == kMostOfUnit) units.emplace_back();
        units.back().push_back(kernel);
    }
    return units;
}

struct Service {
    ProcessMutex mutex; // guards everything below but the atomics
    std::condition_variable changed;
    std::unordered_map<std::string, std::weak_ptr<Kernel>> kernels; // by text
    std::size_t kernelsAtSweep = 1000;
    std::deque<RequestedUnit> queue;
    bool compiling = false;
    std::thread worker;
    std::vector<KernelFailure> failures;
    std::vector<std::string> notices;
    KernelCounts counts;
    std::atomic<bool> stopping{false}, forked{false};
    std::atomic<std::uint64_t> generation{1};
    std::atomic<void (*)()> hook{nullptr};

    void work();
    void finish(const Unit &unit, const std::string &source, BuiltUnit built);
    void take(const Unit &unit, const std::vector<KernelFunction> &functions);
    void stop();
    void forgetDropped();
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

void Service::take(const Unit &unit, const std::vector<KernelFunction> &functions)
{
    for (std::size_t i = 0; i < unit.size(); ++i) {
        unit[i]->function.store(functions[i], std::memory_order_release);
        unit[i]->state.store(KernelState::Ready, std::memory_order_release);
    }
    generation.fetch_add(1, std::memory_order_release);
}

void Service::work()
{
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
        changed.wait(lock, [&] { return stopping || !queue.empty(); });
        if (stopping) return;
        const RequestedUnit requested = std::move(queue.front());
        queue.pop_front();
        compiling = true;
        lock.unlock();
        {
            const EnvironmentInUse environment(*requested.environment);
            const std::string source = unitSource(requested.unit);
            finish(requested.unit, source, buildUnit(source, requested.unit.size(), stopping));
        }
        lock.lock();
        compiling = false;
        changed.notify_all();
    }
}

void Service::finish(const Unit &unit, const std::string &source, BuiltUnit built)
{
    for (const auto &kernel : unit) {
        kernel->compileNs = built.nanoseconds;
        kernel->fromCache = built.fromCache;
    }
    if (built.ended) return;
    const bool succeeded = !built.functions.empty();
    if (succeeded) take(unit, built.functions);
    else
        for (const auto &kernel : unit) kernel->state = KernelState::Failed;
    bool evicts = false, hasNews = !succeeded || !built.notice.empty();
    {
        std::lock_guard lock(mutex);
        counts.compileNs += built.nanoseconds;
        if (!succeeded) {
            ++counts.failedUnits;
            if (failures.size() < kKeptNews) failures.push_back({source, std::move(built.command), std::move(built.messages)});
        } else if (built.fromCache) {
            ++counts.loadedUnits;
        } else {
            ++counts.compiledUnits;
            evicts = built.notice.empty();
        }
        if (!built.notice.empty() && notices.empty()) notices.push_back(std::move(built.notice)); // it would say the same again
        else if (succeeded) hasNews = false;
    }
    if (evicts) evictKernels(kernelCacheLimit());
    if (void (*tell)() = hook.load(); tell && hasNews) tell();
}

void Service::stop()
{
    if (forked) return;
    {
        std::lock_guard lock(mutex);
        stopping = true;
        hook = nullptr;
        changed.notify_all();
    }
    if (worker.joinable()) worker.join();
}

// Kernels of functions that are gone leave their text behind.
void Service::forgetDropped()
{
    if (kernels.size() < kernelsAtSweep) return;
    std::erase_if(kernels, [](const auto &known) { return known.second.expired(); });
    kernelsAtSweep = std::max<std::size_t>(1000, 2 * kernels.size());
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
        s.forgetDropped();
    }
    return kernel;
}

bool loadCachedKernels(const std::vector<std::shared_ptr<Kernel>> &kernels)
{
    const std::vector<Unit> units = unitsOf(kernels, [](const Kernel &kernel) { return kernel.state == KernelState::Waiting; });
    if (units.empty()) return true;
    if (compiler().path.empty()) return false;
    bool isComplete = true;
    for (const Unit &unit : units) {
        const std::vector<KernelFunction> functions = findUnit(unitSource(unit), unit.size());
        isComplete &= !functions.empty();
        if (functions.empty()) continue;
        for (const auto &kernel : unit) kernel->fromCache = true;
        Service &s = service();
        s.take(unit, functions);
        std::lock_guard lock(s.mutex);
        ++s.counts.loadedUnits;
    }
    return isComplete;
}

void requestKernels(const std::vector<std::shared_ptr<Kernel>> &kernels)
{
    if (compiler().path.empty()) return;
    Service &s = service();
    if (s.forked) return;
    std::lock_guard lock(s.mutex);
    if (s.stopping) return;
    std::vector<Unit> units =
        unitsOf(kernels, [](Kernel &kernel) { return kernel.state == KernelState::Waiting && !kernel.asked.exchange(true); });
    if (units.empty()) return;
    const auto environment = std::make_shared<const EnvironmentCopy>(environmentCopy());
    for (Unit &unit : units) s.queue.push_back({std::move(unit), environment});
    if (!s.worker.joinable()) s.worker = std::thread([&s] { s.work(); });
    s.changed.notify_all();
}

void waitForKernels()
{
    Service &s = service();
    if (s.forked) return;
    std::unique_lock<std::mutex> lock(s.mutex);
    const auto isOver = [&] { return s.stopping || (s.queue.empty() && !s.compiling); };
    while (!s.changed.wait_for(lock, std::chrono::milliseconds(kLookMs), isOver)) {
        lock.unlock(); // the host language may be asked
        checkInterrupt();
        lock.lock();
    }
}

std::uint64_t kernelGeneration() { return service().generation.load(std::memory_order_acquire); }

std::vector<KernelFailure> kernelFailures()
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    return s.failures;
}

std::vector<std::string> kernelNotices()
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    return s.notices;
}

void setKernelNewsHook(void (*hook)()) { service().hook = hook; }

KernelCounts kernelCounts()
{
    Service &s = service();
    std::lock_guard lock(s.mutex);
    return s.counts;
}

} // namespace engine
