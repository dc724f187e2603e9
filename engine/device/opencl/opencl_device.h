// A device of an OpenCL platform.
#pragma once

#include "engine/device/opencl/memory.h"
#include "engine/device/opencl/program.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace engine {

class OpenClProducts;
class OpenClStream;

class OpenClDevice final : public Device {
public:
    /// Throws DeviceError where it does not open.
    OpenClDevice(std::string name, cl_platform_id platform, cl_device_id device);
    ~OpenClDevice() override;

    const DeviceInfo &info() const override { return m_info; }
    StorageRef allocate(std::size_t bytes, DeviceStream &stream) override { return m_memory->allocate(bytes, id(), stream); }
    std::unique_ptr<DeviceStream> openStream() override;
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override { return buildOpenCl(m_target, source); }
    std::shared_ptr<DeviceProgram> buildProgram(const KernelSource &source, const std::vector<std::string> &options) override
    {
        return std::make_shared<OpenClProgram>(m_target, source, options);
    }
    std::uint64_t now() const override;
    void watch(bool on) override;
    std::vector<DeviceActivity> drain() override;
    std::size_t liveBytes() const override { return m_memory->liveBytes(); }

    // For its streams.
    const OpenClTarget &target() const { return m_target; }
    OpenClMemory &memory() { return *m_memory; }
    OpenClProducts &products() { return *m_products; }
    bool hasHostProducts() const { return m_hasHostProducts; }
    bool isWatched() const { return m_isWatched; }
    void note(const DeviceActivity &activity);
    void closed(OpenClStream &stream);

private:
    DeviceInfo m_info;
    OpenClTarget m_target;
    std::unique_ptr<OpenClMemory> m_memory;
    std::unique_ptr<OpenClProducts> m_products;
    bool m_hasHostProducts = false;
    cl_command_queue m_clock = nullptr;
    std::atomic<bool> m_isWatched{false};
    std::mutex m_mutex; // guards what follows
    std::vector<OpenClStream *> m_streams;
    std::mutex m_noting; // guards what follows
    std::vector<DeviceActivity> m_activities;
};

/// What OpenCL says of a device, for people.
std::string openClText(cl_device_id device, cl_device_info what);

} // namespace engine
