// What cards did and when, told by CUPTI: the work that it belongs to is found by external correlation. CUPTI knows the process only.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace engine {

class CudaActivities {
public:
    static CudaActivities &one();

    /// Why there are none; empty: there are.
    std::string problem() const;
    /// For one more card, or one less.
    void watch(bool on);
    bool isWatched() const { return m_watchers.load(std::memory_order_relaxed) > 0; }
    /// By the clock of activities.
    std::uint64_t now() const;
    /// Those of a card that are over. `isIdle`: has it done all that it was given?
    std::vector<DeviceActivity> take(int card, const std::function<bool()> &isIdle);
    std::uint64_t takeLost() { return m_lost.exchange(0); }

    /// What this thread asks of CUDA meanwhile is one piece of work.
    class Work {
    public:
        Work(int card, std::uint64_t tag, bool isProduct = false) : m_number(one().isWatched() ? one().begin(card, tag, isProduct) : 0) {}
        ~Work()
        {
            if (m_number) one().end(m_number);
        }
        Work(const Work &) = delete;
        Work &operator=(const Work &) = delete;

    private:
        std::uint64_t m_number; // 0: nobody watches
    };

private:
    struct Given {
        std::uint64_t tag = 0;
        int card = 0;
        bool isProduct = false;
        int pieces = 0; ///< copies that were told of it
    };
    struct Record {
        DeviceActivity activity;
        std::uint32_t card = 0, correlation = 0;
        bool isOfProcess = false; ///< belongs to no work, and CUPTI does not say to which card
    };
    void start();
    void stop();
    std::uint64_t begin(int card, std::uint64_t tag, bool isProduct);
    void end(std::uint64_t number);
#ifdef CROTON_HAS_CUPTI
    static void CUPTIAPI requested(std::uint8_t **buffer, std::size_t *bytes, std::size_t *most);
    static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t bytes, std::size_t valid);
    void keep(const CUpti_Activity &record);
#endif
    /// Work of the card with numbers below this was all given to it; 0: some is being given.
    std::uint64_t givenBefore(int card) const;
    Given *givenOf(const Record &record);
    void join(std::vector<DeviceActivity> &result, int card, std::uint64_t overBefore);
    void forget(int card, std::uint64_t overBefore);

    std::atomic<int> m_watchers{0};
    std::atomic<std::uint64_t> m_lost{0};
    std::mutex m_taking;        // one takes at a time: what another one was told lies in m_records
    mutable std::mutex m_mutex; // guards what follows
    std::uint64_t m_next = 1;
    std::string m_refusal;
    bool m_isRegistered = false;
    std::vector<Record> m_records;
    std::unordered_map<std::uint32_t, std::uint64_t> m_works; // by correlation
    std::map<std::uint64_t, Given> m_given;                   // by the number of the work
    std::unordered_map<int, int> m_open;                      // by card: work that more may be asked of CUDA for
};

} // namespace engine
