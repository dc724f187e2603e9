#include "engine/device/cpu/cpu_device.h"

#include "engine/device/cpu/host_work.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/memory.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <unistd.h>

namespace engine {
namespace {

class ReachedEvent final : public DeviceEvent {
public:
    bool isReached() const override { return true; }
};

class CpuDevice;

class CpuStream final : public DeviceStream {
public:
    explicit CpuStream(CpuDevice &device) : m_device(device) {}
    void copyIn(void *to, const void *from, std::size_t bytes) override { copy(DeviceActivity::Kind::CopyIn, to, from, bytes); }
    void copyWithin(void *to, const void *from, std::size_t bytes) override { copy(DeviceActivity::Kind::CopyWithin, to, from, bytes); }
    void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape, std::span<const KernelArgument> arguments) override
    {
        timed(DeviceActivity::Kind::Kernel, 0, [&] { runHostKernel(*kernel, arguments); });
    }
    void multiply(const MatrixProduct &product) override
    {
        timed(DeviceActivity::Kind::Product, 0, [&] { multiplyOnHost(product); });
    }
    std::unique_ptr<DeviceEvent> record() override { return std::make_unique<ReachedEvent>(); }
    void after(const DeviceEvent &) override {}

private:
    void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) override
    {
        copy(DeviceActivity::Kind::CopyOut, to, from, bytes);
        if (beside.bytes) copy(DeviceActivity::Kind::CopyOut, beside.to, beside.from, beside.bytes);
    }
    void wait() override {}
    void copy(DeviceActivity::Kind kind, void *to, const void *from, std::size_t bytes)
    {
        timed(kind, bytes, [&] { std::memcpy(to, from, bytes); });
    }
    template <class Work>
    void timed(DeviceActivity::Kind kind, std::size_t bytes, Work work);

    CpuDevice &m_device;
};

class CpuDevice final : public Device {
public:
    CpuDevice()
    {
        m_info.name = "cpu";
        m_info.hardware = processorName();
        m_info.bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    }
    const DeviceInfo &info() const override { return m_info; }
    StorageRef allocate(std::size_t bytes, DeviceStream &) override { return allocateStorage(bytes); }
    std::unique_ptr<DeviceStream> openStream() override { return std::make_unique<CpuStream>(*this); }
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override { return buildHostKernel(source, info().name); }
    std::uint64_t now() const override { return nowNs(); }
    void watch(bool on) override { m_watched = on; }
    std::vector<DeviceActivity> drain() override
    {
        std::lock_guard lock(m_mutex);
        return std::exchange(m_activities, {});
    }
    std::size_t liveBytes() const override { return engine::liveBytes(); }

    bool isWatched() const { return m_watched; }
    void note(const DeviceActivity &activity)
    {
        std::lock_guard lock(m_mutex);
        m_activities.push_back(activity);
    }

private:
    DeviceInfo m_info;
    std::atomic<bool> m_watched{false};
    std::mutex m_mutex; // guards m_activities
    std::vector<DeviceActivity> m_activities;
};

template <class Work>
void CpuStream::timed(DeviceActivity::Kind kind, std::size_t bytes, Work work)
{
    if (!m_device.isWatched()) return work();
    DeviceActivity activity{kind, tag(), nowNs(), 0, bytes};
    work();
    activity.end = nowNs();
    m_device.note(activity);
}

} // namespace

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.rfind("model name", 0) == 0 || line.rfind("Model", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::unique_ptr<Device> makeCpuDevice() { return std::make_unique<CpuDevice>(); }

} // namespace engine
