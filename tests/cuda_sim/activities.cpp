// The functions of CUPTI that the module calls: records have the real structures, and come in buffers on a thread of their own.
#include "tests/cuda_sim/activities.h"

#include "tests/cuda_sim/machine.h"

#include <cupti.h>

#include <chrono>
#include <cstring>
#include <set>
#include <utility>

namespace cuda_sim {
namespace {

struct Cupti {
    std::mutex mutex; // guards what follows
    std::set<CUpti_ActivityKind> kinds;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    std::vector<std::vector<char>> records;
    std::size_t dropped = 0;
    std::uint32_t calls = 0;
    std::set<std::string> names; // of kernels: records point to them

    bool has(CUpti_ActivityKind kind) const { return kinds.count(kind) > 0; }
    template <class Record>
    void add(const Record &record)
    {
        if (Machine::one().fails("record")) {
            ++dropped;
            return;
        }
        const auto *const first = reinterpret_cast<const char *>(&record);
        records.emplace_back(first, first + sizeof record);
    }
};

Cupti &cupti()
{
    static auto *const instance = new Cupti;
    return *instance;
}

thread_local std::vector<std::uint64_t> t_external;

std::size_t sizeOf(CUpti_ActivityKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMORY2: return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_RUNTIME: return sizeof(CUpti_ActivityAPI);
    default: return sizeof(CUpti_ActivityExternalCorrelation);
    }
}

} // namespace

std::uint64_t now() { return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()); }

Call beginCall()
{
    Cupti &all = cupti();
    std::lock_guard lock(all.mutex);
    if (!all.has(CUPTI_ACTIVITY_KIND_RUNTIME)) return {};
    const Call call{++all.calls, Machine::card()};
    CUpti_ActivityAPI record{};
    record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    record.start = record.end = now();
    record.correlationId = call.number;
    all.add(record);
    if (t_external.empty() || !all.has(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return call;
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    external.externalId = t_external.back();
    external.correlationId = call.number;
    all.add(external);
    return call;
}

void kernelRan(Call call, const std::string &name, const unsigned *grid, const unsigned *block, std::uint64_t begin, std::uint64_t end)
{
    Cupti &all = cupti();
    std::lock_guard lock(all.mutex);
    if (call.number == 0 || !all.has(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
    CUpti_ActivityKernel10 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = begin;
    record.end = end;
    record.correlationId = call.number;
    record.deviceId = call.card;
    record.gridX = static_cast<std::int32_t>(grid[0]);
    record.gridY = static_cast<std::int32_t>(grid[1]);
    record.gridZ = static_cast<std::int32_t>(grid[2]);
    record.blockX = static_cast<std::int32_t>(block[0]);
    record.blockY = static_cast<std::int32_t>(block[1]);
    record.blockZ = static_cast<std::int32_t>(block[2]);
    record.registersPerThread = 16;
    record.name = all.names.insert(name).first->c_str();
    all.add(record);
}

void copied(Call call, int kind, std::size_t bytes, std::uint64_t begin, std::uint64_t end)
{
    Cupti &all = cupti();
    std::lock_guard lock(all.mutex);
    if (call.number == 0 || !all.has(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = static_cast<std::uint8_t>(kind);
    record.bytes = bytes;
    record.start = begin;
    record.end = end;
    record.correlationId = call.number;
    record.deviceId = call.card;
    all.add(record);
}

void moved(bool isTaken, const void *address, std::size_t bytes)
{
    Cupti &all = cupti();
    std::lock_guard lock(all.mutex);
    if (!all.has(CUPTI_ACTIVITY_KIND_MEMORY2)) return;
    CUpti_ActivityMemory4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    record.memoryOperationType = isTaken ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.address = reinterpret_cast<std::uint64_t>(address);
    record.bytes = bytes;
    record.timestamp = now();
    record.deviceId = Machine::card();
    all.add(record);
}

void waited(std::uint64_t begin)
{
    Cupti &all = cupti();
    std::lock_guard lock(all.mutex);
    if (!all.has(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
    CUpti_ActivitySynchronization2 record{};
    record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    record.start = begin;
    record.end = now();
    all.add(record);
}

} // namespace cuda_sim

using namespace cuda_sim;

CUptiResult cuptiGetVersion(std::uint32_t *version)
{
    *version = Machine::one().fails("cupti-old") ? 120600 : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t *time)
{
    *time = now();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == CUPTI_SUCCESS                     ? "CUPTI_SUCCESS"
                                                          : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete)
{
    std::lock_guard lock(cupti().mutex);
    cupti().request = request;
    cupti().complete = complete;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (Machine::one().fails("cupti-refused")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    std::lock_guard lock(cupti().mutex);
    cupti().kinds.insert(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    std::lock_guard lock(cupti().mutex);
    cupti().kinds.erase(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t id)
{
    t_external.push_back(id);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t *last)
{
    if (t_external.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    *last = t_external.back();
    t_external.pop_back();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t *buffer, std::size_t valid, CUpti_Activity **record)
{
    std::uint8_t *next = buffer;
    if (*record) next = reinterpret_cast<std::uint8_t *>(*record) + sizeOf((*record)->kind);
    if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity *>(next);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t *dropped)
{
    std::lock_guard lock(cupti().mutex);
    *dropped = std::exchange(cupti().dropped, 0);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t)
{
    Cupti &all = cupti();
    Machine::one().pause();
    std::vector<std::vector<char>> records;
    {
        std::lock_guard lock(all.mutex);
        const bool isAny = !all.records.empty();
        CUpti_ActivityOverhead3 record{};
        record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
        record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
        record.start = record.end = now();
        if (isAny && all.has(CUPTI_ACTIVITY_KIND_OVERHEAD)) {
            const auto *const first = reinterpret_cast<const char *>(&record);
            all.records.emplace_back(first, first + sizeof record);
        }
        records.swap(all.records);
    }
    std::thread([&all, &records] {
        for (std::size_t next = 0; next < records.size();) {
            std::uint8_t *buffer = nullptr;
            std::size_t bytes = 0, most = 0, used = 0;
            all.request(&buffer, &bytes, &most);
            for (; next < records.size() && used + records[next].size() <= bytes; ++next) {
                std::memcpy(buffer + used, records[next].data(), records[next].size());
                used += records[next].size();
            }
            all.complete(nullptr, 0, buffer, bytes, used);
        }
    }).join();
    return CUPTI_SUCCESS;
}
