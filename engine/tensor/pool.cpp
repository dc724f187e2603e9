// Size classes (powers of two from 64 bytes) with free lists: returned outputs come back here when the last
// reader lets go. Blocks above the largest class go straight to the system.
#include "engine/tensor/big_memory.h"
#include "engine/tensor/fork.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/sizes.h"
#include "engine/tensor/tensor.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace engine {
namespace {

constexpr int kSmallestClass = 6; // 64 bytes
constexpr int kLargestClass = 28; // 256 MiB
constexpr std::size_t kSmallest = std::size_t(1) << kSmallestClass;
constexpr std::size_t kSmallSlab = std::size_t(1) << 15;   // numbers come in pieces of it, and stay for the next ones
constexpr std::size_t kKeptPerClass = 64;                  // larger blocks kept per class …
constexpr std::size_t kKeptBytes = std::size_t(512) << 20; // … and bytes kept over all

void *systemBlock(std::size_t bytes)
{
    const std::size_t alignment = bytes >= kBigMemory ? kBigMemory : 64;
    void *data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!data) throw TooLarge("there is not enough memory for an array of " + std::to_string(bytes) + " bytes");
    if (alignment == kBigMemory) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
}

std::atomic<std::size_t> g_live{0}, g_peak{0};
std::atomic<MemoryHook> g_hook{nullptr};

void tookBytes(std::size_t bytes)
{
    const std::size_t live = g_live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = g_peak.load(std::memory_order_relaxed);
    while (peak < live && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
    }
    if (MemoryHook hook = g_hook.load(std::memory_order_acquire)) hook(static_cast<std::int64_t>(bytes), live);
}

void gaveBytes(std::size_t bytes)
{
    const std::size_t live = g_live.fetch_sub(bytes, std::memory_order_relaxed) - bytes;
    if (MemoryHook hook = g_hook.load(std::memory_order_acquire)) hook(-static_cast<std::int64_t>(bytes), live);
}

class PooledStorage;

struct Pool {
    ProcessMutex mutex; // guards the rest
    std::array<std::vector<PooledStorage *>, kLargestClass + 1> free;
    std::size_t keptBytes = 0;
};

// Never destroyed: arrays of the host language may be released after static destruction began.
Pool &pool()
{
    static auto *instance = new Pool;
    return *instance;
}

class PooledStorage final : public Storage {
public:
    PooledStorage(std::size_t bytes, int sizeClass) : PooledStorage(systemBlock(bytes), bytes, sizeClass) {}
    PooledStorage(void *data, std::size_t bytes, int sizeClass) : Storage(data, bytes), m_class(sizeClass) {}
    ~PooledStorage() override { std::free(m_data); }
    StorageRef take(std::size_t asked)
    {
        m_asked = asked;
        tookBytes(asked);
        return StorageRef(this);
    }

protected:
    void dispose() override
    {
        gaveBytes(m_asked);
        if (m_class >= 0) {
            Pool &p = pool();
            std::lock_guard lock(p.mutex);
            auto &list = p.free[m_class];
            if (m_class == kSmallestClass) {
                list.push_back(this);
                return;
            }
            if (list.size() < kKeptPerClass && p.keptBytes + m_bytes <= kKeptBytes) {
                list.push_back(this);
                p.keptBytes += m_bytes;
                return;
            }
        }
        delete this;
    }

private:
    int m_class;
    std::size_t m_asked = 0;
};

/// Graphs are full of numbers: the object and its 64 bytes lie together, and cost the system nothing.
void addSmall(std::vector<PooledStorage *> &list)
{
    constexpr std::size_t cell = kSmallest + (sizeof(PooledStorage) + 63) / 64 * 64;
    auto *const slab = static_cast<std::byte *>(systemBlock(kSmallSlab));
    list.reserve(list.size() + kSmallSlab / cell);
    for (std::size_t end = kSmallSlab; end >= cell; end -= cell) {
        std::byte *const data = slab + end - cell;
        list.push_back(new (data + kSmallest) PooledStorage(data, kSmallest, kSmallestClass));
    }
}

} // namespace

StorageRef allocateStorage(std::size_t bytes)
{
    const int sizeClass = bytes <= 64 ? kSmallestClass : static_cast<int>(std::bit_width(bytes - 1));
    if (sizeClass > kLargestClass) return (new PooledStorage(bytes, -1))->take(bytes);
    Pool &p = pool();
    PooledStorage *storage = nullptr;
    {
        std::lock_guard lock(p.mutex);
        auto &list = p.free[sizeClass];
        if (sizeClass == kSmallestClass && list.empty()) addSmall(list);
        if (!list.empty()) {
            storage = list.back();
            list.pop_back();
            if (sizeClass != kSmallestClass) p.keptBytes -= storage->bytes();
        }
    }
    if (!storage) storage = new PooledStorage(std::size_t(1) << sizeClass, sizeClass);
    return storage->take(bytes);
}

std::size_t liveBytes() { return g_live.load(std::memory_order_relaxed); }
std::size_t peakBytes() { return g_peak.load(std::memory_order_relaxed); }
void resetPeakBytes() { g_peak.store(liveBytes(), std::memory_order_relaxed); }
void setMemoryHook(MemoryHook hook) { g_hook.store(hook, std::memory_order_release); }

} // namespace engine
