#include "engine/device/cuda/activities.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ranges>

namespace engine {

CudaActivities &CudaActivities::one()
{
    static auto *const activities = new CudaActivities; // CUPTI calls back until the process ends
    return *activities;
}

std::string CudaActivities::problem() const
{
    if (!cupti().problem.empty()) return cupti().problem;
    std::lock_guard lock(m_mutex);
    return m_refusal;
}

void CudaActivities::watch(bool on)
{
    // Work is told as long as there may be records of it.
    if (on) {
        if (++m_watchers == 1) start();
        return;
    }
    if (m_watchers == 1) stop();
    --m_watchers;
}

#ifdef CROTON_HAS_CUPTI

namespace {

constexpr std::size_t kBuffer = std::size_t(1) << 20;

// External numbers hang on the records of calls, so these are asked for, too; before what needs them, and longer.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                                         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY};
// Without these it goes, too.
constexpr CUpti_ActivityKind kMoreKinds[] = {CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                             CUPTI_ACTIVITY_KIND_OVERHEAD};

std::string refusalOf(CUptiResult result)
{
    if (result == CUPTI_SUCCESS) return {};
    const char *text = "";
    cupti().cuptiGetResultString(result, &text);
    const std::string said = std::string("CUPTI refuses (") + text + ")";
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        return said + ": the driver's setting NVreg_RestrictProfilingToAdminUsers has to be 0";
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) return said + ": another tool is watching this process";
    return said;
}

} // namespace

std::uint64_t CudaActivities::now() const
{
    std::uint64_t time = 0;
    if (cupti().problem.empty() && cupti().cuptiGetTimestamp(&time) == CUPTI_SUCCESS) return time;
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

void CudaActivities::start()
{
    if (!cupti().problem.empty()) return;
    {
        std::lock_guard lock(m_mutex);
        m_records.clear(); // nobody took them
    }
    CUptiResult result = m_isRegistered ? CUPTI_SUCCESS : cupti().cuptiActivityRegisterCallbacks(requested, completed);
    for (CUpti_ActivityKind kind : kKinds)
        if (result == CUPTI_SUCCESS) result = cupti().cuptiActivityEnable(kind);
    for (CUpti_ActivityKind kind : kMoreKinds)
        if (result == CUPTI_SUCCESS) cupti().cuptiActivityEnable(kind);
    std::lock_guard lock(m_mutex);
    m_isRegistered = true;
    m_refusal = refusalOf(result);
}

void CudaActivities::stop()
{
    if (!problem().empty()) return;
    std::lock_guard taking(m_taking);
    cupti().cuptiActivityFlushAll(0);
    for (CUpti_ActivityKind kind : kMoreKinds) cupti().cuptiActivityDisable(kind);
    for (CUpti_ActivityKind kind : std::views::reverse(kKinds)) cupti().cuptiActivityDisable(kind);
}

std::uint64_t CudaActivities::begin(int card, std::uint64_t tag, bool isProduct)
{
    if (!cupti().problem.empty()) return 0;
    std::uint64_t number = 0;
    {
        std::lock_guard lock(m_mutex);
        if (!m_refusal.empty()) return 0;
        number = m_next++;
        m_given[number] = {tag, card, isProduct};
        ++m_open[card];
    }
    cupti().cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, number);
    return number;
}

void CudaActivities::end(std::uint64_t number)
{
    std::uint64_t last = 0;
    cupti().cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
    std::lock_guard lock(m_mutex);
    --m_open[m_given[number].card];
}

// On threads of CUPTI's: no call of CUDA, no exception.
void CUPTIAPI CudaActivities::requested(std::uint8_t **buffer, std::size_t *bytes, std::size_t *most)
{
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, kBuffer));
    *bytes = *buffer ? kBuffer : 0; // without one it counts what it drops
    *most = 0;
}

void CUPTIAPI CudaActivities::completed(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t, std::size_t valid)
{
    CudaActivities &own = one();
    {
        std::lock_guard lock(own.m_mutex);
        CUpti_Activity *record = nullptr;
        while (valid && cupti().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) own.keep(*record);
    }
    std::size_t dropped = 0;
    if (cupti().cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) own.m_lost += dropped;
    std::free(buffer);
}

