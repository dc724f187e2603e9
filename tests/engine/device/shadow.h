// A second device that every test run has: memory of its own behind addresses that the host cannot read, work on a thread of its own,
// faults on order. It does what it is told with the processor, late.
#pragma once

#include "engine/device/device.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <thread>

namespace shadow {

/// The device that plans of these tests use; it stays for the whole process.
class Shadow final : public engine::Device {
public:
    explicit Shadow(std::string name, std::size_t bytes = std::size_t(1) << 20);
    ~Shadow() override;

    const engine::DeviceInfo &info() const override { return m_info; }
    engine::StorageRef allocate(std::size_t bytes, engine::DeviceStream &stream) override;
    std::unique_ptr<engine::DeviceStream> openStream() override;
    std::shared_ptr<engine::BuiltKernel> build(const engine::KernelSource &source) override;
    std::uint64_t now() const override;
    void watch(bool on) override { m_watched = on; }
    std::vector<engine::DeviceActivity> drain() override;
    std::size_t liveBytes() const override;
    std::string whyNoConvolutions() override { return {}; }

    // What tests ask of it.
    void failAllocationIn(int count) { m_allocationsToFault = count; } ///< 1: the next one
    void failLaunchIn(int count) { m_launchesToFault = count; }
    void delay(unsigned seed) ///< each piece of work waits for a while of its own
    {
        const std::lock_guard lock(m_mutex);
        m_random.seed(seed), m_delays = true;
    }
    /// What is wrong with its memory: written past an end, written after it was free, never given back. Empty: nothing.
    std::string faults();
    std::size_t copies() const { return m_copies; }

private:
    friend class ShadowStream;
    friend class ShadowStorage;
    void free(std::size_t offset);
    /// Where the device itself reads and writes; checks that the bytes are somebody's.
    char *own(const void *address, std::size_t bytes);
    char *ownStart(const void *address);

    engine::DeviceInfo m_info;
    std::size_t m_size;
    char *m_addresses = nullptr;               // nobody can read there
    char *m_memory = nullptr;                  // the same bytes, for the device
    mutable std::mutex m_mutex;                // guards what follows
    std::map<std::size_t, std::size_t> m_live; // by offset of the first byte: how many were asked for
    std::string m_faults;
    std::vector<engine::DeviceActivity> m_activities;
    std::minstd_rand m_random;
    std::atomic<bool> m_watched{false}, m_delays{false};
    std::atomic<int> m_allocationsToFault{0}, m_launchesToFault{0};
    std::atomic<std::size_t> m_copies{0};
};

/// The one of this test program, added by its first use.
Shadow &device();

} // namespace shadow
