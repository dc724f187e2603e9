// The card that is simulated: its memory, its streams, its errors.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace cuda_sim {

inline constexpr const char *kName = "simulated CUDA on the processor (not a GPU)";

/// Memory behind addresses that nobody can read.
class Space {
public:
    explicit Space(std::size_t bytes);
    std::size_t bytes() const { return m_size; }
    std::size_t free() const;
    /// Null: there is no room.
    void *allocate(std::size_t bytes);
    bool release(void *address);
    /// How many the array there has; 0: none begins there.
    std::size_t bytesAt(const void *address) const;
    bool isWithin(const void *address) const;
    /// Where the card itself reads and writes; null where the bytes are nobody's.
    char *own(const void *address, std::size_t bytes);
    std::string faults();

private:
    std::size_t m_size;
    char *m_addresses, *m_memory;
    mutable std::mutex m_mutex;                // guards what follows
    std::map<std::size_t, std::size_t> m_live; // by offset of the first byte: how many were asked for
    std::string m_faults;
};

struct Event {
    std::mutex mutex; // guards what follows
    std::condition_variable changed;
    std::uint64_t recorded = 0, reached = 0;
};

class Stream {
public:
    Stream() : m_thread([this] { work(); }) {}
    ~Stream();
    void enqueue(std::function<void()> task);
    void wait();
    bool isIdle();
    /// What is given from now on is kept, not done.
    void capture();
    bool isCaptured();
    std::vector<std::function<void()>> captured();

private:
    void work();
    std::mutex m_mutex; // guards what follows
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_queue;
    bool m_isBusy = false, m_isLeaving = false, m_isCaptured = false;
    std::vector<std::function<void()>> m_captured;
    std::thread m_thread;
};

class Machine {
public:
    Machine();
    static Machine &one();

    Space &space() { return *m_space; }
    int devices() const { return m_devices; }
    int driver() const { return m_driver; }
    /// The one that this thread's calls are for.
    static std::uint32_t card();
    static void enter(std::uint32_t card);
    /// The error that stays, else what was said last to this thread.
    cudaError_t said(cudaError_t error);
    void fault(cudaError_t error) { m_sticky = error; }
    cudaError_t sticky() const { return m_sticky; }
    void revive() { m_sticky = cudaSuccess; }
    /// Is it now that it goes wrong?
    bool fails(const std::string &what);
    void failIn(const std::string &what, int count);
    void delay(unsigned seed);
    void pause();
    void opened(Stream *stream);
    void closed(Stream *stream);
    void waitForAll();

private:
    std::unique_ptr<Space> m_space;
    int m_devices = 1, m_driver = 13000;
    std::atomic<cudaError_t> m_sticky{cudaSuccess};
    std::atomic<bool> m_delays{false};
    std::mutex m_mutex; // guards what follows
    std::map<std::string, int> m_faults;
    std::minstd_rand m_random;
    std::vector<Stream *> m_streams;
};

/// What the compiler made: the bytes that cudaLibraryLoadData takes are a shared object of the host behind this mark.
inline constexpr char kMark[] = "simulated CUDA binary\n";

} // namespace cuda_sim
