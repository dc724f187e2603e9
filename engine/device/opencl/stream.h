// A queue of an OpenCL device, in order.
#pragma once

#include "engine/device/opencl/memory.h"
#include "engine/device/opencl/program.h"

#include <deque>
#include <mutex>

namespace engine {

class OpenClDevice;

class OpenClStream final : public DeviceStream {
public:
    explicit OpenClStream(OpenClDevice &device);
    ~OpenClStream() override;
    void copyIn(void *to, const void *from, std::size_t bytes) override;
    void copyWithin(void *to, const void *from, std::size_t bytes) override;
    void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments) override;
    void launchProgram(const std::shared_ptr<BuiltKernel> &kernel, const ProgramLaunch &launch) override;
    void multiply(const MatrixProduct &product) override;
    std::unique_ptr<DeviceEvent> record() override;
    void after(const DeviceEvent &event) override;

    /// Looks for what is over, without waiting.
    void collect();

private:
    void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) override;
    void wait() override;

    struct Pending {
        DeviceActivity activity;
        cl_event event;
        std::unique_ptr<char[]> staged; ///< bytes that are copied in
    };
    /// Notes what was enqueued, or that it could not be.
    void enqueued(DeviceActivity::Kind kind, std::size_t bytes, cl_int error, cl_event event, const std::string &what,
                  std::unique_ptr<char[]> staged = {});
    /// Says once what failed.
    void tell();
    void retire();
    void multiplyByHost(MatrixProduct product);
    void launchAs(DeviceActivity::Kind kind, const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape,
                  std::span<const KernelArgument> arguments);
    void multiplyByKernel(const MatrixProduct &product);

    OpenClDevice &m_device;
    cl_command_queue m_queue = nullptr;
    std::mutex m_mutex; // guards what follows, and the arguments of kernels
    std::deque<Pending> m_pending;
    std::optional<DeviceError> m_error;
};

} // namespace engine
