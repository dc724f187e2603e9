// What cards did and when, told by CUPTI: the work that it belongs to is found by external correlation. CUPTI knows the process only.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device.h"

#include <atomic>
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
    /// Those of a card that are over. `isIdle`: nothing of it is under way.
    std::vector<DeviceActivity> take(int card, bool isIdle);
    std::uint64_t takeLost() { return m_lost.exchange(0); }

    /// What this thread asks of CUDA meanwhile is one piece of work.
    class Work {
    public:
        explicit Work(std::uint64_t tag, bool isProduct = false) : m_isOpen(one().isWatched())
        {
            if (m_isOpen) one().begin(tag, isProduct);
        }
        ~Work()
        {
            if (m_isOpen) one().end();
        }
        Work(const Work &) = delete;
        Work &operator=(const Work &) = delete;

    private:
        bool m_isOpen;
    };

private:
    struct Given {
        std::uint64_t tag = 0;
        bool isProduct = false;
    };
    struct Record {
        DeviceActivity activity;
        std::uint32_t card = 0, correlation = 0;
        bool isOfProcess = false; ///< belongs to no work, and CUPTI does not say to which card
    };
    void start();
    void stop();
    void begin(std::uint64_t tag, bool isProduct);
    void end();
#ifdef CROTON_HAS_CUPTI
    static void CUPTIAPI requested(std::uint8_t **buffer, std::size_t *bytes, std::size_t *most);
    static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t bytes, std::size_t valid);
    void keep(const CUpti_Activity &record);
#endif
    void join(std::vector<DeviceActivity> &result, int card, bool isIdle);

    std::atomic<int> m_watchers{0};
    std::atomic<std::uint64_t> m_lost{0}, m_next{1};
    mutable std::mutex m_mutex; // guards what follows
    std::string m_refusal;
    bool m_isRegistered = false;
    std::vector<Record> m_records;
    std::unordered_map<std::uint32_t, std::uint64_t> m_works; // by correlation
    std::unordered_map<std::uint64_t, Given> m_given;         // by the number of the work
    std::unordered_map<std::uint64_t, int> m_pieces;          // copies that were told of a work
};

} // namespace engine