void CudaActivities::keep(const CUpti_Activity &record)
{
    Record kept;
    switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto &own = reinterpret_cast<const CUpti_ActivityExternalCorrelation &>(record);
        if (own.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) m_works[own.correlationId] = own.externalId;
        return;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto &own = reinterpret_cast<const CUpti_ActivityKernel10 &>(record);
        kept = {{DeviceActivity::Kind::Kernel, 0, own.start, own.end}, own.deviceId, own.correlationId};
        kept.activity.shape = {static_cast<std::uint32_t>(own.gridX) * static_cast<std::uint32_t>(own.gridY * own.gridZ),
                               static_cast<std::uint32_t>(own.blockX * own.blockY * own.blockZ)};
        kept.activity.registers = own.registersPerThread;
        kept.activity.sharedBytes = static_cast<std::uint32_t>(own.staticSharedMemory + own.dynamicSharedMemory);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto &own = reinterpret_cast<const CUpti_ActivityMemcpy6 &>(record);
        const auto kind = own.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? DeviceActivity::Kind::CopyIn
                          : own.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? DeviceActivity::Kind::CopyOut
                                                                            : DeviceActivity::Kind::CopyWithin;
        kept = {{kind, 0, own.start, own.end, own.bytes}, own.deviceId, own.correlationId};
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto &own = reinterpret_cast<const CUpti_ActivityMemset4 &>(record);
        kept = {{DeviceActivity::Kind::Fill, 0, own.start, own.end, own.bytes}, own.deviceId, own.correlationId};
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
        const auto &own = reinterpret_cast<const CUpti_ActivityMemory4 &>(record);
        const bool isTaken = own.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
        if (own.memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) return;
        kept = {{isTaken ? DeviceActivity::Kind::Take : DeviceActivity::Kind::GiveBack, 0, own.timestamp, own.timestamp, own.bytes},
                own.deviceId,
                own.correlationId};
        break;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
        const auto &own = reinterpret_cast<const CUpti_ActivitySynchronization2 &>(record);
        kept = {{DeviceActivity::Kind::Wait, 0, own.start, own.end}, 0, own.correlationId, true};
        break;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
        const auto &own = reinterpret_cast<const CUpti_ActivityOverhead3 &>(record);
        switch (own.overheadKind) {
        case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
        case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
        case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
        case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST: break;
        default: return; // the driver's own
        }
        kept = {{DeviceActivity::Kind::Overhead, 0, own.start, own.end}, 0, own.correlationId, true};
        break;
    }
    default: return;
    }
    m_records.push_back(kept);
}

// Streams that have nothing to do a moment later may have been given more: only what was given before one asks is over.
std::vector<DeviceActivity> CudaActivities::take(int card, const std::function<bool()> &isIdle)
{
    std::vector<DeviceActivity> result;
    if (!problem().empty()) return result;
    std::lock_guard taking(m_taking);
    std::uint64_t overBefore = givenBefore(card);
    if (!isIdle()) overBefore = 0;
    cupti().cuptiActivityFlushAll(overBefore ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    std::lock_guard lock(m_mutex);
    join(result, card, overBefore);
    if (overBefore) forget(card, overBefore);
    return result;
}

#else

std::uint64_t CudaActivities::now() const
{
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}
void CudaActivities::start() {}
void CudaActivities::stop() {}
std::uint64_t CudaActivities::begin(int, std::uint64_t, bool) { return 0; }
void CudaActivities::end(std::uint64_t) {}
std::vector<DeviceActivity> CudaActivities::take(int, const std::function<bool()> &) { return {}; }

#endif

std::uint64_t CudaActivities::givenBefore(int card) const
{
    std::lock_guard lock(m_mutex);
    const auto open = m_open.find(card);
    return open == m_open.end() || open->second == 0 ? m_next : 0;
}

CudaActivities::Given *CudaActivities::givenOf(const Record &record)
{
    const auto work = m_works.find(record.correlation);
    const auto given = work == m_works.end() ? m_given.end() : m_given.find(work->second);
    return given == m_given.end() ? nullptr : &given->second;
}

// Records of calls may come after those of what the calls did: what is not known yet waits until nothing of the card is under way.
void CudaActivities::join(std::vector<DeviceActivity> &result, int card, std::uint64_t overBefore)
{
    const auto isOfCard = [card](const auto &one) { return one.second.card == card; };
    const bool isAllOver = overBefore && std::none_of(m_given.lower_bound(overBefore), m_given.end(), isOfCard);
    std::vector<Record> waiting;
    for (Record &record : m_records) {
        DeviceActivity &activity = record.activity;
        if (record.isOfProcess) {
            result.push_back(activity);
            continue;
        }
        const bool isWork = activity.kind != DeviceActivity::Kind::Take && activity.kind != DeviceActivity::Kind::GiveBack;
        Given *const given = isWork ? givenOf(record) : nullptr;
        if (static_cast<int>(record.card) != card || (isWork && !given && !isAllOver)) {
            waiting.push_back(record);
            continue;
        }
        if (given) {
            activity.tag = given->tag;
            if (given->isProduct && activity.kind == DeviceActivity::Kind::Kernel) activity.kind = DeviceActivity::Kind::Product;
            if (activity.kind != DeviceActivity::Kind::Kernel) activity.isFurther = given->pieces++ > 0;
        }
        result.push_back(activity);
    }
    m_records = std::move(waiting);
}

void CudaActivities::forget(int card, std::uint64_t overBefore)
{
    std::erase_if(m_given, [&](const auto &one) { return one.second.card == card && one.first < overBefore; });
    std::erase_if(m_works, [&](const auto &one) { return !m_given.contains(one.second); });
}

} // namespace engine
